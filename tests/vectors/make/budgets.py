"""The four kinds of budget."""

import random

from lines import step, trace
from model import Ratio


def ratio(share, per_second=0, span=10_000):
    return {"budget": {"kind": "ratio", "ratio": share, "minPerSecond": per_second, "windowMs": span}}


def tokens(capacity=500, transient=14, throttled=5, credit=1):
    return {"budget": {"kind": "tokens", "capacity": capacity, "transientCost": transient, "throttledCost": throttled, "credit": credit}}


def throttle(most=10, credit=0.1):
    return {"budget": {"kind": "throttle", "maxTokens": most, "tokenRatio": credit}}


def concurrency(share, least):
    return {"budget": {"kind": "concurrency", "ratio": share, "minConcurrency": least}}


def start(at, times=None, **call):
    return step(at, "start", **({"times": times} if times else {}), **call)


def many(at, times, allowed, **fields):
    return step(at, "retry", {"allowed": allowed}, times=times, **fields)


def ask(at, allowed, **fields):
    return step(at, "retry", {"allowed": allowed}, **fields)


def left(at, amount):
    return step(at, "balance", {"balance": amount})


def done(at, result, times=None, **call):
    return step(at, "finish", result=result, **({"times": times} if times else {}), **call)


def ratios():
    source = "tower-rs/tower#857; Finagle's deposits and withdrawals"
    for share, allowed in [(0.1, 100), (0.2, 200), (0.25, 250), (0.3, 300), (0.4, 400), (0.5, 500), (0.6, 600), (0.75, 750),
                           (0.9, 900), (1, 1000), (1.5, 1500), (2, 2000), (3, 3000), (0.0001, 0), (0.001, 1), (0, 0)]:
        yield trace(f"budget-ratio-of-{share}", "a thousand calls, and retries without end", source, ratio(share),
                    [start(0, 1000), left(0, allowed), many(1, 4000, allowed)])
    yield trace("budget-reserve", "a hundred from cold, none more, a hundred again when they leave the window", "tower's default reserve",
                ratio(0.2, 10), [many(0, 200, 100), left(0, 0), many(9999, 50, 0), many(10_000, 200, 100)])
    yield trace("budget-reserve-only", "a reserve without deposits", "Finagle's leaky bucket", ratio(0, 50, 2000),
                [many(0, 50, 50), many(0, 51, 50), many(1999, 1, 0), many(2000, 101, 100)])
    yield trace("budget-nothing", "both zero: no retry at all", "Finagle's empty budget", ratio(0), [start(0, 1000), many(0, 10, 0)])
    yield trace("budget-slots-on-a-grid", "however often one looks", "window rules: lifetime in (ttl - width, ttl]", ratio(1, 0, 1000),
                [start(0), *(left(at, 1) for at in range(101, 1000, 101)), left(1000, 0), left(1010, 0)])
    for born, last in [(0, 999), (50, 999), (99, 999), (100, 1099), (150, 1099)]:
        yield trace(f"budget-deposit-at-{born}", "a deposit lives to the end of its slot's turn", "window rules: slots on a grid", ratio(1, 0, 1000),
                    [start(born), left(last, 1), left(last + 1, 0), ask(last + 1, False)])
    yield trace("budget-refund-to-its-slot", "a refund goes to the slot it came from and is forgotten with it", "decision order: refunded to its slot", ratio(1, 0, 1000),
                [start(0, 2), ask(0, True, call="a"), ask(0, True, call="b"), step(500, "refund", call="a"), left(500, 1),
                 step(1000, "refund", call="b"), left(1000, 0)])
    yield trace("budget-refund-once", "a second refund gives nothing", "a withdrawal is given back once", ratio(1), 
                [start(0, 1), ask(0, True, call="a"), step(1, "refund", call="a"), step(2, "refund", call="a"), left(3, 1)])
    yield trace("budget-refund-each", "calls without a name give back one withdrawal each", "a withdrawal is given back once", ratio(0, 1),
                [many(0, 3, 3), left(0, 7), step(1, "refund", times=2), left(1, 9), step(2, "refund", times=2), left(2, 10)])
    yield trace("budget-refund-without-a-retry", "nothing was taken", "a withdrawal is given back once", ratio(1), [start(0, 3), step(0, "refund", call="a"), left(0, 3)])
    yield trace("budget-hung-calls-count", "a call counts when it begins, not when it ends", "zeromicro/go-zero#5011", ratio(0.1, 0),
                [start(0, 100), many(0, 20, 10)])
    yield trace("budget-leap", "a leap forward empties the window", "window rules", ratio(1), [start(0, 50), left(0, 50), left(10**12, 0), many(10**12, 5, 0)])
    yield trace("budget-time-back", "a step back forgets nothing", "monotonic time is clamped", ratio(1), [start(5000, 5), left(5000, 5), left(0, 5), many(0, 6, 5)])
    yield trace("budget-standard", "a tenth, and one a second on top", "policy table: budget", {}, [left(0, 10), start(0, 1000), many(0, 200, 110)])


