"""The circuit breaker."""

import random

from lines import admit, record, state, step, trace
from model import Breaker


def consecutive(failures=3, open_ms=1000, most=1000, probes=1, successes=1, lease=500, **rest):
    return {"breaker": {"kind": "consecutive", "failures": failures, "openMs": open_ms, "maxOpenMs": most,
                        "probes": probes, "successes": successes, "probeTimeoutMs": lease, **rest}}


def rate(**rest):
    return {"breaker": {"kind": "rate", "openMs": 1000, "maxOpenMs": 1000, "probes": 1, "successes": 1, "probeTimeoutMs": 500, **rest}}


def fails(at, count, opens=True, first=0):
    """`count` calls that fail; the last one opens the breaker."""
    steps = []
    for n in range(count):
        steps += [admit(at, f"f{first + n}"), record(at, f"f{first + n}", "failure", "closed->open" if opens and n == count - 1 else None)]
    return steps


def samples(at, kinds, last=None, first=0):
    """Calls in a row: `f` fails, `s` succeeds, `i` is ignored, `c` is cancelled."""
    words = {"f": "failure", "s": "success", "i": "ignored", "c": "cancelled"}
    steps = []
    for n, kind in enumerate(kinds):
        steps += [admit(at, f"n{first + n}"), record(at, f"n{first + n}", words[kind], last if n == len(kinds) - 1 else None)]
    return steps


def flood(at, times, admitted, name="x"):
    return step(at, "admit", {"admitted": admitted}, permit=name, times=times)


