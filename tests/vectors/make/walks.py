"""Random whole calls against a model of everything that they share: draws, waits, hints, the order of
a decision, budget, breaker, key windows. Written from the documents' text, apart from `model.py`.
"""

import random
from datetime import datetime, timedelta
from fractions import Fraction

from lines import error, status

START = datetime(2026, 1, 15, 12)
IDEMPOTENT = {"GET", "PUT"}
# Outcome, class, delivery, whether that is proven, what the breaker is told, hint, a word of its own; how often.
OUTCOMES = [
    (6, status(200), "success", None, False, "success", None, ""), (2, status(404), "permanent", None, False, "success", None, ""),
    (10, status(500), "transient", None, False, "failure", None, ""), (3, status(503), "transient", None, False, "failure", None, ""),
    (3, status(429), "throttled", "not", False, "ignored", None, ""), (2, status(429, ("retry-after", "1")), "throttled", "not", False, "ignored", 1000, ""),
    (2, status(429, ("retry-after-ms", "250")), "throttled", "not", False, "ignored", 250, ""), (2, status(503, ("retry-after", "2")), "throttled", "not", False, "failure", 2000, ""),
    (1, status(503, ("retry-after", "0")), "throttled", "not", False, "failure", 0, ""), (1, status(503, ("retry-after", "90")), "throttled", "not", False, "failure", 90_000, ""),
    (2, status(500, ("retry-after", "1")), "transient", None, False, "failure", 1000, ""), (1, status(503, ("x-should-retry", "false")), "permanent", None, False, "failure", None, "veto"),
    (1, status(404, ("x-should-retry", "true")), "transient", None, False, "failure", None, ""), (1, status(500, ("idempotent-replayed", "true")), "permanent", None, False, "ignored", None, "replayed"),
    (1, status(201, ("idempotent-replayed", "true")), "success", None, False, "ignored", None, "replayed"), (1, status(421), "transient", "not", True, "failure", None, ""),
    (4, error("node", "ECONNRESET"), "transient", None, False, "failure", None, ""), (2, error("node", "ECONNREFUSED"), "transient", "not", True, "failure", None, ""),
    (1, error("node", "CERT_HAS_EXPIRED"), "permanent", "not", True, "failure", None, ""), (1, error("node", "ERR_INVALID_URL"), "permanent", "not", True, "ignored", None, ""),
    (1, error("axios", "ERR_CANCELED"), "cancelled", None, False, "cancelled", None, ""), (1, status(500, committed=True), "transient", None, False, "failure", None, "committed"),
]


def exact(number):
    return Fraction(str(number))


