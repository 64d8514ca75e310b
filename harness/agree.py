"""Which completions give the same answer: what voting needs, and never the answer key.

Answers agree when `grade` takes one for right by the other as the key, so that votes are counted
by the same rules that score them. Programs agree when they print the same for the inputs that the
solver was shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from harness.extract.choice import extract_choice
from harness.extract.math import extract_math
from harness.grade import grade
from harness.graders.drive import program_source
from harness.graders.expect import expectations
from harness.graders.freeform import stated_answer
from harness.graders.program import extract
from harness.problem import Choice, FreeForm, Math, Problem, Program
from sandboxes import Executor, Limits, SandboxError, shared_executor


async def group(
    problem: Problem, completions: Sequence[str], executor: Executor | None = None
) -> list[int | None]:
    """A label for each completion: equal labels mean the same answer, None means no answer.

    Raises SandboxError when programs could not be run.
    """
    if isinstance(problem.answer, Program):
        return await _by_output(completions, problem.answer, executor)
    labels: list[int | None] = []
    keys: list[tuple[int, Problem]] = []  # one representative a group
    for number, completion in enumerate(completions):
        own = _as_key(problem, completion)
        label = None
        if own is not None:
            label = await _find(keys, completion)
            if label is None:
                label = number
                keys.append((number, own))
        labels.append(label)
    return labels


async def _find(keys: Sequence[tuple[int, Problem]], completion: str) -> int | None:
    for label, key in keys:
        if (await grade(key, completion)).outcome == "correct":
            return label
    return None


def _as_key(problem: Problem, completion: str) -> Problem | None:
    """The problem with this completion's answer for its key; None when it gives none."""
    match problem.answer:
        case Choice(_, options):
            letter = extract_choice(completion, len(options), options)
            return replace(problem, answer=Choice(letter, options)) if letter else None
        case Math(_, rules):
            stated = extract_math(completion, rules.boxed_only)
            return replace(problem, answer=Math(stated, rules)) if stated else None
        case FreeForm():
            stated = stated_answer(completion)
            return replace(problem, answer=FreeForm(stated)) if stated else None
    return None


async def _by_output(
    completions: Sequence[str], key: Program, executor: Executor | None
) -> list[int | None]:
    """Candidates by what they print for the public inputs; one that fails on all is no answer."""
    public = replace(key, tests=tuple(test for test in key.tests if test.public), stored=None)
    seen: list[tuple[object, ...] | None] = []
    for completion in completions:
        seen.append(await _outputs(completion, public, executor or shared_executor()))
    return [seen.index(outputs) if outputs is not None else None for outputs in seen]


async def _outputs(completion: str, key: Program, executor: Executor) -> tuple[object, ...] | None:
    code = extract(completion, key)
    if not code.strip():
        return None
    if not key.tests or key.semantics == "check":
        return (code,)  # nothing to run it on: only equal programs agree
    given = [expected.given for expected in expectations(key.tests, key)]
    limits = Limits(cpu_seconds=key.cpu_seconds, memory_mb=key.memory_mb)
    runs = await executor.run(program_source(code, key), given, limits)
    for run in runs:
        if run.status == "infra":
            raise SandboxError(run.detail or "no result")
    outputs = tuple(run.stdout if run.status == "ok" else None for run in runs)
    return outputs if any(output is not None for output in outputs) else None
