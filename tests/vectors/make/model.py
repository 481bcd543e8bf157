"""What the documents say, computed without the core: waits, budgets, and a breaker.

Whole milliseconds and whole numbers, as in the rules; nothing here looks at the Rust code.
"""

import math

TOP = 2**64 - 1
MAX = "max"


def bits(draw):
    """The 64 bits of a draw as a trace writes it."""
    return TOP if draw == MAX else int(draw * 2**64)


def between(low, high, draw):
    """A draw on low..high, both ends among them."""
    return low + (bits(draw) * (high - low + 1) >> 64)


def curve(kind, base, retry, cap=30_000, factor=2):
    """The curve at `retry` (1 is the first), bounded by the cap; a factor of up to three decimals."""
    if kind == "none":
        return 0
    if kind == "constant":
        return min(base, cap)
    if kind == "linear":
        return min(base * retry, cap)
    if base == 0:
        return 0
    thousandths = round(factor * 1000)
    wait, steps = base * 10**9, 0
    while steps < retry - 1 and wait < cap * 10**9 and thousandths > 1000:
        wait, steps = wait * thousandths // 1000, steps + 1
    return min(wait // 10**9, cap)


def jittered(kind, wait, draw, ratio=0.2):
    if kind == "full":
        return between(0, wait, draw)
    if kind == "equal":
        return between(wait // 2, wait, draw)
    if kind == "proportional":
        spread = wait * round(ratio * 10_000) // 10_000
        return between(max(wait - spread, 0), wait + spread, draw)
    return wait


def decorrelated(base, cap, draws):
    """min(cap, U(base, 3 * previous)), the first previous being the base."""
    previous, waits = base, []
    for draw in draws:
        previous = min(cap, between(base, 3 * previous, draw))
        waits.append(previous)
    return waits


def polly(base, cap, draws):
    """2^t * tanh(sqrt(4t)) less its last value, over 1.4; t = attempt (from 0) + draw."""
    previous, waits = 0.0, []
    for attempt, draw in enumerate(draws):
        t = attempt + draw
        value = 2.0**t * math.tanh(math.sqrt(4.0 * t))
        waits.append(min((value - previous) / 1.4 * base, cap))
        previous = value
    return waits


def splitmix(seed):
    """The generator of a trace without draws."""
    state = seed
    while True:
        state = (state + 0x9E3779B97F4A7C15) & TOP
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & TOP
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & TOP
        yield z ^ (z >> 31)


class Slots:
    """Ten slots on a fixed grid."""

    def __init__(self, span):
        self.width, self.head, self.kept = -(-span // 10), 0, {}

    def now(self, at):
        self.head = max(self.head, at // self.width)
        self.kept = {slot: v for slot, v in self.kept.items() if slot > self.head - 10}
        return self.head

    def add(self, slot, value):
        self.kept[slot] = self.kept.get(slot, 0) + value

    def sum(self):
        return sum(self.kept.values())


class Ratio:
    """Deposits a call, a reserve on top."""

    def __init__(self, ratio, per_second, span):
        self.deposit, self.slots = round(ratio * 10_000), Slots(span)
        self.reserve = per_second * span * 10

    def start(self, at):
        self.slots.add(self.slots.now(at), self.deposit)

    def retry(self, at):
        slot = self.slots.now(at)
        if self.slots.sum() + self.reserve < 10_000:
            return None
        self.slots.add(slot, -10_000)
        return slot

    def refund(self, slot, at):
        if slot > self.slots.now(at) - 10:
            self.slots.add(slot, 10_000)

    def balance(self, at):
        self.slots.now(at)
        return max(self.slots.sum() + self.reserve, 0) // 10_000


class Breaker:
    """Closed, open, half-open, isolated; samples of an earlier generation move nothing."""

    def __init__(self, **o):
        self.o = {"openMs": 5000, "maxOpenMs": 60_000, "probes": 3, "successes": 2,
                  "probeTimeoutMs": 30_000, "onLeaseExpiry": "fail", **o}
        self.state, self.generation, self.row, self.seen = "closed", 0, 0, 0
        self.until, self.leases, self.good, self.bad, self.number = 0, {}, 0, 0, 0
        self.history = []

    def enter(self, state):
        change = f"{self.state}->{state}"
        self.state, self.generation = state, self.generation + 1
        return change

    def open(self, at):
        self.until = at + min(self.o["openMs"] << self.row, self.o["maxOpenMs"])
        self.row += 1
        return self.enter("open")

    def close(self):
        self.row, self.history = 0, []
        return self.enter("closed")

    def judge(self, at):
        if self.good >= self.o["successes"]:
            return self.close()
        if self.o["probes"] - self.bad < self.o["successes"]:
            return self.open(at)
        return None

    def now(self, at):
        self.seen = at = max(at, self.seen)
        while True:
            if self.state == "open" and at >= self.until:
                self.leases, self.good, self.bad = {}, 0, 0
                self.enter("half-open")
            elif self.state == "half-open":
                over = sorted((end, n) for n, end in self.leases.items() if at >= end)
                if not over:
                    return at
                end, number = over[0]
                del self.leases[number]
                if self.o["onLeaseExpiry"] == "fail":
                    self.bad += 1
                    self.judge(end)
            else:
                return at

    def admit(self, at):
        """(permit or None, the wait of a refusal or None)."""
        at = self.now(at)
        if self.state == "isolated":
            return None, None
        if self.state == "open":
            return None, self.until - at
        if self.state == "closed":
            return (self.generation, at, None), None
        if len(self.leases) + self.good + self.bad >= self.o["probes"]:
            ends = self.leases.values()
            return None, min(ends) - at if ends else 0
        self.number += 1
        self.leases[self.number] = at + self.o["probeTimeoutMs"]
        return (self.generation, at, self.number), None

    def record(self, permit, sample, at):
        """(change or None, whether it came too late)."""
        generation, born, number = permit
        at = self.now(at)
        if generation != self.generation:
            return None, True
        if self.state == "half-open":
            if number not in self.leases:
                return None, True
            del self.leases[number]
            self.good += sample == "success"
            self.bad += sample == "failure"
            return self.judge(at), False
        if sample not in ("success", "failure"):
            return None, False
        width = -(-self.o.get("windowMs", 10_000) // 10)
        by_time = self.o["kind"] == "rate" and self.o.get("window", "time") == "time"
        if by_time and born // width <= at // width - 10:
            return None, True
        self.history.append((born // width, sample == "failure"))
        return (self.open(at) if self.is_bad(at // width) else None), False

    def is_bad(self, slot):
        if self.o["kind"] == "consecutive":
            last = [failed for _, failed in self.history[-self.o["failures"]:]]
            return len(last) == self.o["failures"] and all(last)
        if self.o.get("window") == "count":
            kept = self.history[-self.o["windowCalls"]:]
            least = min(self.o["minimumCalls"], self.o["windowCalls"])
        else:
            kept = [entry for entry in self.history if entry[0] > slot - 10]
            least = self.o["minimumCalls"]
        failed = sum(failed for _, failed in kept)
        threshold = round(self.o["threshold"] * 10_000)
        return len(kept) >= least and failed > 0 and failed * 10_000 >= threshold * len(kept)
