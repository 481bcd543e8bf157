"""The decision, step by step: which of two stops is told, what each step takes, what each outcome
counts as, and what proof each kind of safety accepts. From the documents alone, without `model.py`.
"""

from itertools import combinations

from lines import FIXED, accept, begin, error, resume, retry, settle, status, step, stop, trace

CALM = {"backoff": FIXED, "breaker": None, "budget": None}
FAILS = status(503)
RESET, REFUSED = error("node", "ECONNRESET"), error("node", "ECONNREFUSED")


def row(name, policy, steps, about="two steps at once: the earlier one is told", **rest):
    return trace(f"order-{name}", about, "decision order", {**CALM, **policy}, steps, **rest)


# The stops in their order: reason, policy, request, outcome.
STOPS = {
    "veto": ("server-refused", {}, {}, ("x-should-retry", "false")),
    "permanent": ("permanent", {}, {}, 404),
    "body": ("body-consumed", {}, {"replayableBody": False}, None),
    "unsafe": ("unsafe-to-repeat", {}, {"method": "POST"}, None),
    "retries": ("retries-exhausted", {"maxRetries": 0}, {}, None),
    "nested": ("nested-layer", {}, {"headers": [["X-Retry-Layer", "1"]]}, None),
    "hint": ("hint-too-long", {"hint": {"beyond": "give-up"}}, {}, ("retry-after", "100")),
    "deadline": ("deadline", {"deadlineMs": 50}, {}, None),
    "breaker": ("breaker-open", {"breaker": {"kind": "consecutive", "failures": 1, "openMs": 600, "maxOpenMs": 600}}, {}, None),
    "budget": ("budget-exhausted", {"budget": {"kind": "ratio", "ratio": 0, "minPerSecond": 0}}, {}, None),
}


def stopped(names):
    policy, request, code, lines = {}, {"method": "GET"}, 503, []
    for name in names:
        _, more, asked, said = STOPS[name]
        policy, request = {**policy, **more}, {**request, **asked}
        if isinstance(said, int):
            code = said
        elif said:
            lines.append(said)
    reason = STOPS[min(names, key=list(STOPS).index)][0]
    return row("-".join(names), policy, [begin(0, "a", request), stop(40, "a", status(code, *lines), reason)])


def stops():
    for pair in combinations(STOPS, 2):
        # An answer that rejects the request opens no breaker.
        if pair != ("permanent", "breaker"):
            yield stopped(pair)
    for first in (0, *range(2, len(STOPS) - 2)):
        yield stopped([name for name in list(STOPS)[first:] if name != "permanent"])
    committed = {**FAILS, "committed": True}
    yield row("committed-unsafe", {}, [begin(0, "a", {"method": "POST"}), stop(1, "a", committed, "body-consumed")])
    yield row("committed-veto", {}, [begin(0, "a"), stop(1, "a", {**status(503, ("x-should-retry", "false")), "committed": True}, "server-refused")])
    for code, word in ((200, "false"), (200, "true")):
        yield row(f"success-{word}", {"maxRetries": 0, "deadlineMs": 1}, [begin(0, "a"), accept(40, "a", status(code, ("x-should-retry", word)), reason="ok")])
    for word in ("false", "true"):
        yield row(f"cancelled-{word}", {}, [begin(0, "a"), stop(1, "a", status(499, ("x-should-retry", word)), "cancelled")])
        yield row(f"replayed-{word}", {}, [begin(0, "a"), stop(1, "a", status(500, ("idempotent-replayed", "true"), ("x-should-retry", word)), "permanent")])
    for code in (304, 399):
        yield row(f"replayed-{code}", {}, [begin(0, "a"), accept(1, "a", status(code, ("idempotent-replayed", "true")), reason="replayed")])
    for code in (400, 429, 499):
        yield row(f"replayed-{code}", {}, [begin(0, "a"), stop(1, "a", status(code, ("idempotent-replayed", "true")), "permanent")])
    wall = "2026-01-15T12:00:00.{:03}Z"
    for name, more, outcome, reason in [("deadline-before-key", {"deadlineMs": 900}, RESET, "deadline"), ("hint-before-key", {"hint": {"beyond": "give-up"}}, status(503, ("retry-after", "100")), "hint-too-long"),
                                        ("key-before-breaker", STOPS["breaker"][1], RESET, "key-expired"), ("key-before-budget", STOPS["budget"][1], RESET, "key-expired")]:
        policy = {"idempotency": {"honoured": True, "windowMs": 1000}, **more}
        opened = {**begin(0, "a", {"method": "POST", "key": "k"}), "wall": wall.format(0)}
        yield row(name, policy, [opened, stop(500, "a", outcome, reason, wall.format(500))])


