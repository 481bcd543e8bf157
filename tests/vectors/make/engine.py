"""Whole calls: the order of a decision, admissions, and what calls share."""

from lines import FIXED, GET, accept, attempts, begin, error, one, resume, retry, settle, status, step, stop, trace
from model import MAX

RESET = error("node", "ECONNRESET")
REFUSED = error("node", "ECONNREFUSED", syscall="connect")
ABORT = {"error": {"family": "dom", "name": "AbortError"}}
NO_BREAKER = {"backoff": FIXED, "breaker": None}
OPENS = {"kind": "consecutive", "failures": 2, "openMs": 1000, "maxOpenMs": 1000, "probes": 1, "successes": 1, "probeTimeoutMs": 500}


def pushback(value):
    """The answer of a gRPC server that is unavailable."""
    return status(200, ("content-type", "application/grpc"), ("grpc-status", "14"), ("grpc-retry-pushback-ms", value))


def row(name, about, policy, steps, source="decision order", **rest):
    return trace(f"engine-{name}", about, source, policy, steps, **rest)


def aws():
    """Vectors a to o as whole calls: waits and quota together."""
    transient, throttled = status(500), status(400, body={"code": "ThrottlingException"})

    def policy(quota=500, retries=2, cap=20_000, base=50):
        return {"profile": "aws", "maxRetries": retries, "breaker": None,
                "budget": {"kind": "tokens", "capacity": quota, "transientCost": 14, "throttledCost": 5, "credit": 1},
                "backoff": {"baseMs": base, "throttledBaseMs": 1000, "capMs": cap, "jitter": "full"}}

    def case(name, given, failures, expected, last, call="a", at=0):
        steps, exhausted = [begin(at, call)], None
        for number, (failure, (wait, quota)) in enumerate(zip(failures, expected), 2):
            steps += [retry(at, call, failure, number, wait), step(at, "balance", {"balance": quota})]
            at += wait
            steps.append(resume(at, call))
        return steps + [{**last(at, call), "at": at}], at

    def end(outcome, reason):
        return (lambda at, call: accept(at, call)) if reason == "ok" else (lambda at, call: stop(at, call, outcome, reason))

    def aws_row(name, about, given, steps):
        return row(f"aws-{name}", about, given, steps, f"AWS 2.1 vector {name[0]}", draws=[MAX] * 40)

    simple = [
        ("a", policy(), [transient] * 2, [(50, 486), (100, 472)], end(None, "ok"), 486),
        ("b", policy(), [status(502)] * 2, [(50, 486), (100, 472)], end(status(502), "retries-exhausted"), 472),
        ("c", policy(14), [transient], [(50, 0)], end(transient, "budget-exhausted"), 0),
        ("d", policy(0), [], [], end(transient, "budget-exhausted"), 0),
        ("e", policy(retries=4), [transient] * 4, [(50, 486), (100, 472), (200, 458), (400, 444)], end(transient, "retries-exhausted"), 444),
        ("f", policy(20, 4), [transient], [(50, 6)], end(transient, "budget-exhausted"), 6),
        ("h", policy(), [throttled], [(1000, 495)], end(None, "ok"), 500),
        ("i", policy(retries=3, cap=200), [transient] * 3, [(50, 486), (100, 472), (200, 458)], end(transient, "retries-exhausted"), 458),
        ("k", policy(retries=3, base=25), [transient] * 3, [(25, 486), (50, 472), (100, 458)], end(transient, "retries-exhausted"), 458),
    ]
    for name, given, failures, expected, last, quota in simple:
        steps, at = case(name, given, failures, expected, last)
        yield aws_row(name, "waits and quota, the longest draws", given, [*steps, step(at, "balance", {"balance": quota})])
    waits = [min(50 << n, 20_000) for n in range(10)]
    steps, at = case("j", None, [transient] * 10, [(w, 500 - 14 * (n + 1)) for n, w in enumerate(waits)], end(transient, "retries-exhausted"))
    yield aws_row("j", "eleven failures", policy(retries=10), steps)
    first, at = case("g", None, [transient, status(502)], [(50, 16), (100, 2)], end(None, "ok"))
    second, last = case("g", None, [transient], [(50, 2)], end(None, "ok"), "b", at)
    yield aws_row("g", "two calls", policy(30, 4), [*first, step(at, "balance", {"balance": 16}), *second, step(last, "balance", {"balance": 16})])
    for name, kinds in (("m", "HHTTTTH"), ("n", "THHHHTH"), ("o", "THHHHTHHHHH")):
        quota, expected = 500, []
        for n, kind in enumerate(kinds):
            quota -= 5 if kind == "H" else 14
            expected.append((min((1000 if kind == "H" else 50) << n, 20_000), quota))
        steps, _ = case(name, None, [throttled if k == "H" else transient for k in kinds], expected, end(None, "ok"))
        yield aws_row(name, "the exponent counts all failures, the base is that of this one", policy(retries=20), steps)
    for value, wait in (("1500", 1500), ("0", 50), ("10000", 5050), ("abc", 50), ("-100", 50)):
        yield aws_row(f"l{value}", "within five seconds above the wait", policy(), [begin(0, "a"), retry(0, "a", status(500, ("x-amz-retry-after", value)), 2, wait)])


