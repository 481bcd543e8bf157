"""Saved in one process, loaded in another whose clock starts anew."""

from lines import FIXED, admit, begin, delay, record, retry, settle, state, status, step, trace
from model import splitmix

OPENS = {"kind": "consecutive", "failures": 2, "openMs": 1000, "maxOpenMs": 8000, "probes": 1, "successes": 1, "probeTimeoutMs": 500}


def save(at, wall=None):
    return step(at, "save", **{"as": "s"}, **({"wall": wall} if wall else {}))


def load(at, wall=None):
    return step(at, "load", **{"from": "s"}, **({"wall": wall} if wall else {}))


def row(name, about, policy, *steps, **rest):
    return trace(f"state-{name}", about, "snapshots: remaining durations, never points on a clock", policy, list(steps), **rest)


def all_traces():
    opened = [admit(500_000, "a"), record(500_000, "a", "failure"), admit(500_000, "b"), record(500_000, "b", "failure", "closed->open")]
    yield row("breaker-open", "the rest of the open time", {"breaker": OPENS}, *opened, save(500_400), load(7), state(7, "open", retryInMs=600),
              admit(606, "c", False, retryInMs=1), admit(607, "d", probe=True), record(608, "d", "failure", "half-open->open"), state(608, "open", retryInMs=2000))
    yield row("breaker-time-between", "the time between passes where both know the wall clock", {"breaker": OPENS}, *opened,
              save(500_400, "2026-01-15T12:00:00Z"), load(0, "2026-01-15T12:00:00.500Z"), state(0, "open", retryInMs=100))
    yield row("breaker-long-between", "long enough: it may be tried", {"breaker": OPENS}, *opened, save(500_400, "2026-01-15T12:00:00Z"), load(0, "2026-01-15T12:00:01Z"), admit(0, "c", probe=True))
    yield row("breaker-wall-back", "a wall clock that stepped back adds no time", {"breaker": OPENS}, *opened, save(500_400, "2026-01-15T12:00:00Z"), load(0, "2026-01-15T11:00:00Z"), state(0, "open", retryInMs=600))
    yield row("breaker-half-open", "leases do not survive: the next call is the probe", {"breaker": OPENS}, *opened, admit(501_000, "c", probe=True), save(501_100), load(0), admit(0, "d", probe=True))
    yield row("breaker-isolated", "what a person did stays", {"breaker": OPENS}, step(0, "isolate"), save(1), load(0), state(0, "isolated", retryInMs=None))
    yield row("breaker-row", "failures in a row go on", {"breaker": OPENS}, admit(9, "a"), record(9, "a", "failure"), save(9), load(0), admit(0, "b"), record(0, "b", "failure", "closed->open"))
    quota = {"budget": {"kind": "tokens", "capacity": 500, "transientCost": 14, "throttledCost": 5, "credit": 1}}
    yield row("tokens", "what is in the bucket", quota, step(0, "retry", {"allowed": 3}, times=3), save(0), load(0), step(0, "balance", {"balance": 458}))
    yield row("throttle", "thousandths", {"budget": {"kind": "throttle", "maxTokens": 10, "tokenRatio": 0.1}}, step(0, "finish", result="failure", times=4), step(0, "finish", result="success"),
              save(0), load(0), step(0, "balance", {"balance": 6.1}))
    ratio = {"budget": {"kind": "ratio", "ratio": 1, "minPerSecond": 0, "windowMs": 1000}}
    yield row("ratio", "what was deposited", ratio, step(0, "start", times=5), step(0, "retry", {"allowed": True}), save(0), load(0), step(0, "balance", {"balance": 4}))
    source = splitmix(9)
    waits = [(next(source) * (min(500 << n, 30_000) + 1)) >> 64 for n in range(4)]
    yield row("generator", "the draws go on", {}, delay(1, waits[0]), delay(2, waits[1]), save(0), load(0), delay(3, waits[2]), delay(4, waits[3]), seed=9)
    yield row("limiter", "a refusal's rest", {"limiter": {}}, step(1000, "observe", status=429, headers=[["retry-after", "5"]]), save(2000), load(0), step(0, "acquire", {"waitMs": 4000}),
              step(4000, "acquire", {"waitMs": 0}))
    yield row("twice", "a snapshot can be loaded again", quota, step(0, "retry", {"allowed": True}), save(0), load(0), step(0, "retry", {"allowed": True}), load(0), step(0, "balance", {"balance": 486}))
    yield row("nothing", "a new upstream", {"backoff": FIXED}, save(0), load(0), begin(0, "a"), retry(0, "a", status(503), 2, 500), settle(1, "a", status(503), stale=True))
