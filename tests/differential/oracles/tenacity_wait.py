"""tenacity: exponential, incrementing, fixed and random waits."""

import random
from types import SimpleNamespace

import tenacity

from lines import delay, drawn, ms, none, trace

ATTEMPTS = [*range(1, 13), 20, 63, 64, 65, 1000, 1024, 1025, 5000]


def at(wait, attempt):
    return wait(SimpleNamespace(attempt_number=attempt))


for multiplier, cap, base in [(1, 60, 2), (0.5, 10, 2), (1, 60, 3), (0.2, 100, 1.5), (0, 60, 2)]:
    wait = tenacity.wait_exponential(multiplier=multiplier, max=cap, exp_base=base)
    for attempt in ATTEMPTS:
        # Each of our steps drops what is below a billionth of a millisecond, and the fraction at the end.
        exact = at(wait, attempt) * 1000
        expected = {"min": int(exact - 1e-3), "max": round(exact)}
        trace(
            f"tenacity-exponential-{multiplier}-{cap}-{base}-{attempt}",
            none(multiplier, cap, factor=base),
            [delay(attempt, expected)],
        )

for start, cap in [(1, 30), (0.25, 5)]:
    wait = tenacity.wait_incrementing(start=start, increment=start, max=cap)
    for attempt in ATTEMPTS:
        name = f"tenacity-incrementing-{start}-{cap}-{attempt}"
        trace(name, none(start, cap, curve="linear"), [delay(attempt, ms(at(wait, attempt)))])

for attempt in ATTEMPTS:
    wait = at(tenacity.wait_fixed(3), attempt)
    name = f"tenacity-fixed-{attempt}"
    trace(name, none(3, 30, curve="constant"), [delay(attempt, ms(wait))])

for u in [0, 0.25, 0.5, 0.9375]:
    random.uniform = lambda low, high, u=u: low + (high - low) * u
    wait = tenacity.wait_random_exponential(multiplier=1, max=60)
    for attempt in ATTEMPTS:
        policy = {"backoff": {"jitter": "full", "baseMs": 1000, "capMs": 60_000}}
        name = f"tenacity-full-jitter-{u}-{attempt}"
        trace(name, policy, [delay(attempt, drawn(at(wait, attempt)))], [u])
