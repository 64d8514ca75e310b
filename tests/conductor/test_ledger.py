"""Money: every call is charged once, and a spent budget stops calls, not what is in flight."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
from pathlib import Path
from typing import Any

import pytest

from conductor import CallKey, Message, Reply, Worker
from conductor.appended import append_line
from conductor.breaker import Breaker, Breaking
from conductor.ledger import STOPPED, Budget, Ledger, read_ledger
from conductor.recording import Recorder, Recording
from tests.conductor.fakes import FakeCall, fault

WORKER = Worker("a", "x/a")
ASK = [Message("user", "q")]


def priced(cost: float | None = 0.5, **fields: Any) -> FakeCall:
    return FakeCall(lambda w, m, k: Reply("ok", "x/a-2026", 10, 5, cost=cost, **fields))


def ask(ledger: Ledger, call: FakeCall, times: int = 1) -> list[Reply]:
    metered = ledger.around(call)

    async def run() -> list[Reply]:
        return [await metered(WORKER, ASK, CallKey("p", step=n)) for n in range(times)]

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("budget", "made", "reason"),
    [
        (Budget(dollars=1.0), 2, "the budget of 1 US dollars is spent"),
        (Budget(tokens=40), 3, "the budget of 40 tokens is spent"),
        (Budget(calls=4), 4, "the budget of 4 calls is spent"),
        (Budget(calls=0), 0, "the budget of 0 calls is spent"),
        (Budget(), 6, None),
    ],
)
def test_a_spent_budget_stops_calls(budget: Budget, made: int, reason: str | None) -> None:
    call = priced()
    replies = ask(Ledger(budget), call, 6)
    assert len(call.asked) == made
    assert [reply.fault for reply in replies] == [None] * made + [reason] * (6 - made)
    assert all(reply.stop_reason == STOPPED for reply in replies[made:])


def test_calls_in_flight_finish_and_are_counted_exactly() -> None:
    async def run() -> tuple[int, int]:
        release, made = asyncio.Event(), 0

        async def slow(worker: Worker, messages: Any, key: CallKey) -> Reply:
            nonlocal made
            made += 1
            await release.wait()
            return Reply("ok", "x/a", 1, 1)

        metered = Ledger(Budget(calls=3)).around(slow)
        tasks = [
            asyncio.ensure_future(metered(WORKER, ASK, CallKey("p", step=n))) for n in range(8)
        ]
        await asyncio.sleep(0)
        release.set()
        replies = await asyncio.gather(*tasks)
        return made, sum(reply.fault is None for reply in replies)

    assert asyncio.run(run()) == (3, 3)


def test_the_file_holds_a_line_a_call_and_outlives_the_process(tmp_path: Path) -> None:
    path = tmp_path / "spent.jsonl"
    ask(Ledger(Budget(dollars=2.0, ledger=str(path))), priced(), 3)
    (first, *_) = read_ledger(path)
    assert (first["problem"], first["step"], first["worker"]) == ("p", 0, "a")
    assert (first["model"], first["cost"], first["input_tokens"]) == ("x/a-2026", 0.5, 10)
    call = priced()
    replies = ask(Ledger(Budget(dollars=2.0, ledger=str(path))), call, 3)
    assert len(call.asked) == 1, "a run started again goes on where it was"
    assert replies[-1].fault


def test_runs_that_share_a_ledger_share_the_budget(tmp_path: Path) -> None:
    budget = Budget(calls=4, ledger=str(tmp_path / "spent.jsonl"))
    one, other = Ledger(budget), Ledger(budget)
    first, second = priced(), priced()
    ask(one, first, 3)
    ask(other, second, 3)
    assert (len(first.asked), len(second.asked)) == (3, 1)


def test_a_fault_costs_what_the_provider_says_and_nothing_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "spent.jsonl"
    ask(Ledger(Budget(ledger=str(path))), FakeCall(lambda w, m, k: fault()))
    assert read_ledger(path)[0]["cost"] == 0.0
    ledger = Ledger(Budget())
    ask(ledger, priced(None), 2)
    assert (ledger.spent.dollars, ledger.spent.unpriced) == (0.0, 2)


def test_a_line_torn_by_a_crash_is_closed_and_left_out(tmp_path: Path) -> None:
    path = tmp_path / "spent.jsonl"
    append_line(path, {"calls": 1})
    with path.open("ab") as file:
        file.write(b'{"calls": 1, "wor')
    ledger = Ledger(Budget(calls=3, ledger=str(path)))
    assert ledger.exhausted() is None
    assert ledger.spent.calls == 1
    append_line(path, {"calls": 2})
    assert ledger.exhausted()
    assert [entry["calls"] for entry in read_ledger(path)] == [1, 2]


def _append_many(path: Path) -> None:
    for _ in range(200):
        append_line(path, {"text": "x" * 5000, "calls": 1})


def test_many_processes_append_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "spent.jsonl"
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_append_many, args=(path,)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    lines = path.read_text().splitlines()
    assert len(lines) == 600
    assert all(json.loads(line)["calls"] == 1 for line in lines)


def test_a_replayed_call_is_not_charged(tmp_path: Path) -> None:
    ledger = Ledger(Budget(calls=10))
    recorder = Recorder(Recording(str(tmp_path / "calls.jsonl")))
    call = priced()
    chain = recorder.around(ledger.around(call))
    for _ in range(3):
        assert asyncio.run(chain(WORKER, ASK, CallKey("p"))).text == "ok"
    assert (len(call.asked), ledger.spent.calls) == (1, 1)


def test_a_breaker_leaves_a_dead_worker_alone_then_tries_once_then_closes() -> None:
    now = [0.0]
    breaker = Breaker(Breaking(failures=2, seconds=30), lambda: now[0])
    dead = [True]
    call = FakeCall(lambda w, m, k: fault() if dead[0] else "ok")
    guarded = breaker.around(call)

    def ask_once() -> Reply:
        return asyncio.run(guarded(WORKER, ASK, CallKey("p")))

    for _ in range(5):
        reply = ask_once()
    assert len(call.asked) == 2
    assert (reply.calls, reply.fault) == (0, "a failed 2 times in a row; it is left alone")
    now[0] = 31
    ask_once()
    ask_once()
    assert len(call.asked) == 3, "one trial, then left alone again"
    now[0], dead[0] = 62, False
    assert [ask_once().text for _ in range(3)] == ["ok"] * 3


def test_a_breaker_is_a_workers_own_and_success_forgets_failures() -> None:
    flaky = iter([True, False] * 10)
    call = FakeCall(lambda w, m, k: fault() if w.name == "a" and next(flaky) else "ok")
    guarded = Breaker(Breaking(failures=2)).around(call)
    for _ in range(6):
        asyncio.run(guarded(WORKER, ASK, CallKey("p")))
        asyncio.run(guarded(Worker("b", "x/b"), ASK, CallKey("p")))
    assert len(call.asked) == 12


def test_no_failures_is_no_breaker() -> None:
    call = FakeCall()
    assert Breaker(Breaking(failures=0)).around(call) is call
