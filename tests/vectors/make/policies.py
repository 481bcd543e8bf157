"""Policy documents: each field, each kind of issue, both ends of each range."""

from lines import step, trace

LONGEST = 31_622_400_000

# path, accepted, refused (out of range)
NUMBERS = [
    ("maxRetries", [0, 1, 1_000_000], [-1, 1_000_001]),
    ("deadlineMs", [1, LONGEST, None], [0, -1, LONGEST + 1]),
    ("attemptTimeoutMs", [1, LONGEST, None], [0, LONGEST + 1]),
    ("backoff.baseMs", [0, 30_000], [-1, LONGEST + 1]),
    ("backoff.factor", [1, 1.001, 2.5, 100], [0.999, 100.001, 0, -2, 1.0001]),
    ("backoff.capMs", [500, LONGEST], [-1, LONGEST + 1]),
    ("backoff.ceilingMs", [0, LONGEST, None], [-1, LONGEST + 1]),
    ("backoff.jitterRatio", [0, 0.0001, 1], [-0.1, 1.0001, 0.00001]),
    ("backoff.throttledBaseMs", [0, LONGEST, None], [-1, LONGEST + 1]),
    ("hint.maxMs", [0, LONGEST, None], [-1, LONGEST + 1]),
    ("hint.spread", [0, 0.5, 1], [-0.1, 1.1]),
    ("idempotency.windowMs", [1000, LONGEST], [999, 0, LONGEST + 1]),
    ("idempotency.leaseMs", [0, LONGEST], [-1, LONGEST + 1]),
    ("idempotency.retentionMs", [0, LONGEST, None], [-1, LONGEST + 1]),
    ("budget.ratio", [0, 0.0001, 1000], [-0.1, 1000.1, 0.00001]),
    ("budget.minPerSecond", [0, 1_000_000], [-1, 1_000_001]),
    ("budget.windowMs", [1000, 60_000], [999, 60_001]),
    ("breaker.windowMs", [1000, LONGEST], [999, 0]),
    ("breaker.threshold", [0.0001, 1], [0, 1.0001, -0.5]),
    ("breaker.minimumCalls", [1, 1000], [0, -1]),
    ("breaker.slowCallMs", [0, LONGEST, None], [-1]),
    ("breaker.slowThreshold", [0.0001, 1], [0, 1.1]),
    ("breaker.openMs", [0, 60_000], [-1]),
    ("breaker.maxOpenMs", [5000, LONGEST], [-1, LONGEST + 1]),
    ("breaker.openJitter", [0, 1], [-0.1, 1.1]),
    ("breaker.probes", [2, 100], [0, -1]),
    ("breaker.successes", [1, 3], [0]),
    ("breaker.probeTimeoutMs", [0, LONGEST], [-1]),
    ("limiter.reserve", [0, 1_000_000], [-1, 1_000_001]),
    ("limiter.maxWaitMs", [0, LONGEST, None], [-1]),
]

NAMES = [
    ("extends", ["standard", "interactive", "batch", "payments"], "fast"),
    ("profile", ["aws", "dynamodb", "grpc", "azure", "github", "stripe", "openai", "adobe-vipmp", None], "acme"),
    ("safety", ["never", "proven", "presumed"], "always"),
    ("backoff.curve", ["none", "constant", "linear", "exponential"], "cubic"),
    ("backoff.jitter", ["none", "full", "equal", "decorrelated", "polly-v2", "proportional"], "Full"),
    ("hint.mode", ["override", "at-least", "exact", "ignore"], "obey"),
    ("hint.beyond", ["clamp", "give-up"], "wait"),
    ("idempotency.format", ["bare", "quoted"], "hex"),
    ("budget.kind", ["ratio", "tokens", "throttle", "concurrency"], "none"),
    ("breaker.kind", ["rate", "consecutive"], "count"),
    ("breaker.window", ["time", "count"], "sliding"),
    ("breaker.onLeaseExpiry", ["fail", "free"], "ignore"),
]

FLAGS = ["backoff.firstRetryImmediate", "idempotency.generate", "idempotency.honoured"]


def at(path, value):
    """The document that holds only this."""
    for name in reversed(path.split(".")):
        value = {name: value}
    return value


def judge(document, *issues):
    listed = [{"field": field, "kind": kind} for field, kind in issues]
    return step(0, "policy", {"valid": not issues, "issues": listed}, document=document)


def row(name, about, *steps):
    return trace(f"policy-{name}", about, "policy table", {}, list(steps))


