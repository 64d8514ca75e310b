"""A log is graded anew without a call, and says which verdicts changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from inspect_ai import Task, eval
from inspect_ai._util.error import SilentException
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalError, EvalLog, read_eval_log, write_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, Scorer, Target, includes, mean, scorer
from inspect_ai.solver import TaskState, generate

from harness import Choice, Problem
from harness.cli import main
from harness.regrade import regrade_log
from harness.sample import present, to_sample


def output(text: str, fault: str | None = None) -> ModelOutput:
    made = ModelOutput.from_content("mockllm/model", text)
    made.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    made.metadata = {"conductor": {"fault": fault, "plan_error": None}} if fault else None
    return made


@scorer(metrics=[mean()], name="graded")
def harsh() -> Scorer:
    """An older grader, which nobody could please."""

    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=0.0, metadata={"outcome": "incorrect"})

    return score


@pytest.fixture
def log(tmp_path: Path) -> Path:
    problems = [Problem(f"q{n}", "demo", "?", Choice("A", ("yes", "no"))) for n in range(3)]
    model = get_model(
        "mockllm/model",
        custom_outputs=[output("Answer: A"), output("Answer: B"), output("", "worker b is down")],
    )
    task = Task(
        dataset=[to_sample(problem) for problem in problems],
        setup=present(),
        solver=generate(),
        scorer=harsh(),
    )
    (made,) = eval(
        task, model=model, display="none", log_dir=str(tmp_path), max_samples=1, max_connections=1
    )
    assert made.status == "success"
    return Path(made.location.removeprefix("file://"))


def test_changed_verdicts_are_listed_and_faults_are_unscored(log: Path) -> None:
    changes = regrade_log(log).changes
    assert [(change.before, change.after) for change in changes] == [
        ("incorrect", "correct"),
        ("incorrect", "unscored"),
    ]
    assert "worker b is down" in changes[1].reason


def test_the_command_writes_a_new_log_and_leaves_the_old_one(log: Path, tmp_path: Path) -> None:
    before = log.read_bytes()
    new = tmp_path / "new.eval"
    done = CliRunner().invoke(main, ["regrade", str(log), "--write", str(new)])
    assert done.exit_code == 0, done.output
    assert "2 of 3 verdicts changed" in done.output
    assert log.read_bytes() == before
    assert not regrade_log(new).changes
    written = read_eval_log(str(new))
    assert written.results is not None
    assert written.results.scores[0].metrics["accuracy"].value == 0.5


def test_logs_that_are_not_ours_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = get_model("mockllm/model", custom_outputs=[output("x")])
    plain = Task(dataset=[Sample(input="x", target="x")], scorer=includes())
    (made,) = eval(plain, model=model, display="none", log_dir=str(tmp_path))
    done = CliRunner().invoke(main, ["regrade", made.location.removeprefix("file://")])
    assert done.exit_code == 1
    assert "its samples hold no problem" in done.output + done.stderr


def altered(log: Path, **of_the_run: str) -> EvalLog:
    """The log as another model's, its first sample broken off by an error."""
    found = read_eval_log(str(log))
    found.eval = found.eval.model_copy(update=of_the_run)
    assert found.samples
    found.samples[0].error = EvalError(message="down", traceback="", traceback_ansi="")
    found.samples[0].output = ModelOutput()
    found.samples[0].scores = None
    return found


def test_a_sample_that_ended_in_an_error_stays_without_score(log: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.eval"
    write_eval_log(altered(log), str(broken))
    result = regrade_log(broken)
    assert [change.sample for change in result.changes] == ["q2"]
    assert result.log.samples is not None
    assert [bool(sample.scores) for sample in result.log.samples] == [False, True, True]
    assert result.log.results is not None
    assert (result.log.results.total_samples, result.log.results.completed_samples) == (3, 2)


def test_regrading_needs_no_key_of_the_provider(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    other = tmp_path / "other.eval"
    write_eval_log(altered(log, model="openai/gpt-5-mini"), str(other))
    assert regrade_log(other).log.eval.model == "openai/gpt-5-mini"


def test_a_folder_and_a_log_that_cannot_be_written_are_refused(log: Path, tmp_path: Path) -> None:
    with pytest.raises(SilentException, match="is a folder; name its logs"):
        regrade_log(tmp_path)
    with pytest.raises(SilentException, match="cannot be written"):
        regrade_log(log).write(tmp_path / "new.txt")
