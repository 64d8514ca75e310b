"""The only door to scoring: Inspect's scorer, every reward, preflight and regrade come here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.graders.choice import grade_choice
from harness.problem import Choice, FreeForm, Math, Problem, Program
from harness.verdict import Verdict

if TYPE_CHECKING:
    from sandboxes import Executor


async def grade(problem: Problem, completion: str, executor: Executor | None = None) -> Verdict:
    """Grade one completion against its problem's key.

    executor: runs programs; ``None`` with a `Program` uses the process-wide ``auto`` executor.
    Never raises for anything a model can write; trouble of ours is an *unscored* verdict. Works
    from any thread and any running loop.
    """
    match problem.answer:
        case Choice() as key:
            return grade_choice(completion, key)
        case Math() as key:
            from harness.graders.math import grade_math

            return await grade_math(completion, key)
        case FreeForm() as key:
            from harness.graders.freeform import grade_freeform

            return grade_freeform(completion, key)
        case Program() as key:
            from harness.graders.program import grade_program

            return await grade_program(completion, key, executor)
