/**
 * Interleaved rounds: A B A B …, so that a machine that slows down slows both. The result is the
 * ratio of each round and its spread; absolute times are only told.
 *
 * @module
 */

const now = () => performance.now();

export const median = (values) => {
	const sorted = [...values].sort((a, b) => a - b);
	const at = Math.floor(sorted.length / 2);
	return sorted.length % 2 === 1 ? sorted[at] : (sorted[at - 1] + sorted[at]) / 2;
};

/** The quartiles around the median. */
const spread = (values) => {
	const sorted = [...values].sort((a, b) => a - b);
	return [sorted[Math.floor(sorted.length / 4)], sorted[Math.floor((sorted.length * 3) / 4)]];
};

/** How many runs fill `ms` milliseconds. */
function calibrate(run, ms) {
	for (let count = 16; ; count *= 2) {
		const start = now();
		run(count);
		const took = now() - start;
		if (took >= ms / 4 || count >= 2 ** 26) {
			return Math.max(1, Math.round((count * ms) / Math.max(took, 0.001)));
		}
	}
}

/**
 * Runs the contestants in turn. Each is `(count) => void` and works `count` times.
 *
 * @returns by name: nanoseconds a run (median), and for all but the first of the names in `ours`
 * nothing more; the ratios are made by {@link ratio}.
 */
export function race(contestants, { rounds, ms }) {
	const names = Object.keys(contestants);
	const counts = {};
	const times = {};
	for (const name of names) {
		contestants[name](2_000);
		counts[name] = calibrate(contestants[name], ms);
		times[name] = [];
	}
	for (let round = 0; round < rounds; round += 1) {
		for (const name of names) {
			const start = now();
			contestants[name](counts[name]);
			times[name].push(((now() - start) * 1e6) / counts[name]);
		}
	}
	return times;
}

/** The same for contestants that wait: `async (count) => void`. */
export async function raceAsync(contestants, { rounds, count }) {
	const times = {};
	for (const name of Object.keys(contestants)) {
		await contestants[name](Math.ceil(count / 4));
		times[name] = [];
	}
	for (let round = 0; round < rounds; round += 1) {
		for (const name of Object.keys(contestants)) {
			const start = now();
			await contestants[name](count);
			times[name].push(((now() - start) * 1e6) / count);
		}
	}
	return times;
}

/** Ours against a peer, round by round. */
export function ratio(times, ours, peer) {
	const ratios = times[ours].map((time, round) => time / times[peer][round]);
	return { ratio: median(ratios), spread: spread(ratios) };
}
