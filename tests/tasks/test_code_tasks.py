"""The code tasks as Inspect runs them, and what their options choose."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Epochs, Task, eval
from inspect_ai._util.error import SilentException
from inspect_ai.log import EvalLog
from inspect_ai.model import ModelOutput, ModelUsage, get_model

import harness.graders.program
from harness.datasets.livecodebench_release import increments, load_livecodebench
from harness.datasets.source import SAMPLES
from harness.problem import ProblemError
from sandboxes import SandboxError
from tasks.bigcodebench import bigcodebench
from tasks.humaneval import humaneval
from tasks.livecodebench import livecodebench
from tasks.mbpp import mbpp
from tests.harness.programs.bare import Bare

ROWS = [json.loads(line) for line in (SAMPLES / "livecodebench.jsonl").open(encoding="utf-8")]


def run(task: Task, answers: list[str], tmp_path: Path, **options: Any) -> EvalLog:
    outputs = [ModelOutput.from_content("mockllm", answer) for answer in answers]
    for output in outputs:
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    model = get_model("mockllm/model", custom_outputs=outputs)
    (log,) = eval(
        task, model=model, log_dir=str(tmp_path), display="none", max_samples=1, **options
    )
    assert log.status == "success", log.error
    return log


def answer(row: dict[str, Any]) -> str:
    return f"```python\n{row['reference_solution']}```"


@pytest.fixture(autouse=True)
def trusted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The answers of these tests are our own: no box is needed."""
    monkeypatch.setattr(harness.graders.program, "shared_executor", Bare)
    monkeypatch.setenv("CONDUCTOR_CACHE", str(tmp_path / "cache"))


def metrics(log: EvalLog) -> dict[str, float]:
    assert log.results is not None
    (scores,) = log.results.scores
    return {name: metric.value for name, metric in scores.metrics.items()}


def test_right_and_wrong_answers_are_counted(tmp_path: Path) -> None:
    answers = [answer(row) for row in ROWS[:5]] + ["```python\nprint(1)\n```"]
    log = run(livecodebench(data="sample"), answers, tmp_path)
    assert metrics(log)["accuracy"] == pytest.approx(5 / 6)


def test_accuracy_is_shown_with_and_without_broken_problems(tmp_path: Path) -> None:
    known_bad = {**ROWS[1], "question_id": "abc337_e"}
    data = tmp_path / "rows.jsonl"
    data.write_text("\n".join(map(json.dumps, [ROWS[0], known_bad])))
    log = run(livecodebench(data=str(data)), [answer(ROWS[0]), "no idea"], tmp_path)
    assert metrics(log)["accuracy"] == 0.5
    assert metrics(log)["accuracy_without_errata"] == 1.0


def test_pass_at_k_comes_from_epochs(tmp_path: Path) -> None:
    answers = [answer(ROWS[0]), "no idea"]
    task = livecodebench(data="sample", difficulty="easy", end_date="2025-01-11")
    log = run(task, answers, tmp_path, epochs=Epochs(2, ["pass_at_1", "pass_at_2"]))
    assert log.results is not None
    found = {score.reducer: score.metrics["accuracy"].value for score in log.results.scores}
    assert found == {"pass_at_1": 0.5, "pass_at_2": 1.0}


def test_hidden_tests_are_in_no_message(tmp_path: Path) -> None:
    log = run(livecodebench(data="sample", platform="codeforces"), ["no idea"], tmp_path)
    assert log.samples is not None
    (sample,) = log.samples
    assert "100000 100000 1" not in "".join(message.text for message in sample.messages)


@pytest.mark.parametrize("build", [bigcodebench, humaneval, mbpp])
def test_the_other_suites_run(build: Any, tmp_path: Path) -> None:
    name = build.__name__
    found = [json.loads(line) for line in (SAMPLES / f"{name}.jsonl").open(encoding="utf-8")]
    log = run(build(data="sample"), [answer(row) for row in found], tmp_path)
    assert metrics(log)["accuracy"] == 1.0


