"""A worker as a model of Inspect: the client, its settings, its messages, its stream."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    StreamEvent,
    StreamHandler,
    get_model,
)

from conductor.call import CallKey, Message
from conductor.pool import Generation, Worker
from conductor.private import was_told
from conductor.streaming import Listener
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


def config_of(worker: Worker, key: CallKey, run: GenerateConfig) -> GenerateConfig:
    """The worker's own settings over the run's; a seed becomes the draw's own."""
    inherited = {name: getattr(run, name) for name in INHERITED}
    settings = {**inherited, **_own(worker.generation)}
    if settings["seed"] is not None:
        settings["seed"] = draw_seed(settings["seed"], key)
    return GenerateConfig(
        **settings,
        max_retries=0,  # ours: see conductor.retry
        attempt_timeout=math.ceil(worker.timeout),
    )


@cache
def _own(generation: Generation) -> dict[str, Any]:
    """What a worker sets itself; its system message is part of the prompt."""
    given = {name: value for name, value in asdict(generation).items() if value is not None}
    given.pop("system", None)
    return given


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
