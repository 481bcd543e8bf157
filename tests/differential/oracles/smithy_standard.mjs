// @smithy/core, retry mode standard: the scenarios of aws.json at the largest draw.

import { readFileSync } from 'node:fs';

import { StandardRetryStrategy } from '@smithy/core/retry';

import { trace, virtualClock } from './lines.mjs';

const scenarios = JSON.parse(readFileSync(new URL('../aws.json', import.meta.url), 'utf8'));
const clock = virtualClock();
Math.random = () => 1;

/** The cap is a constant of this library, and a header that is no number never reaches it. */
const fits = ({ cap, calls }) => cap === undefined && !/\+(abc|-)/.test(calls.flat().join(' '));

for (const scenario of scenarios.filter(fits)) await play(scenario);

async function play({ id, max, quota = 500, service, calls }) {
  clock.now = 0;
  const strategy = new StandardRetryStrategy({
    maxAttempts: max,
    ...(service === 'dynamodb' && { baseDelay: 25 }),
  });
  strategy.capacity = quota;
  const steps = [];
  for (const [number, responses] of calls.entries()) {
    const call = `c${number}`;
    steps.push({ at: clock.now, op: 'begin', call, request: { method: 'GET' } });
    let token = await strategy.acquireInitialRetryToken('scope');
    for (const [index, response] of responses.entries()) {
      const at = clock.now;
      let expect = { verdict: 'accept' };
      let next = token;
      if (response === 'ok') {
        strategy.recordSuccess(token);
      } else {
        const before = strategy.getCapacity();
        next = await refresh(strategy, token, response);
        const delayMs = next?.$retryLog.acquisitionDelay;
        const reason = index + 1 >= max ? 'retries-exhausted' : 'budget-exhausted';
        if (next === null && before !== strategy.getCapacity()) throw new Error('a refusal was charged');
        expect = next === null ? { verdict: 'stop', reason } : { verdict: 'retry', attempt: index + 2, delayMs };
      }
      steps.push({ at, op: 'settle', call, outcome: outcome(response), expect });
      steps.push({ at, op: 'balance', expect: { balance: strategy.getCapacity() } });
      if (expect.verdict === 'retry') {
        steps.push({ at: clock.now, op: 'resume', call, expect: { admitted: true } });
      }
      token = next;
    }
  }
  const budget = { kind: 'tokens', capacity: quota, transientCost: 14, throttledCost: 5, credit: 1 };
  const policy = { profile: service ?? 'aws', maxRetries: max - 1, breaker: null, budget };
  trace(`smithy-${id}`, policy, steps, Array(40).fill('max'));
}

/** The token of the next attempt, or null when there is none. */
async function refresh(strategy, token, response) {
  const [kind, hint] = response.split('+');
  const errorInfo = { errorType: kind === 'Th' ? 'THROTTLING' : 'TRANSIENT' };
  if (hint !== undefined) errorInfo.retryAfterHint = new Date(clock.now + Number(hint));
  try {
    return await strategy.refreshRetryTokenForRetry(token, errorInfo);
  } catch (error) {
    if (error.message !== 'No retry token available') throw error;
    return null;
  }
}

function outcome(response) {
  const [kind, hint] = response.split('+');
  const headers = hint === undefined ? [] : [['x-amz-retry-after', hint]];
  if (kind === 'Th') return { status: 400, headers, body: { code: 'Throttling' } };
  return { status: kind === 'ok' ? 200 : 500, headers };
}
