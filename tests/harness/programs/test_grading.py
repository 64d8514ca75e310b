"""Programs graded by `grade()`: what passes, what fails, what is our own trouble."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from harness import Problem, Program, Test, Verdict, grade
from harness.datasets.livecodebench import livecodebench_problem
from harness.graders.program import grade_program
from sandboxes import Executor, Limits, Run, SandboxError
from tests.ground_truth import grader_rows
from tests.harness.programs.bare import Bare
from tests.harness.programs.shared import rows

ADD = Program((Test("1 2\n", "3\n", public=True), Test("4 5\n", "9\n")))
CALL = Program((Test("[1, 2]\n3", "[3, 6]"),), function="scale")


def verdict(code: str, key: Program, executor: Executor | None = None) -> Verdict:
    text = f"```python\n{code}\n```"
    return asyncio.run(grade_program(text, key, executor or Bare()))


@dataclass
class Recorded:
    """An executor that answers from a list, and says what it was asked."""

    runs: list[Run]
    asked: list[tuple[Any, ...]] = field(default_factory=list)

    async def run(
        self,
        program: str | bytes,
        inputs: Sequence[str | bytes],
        limits: Limits = Limits(),  # noqa: B008 (frozen)
        accept: Callable[[int, Run], bool] | None = None,
    ) -> list[Run]:
        self.asked.append((program, inputs, limits))
        done = []
        for number, run in enumerate(self.runs):
            done.append(run)
            if accept is not None and not accept(number, run):
                break
        return done


# --- right and wrong


@pytest.mark.parametrize("semantics", ["judge", "lcb"])
def test_a_right_program_passes(semantics: Any) -> None:
    key = Program(ADD.tests, semantics=semantics)
    found = verdict("print(sum(map(int, input().split())))", key)
    assert (found.outcome, found.reason, found.metadata["tests"]) == (
        "correct",
        "passed 2 tests",
        2,
    )
    assert found.answer == "print(sum(map(int, input().split())))"


@pytest.mark.parametrize(
    ("code", "failure"),
    [
        ("print(3)", "hidden test 2 of 2: wrong answer"),
        ("print(4)", "public test 1 of 2: wrong answer"),
        ("print(3); raise SystemExit(1)", "public test 1 of 2: runtime error"),
        ("print(", "public test 1 of 2: runtime error (SyntaxError)"),
        ("import os; os.abort()", "public test 1 of 2: killed by a signal"),
        ("import os; os._exit(0)", "public test 1 of 2: wrong answer"),
        ("raise SystemExit", "public test 1 of 2: wrong answer"),
        ("pass", "public test 1 of 2: wrong answer"),
    ],
)
def test_a_wrong_program_is_told_which_test_failed_and_how(code: str, failure: str) -> None:
    found = verdict(code, ADD)
    assert found.outcome == "incorrect"
    assert found.reason == failure


def test_a_program_over_its_time_is_stopped() -> None:
    found = verdict("while True: pass", Program(ADD.tests, cpu_seconds=1))
    assert (found.outcome, found.metadata["failure"]) == ("incorrect", "time limit")


def test_the_first_failing_test_ends_the_run() -> None:
    box = Recorded([Run("ok", b"4"), Run("ok", b"9")])
    assert verdict("x = 1", ADD, box).metadata["failed_test"] == 1


@pytest.mark.parametrize("semantics", ["judge", "lcb"])
@pytest.mark.parametrize(
    ("code", "right"),
    [
        ("def scale(xs, k): return [x * k for x in xs]", True),
        ("def scale(xs: List[int], k): return tuple(x * k for x in xs)", True),
        ("class Solution:\n    def scale(self, xs, k): return [float(x * k) for x in xs]", True),
        ("def scale(xs, k):\n    print('noise')\n    return [3, 6]", True),
        ("def scale(xs, k): return [3, 7]", False),
        ("def scale(xs, k): return {3, 6}", False),
        ("def scale(xs): return [3, 6]", False),
        ("def other(xs, k): return [3, 6]", False),
        ("def scale(xs, k): print([3, 6])", False),
        ("def scale(xs, k): exit(0)", False),
        ("class E(list):\n    __eq__ = lambda *_: True\ndef scale(xs, k): return E()", False),
        (
            "class E(int):\n    __eq__ = lambda *_: True\ndef scale(xs, k): return [E(1), E(2)]",
            False,
        ),
        ("def scale(xs, k):\n    a = []\n    a.append(a)\n    return a", False),
        ("import numpy\ndef scale(xs, k): return list(numpy.array(xs) * k)", True),
    ],
)
def test_functions_are_called_and_their_results_compared_as_data(
    code: str, right: bool, semantics: Any
) -> None:
    key = Program(CALL.tests, "scale", semantics)
    assert (verdict(code, key).outcome == "correct") is right


def test_tuples_inside_a_result_count_as_lists_for_a_judge_and_not_for_lcb() -> None:
    code = "def f(a): return [(1, a)]"
    tests = (Test("2", "[[1, 2]]"),)
    assert verdict(code, Program(tests, "f")).outcome == "correct"
    assert verdict(code, Program(tests, "f", "lcb")).outcome == "incorrect"


def test_lcb_ready_names_are_missing_under_judge() -> None:
    tests = (Test("4 6", "2"),)
    code = "print(gcd(*map(int, input().split())))"
    assert verdict(code, Program(tests, semantics="lcb")).outcome == "correct"
    assert verdict(code, Program(tests)).reason.endswith("runtime error (NameError)")


def test_checks_run_behind_the_preamble_and_the_solution() -> None:
    key = Program(
        (Test("assert double(2) == 4 and math.pi\n", ""),), "double", "check", "import math\n"
    )
    assert verdict("def double(x): return 2 * x", key).outcome == "correct"
    assert verdict("def double(x): return 3 * x", key).outcome == "incorrect"


UNITTEST = """import unittest
class TestCases(unittest.TestCase):
    def test_one(self): self.assertEqual(f(1), 1)
    def test_two(self): self.assertEqual(f(2), 2)
