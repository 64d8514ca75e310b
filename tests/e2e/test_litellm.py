"""`litellm/MODEL` as a worker, over a real server."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from inspect_ai.model import GenerateConfig

from conductor import CallKey, Message, Reply, Worker
from conductor.inspect_call import InspectCall
from conductor.pool import Generation, Price
from tests.e2e.openai_server import Answer, Server

pytest.importorskip("litellm", reason="litellm is not installed (extra `litellm`)")


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "test-key")


def ask(server: Server, model: str, **fields: Any) -> Reply:
    worker = Worker(
        "w", f"litellm/openai/{model}", base_url=server.url, backoff=0.01, timeout=10, **fields
    )
    messages = [Message("system", "Be brief."), Message("user", "q?")]
    call = InspectCall(GenerateConfig())
    return asyncio.run(call(worker, messages, CallKey("p")))


def test_a_question_goes_out_and_an_answer_comes_back(server: Server) -> None:
    generation = Generation(temperature=0.3, max_tokens=77)
    reply = ask(server, "lite", generation=generation, price=Price(1, 2))
    assert (reply.text, reply.fault, reply.input_tokens) == ("Answer: A", None, 10)
    assert reply.cost == pytest.approx((10 * 1 + 5 * 2) / 1e6)
    (request,) = server.requests
    assert request["_authorization"] == "Bearer test-key"
    assert (request["model"], request["temperature"]) == ("lite", 0.3)
    assert 77 in (request.get("max_tokens"), request.get("max_completion_tokens"))
    assert [message["role"] for message in request["messages"]] == ["system", "user"]


def test_passing_trouble_is_retried_by_us_alone(server: Server) -> None:
    server.behaviours["lite-busy"] = lambda request, asked: (
        Answer(status=429, headers={"Retry-After": "0"}) if asked == 0 else Answer("Answer: B")
    )
    reply = ask(server, "lite-busy", max_retries=2)
    assert (reply.text, reply.retries, len(server.requests)) == ("Answer: B", 1, 2)


@pytest.mark.parametrize("status", [400, 401, 404, 500])
def test_trouble_that_stays_is_a_fault_in_one_line(server: Server, status: int) -> None:
    server.behaviours[f"lite-{status}"] = lambda request, asked: Answer(status=status)
    reply = ask(server, f"lite-{status}", max_retries=1)
    assert reply.text == ""
    assert reply.fault
    assert "\n" not in reply.fault
    assert "test-key" not in reply.fault
    assert len(server.requests) == (2 if status == 500 else 1)
