"""An adapter for requests: ``session.mount("https://", RetryAdapter({"extends": "interactive"}))``."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import requests
from requests.adapters import HTTPAdapter

from .engine import Upstream, Verdict, failure


class RetryAdapter(HTTPAdapter):
    """Sends as `HTTPAdapter` does, without urllib3's own retries, and repeats what the policy lets
    it repeat. A final bad status comes back as its response, a final failure raises the last
    exception, a call that may not begin raises `Refused`."""

    def __init__(
        self,
        policy: Mapping[str, Any] | str = "{}",
        *,
        upstream: Upstream | None = None,
        sleep: Callable[[float], None] = time.sleep,
        on_verdict: Callable[[Verdict], None] = lambda verdict: None,
        **options: Any,
    ) -> None:
        super().__init__(**options, max_retries=0)
        self._upstream = upstream or Upstream(policy)
        self._sleep, self._on_verdict = sleep, on_verdict

    def send(self, request: requests.PreparedRequest, **options: Any) -> requests.Response:  # type: ignore[override]
        """Sends a request, as often as it takes and the policy allows."""
        replayable = request.body is None or isinstance(request.body, (bytes, str))
        headers = [(str(name), value) for name, value in request.headers.items()]
        with self._upstream.begin(
            request.method or "GET", headers=headers, replayable_body=replayable
        ) as call:
            request.headers.update(dict(call.headers))
            while True:
                response, error = None, None
                if (left := call.timeout_ms) is not None:
                    options["timeout"] = left / 1000
                try:
                    response = super().send(request, **options)
                    outcome = self._upstream.answer(response.status_code, response.raw.headers.items())
                except requests.RequestException as raised:
                    error, outcome = raised, failure("python-requests", raised)
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
