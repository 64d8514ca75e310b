"""GPQA: the sample is sound, and rows of the official columns become problems."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from harness.datasets.gpqa import GPQA_DIAMOND, gpqa_problem
from harness.datasets.source import load_rows
from harness.problem import Choice, Problem
from tasks.gpqa import gpqa


@pytest.fixture(scope="module")
def problems() -> list[Problem]:
    return [gpqa_problem(row) for row in load_rows(GPQA_DIAMOND, "sample").rows]


def test_the_sample_has_24_questions_in_three_subjects(problems: list[Problem]) -> None:
    assert Counter(problem.cluster for problem in problems) == {
        "Physics": 8,
        "Chemistry": 8,
        "Biology": 8,
    }
    assert len({problem.id for problem in problems}) == 24


def test_every_sample_question_has_four_different_options(problems: list[Problem]) -> None:
    for problem in problems:
        assert isinstance(problem.answer, Choice)
        assert len(set(problem.answer.options)) == 4, problem.id


def right(problems: list[Problem], fragment: str) -> str:
    (found,) = [problem for problem in problems if fragment in problem.question]
    assert isinstance(found.answer, Choice)
    return found.answer.options[0]


@pytest.mark.parametrize(
    ("fragment", "value", "written"),
    [
        ("neutral pion", 67.5 * 2 * (1 + math.sqrt(3) / 2), "{:.0f} MeV"),
        ("black-body stars", (12000 / 4000) ** 2, "{:.0f}"),
        ("straight path", 1.5 + 1.5 * (4 - 1), "{:.0f} a V^2"),
        ("thin film", 600 / (4 * 1.5), "{:.0f} nm"),
        ("standard potentials", 2 * 0.340 - 0.520, "+{:.3f} V"),
        ("activation energy", 8.314e-3 * math.log(2) / (1 / 300 - 1 / 310), "{:.0f} kJ/mol"),
        ("acetic acid", 4.76 + math.log10(0.20 / 0.10), "{:.2f}"),
        ("face-centred", 400 * math.sqrt(2) / 4, "{:.0f} pm"),
        ("2,500 newborns", 1 / (2 / 3 * (2 * 0.02 / 1.02) / 4), "About 1 in {:.0f}"),
        ("three-point", 0.1 * 0.2 * 2000 * 0.5, "{:.0f}"),
        ("competitive inhibitor", 2 * (1 + 3 / 1), "{:.0f} mM"),
        ("potassium concentration", 26.7 * math.log(4.0 / 140), "{:.0f} mV"),
        ("grows logistically", 0.5 * 400 * (1 - 400 / 800), "400; {:.0f} a year"),
    ],
)
def test_numerical_answers_of_the_sample_are_computed_again(
    problems: list[Problem], fragment: str, value: float, written: str
) -> None:
    assert right(problems, fragment) == written.format(value)


def test_a_row_without_an_id_gets_one_from_its_question() -> None:
    row = {
        "Question": "Why?",
        "Correct Answer": "a",
        "Incorrect Answer 1": "b",
        "Incorrect Answer 2": "b",
        "Incorrect Answer 3": "c",
    }
    assert gpqa_problem(row).id == gpqa_problem(row).id
    assert gpqa_problem(row).id != gpqa_problem({**row, "Question": "How?"}).id


def test_the_task_says_in_the_log_what_its_data_were() -> None:
    task = gpqa(data="sample")
    assert task.metadata is not None
    assert set(task.metadata) == {"dataset", "location", "sha256"}
    assert len(task.dataset) == 24


def test_the_right_option_is_never_shown_first_for_all(problems: list[Problem]) -> None:
    from harness.arrange import arrange

    letters = {
        shown.letter
        for problem in problems
        if isinstance(shown := arrange(problem, 0, 1).answer, Choice)
    }
    assert letters == set("ABCD")
