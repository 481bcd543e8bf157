"""The order of waiting calls: due - priority * minute, then arrival."""

import random

from lines import step, trace

MINUTE = 60_000


def push(at, name, priority=None, due=None):
    given = {**({} if priority is None else {"priority": priority}), **({} if due is None else {"dueAt": due})}
    return step(at, "push", id=name, **given)


def pop(at, name):
    return step(at, "pop", {"id": name})


def pops(at, names):
    return [pop(at, name) for name in names]


def row(name, about, *steps):
    return trace(f"queue-{name}", about, "queue rule: higher priority first, ageing, never starved", {}, list(steps))


def all_traces():
    yield row("empty", "nothing waits", pop(0, None), push(0, "a"), pop(0, "a"), pop(0, None))
    yield row("arrival", "equals go as they came", *[push(0, c) for c in "abcde"], *pops(0, "abcde"))
    yield row("higher-first", "the higher priority goes first", push(0, "low", -1), push(0, "none"), push(0, "high", 1), *pops(0, ["high", "none", "low"]))
    yield row("due-first", "within a priority the earlier due", push(0, "late", 0, 900), push(0, "soon", 0, 100), push(0, "now"), *pops(0, ["now", "soon", "late"]))
    yield row("due-is-arrival", "without a due time it is due when it comes", push(500, "b"), push(500, "a", 0, 499), push(500, "c", 0, 501), *pops(500, "abc"))
    yield row("ageing-end", "a minute of waiting is worth one step: then the earlier come goes first", push(0, "old", 0), push(MINUTE, "new", 1), *pops(MINUTE, ["old", "new"]))
    yield row("ageing-before", "a millisecond less is not", push(0, "old", 0), push(MINUTE - 1, "new", 1), *pops(MINUTE, ["new", "old"]))
    yield row("ageing-after", "a millisecond more is", push(0, "old", 0), push(MINUTE + 1, "new", 1), *pops(MINUTE + 1, ["old", "new"]))
    yield row("never-starved", "high priorities come for ever, the low one goes",
              push(0, "low", 0), *[s for n in range(1, 12) for s in (push(n * MINUTE // 2, f"h{n}", 5), pop(n * MINUTE // 2, "low" if n == 10 else f"h{n if n < 10 else n - 1}"))])
    yield row("ends", "the ends of both ranges", push(0, "least", -2**31, 2**53 - 1), push(0, "most", 2**31 - 1, 0), push(0, "plain"), *pops(0, ["most", "plain", "least"]))
    yield row("names", "any name, twice as well", push(0, "طلب"), push(0, "طلب", 1), push(0, ""), *pops(0, ["طلب", "طلب", ""]))
    yield row("time-back", "a step back is earlier", push(1000, "a"), push(10, "b"), *pops(1000, "ba"))
    yield row("many", "a thousand of one kind, one before them", {**push(0, "n"), "times": 1000}, push(0, "first", 1), pop(0, "first"), pop(0, "n#1"), pop(0, "n#2"))
    for seed in range(6):
        chance, waiting, steps, at = random.Random(seed), [], [], 0
        for n in range(60):
            at += chance.choice([0, 0, 100, 10_000, 45_000])
            if chance.random() < 0.6:
                priority, due = chance.randrange(-3, 4), chance.choice([None, at, at + chance.randrange(120_000)])
                waiting.append((((due if due is not None else at) - priority * MINUTE), n, f"c{n}"))
                steps.append(push(at, f"c{n}", priority, due))
            else:
                waiting.sort()
                steps.append(pop(at, waiting.pop(0)[2] if waiting else None))
        yield row(f"walk-{seed}", "sixty events drawn at random", *steps)
