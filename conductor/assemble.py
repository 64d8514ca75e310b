"""A conductor ready to work: configuration, pool and policy, checked before anything runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from inspect_ai.model import ChatMessage, GenerateConfig
from inspect_ai.util import span

from conductor.breaker import Breaker
from conductor.call import Call, CallKey
from conductor.conduct import conduct
from conductor.config import Config, Resolve, read_config
from conductor.grouping import grouping
from conductor.inspect_call import InspectCall, show_replay
from conductor.inspect_model import make_model
from conductor.ledger import Ledger
from conductor.policies import Policy, make_policy
from conductor.pool import Worker
from conductor.private import registered_names, sample_identity
from conductor.reach import callable_workers, policy_worker
from conductor.recording import Recorder
from conductor.report import summary
from conductor.settings import Settings
from conductor.strict import ConfigError, near
from conductor.trace import Outcome

MAX_DEPTH = 3  # a conductor may be a worker of a conductor, but not without end
_depth: ContextVar[int] = ContextVar("conductor_depth", default=0)


class TooDeep(RuntimeError):
    """Conductors call each other in a circle."""


class Link:
    """How an assembly reaches workers, and what it remembers between questions.

    From the outside in: recorded replies, the budget, the circuit breakers, Inspect.
    """

    def __init__(self, settings: Settings) -> None:
        self.recorder = Recorder(settings.recording)
        self.ledger = Ledger(settings.budget)
        self.breaker = Breaker(settings.breaker)
        self.no_prefill: set[str] = set()
        self.no_stream: set[str] = set()

    def call(self, run: GenerateConfig) -> Call:
        call = self.breaker.around(InspectCall(run, self.no_prefill, self.no_stream))
        return self.recorder.around(self.ledger.around(call), show_replay)


@dataclass(frozen=True, slots=True)
class Assembly:
    """What Inspect's provider, its agent and the command line share."""

    config: Config
    policy: Policy
    fingerprint: str  # the configuration's, computed once: it is asked for at every call
    link: Link

    async def answer(
        self,
        messages: Sequence[ChatMessage],
        run: GenerateConfig,
        around: Callable[[Call], Call] | None = None,
    ) -> Outcome:
        """Conduct one conversation; spans show it in Inspect's viewer.

        around: wraps every call (the server's: what a key may spend, who listens).
        """
        depth = _depth.get()
        if depth >= MAX_DEPTH:
            raise TooDeep(
                f"conductors nest more than {MAX_DEPTH} deep; a pool must not lead back to itself"
            )
        problem, epoch = sample_identity(messages)
        token = _depth.set(depth + 1)
        try:
            async with span("conductor", type="conductor"):
                return await conduct(
                    question_of(messages),
                    self.policy,
                    self.config.pool,
                    self.config.settings,
                    call=around(self.link.call(run)) if around else self.link.call(run),
                    key=CallKey(problem, epoch),
                    group=grouping(),
                )
        finally:
            _depth.reset(token)

    def summary(self, outcome: Outcome) -> dict[str, Any]:
        return {
            "policy": self.policy.description,
            "config": self.fingerprint,
            **summary(outcome),
        }


def assemble(arguments: Mapping[str, Any], resolve: Resolve) -> Assembly:
    """From `settings=PATH` and single keys. Raises ConfigError naming place and remedy."""
    overrides = dict(arguments)
    path = overrides.pop("settings", None)
    if path is not None and not isinstance(path, str):
        raise ConfigError(f"-M settings: must be the path of a .yaml file, not {path!r}")
    try:
        config = read_config(resolve(path) if path else None, overrides, resolve)
    except FileNotFoundError as cause:
        raise ConfigError(f"-M settings: {cause}") from cause
    policy = make_policy(config.settings, config.pool)
    for worker in callable_workers(config.settings, config.pool, policy):
        check_worker(worker)
    if own := policy_worker(policy, config.settings):
        check_worker(own)
    return Assembly(config, policy, config.fingerprint, Link(config.settings))


def question_of(messages: Sequence[ChatMessage]) -> str:
    """The question that a conversation puts: its one message, or the whole, labelled by role."""
    for message in messages:
        if not isinstance(message.content, str) and any(
            part.type not in ("text", "reasoning") for part in message.content
        ):
            raise ValueError("the conductor reads text only; this message holds other content")
    if len(messages) == 1:
        return messages[0].text
    return "\n\n".join(f"[{message.role}]\n{message.text}" for message in messages)


KEYS = {
    "openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "google": "GOOGLE_API_KEY",
    "mistral": "MISTRAL_API_KEY", "grok": "XAI_API_KEY", "groq": "GROQ_API_KEY",
    "together": "TOGETHER_API_KEY", "fireworks": "FIREWORKS_API_KEY",
    "openrouter": "OPENROUTER_API_KEY", "perplexity": "PERPLEXITY_API_KEY",
    "sambanova": "SAMBANOVA_API_KEY",
}  # fmt: skip


def check_worker(worker: Worker) -> None:
    """What no call could do without ends the run before a single one is paid for.

    A conductor that is a worker checks its own when it is made: a pool may lead back to itself.
    """
    _check_provider(worker)
    if worker.model.partition("/")[0] != "conductor":
        make_model(worker)


def _check_provider(worker: Worker) -> None:
    known = registered_names("modelapi")
    provider, _, rest = worker.model.partition("/")
    if known and provider not in known:
        raise ConfigError(
            f"{worker.where}: worker {worker.name!r}: unknown provider {provider!r} in "
            f"{worker.model!r}{near(provider, known)}"
        )
    variable = KEYS.get(provider)
    if provider == "openai-api":  # openai-api/SERVICE/MODEL reads SERVICE_API_KEY
        variable = rest.partition("/")[0].upper().replace("-", "_") + "_API_KEY"
    if provider == "google" and os.environ.get("GOOGLE_GENAI_USE_VERTEXAI"):
        return
    if variable and not os.environ.get(variable):
        raise ConfigError(
            f"{worker.where}: worker {worker.name!r} needs a key: set {variable} in the "
            f"environment, or use a pool without {provider!r}"
        )