def reports():
    def row(name, about, source, policy, *steps):
        return trace(f"breaker-{name}", about, source, policy, list(steps))

    opened = fails(0, 3)
    yield row("one-probe", "one is admitted, 99 are not", "App-vNext/Polly#216, OpenLiberty/open-liberty#7080", consecutive(), *opened,
              admit(999, "early", False, retryInMs=1), flood(1000, 100, 1), state(1000, "half-open", retryInMs=500))
    for sample in ("ignored", "cancelled"):
        yield row(f"probe-{sample}", "the place is free at once, the next call is the probe", "App-vNext/Polly#717, resilience4j#544", consecutive(), *opened,
                  admit(1000, "p", probe=True), record(1000, "p", sample), state(1000, "half-open", retryInMs=0), admit(1001, "q", probe=True),
                  admit(1001, "r", False), record(1002, "q", "success", "half-open->closed"), admit(1002, "s", probe=False))
    yield row("deadline-flood", "exactly one at the deadline", "resilience4j#1432", consecutive(), *opened, flood(1000, 20, 1))
    yield row("second-event", "one deadline, one half-open", "resilience4j#562, #674", consecutive(), *opened, state(1000, "half-open"), state(1000, "half-open"),
              admit(1000, "p", probe=True), record(1001, "p", "success", "half-open->closed"), state(1001, "closed", retryInMs=0))
    yield row("second-is-told-when", "until the probe's lease ends", "sony/gobreaker#30, #49", consecutive(), *opened,
              admit(1000, "p", probe=True), admit(1100, "q", False, probe=False, retryInMs=400))
    yield row("overshoot", "ten in flight: the fifth trips, five more are late", "sony/gobreaker#91", consecutive(5), *[admit(0, f"c{n}") for n in range(10)],
              *[record(10 + n, f"c{n}", "failure", "closed->open" if n == 4 else None, stale=n > 4) for n in range(10)],
              admit(1013, "early", False, retryInMs=1), admit(1014, "p", probe=True))
    yield row("late-success-does-not-close", "nine callers, one probe", "jaseci-labs/jac PR 8064", consecutive(), admit(0, "old"), *opened,
              flood(1000, 9, 1), record(1001, "old", "success", stale=True), state(1001, "half-open"))
    yield row("probe-below-the-minimum", "the minimum of calls is not asked for in half-open", "nodeshift/opossum#276",
              rate(minimumCalls=10, threshold=0.5), *samples(0, "f" * 10, "closed->open"), admit(1000, "p", probe=True),
              record(1001, "p", "failure", "half-open->open"), admit(2000, "q", False, retryInMs=1), admit(2001, "q2", probe=True))
    yield row("sixth-failure", "a late failure does not move the deadline", "nodeshift/opossum#385", consecutive(5), *[admit(0, f"c{n}") for n in range(6)],
              *[record(n, f"c{n}", "failure", "closed->open" if n == 4 else None, stale=n == 5) for n in range(6)], admit(1003, "e", False, retryInMs=1), admit(1004, "p", probe=True))
    yield row("third-is-refused", "two probes, not three", "projectbeskar/virtrigaud PR 70", consecutive(probes=2, successes=2), *opened,
              admit(1000, "p", probe=True), admit(1000, "q", probe=True), admit(1000, "r", False, probe=False, retryInMs=500))
    yield row("lease-frees", "an unanswered probe frees its place", "getnora-io/nora#585", consecutive(onLeaseExpiry="free"), *opened,
              admit(1000, "p", probe=True), admit(1499, "q", False, retryInMs=1), admit(1500, "q2", probe=True), record(1501, "p", "success", stale=True), state(1501, "half-open"))
    yield row("lease-fails", "an unanswered probe failed when its lease ended", "decocms/studio PR 5322", consecutive(), *opened,
              admit(1000, "p", probe=True), state(1499, "half-open"), state(1500, "open", retryInMs=1000), admit(2499, "q", False, retryInMs=1), admit(2500, "r", probe=True),
              record(2501, "p", "success", stale=True))
    yield row("lease-fails-unseen", "however late somebody looks", "booked at the lease's end, not when one looks", consecutive(open_ms=1000, most=8000), *opened,
              admit(1000, "p", probe=True), state(3400, "open", retryInMs=100), admit(3500, "q", probe=True), state(4000, "open", retryInMs=4000))
    yield row("hanging-upstream", "three probes; late results free no place of the next half-open", "safe-global/safe-client-gateway PR 3442",
              consecutive(probes=3, successes=3), *opened, flood(1000, 100, 3), state(1500, "open", retryInMs=1000), flood(2500, 100, 3, "y"),
              record(2501, "x#1", "success", stale=True), record(2501, "x#2", "failure", stale=True), flood(2502, 10, 0, "z"))
    yield row("time-back", "never longer than its time", "fabfuel/circuitbreaker PR 31", consecutive(open_ms=30_000, most=30_000), *fails(100_000, 3),
              state(40_000, "open", retryInMs=30_000), admit(40_000, "a", False, retryInMs=30_000), admit(129_999, "b", False, retryInMs=1), admit(130_000, "c", probe=True))
    yield row("leap-of-a-day", "a day ahead it tries again", "exaring/hoglet PR 25", consecutive(), *opened, admit(86_400_000, "p", probe=True))
    yield row("small-clock", "an origin of its own: nothing is unset", "NousResearch/hermes-agent PR 69003", consecutive(open_ms=60_000, most=60_000), *fails(123, 3),
              admit(130, "a", False, retryInMs=59_993))
    yield row("opened-at-zero", "zero is a time", "NousResearch/hermes-agent PR 69003", consecutive(), *opened, state(0, "open", retryInMs=1000))
    yield row("answers-are-successes", "ignored samples use up no place", "erpc/erpc PR 1118", consecutive(probes=5, successes=3), *opened,
              *[s for n in range(8) for s in (admit(1000, f"i{n}", probe=True), record(1000, f"i{n}", "ignored"))],
              *[s for n in range(3) for s in (admit(1001, f"p{n}", probe=True), record(1002, f"p{n}", "success", "half-open->closed" if n == 2 else None))])
    yield row("hung-and-cancelled", "free at once when cancelled, at the lease's end when it hangs", "diegosouzapw/OmniRoute#13836", consecutive(onLeaseExpiry="free"), *opened,
              admit(1000, "p", probe=True), record(1001, "p", "cancelled"), admit(1001, "q", probe=True), admit(1500, "r", False, retryInMs=1), admit(1501, "s", probe=True))


