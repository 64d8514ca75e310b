"""What a policy is given and what it owes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from conductor.call import Call, CallKey
from conductor.pool import Pool
from conductor.settings import Settings
from conductor.trace import Planning, Trace


@dataclass(frozen=True, slots=True)
class Context:
    """What a policy may use while it plans one question.

    key: names the draw; a policy that calls a model keeps its problem, epoch and round.
    """

    pool: Pool
    settings: Settings
    call: Call
    key: CallKey

    def chance(self, *purpose: str) -> int:
        """A number from (seed, problem id) alone, the same on every machine."""
        parts = (str(self.settings.seed), self.key.problem, *purpose)
        return int.from_bytes(hashlib.sha256("\0".join(parts).encode()).digest()[:8], "big")


class Policy(Protocol):
    """Makes a plan for a question, and an answer of what came of it."""

    @property
    def description(self) -> str:
        """One line for logs and people: what this policy is, plainly."""
        ...

    async def plan(self, question: str, history: Sequence[Trace], context: Context) -> Planning: ...

    def answer(self, trace: Trace) -> str: ...
