"""Which step of which round is heard."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from conductor import CallKey, Message, Reply, Settings, Worker, conduct, make_policy
from conductor.policies import Policy
from conductor.serve.tap import Tap
from conductor.streaming import LISTENER
from conductor.trace import Outcome
from tests.conductor.fakes import pool_of

PLAN = 'model_id = [0, 1]\nsubtasks = ["solve", "check"]\naccess_list = [[], ["all"]]'


class Ear:
    """Writes down which calls were made while it was listening."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, int, int]] = []

    def restart(self) -> None: ...

    def text(self, fragment: str) -> None: ...

    async def call(self, worker: Worker, messages: Sequence[Message], key: CallKey) -> Reply:
        if LISTENER.get() is not None:
            assert LISTENER.get() is self
            self.heard.append((key.problem, key.round, key.step))
        return Reply(PLAN if key.step < 0 else "fine", worker.model)


def listen(settings: Settings) -> tuple[Ear, Outcome]:
    pool, ear = pool_of("a", "b"), Ear()
    tap: Policy = Tap(make_policy(settings, pool), settings, ear)
    assert isinstance(tap, Tap)
    outcome = asyncio.run(
        conduct("Why?", tap, pool, settings, call=tap.around(ear.call), key=CallKey("q"))
    )
    return ear, outcome


@pytest.mark.parametrize(
    ("settings", "heard"),
    [
        (Settings(policy="rule"), [("q", 0, 1)]),
        (Settings(policy="single:b"), [("q", 0, 0)]),
        (Settings(policy="fake/planner"), [("q", 0, 1)]),
        (Settings(policy="rule", rounds=2), [("q", 2, 0)]),  # earlier answers may still change
        (Settings(policy="reflect:3:a"), [("q", 0, 2)]),
        (Settings(policy="vote:3:a"), []),  # which of them it is, is known at the end
        (Settings(policy="best-of:2:a:b"), []),
    ],
    ids=lambda value: value.policy if isinstance(value, Settings) else "",
)
def test_the_step_that_becomes_the_answer_is_heard(
    settings: Settings, heard: list[tuple[str, int, int]]
) -> None:
    ear, outcome = listen(settings)
    assert outcome.fault is None
    assert ear.heard == heard


def test_inner_conductors_are_not_heard() -> None:
    ear, outcome = listen(Settings(policy="rule", depth=1))
    assert outcome.fault is None
    assert all(problem == "q" for problem, _, _ in ear.heard)


def test_a_plan_that_was_revised_is_heard_at_its_new_end() -> None:
    ear, outcome = listen(Settings(policy="fake/planner", replan=True, max_steps=4))
    assert outcome.trace is not None
    last = outcome.trace.steps[-1].number
    assert ear.heard[-1:] == [("q", 0, last)]


def test_nobody_listens_after_a_call() -> None:
    ear, _ = listen(replace(Settings(), policy="single:a"))
    assert ear.heard
    assert LISTENER.get() is None
