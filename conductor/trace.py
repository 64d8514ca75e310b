"""What happened when a plan ran: one record a step, nothing left out."""

from __future__ import annotations

from dataclasses import dataclass

from conductor.call import Message, Reply
from conductor.plan import Keep, Plan


@dataclass(frozen=True, slots=True)
class StepTrace:
    """One step as it ran.

    worker: the pool's name for it. start: seconds after the plan began. prompt: what was sent
    (empty when it never began: what it reads had failed, or the deadline came first).
    """

    number: int
    worker: str
    model: str
    subtask: str
    access: tuple[int, ...]
    prompt: tuple[Message, ...]
    reply: Reply
    start: float


@dataclass(frozen=True, slots=True)
class Trace:
    """A plan and its steps.

    answered_by: the step whose response is the answer (the last that is not empty), or None.
    fault: trouble of ours that the answer would depend on, or None.
    """

    plan: Plan
    steps: tuple[StepTrace, ...]
    answered_by: int | None
    fault: str | None

    @property
    def answering(self) -> StepTrace | None:
        """The step whose response is the answer."""
        return None if self.answered_by is None else self.steps[self.answered_by]

    @property
    def answer(self) -> str:
        return self.answering.reply.text if self.answering else ""


@dataclass(frozen=True, slots=True)
class Planning:
    """How a plan came about: the policy model's draws (none for a rule), and what was unusable.

    errors: one for each draw that held no plan.
    """

    plan: Plan | Keep | None
    replies: tuple[Reply, ...] = ()
    errors: tuple[str, ...] = ()
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """A question, conducted.

    plan_error: why there is no plan (the answer is then empty and *wrong*, not unscored).
    fault: trouble of ours in one line; every adapter makes the sample *unscored* with it.
    """

    answer: str
    planning: Planning
    trace: Trace | None
    plan_error: str | None = None
    fault: str | None = None

    @property
    def replies(self) -> tuple[Reply, ...]:
        """Every call that was made, the policy's own first."""
        steps = self.trace.steps if self.trace else ()
        return self.planning.replies + tuple(step.reply for step in steps if step.prompt)
