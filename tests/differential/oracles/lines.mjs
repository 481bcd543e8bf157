// Writes what an oracle answered as lines of our vector format.

/** One trace: a policy of ours and steps that expect the oracle's answers. */
export function trace(id, policy, steps, draws = []) {
  console.log(JSON.stringify({ id, policy, steps, ...(draws.length > 0 && { draws }) }));
}

/** A clock that only moves when it is told to, in place of `Date.now` and `setTimeout`. */
export function virtualClock() {
  const clock = { now: 0 };
  Date.now = () => clock.now;
  globalThis.setTimeout = (wake, delay = 0) => {
    clock.now += delay;
    queueMicrotask(wake);
    return 0;
  };
  return clock;
}

/** Seeded numbers in 0..1 that an f64 and 64 bits hold alike (mulberry32). */
export function numbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let z = Math.imul(state ^ (state >>> 15), state | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return ((z ^ (z >>> 14)) >>> 0) / 2 ** 32;
  };
}
