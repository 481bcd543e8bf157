"""What an outcome means: the rows of the tables of statuses, errors, methods and vendors that no
other file has, and what happens when two of them speak at once. Worked out from the documents alone.
"""

from edges import DATE, EPOCH_S, answer, means, signal

AWS = ("Throttling ThrottlingException ThrottledException RequestThrottled RequestThrottledException TooManyRequestsException ProvisionedThroughputExceededException "
       "RequestLimitExceeded BandwidthLimitExceeded LimitExceededException SlowDown EC2ThrottledException PriorRequestNotComplete TransactionInProgressException")


def outcome(name, letters, *headers, status=502, area="vendor", source="vendor tables", wait=..., **rest):
    more = {} if wait is ... else {"delay_ms": wait}
    return signal(f"means-{name}", area, means(letters, **more), source, **answer(status, *headers, **rest))


def statuses():
    source = "status table"
    table = {"Sp": "200 203 204 205 207 208 226 299 300 301 302 305 306 310 399", "Tn": "421 525",
             "Pp": "407 411 413 416 417 419 428 430 431 440 444 450 452 460 494 495 498 508 600 601 700",
             "Rn": "429 509", "Tm": "502 512 519 520 522 528 531 540 555 561 579 591 597"}
    for letters, codes in table.items():
        for code in codes.split():
            yield outcome(code, letters, status=int(code), area="status", source=source, wait=None)
    hinted = [(413, "soon", "Pp", None), (413, "0", "Tn", 0), (413, DATE, "Tn", 120_000), (423, "-1", "Pp", None), (423, "5", "Tp", 5000), (503, "soon", "Tm", None),
              (503, "", "Tm", None), (503, "0", "Rn", 0), (503, "Wed, 21 Oct 2015 07:28:00 GMT", "Rn", 0), (529, "300", "Rn", 300_000), (500, "5", "Tm", 5000),
              (502, "5", "Tm", 5000), (504, "5", "Tm", 5000), (404, "5", "Pp", 5000), (400, "5", "Pp", 5000), (501, "5", "Pp", 5000), (202, "5", "Sp", 5000)]
    for number, (code, value, letters, wait) in enumerate(hinted):
        yield outcome(f"{code}-hinted-{number}", letters, ("retry-after", value), status=code, area="status", source=source, wait=wait)
    yield outcome("409-key", "Tm", status=409, area="status", source=source, method="PATCH", idempotency_key=True)
    yield outcome("409-no-key", "Pp", status=409, area="status", source=source, method="PUT", idempotency_key=False)


def gateways():
    def row(name, letters, *values, status=502):
        return outcome(f"gateway-{name}", letters, *(("Proxy-Status", value) for value in values), status=status, area="status", source="RFC 9209, RFC 9651")

    tokens = {"dns_error": ("Tn", 502), "connection_timeout": ("Tn", 504), "tls_alert_received": ("Pm", 502), "http_request_denied": ("Pn", 403), "http_response_incomplete": ("Tm", 502)}
    for token, (letters, status) in tokens.items():
        yield row(token, letters, f"edge.example; error={token}", status=status)
    refused = "gw; error=connection_refused"
    texts = [("Tn", '"edge, 1"; error=dns_timeout'), ("Tn", "gw;error=connection_refused"), ("Tm", "gw ;error=connection_refused"), ("Tm", f"{refused},"), ("Tm", "gw;error=made_up"),
             ("Tm", 'gw;details="a, b; error=connection_refused"'), ("Tn", 'gw;details="x\\"y, z; error=http_response_timeout";error=dns_timeout'), ("Tn", f" {refused} "),
             ("Tn", "gw;error=http_response_timeout;error=connection_refused"), ("Tm", "gw;Error=connection_refused"), ("Tm", "gw;error"), ("Tm", "cdn"), ("Tm", "gw;received-status=503"),
             ("Tm", 'gw;details="abc;error=connection_refused'), ("Tn", f"{refused}, cdn; received-status=502"), ("Tm", f"gw; received-status=500, edge; error=connection_refused"),
             ("Tm", f"{refused}, edge; error=http_response_timeout"), ("Tm", f"{refused}; received-status=500")]
    for number, (letters, text) in enumerate(texts):
        yield row(f"text-{number}", letters, text)
    yield row("two-lines", "Tn", refused, "cdn")
    yield row("success", "Sp", refused, status=200)


