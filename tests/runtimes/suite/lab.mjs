// How a test reaches the faulty servers that the runner starts for it: by plain requests to its own
// door on loopback, answered in JSON.

/** The lab behind `door`. */
export function openLab(door) {
	const json = async (method, path, body) => {
		const response = await fetch(`${door}${path}`, {
			method,
			...(body && { body: JSON.stringify(body) }),
		});
		return response.json();
	};
	return {
		/** The lines of `signals.jsonl`. */
		signals: () => json('GET', '/signals'),
		/** A faulty server of the test's own: its `url`, and what it saw. */
		async server(script, options = {}) {
			const { id, url } = await json('POST', '/servers', { script, options });
			return { url, seen: () => json('GET', `/servers/${id}`) };
		},
	};
}

/** A clock on which waiting takes no time, and which remembers the waits. */
export function quickClock() {
	let now = 0;
	const waits = [];
	return {
		waits,
		now: () => now,
		wall: () => Date.UTC(2026, 11, 1) + now,
		async sleep(ms, signal) {
			signal?.throwIfAborted();
			waits.push(ms);
			now += ms;
		},
	};
}
