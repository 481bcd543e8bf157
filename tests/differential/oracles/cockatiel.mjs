// cockatiel: the waits of its four generators; breakers, consecutive, by count and by time, one call
// at a time.

import {
  BrokenCircuitError,
  CircuitState,
  ConsecutiveBreaker,
  CountBreaker,
  ExponentialBackoff,
  SamplingBreaker,
  circuitBreaker,
  fullJitterGenerator,
  halfJitterGenerator,
  handleAll,
  noJitterGenerator,
} from 'cockatiel';

import { numbers, trace, virtualClock } from './lines.mjs';

const clock = virtualClock();
const STATES = { [CircuitState.Closed]: 'closed', [CircuitState.Open]: 'open', [CircuitState.HalfOpen]: 'half-open' };

function jitter() {
  const random = numbers(7);
  for (const [initialDelay, maxDelay] of [[128, 30_000], [1000, 60_000], [2000, 2000], [50, 600_000]]) {
    for (let walk = 0; walk < 25; walk += 1) {
      const draws = Array.from({ length: 20 }, (_, index) => (walk === 0 ? 0 : random()) || index / 64);
      let at = 0;
      Math.random = () => draws[at++];
      let backoff = new ExponentialBackoff({ initialDelay, maxDelay });
      const steps = draws.map((_, index) => {
        backoff = backoff.next();
        // Two libraries of mathematics may differ in the last bit; ours drops the fraction.
        const [min, max] = [backoff.duration - 1e-6, backoff.duration + 1e-6].map((ms) => Math.max(0, Math.floor(ms)));
        return { at: 0, op: 'delay', call: 'a', retry: index + 1, expect: { delayMs: { min, max } } };
      });
      const backoffOptions = { jitter: 'polly-v2', baseMs: initialDelay, capMs: maxDelay };
      trace(`cockatiel-v2-${initialDelay}-${maxDelay}-${walk}`, { backoff: backoffOptions }, steps, draws);
    }
  }
}

/** A whole number drawn below a bound, where ours draws up to it: one millisecond of difference. */
function generators() {
  const kinds = { none: noJitterGenerator, full: fullJitterGenerator, equal: halfJitterGenerator };
  for (const [jitter, generator] of Object.entries(kinds)) {
    const slack = jitter === 'none' ? 0 : 1;
    for (const [initialDelay, maxDelay] of [[128, 30_000], [1000, 64_000], [2, 3_600_000]]) {
      for (const draw of [0, 0.25, 0.5, 0.9375]) {
        Math.random = () => draw;
        let backoff = new ExponentialBackoff({ generator, initialDelay, maxDelay });
        const steps = Array.from({ length: 24 }, (_, index) => {
          backoff = backoff.next();
          const delayMs = { min: backoff.duration - (jitter === 'equal' ? 1 : 0), max: backoff.duration + slack };
          return { at: 0, op: 'delay', call: 'a', retry: index + 1, expect: { delayMs } };
        });
        const backoffOptions = { jitter, baseMs: initialDelay, capMs: maxDelay };
        const id = `cockatiel-${jitter}-${initialDelay}-${maxDelay}-${draw}`;
        trace(id, { backoff: backoffOptions }, steps, Array(24).fill(draw));
      }
    }
  }
}