def order():
    """Two reasons at once: the earlier step of the decision is the one that is told."""
    both = [
        ("cancelled-before-veto", {}, GET, {**ABORT}, "cancelled"),
        ("veto-before-permanent", {}, GET, status(404, ("x-should-retry", "false")), "server-refused"),
        ("veto-before-body", {}, {"method": "GET", "replayableBody": False}, status(503, ("x-should-retry", "false")), "server-refused"),
        ("permanent-before-body", {}, {"method": "GET", "replayableBody": False}, status(404), "permanent"),
        ("body-before-safety", {}, {"method": "POST", "replayableBody": False}, status(503), "body-consumed"),
        ("safety-before-retries", {"maxRetries": 0}, {"method": "POST"}, status(503), "unsafe-to-repeat"),
        ("retries-before-hint", {"maxRetries": 0, "hint": {"beyond": "give-up"}}, GET, status(503, ("retry-after", "9999")), "retries-exhausted"),
        ("hint-before-deadline", {"deadlineMs": 100, "hint": {"beyond": "give-up"}}, GET, status(503, ("retry-after", "9999")), "hint-too-long"),
        ("deadline-before-budget", {"deadlineMs": 100, "budget": {"kind": "ratio", "ratio": 0, "minPerSecond": 0}, "backoff": FIXED}, GET, status(503), "deadline"),
        ("breaker-before-budget", {"breaker": {**OPENS, "failures": 1}, "budget": {"kind": "ratio", "ratio": 0, "minPerSecond": 0}, "backoff": FIXED}, GET, status(503), "breaker-open"),
        ("stripe-veto", {"profile": "stripe"}, GET, status(503, ("Stripe-Should-Retry", "false")), "server-refused"),
        ("pushback-negative", {"profile": "grpc"}, GET, pushback("-1"), "server-refused"),
        ("committed-before-safety", {}, {"method": "POST"}, status(503, committed=True), "body-consumed"),
    ]
    for name, policy, request, outcome, reason in both:
        yield row(name, "the first stop that applies is the reason", policy, one(request, outcome, verdict="stop", reason=reason, attempt=1, delayMs=0, stale=False))
    for name, method in [(m.lower(), m) for m in ("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE")]:
        yield row(f"repeats-{name}", "an idempotent method repeats whatever became of it", {"backoff": FIXED}, one({"method": method}, RESET, verdict="retry", attempt=2, delayMs=500, reason="backoff"))
    for name, method in [("post", "POST"), ("patch", "PATCH"), ("connect", "CONNECT"), ("lower-case", "get"), ("unknown", "PURGE")]:
        yield row(f"unsafe-{name}", "what is not idempotent is not repeated without proof", {}, one({"method": method}, RESET, verdict="stop", reason="unsafe-to-repeat", delivery="maybe_processed"))
    for safety, verdicts in [("never", ("stop", "stop", "stop")), ("proven", ("retry", "stop", "stop")), ("presumed", ("retry", "retry", "stop"))]:
        for outcome, name, verdict in zip((REFUSED, status(429), RESET), ("proof", "custom", "unknown"), verdicts):
            yield row(f"safety-{safety}-{name}", "what each setting accepts as proof", {"safety": safety, "backoff": FIXED}, one({"method": "POST"}, outcome, verdict=verdict))
    yield row("should-retry-is-no-proof", "the server's wish makes a POST no safer", {}, one({"method": "POST"}, status(404, ("x-should-retry", "true")), verdict="stop", reason="unsafe-to-repeat", **{"class": "transient"}))
    yield row("should-retry", "the server's wish makes a GET transient", {"backoff": FIXED}, one(GET, status(404, ("x-should-retry", "true")), verdict="retry", delayMs=500))


