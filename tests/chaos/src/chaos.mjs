/**
 * A run: for each store a leg against each kind of vendor, and what came of them.
 *
 * @module
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../stores/support/postgres.mjs';
import { isGood } from './judge.mjs';
import { runLeg } from './leg.mjs';

/** Stores that can be asked for. */
export const STORES = ['sqlite', 'postgres'];

/** How often a long run says that it lives. */
const PROGRESS_MS = 15_000;

/**
 * Runs all legs and prints what came of them; whether all is well.
 *
 * `vendors`: which kinds there are, by whether they honour keys; the calls are shared out among them.
 */
export async function chaos({
	calls,
	seed,
	workers,
	stores,
	vendors = [true, false],
	sabotage,
	toldTwice,
	print,
}) {
	const share = Math.ceil(calls / vendors.length);
	const total = { calls: 0, effects: 0, duplicates: 0, repeated: 0, lost: 0, misled: 0, review: 0 };
	let [requests, killed, isWell] = [0, 0, true];
	for (const kind of stores) {
		const server = await serve(kind);
		try {
			for (const honoursKeys of vendors) {
				const name = `${kind}, vendor ${honoursKeys ? 'honours' : 'ignores'} keys`;
				print(`${name}: ${share} calls, ${workers} workers, seed ${seed}`);
				const where = await server.fresh();
				const leg = await runLeg({
					...{ where, honoursKeys, calls: share, seed, workers, sabotage, toldTwice },
					onProgress: everySoOften((done) => print(`  … ${done} calls`)),
				});
				for (const line of report(leg)) {
					print(`  ${line}`);
				}
				for (const figure of Object.keys(total)) {
					total[figure] += leg.figures[figure];
				}
				requests += leg.requests;
				killed += leg.killed;
				isWell &&= isGood(leg.figures) && leg.isAtRest && leg.failures.length === 0;
			}
		} finally {
			await server.stop();
		}
	}
	const { effects, duplicates, repeated, lost, review } = total;
	print(
		`${total.calls} calls: effects ${effects}, duplicates ${duplicates}, repeated ${repeated}, lost ${lost}, ` +
			`in review ${review}, attempts ${requests}, killed workers ${killed}: ${isWell ? 'good' : 'BAD'}`,
	);
	return isWell;
}

function report({ figures, causes, findings, requests, replayed, killed, failures, isAtRest, seconds }) {
	const { effects, duplicates, repeated, lost, misled, confirmed, review } = figures;
	const why = [...causes].map(([cause, count]) => `${cause} ${count}`).sort();
	return [
		`effects ${effects}, duplicates ${duplicates}, repeated after an open answer ${repeated}, lost ${lost}`,
		`confirmed ${confirmed}, in review ${review} (${why.join(', ')}), misled ${misled}`,
		`attempts ${requests}, answered from the vendor's memory ${replayed}, killed workers ${killed}, ${seconds.toFixed(1)} s`,
		...(isAtRest ? [] : ['it never came to rest']),
		...failures.map((text) => `a worker failed: ${text}`),
		...findings,
	];
}

/** A place for stores of this kind: a folder, or a server that is started for it. */
async function serve(kind) {
	switch (kind) {
		case 'sqlite': {
			const folder = mkdtempSync(join(tmpdir(), 'retrywise-chaos-'));
			let count = 0;
			return {
				fresh: async () => `sqlite:${join(folder, `${count++}.db`)}`,
				stop: async () => rmSync(folder, { recursive: true, force: true }),
			};
		}
		case 'postgres': {
			const server = await startPostgres();
			let count = 0;
			return {
				fresh: async () => `postgres:${server.url}#leg${count++}`,
				stop: () => server.stop(),
			};
		}
		default:
			throw new RangeError(`--store is ${kind}: it is ${STORES.join(', ')} or all`);
	}
}

function everySoOften(act) {
	let last = performance.now();
	return (...given) => {
		if (performance.now() - last > PROGRESS_MS) {
			last = performance.now();
			act(...given);
		}
	};
}
