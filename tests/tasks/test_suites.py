"""Mathematics and knowledge suites: samples are right, real rows load, every key is sound."""

from __future__ import annotations

import asyncio
import importlib
import json
from pathlib import Path
from typing import Any

import pytest
from inspect_ai._util.error import SilentException

from harness import Choice, FreeForm, Math, Problem, grade
from harness.datasets.knowledge import mmlu_pro_problem, mmlu_problem, rlpr_problem
from harness.datasets.mathematics import (
    aime_problem,
    amc_problem,
    gsm8k_problem,
    math500_problem,
    minerva_problem,
    olympiadbench_problem,
)
from harness.preflight import check, load_problems
from tests.ground_truth import shared

SUITES = (
    "math500", "aime", "amc", "minerva_math", "olympiadbench", "gsm8k", "mmlu", "mmlu_pro", "rlpr",
    "gpqa",
)  # fmt: skip
REAL = [
    ("math500", "math/math500.jsonl", 500),
    ("aime", "math/aime24.jsonl", 30),
    ("aime", "math/aime24_padded.jsonl", 30),
    ("aime", "math/aime25.jsonl", 30),
    ("amc", "math/amc23.jsonl", 40),
    ("minerva_math", "math/minerva_math.jsonl", 272),
    ("olympiadbench", "math/olympiadbench_oe_maths_en.jsonl", 675),
    ("gsm8k", "math/gsm8k_test.jsonl", 1319),
    ("mmlu", "mmlu/mmlu_test_subset.jsonl", 1140),
    ("mmlu", "mmlu/mmlu_validation.jsonl", 1531),
    ("mmlu", "mmlu/raw/high_school_mathematics_test.csv", 270),
    ("mmlu_pro", "mmlu/mmlu_pro_subset.jsonl", 560),
]


def graded(problem: Problem, completion: str) -> str:
    return asyncio.run(grade(problem, completion)).outcome


async def all_sound(problems: list[Problem]) -> list[Any]:
    return [found for problem in problems if not (found := await check(problem)).sound]


@pytest.mark.parametrize("suite", SUITES)
def test_every_sample_is_sound_and_its_ids_are_its_own(suite: str) -> None:
    problems = load_problems(suite, "sample")
    assert len(problems) >= 8
    assert len({problem.id for problem in problems}) == len(problems)
    assert not asyncio.run(all_sound(problems))


@pytest.mark.slow
@pytest.mark.parametrize(("suite", "file", "count"), REAL)
def test_every_key_of_the_real_rows_is_sound(suite: str, file: str, count: int) -> None:
    problems = load_problems(suite, str(shared(f"data/{file}")))
    assert len(problems) == count
    assert len({problem.id for problem in problems}) == count
    assert not asyncio.run(all_sound(problems))


@pytest.mark.parametrize("header", ["", "question,A,B,C,D,answer\n"])
def test_the_first_row_of_a_csv_without_a_header_is_a_question(tmp_path: Path, header: str) -> None:
    data = tmp_path / "rows.csv"
    data.write_text(f'{header}"How many,\n really?",2,2,3,B,B\nQ2,w,x,y,z,C\n')
    answers = [problem.answer for problem in load_problems("mmlu", str(data))]
    assert answers == [Choice("B", ("2", "2", "3", "B")), Choice("C", ("w", "x", "y", "z"))]


@pytest.mark.parametrize(
    ("suite", "row", "said"),
    [
        ("mmlu", "Q,a,b,c,A", "row 1 has 5 values for the 6 columns"),
        ("mmlu", "Q,a,b,c,d,E", "the right letter must be one of A to D, not 'E'"),
    ],
)
def test_a_malformed_row_of_a_csv_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], suite: str, row: str, said: str
) -> None:
    data = tmp_path / "rows.csv"
    data.write_text(f"{row}\n")
    with pytest.raises(SilentException, match=said):
        load_problems(suite, str(data))


def test_a_question_that_stands_twice_in_a_file_gets_an_id_of_its_own(tmp_path: Path) -> None:
    row = {"question": "?", "choices": ["w", "x", "y", "z"], "answer": 2, "subject": "s"}
    data = tmp_path / "rows.jsonl"
    data.write_text(f"{json.dumps(row)}\n" * 3)
    ids = [problem.id for problem in load_problems("mmlu", str(data))]
    assert ids == [ids[0], f"{ids[0]}#2", f"{ids[0]}#3"]


def test_mmlu_reads_letters_and_indices_and_keeps_the_options_order() -> None:
    row = {"question": "?", "choices": ["w", "x", "y", "z"], "subject": "s"}
    assert mmlu_problem({**row, "answer": 2}).answer == mmlu_problem({**row, "answer": "C"}).answer


