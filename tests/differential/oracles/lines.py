"""Writes what an oracle answered as lines of our vector format."""

import json
import math


def put(line):
    print(json.dumps(line, separators=(",", ":")))


def trace(name, policy, steps, draws=()):
    line = {"id": name, "policy": policy, "steps": steps}
    if draws:
        line["draws"] = list(draws)
    put(line)


def delay(retry, expected, **more):
    return {"at": 0, "op": "delay", "retry": retry, **more, "expect": {"delayMs": expected}}


def ms(seconds):
    """Exact where no draw is in it: to the nearest millisecond, which hides float dust alone."""
    return round(seconds * 1000)


def drawn(seconds):
    """A float drawn from 0..d lies at most one below ours, which is an integer of 0..=d."""
    floor = math.floor(seconds * 1000 + 1e-6)
    return {"min": floor, "max": floor + 1}


def none(base_s, cap_s, **more):
    """The policy of a curve without chance."""
    return {"backoff": {"jitter": "none", "baseMs": ms(base_s), "capMs": ms(cap_s), **more}}