def errors():
    def row(case, letters, **error):
        return signal(f"means-error-{case}", "transport", means(letters), "transport tables", error=error)

    table = {
        "node": {"Tn": "ENFILE EADDRINUSE ERR_HTTP2_INVALID_SESSION", "Tm": "ETIMEDOUT ENETUNREACH ECONNABORTED ERR_STREAM_PREMATURE_CLOSE HPE_INVALID_CONSTANT EWHATEVER",
                 "Pn": "ERR_INVALID_URL CERT_HAS_EXPIRED DEPTH_ZERO_SELF_SIGNED_CERT UNABLE_TO_VERIFY_LEAF_SIGNATURE UNABLE_TO_GET_ISSUER_CERT CERT_REVOKED HOSTNAME_MISMATCH"},
        "undici": {"Tm": "UND_ERR_BODY_TIMEOUT UND_ERR_NEW", "Pp": "UND_ERR_RES_EXCEEDED_MAX_SIZE", "Pm": "UND_ERR_DESTROYED", "Cm": "UND_ERR_ABORT"},
        "axios": {"Pn": "ERR_BAD_OPTION ERR_FORM_DATA_DEPTH_EXCEEDED CERT_HAS_EXPIRED", "Tn": "ECONNREFUSED", "Tm": "ECONNRESET"},
        "http2": {"Tm": "INTERNAL_ERROR CANCEL SOMETHING", "Tn": "HTTP_1_1_REQUIRED"},
        "http3": {"Tm": "H3_SOMETHING"},
        "wasi-http": {"Tn": "DNS-error connection-refused connection-timeout", "Tm": "connection-read-timeout connection-write-timeout HTTP-response-timeout HTTP-protocol-error brand-new",
                      "Pn": "destination-not-found HTTP-request-denied configuration-error", "Rn": "connection-limit-reached",
                      "Pm": "HTTP-request-trailer-section-size HTTP-request-trailer-size", "Pp": "HTTP-response-header-section-size"},
        "python-urllib3": {"Tn": "ConnectTimeoutError EmptyPoolError", "Pn": "SSLError URLSchemeUnknown"},
        "python-requests": {"Pn": "MissingSchema InvalidHeader"},
        "python-httpx": {"Tn": "PoolTimeout", "Tm": "WriteTimeout"},
        "python-aiohttp": {"Tn": "ClientConnectorError ClientConnectorDNSError", "Pn": "ClientConnectorCertificateError", "Tm": "SocketTimeoutError"},
        "java": {"Tn": "java.net.ConnectException", "Cm": "java.lang.InterruptedException", "Tm": "com.acme.Oops"},
        "dotnet": {"Tm": "ResponseEnded Unknown"},
        "curl": {"Tm": "CURLE_OPERATION_TIMEDOUT CURLE_GOT_NOTHING CURLE_WEIRD", "Pp": "CURLE_TOO_MANY_REDIRECTS"},
        "reqwest": {"Tm": "is_weird"},
        "netscape": {"Tm": "NS_ERROR_NET_RESET"},
    }
    for family, by_meaning in table.items():
        for letters, codes in by_meaning.items():
            for code in codes.split():
                yield row(f"{family}-{code}", letters, family=family, code=code)
    for code, syscall, letters in [("ETIMEDOUT", "connect", "Tn"), ("ETIMEDOUT", "read", "Tm"), ("ETIMEDOUT", "write", "Tm"), ("EAI_AGAIN", "getaddrinfo", "Tn"),
                                   ("EHOSTDOWN", "connect", "Tn"), ("ENETDOWN", "connect", "Tn"), ("EACCES", "connect", "Pn"), ("ENOENT", "connect", "Pn")]:
        yield row(f"node-{code}-{syscall}", letters, family="node", code=code, syscall=syscall)
    yield row("node-proto", "Pn", family="node", code="EPROTO", syscall="write", phase="tls-handshake")
    before_tls = "Client network socket disconnected before secure TLS connection was established"
    yield row("node-reset-before-tls", "Tn", family="node", code="ECONNRESET", message=before_tls)
    for word, letters in [("REFUSED_STREAM", "Tn"), ("INTERNAL_ERROR", "Tm")]:
        yield row(f"node-{word}", letters, family="node", code="ERR_HTTP2_STREAM_ERROR", message=f"Stream closed with error code NGHTTP2_{word}")
    frames = [("NO_ERROR", 7, 7, "Tm"), ("NO_ERROR", 9, 7, "Tm"), ("INTERNAL_ERROR", 1, 3, "Tn"), ("PROTOCOL_ERROR", 0, 1, "Tn"), ("ENHANCE_YOUR_CALM", 0, 1, "Rn"),
              ("ENHANCE_YOUR_CALM", 9, 1, "Rm"), ("INADEQUATE_SECURITY", 0, 1, "Pn"), ("NO_ERROR", 2**31 - 1, 1, "Tm")]
    for number, (code, last, stream, letters) in enumerate(frames):
        yield row(f"goaway-{number}", letters, family="http2", frame="GOAWAY", code=code, last_stream_id=last, stream_id=stream)
    yield row("goaway-nobody-knows", "Tm", family="http2", frame="GOAWAY", code="NO_ERROR", stream_id=3)
    yield row("reset-is-no-goaway", "Tm", family="http2", frame="RST_STREAM", code="INTERNAL_ERROR", last_stream_id=1, stream_id=3)
    failed = {"family": "fetch", "name": "TypeError", "message": "fetch failed"}
    causes = [("Tn", {"code": "ECONNREFUSED"}), ("Tn", {"code": "ENOTFOUND"}), ("Tm", {"code": "ECONNRESET"}), ("Tm", {"code": "UND_ERR_SOCKET"}), ("Tn", {"code": "UND_ERR_CONNECT_TIMEOUT"}),
              ("Pn", {"code": "CERT_HAS_EXPIRED"}), ("Cm", {"code": "UND_ERR_ABORTED"}), ("Tm", {"code": "NOBODY_KNOWS"}), ("Tm", {}), ("Tn", {"code": "ETIMEDOUT", "syscall": "connect"}),
              ("Tn", {"message": "wrapped", "cause": {"code": "ECONNREFUSED"}}), ("Pn", {"cause": {"cause": {"code": "CERT_HAS_EXPIRED"}}}), ("Tn", {"code": "ECONNRESET", "message": before_tls})]
    for number, (letters, cause) in enumerate(causes):
        yield row(f"cause-{number}", letters, **failed, cause=cause)
    yield row("cause-axios", "Tn", family="axios", code="ERR_NETWORK", message="Network Error", cause={"code": "ECONNREFUSED"})
    yield row("cause-java", "Tn", family="java", code="java.util.concurrent.ExecutionException", cause={"code": "java.net.ConnectException"})
    yield row("cause-requests", "Tn", family="python-requests", code="ConnectionError", cause={"family": "python-urllib3", "code": "NewConnectionError"})
    for number, message in enumerate(["Failed to fetch", "NetworkError when attempting to fetch resource.", "Load failed", "A network error occurred.", "Etwas ging schief"]):
        yield row(f"fetch-{number}", "Tm", family="fetch", name="TypeError", message=message)
    yield row("fetch-abort", "Cm", family="fetch", name="AbortError", message="The operation was aborted.")
    yield row("fetch-timeout", "Tm", family="fetch", name="TimeoutError", message="The operation was aborted due to timeout")
    for number, (letters, message) in enumerate([("Tm", "http: server closed idle connection"), ("Tm", "context deadline exceeded"), ("Tm", "net/http: timeout awaiting response headers"),
                                                 ("Cm", 'Get "http://x": context canceled')]):
        yield row(f"go-{number}", letters, family="go", message=message)
    yield row("go-read", "Tm", family="go", type="net.OpError", op="read")
    yield row("go-x509", "Pn", family="go", type="x509.UnknownAuthorityError")