def one_input():
    source = "one input, each kind: 1000 calls that want two retries each"
    for name, policy, allowed in [("ratio", ratio(0.2, 10), 300), ("ratio-of-three-tenths", ratio(0.3, 10), 400), ("throttle", throttle(), 4),
                                  ("tokens", tokens(), 35), ("tenth", ratio(0.1), 100)]:
        yield trace(f"budget-storm-{name}", "how many retries are allowed", source, policy, [start(0, 1000), many(1, 2000, allowed)])


def reconfigured():
    source = "grpc/grpc PR 38947"

    def change(at, policy):
        return step(at, "reconfigure", document=policy)

    yield trace("budget-throttle-reconfigured", "4 in 10 are 8 in 20", source, throttle(10, 0.1),
                [done(0, "failure", 6), left(0, 4), change(1, throttle(20, 0.5)), left(1, 8), done(2, "success"), left(2, 8.5), done(3, "success", 50), left(3, 20), ask(4, True)])
    yield trace("budget-throttle-reconfigured-smaller", "and back", source, throttle(20, 0.5),
                [done(0, "failure", 12), left(0, 8), change(1, throttle(10, 0.1)), left(1, 4)])
    yield trace("budget-tokens-reconfigured", "a quarter of the tokens is left", source, tokens(400, 100),
                [many(0, 3, 3), left(0, 100), change(1, tokens(1000, 100)), left(1, 250), many(2, 9, 2), left(2, 50)])
    yield trace("budget-ratio-reconfigured", "deposits follow the ratio, what was spent stays spent", source, ratio(0.1),
                [start(0, 200), left(0, 20), change(1, ratio(0.2)), left(1, 40), many(2, 50, 40), change(3, ratio(0.1)), left(3, 0)])
    yield trace("budget-concurrency-reconfigured", "places are counted anew, calls stay", source, concurrency(0.1, 0),
                [start(0, call="a"), start(0, call="b"), ask(0, False, call="a"), change(1, concurrency(0.5, 0)), ask(1, True, call="a"), ask(1, False, call="b")])
    yield trace("budget-kind-reconfigured", "another kind begins full", source, tokens(14),
                [ask(0, True), left(0, 0), change(1, throttle()), left(1, 10), change(2, {"budget": None}), change(3, tokens(14)), left(3, 14)])


