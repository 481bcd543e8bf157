"""How a trace is written."""

FIXED = {"curve": "constant", "baseMs": 500, "jitter": "none"}
GET = {"method": "GET"}


def trace(name, about, source, policy, steps, **rest):
    return {"id": name, "about": about, "source": source, "policy": policy, **rest, "steps": steps}


def step(at, op, expect=None, **fields):
    return {"at": at, "op": op, **fields, **({} if expect is None else {"expect": expect})}


def delay(retry, expected, **fields):
    expect = expected if isinstance(expected, dict) and "min" not in expected else {"delayMs": expected}
    return step(0, "delay", expect, retry=retry, **fields)


def delays(*expected):
    """The waits of one call, retry by retry."""
    return [delay(retry, wait) for retry, wait in enumerate(expected, 1)]


def begin(at, call, request=GET, **expect):
    return step(at, "begin", {"admitted": True, **expect}, call=call, request=request)


def status(code, *headers, **rest):
    return {"status": code, "headers": [list(line) for line in headers], **rest}


def error(family, code, **rest):
    return {"error": {"family": family, "code": code, **rest}}


def settle(at, call, outcome, wall=None, **expect):
    clock = {} if wall is None else {"wall": wall}
    return step(at, "settle", expect, call=call, outcome=outcome, **clock)


def retry(at, call, outcome, attempt, wait, wall=None, **expect):
    """A settle that ends in a retry."""
    return settle(at, call, outcome, wall, verdict="retry", attempt=attempt, delayMs=wait, **expect)


def stop(at, call, outcome, reason, wall=None, **expect):
    return settle(at, call, outcome, wall, verdict="stop", reason=reason, **expect)


def accept(at, call, outcome=None, **expect):
    return settle(at, call, outcome or status(200), verdict="accept", **expect)


def resume(at, call, **expect):
    return step(at, "resume", {"admitted": True, **expect}, call=call)


def one(request, outcome, wall=None, **expect):
    """One attempt and its verdict."""
    return [begin(0, "a", request), settle(40, "a", outcome, wall, **expect)]


def attempts(outcomes, waits, last, request=GET):
    """A call whose attempts fail one after another: each wait, then what ends it."""
    steps, at = [begin(0, "a", request)], 0
    for number, (outcome, wait) in enumerate(zip(outcomes, waits), 2):
        steps.append(retry(at, "a", outcome, number, wait))
        at += wait
        steps.append(resume(at, "a"))
    return steps + ([] if last is None else [{**last, "at": at}])


def admit(at, permit, admitted=True, **expect):
    return step(at, "admit", {"admitted": admitted, **expect}, permit=permit)


def record(at, permit, sample, transition=None, stale=False, **fields):
    return step(at, "record", {"transition": transition, "stale": stale},
                permit=permit, sample=sample, **fields)


def state(at, name, **expect):
    return step(at, "state", {"state": name, **expect})
