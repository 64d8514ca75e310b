"""Does the grader accept the answer key, and nothing else? Asked before any money is spent."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import dataclass
from pathlib import Path

from harness.arrange import arrange
from harness.datasets.formats import read_rows
from harness.errors import refuse
from harness.grade import grade
from harness.graders.math import key_text
from harness.paths import caller_path
from harness.problem import LETTERS, Choice, FreeForm, Math, Problem
from harness.sample import ORDER_SEED, PROBLEM

TASKS = Path(__file__).resolve().parents[1] / "tasks"


@dataclass(frozen=True, slots=True)
class Check:
    """One problem. gold: what the grader says of the key itself, None where there is none to
    state (programs). lucky: wrong answers that it takes for right."""

    problem: str
    key: str
    gold: str | None
    lucky: tuple[str, ...]

    @property
    def sound(self) -> bool:
        return self.gold in (None, "correct") and not self.lucky


def check_task(task: str, data: str | None) -> list[Check]:
    """Every problem of a task, as it is shown in the first epoch."""
    problems = load_problems(task, data)
    return asyncio.run(_check_all(problems))


async def _check_all(problems: list[Problem]) -> list[Check]:
    from rich.progress import track

    return [await check(each) for each in track(problems, "preflight", transient=True)]


async def check(problem: Problem) -> Check:
    """Grade the key as a model would state it, and answers that are typically wrong."""
    stated = state_key(problem)
    gold = None if stated is None else (await grade(problem, stated)).outcome
    lucky = [
        wrong
        for wrong in wrong_answers(problem)
        if stated is not None and (await grade(problem, wrong)).value == 1.0
    ]
    return Check(problem.id, stated or "", gold, tuple(lucky))


def state_key(problem: Problem) -> str | None:
    """The key in the form that the task asks for; None for a program, whose key are tests."""
    match problem.answer:
        case Choice(letter=letter):
            return f"Answer: {letter}"
        case Math(answer=answer):
            return f"The final answer is $\\boxed{{{key_text(answer).strip('$ ')}}}$."
        case FreeForm(answer=answer):
            return f"<answer>{answer}</answer>"
    return None


def wrong_answers(problem: Problem) -> list[str]:
    """What a model says that does not know: nothing, something else, another letter."""
    match problem.answer:
        case Choice() as key:
            right = key.options[LETTERS.index(key.letter)].strip()
            others = zip(LETTERS, key.options, strict=False)
            return ["", *(f"Answer: {x}" for x, option in others if option.strip() != right)]
        case Math(answer=answer):
            shifted = f"({key_text(answer).strip('$ ')}) + 1"
            return ["", "\\boxed{-98765.4321}", f"\\boxed{{{shifted}}}"]
        case FreeForm():
            return ["", "<answer>none of this</answer>", "<answer>-98765.4321</answer>"]
    return [""]


def load_problems(task: str, data: str | None) -> list[Problem]:
    """The problems of a task, by Inspect's own loader: the harness knows no task by import."""
    from inspect_ai._eval.loader import load_tasks

    arguments = {} if data is None else {"data": data}
    found = load_tasks([_relative(task_file(task))], arguments)
    samples = [sample for each in found for sample in each.dataset]
    problems = []
    for sample in samples:
        metadata = sample.metadata or {}
        if PROBLEM not in metadata:
            refuse(f"{task} is no task of this project: its samples hold no problem")
        stored = Problem.from_dict(metadata[PROBLEM])
        problems.append(arrange(stored, metadata.get(ORDER_SEED), 1))
    return problems


def task_file(task: str) -> Path:
    """`gpqa` is tasks/gpqa.py of this project; anything else a file, from where the user stands."""
    own = TASKS / f"{task}.py"
    if own.exists():
        return own
    try:
        return caller_path(task)
    except FileNotFoundError as error:
        known = ", ".join(sorted(path.stem for path in TASKS.glob("[!_]*.py")))
        refuse(f"no task {task!r}; this project has {known}", error)


def _relative(path: Path) -> str:
    """Inspect's loader takes paths relative to the working folder only."""
    return os.path.relpath(path)


def write_sound(checks: list[Check], data: str, out: Path) -> None:
    """The rows of a data file without those whose problem is not sound, as JSON lines."""
    rows = read_rows(caller_path(data))
    if len(rows) != len(checks):
        refuse(f"{data} has {len(rows)} rows for {len(checks)} problems: none can be dropped")
    kept = [row for row, each in zip(rows, checks, strict=True) if each.sound]
    try:
        out.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in kept))
    except OSError as error:
        refuse(f"--drop: {error}", error)


def report(checks: list[Check]) -> str:
    """What failed, one line each, and a closing line."""
    lines = []
    for each in checks:
        if each.gold not in (None, "correct"):
            lines.append(f"{each.problem}: the key is graded {each.gold}: {each.key}")
        lines += [f"{each.problem}: a wrong answer is graded correct: {w!r}" for w in each.lucky]
    stated = sum(each.gold is not None for each in checks)
    sound = sum(each.sound for each in checks)
    without = f", {len(checks) - stated} without a key to state" if stated < len(checks) else ""
    lines.append(f"preflight: {sound} of {len(checks)} problems are sound{without}")
    return "\n".join(lines)
