"""A provider that misbehaves in every way we know: what is retried, a fault, an answer."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from inspect_ai.model import GenerateConfig

from conductor import CallKey, Message, Outcome, Plan, Pool, Reply, Settings, Step, Worker, conduct
from conductor.assemble import Link
from conductor.breaker import Breaking
from conductor.inspect_call import InspectCall
from conductor.plan import Keep
from conductor.policies.base import Baseline, Context
from conductor.team import Team
from conductor.trace import Planning
from tests.e2e.openai_server import Answer, Server

ASK = [Message("user", "q?")]
SLOW = 5.0  # seconds that a hanging server takes: longer than any timeout below


def worker(name: str, **fields: Any) -> Worker:
    return Worker(name, f"openai-api/loop/{name}", **{"backoff": 0.01, "timeout": 1.0, **fields})


def ask(asked: Worker, messages: list[Message] = ASK) -> Reply:
    async def run() -> Reply:
        team = Team(InspectCall(GenerateConfig()), Pool("t", (asked,)), [0])
        return await team(asked, messages, CallKey("p"))

    return asyncio.run(run())


def body(text: str | None, finish: str = "stop") -> bytes:
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "finish_reason": finish, "message": message}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    return json.dumps(
        {"id": "x", "object": "chat.completion", "created": 0, "model": "m",
         "choices": [choice], "usage": usage}
    ).encode()  # fmt: skip


def first(count: int, bad: Answer, then: str = "Answer: B") -> Callable[[Any, int], Answer]:
    return lambda request, asked: bad if asked < count else Answer(then)


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("busy", Answer(status=429, headers={"Retry-After": "0"})),
        ("broken", Answer(status=500)),
        ("gateway", Answer(status=502, raw=b"<html>Bad gateway</html>")),
        ("overloaded", Answer(status=529)),
        ("hanging", Answer(seconds=SLOW)),
    ],
)
def test_passing_trouble_is_retried_and_counted(server: Server, name: str, bad: Answer) -> None:
    server.behaviours[name] = first(1, bad)
    reply = ask(worker(name, max_retries=3))
    assert (reply.text, reply.fault) == ("Answer: B", None)
    assert reply.retries >= 1


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("always-busy", Answer(status=429, headers={"Retry-After": "0"})),
        ("always-broken", Answer(status=500)),
        ("always-hanging", Answer(seconds=SLOW)),
        ("no-key", Answer(status=401)),
        ("not-found", Answer(status=404)),
        ("bad-request", Answer(status=400)),
        ("no-json", Answer(raw=b"certainly! here is your answer")),
        ("half-json", Answer(raw=b'{"id": "x", "choices": [')),
        ("empty-body", Answer(raw=b"")),
        ("no-choices", Answer(raw=b'{"id": "x", "choices": [], "model": "m"}')),
    ],
)
def test_trouble_that_stays_is_a_fault_and_no_answer(
    server: Server, name: str, bad: Answer
) -> None:
    server.behaviours[name] = lambda request, asked: bad
    reply = ask(worker(name, max_retries=1, timeout=0.5))
    assert reply.text == ""
    assert reply.fault
    assert "\n" not in reply.fault
    assert "test-key" not in reply.fault


def test_a_key_that_is_refused_is_not_tried_again(server: Server) -> None:
    server.behaviours["refused"] = lambda request, asked: Answer(status=401)
    ask(worker("refused", max_retries=5))
    assert len(server.requests) == 1


def test_retry_after_is_waited_for(server: Server) -> None:
    server.behaviours["later"] = first(1, Answer(status=503, headers={"Retry-After": "1.2"}))
    begin = time.monotonic()
    reply = ask(worker("later", timeout=20, max_retries=2))
    assert reply.text == "Answer: B"
    assert time.monotonic() - begin >= 1.2


def test_a_provider_that_asks_for_an_hour_is_down(server: Server) -> None:
    server.behaviours["tomorrow"] = lambda request, asked: Answer(
        status=429, headers={"Retry-After": "3600"}
    )
    begin = time.monotonic()
    reply = ask(worker("tomorrow", timeout=20, max_retries=2))
    assert reply.fault
    assert time.monotonic() - begin < 60


def test_an_empty_answer_gets_one_more_draw_and_both_are_paid_for(server: Server) -> None:
    server.behaviours["empty"] = first(1, Answer(raw=body("")))
    reply = ask(worker("empty"))
    assert (reply.text, reply.calls, reply.input_tokens) == ("Answer: B", 2, 20)


def test_an_answer_that_stays_empty_is_the_workers_own(server: Server) -> None:
    server.behaviours["void"] = lambda request, asked: Answer(raw=body(""))
    reply = ask(worker("void"))
    assert (reply.text, reply.fault, reply.calls, len(server.requests)) == ("", None, 2, 2)


@pytest.mark.parametrize(("finish", "reason"), [("length", "max_tokens"), ("content_filter",) * 2])
def test_cut_off_and_withheld_answers_say_so_and_are_no_fault(
    server: Server, finish: str, reason: str
) -> None:
    server.behaviours[finish] = lambda request, asked: Answer(raw=body("so far", finish))
    reply = ask(worker(finish))
    assert (reply.text, reply.stop_reason, reply.fault) == ("so far", reason, None)
    server.behaviours[finish] = lambda request, asked: Answer(raw=body("", finish))
    reply = ask(worker(finish))
    assert (reply.text, reply.stop_reason, reply.fault, reply.calls) == ("", reason, None, 1)


REFUSALS = [
    "This model does not support assistant message prefill. "
    "The conversation must end with a user message.",
    "last message must have role user",
    "final assistant content cannot be prefilled",
]


@pytest.mark.parametrize("message", REFUSALS)
def test_a_refused_prefill_is_left_off_and_not_tried_again(server: Server, message: str) -> None:
    name = f"strict-{REFUSALS.index(message)}"

    def strict(request: dict[str, Any], asked: int) -> Answer:
        if request["messages"][-1]["role"] == "assistant":
            error = {"error": {"message": message, "type": "invalid_request_error"}}
            return Answer(status=400, raw=json.dumps(error).encode())
        return Answer("Answer: C")

    server.behaviours[name] = strict
    prefilled = [*ASK, Message("assistant", "Let me solve this step by step.")]

    async def twice() -> list[Reply]:
        call = InspectCall(GenerateConfig())
        asked = worker(name, max_retries=0)
        return [await call(asked, prefilled, CallKey("p", step=n)) for n in range(2)]

    replies = asyncio.run(twice())
    assert [(reply.text, reply.fault) for reply in replies] == [("Answer: C", None)] * 2
    assert len(server.requests) == 3, "refused once, for all"


class Fixed(Baseline):
    """Plans what the test says."""

    description = "fixed"

    def __init__(self, *steps: Step) -> None:
        self.steps = steps

    async def plan(self, question: str, history: Any, context: Context) -> Planning:
        return Planning(Keep() if history else Plan(self.steps))


def answer(
    pool: Pool, *steps: Step, questions: int = 1, link: Link | None = None, **settings: Any
) -> list[Outcome]:
    made = Settings(**settings)
    chain = (link or Link(made)).call(GenerateConfig())

    async def run() -> list[Outcome]:
        return [
            await conduct("q?", Fixed(*steps), pool, made, call=chain, key=CallKey(f"p{n}"))
            for n in range(questions)
        ]

    return asyncio.run(run())


def test_a_fallback_answers_for_a_dead_worker(server: Server) -> None:
    server.behaviours["dead"] = lambda request, asked: Answer(status=500)
    pool = Pool("t", (worker("dead", max_retries=0, fallback=("alive",)), worker("alive")))
    (outcome,) = answer(pool, Step(0, "Solve."))
    assert (outcome.answer, outcome.fault) == ("Answer: A", None)
    assert outcome.trace
    assert outcome.trace.steps[0].worker == "alive", "the trace says who answered"


def test_a_dead_worker_is_left_alone_after_a_few_failures(server: Server) -> None:
    server.behaviours["gone"] = lambda request, asked: Answer(status=400)
    pool = Pool("t", (worker("gone", max_retries=0),))
    outcomes = answer(pool, Step(0, "x"), questions=8, breaker=Breaking(failures=3, seconds=60))
    assert len(server.requests) == 3
    assert all(outcome.fault for outcome in outcomes)
    assert "left alone" in str(outcomes[-1].fault)


def test_a_plans_deadline_ends_a_hanging_step_and_keeps_its_own_cause(server: Server) -> None:
    server.behaviours["stuck"] = lambda request, asked: Answer(seconds=SLOW)
    pool = Pool("t", (worker("stuck", timeout=60), worker("quick")))
    begin = time.monotonic()
    (outcome,) = answer(pool, Step(1, "a"), Step(0, "b"), deadline=0.7)
    assert time.monotonic() - begin < SLOW
    assert "deadline of 0.7 s" in str(outcome.fault)
    assert outcome.trace
    assert outcome.trace.steps[0].reply.text == "Answer: A", "what was done is kept"


def test_a_workers_fault_takes_down_only_what_depends_on_it(server: Server) -> None:
    server.behaviours["dead"] = lambda request, asked: Answer(status=500)
    pool = Pool("t", (worker("dead", max_retries=0), worker("alive")))
    (unused,) = answer(pool, Step(0, "aside"), Step(1, "answer"))
    assert (unused.answer, unused.fault) == ("Answer: A", None)
    (needed,) = answer(pool, Step(0, "first"), Step(1, "answer", (0,)))
    assert needed.fault
