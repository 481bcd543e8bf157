/**
 * OpenTelemetry: a span for each attempt, and metrics of what was decided.
 *
 * ```ts
 * const telemetry = createTelemetry();
 * const upstream = createUpstream(policy, { onEvent: telemetry.onEvent });
 * telemetry.watch(upstream);
 * ```
 *
 * | metric | kind, unit | says |
 * |---|---|---|
 * | `retrywise.attempts` | counter, `{attempt}` | attempts let go, the first ones among them |
 * | `retrywise.retries` | counter, `{attempt}` | attempts after the first |
 * | `retrywise.retry.delay` | histogram, `s` | the waits chosen |
 * | `retrywise.stops` | counter, `{call}` | calls that stopped, by reason |
 * | `retrywise.refusals` | counter, `{call}` | attempts refused here, by reason |
 * | `retrywise.breaker.transitions` | counter, `{transition}` | changes of the breaker |
 * | `retrywise.breaker.state` | gauge, `1` | 1 for the state that a watched breaker is in, else 0 |
 * | `retrywise.budget.balance` | gauge, `{retry}` | what a watched budget has left |
 *
 * Attributes have the names of the semantic conventions where there are any:
 * `http.request.method`, `http.request.resend_count`, `http.response.status_code`, `error.type`,
 * `server.address`, `server.port`.
 *
 * @module
 */

import {
	type Attributes,
	type MeterProvider,
	metrics,
	type Span,
	SpanKind,
	SpanStatusCode,
	type TracerProvider,
	trace,
} from '@opentelemetry/api';
import type { AttemptEvent, RetrywiseEvent, VerdictEvent } from '../events.ts';
import type { Upstream } from '../types.ts';
import { property } from '../values.ts';

/** Where telemetry goes. */
export interface TelemetryOptions {
	/** @default the global one */
	meterProvider?: MeterProvider;
	/** @default the global one */
	tracerProvider?: TracerProvider;
	/** A client span for each attempt; switch it off where the client makes them. @default true */
	spans?: boolean;
}

/** Makes spans and metrics of events. */
export interface Telemetry {
	/** For the option `onEvent` of an upstream or an adapter. */
	readonly onEvent: (event: RetrywiseEvent) => void;
	/** Reports breaker and budget of an upstream whenever metrics are read; what it gives ends that. */
	watch(upstream: Upstream): () => void;
}

/** The name and version under which it reports. */
const SCOPE = ['retrywise', '0.1.0'] as const;

const BREAKER_STATES = ['closed', 'open', 'half-open', 'isolated'] as const;

/** Spans kept open at once: a call that is never settled must not fill the memory. */
const MOST = 10_000;

