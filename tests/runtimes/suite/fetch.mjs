// `withRetry` over real sockets.

import { equal, failure, ok } from './check.mjs';
import { quickClock } from './lab.mjs';

const PLAIN = { backoff: { jitter: 'none', baseMs: 100 }, hint: { maxMs: 60_000 } };
const HONOURED = { ...PLAIN, idempotency: { honoured: true } };

export const fetchTests = ({ fetching, fetch, core }, lab) => {
	const wrapped = (policy, options) =>
		fetching.withRetry(fetch, policy, { clock: quickClock(), seed: 1, ...options });
	return [
		[
			'fetch: away twice, asked three times',
			async () => {
				const server = await lab.server('503,503,200');
				const clock = quickClock();
				const response = await wrapped(PLAIN, { clock })(`${server.url}/orders`);
				equal(response.status, 200);
				equal(await response.json(), { status: 200 });
				equal(clock.waits, [100, 200]);
				equal(
					(await server.seen()).requests.map(({ status }) => status),
					[503, 503, 200],
				);
			},
		],
		[
			'fetch: the wait that a 429 asks for is kept to',
			async () => {
				const server = await lab.server('429;retry-after=7,200');
				const clock = quickClock();
				const response = await wrapped(PLAIN, { clock })(`${server.url}/orders`);
				equal(response.status, 200);
				equal(clock.waits, [7000]);
			},
		],
		[
			'fetch: a POST that was reset is not sent again',
			async () => {
				const server = await lab.server('reset-after,201');
				const error = await failure(
					wrapped(PLAIN)(`${server.url}/orders`, { method: 'POST', body: '{}' }),
				);
				const { requests, resources } = await server.seen();
				equal(requests.length, 1);
				equal(resources.length, 1);
				equal(fetching.verdictOf(error)?.reason, 'unsafe-to-repeat', String(error));
			},
		],
		[
			'fetch: with a key that the server honours it is sent again, and acts once',
			async () => {
				const server = await lab.server('reset-after,201');
				const send = wrapped(HONOURED);
				const response = await send(`${server.url}/orders`, {
					method: 'POST',
					body: '{}',
					retrywise: { key: 'order-7' },
				});
				equal(response.status, 201);
				const { requests, resources } = await server.seen();
				equal(
					requests.map(({ key }) => key),
					['order-7', 'order-7'],
				);
				equal(resources.length, 1);
				equal(requests[1].replayed, true);
			},
		],
		[
			'fetch: a bad request is final, its answer left to be read',
			async () => {
				const server = await lab.server([{ status: 422, body: { why: 'no such order' } }]);
				const response = await wrapped(PLAIN)(`${server.url}/orders`);
				equal(await response.json(), { why: 'no such order' });
				equal((await server.seen()).requests.length, 1);
			},
		],
		[
			'fetch: calls share a breaker, which refuses the next one',
			async () => {
				const server = await lab.server('503');
				const policy = {
					...PLAIN,
					maxRetries: 0,
					breaker: { kind: 'consecutive', failures: 3, openMs: 60_000 },
				};
				const send = wrapped(policy);
				for (let call = 0; call < 3; call++) {
					equal((await send(`${server.url}/orders`)).status, 503);
				}
				const error = await failure(send(`${server.url}/orders`));
				ok(core.isRetryRefused(error), String(error));
				equal(error.reason, 'breaker-open');
				equal((await server.seen()).requests.length, 3);
			},
		],
	];
};