def deadlines():
    def limited(ms):
        return {"deadlineMs": ms, "backoff": FIXED}

    yield row("deadline-one-more", "now + delay just before it", limited(541), [begin(0, "a"), retry(40, "a", status(503), 2, 500)])
    yield row("deadline-end", "now + delay at it", limited(540), [begin(0, "a"), stop(40, "a", status(503), "deadline")])
    yield row("deadline-of-jitter", "the jitter is part of the wait", {"deadlineMs": 60_000, "backoff": {"curve": "constant", "baseMs": 6000, "jitter": "full"}},
              [begin(0, "a"), stop(55_000, "a", status(503), "deadline")], "calimero-network/core PR 2269", draws=[MAX])
    yield row("deadline-woken-late", "a host that oversleeps", limited(1000), [begin(0, "a"), retry(40, "a", status(503), 2, 500),
              resume(1000, "a", admitted=False, reason="deadline", over=True), settle(1001, "a", status(200), verdict="stop", reason="deadline", attempt=1, stale=True)])
    yield row("deadline-accepts-late", "a late success is a success", limited(1000), [begin(0, "a"), accept(5000, "a")])
    yield row("deadline-offset", "counted from begin, on the monotonic clock", limited(541), [begin(2**40, "a"), retry(2**40 + 40, "a", status(503), 2, 500)])
    hour = {"idempotency": {"honoured": True, "windowMs": 3_600_000}, "hint": {"maxMs": 7_200_000}, "backoff": FIXED}
    keyed = {"method": "POST", "key": "k"}
    first = {**begin(0, "a", keyed), "wall": "2026-01-15T12:00:00Z"}
    yield row("key-window-inside", "a millisecond inside the window", hour, [first, retry(0, "a", status(503, ("retry-after", "3599")), 2, 3_599_000, "2026-01-15T12:00:00.999Z")])
    yield row("key-window-end", "at its end", hour, [first, stop(0, "a", status(503, ("retry-after", "3599")), "key-expired", "2026-01-15T12:00:01Z")])
    yield row("key-window-over", "the key is forgotten: not safe any more", hour, [first, stop(0, "a", status(503), "unsafe-to-repeat", "2026-01-15T13:00:00Z")])
    yield row("key-window-no-wall", "without a wall clock it is measured", hour, [begin(0, "a", keyed), stop(1000, "a", status(503, ("retry-after", "3599")), "key-expired")])


