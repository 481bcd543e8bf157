/**
 * What a ledger throws besides what the package throws anyway.
 *
 * @module
 */

import { RetrywiseError } from '../errors.ts';

/** One event was used for two payloads: one of the two callers is wrong, and neither is sent. */
export class LedgerConflict extends RetrywiseError {
	override name: string = 'LedgerConflict';
	readonly event: string;

	constructor(event: string) {
		super(`${JSON.stringify(event)} is in the ledger with another payload`);
		this.event = event;
	}
}

/** Whether `value` is a {@link LedgerConflict}, of any copy of the package. */
export function isLedgerConflict(value: unknown): value is LedgerConflict {
	return value instanceof Error && value.name === 'LedgerConflict';
}
