"""A program on `retrywise.httpx` or `retrywise.requests`, for the suite of the hosts.

``host.py httpx|requests URL METHOD POLICY SEED [KEY]`` prints a line for each verdict, then how it
ended.
"""

import sys

from retrywise import Upstream, Verdict

client, url, method, policy, seed, *key = sys.argv[1:]
headers = {"Idempotency-Key": key[0]} if key else {}


def say(verdict: Verdict) -> None:
    print(verdict.kind, verdict.reason, verdict.attempt, verdict.delay_ms)


upstream = Upstream(policy, seed=int(seed))
if client == "httpx":
    import httpx

    from retrywise.httpx import RetryTransport

    transport = RetryTransport(upstream=upstream, on_verdict=say)
    with httpx.Client(transport=transport, trust_env=False) as session:
        try:
            print("status", session.request(method, url, headers=headers).status_code)
        except httpx.TransportError:
            print("error")
else:
    import requests

    from retrywise.requests import RetryAdapter

    with requests.Session() as sender:
        sender.trust_env = False
        sender.mount("http://", RetryAdapter(upstream=upstream, on_verdict=say))
        try:
            print("status", sender.request(method, url, headers=headers).status_code)
        except requests.RequestException:
            print("error")
