"""`conductor summary`: read from a log that Inspect really wrote."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, modelapi
from inspect_ai.scorer import match
from inspect_ai.solver import generate
from inspect_ai.tool import ToolChoice, ToolInfo

from conductor import (
    CallKey,
    ConfigError,
    Message,
    Outcome,
    Reply,
    Settings,
    Worker,
    conduct,
    make_policy,
)
from conductor.cli import main
from conductor.report import summary
from conductor.summary import newest_log, summarize
from tests.conductor.fakes import FakeCall, fault, pool_of


def answer(worker: Worker, messages: Sequence[Message], key: CallKey) -> Reply:
    """Worker "b" is down; "a" has a price and "c" has none."""
    if worker.name == "b":
        return fault("429")
    cost = 0.25 if worker.name == "a" else None
    return Reply("4", worker.model, 10, 5, cost, 1.5, retries=1)


def outcome_of(policy: str, text: str = "no plan here") -> Outcome:
    pool, settings = pool_of("a", "b", "c"), Settings(policy)
    call = FakeCall(text if "/" in policy else answer)
    return asyncio.run(
        conduct("2 + 2?", make_policy(settings, pool), pool, settings, call=call, key=CallKey("p"))
    )


OUTCOMES = [outcome_of(name) for name in ("single:a", "single:b", "single:c", "x/planner")]


@modelapi(name="retold")
class Retold(ModelAPI):
    """Answers sample N as OUTCOMES[N] has it, in the form in which the conductor is logged."""

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        outcome = OUTCOMES[int(input[0].text)]
        output = ModelOutput.from_content(self.model_name, outcome.answer)
        if self.model_name == "conductor":
            output.metadata = {"conductor": {"policy": "a test", **summary(outcome)}}
        return output


def log_of(folder: Path, model: str, **options: Any) -> EvalLog:
    samples = [Sample(str(n), target="4", id=f"q{n}") for n in range(len(OUTCOMES))]
    task = Task(dataset=samples, solver=generate(), scorer=match(), name="sums")
    return eval(task, model=model, log_dir=str(folder), display="none", **options)[0]


def test_a_run_is_told_by_sample_and_by_worker(tmp_path: Path) -> None:
    log_of(tmp_path, "retold/conductor")
    result = CliRunner().invoke(main, ["summary", str(tmp_path)])
    assert result.exit_code == 0
    lines = [line.split() for line in result.stdout.splitlines()]
    assert result.stdout.startswith("sums, retold/conductor, 4 samples: success\npolicy: a test\n")
    assert ["q0", "C", "4", "a*", "15", "1"] in lines
    assert ["q1", "I", "-", "b;", "fault:", "step", "0", "(b):", "429", "0", "0"] in lines
    assert next(line for line in lines if line[:1] == ["q3"])[3:5] == ["no", "plan:"]
    assert ["a", "1", "10", "5", "1.5", "$0.2500"] in lines
    assert ["c", "1", "10", "5", "1.5", "unknown"] in lines
    assert "4 scored, 0 unscored" in result.stdout


def test_the_newest_log_of_a_folder_is_told(tmp_path: Path) -> None:
    old = log_of(tmp_path, "retold/conductor")
    new = log_of(tmp_path, "retold/conductor", limit=2)
    os.utime(old.location, (1, 1))
    assert newest_log(tmp_path).eval.run_id == new.eval.run_id
    assert newest_log(Path(old.location)).eval.run_id == old.eval.run_id


def test_epochs_are_told_apart_and_ungraded_samples_named(tmp_path: Path) -> None:
    log = log_of(tmp_path, "retold/conductor", epochs=2, limit=1, score=False)
    text = "\n".join(summarize(newest_log(Path(log.location))))
    assert "q0 " in text
    assert "q0 (epoch 2)" in text
    assert text.count("not graded") == 2


def test_a_run_without_a_conductor_is_said_to_be_one(tmp_path: Path) -> None:
    log = log_of(tmp_path, "retold/other", limit=1)
    assert list(summarize(log))[-1] == "no sample of this log was answered by a conductor"


def test_what_is_no_log_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "torn.eval").write_bytes(b"PK\x03\x04 torn")
    with pytest.raises(ConfigError, match=r"torn\.eval: no log of Inspect that can be read"):
        newest_log(tmp_path / "torn.eval")
    empty = tmp_path / "empty"
    empty.mkdir()
    result = CliRunner().invoke(main, ["summary", str(empty)])
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert "no log in" in result.stderr


def test_the_cost_of_a_worker_is_unknown_once_one_call_is() -> None:
    outcome = OUTCOMES[0]
    assert summary(outcome)["cost"] == 0.25
    planning = replace(outcome.planning, replies=(Reply("", "x/planner"),))
    rounds = (replace(outcome.rounds[0], planning=planning),)
    assert summary(replace(outcome, rounds=rounds))["cost"] is None
