"""Workers, called through Inspect's `get_model`: its providers, retries, cache and usage."""

from __future__ import annotations

import asyncio
import hashlib
import math
import re
import time
from collections.abc import Sequence
from dataclasses import asdict, replace

from inspect_ai.log import transcript
from inspect_ai.model import (
    CachePolicy,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    StreamEvent,
    StreamHandler,
    get_model,
)
from inspect_ai.util import LimitExceededError, span
from pydantic import JsonValue

from conductor.call import POLICY_STEP, CallKey, Message, Reply
from conductor.pool import Worker
from conductor.private import cache_expiry, was_told
from conductor.retry import prefill_refused, root_cause, wait_before
from conductor.streaming import LISTENER, Listener, stream_refused
from conductor.strict import ConfigError

# What of the run's own settings a worker takes over where its pool file says nothing.
INHERITED = (
    "temperature", "top_p", "top_k", "max_tokens", "seed", "presence_penalty",
    "frequency_penalty", "reasoning_effort", "reasoning_tokens",
)  # fmt: skip
ROLES = {
    "system": ChatMessageSystem,
    "user": ChatMessageUser,
    "assistant": ChatMessageAssistant,
}


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
            if _is_void(reply) and worker.max_retries:  # one more draw, under a key of its own
                again = replace(key, attempt=-1 - key.attempt)
                second = await self._persist(worker, messages, again)
                reply = _sum(reply, second)
        return replace(reply, seconds=time.monotonic() - begin)

    async def _persist(self, worker: Worker, messages: Sequence[Message], key: CallKey) -> Reply:
        """Call until it works, the worker's retries are used up, or trying makes no sense."""
        retries = refused = 0
        while True:
            sent = self._without_refused_prefill(worker, messages)
            try:
                output = await self._generate(worker, sent, key)
                tried = retries + refused + _client_retries(output)
                return replace(_reply(worker, output), retries=tried)
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
                return replace(_fault(worker, cause), retries=retries + refused)
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
                config=self._config(worker, key),
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

    def _config(self, worker: Worker, key: CallKey) -> GenerateConfig:
        inherited = {name: getattr(self._run, name) for name in INHERITED}
        own = {
            name: value for name, value in asdict(worker.generation).items() if value is not None
        }
        own.pop("system", None)  # part of the prompt
        settings = {**inherited, **own}
        if settings["seed"] is not None:
            settings["seed"] = draw_seed(settings["seed"], key)
        return GenerateConfig(
            **settings,
            max_retries=0,  # ours: see conductor.retry
            attempt_timeout=math.ceil(worker.timeout),
        )

    def _policy(self, key: CallKey) -> CachePolicy | bool:
        """A cache key that names the draw, so that n samples stay n draws."""
        if self._cache is None:
            return False
        scopes = {name: str(value) for name, value in asdict(key).items()}
        return self._cache.model_copy(update={"scopes": {**self._cache.scopes, **scopes}})


def make_model(worker: Worker) -> Model:
    """One client a provider and address: Inspect remembers it; settings go with each call.

    Raises ConfigError when it can't be made: a package is missing, an argument is wrong.
    """
    try:
        return get_model(worker.model, base_url=worker.base_url, **dict(worker.args))
    except Exception as cause:
        if was_told(cause):
            raise
        reason = " ".join(re.sub(r"\[/?[a-z]+\]", "", str(cause)).split())  # Inspect's markup
        raise ConfigError(
            f"{worker.where}: worker {worker.name!r}: {reason.removeprefix('ERROR: ')}"
        ) from cause


def draw_seed(seed: int, key: CallKey) -> int:
    """A worker's seed for one draw: fixed by the draw, different between draws."""
    digest = hashlib.sha256(repr((seed, *asdict(key).values())).encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1


def to_chat(messages: Sequence[Message]) -> list[ChatMessage]:
    return [ROLES[message.role](content=message.text) for message in messages]


def to_listener(listener: Listener) -> StreamHandler:
    """What Inspect calls with each event of one attempt."""
    listener.restart()

    async def hear(event: StreamEvent) -> None:
        if event.type == "text":
            listener.text(event.text)
        elif event.type == "retry":
            listener.restart()

    return hear


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


def _reply(worker: Worker, output: ModelOutput) -> Reply:
    usage = output.usage
    given = output.choices[0] if output.choices else None
    cached = (
        (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0) if usage else 0
    )
    tokens = (usage.input_tokens + cached, usage.output_tokens) if usage else (0, 0)
    cost = usage.total_cost if usage else None
    if cost is None and worker.price is not None:
        cost = worker.price.of(*tokens)
    return Reply(
        text=output.completion,
        model=output.model or worker.model,
        input_tokens=tokens[0],
        output_tokens=tokens[1],
        cost=cost,
        stop_reason=given.stop_reason if given else "unknown",
        fault=_fault_of(output),
    )


def _client_retries(output: ModelOutput) -> int:
    """How often the provider's own client tried again, as Inspect's event of the call says."""
    if not output.choices:
        return 0
    for event in reversed(transcript().events):
        if (
            event.event == "model"
            and event.output.choices
            and event.output.choices[0].message.id == output.choices[0].message.id
        ):
            return event.retries or 0
    return 0


def _is_void(reply: Reply) -> bool:
    """An empty answer for no stated reason (neither out of tokens nor withheld)."""
    return not reply.text.strip() and reply.fault is None and reply.stop_reason == "stop"


def _sum(first: Reply, second: Reply) -> Reply:
    """The second reply, with what both took; the first, empty one, if the second failed."""
    costs = (first.cost, second.cost)
    return replace(
        first if second.fault else second,
        input_tokens=first.input_tokens + second.input_tokens,
        output_tokens=first.output_tokens + second.output_tokens,
        cost=None if None in costs else sum(cost for cost in costs if cost is not None),
        retries=first.retries + second.retries + 1,
        calls=2,
    )


def _fault_of(output: ModelOutput) -> str | None:
    """What a provider calls an error, or the fault of a conductor that is a worker itself."""
    if output.completion:
        return None
    if not output.choices:
        return output.error or "the provider sent no answer"
    nested = (output.metadata or {}).get("conductor") or {}
    return output.error or nested.get("fault")


def _fault(worker: Worker, cause: BaseException) -> Reply:
    text = " ".join(f"{type(cause).__name__}: {cause}".split())
    return Reply("", worker.model, stop_reason="error", fault=text[:300])
