/** A client with the plugin, in each of its modes. */

import { test } from 'node:test';
import axios from 'axios';
import { attach } from 'retrywise/axios';
import { startServer } from './server.mjs';

/** Short waits without chance. */
export const SHORT = { maxRetries: 3, backoff: { jitter: 'none', baseMs: 20, capMs: 80 } };
/** A wait that no test waits for. */
export const LONG = { maxRetries: 3, backoff: { jitter: 'none', baseMs: 30_000 } };

/** A client under a policy, a server, and all that the hooks told. */
export async function setUp(t, handle, policy = SHORT, options = {}, config = {}) {
	const server = await startServer(handle);
	t.after(() => server.close());
	const client = axios.create({ baseURL: server.url, ...config });
	const told = { attempts: [], retries: [], settled: [] };
	const attached = attach(client, policy, {
		onAttempt: ({ attempt }) => told.attempts.push(attempt),
		onRetry: ({ attempt, delayMs, reason }) => void told.retries.push([attempt, delayMs, reason]),
		onSettled: ({ attempts, verdict }) =>
			told.settled.push([attempts, verdict.kind, verdict.reason]),
		...options,
	});
	return { server, client, attached, ...told };
}

/** Defines the same tests in both modes: `inMode` is `test`, `set` is `setUp` in that mode, which has a name. */
export function inModes(define) {
	for (const mode of ['interceptor', 'adapter']) {
		define(
			(name, script) => test(`${mode} mode: ${name}`, script),
			(t, handle, policy, options = {}, config = {}) =>
				setUp(t, handle, policy, { mode, ...options }, config),
			mode,
		);
	}
}
