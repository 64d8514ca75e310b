"""What happened when a question was conducted: one record a step, nothing left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from conductor.call import Message, Reply
from conductor.plan import Keep, Plan


@dataclass(frozen=True, slots=True)
class StepTrace:
    """One step as it ran.

    worker: the pool's name for it. start: seconds after the plan began, never before what it reads
    had ended. prompt: what was sent
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
class Round:
    """One plan, as made and as run.

    trace: None when nothing ran: the answer was kept, or there was no plan. revisions: what the
    policy said between the steps (adaptive plans only); `trace.plan` is the plan as it ended.
    """

    planning: Planning
    trace: Trace | None = None
    revisions: tuple[Planning, ...] = ()

    @property
    def replies(self) -> Iterator[Reply]:
        for planning in (self.planning, *self.revisions):
            yield from planning.replies
        for step in self.trace.steps if self.trace else ():
            if step.prompt:
                yield step.reply

    @property
    def kept(self) -> bool:
        return isinstance(self.planning.plan, Keep)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A question, conducted.

    plan_error: why there is no plan (the answer is then empty and *wrong*, not unscored).
    fault: trouble of ours in one line; every adapter makes the sample *unscored* with it.
    """

    answer: str
    rounds: tuple[Round, ...]
    plan_error: str | None = None
    fault: str | None = None

    @property
    def planning(self) -> Planning:
        """How the first plan came about."""
        return self.rounds[0].planning

    @property
    def trace(self) -> Trace | None:
        """The last plan that ran: its answer is the outcome's."""
        traces = [one.trace for one in self.rounds if one.trace]
        return traces[-1] if traces else None

    @property
    def answering(self) -> tuple[int, StepTrace] | None:
        """The round and the step whose response is the answer.

        A policy may choose among responses (votes): the first of the last plan that says it.
        """
        for number in range(len(self.rounds) - 1, -1, -1):
            trace = self.rounds[number].trace
            if trace is not None:
                said = [step for step in trace.steps if step.reply.text == self.answer]
                step = trace.answering
                if step is not None and step.reply.text != self.answer and said:
                    step = said[0]
                return None if step is None else (number, step)
        return None

    @property
    def replies(self) -> tuple[Reply, ...]:
        """Every call that was made, a round's own planning first."""
        return tuple(reply for one in self.rounds for reply in one.replies)