def draws():
    """One draw for each decision that gets as far as the wait, whatever comes of it."""
    random = {"backoff": {"curve": "constant", "baseMs": 1000, "jitter": "full"}}
    last = [begin(3000, "z"), retry(3000, "z", FAILS, 2, 500)]
    spent = [("hint", {}, retry(1, "a", status(429, ("retry-after", "2")), 2, 2000)), ("give-up", {"hint": {"beyond": "give-up"}}, stop(1, "a", status(429, ("retry-after", "200")), "hint-too-long")),
             ("immediate", {"backoff": {**random["backoff"], "overrides": [{"statuses": [500], "immediate": True}]}}, retry(1, "a", status(500), 2, 0)),
             ("deadline", {"deadlineMs": 700}, stop(1, "a", FAILS, "deadline"))]
    for name, more, end in spent:
        yield row(f"draw-{name}", {**random, **more}, [begin(0, "a"), end, *last], "a decision that gets as far as the wait takes one draw", draws=["max", 0.5])
    free = [("permanent", {}, {"method": "GET"}, status(404), "permanent"), ("unsafe", {}, {"method": "POST"}, status(500), "unsafe-to-repeat"), ("nested", {}, {"method": "GET", "headers": [["X-Retry-Layer", "1"]]}, FAILS, "nested-layer")]
    for name, more, request, outcome, reason in free:
        yield row(f"no-draw-{name}", {**random, **more}, [begin(0, "a", request), stop(1, "a", outcome, reason), *last], "a decision that stops before takes none", draws=[0.5])


def samples():
    """What one outcome is to a breaker that opens at the first failure."""
    policy = {"maxRetries": 0, "breaker": {"kind": "consecutive", "failures": 1, "openMs": 1000, "maxOpenMs": 1000}}

    def sample(name, outcome, opens, **more):
        return row(f"sample-{name}", {**policy, **more}, [begin(0, "a"), step(1, "settle", call="a", outcome=outcome), begin(2, "b", admitted=not opens)], "what the breaker is told of an attempt")

    for opens, codes in [(True, (408, 421, 425, 500, 502, 504, 509, 520, 529)), (False, (304, 400, 401, 409, 422, 420, 429, 499, 501, 505, 511))]:
        for code in codes:
            yield sample(code, status(code), opens)
    yield sample("503-hinted", status(503, ("retry-after", "1")), True)
    yield sample("500-veto", status(500, ("x-should-retry", "false")), True)
    yield sample("500-replayed", status(500, ("idempotent-replayed", "true")), False)
    yield sample("github", status(403, ("retry-after", "1")), False, profile="github")
    yield sample("aws-400", status(400, body={"code": "Throttling"}), False, profile="aws")
    yield sample("aws-503", status(503, body={"code": "SlowDown"}), True, profile="aws")
    unreachable = [("node", "ERR_SSL_WRONG_VERSION_NUMBER"), ("node", "ERR_TLS_HANDSHAKE_TIMEOUT"), ("java", "javax.net.ssl.SSLHandshakeException"), ("java", "javax.net.ssl.SSLPeerUnverifiedException"),
                   ("curl", "CURLE_PEER_FAILED_VERIFICATION"), ("curl", "CURLE_SSL_CONNECT_ERROR"), ("wasi-http", "TLS-certificate-error"), ("dotnet", "SecureConnectionError"), ("python-requests", "SSLError"),
                   ("python-urllib3", "SSLError"), ("python-aiohttp", "ClientConnectorCertificateError"), ("undici", "UND_ERR_PRX_TLS"), ("node", "ECONNRESET")]
    ours = [("node", "ERR_INVALID_URL"), ("node", "ERR_INVALID_CHAR"), ("axios", "ERR_BAD_OPTION"), ("undici", "UND_ERR_INVALID_ARG"), ("java", "java.net.MalformedURLException"), ("python-requests", "InvalidURL"),
            ("python-httpx", "UnsupportedProtocol"), ("reqwest", "is_builder"), ("curl", "CURLE_URL_MALFORMAT"), ("wasi-http", "HTTP-request-URI-invalid"), ("wasi-http", "HTTP-request-body-size"),
            ("python-urllib3", "LocationParseError"), ("axios", "ERR_CANCELED")]
    for opens, failures in [(True, unreachable), (False, ours)]:
        for family, code in failures:
            yield sample(f"{family}-{code}", error(family, code), opens)