def test_identical_options_of_mmlu_are_both_right_or_both_wrong() -> None:
    problem = mmlu_problem({"question": "?", "choices": ["1", "2", "2", "3"], "answer": "C"})
    assert [graded(problem, f"Answer: {letter}") for letter in "ABCD"] == [
        "incorrect", "correct", "correct", "incorrect",
    ]  # fmt: skip


def test_options_that_differ_in_case_are_different() -> None:
    problem = mmlu_problem({"question": "?", "choices": ["AaBb", "aabb", "AABB", "C"], "answer": 0})
    assert [graded(problem, f"Answer: {letter}") for letter in "ABCD"][1:] == ["incorrect"] * 3
    assert graded(problem, "Answer: C") == "incorrect"
    assert graded(problem, "The answer is AaBb.") == "correct"


def test_an_option_as_short_as_a_letter_gives_way_to_the_letter() -> None:
    problem = mmlu_problem({"question": "?", "choices": ["C", "B", "A", "D"], "answer": "A"})
    assert graded(problem, "Answer: A") == "correct"
    assert graded(problem, "Answer: C") == "incorrect"


def test_mmlu_pro_takes_three_to_ten_options() -> None:
    for count in (3, 10):
        options = [f"option {n}" for n in range(count)]
        row = {"question": "?", "options": options, "answer": "ABCDEFGHIJ"[count - 1]}
        assert graded(mmlu_pro_problem(row), f"Answer: {row['answer']}") == "correct"


@pytest.mark.parametrize(
    ("key", "said"), [("025", "25"), ("25", "025"), ("7", "007"), ("0", "000")]
)
def test_aime_reads_padded_and_bare_integers(key: str, said: str) -> None:
    problem = aime_problem({"id": "1", "problem": "?", "answer": key}, 2024)
    assert graded(problem, f"\\boxed{{{said}}}") == "correct"
    assert graded(problem, "\\boxed{26}") == "incorrect"


def test_amc_keys_are_floats_of_integers() -> None:
    assert amc_problem({"problem": "?", "answer": 27.0}).answer == Math("27")


def test_gsm8k_keys_lose_their_separators() -> None:
    problem = gsm8k_problem({"question": "?", "answer": "so\n#### 1,234"})
    assert graded(problem, "#### 1234") == graded(problem, "The answer is 1,234.") == "correct"
    assert gsm8k_problem({"question": "?", "answer": "nothing"}).answer == Math("")


def test_minerva_keys_stand_in_the_last_box_of_the_solution() -> None:
    row = {"problem": "?", "solution": "first \\boxed{1}, then \\boxed{\\frac{a}{b}}", "type": "t"}
    assert minerva_problem(row).answer == Math("\\frac{a}{b}")


def test_olympiadbench_has_tolerances_and_sets() -> None:
    row = {"question": "?", "final_answer": ["$0.707$"], "error": "1e-2", "id": 1}
    problem = olympiadbench_problem(row)
    assert graded(problem, "\\boxed{\\frac{\\sqrt{2}}{2}}") == "correct"
    assert graded(problem, "\\boxed{0.72}") == "incorrect"
    several = olympiadbench_problem({"question": "?", "final_answer": ["$69$,$84$"], "id": 2})
    assert graded(several, "\\boxed{84, 69}") == "correct"
    assert graded(several, "\\boxed{69}") == "incorrect"


def test_math500_keeps_subject_and_level() -> None:
    problem = math500_problem({"problem": "?", "answer": "1", "subject": "Algebra", "level": 4})
    assert (problem.cluster, problem.metadata["level"]) == ("Algebra", 4)


def test_rlpr_reads_its_own_columns_too() -> None:
    row = {
        "prompt": [{"role": "user", "content": "How far?"}],
        "reward_model": {"ground_truth": "42 km"},
    }
    assert rlpr_problem(row).answer == FreeForm("42 km")
    assert "How far?" in rlpr_problem(row).question


def test_a_malformed_row_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "rows.jsonl"
    data.write_text(json.dumps({"question": "?", "options": ["a"], "answer": "A"}) + "\n")
    with pytest.raises(Exception, match="row 1"):
        load_problems("mmlu_pro", str(data))
    assert "a choice needs 2 to 26 options" in capsys.readouterr().err


def test_a_suite_without_an_address_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Exception, match="rlpr"):
        load_problems("rlpr", None)
    assert "-T data=PATH" in capsys.readouterr().err


def test_aime_takes_a_year_and_refuses_others(capsys: pytest.CaptureFixture[str]) -> None:
    aime = importlib.import_module("tasks.aime").aime
    assert len(aime(data="sample", year=2025).dataset) == 8
    with pytest.raises(Exception, match="2023"):
        aime(year=2023)