def fields():
    for path, good, bad in NUMBERS:
        yield row(path, "both ends of the range, what lies outside, and other types", *[judge(at(path, value)) for value in good],
                  *[judge(at(path, value), (path, "out-of-range")) for value in bad],
                  *[judge(at(path, value), (path, "wrong-type")) for value in ("1", True, [1], {})],
                  *([] if None in good else [judge(at(path, None), (path, "wrong-type"))]))
    for path, good, bad in NAMES:
        yield row(path, "each name, a stranger, and other types", *[judge(at(path, value)) for value in good], judge(at(path, bad), (path, "unknown-name")),
                  *[judge(at(path, value), (path, "wrong-type")) for value in (1, True, [])])
    for path in FLAGS:
        yield row(path, "true and false, nothing else", judge(at(path, True)), judge(at(path, False)),
                  *[judge(at(path, value), (path, "wrong-type")) for value in (1, 0, "true", None)])
    for path in ("backoff", "hint", "retryOn", "idempotency"):
        yield row(path, "an object", judge({path: {}}), *[judge({path: value}, (path, "wrong-type")) for value in (None, [], "x", 1)],
                  judge({path: {"colour": 1}}, (f"{path}.colour", "unknown-field")))
    for path in ("budget", "breaker", "limiter"):
        yield row(path, "an object or null", judge({path: {}}), judge({path: None}), *[judge({path: value}, (path, "wrong-type")) for value in ([], "x", 1, True)],
                  judge({path: {"colour": 1}}, (f"{path}.colour", "unknown-field")))


def kinds():
    def sized(kind, **rest):
        return {"budget": {"kind": kind, **rest}}

    yield row("budget-tokens", "the fields of tokens", judge(sized("tokens")), judge(sized("tokens", capacity=0, transientCost=0, throttledCost=0, credit=0)),
              *[judge(sized("tokens", **{f: -1}), (f"budget.{f}", "out-of-range")) for f in ("capacity", "transientCost", "throttledCost", "credit")],
              judge(sized("tokens", ratio=0.1), ("budget.ratio", "unknown-field")))
    yield row("budget-throttle", "maxTokens in (0, 1000], three decimals", judge(sized("throttle")), judge(sized("throttle", maxTokens=1000, tokenRatio=0.001)),
              judge(sized("throttle", maxTokens=1)), *[judge(sized("throttle", maxTokens=v), ("budget.maxTokens", "out-of-range")) for v in (0, 1001, -1)],
              judge(sized("throttle", tokenRatio=0), ("budget.tokenRatio", "out-of-range")), judge(sized("throttle", capacity=1), ("budget.capacity", "unknown-field")))
    yield row("budget-concurrency", "a share and a least", judge(sized("concurrency")), judge(sized("concurrency", ratio=1, minConcurrency=0)),
              judge(sized("concurrency", ratio=1.1), ("budget.ratio", "out-of-range")), judge(sized("concurrency", minConcurrency=-1), ("budget.minConcurrency", "out-of-range")),
              judge(sized("concurrency", windowMs=1000), ("budget.windowMs", "unknown-field")))
    yield row("budget-shared", "a name", judge({"budget": {"shared": "pool"}}), judge({"budget": {"shared": 1}}, ("budget.shared", "wrong-type")))
    yield row("breaker-consecutive", "failures, and nothing of a rate", judge({"breaker": {"kind": "consecutive", "failures": 1}}),
              judge({"breaker": {"kind": "consecutive", "failures": 0}}, ("breaker.failures", "out-of-range")),
              *[judge({"breaker": {"kind": "consecutive", f: v}}, (f"breaker.{f}", "unknown-field")) for f, v in (("threshold", 0.5), ("window", "time"), ("minimumCalls", 3))])
    yield row("breaker-rate", "no failures in a row", judge({"breaker": {"failures": 3}}, ("breaker.failures", "unknown-field")),
              judge({"breaker": {"window": "count", "windowCalls": 1}}), judge({"breaker": {"window": "count", "windowCalls": 0}}, ("breaker.windowCalls", "out-of-range")))


