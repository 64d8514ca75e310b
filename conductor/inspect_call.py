"""Workers, called through Inspect's `get_model`: its providers, retries, cache and usage."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Sequence
from dataclasses import asdict, replace

from inspect_ai.log import transcript
from inspect_ai.model import CachePolicy, GenerateConfig, ModelOutput
from inspect_ai.util import LimitExceededError, span
from pydantic import JsonValue

from conductor.call import POLICY_STEP, CallKey, Message, Reply
from conductor.inspect_model import config_of, make_model, to_chat, to_listener
from conductor.inspect_reply import client_retries, to_fault, to_reply
from conductor.pool import Worker
from conductor.private import cache_expiry
from conductor.retry import prefill_refused, root_cause, wait_before
from conductor.streaming import LISTENER, Listener, stream_refused


class InspectCall:
    """A `Call` over Inspect's models, with retries.

    run: the run's config; its sampling settings are the workers' defaults, its cache theirs too.
    no_prefill, no_stream: workers whose provider turned out to refuse that; shared, so that each
    is asked in vain once.
    """

    def __init__(
        self,
        run: GenerateConfig,
        no_prefill: set[str] | None = None,
        no_stream: set[str] | None = None,
    ) -> None:
        self._run = run
        self._cache = cache_expiry(run.cache)
        self._no_prefill = set() if no_prefill is None else no_prefill
        self._no_stream = set() if no_stream is None else no_stream

    async def __call__(self, worker: Worker, messages: Sequence[Message], key: CallKey) -> Reply:
        begin = time.monotonic()
        async with span(_title(worker, key), type="worker"):
            reply = await self._persist(worker, messages, key)
        return replace(reply, seconds=time.monotonic() - begin)

    async def _persist(self, worker: Worker, messages: Sequence[Message], key: CallKey) -> Reply:
        """Call until it works, the worker's retries are used up, or trying makes no sense."""
        retries = refused = 0
        while True:
            sent = self._without_refused_prefill(worker, messages)
            try:
                output = await self._generate(worker, sent, key)
                tried = retries + refused + client_retries(output)
                return replace(to_reply(worker, output), retries=tried)
            except LimitExceededError:
                raise  # the sample's own limit: Inspect ends the sample, not us
            except Exception as error:  # noqa: BLE001  a provider may raise anything: it is a fault
                cause = root_cause(error)
            if (
                len(sent) == len(messages)
                and sent[-1].role == "assistant"
                and prefill_refused(cause)
            ):
                self._no_prefill.add(worker.model)
                refused = 1
                continue
            if self._listener(worker) and stream_refused(cause):
                self._no_stream.add(worker.model)
                continue
            wait = self._wait(worker, cause, retries, key)
            if wait is None:
                return replace(to_fault(worker, cause), retries=retries + refused)
            retries += 1
            await asyncio.sleep(wait)

    async def _generate(
        self, worker: Worker, messages: Sequence[Message], key: CallKey
    ) -> ModelOutput:
        listener = self._listener(worker)
        inside = LISTENER.set(None)  # a conductor that is a worker has steps of its own
        try:
            return await make_model(worker).generate(
                to_chat(messages),
                config=config_of(worker, key, self._run),
                cache=self._policy(key),
                on_stream=to_listener(listener) if listener else None,
            )
        finally:
            LISTENER.reset(inside)

    def _listener(self, worker: Worker) -> Listener | None:
        return None if worker.model in self._no_stream else LISTENER.get()

    def _wait(
        self, worker: Worker, cause: BaseException, retries: int, key: CallKey
    ) -> float | None:
        """Seconds before the next try; None when there is to be none."""
        if retries >= worker.max_retries or not make_model(worker).should_retry(cause):
            return None
        return wait_before(retries, cause, worker, key)

    def _without_refused_prefill(
        self, worker: Worker, messages: Sequence[Message]
    ) -> Sequence[Message]:
        if worker.model in self._no_prefill and messages[-1].role == "assistant":
            return messages[:-1]
        return messages

    def _policy(self, key: CallKey) -> CachePolicy | bool:
        """A cache key that names the draw, so that n samples stay n draws."""
        if self._cache is None:
            return False
        scopes = {name: str(value) for name, value in asdict(key).items()}
        return self._cache.model_copy(update={"scopes": {**self._cache.scopes, **scopes}})


INNER = re.compile(r"(?:/\d+\.\d+)+$")  # what a conductor that calls itself adds to a problem's id
REPLAY = "conductor replay"  # the source of the transcript's entry for a recorded reply


def _title(worker: Worker, key: CallKey) -> str:
    """The span's name; `conductor show` finds a step's prompt by it."""
    what = "policy" if key.step == POLICY_STEP else f"step {key.step}: {worker.name}"
    what = f"round {key.round}, {what}" if key.round else what
    inner = INNER.search(key.problem)
    return f"inside {inner[0].strip('/')}, {what}" if inner else what


async def show_replay(
    worker: Worker, messages: Sequence[Message], key: CallKey, reply: Reply
) -> None:
    """A recorded reply makes no call, and so no event of Inspect's: the transcript says so."""
    async with span(_title(worker, key), type="worker"):
        prompt: list[JsonValue] = [{"role": m.role, "text": m.text} for m in messages]
        transcript().info({"prompt": prompt, "reply": reply.text}, source=REPLAY)
