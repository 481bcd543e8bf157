// The runtime's own timers: ended by a signal, and never longer than a timer can be.

import { equal, failure, ok } from './check.mjs';

/** A policy under which the first wait is sixty days, longer than a timer can be. */
const LONG_MS = 60 * 86_400_000;
const LONG = {
	backoff: { jitter: 'none', baseMs: LONG_MS, capMs: LONG_MS },
	hint: { maxMs: LONG_MS },
};
const LIMIT = 2 ** 31 - 1;

export const waitTests = ({ core, fetching, fetch }, lab) => [
	[
		'a signal ends the wait, and nothing more is sent',
		async () => {
			const server = await lab.server('429;retry-after=86400,200');
			const controller = new AbortController();
			const send = fetching.withRetry(fetch, LONG, {
				onRetry: () => afterwards(() => controller.abort()),
			});
			const error = await failure(send(`${server.url}/orders`, { signal: controller.signal }));
			equal(error.name, 'AbortError');
			equal((await server.seen()).requests.length, 1);
		},
	],
	[
		'retry(): a signal ends the wait, with its own reason',
		async () => {
			const controller = new AbortController();
			const why = new Error('the user left');
			let calls = 0;
			const make = () => {
				calls += 1;
				throw Object.assign(new Error('away'), { status: 503 });
			};
			const onFailedAttempt = () => afterwards(() => controller.abort(why));
			const error = await failure(
				core.retry(make, LONG, { signal: controller.signal, onFailedAttempt }),
			);
			ok(error === why, `it rejected with ${error}`);
			equal(calls, 1);
		},
	],
	[
		'a wait of sixty days is taken in turns that a timer can hold',
		async () => {
			const asked = [];
			const { setTimeout: real } = globalThis;
			globalThis.setTimeout = (call, ms, ...rest) => {
				asked.push(ms);
				return real(call, ms > 1000 ? 0 : ms, ...rest);
			};
			try {
				let calls = 0;
				const value = await core.retry(() => {
					calls += 1;
					if (calls === 1) {
						throw Object.assign(new Error('away'), { status: 503 });
					}
					return 'there';
				}, LONG);
				equal(value, 'there');
			} finally {
				globalThis.setTimeout = real;
			}
			const turns = asked.filter((ms) => ms > 1000);
			equal(turns, [LIMIT, LIMIT, LONG_MS - 2 * LIMIT]);
		},
	],
	[
		'retry(): what cannot be mended is thrown as it is',
		async () => {
			const wrong = Object.assign(new Error('no such order'), { status: 404 });
			let calls = 0;
			const error = await failure(
				core.retry(() => {
					calls += 1;
					throw wrong;
				}, LONG),
			);
			ok(error === wrong, `it rejected with ${error}`);
			equal(calls, 1);
		},
	],
];

/** Does it once the wait has begun: not before the present turn of the event loop is over. */
function afterwards(act) {
	setTimeout(act, 0);
}