def methods():
    for method, safe, idempotent in [("HEAD", True, True), ("POST", False, False), ("PROPPATCH", False, True), ("MKCOL", False, True), ("REPORT", True, True), ("SEARCH", True, True), ("PURGE", False, False), ("Get", False, False)]:
        yield signal(f"means-method-{method}", "method", {"safe": safe, "idempotent": idempotent}, "RFC 9110 section 9.2", method=method)
    for method, key, letters, retry in [("PUT", False, "Tm", True), ("POST", False, "Tn", True), ("POST", False, "Rn", True), ("PATCH", False, "Tn", True), ("LOCK", False, "Tm", False),
                                        ("DELETE", False, "Rm", True), ("MOVE", False, "Tp", True), ("get", False, "Tm", False), ("LOCK", True, "Rm", True), ("GET", True, "Cm", False)]:
        yield signal(f"means-repeat-{method}-{letters}", "method", {"retry": retry}, "decision rule", method=method, idempotency_key=key, **means(letters))


def vendors():
    for code in AWS.split():
        yield outcome(f"aws-{code}", "Rn", status=500, profile="aws", body={"code": code})
        yield outcome(f"dynamodb-{code}", "Rn", status=400, profile="dynamodb", body={"code": code})
    yield outcome("aws-code-elsewhere", "Pp", status=400, profile="stripe", body={"code": "Throttling"})
    yield outcome("aws-code-nowhere", "Pp", status=400, body={"code": "Throttling"})
    yield outcome("aws-code-unknown", "Tm", status=500, profile="aws", body={"code": "InternalFailure"})
    for code in "RequestTimeTooSkewed RequestExpired RequestInTheFuture InvalidSignatureException SignatureDoesNotMatch AuthFailure AccessDeniedException".split():
        yield outcome(f"aws-{code}", "Pp", status=403, profile="aws", body={"code": code})
    calm, seconds = {"status": 429}, ("retry-after", "3")
    rows = [("arm-lock", "Rn", calm, "arm", (), None, {"code": "RetryableErrorDueToAnotherOperation"}), ("arm-left", "Rn", calm, "arm", [("x-ms-ratelimit-remaining-subscription-writes", "0")], None, None),
            ("cosmos", "Rn", calm, "azure", [("x-ms-retry-after-ms", "250")], 250, None), ("msgraph-504", "Tm", {"status": 504}, "msgraph", [seconds], 3000, None),
            ("stripe-no", "Pm", {"status": 503}, "stripe", [("stripe-should-retry", "false")], None, None), ("stripe-409-no", "Pm", {"status": 409}, "stripe", [("stripe-should-retry", "false")], None, None),
            ("stripe-v2-409", "Tm", {"status": 409}, "stripe-v2", (), None, None), ("quota-and-wait", "Pn", calm, "openai", [seconds], 3000, {"code": "insufficient_quota"}),
            ("quota-elsewhere", "Rn", calm, None, (), None, {"code": "insufficient_quota"}),
            ("shopify", "Rn", calm, "shopify", [("retry-after", "2.0"), ("x-shopify-shop-api-call-limit", "40/40")], 2000, None), ("secondly", "Rn", calm, "hubspot", (), 1000, {"policy": "secondly"}),
            ("daily-and-wait", "Pn", calm, "hubspot", [seconds], 3000, {"policy": "DAILY"}), ("monthly", "Pn", calm, "hubspot", (), None, {"policy": "MONTHLY"}), ("no-policy", "Rn", calm, "hubspot", (), None, None),
            ("salesforce-elsewhere", "Pp", {"status": 403}, None, (), None, {"code": "REQUEST_LIMIT_EXCEEDED"}), ("envoy-overloaded", "Rn", {"status": 503}, None, [("X-Envoy-Overloaded", "true")], None, None),
            ("github-nothing", "Rn", calm, "github", (), 60_000, None), ("github-unreadable", "Pp", {"status": 403}, "github", [("retry-after", "soon")], None, None),
            ("github-elsewhere", "Pp", {"status": 403}, None, [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", str(EPOCH_S + 60))], 60_000, None),
            ("github-secondary-reset", "Rn", calm, "github", [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", str(EPOCH_S + 5))], 5000, {"code": "secondary_rate_limit"}),
            ("github-secondary-seconds", "Rn", {"status": 403}, "github", [("retry-after", "7"), ("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", str(EPOCH_S + 5))], 7000, {"code": "secondary_rate_limit"})]
    for name, letters, status, profile, lines, wait, body in rows:
        given = {**({} if profile is None else {"profile": profile}), **({} if body is None else {"body": body})}
        yield outcome(name, letters, *lines, **status, wait=wait, **given)
    for code, wait in [("1004", 120_000), ("1005", 120_000), ("1033", 120_000), ("1015", 30_000), ("1038", 60_000), ("1200", 60_000), ("1205", 5000)]:
        yield signal(f"means-cloudflare-{code}", "vendor", {"delivery": "not_processed", "delay_ms": wait}, "Cloudflare changelog 2026-03-12", **answer(503, ("cf-error-type", code)), profile="cloudflare")
    for number, value in enumerate(["-2147483648", "", "abc", "1.5", "0x5", "5ms", "1e3", "٥"]):
        yield outcome(f"pushback-unreadable-{number}", "Pm", ("grpc-status", "14"), ("grpc-retry-pushback-ms", value), status=200, profile="grpc", wait=None)
    yield outcome("pushback-twice", "Pm", ("grpc-status", "14"), ("grpc-retry-pushback-ms", "5"), ("grpc-retry-pushback-ms", "5"), status=200, profile="grpc", wait=None)
    for number, (value, wait) in enumerate([("2147483647", 2_147_483_647), (" 15 ", 15), ("0005", 5)]):
        yield outcome(f"pushback-{number}", "Tm", ("grpc-status", "14"), ("grpc-retry-pushback-ms", value), status=200, profile="grpc", wait=wait)
    should = [(404, "True", "Pp"), (404, "1", "Pp"), (404, '"true"', "Pp"), (404, "true, true", "Pp"), (404, " true ", "Tp"), (501, "true", "Tp"), (500, "False", "Tm"), (500, "?0", "Tm"),
              (500, "\tfalse", "Pm"), (200, "false", "Sp"), (200, "true", "Sp"), (429, "false", "Pn"), (499, "true", "Cm"), (499, "false", "Cm")]
    for number, (status, value, letters) in enumerate(should):
        yield outcome(f"should-retry-{number}", letters, ("x-should-retry", value), status=status)
    yield outcome("should-retry-no-profile", "Pm", ("stripe-should-retry", "false"), status=500)


def all_traces():
    yield from statuses()
    yield from gateways()
    yield from errors()
    yield from methods()
    yield from vendors()
