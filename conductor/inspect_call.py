"""Workers, called through Inspect's `get_model`: its providers, retries, cache and usage."""

from __future__ import annotations

import hashlib
import math
import re
import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

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
    get_model,
)
from inspect_ai.util import LimitExceededError, span

from conductor.call import POLICY_STEP, CallKey, Message, Reply
from conductor.pool import Worker
from conductor.private import cache_expiry, was_told
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
    """A `Call` over Inspect's models.

    run: the run's config; its sampling settings are the workers' defaults, its cache theirs too.
    """

    def __init__(self, run: GenerateConfig) -> None:
        self._run = run
        self._cache = cache_expiry(run.cache)

    async def __call__(self, worker: Worker, messages: Sequence[Message], key: CallKey) -> Reply:
        begin = time.monotonic()
        async with span(_title(worker, key), type="worker"):
            try:
                output = await make_model(worker).generate(
                    to_chat(messages), config=self._config(worker, key), cache=self._policy(key)
                )
            except LimitExceededError:
                raise  # the sample's own limit: Inspect ends the sample, not us
            except Exception as error:  # noqa: BLE001  a provider may raise anything: it is a fault
                return _fault(worker, error, time.monotonic() - begin)
        return _reply(worker, output, time.monotonic() - begin)

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
            max_retries=worker.max_retries,
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


def _title(worker: Worker, key: CallKey) -> str:
    return "policy" if key.step == POLICY_STEP else f"step {key.step}: {worker.name}"


def _reply(worker: Worker, output: ModelOutput, seconds: float) -> Reply:
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
        seconds=seconds,
        retries=_retries(output),
        stop_reason=given.stop_reason if given else "unknown",
        fault=_fault_of(output),
    )


def _fault_of(output: ModelOutput) -> str | None:
    """What a provider calls an error, or the fault of a conductor that is a worker itself."""
    if output.completion:
        return None
    nested = (output.metadata or {}).get("conductor") or {}
    return output.error or nested.get("fault")


def _retries(output: ModelOutput) -> int:
    """How often the call was retried, as Inspect's own event of it says."""
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


def _fault(worker: Worker, error: Exception, seconds: float) -> Reply:
    cause: BaseException = error
    last: Any = getattr(error, "last_attempt", None)  # tenacity: the error that ended the retries
    if last is not None and last.exception() is not None:
        cause = last.exception()
    text = " ".join(f"{type(cause).__name__}: {cause}".split())
    return Reply("", worker.model, seconds=seconds, stop_reason="error", fault=text[:300])
