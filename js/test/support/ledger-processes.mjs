/** What every store that several processes share has to pass. */

import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';

import { createLedger } from 'retrywise/ledger';
import { HONOURED, RACES } from './ledger-policy.mjs';

const WORKER = new URL('./ledger-worker.mjs', import.meta.url);

/** A worker that waits for its `go`. */
async function worker(test, opener, address, task) {
	const child = fork(WORKER, [String(opener), JSON.stringify(address), task]);
	test.after(() => child.kill('SIGKILL'));
	const [word] = await once(child, 'message');
	assert.equal(word, 'ready');
	return child;
}

/**
 * @param {string} name
 * @param {URL} opener a module whose `open(address)` gives the store there, in any process
 * @param {(test: import('node:test').TestContext) => unknown} make
 *   gives the address, as JSON can say it, of an empty store
 * @param {(test: import('node:test').TestContext, address: unknown) => import('retrywise/ledger').LedgerStore} open
 *   opens it in this process, until the test is over
 */
export function processSuite(name, opener, make, open) {
	describe(`${name} between processes`, () => {
		it('lets two writers that race send each call once', async (test) => {
			const address = await make(test);
			const workers = [
				await worker(test, opener, address, 'race'),
				await worker(test, opener, address, 'race'),
			];
			const answers = workers.map((child) => once(child, 'message'));
			for (const child of workers) {
				child.send('go');
			}
			const sent = (await Promise.all(answers)).flatMap(([{ done }]) => done);
			assert.equal(sent.length, RACES);
			assert.equal(new Set(sent.map(([event]) => event)).size, RACES);
			assert.ok(sent.every(([, attempt]) => attempt === 1));
			const ledger = createLedger({ store: open(test, address) });
			const { items } = await ledger.list({ state: 'completed', limit: 1000 });
			assert.equal(items.length, RACES);
		});

		it('takes up what a killed worker had claimed, and nothing is lost', async (test) => {
			const address = await make(test);
			const child = await worker(test, opener, address, 'hang');
			const [message] = await Promise.all([once(child, 'message'), child.send('go')]);
			const [{ sent }] = message;
			child.kill('SIGKILL');
			await once(child, 'exit');
			let ahead = 0;
			const clock = { wall: () => Date.now() + ahead };
			const ledger = createLedger({ store: open(test, address), policy: HONOURED, clock });
			ahead = 2000;
			const [result] = await ledger.recover(({ attempt, key, payload }) => ({
				attempt,
				key,
				payload,
			}));
			assert.deepEqual(result.value, { attempt: 2, key: sent.key, payload: { amount: 5 } });
			const trail = await ledger.entries('crash');
			assert.equal(trail.filter(({ takenOver }) => takenOver).length, 1);
			assert.equal((await ledger.find({ order: '5' })).items[0].record.state, 'completed');
		});
	});
}