def shared():
    two = [begin(0, "a"), begin(0, "b")]
    policy = {"breaker": OPENS, "backoff": FIXED}
    yield row("resume-refused-is-over", "the breaker refuses a resume: over, the wait is information, the retry is refunded", policy,
              [*two, retry(0, "a", status(500), 2, 500), step(0, "balance", {"balance": 9}), stop(400, "b", status(500), "breaker-open"),
               resume(500, "a", admitted=False, reason="breaker-open", retryInMs=900, over=True), step(500, "balance", {"balance": 10}),
               resume(5000, "a", admitted=False, reason="breaker-open", retryInMs=None, over=True), settle(5000, "a", status(200), verdict="stop", reason="breaker-open", attempt=1, stale=True)])
    yield row("begin-refused", "no deposit, no place", {**policy, "budget": {"kind": "ratio", "ratio": 1, "minPerSecond": 0}},
              [*two, step(0, "balance", {"balance": 2}), retry(0, "a", status(500), 2, 500), stop(0, "b", status(500), "breaker-open"),
               begin(1, "c", admitted=False, reason="breaker-open", retryInMs=999), step(1, "balance", {"balance": 1})])
    yield row("half-open-probe", "one call probes, the next is told when", policy,
              [*two, retry(0, "a", status(500), 2, 500), stop(0, "b", status(500), "breaker-open"), begin(1000, "p"), begin(1001, "q", admitted=False, reason="breaker-open", retryInMs=499),
               accept(1002, "p"), begin(1002, "r")])
    yield row("probe-cancelled", "a cancelled probe frees its place", policy,
              [*two, retry(0, "a", status(500), 2, 500), stop(0, "b", status(500), "breaker-open"), begin(1000, "p"), step(1001, "cancel", {"verdict": "stop", "reason": "cancelled"}, call="p"), begin(1001, "q")])
    yield row("permanent-is-healthy", "a 404 closes a half-open breaker", policy,
              [*two, retry(0, "a", status(500), 2, 500), stop(0, "b", status(500), "breaker-open"), begin(1000, "p"), stop(1001, "p", status(404), "permanent"), step(1001, "state", {"state": "closed"})])
    yield row("resume-at-the-deadline-of-open", "open until then: the resume is the probe", policy,
              [*two, retry(0, "a", status(503, ("retry-after", "1")), 2, 1000), stop(0, "b", status(500), "breaker-open"), resume(1000, "a"), accept(1001, "a", attempt=2), step(1001, "state", {"state": "closed"})])
    yield row("rate-limits-are-no-failures", "a hundred 429 leave it closed", {"breaker": OPENS, "maxRetries": 0},
              [s for n in range(10) for s in (begin(n, f"c{n}"), stop(n, f"c{n}", status(429), "retries-exhausted"))] + [step(10, "state", {"state": "closed"})])
    tight = {"budget": {"kind": "ratio", "ratio": 0, "minPerSecond": 1, "windowMs": 1000}, **{k: v for k, v in NO_BREAKER.items()}}
    yield row("cancel-refunds", "cancelled while waiting, the retry goes to another", tight,
              [*two, retry(0, "a", status(503), 2, 500), step(1, "cancel", {"verdict": "stop", "reason": "cancelled", "attempt": 1}, call="a"), retry(2, "b", status(503), 2, 500)])
    yield row("end-refunds", "ended while waiting", tight, [*two, retry(0, "a", status(503), 2, 500), step(1, "end", call="a"), retry(2, "b", status(503), 2, 500)])
    yield row("cancel-while-sending", "a retry on its way has been spent", tight,
              [*two, retry(0, "a", status(503), 2, 0 + 500), resume(500, "a"), step(501, "cancel", {"verdict": "stop", "reason": "cancelled", "attempt": 2}, call="a"), stop(502, "b", status(503), "budget-exhausted")])
    yield row("second-resume", "the attempt is on its way already", NO_BREAKER, [begin(0, "a"), retry(0, "a", status(503), 2, 500), resume(500, "a"), resume(501, "a"), accept(502, "a", attempt=2)])
    yield row("settle-while-waiting", "a second settle of one attempt gives the verdict again", NO_BREAKER,
              [begin(0, "a"), retry(0, "a", status(503), 2, 500), settle(1, "a", status(200), verdict="retry", attempt=2, delayMs=500, reason="backoff", stale=True), resume(500, "a"), accept(501, "a", attempt=2, stale=False)])
    yield row("after-the-end", "nothing after the end counts", NO_BREAKER, [begin(0, "a"), accept(1, "a"), settle(2, "a", status(503), verdict="accept", reason="ok", stale=True),
              step(3, "cancel", {"verdict": "accept", "stale": True}, call="a"), resume(4, "a", admitted=False, over=True), step(5, "end", call="a")])
    yield row("cancel-twice", "once is enough", NO_BREAKER, [begin(0, "a"), step(1, "cancel", {"verdict": "stop", "reason": "cancelled", "stale": False}, call="a"), step(2, "cancel", {"verdict": "stop", "reason": "cancelled", "stale": True}, call="a")])
    outer = {"method": "GET", "headers": [["X-Retry-Layer", "2"]]}
    yield row("nested-layer", "the header of an outer layer stops the inner retry", NO_BREAKER, one(outer, status(503), verdict="stop", reason="nested-layer", attempt=1, **{"class": "transient"}), "Azure guidance: no nested retries")
    yield row("nested-layer-accepts", "and nothing else", NO_BREAKER, one(outer, status(200), verdict="accept", reason="ok"))
    yield row("nested-layer-permanent", "what would stop anyhow says why", NO_BREAKER, one(outer, status(404), verdict="stop", reason="permanent"))
    yield row("nested-layer-costs-nothing", "a retry that the outer layer makes is not taken from the inner budget", NO_BREAKER,
              [step(0, "balance", {"balance": 10}), begin(0, "a", outer), stop(1, "a", status(503), "nested-layer"), step(1, "balance", {"balance": 10})])
    yield row("not-nested", "another header is none", NO_BREAKER, one({"method": "GET", "headers": [["x-retry-after", "1"]]}, status(503), verdict="retry", attempt=2, delayMs=500))
    yield row("concurrency-waits-count", "calls that wait are active: all of six may retry", {**NO_BREAKER, "budget": {"kind": "concurrency", "ratio": 1, "minConcurrency": 0}},
              [*[begin(0, c) for c in "abcdef"], *[retry(1, c, status(503), 2, 500) for c in "abcdef"]], "envoyproxy/envoy#30205")
    yield row("concurrency-released", "a stop frees its place", {**NO_BREAKER, "maxRetries": 1, "budget": {"kind": "concurrency", "ratio": 0, "minConcurrency": 1}},
              [*two, retry(1, "a", status(503), 2, 500), stop(1, "b", status(503), "budget-exhausted"), resume(501, "a"), stop(502, "a", status(503), "retries-exhausted"), begin(503, "c"), retry(504, "c", status(503), 2, 500)])
    yield row("throttle-veto-counts", "a do-not-retry takes a token as well", {**NO_BREAKER, "profile": "grpc", "budget": {"kind": "throttle", "maxTokens": 10, "tokenRatio": 0.1}},
              [begin(0, "a"), stop(0, "a", pushback("-1"), "server-refused"), step(0, "balance", {"balance": 9})], "gRPC A6")
    yield row("throttle-permanent-free", "a 404 takes none", {**NO_BREAKER, "budget": {"kind": "throttle", "maxTokens": 10, "tokenRatio": 0.1}},
              [begin(0, "a"), stop(0, "a", status(404), "permanent"), step(0, "balance", {"balance": 10})], "gRPC A6")
    yield row("replay-feeds-nothing", "a replayed answer earns and costs nothing", {"breaker": {**OPENS, "failures": 1}, "budget": {"kind": "throttle", "maxTokens": 10, "tokenRatio": 0.1}},
              [begin(0, "a"), stop(0, "a", status(500, ("Idempotent-Replayed", "true")), "permanent"), step(0, "balance", {"balance": 10}), step(0, "state", {"state": "closed"})])


