"""`conductor serve` with OpenAI's own client: what is asked, what is answered, what is refused."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest

from tests.e2e.openai_server import Answer, Server
from tests.e2e.serving import PATIENCE, Serving, serving

pytestmark = pytest.mark.slow
QUESTION = [{"role": "user", "content": "Which letter comes first?"}]
POOL = """
- {name: one, model: openai-api/loop/one, price: {input: 1, output: 2}, max_retries: 0}
- {name: two, model: openai-api/loop/two, price: {input: 1, output: 2}, max_retries: 0}
"""


@pytest.fixture(scope="module")
def running(loopback: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    folder = tmp_path_factory.mktemp("serve")
    (folder / "conductor.yaml").write_text("policy: reflect:2:one\npool: pool.yaml\n")
    (folder / "pool.yaml").write_text(POOL)
    with serving(folder, "--settings", "conductor.yaml") as found:
        yield found


def ask(client: openai.OpenAI, **more: Any) -> Any:
    return client.chat.completions.create(model="conductor", messages=QUESTION, **more)  # type: ignore[call-overload]


def test_an_answer_has_the_shape_and_the_sums_that_clients_expect(
    running: Serving, server: Server
) -> None:
    server.behaviours["one"] = lambda request, asked: Answer(f"answer {asked}")
    answer = ask(running.client())
    assert answer.choices[0].message.content == "answer 1"
    assert answer.choices[0].finish_reason == "stop"
    assert answer.model == "conductor"
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens) == (20, 10)
    assert answer.usage.total_tokens == 30
    assert not hasattr(answer, "conductor")


def test_usage_says_whose_tokens_they_are(running: Serving, server: Server) -> None:
    parts = ask(running.client()).usage.orchestration
    assert {name: parts[name]["calls"] for name in parts} == {
        "policy": 0,
        "earlier_steps": 1,
        "answer": 1,
    }
    assert parts["answer"]["cost"] == pytest.approx(10e-6 + 2 * 5e-6)


@pytest.mark.parametrize(
    "how",
    [{"extra_body": {"conductor": {"trace": True}}}, {"extra_headers": {"X-Conductor-Trace": "1"}}],
    ids=["body", "header"],
)
def test_the_steps_are_shown_to_who_asks(
    running: Serving, server: Server, how: dict[str, Any]
) -> None:
    server.behaviours["one"] = lambda request, asked: Answer(f"answer {asked}")
    shown = ask(running.client(), **how).conductor
    steps = shown["rounds"][0]["steps"]
    assert [(step["worker"], step["response"]) for step in steps] == [
        ("one", "answer 0"),
        ("one", "answer 1"),
    ]
    assert shown["answered_by"] == [0, 1]


def test_the_question_reaches_workers_as_it_was_asked(running: Serving, server: Server) -> None:
    ask(running.client())
    assert "Which letter comes first?" in server.requests[0]["messages"][-1]["content"]


def test_sampling_parameters_become_the_workers_defaults(running: Serving, server: Server) -> None:
    ask(running.client(), temperature=0.25, top_p=0.5, max_completion_tokens=77)
    sent = server.requests[0]
    assert (sent["temperature"], sent["top_p"], sent["max_tokens"]) == (0.25, 0.5, 77)


def test_a_stop_sequence_ends_the_answer_and_not_the_steps(
    running: Serving, server: Server
) -> None:
    server.behaviours["one"] = lambda request, asked: Answer("Answer: A\nQuestion: next")
    answer = ask(running.client(), stop=["Question:"])
    assert answer.choices[0].message.content == "Answer: A\n"
    assert "stop" not in server.requests[0]


def test_many_questions_at_once(running: Serving, server: Server) -> None:
    async def all_at_once() -> list[Any]:
        async with openai.AsyncOpenAI(base_url=running.url, api_key="unused") as client:
            return await asyncio.gather(
                *(
                    client.chat.completions.create(
                        model="default", messages=[{"role": "user", "content": f"question {n}"}]
                    )
                    for n in range(12)
                )
            )

    server.behaviours["one"] = lambda request, asked: Answer(request["messages"][-1]["content"])
    answers = [answer.choices[0].message.content for answer in asyncio.run(all_at_once())]
    assert all(f"question {n}" in (answer or "") for n, answer in enumerate(answers))


def test_models_are_listed_and_others_are_unknown(running: Serving) -> None:
    client = running.client()
    assert "conductor" in [model.id for model in client.models.list()]
    assert client.models.retrieve("conductor/default").id == "conductor/default"
    with pytest.raises(openai.NotFoundError, match="no model 'gpt-4o' here"):
        client.chat.completions.create(model="gpt-4o", messages=QUESTION)  # type: ignore[arg-type]
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("gpt-4o")


def test_what_cannot_be_done_is_refused_by_name(running: Serving, server: Server) -> None:
    with pytest.raises(openai.BadRequestError) as refused:
        ask(running.client(), n=2)
    assert refused.value.param == "n"
    assert "one request has one answer" in str(refused.value)
    assert not server.requests


def test_a_worker_that_fails_is_a_502_that_quotes_no_key(running: Serving, server: Server) -> None:
    def quoting(request: dict[str, Any], asked: int) -> Answer:
        message = f"unknown key: {request['_authorization']}"
        return Answer(status=401, raw=json.dumps({"error": {"message": message}}).encode())

    server.behaviours["one"] = quoting
    with pytest.raises(openai.InternalServerError) as failed:
        ask(running.client())
    assert failed.value.status_code == 502
    assert failed.value.code == "worker_failed"
    assert "step 0 (one): AuthenticationError" in str(failed.value)
    assert "unknown key: Bearer $LOOP_API_KEY" in str(failed.value)
    assert "test-key" not in str(failed.value) + running.log()


def test_a_worker_that_is_left_alone_is_a_503_with_a_time(
    loopback: Server, server: Server, tmp_path: Path
) -> None:
    server.behaviours["one"] = lambda request, asked: Answer(status=500)
    (tmp_path / "pool.yaml").write_text(POOL)
    options = ("-M", "pool=pool.yaml", "-M", "policy=single:one")
    with serving(tmp_path, *options, "-M", "breaker={failures: 1, seconds: 90}") as running:
        with pytest.raises(openai.InternalServerError) as failed:
            ask(running.client())
        assert failed.value.status_code == 502
        asked = len(server.requests)
        with pytest.raises(openai.InternalServerError) as failed:
            ask(running.client())
        assert failed.value.status_code == 503
        assert failed.value.response.headers["Retry-After"] == "90"
        assert len(server.requests) == asked


def test_no_plan_is_an_empty_answer_that_says_so(
    loopback: Server, server: Server, tmp_path: Path
) -> None:
    server.behaviours["planner"] = lambda request, asked: Answer("I have no plan.")
    (tmp_path / "pool.yaml").write_text(POOL)
    options = ("-M", "pool=pool.yaml", "-M", "policy=openai-api/loop/planner")
    with serving(tmp_path, *options) as running:
        answer = ask(running.client())
    assert answer.choices[0].message.content == ""
    assert answer.conductor["plan_error"]
    assert answer.usage.orchestration["policy"]["calls"] == 1


def test_errors_of_http_have_the_same_shape(running: Serving) -> None:
    for method, path, status in [("GET", "/v2", 404), ("GET", "/v1/chat/completions", 405)]:
        reply = httpx.request(
            method, running.url.removesuffix("/v1") + path, timeout=PATIENCE, trust_env=False
        )
        assert reply.status_code == status
        assert reply.json()["error"]["message"]


def test_health_is_told_to_anybody(running: Serving) -> None:
    reply = httpx.get(
        running.url.removesuffix("/v1") + "/health", timeout=PATIENCE, trust_env=False
    )
    assert reply.json() == {"status": "ok"}


def test_the_log_has_a_line_a_request_and_no_content(running: Serving, server: Server) -> None:
    server.behaviours["one"] = lambda request, asked: Answer("a secret answer")
    ask(running.client(key="a-secret-token"))
    log = running.log()
    assert "POST /v1/chat/completions 200" in log
    assert "calls=2 in=20 out=10 cost=0.000040" in log
    for secret in ("Which letter", "secret answer", "a-secret-token", "test-key"):
        assert secret not in log
