"""`inspect eval tasks/gpqa.py --model conductor`, as typed."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.event import ModelEvent, SpanBeginEvent

from tests.e2e.conftest import ROOT, Inspect
from tests.e2e.openai_server import Answer, Server

pytestmark = pytest.mark.slow
GPQA = "tasks/gpqa.py"
QUIET = ("--display", "none")


def test_the_default_pool_runs_offline_with_a_real_model(inspect: Inspect) -> None:
    done = inspect(
        "eval", GPQA, "--model", "conductor", "-T", "data=sample", "--limit", "2", *QUIET
    )
    assert done.code == 0, done.err
    log = done.log()
    assert log.status == "success"
    assert log.eval.model == "conductor/default"
    assert set(log.stats.model_usage) == {"local/smollm2"}, "usage is the workers' own, once"
    (first, _) = log.samples or []
    calls = [event for event in first.events if isinstance(event, ModelEvent)]
    assert [call.model for call in calls].count("local/smollm2") == 2
    spans = [event.name for event in first.events if isinstance(event, SpanBeginEvent)]
    assert [name for name in spans if name.startswith("step ")], spans
    summary = (first.output.metadata or {})["conductor"]
    assert "rule" in summary["policy"]
    assert len(summary["rounds"][0]["steps"]) == 2


def test_two_workers_over_http_one_slow_one_busy(
    inspect: Inspect, server: Server, pool_file: Path
) -> None:
    def busy(request: dict[str, Any], asked: int) -> Answer:
        return (
            Answer(status=429, headers={"Retry-After": "0"}) if asked == 0 else Answer("Answer: B")
        )

    server.behaviours |= {"slow": lambda request, asked: Answer(seconds=0.3), "busy": busy}
    # from another folder, with a $PWD that is not it: paths are the caller's all the same
    task = os.path.relpath(ROOT / GPQA, pool_file.parent)
    arguments = ("-M", "config=conductor.yaml", "-T", "data=sample", "--limit", "2")
    done = inspect(
        "eval",
        task,
        "--model",
        "conductor",
        *arguments,
        *QUIET,
        cwd=pool_file.parent,
        PWD=str(ROOT),
    )
    assert done.code == 0, done.err
    log = done.log()
    assert log.status == "success"
    assert set(log.stats.model_usage) == {"openai-api/loop/slow", "openai-api/loop/busy"}
    assert sum(usage.total_tokens for usage in log.stats.model_usage.values()) == 4 * 15
    summaries = [(sample.output.metadata or {})["conductor"] for sample in log.samples or []]
    assert sum(summary["retries"] for summary in summaries) == 1
    assert {step["worker"] for summary in summaries for step in summary["rounds"][0]["steps"]} == {
        "slow",
        "busy",
    }
    assert summaries[0]["cost"] == pytest.approx(2 * (10 * 1 + 5 * 2) / 1e6)
    assert {request["_authorization"] for request in server.requests} == {"Bearer test-key"}
    assert "test-key" not in json.dumps(log.model_dump(mode="json")), "keys never reach a log"


def test_eval_set_takes_the_bare_name_and_the_callers_paths(
    inspect: Inspect, server: Server, pool_file: Path
) -> None:
    task = os.path.relpath(ROOT / GPQA, pool_file.parent)
    arguments = ("-M", "settings=conductor.yaml", "-T", "data=sample", "--limit", "1")
    done = inspect(
        "eval-set", task, "--model", "conductor", *arguments, *QUIET, cwd=pool_file.parent
    )
    assert done.code == 0, done.err
    assert done.log().eval.model == "conductor/default"
    assert len(server.requests) == 2


def test_solver_and_role_go_by_the_bare_name_though_a_folder_is_called_the_same(
    inspect: Inspect, server: Server, pool_file: Path
) -> None:
    pool = pool_file.parent / "pool.yaml"
    arguments = ("--solver", "conductor", "-S", f"pool={pool}", "-S", "policy=single:slow")
    done = inspect("eval", GPQA, *arguments, "-T", "data=sample", "--limit", "1", *QUIET, cwd=ROOT)
    assert done.code == 0, done.err
    (sample,) = done.log().samples or []
    assert sample.output.completion == "Answer: A"
    assert len(server.requests) == 1


def test_a_log_is_scored_again_by_name_with_the_same_result(
    inspect: Inspect, server: Server, pool_file: Path
) -> None:
    done = inspect(
        "eval", GPQA, "--model", "conductor", "-M", f"settings={pool_file}", "-M",
        f"pool={pool_file.parent / 'pool.yaml'}", "-T", "data=sample", "--limit", "6",
        "--epochs", "2", *QUIET,
    )  # fmt: skip
    assert done.code == 0, done.err
    before = done.log()
    again = inspect(
        "score", before.location, "--action", "overwrite", "--overwrite", "--display", "none"
    )
    assert again.code == 0, again.err + again.out
    after = done.log()
    assert [s.scores for s in before.samples or []] == [s.scores for s in after.samples or []]
    orders = {
        (sample.id, sample.epoch): (sample.scores or {})["graded"].metadata["order"]
        for sample in after.samples or []
    }
    assert any(orders[id, 1] != orders[id, 2] for id, _ in orders), "epochs differ in order"
