//! What each field of a policy document means, in a sentence, for schema and editors. Type, range
//! and default are said by the lists of fields.

/// The meaning of the field at this path, as issues name it; a list's members are `list[]`.
pub(crate) fn meaning(path: &str) -> Option<&'static str> {
    TABLE.iter().find(|(known, _)| *known == path).map(|(_, meaning)| *meaning)
}

pub(crate) const TABLE: &[(&str, &str)] = &[
    ("extends", "The preset below this document."),
    ("profile", "The vendor's units, codes and settings."),
    ("maxRetries", "Retries that a call may make: attempts after the first one."),
    ("deadlineMs", "The end of the whole call, its waits included; null: none."),
    ("attemptTimeoutMs", "The end of one attempt; null: the client's own timeout holds."),
    ("safety", SAFETY),
    ("backoff", "How long to wait before a retry."),
    ("backoff.curve", "How the wait grows from retry to retry, before jitter."),
    ("backoff.baseMs", "The wait before the first retry, before jitter; 0: no retry waits."),
    ("backoff.factor", "How many times longer each wait of the exponential curve is."),
    ("backoff.capMs", "No wait of the curve is longer, before jitter."),
    ("backoff.ceilingMs", "No wait is longer after jitter; null: capMs."),
    ("backoff.jitter", JITTER),
    ("backoff.jitterRatio", "How far the jitter \"proportional\" goes up and down, as a share."),
    ("backoff.throttledBaseMs", "The base after a 429 or its like; null: baseMs."),
    ("backoff.firstRetryImmediate", "The first retry after a passing failure does not wait."),
    ("backoff.overrides", "Other waits for some kinds of fault; the first that matches holds."),
    ("backoff.overrides[].class", "Only after outcomes of this class; left out: any."),
    ("backoff.overrides[].statuses", "Only after these statuses; left out: any."),
    ("backoff.overrides[].errors", "Only after these error codes; left out: any."),
    ("backoff.overrides[].curve", "The curve here."),
    ("backoff.overrides[].baseMs", "The base here."),
    ("backoff.overrides[].capMs", "The cap here."),
    ("backoff.overrides[].immediate", "No wait here; never after a 429, nor beside a hint."),
    ("hint", "What the wait that a server asks for (Retry-After …) does."),
    ("hint.mode", HINT_MODE),
    ("hint.maxMs", "The longest hint that is followed; null: backoff.capMs."),
    ("hint.beyond", "A longer hint: wait as long as allowed (clamp), or stop (give-up)."),
    ("hint.spread", "Lengthens a hint by chance, by up to this share of it; never shortens it."),
    ("retryOn", "Outcomes and methods that this service means differently."),
    ("retryOn.statuses", "Statuses that are seen differently."),
    ("retryOn.statuses.add", "Statuses that are worth a retry here."),
    ("retryOn.statuses.remove", "Statuses that are final here; wins over add."),
    ("retryOn.errors", "Error codes that are seen differently."),
    ("retryOn.errors.add", "Error codes that are worth a retry here."),
    ("retryOn.errors.remove", "Error codes that are final here; wins over add."),
    ("retryOn.methods", "Methods that are seen differently."),
    ("retryOn.methods.add", "Methods that are idempotent here: safe to send twice."),
    ("retryOn.methods.remove", "Methods that are not idempotent here; wins over add."),
    ("idempotency", "Keys by which the server recognises a repetition."),
    ("idempotency.header", "The request header that carries the key."),
    ("idempotency.format", "How the key is written: as it is, or in double quotes (RFC 9651)."),
    ("idempotency.generate", "Makes a key for calls that may act twice and bring none."),
    ("idempotency.version", "What a generated key is made of: v4 chance, v7 time and chance."),
    ("idempotency.firstSentHeader", "A header that says when the key was first sent; null: none."),
    ("idempotency.honoured", HONOURED),
    ("idempotency.windowMs", "How long the server remembers a key."),
    ("idempotency.leaseMs", "How long a worker owns a ledger record without renewing it."),
    ("idempotency.retentionMs", "How long a completed ledger record is kept; null: for good."),
    ("budget", "How much load retries may add, over all calls; null: as much as they will."),
    ("budget.kind", BUDGET_KIND),
    ("budget.ratio", BUDGET_RATIO),
    ("budget.minPerSecond", "Retries a second that are allowed on top, however few the calls."),
    ("budget.windowMs", "How far back calls and retries are counted."),
    ("budget.shared", "A name: the upstreams that give the same one draw on one budget."),
    ("budget.capacity", "What the bucket holds, and starts with."),
    ("budget.transientCost", "What a retry after a passing failure takes from the bucket."),
    ("budget.throttledCost", "What a retry after a 429 or its like takes from the bucket."),
    ("budget.credit", "What a success without a retry puts back."),
    ("budget.maxTokens", "The full level; retries are allowed above half of it."),
    ("budget.tokenRatio", "What a success puts back; a failure takes one."),
    ("budget.minConcurrency", "Retries in progress that are always allowed."),
    ("breaker", "When the server is left alone; null: never."),
    ("breaker.kind", "Opens on a share of failures (rate) or on failures in a row (consecutive)."),
    ("breaker.failures", "So many failures in a row open it."),
    ("breaker.window", "Which calls a rate looks at: those of a while, or the last so many."),
    ("breaker.windowMs", "How long that while is."),
    ("breaker.windowCalls", "How many the last calls are."),
    ("breaker.threshold", "The share of failures from which on it opens."),
    ("breaker.minimumCalls", "With fewer calls than these no rate is looked at."),
    ("breaker.slowCallMs", "A call that takes longer is slow; null: none is."),
    ("breaker.slowThreshold", "The share of slow calls from which on it opens."),
    ("breaker.openMs", "How long it stays open at first; doubles each time the probes fail."),
    ("breaker.maxOpenMs", "It never stays open longer; also bounds what a hint makes of it."),
    ("breaker.openJitter", "Lengthens the open time by chance, by up to this share of it."),
    ("breaker.probes", "Calls that are let through to see whether the server is back."),
    ("breaker.successes", "So many of them have to go well before it closes."),
    ("breaker.probeTimeoutMs", "How long a probe may take before its place is taken back."),
    ("breaker.onLeaseExpiry", "A probe without an answer: failed (fail), or as if never (free)."),
    ("limiter", "Holds calls back before the server refuses them; null: does not."),
    ("limiter.reserve", "Calls of each allowance that are left to more urgent ones."),
    ("limiter.maxWaitMs", "The longest time a call is held back; null: its deadline bounds it."),
    ("limiter.queue", "Calls that keep their place while they wait."),
    ("limiter.agingMs", "So much waiting makes up for one step of priority; 0: never."),
    ("clientThrottling", "Refuses calls here when the server turns too many away; null: never."),
    ("clientThrottling.multiplier", "Requests that each accepted one allows; less refuses sooner."),
    ("clientThrottling.windowMs", "How far back that is counted."),
];

const SAFETY: &str = "What makes it safe to repeat a request that may act twice: nothing but an \
    honoured key (never), proof that the server did not act (proven), or also the custom of a \
    status such as 429 (presumed).";
const JITTER: &str = "How waits are spread by chance, so that callers do not all come back at \
    once: full is anything from 0 to the wait of the curve.";
const HINT_MODE: &str = "A hint replaces the wait (override), only lengthens it (at-least), \
    replaces it also by 0 (exact), or is not heard (ignore).";
const HONOURED: &str = "The server recognises a key that it has seen and does not act twice. Then \
    a request with a key may be repeated, a POST too.";
const BUDGET_KIND: &str = "What bounds the retries: a share of the calls (ratio), a bucket that \
    retries empty (tokens), a level that failures lower (throttle), or a share of the calls in \
    progress (concurrency).";
const BUDGET_RATIO: &str = "The retries that are allowed, as a share of the calls: 0.1 is a tenth \
    more load at most, 1 doubles it.";