def test_bigcodebench_can_be_kept_to_the_libraries_at_hand() -> None:
    assert len(bigcodebench(data="sample").dataset) == 3
    assert len(bigcodebench(data="sample", libraries="pandas").dataset) == 2
    assert len(bigcodebench(data="sample", libraries=["numpy"]).dataset) == 3


@pytest.mark.parametrize(
    ("release", "numbers"),
    [
        ("v6", (6,)),
        ("v1", (1,)),
        ("release_v1", (1,)),
        ("release_v4", (1, 2, 3, 4)),
        ("release_latest", (1, 2, 3, 4, 5, 6)),
        ("v2_v4", (2, 3, 4)),
    ],
)
def test_a_release_is_the_files_up_to_it_and_an_increment_is_one(
    release: str, numbers: tuple[int, ...]
) -> None:
    assert increments(release) == numbers


@pytest.mark.parametrize("release", ["v7", "v0", "release_v0", "6", "v4_v2", "", "v1_v2_v3"])
def test_unknown_releases_are_refused(release: str) -> None:
    with pytest.raises(ProblemError, match="is unknown; use v1 to v6"):
        increments(release)


@pytest.mark.parametrize(
    ("options", "ids"),
    [
        ({"start_date": "2025-03-15"}, ["sample_2", "sample_d"]),
        ({"start_date": date(2025, 3, 15), "end_date": "2025-03-15"}, ["sample_2"]),
        ({"difficulty": "medium", "platform": "atcoder,codeforces"}, ["sample_b", "sample_c"]),
        ({"platform": ["LeetCode"]}, ["sample_1", "sample_2"]),
    ],
)
def test_filters_keep_what_they_say(options: dict[str, Any], ids: list[str]) -> None:
    problems, _ = load_livecodebench(data="sample", **options)
    assert [problem.id for problem in problems] == ids


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"start_date": "May"}, "start_date must be a day like 2025-01-31, not 'May'"),
        ({"difficulty": "hard,easy,nasty"}, "difficulty must be of easy, medium, hard; nasty"),
        ({"end_date": "2020-01-01"}, "none of the 6 problems"),
        ({"release": "v9"}, "release='v9' is unknown"),
        ({"data": "nowhere.jsonl"}, "no file 'nowhere.jsonl'"),
    ],
)
def test_what_a_user_got_wrong_is_one_line(
    options: dict[str, Any], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SilentException) as refusal:
        load_livecodebench(**{"data": "sample", **options})
    assert line in str(refusal.value)
    assert capsys.readouterr().err.startswith("error: ")


def test_a_folder_of_official_files_is_read_by_increment(tmp_path: Path) -> None:
    for name, row in (("test.jsonl", ROWS[0]), ("test2.jsonl", ROWS[1])):
        (tmp_path / name).write_text(json.dumps(row))
    both, loaded = load_livecodebench("release_v2", str(tmp_path))
    assert [problem.id for problem in both] == ["sample_a", "sample_b"]
    assert "test2.jsonl" in loaded.location
    assert [p.id for p in load_livecodebench("v2", str(tmp_path))[0]] == ["sample_b"]


def test_a_malformed_row_is_one_line_that_names_it(tmp_path: Path) -> None:
    data = tmp_path / "rows.jsonl"
    data.write_text(json.dumps({**ROWS[0], "public_test_cases": "{"}))
    with pytest.raises(
        SilentException, match="question 'sample_a': public_test_cases is not valid JSON"
    ):
        load_livecodebench(data=str(data))


def test_without_a_sandbox_a_task_is_refused_before_anything_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def none() -> None:
        raise SandboxError("no sandbox here; start Docker")

    monkeypatch.setattr(harness.graders.program, "shared_executor", none)
    with pytest.raises(SilentException, match="start Docker"):
        livecodebench(data="sample")
