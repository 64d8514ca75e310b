"""What a server does for a request: conduct it, within limits, on somebody's account."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextvars import Context
from dataclasses import dataclass, replace
from typing import Any

from conductor.assemble import Assembly
from conductor.call import Call
from conductor.serve.errors import busy, no_answer, no_money, no_quota, too_slow
from conductor.serve.keys import Account, Keyring
from conductor.serve.live import Live
from conductor.serve.request import ChatRequest
from conductor.serve.tap import Tap
from conductor.trace import Outcome


@dataclass(frozen=True, slots=True)
class Limits:
    """concurrency: requests that are worked on at once. seconds: for one answer. body_bytes,
    body_seconds: for a request to come in. keep_alive: seconds of silence in a stream."""

    concurrency: int = 32
    seconds: float = 600.0
    body_bytes: int = 4_000_000
    body_seconds: float = 30.0
    keep_alive: float = 15.0


class Service:
    """One assembly for all requests: they share its breakers, its recordings and its budget."""

    def __init__(self, assembly: Assembly, keyring: Keyring, limits: Limits) -> None:
        self.assembly, self.keyring, self.limits = assembly, keyring, limits
        self._running: set[asyncio.Task[Outcome]] = set()

    def begin(self, asked: ChatRequest, account: Account, live: Live) -> asyncio.Task[Outcome]:
        """The plan, begun; it ends with an outcome that is an answer, or with an ApiError.

        Raises ApiError (429) when the server is full or the account has nothing left.
        """
        if len(self._running) >= self.limits.concurrency:
            raise busy(self.limits.concurrency)
        account.begin()
        return self._start(self._conduct(asked, account, live))

    def _start(self, work: Coroutine[Any, Any, Outcome]) -> asyncio.Task[Outcome]:
        # a context of its own: Inspect keeps what it records there, and it goes with the task
        task = asyncio.create_task(work, context=Context())
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    async def _conduct(self, asked: ChatRequest, account: Account, live: Live) -> Outcome:
        tap = Tap(self.assembly.policy, self.assembly.config.settings, live)
        assembly = replace(self.assembly, policy=tap if asked.stream else self.assembly.policy)

        def around(call: Call) -> Call:
            metered = account.ledger.around(call)
            return tap.around(metered) if asked.stream else metered

        try:
            async with asyncio.timeout(self.limits.seconds):
                outcome = await assembly.answer(asked.messages, asked.config, around)
        except TimeoutError as cause:
            raise too_slow(self.limits.seconds) from cause
        self._check(outcome, account)
        return outcome

    def _check(self, outcome: Outcome, account: Account) -> None:
        """A fault is an error. No plan is none: it is the policy model's own, empty answer."""
        if outcome.fault is None:
            return
        if (reason := account.ledger.exhausted()) and reason in outcome.fault:
            raise no_quota(f"key {account.key.name!r}: {reason}")
        if (reason := self.assembly.link.ledger.exhausted()) and reason in outcome.fault:
            raise no_money(reason)
        raise no_answer(outcome, self.assembly.config.settings.breaker.seconds)
