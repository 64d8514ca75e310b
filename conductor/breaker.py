"""A circuit breaker a worker: who is down is not asked by every sample in turn."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from conductor.call import Call, CallKey, Message, Reply
from conductor.pool import Worker


@dataclass(frozen=True, slots=True)
class Breaking:
    """failures: that many calls in a row must fail. seconds: then nobody asks for so long; one
    call tries again after that. failures=0: never."""

    failures: int = 5
    seconds: float = 30.0


@dataclass(slots=True)
class _State:
    failed: int = 0
    until: float = 0.0


class Breaker:
    """A `Call` that answers for a dead worker at once, with a fault that names it.

    State is a worker's, over all questions of the process.
    """

    def __init__(self, breaking: Breaking, now: Callable[[], float] = time.monotonic) -> None:
        self._breaking, self._now = breaking, now
        self._states: dict[tuple[str, str | None], _State] = {}

    def around(self, call: Call) -> Call:
        if not self._breaking.failures:
            return call

        async def guarded(worker: Worker, messages: Sequence[Message], key: CallKey) -> Reply:
            state = self._states.setdefault((worker.model, worker.base_url), _State())
            if state.until > self._now():
                reason = f"{worker.name} failed {state.failed} times in a row; it is left alone"
                return Reply("", worker.model, stop_reason="skipped", fault=reason, calls=0)
            if state.until:  # half open: this call is the trial, the others go on waiting
                state.until = self._now() + self._breaking.seconds
            reply = await call(worker, messages, key)
            self._note(state, reply)
            return reply

        return guarded

    def _note(self, state: _State, reply: Reply) -> None:
        if reply.fault is None:
            state.failed, state.until = 0, 0.0
            return
        state.failed += 1
        if state.failed >= self._breaking.failures:
            state.until = self._now() + self._breaking.seconds
