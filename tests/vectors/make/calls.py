"""What whole calls do to budget, breaker and ledger, at the edges; worked out from the documents
alone, without `model.py`.
"""

from lines import FIXED, accept, admit, begin, error, record, resume, retry, state, status, step, stop, trace

CALM = {"backoff": FIXED, "breaker": None, "budget": None}
FAILS, LIMITED, GONE = status(500), status(429), status(404)
ABORT = error("axios", "ERR_CANCELED")


def row(name, about, policy, steps, source="budgets and breakers through calls", **rest):
    return trace(f"calls-{name}", about, source, {**CALM, **policy}, steps, **rest)


def budgets():
    def shares(name, budget, calls, allowed):
        """So many calls begin, all fail, so many may retry."""
        ends = [retry(1, f"c{n}", FAILS, 2, 500) if n < allowed else stop(1, f"c{n}", FAILS, "budget-exhausted") for n in range(calls)]
        return row(name, f"{allowed} of {calls} may retry", {"budget": budget}, [*(begin(0, f"c{n}") for n in range(calls)), *ends])

    ratio, none = {"kind": "ratio"}, {"minPerSecond": 0}
    yield shares("standard", ratio, 12, 11)
    yield shares("standard-more", ratio, 24, 12)
    yield shares("half", {**ratio, **none, "ratio": 0.5}, 9, 4)
    yield shares("three-tenths", {**ratio, **none, "ratio": 0.3}, 10, 3)
    yield shares("reserve", {**ratio, "ratio": 0, "minPerSecond": 1, "windowMs": 1000}, 3, 1)
    yield shares("throttle", {"kind": "throttle"}, 6, 4)
    yield shares("tokens", {"kind": "tokens", "capacity": 28}, 3, 2)
    for calls, allowed in ((10, 3), (20, 4)):
        yield shares(f"concurrency-{calls}", {"kind": "concurrency"}, calls, allowed)
    for calls, allowed in ((4, 0), (5, 1)):
        yield shares(f"concurrency-no-least-{calls}", {"kind": "concurrency", "minConcurrency": 0}, calls, allowed)

    tokens = {"budget": {"kind": "tokens", "capacity": 14}}
    first, again = [begin(0, "a"), retry(0, "a", FAILS, 2, 500)], [begin(900, "b"), retry(900, "b", FAILS, 2, 500)]
    refused = [begin(900, "b"), stop(900, "b", FAILS, "budget-exhausted")]
    for name, steps in [("cancel", [step(1, "cancel", call="a")]), ("end", [step(1, "end", call="a")])]:
        yield row(f"{name}-waiting", "what was not sent is given back", tokens, [*first, *steps, *again])
    sent = [*first, resume(500, "a")]
    for name, steps in [("cancel", [step(501, "cancel", call="a")]), ("cancelled", [stop(501, "a", ABORT, "cancelled")]), ("permanent", [stop(501, "a", GONE, "permanent")])]:
        yield row(f"{name}-sent", "what was sent is spent", tokens, [*sent, *steps, *refused])
    yield row("last-cost", "a success gives back the last cost alone", {"budget": {"kind": "tokens", "capacity": 30}},
              [*sent, retry(501, "a", LIMITED, 3, 500), resume(1001, "a"), accept(1002, "a"), begin(1003, "b"), retry(1003, "b", FAILS, 2, 500), begin(1004, "c"), stop(1004, "c", LIMITED, "budget-exhausted")])

    throttle = {"budget": {"kind": "throttle", "maxTokens": 4, "tokenRatio": 1}}
    counted = [("veto", {"method": "GET"}, status(503, ("x-should-retry", "false")), "server-refused"), ("unsafe", {"method": "POST"}, FAILS, "unsafe-to-repeat"),
               ("body", {"method": "GET", "replayableBody": False}, FAILS, "body-consumed"), ("nested", {"method": "GET", "headers": [["X-Retry-Layer", "1"]]}, LIMITED, "nested-layer")]
    for name, request, outcome, reason in counted:
        yield row(f"throttle-{name}", "a failure counts, retried or not", throttle, [begin(0, "a", request), stop(0, "a", outcome, reason), begin(1, "b"), stop(1, "b", FAILS, "budget-exhausted")])
    for name, outcome, reason in [("permanent", GONE, "permanent"), ("cancelled", ABORT, "cancelled"), ("replayed", status(500, ("idempotent-replayed", "true")), "permanent")]:
        yield row(f"throttle-{name}", "this is no failure to count", throttle, [begin(0, "a"), stop(0, "a", outcome, reason), begin(1, "b"), retry(1, "b", FAILS, 2, 500)])
    stale = {**retry(2, "a", FAILS, 2, 500), "expect": {"verdict": "retry", "stale": True}}
    yield row("throttle-stale", "the same attempt told twice counts once", throttle, [begin(0, "a"), retry(1, "a", FAILS, 2, 500), stale, begin(3, "b"), accept(3, "b"), begin(4, "c"), retry(4, "c", FAILS, 2, 500)])

    polled = [step(101 * n, "balance", {"balance": 1 if n < 10 else 0}) for n in range(1, 11)]
    second = {"budget": {**ratio, **none, "ratio": 1, "windowMs": 1000}}
    yield row("polled", "a deposit lives as long, whoever looks how often", second, [step(0, "start"), *polled], "slots on a grid")
    spent = {"budget": {**ratio, "ratio": 0, "minPerSecond": 1, "windowMs": 1000}}
    yield row("reserve-returns", "a spent reserve comes back with its slot", spent, [step(at, "retry", {"allowed": allowed}) for at, allowed in ((150, True), (1099, False), (1100, True))], "Finagle")
    half = {"budget": {**ratio, **none, "ratio": 0.5}, "breaker": {"kind": "consecutive", "failures": 2, "openMs": 1000, "maxOpenMs": 1000, "probes": 1, "successes": 1}, "backoff": {**FIXED, "baseMs": 2000}}
    opened = [begin(0, "a"), begin(0, "b"), retry(1, "a", FAILS, 2, 2000), stop(2, "b", FAILS, "budget-exhausted")]
    yield row("refused-begins", "a refused call deposits nothing", half, [*opened, *(begin(3, f"x{n}", admitted=False) for n in range(5)), begin(1002, "p"), stop(1003, "p", FAILS, "budget-exhausted")])


