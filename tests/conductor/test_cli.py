"""`conductor plan`: the plan, without running it; every mistake in one line."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conductor import Plan, Pool, Step, parse_plan
from conductor import cli as command_line
from conductor.appended import append_line
from conductor.call import POLICY_STEP
from conductor.commands import plan as cli
from tests.conductor.fakes import Answer, FakeCall, fault, pool_of


def conductor(*arguments: str) -> Result:
    return CliRunner().invoke(command_line.main, list(arguments))


def refused(*arguments: str) -> str:
    result = conductor(*arguments)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1, "one line"
    return result.stderr


def test_a_plan_is_printed_for_people_and_as_lists() -> None:
    result = conductor("plan", "How many primes are below 100?")
    assert result.exit_code == 0
    assert "policy: a fixed rule, not a trained model" in result.stdout
    plan = parse_plan(result.stdout)
    assert len(plan.steps) == 2
    for step in plan.steps:
        assert f"model id {step.worker}, {Pool.shipped('default').workers[step.worker].name}" in (
            result.stdout
        )
        assert step.subtask in result.stdout


def test_the_same_question_gets_the_same_plan_and_another_seed_or_id_may_not() -> None:
    def shown(*options: str) -> str:
        return conductor("plan", "q", *options).stdout

    assert shown() == shown()
    assert len({shown("--seed", str(seed)) for seed in range(10)}) > 1
    assert len({shown("--id", f"p{n}") for n in range(10)}) > 1


def test_options_go_over_the_configuration_file(tmp_path: Path) -> None:
    (tmp_path / "pool.yaml").write_text("- {name: a, model: x/a}\n- {name: b, model: x/b}\n")
    file = tmp_path / "conductor.yaml"
    file.write_text(f"policy: single:b\npool: {tmp_path}/pool.yaml\n")
    assert "model id 1, b (sees no step)" in conductor("plan", "q", "--config", str(file)).stdout
    over = conductor("plan", "q", "--config", str(file), "--policy", "single:a").stdout
    assert "model id 0, a (sees no step)" in over


def with_model(monkeypatch: pytest.MonkeyPatch, answer: Answer | str) -> FakeCall:
    call = FakeCall(answer)
    monkeypatch.setattr(cli, "_model_call", lambda model: call)
    return call


def test_a_model_as_policy_is_called_for_the_plan_and_no_worker_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written = Plan((Step(1, "Solve."), Step(0, "Check.", (0,))))
    call = with_model(monkeypatch, written.render())
    result = conductor("plan", "q", "--policy", "x/planner")
    assert parse_plan(result.stdout) == written
    assert "step 1: model id 0, careful (sees step 0)" in result.stdout
    assert [key.step for key in call.keys] == [POLICY_STEP]


def test_a_plan_that_cannot_be_read_or_made_is_said_so(monkeypatch: pytest.MonkeyPatch) -> None:
    with_model(monkeypatch, "I would rather not.")
    assert "no plan: no list 'model_id'" in refused("plan", "q", "--policy", "x/planner")
    with_model(monkeypatch, lambda worker, messages, key: fault("no route to host"))
    assert "x/planner: no route to host" in refused("plan", "q", "--policy", "x/planner")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--policy", "singel"], "options: unknown policy 'singel'; did you mean 'single'?"),
        (["--policy", "single:livly"], "unknown worker 'livly'; did you mean 'lively'?"),
        (["--policy", "local/smolm2"], "no local model 'smolm2'; there is: smollm2"),
        (["--policy", "opnai/gpt-5"], "unknown provider 'opnai' in 'opnai/gpt-5'"),
        (["--pool", "defualt"], "no pool 'defualt'; did you mean 'default'?"),
        (["--pool", "nowhere.yaml"], "no file 'nowhere.yaml'; looked for "),
        (["--config", "nowhere.yaml"], "--config: no file 'nowhere.yaml'; looked for "),
        (["--access", "some"], "unknown access 'some'; one of: binary, positions"),
        (["--max-steps", "0"], "`max_steps` must lie between 1 and 100, not 0"),
    ],
)
def test_a_mistake_is_one_line_with_the_remedy(arguments: list[str], error: str) -> None:
    assert error in refused("plan", "q", *arguments)


def test_help_shows_how_it_is_used() -> None:
    assert "inspect eval tasks/gpqa.py --model conductor" in conductor("--help").stdout
    assert "conductor plan" in conductor("plan", "--help").stdout


def test_partial_access_is_shown_as_positions() -> None:
    plan = Plan((Step(0, "a"), Step(1, "b"), Step(2, "c", (1,))))
    assert cli.describe(plan, pool_of()).endswith("access_list = [[], [], [1]]")


def test_a_plan_is_saved_edited_and_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pool = tmp_path / "pool.yaml"
    pool.write_text("workers:\n  - {name: a, model: mockllm/a}\n  - {name: b, model: mockllm/b}\n")
    saved = tmp_path / "plan.txt"
    made = conductor("plan", "q?", "--policy", "single", "--pool", str(pool), "--out", str(saved))
    assert made.exit_code == 0, made.output
    saved.write_text(saved.read_text().replace("model_id = [0]", "model_id = [1]"))
    call = FakeCall(lambda worker, messages, key: f"said {worker.name}")
    monkeypatch.setattr("conductor.assemble.Link.call", lambda link, config: call)
    done = conductor("run", str(saved), "q?", "--pool", str(pool))
    assert done.exit_code == 0, done.output
    assert "step 0 (b" in done.output
    assert done.output.rstrip().endswith("answer:\nsaid b")
    assert "q?" in call.asked[0][1][0].text


@pytest.mark.parametrize(
    ("text", "error"),
    [(None, "cannot be read"), ("no lists", "no plan: no list 'model_id'"),
     ('model_id = [9]\nsubtasks = ["x"]\naccess_list = [[]]', "there is no model 9")],
)  # fmt: skip
def test_a_file_that_holds_no_plan_is_refused_in_one_line(
    tmp_path: Path, text: str | None, error: str
) -> None:
    if text is not None:
        (tmp_path / "plan.txt").write_text(text)
    done = conductor("run", str(tmp_path / "plan.txt"), "q?")
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)
    assert error in done.stderr


def test_a_ledger_is_summed_by_what_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "spent.jsonl"
    for worker, cost in (("a", 0.5), ("b", None), ("a", 0.25)):
        append_line(path, {"worker": worker, "calls": 1, "input_tokens": 10, "cost": cost})
    done = conductor("spent", str(path))
    rows = [line.split() for line in done.output.splitlines()]
    assert rows[1] == ["a", "2", "20", "$0.7500"]
    assert rows[-1] == ["total", "3", "30", "$0.7500", "1"]
    assert conductor("spent", str(path), "--by", "model").exit_code == 1
    assert conductor("spent", str(tmp_path / "none")).exit_code == 1


def test_a_plan_of_ones_own_calls_no_forbidden_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, plan = tmp_path / "conductor.yaml", tmp_path / "plan.txt"
    config.write_text(
        "pool:\n  - {name: a, model: mockllm/a, tags: [beta]}\n  - {name: b, model: mockllm/b}\n"
        "constraints: {deny_tags: [beta]}\n"
    )
    plan.write_text(Plan((Step(0, "Do it."),)).render())
    call = FakeCall()
    monkeypatch.setattr("conductor.assemble.Link.call", lambda link, config: call)
    done = conductor("run", str(plan), "q?", "--config", str(config))
    assert done.exit_code == 1
    assert "a is not among the allowed workers" in done.stderr
    assert call.asked == []