def contradictions():
    yield row("contradictions", "allowed alone, not together",
              judge({"backoff": {"baseMs": 40_000}}, ("backoff.baseMs", "contradiction")), judge({"backoff": {"baseMs": 30_001}}, ("backoff.baseMs", "contradiction")),
              judge({"backoff": {"baseMs": 30_000}}), judge({"backoff": {"baseMs": 10_000, "capMs": 1000, "jitterRatio": 0.2}}, ("backoff.baseMs", "contradiction")),
              judge({"backoff": {"capMs": 100}}), judge({"breaker": {"probes": 1, "successes": 2}}, ("breaker.successes", "contradiction")),
              judge({"breaker": {"successes": 4}}, ("breaker.successes", "contradiction")), judge({"breaker": {"probes": 1}}),
              judge({"breaker": {"openMs": 2000, "maxOpenMs": 1000}}, ("breaker.openMs", "contradiction")), judge({"breaker": {"openMs": 90_000}}), judge({"breaker": {"maxOpenMs": 10}}))
    yield row("overrides", "a list of rules", judge({"backoff": {"overrides": []}}),
              judge({"backoff": {"overrides": [{"class": "throttled", "baseMs": 1}, {"statuses": [503, 599], "immediate": True}, {"errors": ["ECONNRESET"], "curve": "linear", "capMs": 9}]}}),
              judge({"backoff": {"overrides": {}}}, ("backoff.overrides", "wrong-type")), judge({"backoff": {"overrides": [1]}}, ("backoff.overrides[0]", "wrong-type")),
              judge({"backoff": {"overrides": [{}, {"class": "bad"}]}}, ("backoff.overrides[1].class", "unknown-name")),
              judge({"backoff": {"overrides": [{"statuses": [99]}]}}, ("backoff.overrides[0].statuses[0]", "out-of-range")),
              judge({"backoff": {"overrides": [{"statuses": [503, "504"]}]}}, ("backoff.overrides[0].statuses[1]", "wrong-type")),
              judge({"backoff": {"overrides": [{"baseMs": 9, "capMs": 8}]}}, ("backoff.overrides[0].baseMs", "contradiction")),
              judge({"backoff": {"overrides": [{"wait": 1}]}}, ("backoff.overrides[0].wait", "unknown-field")))
    yield row("retry-on", "lists to add and to remove", judge({"retryOn": {"statuses": {"add": [404, 100, 599], "remove": [503]}, "errors": {"add": ["ENOENT"], "remove": ["ECONNRESET"]}}}),
              judge({"retryOn": {"statuses": {"add": [99]}}}, ("retryOn.statuses.add[0]", "out-of-range")), judge({"retryOn": {"statuses": {"add": 404}}}, ("retryOn.statuses.add", "wrong-type")),
              judge({"retryOn": {"statuses": [404]}}, ("retryOn.statuses", "wrong-type")), judge({"retryOn": {"errors": {"add": [1]}}}, ("retryOn.errors.add[0]", "wrong-type")),
              judge({"retryOn": {"errors": {"only": []}}}, ("retryOn.errors.only", "unknown-field")))
    yield row("header", "a token of HTTP", judge(at("idempotency.header", "X-Request-Id")), judge(at("idempotency.header", ""), ("idempotency.header", "out-of-range")),
              judge(at("idempotency.header", "a b"), ("idempotency.header", "out-of-range")), judge(at("idempotency.header", "ключ"), ("idempotency.header", "out-of-range")),
              judge(at("idempotency.header", 1), ("idempotency.header", "wrong-type")))
    yield row("documents", "what is no object", *[judge(value, ("", "wrong-type")) for value in ([], 1, "x", True, None)], judge({}))
    yield row("at-once", "everything is said at once", judge({"maxRetrys": 1, "maxRetries": -1, "safety": "x", "deadlineMs": "1", "backoff": {"baseMs": 2, "capMs": 1}, "ключ": 1},
              ("maxRetrys", "unknown-field"), ("maxRetries", "out-of-range"), ("safety", "unknown-name"), ("deadlineMs", "wrong-type"), ("backoff.baseMs", "contradiction"), ("ключ", "unknown-field")))
    yield row("names-are-exact", "no other case, no other spelling", judge({"MaxRetries": 1}, ("MaxRetries", "unknown-field")), judge({"max_retries": 1}, ("max_retries", "unknown-field")),
              judge({"extends": "Standard"}, ("extends", "unknown-name")), judge({"profile": "AWS"}, ("profile", "unknown-name")), judge({"profile": ""}, ("profile", "unknown-name")))
    yield row("numbers-as-written", "1.0 and 1e3 are whole numbers", judge({"maxRetries": 1.0}), judge({"deadlineMs": 1e3}), judge({"maxRetries": 1e300}, ("maxRetries", "out-of-range")))
    yield row("whole-numbers", "half a millisecond is no duration, half a retry no number",
              *[judge(at(path, 1.5), (path, "wrong-type")) for path in ("maxRetries", "deadlineMs", "backoff.baseMs", "budget.minPerSecond", "breaker.probes", "hint.maxMs")])
    yield row("presets", "each preset is a policy that documents can be laid over", *[judge({"extends": name, "maxRetries": 1}) for name in ("standard", "interactive", "batch", "payments")],
              judge({"extends": "payments", "profile": "stripe", "maxRetries": 4, "deadlineMs": 60_000, "backoff": {"baseMs": 200, "capMs": 8000}, "breaker": {"kind": "consecutive", "failures": 5}}),
              judge({"extends": "interactive", "backoff": {"baseMs": 2000}}, ("backoff.baseMs", "contradiction")))


def all_traces():
    for part in (fields, kinds, contradictions):
        yield from part()
