// One scenario: a client and a server of its own, every attempt noted, and what must hold.

import axios from 'axios';
import axiosRetry from 'axios-retry';
import { createUpstream } from 'retrywise';
import { hooks, verdictOf } from 'retrywise/axios';
import { startFaultyServer } from 'retrywise/testing';
import * as print from './print.mjs';

/** How much later than decided an attempt may arrive: timers and connections take their time. */
const SLACK_MS = 400;
/** A timer may fire this much early, by rounding. */
const EARLY_MS = 2;

/** Plays a scenario and prints it; what did not hold, as sentences. */
export async function play(scenario) {
	const server = await startFaultyServer({ script: scenario.script });
	const story = new Story(scenario, server);
	try {
		await story.tell();
		const wrong = story.wrong();
		print.result(story.summary(), wrong);
		return wrong;
	} finally {
		await story.close();
	}
}

const count = (n, what) => `${n} ${what}${n === 1 ? '' : 's'}`;

class Story {
	#scenario;
	#server;
	#startedAt = performance.now();
	/** Every attempt of the client, in order. */
	#attempts = [];
	#status;
	#code;

	constructor(scenario, server) {
		this.#scenario = scenario;
		this.#server = server;
	}

	async tell() {
		const { request, comesUpAfter } = this.#scenario;
		const { url, port } = this.#server;
		if (comesUpAfter !== undefined) {
			// Nobody listens there any more, and the port is known to be free.
			await this.#server.close();
		}
		this.#startedAt = performance.now();
		try {
			const response = await this.#client(port).request({ url, ...request });
			this.#status = response.status;
			this.#note(response.status, this.#accepted(response));
		} catch (error) {
			this.#status = error.response?.status;
			this.#code = error.code;
		}
	}

	close() {
		return this.#server.close();
	}

	/** What did not hold, as sentences. */
	wrong() {
		const { expect } = this.#scenario;
		const { requests, resources } = this.#server;
		const wrong = [];
		const same = (what, got, wanted) => {
			if (JSON.stringify(got) !== JSON.stringify(wanted)) {
				wrong.push(`${what}: expected ${JSON.stringify(wanted)}, got ${JSON.stringify(got)}`);
			}
		};
		same('attempts of the client', this.#attempts.length, expect.attempts);
		same('requests at the server', requests.length, expect.requests ?? expect.attempts);
		same('final status', this.#status, expect.status);
		same('final error', this.#code, expect.code);
		same(
			'reasons',
			this.#attempts.map(({ verdict }) => verdict.reason),
			expect.reasons,
		);
		same('resources at the server', resources.length, expect.resources ?? 0);
		const keys = new Set(requests.map(({ key }) => key));
		same('different keys at the server', keys.size, 1);
		same(
			'answers from the memory of keys',
			requests.filter((r) => r.replayed).length,
			expect.replayed ?? 0,
		);
		this.#waits().forEach(({ decided, asked, waited }, index) => {
			same(`delay ${index + 1} as axios-retry was told`, asked, decided);
			const [least, most] = expect.waits[index] ?? [0, 0];
			if (!(decided >= least && decided <= most)) {
				wrong.push(`wait ${index + 1} is ${decided} ms, outside ${least} to ${most} ms`);
			}
			if (!(waited >= decided - EARLY_MS && waited <= decided + SLACK_MS)) {
				wrong.push(`wait ${index + 1} was to be ${decided} ms and took ${Math.round(waited)} ms`);
			}
		});
		return wrong;
	}

	summary() {
		const { requests, resources } = this.#server;
		const parts = [
			`${count(this.#attempts.length, 'attempt')}, ${requests.length} reached the server`,
		];
		const waits = this.#waits().map(({ waited }) => `${Math.round(waited)} ms`);
		if (waits.length > 0) {
			parts.push(`waited ${waits.join(', ')}`);
		}
		if (this.#scenario.request.method === 'post') {
			parts.push(`${count(resources.length, 'resource')} at the server`);
		}
		parts.push(`in the end ${this.#status ?? this.#code}`);
		return parts.join('; ');
	}

	/** Between two attempts: the wait that was decided, what axios-retry was told, what passed. */
	#waits() {
		return this.#attempts.slice(1).map(({ sentAt }, index) => {
			const { verdict, delayMs, endedAt } = this.#attempts[index];
			return { decided: verdict.delayMs, asked: delayMs, waited: sentAt - endedAt };
		});
	}

	/** A real axios client with the real axios-retry, which asks the policy. */
	#client(port) {
		const client = axios.create();
		const asked = hooks(this.#scenario.policy);
		axiosRetry(client, {
			...asked,
			retryCondition: async (error) => {
				const again = asked.retryCondition(error);
				this.#note(error.response?.status ?? error.code, verdictOf(error));
				if (this.#attempts.length === this.#scenario.comesUpAfter) {
					this.#server = await startFaultyServer({ script: this.#scenario.script, port });
				}
				return again;
			},
			retryDelay: (retryCount, error) => {
				const delayMs = asked.retryDelay(retryCount, error);
				this.#attempts.at(-1).delayMs = delayMs;
				return delayMs;
			},
		});
		client.interceptors.request.use((config) => {
			this.#attempts.push({ sentAt: performance.now() });
			return config;
		});
		return client;
	}

	/** Hooks are not asked about a success; a call of the same policy is. */
	#accepted({ status, headers }) {
		const { method } = this.#scenario.request;
		const { call } = createUpstream(this.#scenario.policy).begin({ method: method.toUpperCase() });
		return call.settle({ status, headers });
	}

	#note(ended, verdict) {
		const attempt = this.#attempts.at(-1);
		Object.assign(attempt, { endedAt: performance.now(), verdict });
		print.attempt({
			atMs: attempt.endedAt - this.#startedAt,
			number: this.#attempts.length,
			method: this.#scenario.request.method.toUpperCase(),
			ended,
			verdict,
		});
	}
}
