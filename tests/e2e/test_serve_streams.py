"""Streams of `conductor serve`: the last step's text as it comes, once."""

from __future__ import annotations

import json
import threading
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
- {name: one, model: openai-api/loop/one, backoff: 0.01}
- {name: two, model: openai-api/loop/two, max_retries: 0}
- {name: whole, model: openai-api/loop/whole, backoff: 0.01}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("streams")
    (made / "pool.yaml").write_text(POOL)
    return made


@pytest.fixture(scope="module")
def running(loopback: Server, folder: Path) -> Iterator[Serving]:
    options = ("-M", "pool=pool.yaml", "-M", "policy=reflect:2:one", "--keep-alive", "0.05")
    with serving(folder, *options) as found:
        yield found


def stream(running: Serving, **more: Any) -> Any:
    return running.client().chat.completions.create(
        model="conductor",
        messages=QUESTION,
        stream=True,
        **more,
    )  # type: ignore[call-overload]


def pieces(chunks: Any) -> list[str]:
    """The text as it came, without what is empty."""
    contents = [chunk.choices[0].delta.content for chunk in chunks if chunk.choices]
    return [content for content in contents if content]


def last_step(*parts: str | threading.Event, broken: bool = False) -> Any:
    """The first step answers at once, the second as given."""

    def behave(request: dict[str, Any], asked: int) -> Answer:
        return Answer("a draft") if asked == 0 else Answer(pieces=parts, broken=broken)

    return behave


def test_the_last_step_is_heard_before_it_has_ended(running: Serving, server: Server) -> None:
    more = threading.Event()
    server.behaviours["one"] = last_step("Hello", more, " world")
    chunks = stream(running)
    heard: list[str] = []
    for chunk in chunks:
        heard += pieces([chunk])
        if heard == ["Hello"]:
            more.set()  # the worker says no more until the client has heard this
    assert "".join(heard) == "Hello world"
    assert heard[0] == "Hello"


def test_the_first_step_is_not_streamed(running: Serving, server: Server) -> None:
    server.behaviours["one"] = last_step("the answer")
    assert pieces(stream(running)) == ["the answer"]
    assert [request.get("stream", False) for request in server.requests] == [False, True]


def test_the_end_tells_the_reason_and_the_usage(running: Serving, server: Server) -> None:
    server.behaviours["one"] = last_step("the answer")
    chunks = list(stream(running, stream_options={"include_usage": True}))
    assert chunks[0].choices[0].delta.role == "assistant"
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert (chunks[-1].choices, chunks[-1].usage.total_tokens) == ([], 30)
    assert len({chunk.id for chunk in chunks}) == 1


def test_comments_keep_the_connection_alive_while_steps_run(
    running: Serving, server: Server
) -> None:
    done = threading.Event()

    def behave(request: dict[str, Any], asked: int) -> Answer:
        if asked == 0:
            done.wait(timeout=PATIENCE)
        return Answer("a draft", pieces=("the answer",))

    server.behaviours["one"] = behave
    body = {"model": "conductor", "messages": QUESTION, "stream": True}
    lines = []
    with (
        httpx.Client(timeout=PATIENCE, trust_env=False) as client,
        client.stream("POST", f"{running.url}/chat/completions", json=body) as reply,
    ):
        assert reply.headers["content-type"].startswith("text/event-stream")
        for line in reply.iter_lines():
            lines.append(line)
            if line == ": keep-alive":
                done.set()
    assert lines[0] == ": keep-alive"
    assert lines[-2:] == ["data: [DONE]", ""]
    assert "the answer" in "".join(lines)


def test_openai_clients_skip_the_comments(running: Serving, server: Server) -> None:
    server.behaviours["one"] = lambda request, asked: Answer(
        "a draft", seconds=0.2, pieces=("the answer",)
    )
    assert "".join(pieces(stream(running))) == "the answer"


def test_a_retry_goes_on_where_the_failed_attempt_ended(running: Serving, server: Server) -> None:
    heard, going_on = threading.Event(), threading.Event()

    def behave(request: dict[str, Any], asked: int) -> Answer:
        if asked == 0:
            return Answer("a draft")
        if asked == 1:
            return Answer(pieces=("Hello", heard), broken=True)
        return Answer(pieces=("Hel", "lo wor", going_on, "ld"))

    server.behaviours["one"] = behave
    received: list[str] = []
    for chunk in stream(running):
        received += pieces([chunk])
        if received:
            heard.set()
        if "".join(received) == "Hello wor":
            going_on.set()
    assert "".join(received) == "Hello world"
    assert len(server.requests) == 3