/** Calls one after the other, failing at random or as `script` says, until it has opened `until` times. */
async function walk(id, breaker, ours, { seed = 1, script, waits = [], calls = script.length, share, stride = 400, until = Infinity }) {
  const random = numbers(seed);
  clock.now = 0;
  const openMs = 1000;
  const policy = circuitBreaker(handleAll, { halfOpenAfter: openMs, breaker });
  const steps = [];
  let suffix = '';
  for (let n = 0, openings = 0; n < calls && openings < until; n += 1) {
    clock.now += script ? (waits[n] ?? openMs) : Math.floor(random() * stride);
    const fails = script ? script[n] === 'F' : random() < share;
    let probe = STATES[policy.state];
    let admitted = true;
    const attempt = async () => {
      probe = STATES[policy.state];
      if (fails) throw new Error('failed');
    };
    await policy.execute(attempt).catch((error) => {
      admitted = !(error instanceof BrokenCircuitError);
    });
    const at = clock.now;
    steps.push({ at, op: 'admit', permit: `p${n}`, expect: { admitted } });
    if (!admitted) continue;
    const before = probe === 'open' ? 'half-open' : probe;
    const to = STATES[policy.state];
    const transition = before === to ? null : `${before}->${to}`;
    openings += to === 'open' ? 1 : 0;
    const sample = fails ? 'failure' : 'success';
    if (!fails && isBad(breaker)) suffix = '-bad-at-a-success';
    steps.push({ at, op: 'record', permit: `p${n}`, sample, expect: { transition, stale: false } });
  }
  const probes = { openMs, maxOpenMs: openMs, probes: 1, successes: 1 };
  trace(id + suffix, { breaker: { ...ours, ...probes } }, steps);
}

/** Whether a breaker by count or by time stands where a failure would open it. */
function isBad(breaker) {
  const { threshold, minimumNumberOfCalls = breaker.duration * breaker.minimumRpms } = breaker;
  const failures = breaker.failures ?? breaker.currentFailures;
  const total = failures + (breaker.successes ?? breaker.currentSuccesses);
  return total >= minimumNumberOfCalls && failures > threshold * total;
}

async function breakers() {
  for (const failures of [1, 2, 5]) {
    for (let seed = 1; seed <= 15; seed += 1) {
      const ours = { kind: 'consecutive', failures };
      const id = `cockatiel-consecutive-${failures}-${seed}`;
      await walk(id, new ConsecutiveBreaker(failures), ours, { seed, calls: 120, share: 0.3 + seed / 30 });
    }
  }
  const count = (threshold, size, minimum) => [
    new CountBreaker({ threshold, size, minimumNumberOfCalls: minimum }),
    { kind: 'rate', window: 'count', windowCalls: size, threshold, minimumCalls: minimum },
  ];
  // No number of failures in these windows is exactly the threshold.
  for (const [threshold, size, minimum] of [[0.45, 10, 10], [0.45, 7, 3], [0.73, 19, 5], [0.13, 50, 20]]) {
    for (let seed = 1; seed <= 15; seed += 1) {
      const id = `cockatiel-count-${threshold}-${size}-${minimum}-${seed}`;
      const share = threshold * (0.7 + seed / 40);
      await walk(id, ...count(threshold, size, minimum), { seed, calls: 200, share, until: 1 });
    }
  }
  const half = count(0.5, 4, 4);
  await walk('cockatiel-count-at-the-threshold', ...half, { script: 'SSFF' });
  const again = count(0.45, 7, 3);
  await walk('cockatiel-count-after-closing', ...again, { script: 'FFFSFF' });

  const sampling = (threshold, duration, minimum) => [
    new SamplingBreaker({ threshold, duration, minimumRps: (minimum * 1000) / duration }),
    { kind: 'rate', window: 'time', windowMs: duration, threshold, minimumCalls: minimum },
  ];
  // Shorter than the window, so that nothing grows too old.
  for (const [threshold, minimum] of [[0.45, 10], [0.73, 5], [0.13, 40]]) {
    for (let seed = 1; seed <= 15; seed += 1) {
      const id = `cockatiel-sampling-${threshold}-${minimum}-${seed}`;
      const share = threshold * (0.7 + seed / 40);
      const calls = { seed, calls: 120, share, stride: 80, until: 1 };
      await walk(id, ...sampling(threshold, 10_000, minimum), calls);
    }
  }
  const idle = { script: 'FFFFFF', waits: [0, 10, 10, 10, 300_000, 10] };
  await walk('cockatiel-sampling-after-idling', ...sampling(0.45, 10_000, 5), idle);
}

jitter();
generators();
await breakers();
