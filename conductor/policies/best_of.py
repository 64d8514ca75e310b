"""Best of n: independent answers, and a judge that says which one to take."""

from __future__ import annotations

import re
from dataclasses import dataclass

from conductor.plan import Plan, Step
from conductor.policies.base import Context, OneRound
from conductor.policies.rule import SOLVE
from conductor.trace import Trace

JUDGE = (
    "You are shown responses to the overall task, each in a <previous_step> with its number. Judge "
    "which one is most likely right. Compare them briefly, then end with one line: Best: NUMBER"
)
BEST = re.compile(r"best\W{0,10}(?:response|step|number|is|\s|\W){0,6}?(\d{1,4})", re.I)


@dataclass(frozen=True, slots=True)
class BestOf(OneRound):
    """candidates: how many. worker, judge: ordinals (None: the first that a question may use;
    the judge is the worker itself unless named)."""

    candidates: int = 5
    worker: int | None = None
    judge: int | None = None

    @property
    def description(self) -> str:
        return f"best of {self.candidates} answers of one worker, as a judge sees it"

    @property
    def workers(self) -> tuple[int, ...]:
        return tuple(named for named in (self.worker, self.judge) if named is not None)

    def first_plan(self, question: str, context: Context) -> Plan:
        worker = context.pick(self.worker)
        judge = worker if self.judge is None else self.judge
        candidates = [Step(worker, SOLVE) for _ in range(self.candidates)]
        return Plan((*candidates, Step(judge, JUDGE, tuple(range(self.candidates)))))

    async def answer(self, trace: Trace, context: Context) -> str:
        """The candidate that the judge names last; the first there is when it names none."""
        candidates = {step.number: step.reply.text for step in trace.steps[:-1]}
        for named in reversed(BEST.findall(trace.steps[-1].reply.text[-20_000:])):
            if candidates.get(int(named), "").strip():
                return candidates[int(named)]
        return next((text for text in candidates.values() if text.strip()), "")
