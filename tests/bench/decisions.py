"""What a decision costs in Python: one crossing each, and many in one crossing.

`decisions.py [--quick]` in an environment with the package `retrywise`; rounds in turn, the ratio of
each round, medians and quartiles. Nothing is asserted.
"""

import statistics
import sys
import time

from retrywise import Upstream

MANY = 64
#: Every attempt fails, every call is let go after it: a budget would end the retries.
POLICY = {"budget": None, "breaker": None}


def spent(work, count):
    """Microseconds a decision, of `count` times `MANY`."""
    total = 0
    for _ in range(count):
        calls = [upstream.begin("GET") for _ in range(MANY)]
        start = time.process_time_ns()
        verdicts = work(calls)
        total += time.process_time_ns() - start
        assert all(verdict.kind == "retry" for verdict in verdicts)
        for call in calls:
            call.end()
    return total / 1000 / count / MANY


def one_by_one(calls):
    return [call.settle(failed) for call in calls]


def at_once(calls):
    return upstream.settle_all((call, failed) for call in calls)


upstream = Upstream(POLICY, seed=7)
headers = {
    "content-type": "application/json", "content-length": "2", "connection": "keep-alive",
    "date": "Thu, 15 Jan 2026 12:00:00 GMT", "server": "nginx", "vary": "accept-encoding",
    "cache-control": "no-store", "x-request-id": "4711", "retry-after": "2",
}
failed = upstream.answer(503, headers.items())
quick = "--quick" in sys.argv[1:]
rounds, count = (3, 1) if quick else (15, 8)
spent(one_by_one, 1), spent(at_once, 1)
single, many = [], []
for _ in range(rounds):
    single.append(spent(one_by_one, count))
    many.append(spent(at_once, count))
ratios = sorted(a / b for a, b in zip(single, many))
low, middle, high = ratios[len(ratios) // 4], ratios[len(ratios) // 2], ratios[len(ratios) * 3 // 4]
print(f"\na settle in Python, wasmtime wheel: 503 with a wait, {MANY} calls a round")
print(f"  one crossing each     {statistics.median(single):10.1f} µs")
print(f"  settle_all            {statistics.median(many):10.1f} µs a decision")
print(f"  ratio                 {middle:10.3f} ({low:.3f} to {high:.3f})")
