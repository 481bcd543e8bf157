"""The retry guide's own example, event by event."""

from lines import GET, accept, attempts, begin, error, one, retry, settle, status, stop, resume, trace
from model import MAX

GUIDE = {"maxRetries": 5, "backoff": {"curve": "exponential", "baseMs": 500, "factor": 2, "capMs": 30_000, "jitter": "full"}}
KEYED = {**GUIDE, "idempotency": {"honoured": True}}
POST = {"method": "POST", "key": "order-17"}


def row(name, about, policy, steps, **rest):
    return trace(f"guide-{name}", about, "retry guide: base 0.5 s, cap 30 s, five retries, 429 502 503 504", policy, steps, **rest)


def all_traces():
    waits = [500, 1000, 2000, 4000, 8000]
    for code in (429, 502, 503, 504):
        yield row(f"five-retries-{code}", "the longest waits, then the end", GUIDE, attempts([status(code)] * 5, waits, stop(0, "a", status(code), "retries-exhausted", attempt=6)), draws=[MAX] * 5)
    yield row("shortest", "full jitter may wait nothing", GUIDE, attempts([status(503)] * 2, [0, 0], accept(0, "a", attempt=3)), draws=[0.0, 0.0])
    yield row("middle", "half of each ceiling", GUIDE, attempts([status(503)] * 4, [250, 500, 1000, 2000], accept(0, "a", attempt=5)), draws=[0.5] * 4)
    long = {**GUIDE, "maxRetries": 9, "budget": None}
    yield row("cap", "thirty seconds at most", long, attempts([status(503)] * 9, [*waits, 16_000, 30_000, 30_000, 30_000], stop(0, "a", status(503), "retries-exhausted", attempt=10)), draws=[MAX] * 9)
    yield row("retry-after", "the server's wait instead", GUIDE, attempts([status(429, ("Retry-After", "7"))], [7000], accept(0, "a", attempt=2)), draws=[MAX])
    yield row("retry-after-clamped", "an hour becomes the cap", GUIDE, [begin(0, "a"), retry(40, "a", status(503, ("Retry-After", "3600")), 2, 30_000, reason="server-hint", hintMs=3_600_000)])
    yield row("retry-after-date", "a date, by the wall clock", GUIDE,
              [begin(0, "a"), retry(40, "a", status(503, ("Retry-After", "Thu, 15 Jan 2026 12:00:09 GMT")), 2, 9000, "2026-01-15T12:00:00Z", reason="server-hint", hintSource="retry-after")])
    yield row("post-without-a-key", "a POST that may have been processed is not repeated", GUIDE, one({"method": "POST"}, status(503), verdict="stop", reason="unsafe-to-repeat"))
    yield row("post-key-not-honoured", "a key that nobody looks at is none", GUIDE, one(POST, status(503), verdict="stop", reason="unsafe-to-repeat"))
    yield row("post-key-honoured", "only because the server honours its key", KEYED, attempts([status(503)] * 2, [500, 1000], accept(0, "a", status(201), attempt=3), POST), draws=[MAX] * 2)
    yield row("post-reset-honoured", "a lost answer, too", KEYED, attempts([error("node", "ECONNRESET")], [500], accept(0, "a", status(201), attempt=2), POST), draws=[MAX])
    for code in (400, 401, 403, 404, 422, 501):
        yield row(f"permanent-{code}", "no retry makes it right", GUIDE, one(GET, status(code), verdict="stop", reason="permanent", attempt=1, delayMs=0))
    for code in (200, 201, 204):
        yield row(f"success-{code}", "handed on", GUIDE, one(GET, status(code), verdict="accept", reason="ok"))
    yield row("extra-load", "retries add at most a tenth, beside one a second", GUIDE,
              [{**begin(0, "c"), "times": 100, "expect": {"admitted": 100}}, *[retry(1, f"c#{n}", status(429), 2, 500) for n in range(1, 21)], stop(1, "c#21", status(429), "budget-exhausted"),
               {**begin(2, "d"), "times": 10, "expect": {"admitted": 10}}, retry(2, "d#1", status(429), 2, 500), stop(2, "d#2", status(429), "budget-exhausted")], draws=[MAX] * 23)
    yield row("deadline", "the waits count", {**GUIDE, "deadlineMs": 3000},
              [begin(0, "a"), retry(1000, "a", status(503), 2, 500), resume(1500, "a"), stop(2000, "a", status(503), "deadline", delayMs=0)], draws=[MAX] * 2)
    yield row("settled-success-after-failures", "the number of the attempt that made it", GUIDE,
              [begin(0, "a"), retry(0, "a", error("node", "ETIMEDOUT"), 2, 500), resume(500, "a"), retry(600, "a", status(502), 3, 1000), resume(1600, "a"), settle(1700, "a", status(200), verdict="accept", attempt=3, reason="ok", stale=False)], draws=[MAX] * 2)