"""


@pytest.mark.parametrize(
    ("code", "right"),
    [
        ("def f(x): return x", True),
        ("def f(x): return 1", False),
        ("import unittest\ndef f(x): raise unittest.SkipTest", False),
        ("import os\ndef f(x): os._exit(0)", False),
        ("def f(x): raise SystemExit(0)", False),
        ("def f(x): return x\nraise SystemExit", False),
        ("print('passed'); import os; os._exit(0)", False),
    ],
)
def test_unittest_cases_all_have_to_run_and_pass(code: str, right: bool) -> None:
    key = Program((Test(UNITTEST, ""),), "f", "check")
    assert (verdict(code, key).outcome == "correct") is right


# --- hidden tests stay hidden


def test_what_a_program_prints_or_raises_is_never_repeated() -> None:
    code = """text = open(0).read()
print("SECRET" + text)
raise type("SECRET" + text.strip().replace(" ", ""), (Exception,), {})(text)"""
    hidden = Program((Test("31 337\n", "271828\n"),))
    found = verdict(code, hidden)
    shown = found.reason + json.dumps(found.metadata)
    assert found.reason == "hidden test 1 of 1: runtime error"
    assert not any(secret in shown for secret in ("SECRET", "31", "337", "271828"))


def test_expected_outputs_never_enter_the_box() -> None:
    for key in (ADD, Program(ADD.tests, semantics="lcb"), CALL):
        box = Recorded([Run("ok", b"")])
        verdict("x = 1", key, box)
        program, inputs, _ = box.asked[0]
        assert inputs == [test.input.encode() for test in key.tests]
        assert all(
            test.output.encode() not in program for test in key.tests if len(test.output) > 3
        )


def test_limits_reach_the_box() -> None:
    box = Recorded([Run("ok", b"")])
    verdict("x = 1", Program(ADD.tests, cpu_seconds=1.5, memory_mb=99), box)
    assert box.asked[0][2] == Limits(cpu_seconds=1.5, memory_mb=99)


# --- our own trouble is unscored


@pytest.mark.parametrize(
    "runs",
    [
        [Run("infra", detail="the worker died")],
        [Run("ok", b"3"), Run("infra", detail="the worker died")],
        [Run("ok", b"3")],
        [],
    ],
)
def test_a_failing_sandbox_is_unscored(runs: list[Run]) -> None:
    found = verdict("print(3)", ADD, Recorded(runs))
    assert found.outcome == "unscored"
    assert found.reason.startswith("sandbox: ")


def test_no_sandbox_is_unscored_with_the_remedy() -> None:
    class Missing(Recorded):
        async def run(self, *_: Any, **__: Any) -> list[Run]:
            raise SandboxError("no sandbox here; start Docker")

    found = verdict("print(3)", ADD, Missing([]))
    assert (found.outcome, found.reason) == ("unscored", "no sandbox here; start Docker")


@pytest.mark.parametrize(
    "key", [Program(()), Program((Test("1", "no json"),), "f"), Program(ADD.tests, stored="0" * 64)]
)
def test_a_problem_whose_tests_are_broken_is_unscored(key: Program) -> None:
    assert verdict("print(3)", key).outcome == "unscored"


# --- bad input


@pytest.mark.parametrize("text", ["", "I do not know.", "```python\n```", "\ud800", "\0"])
@pytest.mark.parametrize("semantics", ["judge", "lcb"])
def test_no_program_is_incorrect_and_nothing_runs(text: str, semantics: Any) -> None:
    box = Recorded([])
    found = asyncio.run(grade_program(text, Program(ADD.tests, semantics=semantics), box))
    assert (found.outcome, found.answer, box.asked) == ("incorrect", None, [])


@pytest.mark.parametrize("key", [ADD, Program(ADD.tests, semantics="lcb"), CALL])
@pytest.mark.parametrize("code", ["x = '\ud800'", "x = '\0'", "x = 1\n" * 170_000, "é = ‘"])
def test_odd_programs_fail_and_crash_nothing(code: str, key: Program) -> None:
    assert verdict(code, key).outcome == "incorrect"


def test_thirty_megabytes_of_input_reach_the_program() -> None:
    key = Program((Test("7" * (30 << 20), str(30 << 20)),))
    assert verdict("print(len(input()))", key).outcome == "correct"


def test_grade_is_the_door() -> None:
    problem = Problem("a", "b", "Add.", ADD)
    code = "```python\nprint(sum(map(int, input().split())))\n```"
    assert asyncio.run(grade(problem, code, Bare())).outcome == "correct"


# --- ground truth

# The reference passes this program only when its limit is one second of wall time: it sleeps.
SLEEPS = "stdin: cancel alarm, run 3x limit"
CHEATS = {
    "call: int subclass eq",
    "stdin: frame walk all_outputs",
    "stdin: append to manager result",
}


@pytest.mark.parametrize("semantics", ["lcb", "judge"])
def test_quirks_of_the_reference(semantics: Any) -> None:
    different = []
    for row in rows("lcb/quirks.jsonl"):
        if row["name"] == SLEEPS:
            continue
        tests = tuple(map(Test, row["inputs"], row["outputs"]))
        key = Program(tests, row["fn"], semantics, cpu_seconds=row["timeout"])
        passes = row["reference_pass"] if semantics == "lcb" else row["strict_judge"] == "ok"
        right = passes and row["name"] not in CHEATS
        if (verdict(row["code"], key).outcome == "correct") != right:
            different.append(row["name"])
    assert different == []


def test_ground_truth_of_code_checks() -> None:
    official = {row["question_id"]: row for row in rows("lcb/livecodebench_v1_full_tests.jsonl")}
    wrong = []
    for row in grader_rows("code_check"):
        gold = row["gold"]
        if isinstance(gold, dict) and "lcb_question_id" in gold:
            problem = livecodebench_problem(official[gold["lcb_question_id"]])
        else:
            cases = gold["tests"] if isinstance(gold, dict) else gold
            tests = tuple(Test(case["input"], case["output"]) for case in cases)
            problem = Problem("x", "x", "x", Program(tests))
        found = asyncio.run(grade(problem, row["answer"], Bare()))
        if (found.outcome == "correct") != row["expected"]:
            wrong.append((row["source"], found.reason))
    assert wrong == []


def test_a_library_that_the_sandbox_lacks_leaves_the_answer_unscored() -> None:
    key = Program((Test("21\n", "42\n"),), libraries=("json", "no_such_library", "nor_this"))
    result = verdict("print(2 * int(input()))", key)
    assert (result.outcome, result.value) == ("unscored", None)
    assert "lacks no_such_library, nor_this" in result.reason
    present = Program((Test("21\n", "42\n"),), libraries=("json",))
    assert verdict("print(2 * int(input()))", present).outcome == "correct"


def test_the_libraries_of_a_problem_survive_its_json() -> None:
    problem = Problem("p", "b", "q", Program((Test("1", "2"),), libraries=("numpy",)))
    assert Problem.from_json(problem.to_json()) == problem