def throttles():
    source = "gRPC A6"
    steps = [ask(n, n < 5) for n in range(1, 5)] + [left(4, 6), ask(5, False), left(5, 5), done(6, "success"), left(6, 5.1), ask(7, False), left(7, 4.1)]
    yield trace("budget-throttle-numbers", "9, 8, 7, 6 allowed, 5 refused", source, throttle(), steps)
    yield trace("budget-throttle-ten-successes", "from 5 ten successes are one too few", source, throttle(),
                [done(0, "failure", 5), left(0, 5), done(1, "success", 10), left(1, 6), ask(2, False)])
    yield trace("budget-throttle-eleven-successes", "from 5 eleven successes allow again", source, throttle(),
                [done(0, "failure", 5), done(1, "success", 11), left(1, 6.1), ask(2, True), left(2, 5.1)])
    yield trace("budget-throttle-floor", "never below zero", source, throttle(), [done(0, "failure", 50), left(0, 0), done(1, "success"), left(1, 0.1)])
    yield trace("budget-throttle-full", "never above its maximum", source, throttle(), [done(0, "success", 50), left(0, 10)])
    yield trace("budget-throttle-others", "what is not retryable changes nothing", source, throttle(), [done(0, "ignored", 50), left(0, 10)])
    yield trace("budget-throttle-one", "one token: the first failure leaves nothing", "grpc/grpc-go PR 2670", throttle(1), [ask(0, False), left(0, 0)])
    yield trace("budget-throttle-most", "a thousand", "grpc/grpc-go PR 2670", throttle(1000), [many(0, 1000, 499), left(0, 0)])
    yield trace("budget-throttle-thousandths", "three decimals", source, throttle(2, 0.546), [done(0, "failure"), left(0, 1), done(1, "success"), left(1, 1.546), ask(2, False), left(2, 0.546)])
    yield trace("budget-throttle-refund", "a retry takes nothing beside its failure, so nothing comes back", "policy table: throttle", throttle(),
                [ask(0, True, call="a"), step(1, "refund", call="a"), left(1, 9)])


def quotas():
    def aws(name, about, policy, *steps):
        return trace(f"budget-aws-{name}", about, f"AWS 2.1 vector {name}", policy, list(steps))

    yield aws("b", "three failures", tokens(), ask(0, True, call="a"), left(0, 486), ask(1, True, call="a"), left(1, 472), done(2, "failure", call="a"), left(2, 472))
    yield aws("c", "the last fourteen", tokens(14), ask(0, True, call="a"), left(0, 0), ask(1, False, call="a"), left(1, 0))
    yield aws("d", "nothing at all", tokens(0), ask(0, False), left(0, 0))
    yield aws("e", "four retries", tokens(), many(0, 4, 4, call="a"), left(0, 444))
    yield aws("f", "six are not enough", tokens(20), ask(0, True, call="a"), left(0, 6), ask(1, False, call="a"), left(1, 6))
    yield aws("g", "a success gives the last cost back", tokens(30), ask(0, True, call="a"), left(0, 16), ask(1, True, call="a"), left(1, 2),
              done(2, "success", call="a"), left(2, 16), ask(3, True, call="b"), left(3, 2), done(4, "success", call="b"), left(4, 16))
    yield aws("h", "throttling costs five", tokens(), ask(0, True, call="a", **{"class": "throttled"}), left(0, 495), done(1, "success", call="a"), left(1, 500))
    for name, kinds, rest in [("m", "HHTTTTH", 429), ("n", "THHHHTH", 447), ("o", "THHHHTHHHHH", 427)]:
        steps = [ask(n, True, call="a", **{"class": "throttled" if kind == "H" else "transient"}) for n, kind in enumerate(kinds)]
        yield aws(name, "costs follow the class of each failure", tokens(), *steps, left(99, rest))
    yield trace("budget-tokens-drain", "35 transient retries", "aws/aws-sdk-rust#1234", tokens(), [many(0, 100, 35), left(0, 10)])
    yield trace("budget-tokens-throttled-drain", "a hundred throttled retries", "AWS 2.1 costs", tokens(), [many(0, 200, 100, **{"class": "throttled"}), left(0, 0)])
    yield trace("budget-tokens-credit", "fourteen clean successes are one retry", "AWS 2.1 costs", tokens(14),
                [ask(0, True, call="a"), done(1, "failure", call="a"), done(2, "success", 13, call="b"), ask(3, False, call="c"), done(4, "success", call="d"), left(4, 14), ask(5, True, call="e")])
    yield trace("budget-tokens-nobody-waits", "capacity 0 stays 0", "smithy-lang/smithy-rs PR 4632", tokens(0), [many(0, 50, 0), left(0, 0), done(1, "success"), left(1, 0)])
    yield trace("budget-tokens-finished", "a success earns back its own call's withdrawal, not that of the call before", "policy table: tokens", tokens(),
                [ask(0, True), step(1, "finish", result="failure"), left(1, 486), step(2, "finish", result="success"), left(2, 487)])
    yield trace("budget-tokens-refund", "a retry that never starts costs nothing", "decision order: cancelled while waiting", tokens(),
                [ask(0, True, call="a"), step(1, "refund", call="a"), left(1, 500), step(2, "refund", call="a"), left(2, 500)])
    yield trace("budget-tokens-free", "a retry may cost nothing", "policy table: tokens", tokens(0, 0, 1), [many(0, 100, 100), ask(1, False, **{"class": "throttled"})])


