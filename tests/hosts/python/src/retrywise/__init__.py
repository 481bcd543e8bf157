"""Decides whether, when and how safely a failed request is sent again, and says why.

The rules are in a WebAssembly component; this package loads it, reads clocks, draws the seed and
sleeps. ``retrywise.httpx`` has a transport for httpx, ``retrywise.requests`` an adapter for
requests.
"""

from .engine import Call, PolicyError, Refused, StateError, Upstream, Verdict

__all__ = ["Call", "PolicyError", "Refused", "StateError", "Upstream", "Verdict"]
