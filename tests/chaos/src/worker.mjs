/**
 * A worker in a process of its own, which may be killed at any moment. It carries out the events it
 * is told, many at a time, and takes up what others left.
 *
 * Told `{ calls: [event …] }`, it says `{ done: [event …] }` when nothing more is to be done for
 * them here. Who told it tells another worker again what was not said to be done.
 *
 * @module
 */

import { createLedger } from 'retrywise/ledger';
import { policyFor } from './policies.mjs';
import { SABOTAGE } from './sabotage.mjs';
import { openStore } from './stores.mjs';

const { number, url, where, honoursKeys, atOnce, sabotage } = JSON.parse(process.argv[2]);

/** How often it looks for what was left behind. */
const LOOK_MS = 300;

const broken = SABOTAGE[sabotage] ?? {};
const { store } = await openStore(where);
const policy = policyFor(honoursKeys);
const ledger = createLedger({
	store: broken.store?.(store) ?? store,
	policy: broken.policy?.(policy) ?? policy,
	owner: `worker ${number}, process ${process.pid}`,
});

/** One request, and an answer that has to be what this vendor answers. */
async function send({ event, headers, payload, signal }) {
	const response = await fetch(url, {
		method: 'POST',
		headers: { ...headers, 'content-type': 'application/json', 'x-worker': String(number) },
		body: JSON.stringify({ event, ...payload }),
		signal,
	});
	const text = await response.text();
	const body = response.ok ? JSON.parse(text) : text;
	return { status: response.status, headers: response.headers, body };
}

const queue = [];
let running = 0;
let done = [];

function tell() {
	if (done.length > 0 && process.connected) {
		process.send({ done });
		done = [];
	}
}

async function carryOut(event) {
	running += 1;
	const payload = { amount: event.length };
	await ledger.run({ event, payload, labels: { customer: event.slice(-2) } }, send);
	running -= 1;
	done.push(event);
	if (done.length === 1) {
		setTimeout(tell, 10);
	}
	next();
}

function next() {
	while (running < atOnce && queue.length > 0) {
		carryOut(queue.shift()).catch(fail);
	}
}

/** A worker that fails is a finding, not bad luck. */
function fail(error) {
	process.send({ failed: error?.stack ?? String(error) });
}

async function look() {
	try {
		await ledger.recover(send, { limit: 50 });
	} catch (error) {
		fail(error);
	}
	setTimeout(look, LOOK_MS);
}

process.on('message', ({ calls }) => {
	queue.push(...calls);
	next();
});
process.on('disconnect', () => process.exit());
process.send({ ready: true });
setTimeout(look, LOOK_MS);
