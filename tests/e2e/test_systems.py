"""`harness run` as a user types it: systems over a real server that may misbehave, or be gone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log

from conductor.ledger import read_ledger
from harness.resume import is_unscored
from tests.e2e.conftest import ROOT
from tests.e2e.openai_server import Answer, Server

POOL = """
pool:
  - {name: good, model: openai-api/loop/good, max_retries: 0, price: {input: 1, output: 1}}
  - {name: other, model: openai-api/loop/other, max_retries: 0, price: {input: 2, output: 2}}
breaker: {failures: 0}
"""
QUESTIONS = 4
Run = Callable[..., subprocess.CompletedProcess[str]]


def command(folder: Path, *arguments: str) -> list[str]:
    return [
        str(Path(sys.executable).with_name("harness")), "run", "--task", "gpqa", "--data", "sample",
        "--limit", str(QUESTIONS), "--settings", str(folder / "conductor.yaml"),
        "--log-dir", str(folder / "logs"), "--display", "none", *arguments,
    ]  # fmt: skip


@pytest.fixture
def run(tmp_path: Path, server: Server) -> Run:
    (tmp_path / "conductor.yaml").write_text(POOL)

    def go(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command(tmp_path, *arguments), cwd=ROOT, capture_output=True, text=True, timeout=200,
            check=False,
        )  # fmt: skip

    return go


def log_of(folder: Path, system: str) -> EvalLog:
    logs = list_eval_logs(str(folder / "logs" / system))
    return read_eval_log(logs[0].name)


def asked(server: Server) -> int:
    return len(server.requests)


def test_each_system_gets_ordinary_logs_and_runs_once(
    run: Run, server: Server, tmp_path: Path
) -> None:
    done = run("--systems", "conductor,single:other,vote:3")
    assert done.returncode == 0, done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines()] == [
        "system", "conductor", "single-other", "vote-3",
    ]  # fmt: skip
    assert log_of(tmp_path, "vote-3").eval.model == "conductor/vote-3"
    assert len(log_of(tmp_path, "single-other").samples or []) == QUESTIONS
    made = asked(server)
    draws = {entry["address"] for entry in read_ledger(tmp_path / "logs/calls.jsonl")}
    assert made == len(draws), "a draw that two systems share is paid for once"
    assert made == len(read_ledger(tmp_path / "logs/spent.jsonl"))
    assert QUESTIONS * (1 + 3) < made <= QUESTIONS * (2 + 1 + 3)
    again = run("--systems", "conductor,single:other,vote:3")
    assert again.returncode == 0
    assert again.stdout.endswith(done.stdout)
    assert asked(server) == made, "a complete system is not run again"


def test_the_same_command_runs_exactly_the_unscored_samples_again(
    run: Run, server: Server, tmp_path: Path
) -> None:
    def broken(request: dict[str, Any], count: int) -> Answer:
        return Answer(status=400) if count % 2 else Answer("Answer: B")

    server.behaviours["good"] = broken
    first = run("--systems", "single")
    assert first.returncode == 3, "something is left to run"
    samples = log_of(tmp_path, "single").samples or []
    lost = {sample.id for sample in samples if is_unscored(sample)}
    assert len(lost) == QUESTIONS // 2
    assert all(
        "fault" in str(score.explanation)
        for sample in samples if sample.id in lost for score in (sample.scores or {}).values()
    )  # fmt: skip
    kept = {sample.id: sample.uuid for sample in samples if sample.id not in lost}
    server.behaviours.clear()
    made = asked(server)
    again = run("--systems", "single")
    assert again.returncode == 0, again.stderr
    assert asked(server) - made == len(lost)
    samples = log_of(tmp_path, "single").samples or []
    assert not any(is_unscored(sample) for sample in samples)
    assert {s.id: s.uuid for s in samples if s.id in kept} == kept, "the others are untouched"


def test_a_spent_budget_stops_and_the_same_command_goes_on_with_more(
    run: Run, server: Server, tmp_path: Path
) -> None:
    first = run("--systems", "single,vote:3", "--calls", "6")
    assert first.returncode == 3
    assert asked(server) == 6
    stopped = log_of(tmp_path, "vote-3")
    assert stopped.status == "success", "a valid log"
    assert any("budget of 6 calls is spent" in str(s.scores) for s in stopped.samples or [])
    second = run("--systems", "single,vote:3", "--calls", "6")
    assert (second.returncode, asked(server)) == (3, 6), "nothing is spent without money"
    assert "not run: the budget of 6 calls is spent" in second.stderr
    last = run("--systems", "single,vote:3", "--calls", "100")
    assert last.returncode == 0, last.stderr
    # vote's first answer is single's: the same draw is paid for once
    assert asked(server) == QUESTIONS * 3


def test_kill_9_loses_nothing_that_was_paid_for(run: Run, server: Server, tmp_path: Path) -> None:
    slow = {name: lambda request, count: Answer("Answer: A", seconds=0.2)
            for name in ("good", "other")}  # fmt: skip
    server.behaviours |= slow
    process = subprocess.Popen(
        command(tmp_path, "--systems", "vote:9", "-M", "concurrency=1"),
        cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while asked(server) < 12 and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    recorded = (tmp_path / "logs/calls.jsonl").read_bytes().count(b"\n")
    assert recorded >= 12 - QUESTIONS, "only what was in flight is lost"
    before = asked(server)
    done = run("--systems", "vote:9", "-M", "concurrency=1")
    assert done.returncode == 0, done.stderr
    assert asked(server) - before == QUESTIONS * 9 - recorded, "every recorded call is replayed"


def test_equal_cost_buys_as_many_votes_as_the_conductor_costs(run: Run, server: Server) -> None:
    done = run("--systems", "conductor,vote:2", "--equal-cost", "-M", "policy=moa:2")
    assert done.returncode == 0, done.stderr
    systems = [line.split()[0] for line in done.stdout.splitlines()[1:]]
    # moa:2 over two workers: 2 + 2 calls, then good: 3 × $1 + 2 × $2 a token
    assert systems == ["conductor", "single", "vote-7"]


def test_rounds_are_systems_that_share_their_first_rounds(run: Run, server: Server) -> None:
    done = run("--systems", "conductor,vote:1", "--rounds", "0..2")
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines()[1:]]
    assert [row[0] for row in rows] == ["conductor-r0", "conductor-r1", "conductor-r2", "vote-1"]
    assert [row[-1] for row in rows] == ["2.0", "3.0", "4.0", "1.0"], "calls a question"
    assert asked(server) <= QUESTIONS * (4 + 1), "each further round is paid for once"


def test_another_configuration_never_mixes_into_a_folder(run: Run) -> None:
    assert run("--systems", "single").returncode == 0
    other = run("--systems", "single", "-M", "seed=5")
    assert other.returncode == 1
    assert "holds logs of another configuration of 'single'" in other.stderr
    assert "Traceback" not in other.stderr


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("--systems", "votee"), "unknown policy 'votee'; did you mean 'vote'?"),
        (("--systems", ","), "--systems names none"),
        (("--systems", "vote,vote"), "--systems names vote twice"),
        (("--systems", "single:nobody"), "unknown worker 'nobody'"),
        (("--rounds", "many"), "--rounds 'many': a number"),
        (("-M", "seed"), "-M 'seed': is written KEY=VALUE"),
        (("--task", "gqpa"), "--task 'gqpa': no such task"),
    ],
)
def test_mistakes_are_one_line(run: Run, arguments: tuple[str, ...], error: str) -> None:
    done = run(*arguments)
    assert done.returncode == 1
    assert error in done.stderr
    assert done.stderr.strip().count("\n") == 0


def test_single_workers_make_a_table_that_policies_learn_from(
    run: Run, server: Server, tmp_path: Path
) -> None:
    server.behaviours["good"] = lambda request, count: Answer("Answer: A" if count % 2 else "none")
    assert run("--systems", "each").returncode == 0
    table = tmp_path / "table.jsonl"
    conductor = str(Path(sys.executable).with_name("conductor"))
    made = subprocess.run(
        [conductor, "table", str(tmp_path / "logs"), "--out", str(table)],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    rows = read_ledger(table)
    assert len(rows) == QUESTIONS
    assert all(set(row["scores"]) == {"good", "other"} == set(row["cost"]) for row in rows)
    done = run("--systems", f"oracle:{table},router:{table}", "--log-dir", str(tmp_path / "learnt"))
    assert done.returncode == 0, done.stderr
    best = sum(max(row["scores"].values()) for row in rows) / len(rows)
    oracle = next(line for line in done.stdout.splitlines() if line.startswith("oracle"))
    assert float(oracle.split()[3]) == pytest.approx(100 * best, abs=0.06)


def test_a_suite_runs_its_tasks_under_one_budget_and_ends_in_its_report(
    server: Server, tmp_path: Path
) -> None:
    (tmp_path / "conductor.yaml").write_text(POOL)
    arguments = [
        str(Path(sys.executable).with_name("harness")), "suite", "quick", "--data", "sample",
        "--limit", "2", "--settings", str(tmp_path / "conductor.yaml"),
        "--log-dir", str(tmp_path / "logs"), "--display", "none", "--baseline", "single",
    ]  # fmt: skip

    def go(*more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*arguments, *more], cwd=ROOT, capture_output=True, text=True, timeout=200, check=False
        )

    stopped = go("--calls", "5")
    assert stopped.returncode == 3, stopped.stderr
    assert asked(server) == 5
    done = go("--calls", "1000")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "logs/report/index.html").read_text()
    assert all(task in page for task in ("gpqa", "math500", "gsm8k"))
    made = asked(server)
    assert go("--calls", "1000").returncode == 0
    assert asked(server) == made, "nothing is paid for twice"
