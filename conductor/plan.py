"""A plan: which worker does which subtask, and whose earlier work it sees."""

from __future__ import annotations

import json
from dataclasses import dataclass

AccessScheme = str  # "binary": [] or ["all"]; "positions": indices of earlier steps


class PlanError(ValueError):
    """A plan that cannot be run; the message names the step and what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Keep:
    """Three empty lists in a later round: keep the answer there is."""


@dataclass(frozen=True, slots=True)
class Step:
    """One call of one worker.

    worker: pool-wide ordinal. subtask: what it is asked, in natural language.
    access: positions of the strictly earlier steps whose subtask and response it sees.
    """

    worker: int
    subtask: str
    access: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """Steps in order; the last step's response is the answer."""

    steps: tuple[Step, ...]

    def __post_init__(self) -> None:
        if not self.steps:
            raise PlanError("a plan needs at least one step")
        for number, step in enumerate(self.steps):
            late = [seen for seen in step.access if not 0 <= seen < number]
            if late:
                raise PlanError(
                    f"step {number} reads step {late[0]}; a step may read only earlier steps"
                )
