"""The AWS experiment of 2015 ("Exponential Backoff And Jitter"), written again from its description.

Shares nothing with the crate: another language, another generator, floating-point times.
Prints rows of the table that `tests/contest.rs` compares with, one a line: `python3 occ_table.py RUNS [N ...]`;
`occ.jsonl` holds those of N = 10, 20 ... 190, 20 runs each.
"""

import heapq
import json
import random
import statistics
import sys

BASE, CAP, HOP, DEVIATION = 5.0, 2000.0, 10.0, 2.0


def ceiling(attempt):
    return min(CAP, 2.0 ** min(attempt, 40) * BASE)


def backoff(strategy, attempt, previous, chance):
    """The wait before the next read, and what the next call is told of it."""
    if strategy == "none":
        return 0.0, previous
    if strategy == "exponential":
        return ceiling(attempt), previous
    if strategy == "equal":
        return ceiling(attempt) / 2 + chance.uniform(0, ceiling(attempt) / 2), previous
    if strategy == "full":
        return chance.uniform(0, ceiling(attempt)), previous
    wait = min(CAP, chance.uniform(BASE, 3 * previous))
    return wait, wait


def run(clients, strategy, chance):
    """Writes that reached the server, and when the last client knew of its success."""

    def hop():
        return abs(chance.gauss(HOP, DEVIATION))

    version, writes, end = 0, 0, 0.0
    attempts, waits = [0] * clients, [BASE] * clients
    # (when it reaches the server, a number that orders equals, client, the version read or None)
    events = [(hop(), client, client, None) for client in range(clients)]
    heapq.heapify(events)
    order = clients
    while events:
        now, _, client, read = heapq.heappop(events)
        order += 1
        if read is None:
            heapq.heappush(events, (now + hop() + hop(), order, client, version))
            continue
        writes += 1
        answered = now + hop()
        end = max(end, answered)
        if read == version:
            version += 1
            continue
        attempts[client] += 1
        wait, waits[client] = backoff(strategy, attempts[client], waits[client], chance)
        heapq.heappush(events, (answered + hop() + wait, order, client, None))
    assert version == clients
    return writes, end


def figure(values):
    return {"mean": round(statistics.fmean(values), 1), "sd": round(statistics.stdev(values), 1)}


def main():
    runs, *wanted = map(int, sys.argv[1:])
    for clients in wanted or range(10, 200, 10):
        for strategy in ("none", "exponential", "equal", "full", "decorrelated"):
            chance = random.Random(f"{clients} {strategy}")
            calls, times = zip(*(run(clients, strategy, chance) for _ in range(runs)))
            row = {"clients": clients, "strategy": strategy, "runs": runs, "calls": figure(calls), "ms": figure(times)}
            print(json.dumps(row), flush=True)


main()