def breakers():
    def policy(**given):
        return {"breaker": {"kind": "consecutive", "failures": 1, "openMs": 1000, "maxOpenMs": 8000, "probes": 1, "successes": 1, "probeTimeoutMs": 500, **given}}

    hinted = status(503, ("retry-after", "10"))
    for name, longest, until in [("lengthens", 60_000, 10_000), ("bounded", 4000, 4000)]:
        steps = [begin(0, "a"), retry(0, "a", hinted, 2, 10_000), begin(until - 1, "b", admitted=False, retryInMs=1), begin(until, "c")]
        yield row(f"hint-{name}", "the server's wait lengthens the open time, up to its longest", policy(maxOpenMs=longest), steps)
    yield row("hint-shorter", "it never shortens it", policy(openMs=5000), [begin(0, "a"), stop(0, "a", status(503, ("retry-after", "1")), "breaker-open"), begin(4999, "b", admitted=False, retryInMs=1), begin(5000, "c")])
    for name, wait, end in [("one-below", 501, stop(0, "a", FAILS, "breaker-open")), ("at", 500, retry(0, "a", FAILS, 2, 500))]:
        yield row(f"still-open-{name}", "the end of the open time is free", policy(openMs=wait), [begin(0, "a"), end])
    probe = [begin(0, "a"), stop(0, "a", FAILS, "breaker-open"), begin(1000, "p")]
    for name, end, opens in [("answered", stop(1001, "p", GONE, "permanent"), True), ("limited", retry(1001, "p", LIMITED, 2, 500), False), ("cancelled", step(1001, "cancel", call="p"), False), ("ended", step(1001, "end", call="p"), False)]:
        yield row(f"probe-{name}", "what closes a breaker, and what only frees the probe", policy(), [*probe, end, begin(1002, "c"), begin(1002, "d", admitted=opens)])
    yield row("probe-hangs", "a lease that ends unanswered failed then: open for twice the time", policy(), [*probe, begin(1499, "c", admitted=False, retryInMs=1), begin(1500, "d", admitted=False, retryInMs=2000), begin(3499, "e", admitted=False), begin(3500, "f"), accept(3501, "p"), begin(3502, "g", admitted=False), accept(3503, "f"), begin(3504, "h")])
    two = policy(failures=2)
    for name, middle, last in [("answer", stop(0, "b", GONE, "permanent"), retry(0, "c", FAILS, 2, 500)), ("limit", retry(0, "b", LIMITED, 2, 500), stop(0, "c", FAILS, "breaker-open"))]:
        yield row(f"row-{name}", "an answer breaks a row of failures, a rate limit does not", two, [begin(0, "a"), retry(0, "a", FAILS, 2, 500), begin(0, "b"), middle, begin(0, "c"), last])
    opens = [admit(0, "a"), record(0, "a", "failure", "closed->open")]
    steps, at = list(opens), 0
    for turn, wait in enumerate((1000, 2000, 4000, 6000, 6000)):
        steps += [admit(at + wait - 1, f"n{turn}", False, retryInMs=1), admit(at + wait, f"p{turn}", probe=True), record(at + wait + 10, f"p{turn}", "failure", "half-open->open")]
        at += wait + 10
    closed = [admit(at + 6000, "z", probe=True), record(at + 6000, "z", "success", "half-open->closed"), admit(at + 6001, "y"), record(at + 6001, "y", "failure", "closed->open"), admit(at + 7000, "x", False, retryInMs=1)]
    yield row("grows-and-returns", "twice as long each time, and from the start again once it closed", policy(maxOpenMs=6000), [*steps, *closed])
    rate = policy(kind="rate", threshold=0.9, minimumCalls=2)
    del rate["breaker"]["failures"]
    failing = [admit(0, "a"), record(0, "a", "failure"), admit(0, "b"), record(0, "b", "failure", "closed->open"), admit(1000, "p", probe=True), admit(1000, "q", False)]
    yield row("probe-fails", "a failed probe opens it, whatever the rate", rate, [*failing, record(1001, "p", "failure", "half-open->open"), admit(3000, "r", False), admit(3001, "s", probe=True)], "nodeshift/opossum#119, #57")
    yield row("probe-says-nothing", "an ignored answer frees the place, it is no failure", policy(), [*opens, admit(1000, "p", probe=True), record(1001, "p", "ignored"), admit(1001, "q", probe=True), state(1002, "half-open")], "smallrye/smallrye-fault-tolerance#320")


