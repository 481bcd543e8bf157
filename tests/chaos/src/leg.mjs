/**
 * One leg: one store, one kind of vendor, so many calls.
 *
 * @module
 */

import { createLedger } from 'retrywise/ledger';
import { Fleet } from './fleet.mjs';
import { judge } from './judge.mjs';
import { random } from './random.mjs';
import { openStore } from './stores.mjs';
import { Vendor } from './vendor.mjs';

/** Events that a worker has at a time, on its way or waiting for its turn. */
const AHEAD = 200;
/** Events that are told to a worker in a row. */
const BLOCK = 10;
/** Calls of one worker that are on their way at once. */
const AT_ONCE = 32;
/** Of a thousand events so many are told to two workers at once. */
const TOLD_TWICE = 100;
/** So long nothing may happen while there is something to do; and so long it may take to come to rest. */
const REST_MS = 120_000;
const TICK_MS = 20;

/**
 * @param {object} options
 * @param {string} options.where the store
 * @param {boolean} options.honoursKeys
 * @param {number} options.calls
 * @param {number} options.seed
 * @param {number} options.workers
 * @param {string} [options.sabotage] what is broken on purpose
 * @param {number} [options.toldTwice] of a thousand events, so many go to two workers
 * @param {(done: number) => void} [options.onProgress]
 */
export async function runLeg({
	where,
	honoursKeys,
	calls,
	seed,
	workers,
	sabotage,
	toldTwice = TOLD_TWICE,
	onProgress,
}) {
	const started = performance.now();
	const vendor = new Vendor({ seed, honoursKeys });
	const url = await vendor.listen();
	const { store, close } = await openStore(where);
	const ledger = createLedger({ store });
	// Each worker dies a few times in a short run, and not all the time in a long one.
	const share = Math.ceil(calls / workers);
	const lives = [Math.min(share / 8, 400), Math.min(share / 2, 2500)].map(Math.ceil);
	const task = { url, where, honoursKeys, atOnce: AT_ONCE, sabotage };
	const fleet = new Fleet(task, { workers, seed, lives });
	vendor.onStage = (stage, worker) => fleet.onStage(stage, worker);
	const events = Array.from({ length: calls }, (_, at) => `order/${at}`);
	try {
		fleet.start();
		const isTold = await tellAll(fleet, { events, workers, seed, toldTwice, onProgress });
		const isAtRest = isTold && (await rest(ledger, vendor, fleet));
		await fleet.stop();
		const records = await recordsOf(ledger);
		const judgement = judge({ events, honoursKeys, log: vendor.log, records });
		const { requests, replayed } = vendor;
		const { killed, failures } = fleet;
		const seconds = (performance.now() - started) / 1000;
		return { ...judgement, requests, replayed, killed, failures, isAtRest, seconds };
	} finally {
		await fleet.stop();
		await vendor.close();
		await close();
	}
}

/** Tells the workers every event, some of them twice, as fast as they take them; whether they did. */
async function tellAll(fleet, { events, workers, seed, toldTwice, onProgress }) {
	const draw = random(seed, 'tell');
	let told = 0;
	let last = { finished: 0, at: performance.now() };
	while ((told < events.length || fleet.open > 0) && fleet.failures.length === 0) {
		const number = Math.floor(told / BLOCK) % workers;
		if (told < events.length && fleet.load(number) < AHEAD) {
			const some = events.slice(told, told + BLOCK);
			told += some.length;
			fleet.tell(number, some);
			fleet.tell(
				number + 1,
				some.filter(() => draw() * 1000 < toldTwice),
			);
			continue;
		}
		const { finished } = fleet;
		if (finished > last.finished) {
			last = { finished, at: performance.now() };
			onProgress?.(finished);
		} else if (performance.now() - last.at > REST_MS) {
			return false;
		}
		await sleep(TICK_MS);
	}
	fleet.spare();
	return true;
}

/** Waits until nothing is on its way; whether it came to that. */
async function rest(ledger, vendor, fleet) {
	const until = performance.now() + REST_MS;
	while (performance.now() < until && fleet.failures.length === 0) {
		const pages = await Promise.all(
			['in-progress', 'waiting'].map((state) => ledger.list({ state, limit: 1 })),
		);
		if (vendor.open === 0 && pages.every(({ items }) => items.length === 0)) {
			return true;
		}
		await sleep(5 * TICK_MS);
	}
	return false;
}

/** What the ledger says of every call. */
async function recordsOf(ledger) {
	const records = new Map();
	for (let cursor = null; ; ) {
		const { items, next } = await ledger.list({ limit: 1000, cursor });
		for (const { event, record } of items) {
			const { state, cause, maybeProcessed } = record;
			records.set(event, { state, cause, maybeProcessed });
		}
		if (next === null) {
			return records;
		}
		cursor = next;
	}
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
