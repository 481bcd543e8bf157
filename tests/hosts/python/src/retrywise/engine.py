"""The component, as Python types. Converts, decides nothing."""

from __future__ import annotations

import json
import os
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wasmtime import Config, Engine, Store
from wasmtime.component import Component, Linker, Record, Variant

#: The names of the fields of a transport error that are text; `families` are those of the contract.
TEXTS = ("code", "name", "message", "syscall", "phase", "op", "kind", "rcode", "frame", "progress")


class PolicyError(ValueError):
    """A policy document that is none; ``issues`` has everything that is wrong with it."""

    def __init__(self, issues: list[dict[str, str]]) -> None:
        super().__init__("; ".join(issue["message"] for issue in issues))
        self.issues = issues


class StateError(ValueError):
    """A saved state that is none; ``issues`` has everything that is wrong with it."""

    def __init__(self, issues: list[dict[str, str]]) -> None:
        super().__init__("; ".join(issue["message"] for issue in issues))
        self.issues = issues


class Refused(Exception):
    """A call that may not begin; ``retry_in_ms`` is None when time alone changes nothing."""

    def __init__(self, reason: str, retry_in_ms: int | None) -> None:
        super().__init__(reason)
        self.reason, self.retry_in_ms = reason, retry_in_ms


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to do next: ``accept``, ``retry`` after ``delay_ms``, or ``stop``."""

    kind: str
    attempt: int
    delay_ms: int
    reason: str
    hint_ms: int | None
    hint_source: str | None
    class_: str
    delivery: str
    stale: bool
    raw: Any


class Brain:
    """One instance of the component. It imports nothing; calls from several threads take turns."""

    def __init__(self, wasm: bytes | None = None) -> None:
        engine = Engine(Config())
        self.store = Store(engine)
        component = Component(engine, wasm if wasm is not None else _shipped())
        self._instance = Linker(engine).instantiate(self.store, component)
        self._functions: dict[tuple[str, str], Any] = {}
        self._read: dict[str, bool] = {}
        self._lock = threading.RLock()

    def __call__(self, interface: str, function: str, *arguments: Any) -> Any:
        """Calls an exported function."""
        with self._lock:
            found = self._functions.get((interface, function))
            if found is None:
                name = f"retrywise:policy/{interface}@0.1.0"
                place = self._instance.get_export_index(self.store, name)
                index = self._instance.get_export_index(self.store, function, place)
                found = self._instance.get_func(self.store, index) if index else None
                if found is None:
                    raise LookupError(f"the component has no {interface}.{function}")
                self._functions[interface, function] = found
            return found(self.store, *arguments)

    def reads(self, header: str) -> bool:
        """Whether anything reads a response header of this name; passing one is dear."""
        found = self._read.get(header)
        if found is None:
            found = bool(self("classify", "reads-header", header))
            # Names come from servers: there is an end to how many are remembered.
            if len(self._read) < 1_000:
                self._read[header] = found
        return found

    def drop(self, resource: Any) -> None:
        """Ends a resource."""
        with self._lock:
            resource.drop(self.store)


class Upstream:
    """One dependency: owns a budget, a breaker and a generator.

    ``policy`` is a policy document, ``seed`` 0 to 2**53 - 1 (default: drawn). ``now`` and ``wall``
    are clocks in milliseconds, monotonic and since 1970.
    """

    def __init__(
        self,
        policy: Mapping[str, Any] | str = "{}",
        *,
        seed: int | None = None,
        now: Callable[[], int] = lambda: time.monotonic_ns() // 1_000_000,
        wall: Callable[[], int | None] = lambda: time.time_ns() // 1_000_000,
        brain: Brain | None = None,
    ) -> None:
        self.brain, self.now, self.wall = brain or shared(), now, wall
        document = policy if isinstance(policy, str) else json.dumps(policy)
        parsed = self.brain("policy", "[static]policy.parse", document)
        if isinstance(parsed, list):
            raise PolicyError(_issues(parsed))
        if isinstance(parsed, int):
            raise RuntimeError(f"more than {parsed} policies are kept")
        self.generates_keys: bool = self.brain("policy", "[method]policy.generates-keys", parsed)
        seed = secrets.randbits(53) if seed is None else seed
        self.resource = self.brain("upstream", "[constructor]upstream", parsed, seed)
        self.brain.drop(parsed)

    def begin(
        self,
        method: str,
        *,
        key: str | None = None,
        event: str | None = None,
        headers: Iterable[tuple[str, str | bytes]] = (),
        replayable_body: bool = True,
    ) -> Call:
        """Begins a call, or raises `Refused`."""
        entropy = secrets.token_bytes(16) if self.generates_keys and key is None else None
        request = record(
            method=method, key=key, entropy=entropy, event=event, headers=_headers(headers),
            replayable_body=replayable_body, idempotent=None, priority=0, ticket=None,
            nested=False,
        )
        begun: Any = self.brain(
            "upstream", "[method]upstream.begin", self.resource, request, self.now(), self.wall()
        )
        if isinstance(begun, Record):
            refusal: Any = begun
            raise Refused(refusal.reason.name, getattr(refusal, "retry-in"))
        if isinstance(begun, int):
            raise Refused(f"more than {begun} calls are under way", None)
        return Call(self, begun)

    def answer(
        self, status: int, headers: Iterable[tuple[str, str | bytes]], **body: str | None
    ) -> Record:
        """As the function `answer`, without the headers that nothing reads."""
        return answer(status, [h for h in headers if self.brain.reads(h[0])], **body)

    def settle_all(self, attempts: Iterable[tuple[Call, Record]]) -> list[Verdict]:
        """Settles many attempts in one crossing: as many verdicts, in the same order."""
        now, wall = self.now(), self.wall()
        settlements = [
            record(call=call.resource, outcome=outcome, now=now, wall=wall)
            for call, outcome in attempts
        ]
        return [_verdict(given) for given in self.brain("upstream", "settle-all", settlements)]

    def save(self) -> str:
        """The state as a JSON document, to go on from in another process."""
        saved: str = self.brain(
            "upstream", "[method]upstream.save", self.resource, self.now(), self.wall()
        )
        return saved

    def load(self, state: str) -> None:
        """Goes on from a saved state, before any call; raises `StateError` where it is none."""
        error = self.brain(
            "upstream", "[method]upstream.load", self.resource, state, self.now(), self.wall()
        )
        if isinstance(error, list):
            raise StateError(_issues(error))
        if error is not None:
            raise RuntimeError(f"more than {error} upstreams are kept")

    def close(self) -> None:
        """Lets the upstream go, and its calls with it."""
        self.brain.drop(self.resource)


class Call:
    """One logical request and its attempts."""

    def __init__(self, upstream: Upstream, resource: Any) -> None:
        self.upstream, self.resource, self.last = upstream, resource, None

    def _ask(self, method: str, *arguments: Any) -> Any:
        return self.upstream.brain("upstream", f"[method]call.{method}", self.resource, *arguments)

    @property
    def headers(self) -> list[tuple[str, str]]:
        """The headers to send with every attempt."""
        return [(h.name, h.value.decode("latin-1")) for h in self._ask("headers")]

    @property
    def timeout_ms(self) -> int | None:
        """How long the next attempt may take; None: the client's own timeout stands."""
        timeout: int | None = self._ask("timeout", self.upstream.now())
        return timeout

    def settle(self, outcome: Record) -> Verdict:
        """Settles the attempt on its way; see `answer` and `failure`."""
        now, wall = self.upstream.now(), self.upstream.wall()
        return _verdict(self._ask("settle", outcome, now, wall))

    def resume(self) -> None:
        """Asks, after the wait, whether to send; raises `Refused`, later if it has a wait."""
        answer = self._ask("resume", self.upstream.now())
        if answer is not None:
            refusal = answer.payload if answer.tag == "later" else answer.payload.refusal
            raise Refused(refusal.reason.name, getattr(refusal, "retry-in"))

    def wait(self, verdict: Verdict, sleep: Callable[[float], None] = time.sleep) -> bool:
        """Sleeps as a `retry` says, then asks; whether the next attempt may be sent."""
        delay: int | None = verdict.delay_ms
        while delay is not None:
            sleep(delay / 1000)
            try:
                self.resume()
            except Refused as refused:
                delay = refused.retry_in_ms if refused.reason == "rate-limited" else None
            else:
                return True
        return False

    def cancel(self) -> Verdict:
        """Cancels the call, while sending or waiting."""
        return _verdict(self._ask("cancel", self.upstream.now()))

    def end(self) -> None:
        """Lets the call go; harmless after a terminal verdict."""
        if self.resource is not None:
            self.upstream.brain.drop(self.resource)
            self.resource = None

    def __enter__(self) -> Call:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()


