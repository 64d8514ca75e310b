"""A plan: which worker does which subtask, and whose earlier work it sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from conductor.literal import write_text

Access = Literal["binary", "positions"]  # [] or ["all"]; or the positions of earlier steps


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
    previous: in a later round, whether it also sees the steps of the round before.
    """

    worker: int
    subtask: str
    access: tuple[int, ...] = ()
    previous: bool = False


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

    def render(self, access: Access = "binary") -> str:
        """The three lists; `parse_plan` gives back an equal plan (within the scheme's reach)."""
        models = ", ".join(str(step.worker) for step in self.steps)
        subtasks = ", ".join(write_text(step.subtask) for step in self.steps)
        entries = ", ".join(_entry(step, access) for step in self.steps)
        return f"model_id = [{models}]\nsubtasks = [{subtasks}]\naccess_list = [{entries}]"


def _entry(step: Step, access: Access) -> str:
    if access == "binary":
        return '["all"]' if step.access or step.previous else "[]"
    entries = ['"previous"'] * step.previous + [str(seen) for seen in step.access]
    return f"[{', '.join(entries)}]"
