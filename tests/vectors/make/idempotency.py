"""Reports about keys and leases, as steps of the ledger."""

from lines import step, trace

HONOURED = {"idempotency": {"honoured": True, "windowMs": 3_600_000}}


def claim(at, owner, result, lease=1000, **expect):
    return step(at, "claim", {"result": result, **expect}, key="k", fingerprint="f", leaseMs=lease, owner=owner)


def complete(at, attempt, result):
    return step(at, "complete", {"result": result}, key="k", attempt=attempt, status=201)


def row(name, about, source, policy, *steps):
    return trace(f"idempotency-{name}", about, source, policy, list(steps))


def all_traces():
    crash = "aws-powertools/powertools-lambda#53"
    yield row("crash", "a crash holds the key for the lease, not for the window", crash, HONOURED, claim(0, "w1", "start", attempt=1),
              claim(999, "w2", "in-progress", retryInMs=1), claim(1000, "w2", "start", attempt=2), complete(1001, 2, "ok"), claim(9_000_000, "w3", "replay"))
    yield row("crash-without-a-promise", "where the server promises nothing a person decides", crash, {}, claim(0, "w1", "start", attempt=1), claim(1000, "w2", "unknown"),
              step(1001, "get", {"state": "review", "cause": "ambiguous"}, key="k"), claim(1002, "w2", "review"))
    yield row("no-lease", "a lease of zero is over at once, not unset", "aws-powertools/powertools-lambda-python#4759", HONOURED, claim(0, "w1", "start", lease=0, attempt=1), claim(0, "w2", "start", lease=0, attempt=2))
    yield row("lease-too-short", "the effect took longer than the lease: the second run counts, the first is fenced off", "aws-powertools/powertools-lambda-python#8049", HONOURED,
              claim(0, "w1", "start", lease=30_000, attempt=1), claim(31_000, "w2", "start", lease=30_000, attempt=2), complete(40_000, 1, "fenced"), complete(41_000, 2, "ok"), claim(42_000, "w1", "replay"))
    yield row("other-body", "another body under the same key is refused", "IETF draft Idempotency-Key: same key, different payload", HONOURED, claim(0, "w1", "start"),
              step(1, "claim", {"result": "conflict"}, key="k", fingerprint="g", leaseMs=1000, owner="w1"))
