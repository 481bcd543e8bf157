/** A clock that a test moves: sleeping moves it too, at once. */
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
		advance: (ms) => {
			now += ms;
		},
		slept,
	};
}
