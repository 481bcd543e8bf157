/** What every store has to pass: the interface by itself, and a ledger on top of it. */

import { lastingSuite } from './suite-lasting.mjs';
import { ledgerSuite } from './suite-ledger.mjs';
import { interfaceSuite } from './suite-store.mjs';

/**
 * @param {string} name
 * @param {(test: import('node:test').TestContext) => import('retrywise/ledger').LedgerStore} open
 *   gives an empty store
 */
export function storeSuite(name, open) {
	interfaceSuite(name, open);
	ledgerSuite(name, open);
	lastingSuite(name, open);
}