def answer(status: int, headers: Iterable[tuple[str, str | bytes]], **body: str | None) -> Record:
    """An outcome with an answer; ``body`` has its machine codes (``code``, ``retry_after_s`` …)."""
    codes = record(code=None, policy=None, problem_type=None, retry_delay=None, retry_after_s=None)
    for name, value in body.items():
        setattr(codes, name.replace("_", "-"), value)
    response = record(status=status, headers=_headers(headers), body=codes)
    return record(response=response, errors=[], committed=False, duration=None)


def failure(family: str, error: BaseException, *, reused: bool = False) -> Record:
    """An outcome without an answer: the exception and its causes, by class and message."""
    errors, seen = [], 0
    link: BaseException | None = error
    while link is not None and seen < 8:
        fields: dict[str, Any] = dict.fromkeys(TEXTS)
        fields |= {"code": type(link).__name__, "message": str(link)}
        errors.append(transport_error(family, reused=reused, **fields))
        link, seen = link.__cause__ or link.__context__, seen + 1
    return record(response=None, errors=errors, committed=False, duration=None)


def transport_error(family: str, **given: Any) -> Record:
    """One link of a chain of errors."""
    fields: dict[str, Any] = dict.fromkeys(TEXTS)
    fields |= dict.fromkeys(("stream_id", "last_stream_id"))
    fields |= dict.fromkeys(("temporary", "not_found", "reused"), False)
    return record(family=family, **(fields | given))