/** Sets spans and metrics up; nothing is sent anywhere unless the providers do so. */
export function createTelemetry(options: TelemetryOptions = {}): Telemetry {
	const meter = (options.meterProvider ?? metrics.getMeterProvider()).getMeter(...SCOPE);
	const tracer = (options.tracerProvider ?? trace.getTracerProvider()).getTracer(...SCOPE);
	const counter = (name: string, unit: string, description: string) =>
		meter.createCounter(name, { unit, description });
	const attempts = counter('retrywise.attempts', '{attempt}', 'Attempts let go');
	const retries = counter('retrywise.retries', '{attempt}', 'Attempts after the first');
	const stops = counter('retrywise.stops', '{call}', 'Calls that stopped');
	const refusals = counter('retrywise.refusals', '{call}', 'Attempts refused before sending');
	const changes = counter(
		'retrywise.breaker.transitions',
		'{transition}',
		'Changes of the breaker',
	);
	const delays = meter.createHistogram('retrywise.retry.delay', {
		unit: 's',
		description: 'Waits before retries',
	});
	const watched = new Set<Upstream>();
	meter
		.createObservableGauge('retrywise.breaker.state', { description: 'State of the breaker' })
		.addCallback((result) => {
			for (const upstream of watched) {
				const { breaker } = upstream.view();
				for (const state of breaker === null ? [] : BREAKER_STATES) {
					const about = { ...placeOf(upstream.name), 'retrywise.breaker.state': state };
					result.observe(state === breaker ? 1 : 0, about);
				}
			}
		});
	meter
		.createObservableGauge('retrywise.budget.balance', {
			unit: '{retry}',
			description: 'What the retry budget has left',
		})
		.addCallback((result) => {
			for (const upstream of watched) {
				const { budget } = upstream.view();
				if (budget !== null) {
					result.observe(budget, placeOf(upstream.name));
				}
			}
		});

	const open = new Map<number, Span>();
	const begin = (event: AttemptEvent): void => {
		if (options.spans === false || event.call === null) {
			return;
		}
		const span = tracer.startSpan(methodOf(event.method), {
			kind: SpanKind.CLIENT,
			attributes: {
				...about(event),
				...(event.attempt > 1 && { 'http.request.resend_count': event.attempt - 1 }),
			},
		});
		const [oldest] = open.keys();
		if (open.size >= MOST && oldest !== undefined) {
			open.get(oldest)?.end();
			open.delete(oldest);
		}
		open.set(event.call, span);
	};
	const end = (event: VerdictEvent): void => {
		const span = event.call === null ? undefined : open.get(event.call);
		if (span === undefined) {
			return;
		}
		open.delete(event.call as number);
		const { kind, reason, delayMs } = event.verdict;
		span.setAttributes({ ...endOf(event), 'retrywise.verdict': kind, 'retrywise.reason': reason });
		if (kind === 'retry') {
			span.setAttribute('retrywise.retry.delay', delayMs / 1000);
		}
		if (errorType(event) !== undefined) {
			span.setStatus({ code: SpanStatusCode.ERROR });
		}
		span.end();
	};

	return {
		onEvent(event) {
			switch (event.type) {
				case 'attempt':
					attempts.add(1, about(event));
					if (event.attempt > 1) {
						retries.add(1, about(event));
					}
					begin(event);
					break;
				case 'verdict': {
					const { kind, reason, delayMs } = event.verdict;
					const why = { ...about(event), 'retrywise.reason': reason };
					if (kind === 'retry') {
						delays.record(delayMs / 1000, why);
					} else if (kind === 'stop') {
						stops.add(1, { ...why, ...endOf(event) });
					}
					end(event);
					break;
				}
				case 'refusal':
					refusals.add(1, { ...about(event), 'retrywise.reason': event.reason });
					break;
				case 'breaker':
					changes.add(1, {
						...placeOf(event.upstream),
						'retrywise.breaker.from': event.from,
						'retrywise.breaker.to': event.to,
					});
			}
		},
		watch(upstream) {
			watched.add(upstream);
			return () => void watched.delete(upstream);
		},
	};
}

function about({ upstream, method }: RetrywiseEvent): Attributes {
	return { ...placeOf(upstream), 'http.request.method': methodOf(method) };
}

/** An upstream by its name; one that is named by its origin has an address as well. */
function placeOf(upstream: string): Attributes {
	const named: Attributes = { 'retrywise.upstream': upstream };
	const origin = /^(https?):\/\/(\[[^\]]+\]|[^:/]+)(?::(\d+))?$/.exec(upstream);
	if (origin === null) {
		return named;
	}
	const [, scheme, address = '', port] = origin;
	const implied = scheme === 'https' ? 443 : 80;
	return {
		...named,
		'server.address': address.replace(/^\[|\]$/g, ''),
		'server.port': port === undefined ? implied : Number(port),
	};
}

/** Methods that the semantic conventions know; others would make a series each. */
const METHODS = /^(?:CONNECT|DELETE|GET|HEAD|OPTIONS|PATCH|POST|PUT|TRACE)$/;

function methodOf(method: string): string {
	return METHODS.test(method) ? method : '_OTHER';
}

function endOf(event: VerdictEvent): Attributes {
	const type = errorType(event);
	const status = statusOf(event);
	return {
		...(status !== undefined && { 'http.response.status_code': status }),
		...(type !== undefined && { 'error.type': type }),
	};
}

/** The status, the code or the class of what went wrong; nothing for a success. */
function errorType(event: VerdictEvent): string | undefined {
	const status = statusOf(event);
	if (status !== undefined) {
		return status >= 400 ? String(status) : undefined;
	}
	if (event.verdict.kind === 'accept') {
		return undefined;
	}
	const words = [
		property(event.error, 'code'),
		property(event.error, 'name'),
		event.verdict.reason,
	];
	return words.find((word) => typeof word === 'string' && word !== '') as string;
}

function statusOf({ status, error }: VerdictEvent): number | undefined {
	const answered = status ?? property(property(error, 'response'), 'status');
	return typeof answered === 'number' ? answered : undefined;
}