def rules():
    def row(name, about, policy, *steps, **rest):
        return trace(f"breaker-{name}", about, "breaker rules: boundaries", policy, list(steps), **rest)

    opened = fails(0, 3)
    yield row("a-success-between", "failures in a row, not in all", consecutive(), *samples(0, "ffsffsfff", "closed->open"))
    yield row("ignored-between", "what says nothing breaks no row", consecutive(), *samples(0, "fifcf", "closed->open"))
    yield row("first-failure", "one is enough where the policy says so", consecutive(1), *fails(0, 1))
    yield row("spent-permit", "a permit counts once", consecutive(2), admit(0, "a"), record(1, "a", "failure"), record(2, "a", "failure", stale=True), state(2, "closed"))
    yield row("two-of-three", "closes at two successes", consecutive(probes=3, successes=2), *opened, flood(1000, 9, 3),
              record(1001, "x#1", "failure"), record(1002, "x#2", "success"), record(1003, "x#3", "success", "half-open->closed"))
    yield row("out-of-reach", "opens as soon as two successes cannot be reached", consecutive(probes=3, successes=2), *opened, flood(1000, 9, 3),
              record(1001, "x#1", "failure"), record(1002, "x#2", "failure", "half-open->open"), record(1003, "x#3", "success", stale=True), state(1003, "open", retryInMs=999))
    yield row("grows", "doubled at each failed half-open, up to the longest, back on closing", consecutive(most=5000), *opened,
              *[s for at, nxt in [(1000, 2000), (3000, 4000), (7000, 5000), (12_000, 5000)] for s in
                (admit(at, f"p{at}", probe=True), record(at, f"p{at}", "failure", "half-open->open"), state(at, "open", retryInMs=nxt))],
              admit(17_000, "good", probe=True), record(17_000, "good", "success", "half-open->closed"), *fails(17_000, 3, first=50), state(17_000, "open", retryInMs=1000))
    yield row("open-for-nothing", "an open time of 0 probes at once", consecutive(open_ms=0, most=0), *opened, admit(0, "p", probe=True))
    yield row("longest-below-open", "the longest open time bounds the first too", consecutive(open_ms=1000, most=1000), *opened, state(0, "open", retryInMs=1000))
    yield row("jitter-ends", "lengthened by up to half", consecutive(most=60_000, openJitter=0.5), *opened, state(0, "open", retryInMs=1500), draws=["max"])
    yield row("jitter-least", "never shortened", consecutive(most=60_000, openJitter=0.5), *opened, state(0, "open", retryInMs=1000), draws=[0.0])
    yield row("jitter-half", "a draw on 0..500", consecutive(most=60_000, openJitter=0.5), *opened, state(0, "open", retryInMs=1250), draws=[0.5])
    yield row("jitter-under-the-longest", "the longest bounds the jitter too", consecutive(most=1200, openJitter=0.5), *opened, state(0, "open", retryInMs=1200), draws=["max"])
    yield row("isolated", "nobody passes, for ever, and late answers move nothing", consecutive(), admit(0, "a"), step(1, "isolate"), admit(10**9, "b", False, retryInMs=None),
              record(10**9, "a", "failure", stale=True), state(10**9, "isolated", retryInMs=None), step(10**9, "reset"), state(10**9, "closed"), admit(10**9, "c", probe=False))
    yield row("reset-forgets", "two failures before a reset are none after it", consecutive(), *samples(0, "ff"), step(0, "reset"), *samples(0, "ff", first=10), state(0, "closed"))
    yield row("reset-while-open", "and the open time starts anew", consecutive(most=8000), *opened, admit(1000, "p"), record(1000, "p", "failure", "half-open->open"),
              step(1001, "reset"), admit(1001, "q", probe=False), *fails(1001, 3, first=20), state(1001, "open", retryInMs=1000))
    yield row("isolated-while-open", "isolated wins over the deadline", consecutive(), *opened, step(1, "isolate"), state(5000, "isolated"))
    yield row("lease-zero", "a lease of 0 is over at once", consecutive(lease=0, onLeaseExpiry="free"), *opened, admit(1000, "p", probe=True), admit(1000, "q", probe=True))
    yield row("lease-answered-in-time", "a millisecond before the end counts", consecutive(), *opened, admit(1000, "p", probe=True), record(1499, "p", "success", "half-open->closed"))
    yield row("lease-answered-at-its-end", "the end is too late", consecutive(), *opened, admit(1000, "p", probe=True), record(1500, "p", "success", stale=True), state(1500, "open", retryInMs=1000))


