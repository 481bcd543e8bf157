import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	AggregationTemporality,
	InMemoryMetricExporter,
	MeterProvider,
	PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
	BasicTracerProvider,
	InMemorySpanExporter,
	SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { createUpstream } from 'retrywise';
import { createTelemetry } from 'retrywise/otel';
import { virtualClock } from './support/clock.mjs';

/** Telemetry into memory, and what is there. */
function setUp(t, options = {}) {
	const spans = new InMemorySpanExporter();
	const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
	const reader = new PeriodicExportingMetricReader({ exporter: metrics });
	const meterProvider = new MeterProvider({ readers: [reader] });
	const tracerProvider = new BasicTracerProvider({
		spanProcessors: [new SimpleSpanProcessor(spans)],
	});
	t.after(() => Promise.all([meterProvider.shutdown(), tracerProvider.shutdown()]));
	const telemetry = createTelemetry({ meterProvider, tracerProvider, ...options });
	return {
		telemetry,
		spans: () => spans.getFinishedSpans(),
		async points(name) {
			metrics.reset();
			await meterProvider.forceFlush();
			const read = metrics.getMetrics().at(-1)?.scopeMetrics ?? [];
			const all = read.flatMap((scope) => scope.metrics);
			return all.find(({ descriptor }) => descriptor.name === name)?.dataPoints ?? [];
		},
	};
}

const POLICY = {
	maxRetries: 1,
	backoff: { jitter: 'none' },
	breaker: { kind: 'consecutive', failures: 2 },
};

/** One call that fails twice, on a clock of its own. */
function failTwice(telemetry) {
	const clock = virtualClock();
	const name = 'https://api.example:8443';
	const upstream = createUpstream(POLICY, { clock, name, onEvent: telemetry.onEvent });
	const { call } = upstream.begin({ method: 'GET' });
	call.settle({ status: 503 });
	clock.advance(500);
	call.resume();
	call.settle({ error: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }) });
	upstream.begin({ method: 'BREW' });
	return upstream;
}

test('each attempt is a span, with the number of its resending', (t) => {
	const { telemetry, spans } = setUp(t);
	failTwice(telemetry);
	const [first, second, ...rest] = spans().map(({ name, attributes }) => ({ name, ...attributes }));
	assert.deepEqual(rest, []);
	assert.deepEqual(first, {
		name: 'GET',
		'retrywise.upstream': 'https://api.example:8443',
		'server.address': 'api.example',
		'server.port': 8443,
		'http.request.method': 'GET',
		'http.response.status_code': 503,
		'error.type': '503',
		'retrywise.verdict': 'retry',
		'retrywise.reason': 'backoff',
		'retrywise.retry.delay': 0.5,
	});
	assert.equal(second['http.request.resend_count'], 1);
	assert.equal(second['error.type'], 'ECONNRESET');
	assert.equal(second['retrywise.reason'], 'retries-exhausted');
});

test('attempts, retries, waits, stops, refusals and changes are counted', async (t) => {
	const { telemetry, points } = setUp(t);
	failTwice(telemetry);
	const [only] = await points('retrywise.attempts');
	assert.equal(only.value, 2);
	assert.equal(only.attributes['http.request.method'], 'GET');
	const value = async (name) => (await points(name)).map(({ value }) => value);
	assert.deepEqual(await value('retrywise.retries'), [1]);
	const [wait] = await value('retrywise.retry.delay');
	assert.deepEqual([wait.count, wait.sum], [1, 0.5]);
	const [stop] = await points('retrywise.stops');
	assert.deepEqual([stop.value, stop.attributes['retrywise.reason']], [1, 'retries-exhausted']);
	const [refusal] = await points('retrywise.refusals');
	assert.deepEqual([refusal.value, refusal.attributes['retrywise.reason']], [1, 'breaker-open']);
	assert.equal(refusal.attributes['http.request.method'], '_OTHER');
	const [change] = await points('retrywise.breaker.transitions');
	assert.deepEqual(
		[change.attributes['retrywise.breaker.from'], change.attributes['retrywise.breaker.to']],
		['closed', 'open'],
	);
});

test('breaker and budget of a watched upstream are read with the metrics', async (t) => {
	const { telemetry, points } = setUp(t, { spans: false });
	const stop = telemetry.watch(failTwice(telemetry));
	const states = Object.fromEntries(
		(await points('retrywise.breaker.state')).map(({ attributes, value }) => [
			attributes['retrywise.breaker.state'],
			value,
		]),
	);
	assert.deepEqual(states, { closed: 0, open: 1, 'half-open': 0, isolated: 0 });
	const [balance] = await points('retrywise.budget.balance');
	assert.ok(balance.value > 0);
	stop();
});

test('an upstream that is watched no more is not read', async (t) => {
	const { telemetry, points } = setUp(t);
	telemetry.watch(failTwice(telemetry))();
	assert.deepEqual(await points('retrywise.budget.balance'), []);
});

test('spans can be left to the client', (t) => {
	const { telemetry, spans } = setUp(t, { spans: false });
	failTwice(telemetry);
	assert.deepEqual(spans(), []);
});
