/**
 * A clock that a test moves: sleeping moves it too, at once. What waits beside the work waits for
 * ever, as in a process that hangs.
 */
export function virtualClock(wall = Date.UTC(2026, 0, 15, 12)) {
	let now = 0;
	const slept = [];
	return {
		now: () => now,
		wall: () => wall + now,
		async sleep(ms, signal) {
			signal?.throwIfAborted();
			slept.push(ms);
			now += ms;
		},
		background: () => new Promise(() => {}),
		advance: (ms) => {
			now += ms;
		},
		slept,
	};
}

/**
 * A clock for many sleepers at once: time goes on to the next of them when nobody has anything else
 * to do.
 */
export function sharedClock(wall = Date.UTC(2026, 0, 15, 12)) {
	let now = 0;
	let sleepers = [];
	const clock = {
		now: () => now,
		wall: () => wall + now,
		sleep: (ms, signal) =>
			new Promise((resolve, reject) => {
				signal?.throwIfAborted();
				const sleeper = { at: now + ms, resolve };
				sleepers.push(sleeper);
				signal?.addEventListener('abort', () => {
					sleepers = sleepers.filter((other) => other !== sleeper);
					reject(signal.reason);
				});
			}),
		/** Lets go on whatever can go on without time. */
		async rest() {
			for (let turn = 0; turn < 3; turn += 1) {
				await new Promise((resolve) => setImmediate(resolve));
			}
		},
		/** Lets time pass until the promise is settled; its value. */
		async until(promise) {
			let isOver = false;
			const over = () => {
				isOver = true;
			};
			promise.then(over, over);
			for (let turn = 0; turn < 100_000; turn += 1) {
				await clock.rest();
				if (isOver) {
					return promise;
				}
				const next = sleepers.sort((a, b) => a.at - b.at).shift();
				if (next === undefined) {
					throw new Error('everybody waits, and nobody for time');
				}
				now = Math.max(now, next.at);
				next.resolve();
			}
			throw new Error('it never ends');
		},
		get sleepers() {
			return sleepers.length;
		},
	};
	return clock;
}