def test_a_retry_that_says_something_else_ends_the_stream_as_an_error(
    running: Serving, server: Server
) -> None:
    heard = threading.Event()

    def behave(request: dict[str, Any], asked: int) -> Answer:
        if asked == 0:
            return Answer("a draft")
        parts = ("Hello", heard) if asked == 1 else ("Bye",)
        return Answer(pieces=parts, broken=asked == 1)

    server.behaviours["one"] = behave
    chunks = stream(running)
    assert pieces([next(chunks), next(chunks)]) == ["Hello"]
    heard.set()
    with pytest.raises(openai.APIError, match="failed in the middle"):
        pieces(chunks)


def test_what_was_not_yet_heard_can_be_taken_back(running: Serving, server: Server) -> None:
    """Space alone is not sent: an attempt that then fails leaves nothing behind."""

    def behave(request: dict[str, Any], asked: int) -> Answer:
        if asked == 0:
            return Answer("a draft")
        return Answer(pieces=("\n\n",), broken=True) if asked == 1 else Answer(pieces=("Bye",))

    server.behaviours["one"] = behave
    assert "".join(pieces(stream(running))) == "Bye"


def test_a_stop_sequence_is_never_sent_however_it_is_cut(running: Serving, server: Server) -> None:
    server.behaviours["one"] = last_step("Answer: A", "\nQue", "stion: next", " and more")
    assert "".join(pieces(stream(running, stop=["\nQuestion:"]))) == "Answer: A"


def test_reasoning_is_not_sent(running: Serving, server: Server) -> None:
    server.behaviours["one"] = last_step("<thi", "nk>hm, let", " me see</thi", "nk>\n\nIt is A.")
    assert "".join(pieces(stream(running))) == "It is A."


def test_a_fault_before_the_first_event_is_an_http_error(
    loopback: Server, server: Server, folder: Path
) -> None:
    server.behaviours["two"] = lambda request, asked: Answer(status=400)
    with (
        serving(folder, "-M", "pool=pool.yaml", "-M", "policy=single:two") as running,
        pytest.raises(openai.InternalServerError) as failed,
    ):
        stream(running)
    assert failed.value.status_code == 502


def test_a_fault_later_is_the_last_event(running: Serving, server: Server) -> None:
    done = threading.Event()

    def behave(request: dict[str, Any], asked: int) -> Answer:
        done.wait(timeout=PATIENCE)
        return Answer(status=400)

    server.behaviours["one"] = behave
    body = {"model": "conductor", "messages": QUESTION, "stream": True}
    lines = []
    with (
        httpx.Client(timeout=PATIENCE, trust_env=False) as client,
        client.stream("POST", f"{running.url}/chat/completions", json=body) as reply,
    ):
        for line in reply.iter_lines():
            lines.append(line)
            if line == ": keep-alive":
                done.set()
    error = json.loads(lines[-2].removeprefix("data: "))["error"]
    assert error["code"] == "worker_failed"
    assert "data: [DONE]" not in lines


def test_a_worker_without_streams_answers_in_one_piece_and_is_asked_in_vain_once(
    loopback: Server, server: Server, folder: Path
) -> None:
    server.behaviours["whole"] = lambda request, asked: Answer("the whole answer")
    with serving(folder, "-M", "pool=pool.yaml", "-M", "policy=single:whole") as running:
        assert pieces(stream(running)) == ["the whole answer"]
        assert pieces(stream(running)) == ["the whole answer"]
    assert [request.get("stream", False) for request in server.requests] == [True, False, False]


def test_a_worker_that_refuses_streams_answers_in_one_piece(
    loopback: Server, server: Server, folder: Path
) -> None:
    def behave(request: dict[str, Any], asked: int) -> Answer:
        if request.get("stream"):
            return Answer(status=400, raw=b'{"error": {"message": "`stream` is not supported"}}')
        return Answer("the whole answer")

    server.behaviours["whole"] = behave
    with serving(folder, "-M", "pool=pool.yaml", "-M", "policy=single:whole") as running:
        assert pieces(stream(running)) == ["the whole answer"]


def test_a_policy_that_chooses_among_answers_is_heard_when_it_has_chosen(
    loopback: Server, server: Server, folder: Path
) -> None:
    votes = ("Answer: B", "Answer: A", "Answer: A")
    server.behaviours["one"] = lambda request, asked: Answer(votes[asked], pieces=(votes[asked],))
    with serving(folder, "-M", "pool=pool.yaml", "-M", "policy=vote:3:one") as running:
        assert pieces(stream(running)) == ["Answer: A"]
    assert not any(request.get("stream") for request in server.requests)
