// The experiments of the world `retrywise-lab`, as jco transpiles it: the figures are those of the core.

import assert from 'node:assert/strict';
import { component } from './component.mjs';

const { policy, simulator } = component;

// Ten writers, hops without deviation: the result is exact.
const contest = { clients: 10, hopUs: 10_000n, deviationUs: 0n };
const summary = simulator.runContest(contest, 'exponential', 2, 1n);
assert.deepEqual(summary.calls, { mean: 55_000n, deviation: 0n });
assert.equal(summary.time.mean, 4_950_000n);

// The retry guide's storm: without anything against it, three retries make four times the calls.
const storm = {
	clients: 10, rate: 1_000, seconds: 60, capacity: 1_200, queue: 600,
	latency: 10n, downFrom: 10_000n, downFor: 5_000n, tells: false,
};
const naive = {
	maxRetries: 3, backoff: { curve: 'none', baseMs: 0, jitter: 'none' },
	hint: { mode: 'ignore' }, budget: null, breaker: null,
};
const run = (document) => simulator.runStorm(storm, policy.Policy.parse(JSON.stringify(document)), 1n);
assert.equal(run(naive).peak, 4_000n);
const guarded = run({});
assert.equal(guarded.withinBudget, true);
assert.ok(guarded.attempts < run(naive).attempts && guarded.window <= guarded.bound);
assert.equal(guarded.seconds.reduce((sum, second) => sum + second.asked, 0), Number(guarded.calls));
console.log('the experiments give the figures of the core');