def rates():
    def row(name, about, policy, *steps):
        return trace(f"breaker-rate-{name}", about, "breaker rules: rate >= threshold, in integers", policy, list(steps))

    yield row("standard", "half of twenty", {"breaker": {}}, *samples(0, "s" * 10 + "f" * 10, "closed->open"), state(0, "open", retryInMs=5000))
    yield row("below-the-minimum", "nineteen failures are too few", {"breaker": {}}, *samples(0, "f" * 19), state(0, "closed"), *samples(0, "f", "closed->open", 50))
    yield row("just-below", "nine of nineteen, ten of twenty-one", {"breaker": {}}, *samples(0, "s" * 11 + "f" * 9), state(0, "closed"))
    yield row("third", "1/3 reaches 0.3333", rate(threshold=0.3333, minimumCalls=3), *samples(0, "ssf", "closed->open"))
    yield row("third-not", "1/3 does not reach 0.3334", rate(threshold=0.3334, minimumCalls=3), *samples(0, "ssf"), state(0, "closed"))
    yield row("all", "a threshold of 1 wants them all", rate(threshold=1, minimumCalls=4), *samples(0, "sfff"), *samples(0, "ffff", first=10), state(0, "closed"))
    yield row("success-completes", "a success may complete the minimum", rate(minimumCalls=4), *samples(0, "fffs", "closed->open"))
    yield row("ignored-uncounted", "what says nothing is no call", rate(minimumCalls=4), *samples(0, "fificif"), state(0, "closed"), *samples(0, "f", "closed->open", 50))
    yield row("window-passes", "failures older than the window are gone", rate(minimumCalls=4, windowMs=1000), *samples(0, "fff"), *samples(1000, "fff", first=10), state(1000, "closed"),
              *samples(1000, "f", "closed->open", 20))
    yield row("window-end", "in the last millisecond they still count", rate(minimumCalls=4, windowMs=1000), *samples(0, "fff"), *samples(999, "f", "closed->open", 10))
    yield row("booked-at-admission", "a late failure counts where it was admitted", rate(minimumCalls=2, windowMs=1000), admit(0, "a"), admit(500, "b"),
              record(1000, "a", "failure", stale=True), record(1000, "b", "failure"), *samples(1000, "f", "closed->open"))
    yield row("idle-then-few", "five idle minutes clear the window", rate(minimumCalls=5, windowMs=10_000), *samples(0, "ffff"), *samples(300_000, "ff", first=10), state(300_000, "closed"))
    yield row("recovered", "closing clears the window", rate(minimumCalls=4), *samples(0, "ffff", "closed->open"), admit(1000, "p"), record(1000, "p", "success", "half-open->closed"),
              *samples(1000, "fff", first=10), state(1000, "closed"))
    yield row("count", "the last four calls", rate(window="count", windowCalls=4, minimumCalls=4), *samples(0, "fsssfsssf"), *samples(0, "f", "closed->open", 20))
    yield row("count-fills", "a minimum left out is at most the window", rate(window="count", windowCalls=3), *samples(0, "ff"), *samples(0, "f", "closed->open", 10))
    yield row("count-has-no-age", "a count window does not age", rate(window="count", windowCalls=4, minimumCalls=4), *samples(0, "fff"), *samples(10**9, "f", "closed->open", 10))
    slow = rate(slowCallMs=100, slowThreshold=0.5, threshold=1, minimumCalls=4)
    slowly = [s for n, took in enumerate([101, 100, 101]) for s in (admit(0, f"w{n}"), record(0, f"w{n}", "success", durationMs=took))]
    yield row("slow", "slower than the limit, not as slow", slow, *slowly, admit(0, "last"), record(0, "last", "success", "closed->open", durationMs=0))
    yield row("slow-by-the-clock", "measured from admit to record where nobody measured", slow, *[admit(0, f"w{n}") for n in range(4)],
              record(100, "w0", "success"), record(100, "w1", "success"), record(101, "w2", "success"), record(101, "w3", "success", "closed->open"))
    yield row("slow-probe", "a slow probe is not a healthy one", slow, *slowly, admit(0, "last"), record(0, "last", "success", "closed->open", durationMs=0),
              admit(1000, "p"), record(1101, "p", "success", "half-open->open"))


def at_random():
    policies = [
        {"kind": "consecutive", "failures": 2, "openMs": 300, "maxOpenMs": 1000, "probes": 2, "successes": 1, "probeTimeoutMs": 250},
        {"kind": "rate", "threshold": 0.4, "minimumCalls": 4, "windowMs": 1000, "openMs": 200, "maxOpenMs": 900, "probes": 3, "successes": 2, "probeTimeoutMs": 300},
        {"kind": "rate", "window": "count", "windowCalls": 5, "threshold": 0.5, "minimumCalls": 3, "openMs": 250, "maxOpenMs": 250, "probes": 2, "successes": 2, "probeTimeoutMs": 200, "onLeaseExpiry": "free"},
        {"kind": "consecutive", "failures": 3, "openMs": 100, "maxOpenMs": 1600, "probes": 3, "successes": 3, "probeTimeoutMs": 150, "onLeaseExpiry": "fail"},
    ]
    for seed in range(16):
        chance, policy, at, out, steps = random.Random(seed), policies[seed % 4], 0, [], []
        model = Breaker(**policy)
        for n in range(80):
            at = max(0, at + chance.choice([0, 0, 1, 5, 20, 49, 50, 100, 199, -30]))
            if chance.random() < 0.55 or not out:
                permit, wait = model.admit(at)
                expect = {} if permit else {"retryInMs": wait}
                steps.append(admit(at, f"p{n}", permit is not None, probe=permit is not None and permit[2] is not None, **expect))
                out += [(f"p{n}", permit)] if permit else []
            elif chance.random() < 0.03:
                word = chance.choice(["isolate", "reset"])
                model.enter("isolated") if word == "isolate" else model.close()
                steps.append(step(at, word))
            else:
                name, permit = out.pop(chance.randrange(len(out)))
                sample = chance.choice(["failure", "failure", "failure", "success", "success", "ignored", "cancelled"])
                change, late = model.record(permit, sample, at)
                steps.append(record(at, name, sample, change, late))
        yield trace(f"breaker-walk-{seed}", "eighty events drawn at random, answers of the model beside this file", "breaker rules", {"breaker": policy}, steps)


def all_traces():
    for part in (reports, rules, rates, at_random):
        yield from part()
