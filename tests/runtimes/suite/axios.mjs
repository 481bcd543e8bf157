// The axios entry over real sockets, with the adapter that axios itself chooses in this runtime.

import { equal, failure, ok } from './check.mjs';
import { quickClock } from './lab.mjs';

const PLAIN = { backoff: { jitter: 'none', baseMs: 100 }, hint: { maxMs: 60_000 } };
const HONOURED = { ...PLAIN, idempotency: { honoured: true } };

export const axiosTests = ({ axios, retrying }, lab) => {
	const attached = (policy, options) => {
		const client = axios.create();
		const attachment = retrying.attach(client, policy, {
			clock: quickClock(),
			seed: 1,
			...options,
		});
		return { client, attachment };
	};
	return [
		[
			'axios drop-in: away twice, asked three times',
			async () => {
				const server = await lab.server('503,503,200');
				const client = axios.create();
				const counts = [];
				retrying.default(client, { retries: 3, onRetry: (count) => counts.push(count) });
				const { status, config } = await client.get(`${server.url}/orders`);
				equal(status, 200);
				equal(counts, [1, 2]);
				equal(config['axios-retry'].retryCount, 2);
				equal((await server.seen()).requests.length, 3);
			},
		],
		[
			'axios drop-in: by a status, a POST is not repeated',
			async () => {
				const server = await lab.server('503,201');
				const client = axios.create();
				retrying.default(client, { retries: 3 });
				const error = await failure(client.post(`${server.url}/orders`, {}));
				equal(error.response?.status, 503);
				equal((await server.seen()).requests.length, 1);
			},
		],
		[
			'axios drop-in, strict: the core decides',
			async () => {
				const server = await lab.server('503,503,200');
				const client = axios.create();
				const policy = { ...PLAIN, maxRetries: 1 };
				retrying.default(client, { mode: 'strict', policy, clock: quickClock() });
				const error = await failure(client.get(`${server.url}/orders`));
				equal(error.response?.status, 503);
				equal((await server.seen()).requests.length, 2);
			},
		],
		[
			'axios attach: away twice, asked three times',
			async () => {
				const server = await lab.server('503,503,200');
				const clock = quickClock();
				const { client } = attached(PLAIN, { clock });
				equal((await client.get(`${server.url}/orders`)).status, 200);
				equal(clock.waits, [100, 200]);
			},
		],
		[
			'axios attach: the wait that a 429 asks for is kept to',
			async () => {
				const server = await lab.server('429;retry-after=7,200');
				const clock = quickClock();
				const { client } = attached(PLAIN, { clock });
				equal((await client.get(`${server.url}/orders`)).status, 200);
				equal(clock.waits, [7000]);
			},
		],
		[
			'axios attach: a POST that was reset is not sent again',
			async () => {
				const server = await lab.server('reset-after,201');
				const { client } = attached(PLAIN);
				const error = await failure(client.post(`${server.url}/orders`, {}));
				const { requests, resources } = await server.seen();
				equal(requests.length, 1);
				equal(resources.length, 1);
				equal(retrying.verdictOf(error)?.reason, 'unsafe-to-repeat', String(error));
			},
		],
		[
			'axios attach: with a key that the server honours it is sent again, and acts once',
			async () => {
				const server = await lab.server('reset-after,201');
				const { client } = attached(HONOURED);
				const { status } = await client.post(
					`${server.url}/orders`,
					{},
					{ retrywise: { key: 'order-8' } },
				);
				equal(status, 201);
				const { requests, resources } = await server.seen();
				equal(
					requests.map(({ key }) => key),
					['order-8', 'order-8'],
				);
				equal(resources.length, 1);
			},
		],
		[
			'axios attach: detached, it is plain axios again',
			async () => {
				const server = await lab.server('503,200');
				const { client, attachment } = attached(PLAIN);
				attachment.detach();
				const error = await failure(client.get(`${server.url}/orders`));
				equal(error.response?.status, 503);
				ok(retrying.verdictOf(error) === undefined, 'a verdict was given all the same');
			},
		],
	];
};
