"""A transport for httpx: ``httpx.Client(transport=RetryTransport({"extends": "interactive"}))``."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import httpx

from .engine import Upstream, Verdict, failure


class RetryTransport(httpx.BaseTransport):
    """Sends through ``inner`` and repeats what the policy lets it repeat.

    A final bad status comes back as its response, a final failure raises the last exception, a call
    that may not begin raises `Refused`. ``on_verdict`` sees every verdict.
    """

    def __init__(
        self,
        policy: Mapping[str, Any] | str = "{}",
        *,
        inner: httpx.BaseTransport | None = None,
        upstream: Upstream | None = None,
        sleep: Callable[[float], None] = time.sleep,
        on_verdict: Callable[[Verdict], None] = lambda verdict: None,
    ) -> None:
        self._inner = inner or httpx.HTTPTransport()
        self._upstream = upstream or Upstream(policy)
        self._sleep, self._on_verdict = sleep, on_verdict

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Sends a request, as often as it takes and the policy allows."""
        replayable = isinstance(request.stream, httpx.ByteStream)
        with self._upstream.begin(
            request.method, headers=request.headers.multi_items(), replayable_body=replayable
        ) as call:
            request.headers.update(dict(call.headers))
            while True:
                response, error = None, None
                if (left := call.timeout_ms) is not None:
                    request.extensions["timeout"] = httpx.Timeout(left / 1000).as_dict()
                try:
                    response = self._inner.handle_request(request)
                    outcome = self._upstream.answer(response.status_code, response.headers.multi_items())
                except httpx.TransportError as raised:
                    error, outcome = raised, failure("python-httpx", raised)
                verdict = call.settle(outcome)
                self._on_verdict(verdict)
                if verdict.kind == "retry" and call.wait(verdict, self._sleep):
                    if response is not None:
                        response.close()
                    continue
                if error is not None:
                    raise error
                assert response is not None
                return response

    def close(self) -> None:
        """Closes the inner transport and lets the upstream go."""
        self._inner.close()
        self._upstream.close()
