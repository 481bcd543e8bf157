"""What `pip install` brings into an empty environment.

Run it with the Python of such an environment, from outside the sources.
"""

import json
import unittest
from importlib import metadata, resources
from operator import attrgetter
from pathlib import Path
from typing import Any

import retrywise
from retrywise import StateError, Upstream
from retrywise.engine import answer

STEADY = {"backoff": {"jitter": "none"}, "breaker": {"kind": "consecutive", "failures": 2}}


def upstream(at: list[int]) -> Upstream:
    return Upstream(STEADY, seed=7, now=lambda: at[0], wall=lambda: None)


class Package(unittest.TestCase):
    def test_the_component_and_the_marker_of_types_are_in_it(self) -> None:
        names = {Path(str(file)).name for file in metadata.files("retrywise") or ()}
        self.assertLessEqual({"retrywise.component.wasm", "py.typed"}, names)
        shipped = resources.files(retrywise) / "retrywise.component.wasm"
        self.assertEqual(shipped.read_bytes()[:4], b"\0asm")

    def test_many_attempts_in_one_crossing_are_settled_like_one_after_the_other(self) -> None:
        outcomes = [answer(status, []) for status in (200, 503, 404, 429)]
        one, many = upstream([0]), upstream([0])
        single = [one.begin("GET").settle(outcome) for outcome in outcomes]
        batch = many.settle_all((many.begin("GET"), outcome) for outcome in outcomes)
        told = attrgetter("kind", "reason", "delay_ms", "attempt", "class_")
        self.assertEqual([told(v) for v in batch], [told(v) for v in single])
        self.assertEqual([v.kind for v in batch], ["accept", "retry", "stop", "retry"])

    def test_a_header_that_nothing_reads_does_not_cross(self) -> None:
        lines = [("Retry-After", "2"), ("Server", "nginx"), ("X-Amzn-ErrorType", "Busy")]
        made: Any = upstream([0]).answer(503, lines)
        self.assertEqual([h.name for h in made.response.headers], ["Retry-After", "X-Amzn-ErrorType"])

    def test_an_upstream_goes_on_where_it_was_saved(self) -> None:
        at = [1_000]
        before = upstream(at)
        for _ in range(2):
            before.begin("GET").settle(answer(500, []))
        at[0] += 2_000
        saved = before.save()
        self.assertEqual(json.loads(saved)["version"], 1)
        after = upstream([5])
        after.load(saved)
        with self.assertRaises(retrywise.Refused) as refused:
            after.begin("GET")
        self.assertEqual(
            (refused.exception.reason, refused.exception.retry_in_ms), ("breaker-open", 3_000)
        )

    def test_a_state_that_is_none_says_what_is_wrong(self) -> None:
        with self.assertRaises(StateError) as raised:
            upstream([0]).load('{"version":1,"generator":"x","stateGenerator":"1","colour":1}')
        fields = {issue["field"] for issue in raised.exception.issues}
        self.assertEqual(fields, {"generator", "colour"})


if __name__ == "__main__":
    unittest.main()
