// opossum: the breaker by rate over a window of time, one call at a time, on timers that stand still.

import { mock } from 'node:test';

import CircuitBreaker from 'opossum';

import { numbers, trace } from './lines.mjs';

const WINDOW = 10_000;
const OPEN = 3_000;

const stateOf = (circuit) => (circuit.opened ? 'open' : circuit.halfOpen ? 'half-open' : 'closed');

/** Whether a failure would open it. */
function isBad({ stats, options }) {
  const { fires, failures } = stats;
  return fires >= options.volumeThreshold && failures * 100 > options.errorThresholdPercentage * fires;
}

/** Calls that fail at random or as `script` says, up to the first closing or the end. */
async function walk(id, { percentage, volume, seed = 1, script, waits = [], calls = script.length, share, past = false }) {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: 0 });
  const random = numbers(seed);
  let fails = false;
  const attempt = async () => {
    if (fails) throw new Error('failed');
  };
  const circuit = new CircuitBreaker(attempt, {
    timeout: false,
    errorThresholdPercentage: percentage,
    volumeThreshold: volume,
    resetTimeout: OPEN,
    rollingCountTimeout: WINDOW,
    rollingCountBuckets: 10,
    rollingPercentilesEnabled: false,
    enableSnapshots: false,
  });
  const steps = [];
  let suffix = '';
  let at = 0;
  for (let n = 0; n < calls && suffix === ''; n += 1) {
    const wait = script ? (waits[n] ?? 100) : Math.floor(random() * 400);
    fails = script ? script[n] === 'F' : random() < share;
    mock.timers.tick(wait);
    at += wait;
    const before = stateOf(circuit);
    let admitted = true;
    await circuit.fire().catch((error) => {
      admitted = error.code !== 'EOPENBREAKER';
    });
    steps.push({ at, op: 'admit', permit: `p${n}`, expect: { admitted } });
    if (!admitted) continue;
    const after = stateOf(circuit);
    const transition = before === after ? null : `${before}->${after}`;
    const sample = fails ? 'failure' : 'success';
    if (!fails && before === 'closed' && isBad(circuit)) suffix = '-bad-at-a-success';
    steps.push({ at, op: 'record', permit: `p${n}`, sample, expect: { transition, stale: false } });
    if (before === 'half-open' && after === 'closed' && !past) break;
  }
  circuit.shutdown();
  mock.timers.reset();
  const breaker = {
    kind: 'rate', window: 'time', windowMs: WINDOW, threshold: Number((percentage / 100).toFixed(4)), minimumCalls: Math.max(volume, 1),
    openMs: OPEN, maxOpenMs: OPEN, probes: 1, successes: 1,
  };
  trace(id + suffix, { breaker }, steps);
}

// No number of failures in these windows is exactly the threshold.
for (const [percentage, volume] of [[45, 10], [73, 5], [13.7, 40]]) {
  for (let seed = 1; seed <= 20; seed += 1) {
    const share = (percentage / 100) * (0.7 + seed / 40);
    await walk(`opossum-${percentage}-${volume}-${seed}`, { percentage, volume, seed, calls: 250, share });
  }
}
const half = { percentage: 50, volume: 4 };
await walk('opossum-at-the-threshold', { ...half, script: 'SSFF' });
await walk('opossum-deadline', { ...half, script: 'FFFFSS', waits: [0, 0, 0, 0, OPEN - 1, 1] });
await walk('opossum-failed-probe', { ...half, script: 'FFFFFSS', waits: [0, 0, 0, 0, OPEN, OPEN - 1, 1] });
await walk('opossum-old-failures', { ...half, percentage: 45, script: 'FFFSSFF', waits: [0, 0, 0, WINDOW, 10, 10, 10] });
await walk('opossum-after-closing', { ...half, script: 'FFFFSF', waits: [0, 0, 0, 0, OPEN, 10], past: true });