class Draws:
    """SplitMix64."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        z = self.state
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            z = (z ^ (z >> shift)) * factor % 2**64
        return z ^ (z >> 31)


def between(x, low, high):
    return low + (x * (high - low + 1) >> 64)


class Budget:
    def __init__(self, policy):
        self.policy, self.kind = policy or {}, (policy or {}).get("kind")
        self.level = {"tokens": self.policy.get("capacity"), "throttle": self.policy.get("maxTokens")}.get(self.kind)
        self.slots, self.active, self.retrying = {}, 0, set()

    def slot(self, now):
        return now // (self.policy["windowMs"] // 10)

    def begin(self, now):
        self.active += 1
        if self.kind == "ratio":
            self.slots[self.slot(now)] = self.slots.get(self.slot(now), 0) + exact(self.policy["ratio"])

    def failure(self):
        if self.kind == "throttle":
            self.level = max(0, self.level - 1)

    def success(self, cost):
        if self.kind == "throttle":
            self.level = min(self.policy["maxTokens"], self.level + exact(self.policy["tokenRatio"]))
        if self.kind == "tokens":
            self.level = min(self.policy["capacity"], self.level + (self.policy["credit"] if cost is None else cost))

    def ask(self, now, call, kind):
        """Whether the call may retry, and what it holds then."""
        if self.kind == "ratio":
            here = self.slot(now)
            alive = sum(sum_ for slot, sum_ in self.slots.items() if slot > here - 10)
            if alive + self.policy["minPerSecond"] * self.policy["windowMs"] // 1000 < 1:
                return False, None
            self.slots[here] = self.slots.get(here, 0) - 1
            return True, here
        if self.kind == "tokens":
            cost = self.policy["throttledCost" if kind == "throttled" else "transientCost"]
            if self.level < cost:
                return False, None
            self.level -= cost
            return True, cost
        if self.kind == "throttle":
            return self.level > Fraction(self.policy["maxTokens"], 2), None
        if self.kind == "concurrency":
            self.retrying.discard(call)
            if len(self.retrying) >= max(int(exact(self.policy["ratio"]) * self.active), self.policy["minConcurrency"]):
                return False, None
            self.retrying.add(call)
        return True, None

    def refund(self, held):
        if self.kind == "ratio":
            self.slots[held] = self.slots.get(held, 0) + 1
        if self.kind == "tokens":
            self.level = min(self.policy["capacity"], self.level + held)

    def end(self, call):
        self.active -= 1
        self.retrying.discard(call)


class Breaker:
    def __init__(self, policy):
        self.policy, self.name, self.generation, self.opened, self.until = policy, "closed", 0, 0, 0
        self.clear()

    def clear(self):
        self.generation += 1
        self.row, self.slots, self.ring, self.good, self.bad, self.leases = 0, {}, [], 0, 0, {}

    def open(self, now, hint=None):
        longest = self.policy["maxOpenMs"]
        wait = min(self.policy["openMs"] << self.opened, longest)
        self.opened, self.name, self.until = self.opened + 1, "open", now + max(wait, min(hint or 0, longest))
        self.clear()

    def fail_probe(self, now, hint=None):
        self.bad += 1
        if self.bad > self.policy["probes"] - self.policy["successes"]:
            self.open(now, hint)

    def pass_time(self, now):
        while self.name == "half-open" and any(end <= now for end in self.leases.values()):
            lease = min(self.leases, key=self.leases.get)
            end = self.leases.pop(lease)
            if self.policy.get("onLeaseExpiry") != "free":
                self.fail_probe(end)

    def admit(self, now):
        """When to ask again, or None with a permit."""
        if self.policy is None:
            return None, None
        self.pass_time(now)
        if self.name == "open":
            if now < self.until:
                return self.until - now, None
            self.name = "half-open"
            self.clear()
        permit = (self.generation, now, len(self.leases) + self.good + self.bad, object())
        if self.name == "half-open":
            if permit[2] >= self.policy["probes"]:
                return min(self.leases.values()) - now, None
            self.leases[permit] = now + self.policy["probeTimeoutMs"]
        return None, permit

    def record(self, now, permit, sample, hint):
        if self.policy is None:
            return
        self.pass_time(now)
        if permit[0] != self.generation or (self.name == "half-open" and self.leases.pop(permit, None) is None) or sample in ("ignored", "cancelled"):
            return
        failed = sample == "failure"
        if self.name == "half-open":
            if failed:
                self.fail_probe(now, hint)
                return
            self.good += 1
            if self.good >= self.policy["successes"]:
                self.name, self.opened = "closed", 0
                self.clear()
        elif self.policy["kind"] == "consecutive":
            self.row = self.row + 1 if failed else 0
            if self.row >= self.policy["failures"]:
                self.open(now, hint)
        else:
            kept = self.count(now, permit[1], failed)
            if len(kept) >= self.policy["minimumCalls"] and Fraction(sum(kept), len(kept)) >= exact(self.policy["threshold"]):
                self.open(now, hint)

    def count(self, now, admitted, failed):
        """The samples that count now; one that is booked to a slot that is gone changes nothing."""
        if "windowCalls" in self.policy:
            self.ring = [*self.ring, failed][-self.policy["windowCalls"]:]
            return self.ring
        width = self.policy["windowMs"] // 10
        if admitted // width <= now // width - 10:
            return []
        self.slots.setdefault(admitted // width, []).append(failed)
        return [sample for slot, samples in self.slots.items() if slot > now // width - 10 for sample in samples]

    def is_open(self, now, then):
        if self.policy is not None:
            self.pass_time(now)
        return self.name == "open" and then < self.until


def chosen_wait(policy, draw, kind, retry, hint, outcome, call):
    """Step 8: the wait and its reason, or None and why not."""
    backoff = dict(policy["backoff"])
    longest = backoff["capMs"] if policy["hint"].get("maxMs") is None else policy["hint"]["maxMs"]
    ceiling = backoff.get("ceilingMs", None)
    code, base = outcome.get("error", {}).get("code"), backoff["baseMs"]
    if kind == "throttled":
        base = backoff.get("throttledBaseMs", base)
    immediate = backoff.get("firstRetryImmediate") and retry == 1 and kind == "transient"
    for rule in backoff.get("overrides", []):
        listed = outcome.get("status") in rule.get("statuses", []) or (code is not None and code in rule.get("errors", []))
        if rule.get("class", kind) == kind and (listed or not rule.keys() & {"statuses", "errors"}):
            backoff.update({field: rule[field] for field in ("curve", "capMs") if field in rule})
            base, immediate = rule.get("baseMs", base), immediate or (rule.get("immediate") and kind != "throttled")
            break
    cap = backoff["capMs"]
    wait = min(cap, {"none": 0, "constant": base, "linear": base * retry, "exponential": base * backoff["factor"] ** (retry - 1)}[backoff["curve"]])
    if backoff["jitter"] == "full":
        wait = between(draw, 0, wait)
    elif backoff["jitter"] == "equal":
        wait = wait // 2 + between(draw, 0, wait - wait // 2)
    elif backoff["jitter"] == "proportional":
        wait = between(draw, wait - wait // 4, wait + wait // 4)
    elif backoff["jitter"] == "decorrelated":
        wait = call["previous"] = min(cap, between(draw, base, 3 * call.get("previous", base)))
    wait = min(wait, cap if ceiling is None else ceiling)
    mode = policy["hint"]["mode"]
    if hint is not None and mode != "ignore":
        if hint > longest and policy["hint"]["beyond"] == "give-up":
            return None, "hint-too-long"
        bounded = min(hint, longest)
        told = bounded + between(draw, 0, int(bounded * exact(policy["hint"].get("spread", 0))))
        if mode == "exact" or (mode == "override" and bounded > 0) or (mode == "at-least" and told > wait):
            return told, "server-hint"
        if mode == "at-least" and told == wait:
            return wait, None
        immediate = immediate and hint == 0
    return (0, "immediate") if immediate else (wait, "backoff")


def some_policy(pick, maybe):
    jitter = pick(["none", "full", "equal", "proportional", "decorrelated"])
    backoff = {"curve": pick(["none", "constant", "linear", "exponential"]), "baseMs": pick([0, 80, 160, 400]), "factor": pick([1, 2, 3]), "capMs": pick([400, 800, 4000]), "jitter": jitter, "jitterRatio": 0.25,
               **maybe({"ceilingMs": pick([100, 400, 1000])}), **maybe({"firstRetryImmediate": True})}
    if jitter != "decorrelated":
        rules = [{"statuses": [503, 429], "baseMs": 40}, {"class": "throttled", "curve": "constant", "baseMs": 320}, {"errors": ["ECONNRESET"], "immediate": True}, {"class": "transient", "capMs": 400}, {"statuses": [429, 503], "immediate": True}]
        backoff.update({**maybe({"throttledBaseMs": pick([0, 40, 400])}), **maybe({"overrides": [pick(rules), pick(rules)]})})
    budget = pick([None, {"kind": "ratio", "ratio": pick([0.1, 0.5, 1, 2]), "minPerSecond": pick([0, 1]), "windowMs": pick([1000, 2000])},
                   {"kind": "tokens", "capacity": pick([30, 100]), "transientCost": 14, "throttledCost": 5, "credit": pick([0, 1, 7])}, {"kind": "throttle", "maxTokens": pick([4, 10]), "tokenRatio": pick([0.1, 1])},
                   {"kind": "concurrency", "ratio": pick([0.2, 0.5, 1]), "minConcurrency": pick([0, 1])}])
    probes, opened = pick([1, 2, 3]), pick([100, 500, 1000])
    breaker = pick([None, {"kind": "consecutive", "failures": pick([2, 4])}, {"kind": "rate", "windowMs": pick([1000, 2000]), "threshold": pick([0.25, 0.5, 1]), "minimumCalls": pick([2, 5])},
                    {"kind": "rate", "window": "count", "windowCalls": pick([5, 8]), "threshold": pick([0.25, 0.5, 1]), "minimumCalls": pick([2, 5])}])
    if breaker:
        breaker.update({"openMs": opened, "maxOpenMs": opened * pick([1, 4]), "probes": probes, "successes": pick(range(1, probes + 1)), "probeTimeoutMs": pick([200, 1000]), "onLeaseExpiry": pick(["fail", "fail", "free"])})
    hint = {"mode": pick(["override", "override", "at-least", "exact", "ignore"]), "beyond": pick(["clamp", "give-up"]), **maybe({"maxMs": pick([0, 500, 1500, 100_000])}), **maybe({"spread": pick([0.1, 0.5, 1])})}
    return {"maxRetries": pick([0, 1, 2, 5]), "backoff": backoff, "hint": hint, "budget": budget, "breaker": breaker, "safety": pick(["never", "proven", "presumed"]),
            **maybe({"deadlineMs": pick([300, 1500, 5000])}), **maybe({"idempotency": {"honoured": True, "windowMs": pick([1000, 3000])}})}


class Walk:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.policy = some_policy(self.random.choice, lambda more: more if self.random.random() < 0.4 else {})
        self.draws, self.budget, self.breaker = Draws(seed), Budget(self.policy["budget"]), Breaker(self.policy["breaker"])
        self.now, self.calls, self.steps = 0, {}, []

    def step(self, op, name, expect, **fields):
        wall = (START + timedelta(milliseconds=self.now)).isoformat(timespec="milliseconds") + "Z"
        self.steps.append({"at": self.now, "op": op, "call": name, **fields, "wall": wall, "expect": expect})

    def play(self, length):
        pick = self.random.choice
        while len(self.steps) < length:
            self.now += pick([0, 0, 1, 7, 30, 90, 150, 400, 1100])
            live = [name for name, call in self.calls.items() if call["stage"] != "over"]
            if not live or self.random.random() < 0.3:
                self.begin(f"c{len(self.steps)}")
            elif self.random.random() < 0.05:
                self.cancel(pick(live))
            else:
                name = pick(live)
                self.resume(name) if self.calls[name]["stage"] == "waiting" else self.settle(name)
        return self.steps

    def begin(self, name):
        pick = self.random.choice
        request = {"method": pick(["GET", "GET", "PUT", "POST", "POST", "PATCH"])}
        request.update(pick([{}, {}, {"key": name}, {"key": name}]))
        request.update(pick([{}] * 12 + [{"replayableBody": False}, {"headers": [["X-Retry-Layer", "1"]]}]))
        refused_for, permit = self.breaker.admit(self.now)
        if refused_for is None:
            self.budget.begin(self.now)
            self.calls[name] = {"stage": "sending", "request": request, "begun": self.now, "attempt": 1, "permit": permit, "held": None, "spent": None}
            self.step("begin", name, {"admitted": True}, request=request)
        else:
            self.step("begin", name, {"admitted": False, "reason": "breaker-open", "retryInMs": refused_for}, request=request)

    def end(self, name):
        self.calls[name]["stage"] = "over"
        self.budget.end(name)

    def cancel(self, name):
        call = self.calls[name]
        if call["stage"] == "waiting":
            self.budget.refund(call["held"])
        else:
            self.breaker.record(self.now, call["permit"], "cancelled", None)
        self.end(name)
        self.step("cancel", name, {"verdict": "stop", "reason": "cancelled"})

    def is_after(self, call, wait, *limits):
        return any(limit is not None and self.now + wait >= call["begun"] + limit for limit in limits)

    def window(self):
        return self.policy.get("idempotency", {}).get("windowMs")

    def resume(self, name):
        call = self.calls[name]
        self.now = max(self.now, call["due"]) + self.random.choice([0, 0, 3, 200])
        reason = None
        if self.is_after(call, 0, self.policy.get("deadlineMs")):
            reason = "deadline"
        elif call["relies"] and self.is_after(call, 0, self.window()):
            reason = "key-expired"
        else:
            refused_for, permit = self.breaker.admit(self.now)
            reason = None if refused_for is None else "breaker-open"
        if reason is None:
            call.update(stage="sending", attempt=call["attempt"] + 1, permit=permit, spent=call["held"])
            self.step("resume", name, {"admitted": True})
        else:
            self.budget.refund(call["held"])
            self.end(name)
            self.step("resume", name, {"admitted": False, "reason": reason, "over": True})

    def settle(self, name):
        call = self.calls[name]
        row = self.random.choices(OUTCOMES, [outcome[0] for outcome in OUTCOMES])[0]
        _, outcome, kind, _, _, sample, hint, word = row
        self.breaker.record(self.now, call["permit"], sample, hint)
        if kind in ("transient", "throttled") or word == "veto":
            self.budget.failure()
        verdict, attempt = self.decide(name, call, row), call["attempt"]
        if verdict["verdict"] == "accept" and word != "replayed":
            self.budget.success(call["spent"] if attempt > 1 else None)
        if verdict["verdict"] != "retry":
            self.end(name)
        self.step("settle", name, {"attempt": attempt, **verdict}, outcome=outcome)

    def decide(self, name, call, row):
        _, outcome, kind, delivery, proven, _, hint, word = row
        request, keyed = call["request"], "key" in call["request"] and self.window() is not None
        safe = request["method"] in IDEMPOTENT or (delivery == "not" and self.policy["safety"] != "never" and (proven or self.policy["safety"] == "presumed"))
        stop = {"verdict": "stop"}
        if kind == "success":
            return {"verdict": "accept", "reason": word or "ok"}
        if word == "replayed":
            return {**stop, "reason": "permanent"}
        for applies, reason in [(kind == "cancelled", "cancelled"), (word == "veto", "server-refused"), (kind == "permanent", "permanent"),
                                ("replayableBody" in request or word == "committed", "body-consumed"), (not safe and not (keyed and not self.is_after(call, 0, self.window())), "unsafe-to-repeat"),
                                (call["attempt"] > self.policy["maxRetries"], "retries-exhausted"), ("headers" in request, "nested-layer")]:
            if applies:
                return {**stop, "reason": reason}
        wait, why = chosen_wait(self.policy, self.draws.next(), kind, call["attempt"], hint, outcome, call)
        if wait is None:
            return {**stop, "reason": why, "hintMs": hint}
        for applies, reason in [(self.is_after(call, wait, self.policy.get("deadlineMs")), "deadline"), (not safe and self.is_after(call, wait, self.window()), "key-expired"), (self.breaker.is_open(self.now, self.now + wait), "breaker-open")]:
            if applies:
                return {**stop, "reason": reason}
        allowed, held = self.budget.ask(self.now, name, kind)
        if not allowed:
            return {**stop, "reason": "budget-exhausted"}
        call.update(stage="waiting", due=self.now + wait, held=held, relies=not safe)
        return {"verdict": "retry", "attempt": call["attempt"] + 1, "delayMs": wait, **({} if why is None else {"reason": why})}


def walk(seed):
    """One random history; the same for the same seed."""
    history = Walk(seed)
    return {"id": f"walk-{seed}", "about": "many calls at once, as the model of whole calls has it", "source": "reference, sections 1 to 3", "policy": history.policy, "seed": seed, "steps": history.play(40)}


def all_traces():
    yield from (walk(seed) for seed in range(16))
