"""Who may be called for a question: constraints, the drawn subset, fallbacks within them."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from conductor.call import POLICY_STEP, Call, CallKey, Message, Reply
from conductor.pool import Pool, Worker

if TYPE_CHECKING:
    from conductor.settings import Settings

SELF = "conductor/self"  # the model of the worker that is the conductor itself
REFUSED = "content_filter"


def listed_workers(pool: Pool, settings: Settings, problem: str) -> tuple[int, ...]:
    """Ordinals of the workers that a question may use, ascending.

    First what the constraints allow, then a subset drawn from (seed, problem id). A worker keeps
    its pool-wide ordinal. Empty when the constraints allow nobody (refused at assembly).
    """
    allowed = [n for n, worker in enumerate(pool.workers) if settings.constraints.allow(worker)]
    size = _subset_size(settings, problem)
    if size is None or size >= len(allowed):
        return tuple(allowed)
    ranked = sorted(allowed, key=lambda n: _draw(settings.seed, problem, "member", str(n)))
    return tuple(sorted(ranked[:size]))


def _subset_size(settings: Settings, problem: str) -> int | None:
    """The number of workers drawn: sizes have weights, the draw is the problem's own."""
    weights = settings.pool_subset
    if not weights:
        return None
    point = _draw(settings.seed, problem, "size") / 2**64 * sum(weight for _, weight in weights)
    for size, weight in weights:
        point -= weight
        if point < 0:
            return size
    return weights[-1][0]


def _draw(seed: int, *parts: str) -> int:
    """64 uniform bits, the same on every machine."""
    text = "\0".join((str(seed), *parts))
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "replace")).digest()[:8], "big")


def with_self(pool: Pool, listed: Sequence[int]) -> tuple[Pool, tuple[int, ...]]:
    """The pool with the conductor itself as its last worker."""
    own = Worker("conductor", SELF, description="the conductor itself: plans and delegates anew")
    return replace(pool, workers=(*pool.workers, own)), (*listed, len(pool))


class Team:
    """A `Call` that reaches listed workers only, and their fallbacks when they fail.

    A worker that is not listed is never called, whoever asks; a fallback is listed or skipped. The
    reply of a fallback says who gave it. An empty answer for no stated reason gets one more draw,
    which is a call like any other: recorded, paid for, and stopped by a spent budget.
    """

    def __init__(self, call: Call, pool: Pool, listed: Collection[int]) -> None:
        self._call = call
        self._workers = {pool.workers[ordinal].name: pool.workers[ordinal] for ordinal in listed}

    async def __call__(self, worker: Worker, messages: Sequence[Message], key: CallKey) -> Reply:
        if key.step == POLICY_STEP:  # the policy's own model is no worker of the pool
            return await self._draw(worker, messages, key)
        if worker.name not in self._workers:
            return Reply("", worker.model, fault=f"{worker.name} is not among the allowed workers")
        reply = await self._draw(worker, messages, key)
        failed: list[Reply] = []
        for name in worker.fallback:
            if not _failed(reply):
                break
            if name in self._workers:
                failed.append(reply)
                reply = replace(await self._substitute(name, messages, worker, key), worker=name)
        return _with_cost_of(failed, reply)

    async def _substitute(
        self, name: str, messages: Sequence[Message], asked: Worker, key: CallKey
    ) -> Reply:
        substitute = self._workers[name]
        return await self._draw(substitute, _for(substitute, asked, messages), key)

    async def _draw(self, worker: Worker, messages: Sequence[Message], key: CallKey) -> Reply:
        reply = await self._call(worker, messages, key)
        if not _void(reply) or not worker.max_retries or worker.model == SELF:
            return reply
        again = replace(key, attempt=-1 - key.attempt)
        return _with_cost_of([reply], await self._call(worker, messages, again))


def _void(reply: Reply) -> bool:
    """Empty, and neither out of tokens nor withheld."""
    return not reply.text.strip() and reply.fault is None and reply.stop_reason == "stop"


def _failed(reply: Reply) -> bool:
    """Trouble of ours, and a provider that withholds the answer: another may give one."""
    return reply.fault is not None or (reply.stop_reason == REFUSED and not reply.text.strip())


def _for(worker: Worker, asked: Worker, messages: Sequence[Message]) -> Sequence[Message]:
    """The prompt that was made for `asked`, in the form that `worker` takes."""
    kept = [m for m in messages if m.role == "user" or (m.role == "assistant" and worker.prefill)]
    system = worker.generation.system
    return [Message("system", system), *kept] if system else kept


def _with_cost_of(failed: Sequence[Reply], reply: Reply) -> Reply:
    """What was spent on the way is part of the reply."""
    if not failed:
        return reply
    costs = [one.cost for one in (*failed, reply) if one.calls]
    return replace(
        reply,
        input_tokens=reply.input_tokens + sum(one.input_tokens for one in failed),
        output_tokens=reply.output_tokens + sum(one.output_tokens for one in failed),
        cost=None if None in costs else sum(cost for cost in costs if cost is not None),
        seconds=reply.seconds + sum(one.seconds for one in failed),
        retries=reply.retries + sum(one.retries + one.calls for one in failed),
        calls=reply.calls + sum(one.calls for one in failed),
    )
