"""What comes of a request: an outcome or an error, on the right account, in a bounded number."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from conductor.call import Reply
from conductor.plan import Plan, Step
from conductor.serve.access import AccessLog, Note
from conductor.serve.completion import finish_reason, usage
from conductor.serve.errors import no_answer, without_secrets
from conductor.trace import Outcome, Planning, Round, StepTrace, Trace


def outcome_of(*replies: Reply, policy: tuple[Reply, ...] = ()) -> Outcome:
    plan = Plan(tuple(Step(0, "solve") for _ in replies))
    steps = tuple(
        StepTrace(n, "a", "m", "solve", (), (), reply, 0.0) for n, reply in enumerate(replies)
    )
    fault = next((reply.fault for reply in replies if reply.fault), None)
    trace = Trace(plan, steps, len(steps) - 1 if steps else None, fault)
    return Outcome(trace.answer, (Round(Planning(plan, policy), trace),), fault=fault)


@pytest.mark.parametrize(
    ("reply", "status", "code"),
    [
        (Reply("", "m", stop_reason="error", fault="x"), 502, "worker_failed"),
        (Reply("", "m", stop_reason="skipped", fault="x", calls=0), 503, "worker_unavailable"),
    ],
)  # fmt: skip
def test_a_fault_is_a_502_or_503(reply: Reply, status: int, code: str) -> None:
    plan = Plan((Step(0, "solve"),))
    prompt = ("was sent",)
    step = StepTrace(0, "a", "m", "solve", (), prompt, reply, 0.0)  # type: ignore[arg-type]
    trace = Trace(plan, (step,), None, reply.fault)
    error = no_answer(Outcome("", (Round(Planning(plan), trace),), fault=reply.fault), 30)
    assert (error.status, error.code) == (status, code)


@pytest.mark.parametrize(
    ("stop_reason", "said"),
    [
        ("stop", "stop"), ("max_tokens", "length"), ("model_length", "length"),
        ("content_filter", "content_filter"), ("unknown", "stop"),
    ],
)  # fmt: skip
def test_how_the_answering_step_ended_is_told(stop_reason: str, said: str) -> None:
    assert finish_reason(outcome_of(Reply("x", "m", stop_reason=stop_reason))) == said


def test_secrets_of_the_environment_are_named_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", {"LAB_API_KEY": "sk-12345", "SHORT_KEY": "a", "HOME": "/x"})
    assert without_secrets("no sk-12345 in /x a") == "no $LAB_API_KEY in /x a"


def test_an_unknown_cost_is_null_and_not_a_part_of_a_sum() -> None:
    prompt = ("was sent",)
    plan = Plan((Step(0, "solve"), Step(0, "check")))
    replies = (Reply("x", "m", 1, 2, cost=0.5), Reply("y", "m", 3, 4))
    steps = tuple(
        StepTrace(n, "a", "m", "", (), prompt, reply, 0.0)  # type: ignore[arg-type]
        for n, reply in enumerate(replies)
    )
    found = usage(Outcome("y", (Round(Planning(plan), Trace(plan, steps, 1, None)),)))
    assert (found["prompt_tokens"], found["completion_tokens"], found["total_tokens"]) == (4, 6, 10)
    assert found["orchestration"]["earlier_steps"]["cost"] == 0.5
    assert found["orchestration"]["answer"]["cost"] is None


@dataclass
class Sent:
    """An ASGI `send`."""

    messages: list[Mapping[str, object]] = field(default_factory=list)
    blocked: bool = False

    async def __call__(self, message: Mapping[str, object]) -> None:
        if self.blocked:
            await asyncio.Event().wait()
        self.messages.append(message)


SCOPE = {"type": "http", "method": "GET", "path": "/a b\n", "client": ("1.2.3.4", 5)}


def test_an_unexpected_error_is_a_500_that_tells_no_content(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def broken(scope: object, receive: object, send: object) -> None:
        raise ValueError("the question was: secret")

    sent = Sent()
    with caplog.at_level("INFO", "conductor.serve"):
        asyncio.run(AccessLog(broken, 5)(dict(SCOPE), None, sent))  # type: ignore[arg-type]
    assert sent.messages[0]["status"] == 500
    assert "unexpected ValueError" in caplog.text
    assert "test_service.py" in caplog.text
    assert "secret" not in caplog.text + str(sent.messages)


def test_a_client_that_reads_too_slowly_is_left(caplog: pytest.LogCaptureFixture) -> None:
    async def endless(scope: object, receive: object, send: Sent) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        send_blocked = {"type": "http.response.body", "body": b"x", "more_body": True}
        sent.blocked = True
        await send(send_blocked)

    sent = Sent()
    with caplog.at_level("INFO", "conductor.serve"):
        asyncio.run(AccessLog(endless, 0.05)(dict(SCOPE), None, sent))  # type: ignore[arg-type]
    assert "1.2.3.4 - GET /a%20b%0A 200(cut off)" in caplog.text


def test_the_log_says_when_a_cost_is_not_known() -> None:
    note = Note()
    note.count(outcome_of(Reply("x", "m"), policy=(Reply("plan", "m", 1, 2),)))
    assert note.spent == " calls=1 in=1 out=2 cost=?"
