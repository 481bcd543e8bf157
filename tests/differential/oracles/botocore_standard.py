"""botocore, retry mode standard: the scenarios of aws.json at the largest draw."""

import json
import pathlib
from types import SimpleNamespace

from botocore.retries import quota, standard

from lines import ms, trace

SCENARIOS = json.loads((pathlib.Path(__file__).parent.parent / "aws.json").read_text())


def context(attempt, response, memory):
    kind, _, hint = response.partition("+")
    code, status = {"T": ("InternalError", 500), "Th": ("Throttling", 400)}[kind]
    return standard.RetryContext(
        attempt_number=attempt,
        parsed_response={"Error": {"Code": code}},
        http_response=SimpleNamespace(
            status_code=status, headers={"x-amz-retry-after": hint} if hint else {}
        ),
        request_context=memory,
    )


def outcome(response):
    kind, _, hint = response.partition("+")
    headers = [["x-amz-retry-after", hint]] if hint else []
    if kind == "Th":
        return {"status": 400, "headers": headers, "body": {"code": "Throttling"}}
    return {"status": 200 if kind == "ok" else 500, "headers": headers}


def play(scenario):
    service = scenario.get("service")
    detector = standard.ThrottlingErrorDetector(standard.RetryEventAdapter())
    bucket = quota.RetryQuota(scenario.get("quota", 500))
    checker = standard.RetryQuotaChecker(bucket, detector)
    policy = standard.RetryPolicy(
        standard.StandardRetryConditions(max_attempts=scenario["max"]),
        standard.ExponentialBackoff(
            max_backoff=scenario.get("cap", 20),
            random=lambda: 1,
            service_name=service,
            throttling_detector=detector,
        ),
    )
    steps, at = [], 0
    balance = lambda: {"at": at, "op": "balance", "expect": {"balance": bucket.available_capacity}}
    for number, responses in enumerate(scenario["calls"]):
        call, memory = f"c{number}", {}
        steps.append({"at": at, "op": "begin", "call": call, "request": {"method": "GET"}})
        for attempt, response in enumerate(responses, 1):
            expect = {}
            if response == "ok":
                checker.release_retry_quota(memory, SimpleNamespace(status_code=200))
                expect = {"verdict": "accept"}
            else:
                this = context(attempt, response, memory)
                if not policy.should_retry(this):
                    expect = {"verdict": "stop", "reason": "retries-exhausted"}
                elif not checker.acquire_retry_quota(this):
                    expect = {"verdict": "stop", "reason": "budget-exhausted"}
                else:
                    wait = ms(policy.compute_retry_delay(this))
                    expect = {"verdict": "retry", "attempt": attempt + 1, "delayMs": wait}
            steps.append({
                "at": at, "op": "settle", "call": call, "outcome": outcome(response),
                "expect": expect,
            })
            steps.append(balance())
            if "delayMs" in expect:
                at += expect["delayMs"]
                steps.append(
                    {"at": at, "op": "resume", "call": call, "expect": {"admitted": True}}
                )
    ours = {
        "profile": service or "aws",
        "maxRetries": scenario["max"] - 1,
        "breaker": None,
        "budget": {"kind": "tokens", "capacity": scenario.get("quota", 500),
                   "transientCost": 14, "throttledCost": 5, "credit": 1},
    }
    if "cap" in scenario:
        cap = ms(scenario["cap"])
        ours["backoff"] = {"capMs": cap, "throttledBaseMs": cap}
    trace(f"botocore-{scenario['id']}", ours, steps, ["max"] * 40)


for scenario in SCENARIOS:
    play(scenario)
