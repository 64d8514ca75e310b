"""Recorded calls: replayed for exactly the same draw, shareable, never for another one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductor import CallKey, Message, Reply, Settings, Worker, conduct, make_policy
from conductor.pool import Generation
from conductor.recording import Recorder, Recording, address_of
from tests.conductor.fakes import FakeCall, fault, pool_of

WORKER = Worker("a", "x/a")
ASK = [Message("user", "q")]
KEY = CallKey("p")


def ask(recorder: Recorder, call: FakeCall, worker: Worker = WORKER, key: CallKey = KEY) -> Reply:
    return asyncio.run(recorder.around(call)(worker, ASK, key))


def test_the_same_draw_is_replayed_by_another_process_too(tmp_path: Path) -> None:
    path = str(tmp_path / "calls.jsonl")
    reply = Reply("schön \ud800", "x/a-2026", 10, 5, 0.25, 1.5, stop_reason="max_tokens")
    first = ask(Recorder(Recording(path)), FakeCall(lambda w, m, k: reply))
    call = FakeCall("another")
    assert ask(Recorder(Recording(path)), call) == first == reply
    assert call.asked == []


@pytest.mark.parametrize("name", [field.name for field in fields(CallKey)])
def test_every_part_of_the_key_names_another_draw(name: str) -> None:
    other = replace(KEY, **{name: "x" if name == "problem" else 7})
    assert address_of(WORKER, ASK, other) != address_of(WORKER, ASK, KEY)


@pytest.mark.parametrize(
    "other",
    [
        Worker("b", "x/a"), Worker("a", "x/b"), Worker("a", "x/a", args={"k": 1}),
        Worker("a", "x/a", generation=Generation(temperature=0.1)),
    ],
)  # fmt: skip
def test_another_worker_or_setting_is_another_call(other: Worker) -> None:
    assert address_of(other, ASK, KEY) != address_of(WORKER, ASK, KEY)


def test_the_address_of_the_server_is_not_part_of_it_so_that_a_file_can_be_shared() -> None:
    moved = replace(WORKER, base_url="http://elsewhere/v1", timeout=3, max_retries=9)
    assert address_of(moved, ASK, KEY) == address_of(WORKER, ASK, KEY)


@given(st.lists(st.text(), min_size=1, max_size=3), st.lists(st.text(), min_size=1, max_size=3))
def test_other_messages_have_another_address(one: list[str], other: list[str]) -> None:
    first, second = ([Message("user", text) for text in texts] for texts in (one, other))
    assert (address_of(WORKER, first, KEY) == address_of(WORKER, second, KEY)) == (one == other)


def test_faults_are_not_recorded(tmp_path: Path) -> None:
    path = str(tmp_path / "calls.jsonl")
    assert ask(Recorder(Recording(path)), FakeCall(lambda w, m, k: fault())).fault
    assert ask(Recorder(Recording(path)), FakeCall("fine now")).text == "fine now"


def test_a_miss_is_a_fault_and_no_call_where_that_is_chosen(tmp_path: Path) -> None:
    path = str(tmp_path / "calls.jsonl")
    call = FakeCall()
    reply = ask(Recorder(Recording(path, "error")), call)
    assert (call.asked, reply.calls) == ([], 0)
    assert "holds no reply of a" in str(reply.fault)


def test_a_torn_line_and_foreign_lines_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    ask(Recorder(Recording(str(path))), FakeCall("kept"))
    with path.open("ab") as file:
        file.write(b'[1]\n{"address": 3}\nnonsense\n{"address": "torn')
    recorder = Recorder(Recording(str(path)))
    assert ask(recorder, FakeCall("other")).text == "kept"
    ask(recorder, FakeCall("second"), key=CallKey("p2"))
    assert ask(Recorder(Recording(str(path))), FakeCall("x"), key=CallKey("p2")).text == "second"


def test_a_whole_run_is_repeated_without_a_call(tmp_path: Path) -> None:
    pool, settings = pool_of("a", "b", "c"), Settings(rounds=1)
    path = str(tmp_path / "calls.jsonl")

    def run(answer: FakeCall, miss: str) -> Sequence[Reply]:
        recorder = Recorder(Recording(path, miss))  # type: ignore[arg-type]
        outcome = asyncio.run(
            conduct("q", make_policy(settings, pool), pool, settings,
                    call=recorder.around(answer), key=KEY)
        )  # fmt: skip
        return outcome.replies

    live = FakeCall(lambda w, m, k: f"{w.name} {k.round} {k.step}")
    first = run(live, "live")
    again = FakeCall()
    assert run(again, "error") == first
    assert (len(live.asked), again.asked) == (3, [])
