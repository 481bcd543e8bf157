"""Step 8 by itself: curve, cap, jitter, ceiling, hint."""

from lines import delay, delays, trace
from model import MAX, between, curve, decorrelated, jittered, polly, splitmix

LONGEST = 31_622_400_000


def b(**backoff):
    return {"backoff": {"jitter": "none", **backoff}}


def around(wait):
    """A wait of a formula of real numbers, to the millisecond."""
    return {"min": int(wait), "max": int(wait) + 1} if wait else 0


def tables():
    """Rows of the table of other libraries' waits."""
    def row(name, about, policy, waits, **rest):
        return trace(f"delay-{name}", about, f"wait tables of other clients: {name}", policy, delays(*waits), **rest)

    yield row("urllib3", "factor 0.1: the first retry at once, cap 120 s",
              b(baseMs=100, capMs=120_000, firstRetryImmediate=True),
              [0, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 51_200, 102_400, 120_000, 120_000])
    yield row("tenacity", "multiplier 1, maximum 60 s", b(baseMs=1000, capMs=60_000),
              [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000])
    yield row("resilience4j", "500 ms times 1.5; a fraction is kept from step to step and dropped at the end",
              b(baseMs=500, factor=1.5, capMs=60_000), [500, 750, 1125, 1687, 2531, 3796, 5695, 8542])
    yield row("azure-python", "0.8 s doubled, maximum 120 s", b(baseMs=800, capMs=120_000),
              [800, 1600, 3200, 6400, 12_800, 25_600, 51_200, 102_400, 120_000])
    yield row("temporal", "1 s doubled, maximum a hundred times the first", b(baseMs=1000, capMs=100_000),
              [1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 100_000])
    yield row("go-retryablehttp", "1 to 30 s", b(baseMs=1000, capMs=30_000), [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
    yield row("gax-full-jitter", "the longest draws of 1 s doubled up to 30 s",
              b(baseMs=1000, capMs=30_000, jitter="full"), [1000, 2000, 4000, 8000, 16_000, 30_000], draws=[MAX] * 6)
    yield row("stripe-node", "half to whole of 0.5 s doubled up to 5 s; the shortest draws",
              b(baseMs=500, capMs=5000, jitter="equal"), [250, 500, 1000, 2000, 2500, 2500], draws=[0.0] * 6)
    yield row("polly-constant", "constant 1 s, a quarter either way",
              b(curve="constant", baseMs=1000, jitter="proportional", jitterRatio=0.25), [750, 950, 1050, 1250],
              draws=[0.0, 0.4, 0.6, MAX])
    for name, draw, wait in [("low", 0.0, 2250), ("two-fifths", 0.4, 2850), ("half", 0.5, 3000),
                             ("three-fifths", 0.6, 3150), ("high", MAX, 3750)]:
        yield trace(f"delay-polly-linear-{name}", "linear, third attempt, 1 s, a quarter either way", "Polly v8 delay tables",
                    b(curve="linear", baseMs=1000, jitter="proportional", jitterRatio=0.25), [delay(3, wait)], draws=[draw])
    for name, draw in [("low", 0.0), ("half", 0.5), ("high", MAX)]:
        waits = [jittered("proportional", curve("exponential", 1000, n, 120_000, 1.6), draw) for n in range(1, 12)]
        yield trace(f"delay-grpc-{name}", "1 s times 1.6 up to 120 s, a fifth either way after the cap", "gRPC A6 since 2024",
                    b(baseMs=1000, factor=1.6, capMs=120_000, ceilingMs=144_000, jitter="proportional"),
                    delays(*waits), draws=[draw] * 11)


def aws():
    for name, base, waits in [("standard", 50, [50, 100, 200, 400, 800, 1600, 3200, 6400, 12_800, 20_000, 20_000]),
                              ("dynamodb", 25, [25, 50, 100])]:
        yield trace(f"delay-aws-{name}", "the longest draws", "AWS 2.1 vectors j and k",
                    b(baseMs=base, throttledBaseMs=1000, capMs=20_000, jitter="full"), delays(*waits), draws=[MAX] * len(waits))
    yield trace("delay-aws-cap", "the longest draws under a cap of 0.2 s", "AWS 2.1 vector i",
                b(baseMs=50, capMs=200, jitter="full"), delays(50, 100, 200, 200), draws=[MAX] * 4)
    failures = [("transient", 50), *(("throttled", wait) for wait in (2000, 4000, 8000, 16_000)),
                ("transient", 1600), *[("throttled", 20_000)] * 5]
    steps = [delay(n, wait, **{"class": of}) for n, (of, wait) in enumerate(failures, 1)]
    yield trace("delay-aws-mixed", "the exponent counts all failures, the base is that of this one", "AWS 2.1 vectors n and o",
                b(baseMs=50, throttledBaseMs=1000, capMs=20_000, jitter="full"), steps, draws=[MAX] * len(steps))


def reports():
    def row(name, about, source, policy, steps, **rest):
        return trace(f"delay-{name}", about, source, policy, steps, **rest)

    numbers = [*range(1, 31), *range(1020, 1031), 2**32 - 1]
    early = polly(2000, 30_000, [0.5] * 5)
    steps = [delay(n, around(early[n - 1]) if n <= 5 else 30_000) for n in numbers]
    yield row("v2-saturates", "from saturation on exactly the cap, past 2^1024 too", "App-vNext/Polly#2163",
              b(baseMs=2000, jitter="polly-v2"), steps, draws=[0.5] * len(steps))
    steps = [delay(n, LONGEST) for n in (30, 40, 63, 64, 65, 100, 1025)]
    yield row("v2-longest", "no negative wait where the numbers end", "Polly-Contrib/Polly.Contrib.WaitAndRetry#24",
              b(baseMs=1000, capMs=LONGEST, jitter="polly-v2"), steps, draws=[0.5] * len(steps))
    five_days = 432_000_000
    yield row("huge-base", "saturates; retry 64 is not the base again", "aws/aws-sdk-java-v2#1453",
              b(baseMs=five_days, capMs=LONGEST),
              [delay(n, min(five_days << (n - 1), LONGEST)) for n in (1, 2, 3, 7, 8, 63, 64, 65, 201, 2**32 - 1)])
    yield row("first-is-the-base", "not zero, and never below it", "elennick/retry4j#36", b(baseMs=1000), [delay(1, 1000), delay(40, 30_000)])
    yield row("random-keeps-its-least", "the least of a decorrelated wait is the base", "jd/tenacity#487",
              b(baseMs=2000, capMs=60_000, jitter="decorrelated"), delays(2000), draws=[0.0])
    yield row("spread-at-the-cap", "cap before jitter: two clients at the cap wait differently", "jd/tenacity PR 703",
              b(baseMs=1000, capMs=60_000, jitter="full"), [delay(20, between(0, 60_000, 0.1)), delay(20, between(0, 60_000, 0.9))],
              draws=[0.1, 0.9])
    yield row("base-is-the-cap", "no inverted range", "apple/servicetalk PR 1447",
              b(baseMs=10_000, capMs=10_000, jitter="proportional", jitterRatio=0.5),
              [delay(5, 5000), delay(5, 10_000), delay(5, 10_000)], draws=[0.0, 0.5, MAX])
    yield row("ceiling-after-jitter", "the ceiling bounds the result", "langchain-ai/langchain#40259",
              b(baseMs=10_000, capMs=10_000, jitter="proportional", jitterRatio=0.25), delays(10_000), draws=[MAX])
    yield row("ceiling-at-sixty", "60 s and a quarter is still 60 s", "openai/openai-agents-python PR 2676",
              b(baseMs=1000, capMs=60_000, jitter="proportional", jitterRatio=0.25), [delay(6, 40_000), delay(7, 60_000)], draws=[MAX, MAX])
    yield row("spread-follows-the-wait", "a fifth of what is waited, not of the base", "Xuanwo/backon PR 184",
              b(baseMs=1000, capMs=60_000, ceilingMs=100_000, jitter="proportional"),
              [delay(9, 48_000), delay(9, 60_000), delay(9, 72_000)], draws=[0.0, 0.5, MAX])
    yield row("full-jitter-may-be-nothing", "full jitter starts at zero", "googleapis/gax-nodejs#511", b(baseMs=100, jitter="full"),
              [delay(1, {"delayMs": 0, "reason": "backoff"})], draws=[0.0])
    yield row("at-most-a-minute", "all tries stay under one limit", "azure-sdk-for-go#19384",
              b(baseMs=800, capMs=60_000), delays(800, 1600, 3200, 6400, 12_800, 25_600, 51_200, 60_000, 60_000, 60_000))
    yield row("base-zero-for-ever", "zero at every attempt, whatever the jitter", "wait rules: base 0",
              b(baseMs=0, jitter="full"), [delay(n, 0) for n in (1, 2, 1025, 2**32 - 1)], draws=[MAX] * 4)
    for jitter in ("equal", "decorrelated", "polly-v2", "proportional"):
        yield row(f"base-zero-{jitter}", "zero at every attempt", "wait rules: base 0", b(baseMs=0, jitter=jitter),
                  [delay(n, 0) for n in (1, 2, 1025)], draws=[MAX] * 3)


def combinations():
    for jitter in ("none", "full", "equal", "proportional"):
        for kind in ("none", "constant", "linear", "exponential"):
            draws = [0.0, 0.25, 0.5, 0.75, MAX, 0.999]
            waits = [jittered(jitter, curve(kind, 700, n, 5000), d) for n, d in enumerate(draws, 1)]
            yield trace(f"delay-{kind}-{jitter}", "base 700 ms, cap 5 s, ceiling 9 s", "policy table: curve, then jitter",
                        b(curve=kind, baseMs=700, capMs=5000, ceilingMs=9000, jitter=jitter), delays(*waits), draws=draws)
    draws = [0.0, MAX, MAX, 0.5, MAX, 0.0, 0.25]
    for kind in ("none", "exponential"):
        yield trace(f"delay-decorrelated-{kind}", "the curve does not matter", "policy table: decorrelated ignores the curve",
                    b(curve=kind, baseMs=300, capMs=8000, jitter="decorrelated"), delays(*decorrelated(300, 8000, draws)), draws=draws)
    for draw in (0.25, 0.75):
        yield trace(f"delay-polly-{str(draw)[2:]}", "base 1 s, each draw the same", "Polly v8 delay tables",
                    b(baseMs=1000, capMs=60_000, jitter="polly-v2"), delays(*map(around, polly(1000, 60_000, [draw] * 6))), draws=[draw] * 6)
    yield trace("delay-states-apart", "what one call remembers is not the other's", "wait rules: the state belongs to the call",
                b(baseMs=100, capMs=9000, jitter="decorrelated"),
                [delay(1, 300, call="a"), delay(2, 900, call="a"), delay(1, 300, call="b"), delay(3, 2700, call="a")], draws=[MAX] * 4)
    for seed in (0, 1, 42, 2**53 - 1):
        source = splitmix(seed)
        waits = [(next(source) * (min(500 << n, 30_000) + 1)) >> 64 for n in range(8)]
        yield trace(f"delay-seed-{seed}", "SplitMix64, eight waits", "policy table: random numbers", {}, delays(*waits), seed=seed)
    source = splitmix(5)
    yield trace("delay-seed-after-draws", "once the draws are spent the generator goes on from the seed", "trace format: draws", {},
                delays(500, *((next(source) * (min(500 << n, 30_000) + 1)) >> 64 for n in (1, 2, 3))), seed=5, draws=[MAX])
    for factor, waits in [(1, [400, 400, 400]), (1.001, [400, 400, 400, 401]), (3, [400, 1200, 3600]), (100, [400, 30_000]),
                          (2.5, [400, 1000, 2500, 6250])]:
        yield trace(f"delay-factor-{factor}", "kept in thousandths", "policy table: factor", b(baseMs=400, factor=factor), delays(*waits))
    yield trace("delay-cap-zero", "nothing is ever waited", "policy table: base is the smaller of 500 and the cap", b(capMs=0), delays(0, 0, 0))
    yield trace("delay-base-follows-the-cap", "a base left out is the cap where that is smaller", "policy table: baseMs", b(capMs=200), delays(200, 200))
    yield trace("delay-ceiling-below-cap", "the ceiling bounds the result", "policy table: ceilingMs", b(baseMs=1000, ceilingMs=1500), delays(1000, 1500, 1500))
    yield trace("delay-throttled-base-zero", "a base of its own, zero too", "policy table: throttledBaseMs", b(throttledBaseMs=0),
                [delay(1, 0, **{"class": "throttled"}), delay(1, 500), delay(3, 0, **{"class": "throttled"})])


def hints():
    def row(name, about, hint, steps, **rest):
        return trace(f"hint-{name}", about, "policy table: hint", {"backoff": {"baseMs": 4000, "jitter": "none", **rest.pop("backoff", {})}, "hint": hint}, steps, **rest)

    def heard(wait, given, reason="server-hint", retry=1, **rest):
        return delay(retry, {"delayMs": wait, "reason": reason}, hintMs=given, **rest)

    yield row("override", "shorter or longer, the server decides", {}, [heard(1, 1), heard(4000, 4000), heard(29_999, 29_999), heard(30_000, 30_000)])
    yield row("override-clamped", "the cap stands in for a limit", {}, [heard(30_000, 30_001), heard(30_000, LONGEST), heard(30_000, 2**53 - 1)])
    yield row("override-nothing", "zero keeps the wait", {}, [heard(4000, 0, "backoff")])
    yield row("at-least-ends", "the longer of the two", {"mode": "at-least"},
              [heard(4000, 3999, "backoff"), heard(4000, 4000), heard(4001, 4001), heard(4000, 0, "backoff")])
    yield row("exact", "zero too", {"mode": "exact"}, [heard(0, 0), heard(1, 1), heard(30_000, 40_000)])
    yield row("ignored", "nothing is heard", {"mode": "ignore"}, [heard(4000, 9000, "backoff"), heard(4000, 0, "backoff"), heard(4000, LONGEST, "backoff")])
    yield row("ignored-is-never-too-long", "nobody gives up over what is not heard", {"mode": "ignore", "beyond": "give-up"}, [heard(4000, LONGEST, "backoff")])
    yield row("limit-of-its-own", "a limit above the cap", {"maxMs": 60_000}, [heard(60_000, 60_000), heard(60_000, 60_001)])
    yield row("limit-below-the-wait", "a limit below the wait shortens it", {"maxMs": 100}, [heard(100, 5000)])
    yield row("give-up-ends", "tested on the raw hint", {"maxMs": 60_000, "beyond": "give-up"},
              [heard(60_000, 60_000), heard(None, 60_001, "hint-too-long"), heard(None, LONGEST, "hint-too-long")])
    yield row("limit-zero", "a limit of nothing gives up on anything", {"maxMs": 0, "beyond": "give-up"}, [heard(None, 1, "hint-too-long"), heard(4000, 0, "backoff")])
    yield row("spread-ends", "lengthened by up to a fifth, never shortened", {"spread": 0.2},
              [heard(10_000, 10_000), heard(between(10_000, 12_000, 0.5), 10_000), heard(12_000, 10_000)], draws=[0.0, 0.5, MAX])
    yield row("spread-of-all", "lengthened by up to the whole", {"spread": 1}, [heard(20_000, 10_000)], draws=[MAX])
    yield row("no-cap-after-spread", "the limit was tested on the raw hint", {"spread": 0.5}, [heard(45_000, 30_000)], draws=[MAX])
    yield row("not-immediate", "a hint is waited, also before the first retry", {}, [heard(700, 700), heard(0, 0, "immediate"), delay(2, {"delayMs": 8000, "reason": "backoff"})],
              backoff={"firstRetryImmediate": True})


def all_traces():
    for part in (tables, aws, reports, combinations, hints):
        yield from part()
