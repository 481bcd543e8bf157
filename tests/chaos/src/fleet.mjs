/**
 * The workers: told what to do, killed at moments that the seed chooses, and started again.
 *
 * @module
 */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { between, random } from './random.mjs';

const WORKER = new URL('./worker.mjs', import.meta.url);

const STAGES = ['arrived', 'acted', 'answered'];

export class Fleet {
	killed = 0;
	/** Events that workers said to be done with. */
	finished = 0;
	/** What workers failed with. */
	failures = [];
	#workers;
	#task;
	#seed;
	#lives;
	#stopped = false;

	/**
	 * @param {object} task what every worker is told at its start
	 * @param {{ workers: number, seed: number, lives: [number, number] }} options
	 *   `lives`: a worker is killed after so many requests, at least and at most
	 */
	constructor(task, { workers, seed, lives }) {
		this.#task = task;
		this.#seed = seed;
		this.#lives = lives;
		this.#workers = Array.from({ length: workers }, (_, number) => ({
			number,
			/** Events that it was told and has not finished, in their order. */
			open: new Set(),
			child: null,
			life: 0,
			requests: 0,
			death: null,
		}));
	}

	/** Starts all of them. */
	start() {
		for (const worker of this.#workers) {
			this.#begin(worker);
		}
	}

	/** Tells a worker; which is the teller's choice. */
	tell(number, events) {
		const worker = this.#workers[number % this.#workers.length];
		for (const event of events) {
			worker.open.add(event);
		}
		this.#pass(worker, events);
	}

	/** How many events a worker was told and has not finished. */
	load(number) {
		return this.#workers[number % this.#workers.length].open.size;
	}

	get open() {
		return this.#workers.reduce((sum, { open }) => sum + open.size, 0);
	}

	/** The vendor has a request of this worker: perhaps its last. */
	onStage(stage, number) {
		const worker = this.#workers[number];
		if (stage === 'arrived') {
			worker.requests += 1;
		}
		const { death, child } = worker;
		if (worker.requests >= death?.requests && stage === death.stage) {
			worker.death = null;
			// A moment later it is elsewhere: writing, claiming, waiting.
			setTimeout(() => child.kill('SIGKILL'), death.laterMs);
		}
	}

	/** Nobody is killed any more. */
	spare() {
		for (const worker of this.#workers) {
			worker.death = null;
		}
		this.#lives = null;
	}

	async stop() {
		this.#stopped = true;
		await Promise.all(
			this.#workers.map(async ({ child }) => {
				if (child.exitCode === null && child.signalCode === null) {
					child.kill('SIGKILL');
					await once(child, 'exit');
				}
			}),
		);
	}

	#begin(worker) {
		const { number } = worker;
		const child = fork(WORKER, [JSON.stringify({ ...this.#task, number })]);
		worker.child = child;
		worker.life += 1;
		worker.requests = 0;
		worker.death = this.#lives === null ? null : this.#fateOf(worker);
		child.on('message', ({ ready, done = [], failed }) => {
			for (const event of done) {
				worker.open.delete(event);
			}
			this.finished += done.length;
			if (ready) {
				this.#pass(worker, [...worker.open]);
			}
			if (failed !== undefined) {
				this.failures.push(failed);
			}
		});
		// Told while it dies: it is told again when it is back.
		child.on('error', () => {});
		child.once('exit', (code, signal) => {
			if (this.#stopped) {
				return;
			}
			if (signal === 'SIGKILL') {
				this.killed += 1;
			} else {
				this.failures.push(`worker ${number} ended by itself with ${code ?? signal}`);
			}
			if (this.failures.length < 10) {
				this.#begin(worker);
			}
		});
	}

	#fateOf({ number, life }) {
		const draw = random(this.#seed, 'death', number, life);
		return {
			requests: between(draw, ...this.#lives),
			stage: STAGES[between(draw, 0, 2)],
			laterMs: draw() < 0.5 ? 0 : between(draw, 1, 30),
		};
	}

	#pass({ child }, events) {
		if (events.length > 0 && child.connected) {
			child.send({ calls: events }, () => {});
		}
	}
}