def shares():
    source = "Envoy's concurrency budget"
    yield trace("budget-concurrency-25", "a fifth of 25", source, concurrency(0.2, 3), [start(0, 25), many(0, 25, 5)])
    yield trace("budget-concurrency-least", "three, however few are active", source, concurrency(0.2, 3), [start(0, 4), many(0, 4, 3)])
    yield trace("budget-concurrency-1000", "exactly 200", "envoyproxy/envoy#30205", concurrency(0.2, 3), [start(0, 1000), left(0, 200), many(0, 1000, 200), left(0, 0)])
    yield trace("budget-concurrency-all", "a call that waits is still active", "envoyproxy/envoy#30205", concurrency(1, 0), [start(0, 6), many(0, 6, 6)])
    yield trace("budget-concurrency-none", "no share, no least", source, concurrency(0, 0), [start(0, 10), many(0, 10, 0)])
    named = [start(0, call=c) for c in "abcdefghij"]
    yield trace("budget-concurrency-place-freed", "a retry that ends frees its place", source, concurrency(0.1, 0),
                named + [ask(1, True, call="a"), ask(1, False, call="b"), done(2, "success", call="a"), ask(3, False, call="b"), start(4, call="k"), ask(4, True, call="b")])
    yield trace("budget-concurrency-refund", "a retry that never starts frees its place", source, concurrency(0.1, 0),
                named + [ask(1, True, call="a"), step(2, "refund", call="a"), ask(3, True, call="b"), ask(3, False, call="a")])
    yield trace("budget-concurrency-again", "the next retry of a call takes the place of its last", source, concurrency(0.1, 0),
                named + [ask(1, True, call="a"), ask(2, True, call="a"), ask(3, False, call="b")])
    yield trace("budget-concurrency-calls-end", "the share follows the calls", source, concurrency(0.5, 0),
                [start(0, call="a"), start(0, call="b"), left(0, 1), done(1, "failure", call="a"), left(1, 0), ask(2, False, call="b")])


def at_random():
    for seed in range(1, 9):
        chance, at, steps, waiting = random.Random(seed), 0, [], []
        share, per_second, span = chance.choice([(0.1, 0, 1000), (0.5, 1, 2000), (0.25, 0, 3300), (1.5, 2, 1005)])
        model = Ratio(share, per_second, span)
        for n in range(60):
            at += chance.choice([0, 0, 1, 40, 99, 100, 101, 300, 900])
            kind = chance.choice(["start", "start", "retry", "retry", "refund", "balance"])
            if kind == "start":
                model.start(at)
                steps.append(start(at))
            elif kind == "retry":
                slot = model.retry(at)
                steps.append(ask(at, slot is not None, call=f"c{n}"))
                waiting += [(f"c{n}", slot)] if slot is not None else []
            elif kind == "refund" and waiting:
                call, slot = waiting.pop(chance.randrange(len(waiting)))
                model.refund(slot, at)
                steps.append(step(at, "refund", call=call))
            else:
                steps.append(left(at, model.balance(at)))
        yield trace(f"budget-walk-{seed}", "sixty events drawn at random, answers of the model beside this file", "window rules; deposits and withdrawals", ratio(share, per_second, span), steps)


def all_traces():
    for part in (ratios, one_input, reconfigured, throttles, quotas, shares, at_random):
        yield from part()