def hints():
    policy = {"backoff": {"baseMs": 100, "jitter": "none"}, "breaker": None}
    yield row("hint-in-the-middle", "the second answer's five seconds are the server's", policy, attempts([status(503)], [100], None) +
              [retry(100, "a", status(503, ("retry-after", "5")), 3, 5000, reason="server-hint"), resume(5100, "a"), retry(5100, "a", status(503), 4, 400, reason="backoff")], "App-vNext/Polly#2160")
    for value, wait in (("120", 120_000), ("9223372036", 200_000), ("9223372037", 200_000), ("9223372036854775807", 200_000), ("9" * 20, 200_000), ("9" * 400, 200_000)):
        yield row(f"hint-seconds-{value[:20]}-{len(value)}", "longer is never shorter", {**policy, "hint": {"maxMs": 200_000}}, [begin(0, "a"), retry(0, "a", status(503, ("retry-after", value)), 2, wait, reason="server-hint")], "hashicorp/go-retryablehttp PR 297")
    yield row("hint-a-day-ahead", "a date is bounded as seconds are", {**policy, "backoff": {"baseMs": 100, "capMs": 3000}}, [begin(0, "a"),
              retry(0, "a", status(503, ("retry-after", "Fri, 16 Jan 2026 12:00:00 GMT")), 2, 3000, "2026-01-15T12:00:00Z")], "hashicorp/go-retryablehttp#295")
    yield row("hint-ignored-twice", "the setting holds for every answer", {**policy, "hint": {"mode": "ignore"}}, attempts([status(429, ("retry-after", "3600"))] * 2, [100, 200], None), "psf/requests#4854; urllib3 PR 1607")
    yield row("hint-first-call", "an hour at the first call is bounded", policy, [begin(0, "a"), retry(0, "a", status(429, ("retry-after", "3600")), 2, 30_000)], "netdata/netdata PR 5082")
    for value in ("86400", "300", "410400", "61"):
        yield row(f"hint-gives-up-{value}", "longer than the limit: the wanted wait is in the verdict", {**policy, "hint": {"maxMs": 60_000, "beyond": "give-up"}},
                  [begin(0, "a"), stop(0, "a", status(429, ("retry-after", value)), "hint-too-long", hintMs=int(value) * 1000)], "azure-sdk-for-net#24519, #50949")
    yield row("hint-beside-a-second", "a minute beside a second of backoff stops", {"backoff": {"baseMs": 1000, "jitter": "none"}, "hint": {"beyond": "give-up"}},
              [begin(0, "a"), stop(0, "a", status(503, ("retry-after", "60")), "hint-too-long", hintMs=60_000)], "alexfalkowski/go-service PR 2777")
    yield row("hint-soon", "a date less than half a second ahead is not now", policy, [begin(0, "a"), settle(0, "a", status(503, ("retry-after", "Thu, 15 Jan 2026 12:00:01 GMT")), "2026-01-15T12:00:00.600Z",
              verdict="retry", delayMs={"min": 400, "max": 1000}, reason="server-hint")], "kubescape/kubevuln PR 637")
    yield row("polling-is-no-retry", "202 with a wait is a success", policy, one(GET, status(202, ("retry-after", "5")), verdict="accept", reason="ok"), "azure-sdk-for-python#10778")
    for value, wait in (("0", 0), ("1", 1), ("2147483647", 30_000)):
        yield row(f"pushback-{value}", "waited exactly, within the limit", {**policy, "profile": "grpc"}, [begin(0, "a"), retry(0, "a", pushback(value), 2, wait, reason="server-hint")], "gRPC A6")
    yield row("pushback-elsewhere", "only gRPC has it", policy, [begin(0, "a"), retry(0, "a", status(503, ("grpc-retry-pushback-ms", "-1")), 2, 100, reason="backoff")], "gRPC A6")
    for value in ("-1", "abc", "", "1.5", "99999999999"):
        yield row(f"pushback-bad-{value or 'empty'}", "negative or unreadable: do not retry", {**policy, "profile": "grpc"}, [begin(0, "a"), stop(0, "a", pushback(value), "server-refused")], "gRPC A6")