def keys():
    """A host that wakes up late, after the server may have forgotten the key."""
    policy = {"idempotency": {"honoured": True, "windowMs": 1000}}
    for name, method, outcome, at, reason in [("inside", "POST", error("node", "ECONNRESET"), 999, None), ("over", "POST", error("node", "ECONNRESET"), 1000, "key-expired"),
                                              ("over-proven", "POST", error("node", "ECONNREFUSED"), 1000, None), ("over-idempotent", "PUT", error("node", "ECONNRESET"), 1000, None)]:
        opened = {**begin(0, "a", {"method": method, "key": "k"}), "wall": "2026-01-15T12:00:00Z"}
        failed = {**retry(10, "a", outcome, 2, 500), "wall": "2026-01-15T12:00:00.010Z"}
        woken = resume(at, "a") if reason is None else step(at, "resume", {"admitted": False, "reason": reason, "over": True}, call="a")
        yield row(f"woken-{name}", "what the key alone makes safe is not sent after its window", policy, [opened, failed, woken], "the window limits sending")
    lost = {**retry(10, "a", error("node", "ECONNRESET"), 2, 500), "wall": "2026-01-15T12:00:00.010Z"}
    for name, more, over in [("inside", 0, False), ("over", 1, True)]:
        # Another call learns that the server takes nothing for so long.
        limited = [begin(20, "b"), retry(20, "b", status(429, ("retry-after-ms", str(979 + more))), 2, 979 + more)]
        held = step(510, "resume", {"admitted": False, "reason": "rate-limited", "over": over}, call="a")
        opened = {**begin(0, "a", {"method": "POST", "key": "k"}), "wall": "2026-01-15T12:00:00Z"}
        yield row(f"held-{name}", "held back by the rate limit until the key is forgotten: over at once", {**policy, "limiter": {}}, [opened, lost, *limited, held], "the window limits sending")