def proofs():
    """Who says that a POST was not processed, and which safety believes it."""
    proven = {"transport": REFUSED, "name": error("node", "ENOTFOUND", syscall="getaddrinfo"), "tls": error("node", "ERR_TLS_HANDSHAKE_TIMEOUT"), "refused-stream": error("http2", "REFUSED_STREAM"),
              "goaway": error("http2", "NO_ERROR", frame="GOAWAY", last_stream_id=1, stream_id=3), "http3": error("http3", "H3_REQUEST_REJECTED"), "grpc": error("grpc", "UNAVAILABLE", progress="refused"),
              "421": status(421), "425": status(425), "521": status(521), "523": status(523), "proxy": status(502, ("proxy-status", "gw; error=connection_refused")), "envoy": status(503, ("x-envoy-overloaded", "true"))}
    customary = {"408": status(408), "429": status(429), "503": status(503, ("retry-after", "0")), "529": status(529)}
    unknown = {"500": status(500), "reset": RESET, "answered": status(502, ("proxy-status", "a; received-status=500, b; error=connection_refused"))}
    for name, outcome in {**proven, **customary, **unknown}.items():
        steps = []
        for safety in ("never", "proven", "presumed"):
            believed = (safety != "never" and name in proven) or (safety == "presumed" and name in customary)
            expect = {"verdict": "retry"} if believed else {"verdict": "stop", "reason": "unsafe-to-repeat"}
            yield row(f"safety-{safety}-{name}", {"safety": safety}, [begin(0, "a", {"method": "POST"}), settle(1, "a", outcome, **expect)], "not processed, and how that is known")
    yield row("safety-word", {}, [begin(0, "a", {"method": "POST"}), stop(1, "a", status(500, ("x-should-retry", "true")), "unsafe-to-repeat")], "a server's word is no proof")
    for profile in ("adobe", "autodesk", "msgraph"):
        opened = {**begin(0, "a", {"method": "POST", "key": "k"}), "wall": "2026-01-15T12:00:00Z"}
        yield row(f"safety-{profile}", {"profile": profile}, [opened, stop(1, "a", status(500), "unsafe-to-repeat")], "a key that correlates deduplicates nothing")


def edits():
    """`retryOn` and `overrides`."""
    def lists(add=(), remove=(), errors_add=(), errors_remove=()):
        return {"retryOn": {"statuses": {"add": [*add], "remove": [*remove]}, "errors": {"add": [*errors_add], "remove": [*errors_remove]}}}

    def one(name, policy, request, outcome, **expect):
        return row(name, policy, [begin(0, "a", request), settle(1, "a", outcome, **expect)], "retryOn: removed wins, the delivery is untouched")

    get, post, added = {"method": "GET"}, {"method": "POST"}, {"verdict": "retry", "attempt": 2, "delayMs": 500}
    yield one("add-404", lists([404]), get, status(404), **added, **{"class": "transient", "delivery": "processed"})
    yield one("add-404-post", lists([404]), post, status(404), verdict="stop", reason="unsafe-to-repeat")
    yield one("add-404-veto", lists([404]), get, status(404, ("x-should-retry", "false")), verdict="stop", reason="server-refused")
    yield one("both-404", lists([404], [404]), get, status(404), verdict="stop", reason="permanent")
    yield one("remove-429", lists([], [429]), get, status(429, ("retry-after", "1")), verdict="stop", reason="permanent")
    yield one("add-certificate-post", lists(errors_add=["CERT_HAS_EXPIRED"]), post, error("node", "CERT_HAS_EXPIRED"), **added, **{"class": "transient", "delivery": "not_processed"})
    yield one("both-error", lists(errors_add=["ECONNRESET"], errors_remove=["ECONNRESET"]), get, RESET, verdict="stop", reason="permanent")
    cause = error("fetch", None, name="TypeError", message="fetch failed", cause={"code": "ECONNREFUSED"})
    del cause["error"]["code"]
    yield one("remove-cause", lists(errors_remove=["ECONNREFUSED"]), get, cause, verdict="stop", reason="permanent")

    def waits(name, overrides, *attempts, **more):
        steps, at = [begin(0, "a")], 0
        for number, (outcome, wait, reason) in enumerate(attempts, 2):
            steps += [retry(at, "a", outcome, number, wait, reason=reason), resume(at + wait, "a")]
            at += wait
        return row(f"override-{name}", {"backoff": {**FIXED, **more, "overrides": overrides}}, steps, "overrides: the first match, by kind of fault")

    hinted = status(503, ("retry-after", "0"))
    yield waits("first", [{"statuses": [503, 502], "baseMs": 70}, {"statuses": [503], "baseMs": 80}, {"class": "transient", "baseMs": 90}], (FAILS, 70, "backoff"), (status(500), 90, "backoff"))
    yield waits("all-must-match", [{"class": "throttled", "statuses": [503], "baseMs": 9000}], (FAILS, 500, "backoff"), (hinted, 9000, "backoff"), (status(429), 500, "backoff"))
    yield waits("immediate", [{"statuses": [429, 503], "immediate": True}], (status(429), 500, "backoff"), (status(503, ("retry-after", "2")), 2000, "server-hint"), (FAILS, 0, "immediate"), (FAILS, 0, "immediate"))
    yield waits("curve", [{"statuses": [503], "curve": "exponential", "baseMs": 100, "capMs": 300}], *[(FAILS, wait, "backoff") for wait in (100, 200, 300, 300)])
    yield waits("beside-throttled", [{"statuses": [503], "baseMs": 70}], (status(429), 4000, "backoff"), (FAILS, 70, "backoff"), throttledBaseMs=4000)
    yield waits("cause", [{"errors": ["ECONNREFUSED"], "baseMs": 70}], (cause, 70, "backoff"))


def all_traces():
    yield from stops()
    yield from draws()
    yield from samples()
    yield from proofs()
    yield from edits()