def throttled():
    """Google SRE, chapter 21: refused here with the odds (requests - K * accepts) / (requests + 1)."""
    source = "Google SRE, Handling Overload: client-side throttling"
    policy = {**NO_BREAKER, "clientThrottling": {}, "budget": None, "maxRetries": 0}

    def begins(at, call, times, admitted):
        return step(at, "begin", {"admitted": admitted}, call=call, request=GET, times=times)

    def answers(at, call, times, outcome):
        return step(at, "settle", call=call, outcome=outcome, times=times)

    healthy = [s for n in range(50) for s in (begin(0, f"a{n}"), accept(0, f"a{n}"))]
    for name, outcome in (("fails", status(503)), ("limits", status(429)), ("unreachable", REFUSED)):
        yield row(f"client-throttle-{name}", "as many turned away as accepted, K = 2: none refused", policy,
                  [*healthy, begins(1, "b", 50, 50), answers(1, "b", 50, outcome), begins(2, "c", 1, 1)], source)
    yield row("client-throttle-permanent", "a 404 was accepted", policy,
              [s for n in range(40) for s in (begin(n, f"c{n}"), stop(n, f"c{n}", status(404), "permanent"))], source)
    # One in n + 1 of those that come after n: 7.5 of a thousand, and never none.
    yield row("client-throttle-dead", "of a thousand calls to a dead server a few are sent", policy, [begins(0, "a", 1000, {"min": 1, "max": 20})], source)
    yield row("client-throttle-refusal", "with what it is refused", policy, [begins(0, "a", 1000, {"min": 1, "max": 20}), begin(1, "b", admitted=False, reason="client-throttled", retryInMs=None)], source)
    yield row("client-throttle-forgets", "two minutes later it is another server", policy, [begins(0, "a", 1000, {"min": 1, "max": 20}), begin(120_000, "b")], source)
    yield row("client-throttle-cancelled", "of a cancelled call nobody knows: as if it had never been", policy,
              [s for n in range(40) for s in (begin(n, f"c{n}"), stop(n, f"c{n}", ABORT, "cancelled"))], source)


def keys():
    """What vendors take as a key."""
    for vendor, longest in (("stripe", 255), ("adyen", 64), ("paypal", 108), ("square", 45)):
        for length in (longest, longest + 1):
            request = {"method": "POST", "key": "k" * length}
            expect = {} if length == longest else {"admitted": False, "reason": "key-invalid", "retryInMs": None}
            yield row(f"key-{vendor}-{length}", f"{longest} characters and no more", {"profile": vendor, **NO_BREAKER}, [begin(0, "a", request, **expect)], "vendors' limits of keys")
    for name, key in (("empty", ""), ("line", "a\nb"), ("accent", "cl\u00e9")):
        yield row(f"key-{name}", "a key is visible ASCII", NO_BREAKER, [begin(0, "a", {"method": "POST", "key": key}, admitted=False, reason="key-invalid")], "RFC 9110, field values")


def all_traces():
    for part in (aws, order, deadlines, shared, hints, throttled, keys):
        yield from part()
