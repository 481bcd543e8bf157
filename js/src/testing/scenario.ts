/**
 * Scenarios: a faulty server, a client, and what must be true in the end.
 *
 * @module
 */

import { RetrywiseError } from '../errors.ts';
import { withRetry } from '../fetch/index.ts';
import type { RetryingFetch } from '../fetch/options.ts';
import { clockOf } from '../host.ts';
import type { Clock, Policy } from '../types.ts';
import { virtualClock } from './clock.ts';
import { judge, type Report } from './judge.ts';
import { formatReport } from './report.ts';
import type { Script } from './script.ts';
import { type FaultyServer, type FaultyServerOptions, startFaultyServer } from './server.ts';

/** What must be true in the end; what is left out is not asked, but for the first three. */
export interface Expectations {
	/** The client was content with the last answer. Default: true. */
	succeeds?: boolean;
	/** Who sends a key sends the same on every attempt of a call. Default: true. */
	sameKey?: boolean;
	/**
	 * Every wait, and their sum, lies within what the policy allows, and no attempt is sent that it
	 * does not allow. Computed by the core from what the server answered. Default: true where the
	 * scenario has a policy.
	 */
	withinEnvelope?: boolean;
	/** Requests that reached the server. */
	attempts?: number | { readonly min?: number; readonly max?: number };
	/** Resources that were created. */
	resources?: number;
	/** The status of the last answer. */
	status?: number;
	/** On every request: a text is the value, true any value, false none. Names in any case. */
	headers?: Readonly<Record<string, string | boolean>>;
}

/** The part of a scenario that fits a file. */
export interface ScenarioFacts {
	/** What it is called in reports. Default: "scenario". */
	name?: string;
	/** What the server does. */
	script: Script;
	/** The policy that the client is under. Default: none, and the envelope is not asked. */
	policy?: Policy;
	/** What the server is. */
	server?: Pick<FaultyServerOptions, 'keyHeader' | 'honoursKeys' | 'protocol'>;
	expect?: Expectations;
	/** How long the whole may take in real time, ms. Default: 10 000; for commands 60 000. */
	timeoutMs?: number;
	/**
	 * How much longer than the policy says each wait may take, ms: a real client has other things to
	 * do. Default: 0 on the virtual clock, 1000 in real time.
	 */
	toleranceMs?: number;
}

/** A request that the scenario sends itself. */
export interface ScenarioRequest {
	/** Default: GET. */
	method?: string;
	/** Default: "/". */
	path?: string;
	headers?: Readonly<Record<string, string>>;
	body?: string;
	/** The idempotency key. Default: what the policy makes of it. */
	key?: string;
}

/** What the client of a scenario is given. */
export interface ScenarioContext {
	/** The server's address. */
	readonly url: string;
	readonly server: FaultyServer;
	readonly policy: Policy;
	/** To be given to the client, so that it waits in the scenario's time. */
	readonly clock: Clock;
	/** To be given to the client, so that it waits the same every time. */
	readonly seed: number;
	/** A fetch under the policy, the clock and the seed. */
	readonly fetch: RetryingFetch;
	/** Aborted when the time is up. */
	readonly signal: AbortSignal;
}

/** A scenario with its client. */
export interface Scenario extends ScenarioFacts {
	/** Time: `virtual` passes at once, `real` as it does. Default: `virtual`. */
	time?: 'virtual' | 'real';
	/** The seed of the delays. Default: 1. */
	seed?: number;
	/** What is sent where `run` is not given. */
	request?: ScenarioRequest;
	/**
	 * The client. It succeeds when what it gives has no `status` from 400 on, and does not reject.
	 * Default: one `request` by the context's fetch.
	 */
	run?: (context: ScenarioContext) => unknown;
}

/** A scenario whose expectations were not met; the message is the report. */
export class ScenarioFailed extends RetrywiseError {
	override name: string = 'ScenarioFailed';
	readonly report: Report;

	constructor(report: Report) {
		super(`\n${formatReport(report)}`, report.error === undefined ? {} : { cause: report.error });
		this.report = report;
	}
}

/**
 * Plays a scenario on real sockets and judges it.
 *
 * On the virtual clock, which is the default, waits between attempts take no time, and neither do
 * slow answers nor the attempt timeouts of `retry` and `withRetry`; the same seed gives the same
 * report. One call after the other; clients with timers of their own belong into real time.
 *
 * @throws ScenarioFailed when an expectation is not met
 * @throws ScriptError when the script cannot be understood
 */
export async function runScenario(scenario: Scenario): Promise<Report> {
	const report = await playScenario(scenario);
	if (!report.passed) {
		throw new ScenarioFailed(report);
	}
	return report;
}

/** As {@link runScenario}, but a failed expectation only stands in the report. */
export async function playScenario(scenario: Scenario): Promise<Report> {
	const { time = 'virtual', seed = 1, timeoutMs = 10_000, policy = {} } = scenario;
	const virtual = time === 'virtual' ? virtualClock() : undefined;
	const clock = virtual ?? clockOf();
	const server = await startFaultyServer({
		...scenario.server,
		script: scenario.script,
		...(virtual !== undefined && { clock: virtual }),
	});
	const start = { now: clock.now(), wall: clock.wall() };
	const overtime = new AbortController();
	const timer = setTimeout(() => {
		overtime.abort(new RetrywiseError(`the scenario took longer than ${timeoutMs} ms`));
	}, timeoutMs);
	const context: ScenarioContext = {
		...{ url: server.url, server, policy, clock, seed, signal: overtime.signal },
		fetch: withRetry((input, init) => fetch(input, init), policy, { clock, seed }),
	};
	try {
		const outcome = await Promise.race([outcomeOf(scenario, context), lateness(overtime.signal)]);
		const elapsedMs = clock.now() - start.now;
		return judge(scenario, {
			...outcome,
			elapsedMs,
			toleranceMs: scenario.toleranceMs ?? (virtual === undefined ? 1000 : 0),
			wall: start.wall,
			requests: server.requests,
			resources: server.resources,
		});
	} finally {
		clearTimeout(timer);
		await server.close();
	}
}

interface Outcome {
	readonly succeeded: boolean;
	readonly result?: unknown;
	readonly error?: unknown;
}

async function outcomeOf(scenario: Scenario, context: ScenarioContext): Promise<Outcome> {
	try {
		const result = await (scenario.run ?? sendOf(scenario))(context);
		const { status } = Object(result) as { status?: unknown };
		return { succeeded: !(typeof status === 'number' && status >= 400), result };
	} catch (error) {
		return { succeeded: false, error };
	}
}

function sendOf({
	request = {},
	server,
}: Scenario): (context: ScenarioContext) => Promise<unknown> {
	const { method = 'GET', path = '/', headers = {}, body, key } = request;
	if (server?.protocol === 'http2') {
		throw new RetrywiseError('fetch speaks no HTTP/2 without TLS: give the scenario a `run`');
	}
	return async ({ url, fetch, signal }) => {
		const response = await fetch(url + path, {
			...{ method, headers, signal },
			...(body !== undefined && { body }),
			...(key !== undefined && { retrywise: { key } }),
		});
		// The scenario's server is closed afterwards: what is not read by then is lost.
		const text = await response.text();
		return { status: response.status, headers: response.headers, body: text };
	};
}

function lateness(signal: AbortSignal): Promise<Outcome> {
	return new Promise((resolve) => {
		signal.addEventListener('abort', () => resolve({ succeeded: false, error: signal.reason }));
	});
}
