/**
 * A worker in a process of its own. Arguments: the module that opens the store, the store's
 * address as JSON, the task. It says `ready`, is told `go`, and says what it did.
 */

import { createLedger } from 'retrywise/ledger';
import { HONOURED, RACES } from './ledger-policy.mjs';

const [opener, address, task] = process.argv.slice(2);
const { open } = await import(opener);
const store = await open(JSON.parse(address));
const ledger = createLedger({ store, policy: HONOURED, owner: `pid ${process.pid}` });

const tasks = {
	/** Carries out the same events as the other worker; says which it sent. */
	async race() {
		const sent = [];
		for (let i = 0; i < RACES; i += 1) {
			const { state } = await ledger.run({ event: `race/${i}`, payload: i }, ({ attempt }) => {
				sent.push([i, attempt]);
				return i;
			});
			if (state !== 'completed' && state !== 'in-progress') {
				throw new Error(`race/${i} is ${state}`);
			}
		}
		return sent;
	},
	/** Claims a call, says so, and never ends. */
	async hang() {
		const call = { event: 'crash', payload: { amount: 5 }, labels: { order: '5' } };
		await ledger.run(call, ({ attempt, key }) => {
			process.send({ sent: { attempt, key } });
			return new Promise(() => {});
		});
	},
};

await store.get('nobody');
process.on('message', async () => {
	process.send({ done: await tasks[task]() });
	process.disconnect();
});
process.send('ready');
