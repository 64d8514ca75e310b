"""Calling a worker: what goes out, what comes back, and the one seam where a provider plugs in.

The core knows this module alone; `conductor.inspect_call` fills the seam with Inspect's models,
tests fill it with plain functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from conductor.pool import Worker

POLICY_STEP = -1  # the `step` of a policy model's own call


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt, in the roles that every chat API has."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class CallKey:
    """Names one draw: two calls with different keys are two samples, cached or not.

    round: 0 for the first plan. step: position in the plan, `POLICY_STEP` for the policy's own.
    attempt: counts repeated draws of the same step (plan retries, a second try after an empty
    answer). rollout: which of a training group's answers.
    """

    problem: str
    epoch: int = 1
    round: int = 0
    step: int = 0
    attempt: int = 0
    rollout: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """What a worker answered.

    model: the name the provider reports, when it does. cost: in US dollars, None if unknown.
    seconds: wall time with retries. retries: calls that failed before this one. calls: how many
    were made in all (a conductor that is a worker makes several).
    fault: our trouble in one line (provider down, deadline); then `text` is empty.
    worker: who answered, when that is not the one that was asked (a fallback).
    """

    text: str
    model: str
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    seconds: float = 0.0
    retries: int = 0
    stop_reason: str = "stop"
    fault: str | None = None
    calls: int = 1
    worker: str | None = None


class Call(Protocol):
    """Reaches a worker: trouble of a provider comes back as `Reply.fault`, not as an exception."""

    async def __call__(
        self, worker: Worker, messages: Sequence[Message], key: CallKey
    ) -> Reply: ...