def record(**fields: Any) -> Record:
    """A record of the contract; underscores stand for its hyphens."""
    made = Record()
    for name, value in fields.items():
        setattr(made, name.replace("_", "-"), value)
    return made


def shared() -> Brain:
    """The instance that all upstreams of a process share, loaded at first use."""
    global _brain
    with _loading:
        if _brain is None:
            _brain = Brain()
        return _brain


_brain: Brain | None = None
_loading = threading.Lock()


def _shipped() -> bytes:
    """The component that the package ships; `RETRYWISE_COMPONENT` names another file."""
    beside = Path(__file__).with_name("retrywise.component.wasm")
    return Path(os.environ.get("RETRYWISE_COMPONENT", beside)).read_bytes()


def _headers(lines: Iterable[tuple[str, str | bytes]]) -> list[Record]:
    return [record(name=name, value=_bytes(value)) for name, value in lines]


def _bytes(value: str | bytes) -> bytes:
    return value if isinstance(value, bytes) else value.encode("latin-1", "replace")


def _issues(found: list[Any]) -> list[dict[str, str]]:
    return [{"field": i.field, "kind": i.kind.name, "message": i.message} for i in found]


def _any(value: object) -> Any:
    """What has no type here has one in the contract."""
    return value


def _verdict(given: Variant) -> Verdict:
    retry, payload = given.tag == "retry", _any(given.payload)
    facts = payload.facts if retry else payload
    found, hint = facts.classification, facts.hint
    return Verdict(
        kind=given.tag,
        attempt=facts.attempt,
        delay_ms=payload.delay if retry else 0,
        reason=facts.reason.name,
        hint_ms=hint and hint.delay,
        hint_source=hint and hint.source.name,
        class_=getattr(found, "class"),
        delivery=found.delivery.replace("-", "_"),
        stale=facts.stale,
        raw=given,
    )
