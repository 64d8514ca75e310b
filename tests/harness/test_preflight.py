"""Preflight finds keys that the grader would not accept, before money is spent."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from harness import Choice, FreeForm, Math, Problem, Program, Test
from harness.cli import main
from harness.preflight import check


def checked(answer: Math | Choice | FreeForm | Program) -> tuple[str | None, tuple[str, ...]]:
    found = asyncio.run(check(Problem("q", "demo", "?", answer)))
    return found.gold, found.lucky


@pytest.mark.parametrize(
    "answer",
    [
        Math("\\frac{1}{2}"),
        Math("x^2 + 1"),
        Math("(1, 2)"),
        Choice("B", ("yes", "no", "no")),
        FreeForm("42 km"),
    ],
)
def test_a_sound_key_is_correct_and_no_wrong_answer_is(answer: Math | Choice | FreeForm) -> None:
    assert checked(answer) == ("correct", ())


def test_an_empty_key_is_found() -> None:
    assert checked(Math(""))[0] != "correct"


def test_programs_have_no_key_to_state() -> None:
    assert checked(Program((Test("1", "2"),))) == (None, ())


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, catch_exceptions=True)


def test_the_command_passes_the_sample_of_gpqa() -> None:
    done = run("preflight", "gpqa", "--data", "sample")
    assert done.exit_code == 0, done.output
    assert "24 of 24 problems are sound" in done.output


def test_the_command_lists_and_drops_what_fails(tmp_path: Path) -> None:
    rows = [
        {"question": "1 + 1?", "answer": "so\n#### 2"},
        {"question": "what?", "answer": "no mark here"},
    ]
    data = tmp_path / "rows.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    sound = tmp_path / "sound.jsonl"
    done = run("preflight", "gsm8k", "--data", str(data), "--drop", str(sound))
    assert done.exit_code == 1, done.output
    assert "1 of 2 problems are sound" in done.output
    assert [json.loads(line) for line in sound.read_text().splitlines()] == rows[:1]
    assert run("preflight", "gsm8k", "--data", str(sound)).exit_code == 0


def test_dropping_needs_a_file_to_drop_from(tmp_path: Path) -> None:
    done = run("preflight", "gsm8k", "--data", "sample", "--drop", str(tmp_path / "x.jsonl"))
    assert done.exit_code == 1
    assert not (tmp_path / "x.jsonl").exists()


def test_an_unknown_task_names_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    done = run("preflight", "gqpa")
    assert done.exit_code == 1
    assert "no task 'gqpa'; this project has" in done.output + done.stderr
