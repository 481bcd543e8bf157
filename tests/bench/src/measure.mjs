/**
 * Interleaved rounds: A B A B …, so that a machine that slows down slows both. What counts is the
 * ratio within a round, of processor time where the runtime tells it: on a busy machine the wall
 * clock measures the others.
 *
 * @module
 */

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

/** Nanoseconds of the processor; of the wall clock where nobody tells. */
export function processorNs() {
	const used = globalThis.process?.cpuUsage?.();
	return used === undefined ? performance.now() * 1e6 : (used.user + used.system) * 1e3;
}

const wallNs = () => performance.now() * 1e6;

/**
 * Runs the contestants in turn. Each is `(count) => void`, or an object whose `before(count)` is not
 * measured and whose `run(count)` is; `batch` bounds the count where there is a `before`.
 *
 * @returns by name: of each round the nanoseconds a run, by the processor and by the wall clock.
 */
export function race(contestants, { rounds, ms, batch = 4_096 }) {
	const all = Object.entries(contestants).map(([name, contestant]) => {
		const { before, run } =
			typeof contestant === 'function' ? { before: undefined, run: contestant } : contestant;
		return { name, before, run, times: { processor: [], wall: [] } };
	});
	for (const one of all) {
		// Warm, and how many runs fill `ms` milliseconds.
		let count = 512;
		for (;;) {
			const { wall } = measured(one, count, batch);
			if (wall >= (ms * 1e6) / 4 || count >= 2 ** 24) {
				one.count = Math.max(512, Math.round((count * ms * 1e6) / Math.max(wall, 1)));
				break;
			}
			count *= 2;
		}
	}
	for (let round = 0; round < rounds; round += 1) {
		for (const one of all) {
			const { processor, wall } = measured(one, one.count, batch);
			one.times.processor.push(processor / one.count);
			one.times.wall.push(wall / one.count);
		}
	}
	return Object.fromEntries(all.map(({ name, times }) => [name, times]));
}

/** What `count` runs take, in nanoseconds. */
function measured({ before, run }, count, batch) {
	if (before === undefined) {
		const [processor, wall] = [processorNs(), wallNs()];
		run(count);
		return { processor: processorNs() - processor, wall: wallNs() - wall };
	}
	const sum = { processor: 0, wall: 0 };
	for (let left = count; left > 0; left -= batch) {
		const some = Math.min(left, batch);
		before(some);
		const [processor, wall] = [processorNs(), wallNs()];
		run(some);
		sum.processor += processorNs() - processor;
		sum.wall += wallNs() - wall;
	}
	return sum;
}

/**
 * The same for contestants that wait: `async (count) => void`. Each round begins with another one, and
 * each contestant with the young generation that the one before filled collected: nobody pays for a
 * neighbour. A whole collection would throw compiled code away as well.
 */
export async function raceAsync(contestants, { rounds, ms }) {
	const all = [];
	for (const [name, run] of Object.entries(contestants)) {
		// Warm, and how many runs fill `ms` milliseconds.
		let count = 64;
		for (;;) {
			const start = wallNs();
			await run(count);
			const wall = wallNs() - start;
			if (wall >= ms * 1e6) {
				all.push({ name, run, count, times: { processor: [], wall: [] } });
				break;
			}
			count *= 2;
		}
	}
	for (let round = 0; round < rounds; round += 1) {
		for (let turn = 0; turn < all.length; turn += 1) {
			const { run, count, times } = all[(round + turn) % all.length];
			globalThis.gc?.({ type: 'minor' });
			const [processor, wall] = [processorNs(), wallNs()];
			await run(count);
			times.processor.push((processorNs() - processor) / count);
			times.wall.push((wallNs() - wall) / count);
		}
	}
	return Object.fromEntries(all.map(({ name, times }) => [name, times]));
}

/** Ours against a peer, round by round. */
export function ratio(times, ours, peer, by) {
	const ratios = times[ours][by].map((time, round) => time / times[peer][by][round]);
	return { ratio: median(ratios), spread: spread(ratios) };
}
