// The ledger on its store in memory: the calls that must be carried out once.

import { equal } from './check.mjs';
import { quickClock } from './lab.mjs';

const HONOURED = { idempotency: { honoured: true }, backoff: { jitter: 'none', baseMs: 100 } };

export const ledgerTests = ({ axios, keeping }, lab) => [
	[
		'ledger: a lost answer is asked for again under one key, and the call is done once',
		async () => {
			const server = await lab.server('reset-after,201');
			const ledger = keeping.createLedger({
				store: keeping.memoryStore(),
				policy: HONOURED,
				clock: quickClock(),
			});
			const send = ({ headers, payload }) =>
				axios.post(`${server.url}/orders`, payload, { headers });
			const call = { event: 'order/9', payload: { item: 'tea' } };
			const first = await ledger.run(call, send);
			equal(first.state, 'completed');
			const second = await ledger.run(call, send);
			equal(second.replayed, true);
			const { requests, resources } = await server.seen();
			equal(new Set(requests.map(({ key }) => key)).size, 1);
			equal([requests.length, resources.length], [2, 1]);
		},
	],
];
