"""What a decision costs in Python: one crossing each, many in one crossing, and none decided.

`decisions.py FLOOR [--quick] [--results FILE]` in an environment with the package `retrywise`; FLOOR
is the component that answers at once. Rounds in turn, the ratio of each round, medians and
quartiles. Nothing is asserted.
"""

import argparse
import json
import statistics
import time
from pathlib import Path

from retrywise import Upstream
from retrywise.engine import Brain

MANY = 64
#: Every attempt fails, every call is let go after it: a budget would end the retries.
POLICY = {"budget": None, "breaker": None}
#: What a decision may take, as a multiple of the call that decides nothing.
TWICE = 2
#: What one of a batch may take, as a multiple of one by itself.
NO_MORE = 1

rows = []


def spent(upstream, work, count):
    """Microseconds a decision, of `count` times `MANY`."""
    total = 0
    for _ in range(count):
        calls = [upstream.begin("GET") for _ in range(MANY)]
        start = time.process_time_ns()
        verdicts = work(upstream, calls)
        total += time.process_time_ns() - start
        assert all(verdict.kind == "retry" for verdict in verdicts)
        for call in calls:
            call.end()
    return total / 1000 / count / MANY


def one_by_one(_, calls):
    return [call.settle(failed) for call in calls]


def at_once(upstream, calls):
    return upstream.settle_all((call, failed) for call in calls)


def row(what, values, unit="", target=None):
    ordered = sorted(values)
    low, high = ordered[len(ordered) // 4], ordered[len(ordered) * 3 // 4]
    figure = statistics.median(ordered)
    met = None if target is None else figure <= target
    mark = "" if met is None else f"  ✓ ≤ {target}" if met else f"  ✗ > {target}"
    print(f"  {what:<46}{figure:10.3f} {unit} ({low:.3f} to {high:.3f}){mark}")
    rows.append(
        {
            "block": BLOCK, "what": what, "figure": figure, "spread": [low, high],
            "unit": unit, "target": target, "met": met,
        }
    )


def ratios(name, ours, theirs, target):
    row(name, [a / b for a, b in zip(times[ours], times[theirs])], target=target)


arguments = argparse.ArgumentParser()
arguments.add_argument("floor", type=Path)
arguments.add_argument("--quick", action="store_true")
arguments.add_argument("--results", type=Path)
asked = arguments.parse_args()

BLOCK = f"a settle in Python, wasmtime wheel: 503 with a wait, {MANY} calls a round"
upstream = Upstream(POLICY, seed=7)
floor = Upstream(POLICY, seed=7, brain=Brain(asked.floor.read_bytes()))
headers = {
    "content-type": "application/json", "content-length": "2", "connection": "keep-alive",
    "date": "Thu, 15 Jan 2026 12:00:00 GMT", "server": "nginx", "vary": "accept-encoding",
    "cache-control": "no-store", "x-request-id": "4711", "retry-after": "2",
}
failed = upstream.answer(503, headers.items())
contestants = {
    "one crossing each": (upstream, one_by_one),
    "settle_all": (upstream, at_once),
    "floor: one crossing each": (floor, one_by_one),
    "floor: settle_all": (floor, at_once),
}
rounds, count = (3, 1) if asked.quick else (15, 8)
times = {name: [] for name in contestants}
for who, work in contestants.values():
    spent(who, work, 1)
for _ in range(rounds):
    for name, (who, work) in contestants.items():
        times[name].append(spent(who, work, count))
print(f"\n{BLOCK}")
for name, values in times.items():
    row(name, values, "µs")
ratios("one crossing each, of its floor", "one crossing each", "floor: one crossing each", TWICE)
ratios("settle_all, of its floor", "settle_all", "floor: settle_all", TWICE)
ratios("settle_all, of one crossing each", "settle_all", "one crossing each", NO_MORE)
if asked.results:
    asked.results.write_text(json.dumps(rows))
