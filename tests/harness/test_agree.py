"""Which completions give the same answer: by the grading rules, never by the key."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import Choice, FreeForm, Math, Problem, Program
from harness.agree import group
from harness.problem import MathRules, Test
from sandboxes import Limits, Run, SandboxError


def problem(answer: Choice | Math | FreeForm | Program) -> Problem:
    return Problem("p", "test", "q?", answer)


def labels(answer: Choice | Math | FreeForm | Program, *completions: str) -> list[int | None]:
    return asyncio.run(group(problem(answer), completions))


CHOICE = Choice("D", ("red", "blue", "green", "grey"))


def test_choices_agree_by_letter_however_they_are_stated() -> None:
    said = ("Answer: B", "\\boxed{C}", "I think it is blue. **B**", "no idea", "Answer: blue")
    assert labels(CHOICE, *said) == [0, 1, 0, None, 0]


def test_mathematics_agrees_by_value() -> None:
    said = (r"\boxed{\frac12}", r"\boxed{0.5}", r"\boxed{2}", "", r"The answer is 1/2.")
    assert labels(Math("7"), *said) == [0, 0, 2, None, 0]
    assert labels(Math("7", MathRules(boxed_only=True)), *said)[4] is None


def test_free_form_agrees_as_it_is_graded() -> None:
    said = ("<answer>Paris</answer>", "<answer>paris</answer>", "<answer>Rome</answer>")
    assert labels(FreeForm("Oslo"), *said) == [0, 0, 2]


@given(st.sampled_from(["A", "B", "C", "D"]), st.lists(st.sampled_from("ABCD?"), max_size=6))
def test_the_key_has_no_say(letter: str, said: list[str]) -> None:
    completions = [f"Answer: {one}" for one in said]
    one = asyncio.run(group(problem(CHOICE), completions))
    other = asyncio.run(group(problem(replace(CHOICE, letter=letter)), completions))
    assert one == other


class Box:
    """An executor whose programs print what their source says."""

    def __init__(self, fail: bool = False) -> None:
        self.fail, self.inputs = fail, 0

    async def run(
        self, program: str | bytes, inputs: Sequence[str | bytes], limits: Limits | None = None,
        accept: object = None,
    ) -> list[Run]:  # fmt: skip
        self.inputs = len(inputs)
        if self.fail:
            return [Run("infra", detail="the engine is gone")]
        text = program if isinstance(program, str) else program.decode()
        return [Run("error") if "raise" in text else Run("ok", str(eval(text[6:-1])).encode())
                for _ in inputs]  # fmt: skip


CODE = Program((Test("1", "1", public=True), Test("2", "2", public=True), Test("3", "9")))


def programs(box: Box, *sources: str, key: Program = CODE) -> list[int | None]:
    completions = [f"```python\n{source}\n```" for source in sources]
    return asyncio.run(group(problem(key), completions, box))


def test_programs_agree_by_their_output_for_the_public_inputs_alone() -> None:
    box = Box()
    assert programs(box, "print(1+1)", "print(2)", "print(3)", "raise 1", "") == [
        0,
        0,
        2,
        None,
        None,
    ]
    assert box.inputs == 2, "hidden inputs never run"


def test_without_public_inputs_only_equal_programs_agree() -> None:
    hidden = Program((Test("3", "9"),))
    assert programs(Box(), "print(2)", "print(1+1)", "print(2)", key=hidden) == [0, 1, 0]


def test_a_sandbox_in_trouble_is_trouble_and_no_vote() -> None:
    with pytest.raises(SandboxError, match="the engine is gone"):
        programs(Box(fail=True), "print(1)")
