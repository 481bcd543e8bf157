"""The rate limiter: what is left, the reset, refusals, and who waits."""

from lines import begin, accept, resume, retry, status, step, stop, trace

ON = {"limiter": {}}
FIXED = {"curve": "constant", "baseMs": 500, "jitter": "none"}


def observe(at, code=200, *headers, **rest):
    return step(at, "observe", status=code, headers=[list(line) for line in headers], **rest)


def left(remaining, reset, limit=None):
    lines = [("x-ratelimit-remaining", str(remaining)), ("x-ratelimit-reset-after", str(reset))]
    return lines + ([("x-ratelimit-limit", str(limit))] if limit is not None else [])


def acquire(at, wait, call=None, priority=None):
    given = {**({} if call is None else {"call": call}), **({} if priority is None else {"priority": priority})}
    return step(at, "acquire", {"waitMs": wait}, **given)


def row(name, about, policy, *steps, **rest):
    return trace(f"limiter-{name}", about, "limiter rule: never more than the server allows", policy, list(steps), **rest)


def all_traces():
    yield row("knows-nothing", "who knows nothing holds nobody back", ON, *[acquire(0, 0) for _ in range(20)])
    yield row("counts-down", "two are left, the third waits for the reset", ON, observe(0, 200, *left(2, 7, 10)),
              acquire(1000, 0), acquire(1000, 0), acquire(1000, 6000), acquire(6999, 1))
    yield row("new-allowance", "after the reset the learned limit is the new allowance", ON, observe(0, 200, *left(0, 10, 3)),
              acquire(9999, 1), *[acquire(10_000, 0) for _ in range(3)], acquire(10_000, 10_000))
    yield row("refused", "nobody passes before the wait of a 429 is over", ON, observe(0, 429, ("retry-after", "5")), acquire(0, 5000), acquire(4999, 1), acquire(5000, 0))
    yield row("overload", "a 503 that names a wait is one", ON, observe(0, 503, ("retry-after", "2")), acquire(0, 2000), acquire(1999, 1), acquire(2000, 0))
    yield row("failure-without-wait", "a 500 tells nothing", ON, observe(0, 500), acquire(0, 0))
    yield row("longest-refusal", "a shorter refusal shortens nothing", ON, observe(0, 429, ("retry-after", "5")), observe(1, 429, ("retry-after", "1")), acquire(1, 4999))
    yield row("date", "a refusal until a date", ON, observe(0, 429, ("retry-after", "Thu, 15 Jan 2026 12:00:09 GMT"), wall="2026-01-15T12:00:00Z"), acquire(0, 9000))
    yield row("priority", "a higher priority takes what there is first", ON, observe(0, 200, *left(0, 10, 1)), acquire(0, 10_000, "low", 0), acquire(0, 10_000, "high", 5),
              acquire(10_000, 0, "high", 5))
    yield row("reserve", "one is left for priorities above 0", {"limiter": {"reserve": 1}}, observe(0, 200, *left(2, 10, 10)),
              acquire(0, 0), acquire(0, 10_000), acquire(0, 0, "urgent", 1))
    policy = {**ON, "backoff": FIXED, "breaker": None}
    tight = status(200, *left(0, 5, 10))
    yield row("begin-is-held", "a begin is told when to come again, and deposits nothing", {**policy, "budget": {"kind": "ratio", "ratio": 1, "minPerSecond": 0}},
              begin(0, "a"), accept(0, "a", tight), begin(1000, "b", admitted=False, reason="rate-limited", retryInMs=4000), step(1000, "balance", {"balance": 1}),
              begin(5000, "b"), step(5000, "balance", {"balance": 2}))
    yield row("resume-is-held", "a resume waits on, the call is not over", policy, begin(0, "a"), begin(0, "b"), retry(0, "a", status(503), 2, 500), accept(1, "b", tight),
              resume(500, "a", admitted=False, reason="rate-limited", retryInMs=4501, over=False), resume(5001, "a", over=False), accept(5002, "a", attempt=2))
    yield row("resume-too-long", "longer than maxWaitMs: over", {**policy, "limiter": {"maxWaitMs": 1000}}, begin(0, "a"), begin(0, "b"), retry(0, "a", status(503), 2, 500),
              accept(1, "b", tight), resume(500, "a", admitted=False, reason="rate-limited", retryInMs=None, over=True))
    yield row("resume-past-the-deadline", "held beyond the deadline: over", {**policy, "deadlineMs": 3000}, begin(0, "a"), begin(0, "b"), retry(0, "a", status(503), 2, 500),
              accept(1, "b", tight), resume(500, "a", admitted=False, reason="rate-limited", retryInMs=None, over=True))
    yield row("own-refusal", "a 429 holds the others back as well", policy, begin(0, "a"), retry(0, "a", status(429, ("retry-after", "3")), 2, 3000, reason="server-hint"),
              begin(1, "b", admitted=False, reason="rate-limited", retryInMs=2999), resume(3000, "a"), accept(3001, "a", attempt=2))
    yield row("cancelled-waiter", "who gave up waits no more", policy, begin(0, "a"), retry(0, "a", status(429, ("retry-after", "3")), 2, 3000),
              step(1, "cancel", {"verdict": "stop", "reason": "cancelled"}, call="a"), begin(3000, "b"), accept(3001, "b"))
    yield row("off", "without a limiter a 429 holds nobody else back", {"backoff": FIXED}, begin(0, "a"), retry(0, "a", status(429, ("retry-after", "3")), 2, 3000), begin(1, "b"),
              stop(2, "b", status(404), "permanent"))
