"""The executor: order by events (never by the clock), faults, deadlines, cancellation."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductor import CallKey, Message, Plan, PlanError, Reply, Settings, Step, Trace, Worker
from conductor import run_plan as run_plan_anywhere
from tests.conductor.fakes import Answer, FakeCall, fault, pool_of

KEY = CallKey("p1", epoch=2, rollout=3)
POOL = pool_of("a", "b", "c")


def step(*access: int, worker: int = 0, subtask: str = "do it") -> Step:
    return Step(worker, subtask, access)


def run(*steps: Step, answer: Answer | str = "fine", settings: Settings | None = None) -> Trace:
    call = FakeCall(answer)
    return asyncio.run(
        run_plan_anywhere(Plan(steps), "question", POOL, call=call, key=KEY, settings=settings)
    )


class Gate:
    """A `Call` in which every step waits until the test lets it go."""

    def __init__(self, count: int) -> None:
        self.begun = [asyncio.Event() for _ in range(count)]
        self.go = [asyncio.Event() for _ in range(count)]
        self.ended: list[int] = []
        self.cancelled: list[int] = []

    async def __call__(self, worker: Worker, messages: Sequence[Message], key: CallKey) -> Reply:
        self.begun[key.step].set()
        try:
            await self.go[key.step].wait()
        except asyncio.CancelledError:
            self.cancelled.append(key.step)
            raise
        self.ended.append(key.step)
        return Reply(f"answer {key.step}", worker.model)

    async def running(self) -> set[int]:
        """The steps that run once everything that can begin has begun."""
        for _ in range(20 * len(self.begun)):
            await asyncio.sleep(0)
        begun = {number for number, event in enumerate(self.begun) if event.is_set()}
        return begun - set(self.ended)


def start(gate: Gate, *steps: Step, **settings: int) -> asyncio.Task[Trace]:
    return asyncio.ensure_future(
        run_plan_anywhere(
            Plan(steps), "question", POOL, call=gate, key=KEY,
            settings=Settings(concurrency=settings.get("concurrency", 16)),
        )
    )  # fmt: skip


def test_independent_steps_run_at_once_and_dependent_ones_wait() -> None:
    async def scenario() -> None:
        gate = Gate(3)
        plan = start(gate, step(), step(), step(0, 1))
        assert await gate.running() == {0, 1}
        gate.go[0].set()
        assert await gate.running() == {1}, "step 2 reads step 1 as well"
        gate.go[1].set()
        assert await gate.running() == {2}
        gate.go[2].set()
        assert (await plan).answer == "answer 2"

    asyncio.run(scenario())


def test_a_step_starts_when_what_it_reads_is_there_not_when_a_level_is_done() -> None:
    async def scenario() -> None:
        gate = Gate(4)
        plan = start(gate, step(), step(), step(0), step(1, 2))
        assert await gate.running() == {0, 1}
        gate.go[0].set()
        assert await gate.running() == {1, 2}, "step 2 does not wait for its neighbour 1"
        for event in gate.go:
            event.set()
        assert (await plan).answered_by == 3

    asyncio.run(scenario())


def test_no_more_steps_run_at_once_than_the_bound_allows() -> None:
    async def scenario() -> None:
        gate = Gate(4)
        plan = start(gate, step(), step(), step(), step(0, 1, 2), concurrency=2)
        assert await gate.running() == {0, 1}
        gate.go[1].set()
        assert await gate.running() == {0, 2}
        for event in gate.go:
            event.set()
        assert len((await plan).steps) == 4

    asyncio.run(scenario())


def test_waiting_steps_hold_no_place() -> None:
    """With one place, a step that waits for another must not occupy it."""
    trace = run(step(), step(0), step(1), settings=Settings(concurrency=1))
    assert trace.answered_by == 2


def test_cancelling_a_plan_cancels_its_calls() -> None:
    async def scenario() -> None:
        gate = Gate(3)
        plan = start(gate, step(), step(), step(0, 1))
        assert await gate.running() == {0, 1}
        plan.cancel()
        with pytest.raises(asyncio.CancelledError):
            await plan
        assert sorted(gate.cancelled) == [0, 1]
        assert not gate.begun[2].is_set()
        assert len(asyncio.all_tasks()) == 1, "only the test itself is left"

    asyncio.run(scenario())


class Limit(Exception):
    """A limit of the sample, as Inspect raises it inside a call."""


@pytest.mark.parametrize("error", [Limit("tokens"), TimeoutError("the call's own")])
def test_what_a_call_raises_ends_the_plan_unwrapped_and_cancels_the_rest(error: Exception) -> None:
    async def scenario() -> None:
        gate = Gate(2)

        async def call(worker: Worker, messages: Sequence[Message], key: CallKey) -> Reply:
            if key.step == 1:
                raise error
            return await gate(worker, messages, key)

        with pytest.raises(type(error), match=str(error)):
            await run_plan_anywhere(Plan((step(), step())), "q", POOL, call=call, key=KEY)
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(scenario())


def test_a_step_not_done_at_the_deadline_is_a_fault_and_its_call_is_cancelled() -> None:
    async def scenario() -> None:
        gate = Gate(3)
        gate.go[0].set()
        trace = await run_plan_anywhere(
            Plan((step(), step(0), step(1))), "q", POOL, call=gate, key=KEY,
            settings=Settings(deadline=0.05),
        )  # fmt: skip
        assert trace.fault == "step 1 (a): not done at the plan's deadline of 0.05 s"
        assert [bool(s.reply.fault) for s in trace.steps] == [False, True, True]
        assert trace.steps[1].prompt, "it was sent, and may have cost something"
        assert trace.steps[2].prompt == ()
        assert gate.cancelled == [1]

    asyncio.run(scenario())


def test_each_call_is_a_draw_of_its_own() -> None:
    call = FakeCall()
    asyncio.run(run_plan_anywhere(Plan((step(), step(0))), "q", POOL, call=call, key=KEY))
    assert call.keys == [CallKey("p1", 2, 0, 0, 0, 3), CallKey("p1", 2, 0, 1, 0, 3)]


def test_a_trace_records_what_each_step_did() -> None:
    reply = Reply("hello", "fake/b-2026", 11, 7, 0.25, 1.5, retries=2, stop_reason="max_tokens")
    trace = run(step(), step(0, worker=1, subtask="check"), answer=lambda w, m, k: reply)
    last = trace.steps[1]
    assert (last.number, last.worker, last.model) == (1, "b", "fake/b")
    assert (last.subtask, last.access, last.reply) == ("check", (0,), reply)
    assert last.prompt[0].role == "user"
    assert "hello" in last.prompt[0].text
    assert last.start >= trace.steps[0].start >= 0


def by_step(*answers: str | Reply) -> Answer:
    return lambda worker, messages, key: answers[key.step]


def test_the_answer_is_the_last_response_that_is_not_empty() -> None:
    trace = run(step(), step(0), step(0, 1), answer=by_step("one", "two", " \n"))
    assert (trace.answer, trace.answered_by, trace.fault) == ("two", 1, None)


def test_only_silence_gives_an_empty_answer_and_no_fault() -> None:
    trace = run(step(), step(0), answer="")
    assert (trace.answer, trace.answered_by, trace.fault) == ("", None, None)


def test_a_fault_skips_the_steps_that_read_it_and_names_the_first_cause() -> None:
    trace = run(step(), step(0, worker=1), step(1), answer=by_step(fault("429"), "x", "x"))
    assert trace.fault == "step 0 (a): 429"
    assert trace.steps[1].reply.fault == "step 0, which it reads, failed"
    assert trace.steps[1].prompt == ()
    assert trace.answer == ""


def test_a_fault_that_the_answer_does_not_stand_on_is_recorded_but_does_not_count() -> None:
    trace = run(step(), step(), step(1), answer=by_step(fault(), "work", "answer"))
    assert (trace.answer, trace.fault) == ("answer", None)
    assert trace.steps[0].reply.fault == "provider down"


def test_a_fault_of_the_last_step_counts_though_an_earlier_one_answered() -> None:
    trace = run(step(), step(0), answer=by_step("draft", fault("down")))
    assert trace.answered_by == 0
    assert trace.fault == "step 1 (a): down"


def test_a_worker_that_the_pool_lacks_is_refused_before_any_call() -> None:
    call, plan = FakeCall(), Plan((step(), step(0, worker=3)))
    with pytest.raises(PlanError, match="step 1: there is no worker 3; the pool has 3"):
        asyncio.run(run_plan_anywhere(plan, "q", POOL, call=call, key=KEY))
    assert call.asked == []


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    count = draw(st.integers(1, 7))
    return Plan(
        tuple(
            step(*sorted(draw(st.sets(st.integers(0, n - 1))) if n else ()), worker=n % 3)
            for n in range(count)
        )
    )


@given(plans(), st.sets(st.integers(0, 6)), st.integers(1, 3))
def test_every_step_sees_its_access_and_a_fault_stops_exactly_what_stands_on_it(
    plan: Plan, failing: set[int], concurrency: int
) -> None:
    def answer(worker: Worker, messages: Sequence[Message], key: CallKey) -> str | Reply:
        for seen in range(len(plan.steps)):
            shown = f"answer-{seen}." in messages[0].text
            assert shown is (seen in plan.steps[key.step].access)
        return fault() if key.step in failing else f"answer-{key.step}."

    trace = run(*plan.steps, answer=answer, settings=Settings(concurrency=concurrency))
    broken: set[int] = set()
    for number, planned in enumerate(plan.steps):
        if number in failing or broken & set(planned.access):
            broken.add(number)
    assert {s.number for s in trace.steps if s.reply.fault} == broken
    assert (len(plan.steps) - 1 in broken) <= (trace.fault is not None)
    if not broken:
        assert trace.answer == f"answer-{len(plan.steps) - 1}."


def test_a_thousand_plans_in_flight_all_come_home() -> None:
    async def scenario() -> list[Trace]:
        call = FakeCall(lambda worker, messages, key: f"{key.problem}/{key.step}")
        plan = Plan((step(), step(), step(0, 1), step(2), step(0, 3)))
        return await asyncio.gather(
            *(
                run_plan_anywhere(plan, "q", POOL, call=call, key=CallKey(str(n)))
                for n in range(1000)
            )
        )

    assert [trace.answer for trace in asyncio.run(scenario())] == [f"{n}/4" for n in range(1000)]