def reported():
    """Reported faults that no other file has."""
    draining = [move for n in range(36) for move in (begin(n, f"c{n}"), retry(n, f"c{n}", FAILS, 2, 500) if n < 35 else stop(n, f"c{n}", FAILS, "budget-exhausted"))]
    yield row("quota-is-used", "the quota acts beside the limit of attempts", {"budget": {"kind": "tokens"}}, draining, "awslabs/aws-sdk-rust#1234")
    traffic = [begin(0, f"c{n}") for n in range(40)] + [retry(1, f"c{n}", FAILS, 2, 500) if n < 4 else stop(1, f"c{n}", FAILS, "budget-exhausted") for n in range(6)]
    yield row("follows-traffic", "a budget that grows with the traffic, beside the absolute one", {"budget": {"kind": "ratio", "ratio": 0.1, "minPerSecond": 0}}, traffic, "grpc/grpc-go#7539")
    wrong = {"backoff": {"baseMs": 10_000, "capMs": 1000, "jitter": "proportional", "jitterRatio": 0.2}}
    yield row("base-above-cap", "a first wait above the longest is no policy", {}, [step(0, "policy", {"valid": False, "issues": [{"field": "backoff.baseMs", "kind": "contradiction"}]}, document=wrong)], "openai/codex#41024")


def ledger():
    """Cells of the ledger's table."""
    def claim(at, result, owner="w1", lease=1000, fingerprint="f", **expect):
        return step(at, "claim", {"result": result, **expect}, key="k", fingerprint=fingerprint, leaseMs=lease, owner=owner)

    def act(at, op, result, **fields):
        return step(at, op, {"result": result}, key="k", **fields)

    def get(at, name, **expect):
        return step(at, "get", {"state": name, **expect}, key="k")

    def tell(at, op, result):
        name, _, attempt = op.partition("#")
        if name in ("confirm", "abandon", "retry-new-key"):
            return act(at, "resolve", result, action=name, by="p", why="w")
        more = {"complete": {"status": 200}, "fail": {"status": 503}, "due": {"status": 503, "dueAt": 900}}.get(name, {})
        return act(at, "fail" if name == "due" else name, result, attempt=int(attempt or 1), **more)

    start = [claim(0, "start", attempt=1)]
    ways = {"absent": [], "in-progress": start, "waiting": [*start, tell(1, "due", "ok")], "completed": [*start, tell(1, "complete", "ok")], "review": [*start, tell(1, "fail", "ok")],
            "abandoned": [*start, tell(1, "ambiguous", "ok"), tell(1, "abandon", "ok")]}
    cells = {"absent": {"refused": "complete fail due ambiguous release confirm abandon retry-new-key"},
             "in-progress": {"fenced": "complete#2 fail#2", "refused": "confirm abandon retry-new-key"},
             "waiting": {"fenced": "complete complete#2 fail due ambiguous", "refused": "release confirm abandon retry-new-key"},
             "completed": {"ok": "complete", "fenced": "complete#2 fail due ambiguous", "refused": "release confirm abandon retry-new-key"},
             "review": {"fenced": "complete fail due ambiguous", "refused": "release"},
             "abandoned": {"fenced": "complete fail due ambiguous", "refused": "release confirm abandon retry-new-key"}}
    for name, results in cells.items():
        steps = [tell(2, op, result) for result, ops in results.items() for op in ops.split()]
        yield row(f"ledger-{name}", "none of these changes the record", {}, [*ways[name], *steps, get(3, name)], "ledger table")
        if name != "absent":
            yield row(f"ledger-{name}-conflict", "another payload under the key", {}, [*ways[name], claim(2, "conflict", fingerprint="g"), get(3, name)], "ledger table")
    honoured = {"idempotency": {"honoured": True, "windowMs": 5000}}
    for name, at, result, left in [("below", 4999, "start", "in-progress"), ("at", 5000, "unknown", "review")]:
        yield row(f"ledger-lease-window-{name}", "sent again only inside the window", honoured, [claim(0, "start", lease=4999), claim(at, result, "w2"), get(at, left)], "ledger table")
    for name, due, result, left in [("below", 4999, "start", {}), ("at", 5000, "expired", {"cause": "key-expired"})]:
        waits = [*start, act(1, "fail", "ok", attempt=1, status=503, dueAt=due), claim(due - 1, "in-progress", retryInMs=1), claim(due, result)]
        yield row(f"ledger-wait-window-{name}", "due inside the window, or expired", honoured, [*waits, get(due, "review" if left else "in-progress", **left)], "ledger table")
    yield row("ledger-release-second", "nothing was sent: it waits, due now", honoured, [*start, claim(1000, "start", "w2", attempt=2), act(1001, "release", "ok", attempt=2), get(1001, "waiting"), claim(1001, "start", "w3", attempt=3)], "ledger table")


def all_traces():
    yield from budgets()
    yield from breakers()
    yield from keys()
    yield from reported()
    yield from ledger()
