/**
 * Taking up what is due: batch by batch, several at a time, each call once.
 *
 * @module
 */

import { throwIfAborted } from '../host.ts';
import type { RecoverProgress, RunResult } from './options.ts';
import type { StoredCall } from './store.ts';

/** What a recovery does, and within what bounds. */
export interface Recovery<T> {
	/** What is due, at most so many, in the order to take it up in. */
	due(limit: number): Promise<readonly StoredCall[]>;
	/** Whether somebody here has the call already: then it is left to them. */
	isTaken(id: string): boolean;
	run(call: StoredCall): Promise<RunResult<T>>;
	readonly limit: number;
	readonly concurrency: number;
	readonly signal: AbortSignal | undefined;
	readonly onProgress: ((progress: RecoverProgress<T>) => void) | undefined;
}

/** How many calls are read at once. */
const BATCH = 100;

/** The results, in the order in which the calls were taken up. */
export async function recovered<T>(recovery: Recovery<T>): Promise<readonly RunResult<T>[]> {
	const { concurrency, signal, onProgress } = recovery;
	const results: RunResult<T>[] = [];
	let [taken, running, done] = [0, 0, 0];
	/** Nothing more is taken up: the upstream lets nothing through, or something failed. */
	let isOver = false;
	const calls = takenUp(recovery);
	const worker = async (): Promise<void> => {
		while (!isOver) {
			throwIfAborted(signal);
			const { value: call } = await calls.next();
			if (call === undefined || isOver) {
				return;
			}
			const place = taken;
			taken += 1;
			running += 1;
			let result: RunResult<T>;
			try {
				result = await recovery.run(call);
			} finally {
				running -= 1;
			}
			results[place] = result;
			done += 1;
			isOver ||= result.state === 'waiting' && result.reason !== undefined;
			try {
				onProgress?.({ done, running, result });
			} catch {
				// A watcher must not change what it watches.
			}
		}
	};
	const workers = Array.from({ length: concurrency }, () =>
		worker().catch((error) => {
			isOver = true;
			throw error;
		}),
	);
	// Nothing is left running behind the caller's back, whoever failed first.
	for (const ended of await Promise.allSettled(workers)) {
		if (ended.status === 'rejected') {
			throw ended.reason;
		}
	}
	return results;
}

/** The calls that are due, each once, though some stay due: somebody else may have them. */
async function* takenUp<T>({
	due,
	isTaken,
	limit,
}: Recovery<T>): AsyncGenerator<StoredCall, undefined> {
	const seen = new Set<string>();
	for (let wanted = BATCH; ; ) {
		const found = await due(wanted);
		const fresh = found.filter(({ record: { id } }) => !seen.has(id) && !isTaken(id));
		for (const call of fresh) {
			if (seen.size === limit) {
				return undefined;
			}
			seen.add(call.record.id);
			yield call;
		}
		if (fresh.length === 0) {
			if (found.length < wanted) {
				return undefined;
			}
			wanted *= 2;
		}
	}
}
