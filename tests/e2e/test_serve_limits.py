"""`conductor serve` and clients that misbehave: bounds, keys, budgets, an orderly end."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import openai
import pytest

from tests.e2e.openai_server import Answer, Server
from tests.e2e.serving import PATIENCE, Serving, serving, start, until

pytestmark = pytest.mark.slow
QUESTION = [{"role": "user", "content": "Which letter comes first?"}]
BODY = json.dumps({"model": "conductor", "messages": QUESTION}).encode()
POOL = """
- {name: one, model: openai-api/loop/one, price: {input: 1000, output: 1000}, max_retries: 0}
"""
TWO_STEPS = ("-M", "pool=pool.yaml", "-M", "policy=reflect:2:one")
ONE_STEP = ("-M", "pool=pool.yaml", "-M", "policy=single:one")


@pytest.fixture
def folder(loopback: Server, tmp_path: Path) -> Path:
    (tmp_path / "pool.yaml").write_text(POOL)
    return tmp_path


@pytest.fixture
def release(server: Server) -> Iterator[threading.Event]:
    """The worker answers once this is set."""
    event = threading.Event()

    def behave(request: dict[str, Any], asked: int) -> Answer:
        event.wait(timeout=PATIENCE)
        return Answer("at last")

    server.behaviours["one"] = behave
    yield event
    event.set()


def ask(client: openai.OpenAI, **more: Any) -> Any:
    return client.chat.completions.create(model="conductor", messages=QUESTION, **more)  # type: ignore[call-overload]


def post(body: bytes, *headers: str, length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    lines = (
        "POST /v1/chat/completions HTTP/1.1",
        "Host: test",
        "Content-Type: application/json",
        *(headers or (f"Content-Length: {size}",)),
    )
    return "\r\n".join((*lines, "", "")).encode() + body


def exchange(running: Serving, *parts: bytes) -> bytes:
    """What the server says to these bytes, until it closes or its answer is whole."""
    with running.raw() as connection:
        for part in parts:
            connection.sendall(part)
        return response(connection)


def response(connection: socket.socket) -> bytes:
    said = b""
    while b"\r\n\r\n" not in said or not said.rstrip().endswith(b"}"):
        more = connection.recv(65536)
        if not more:
            break
        said += more
    return said


def error_of(said: bytes) -> tuple[int, dict[str, Any]]:
    head, _, body = said.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)["error"]


# Clients that misbehave.


@pytest.fixture
def strict(folder: Path, server: Server) -> Iterator[Serving]:
    options = ("--max-body", "2000", "--body-timeout", "0.5")
    with serving(folder, *ONE_STEP, *options) as running:
        yield running


def test_requests_that_are_none_are_refused_and_the_server_goes_on(
    strict: Serving, server: Server
) -> None:
    huge = json.dumps({"model": "conductor", "messages": QUESTION, "user": "x" * 100_000}).encode()
    chunk = b"800\r\n" + b" " * 0x800 + b"\r\n"
    chunked = post(b"", "Transfer-Encoding: chunked") + chunk * 20 + b"0\r\n\r\n"
    text = post(BODY).replace(b"application/json", b"text/plain")
    for parts, status, said in [
        ((post(b"{nonsense"),), 400, "not valid JSON"),
        ((post(b"\xff\xfe"),), 400, "not valid JSON"),
        ((post(b"[" * 1900),), 400, "not valid JSON"),
        ((post(b'{"temperature": NaN}'),), 400, "NaN"),
        ((post(b"[]"),), 400, "must be a JSON object"),
        ((post(huge),), 413, "larger than 2000 bytes"),
        ((chunked,), 413, "larger than 2000 bytes"),
        ((post(BODY, length=len(BODY) + 10),), 408, "did not arrive within 0.5 seconds"),
        ((text,), 415, "Content-Type: application/json"),
    ]:
        found, error = error_of(exchange(strict, *parts))
        assert (found, said in error["message"]) == (status, True), error
    assert b"HTTP/1.1 400" in exchange(strict, b"complete nonsense\r\n\r\n")
    assert not server.requests
    assert ask(strict.client()).choices[0].message.content == "Answer: A"
    assert "Traceback" not in strict.log()


def test_a_client_that_hangs_up_ends_its_plan(
    folder: Path, server: Server, release: threading.Event
) -> None:
    with serving(folder, *TWO_STEPS) as running:
        with running.raw() as connection:
            connection.sendall(post(BODY))
            until(lambda: len(server.requests) == 1)
        until(lambda: " 499 " in running.log())
        release.set()
    assert len(server.requests) == 1  # the second step never began


def test_a_client_that_hangs_up_during_a_stream_ends_its_plan(
    folder: Path, server: Server, release: threading.Event
) -> None:
    body = json.dumps({"model": "conductor", "messages": QUESTION, "stream": True}).encode()
    with serving(folder, *TWO_STEPS, "--keep-alive", "0.05") as running:
        with running.raw() as connection:
            connection.sendall(post(body))
            while b"keep-alive" not in connection.recv(65536):
                pass
            until(lambda: server.requests)
        until(lambda: "200(cut off)" in running.log())
        release.set()
    assert len(server.requests) == 1


# Bounds.


def test_a_full_server_says_when_to_come_back(
    folder: Path, server: Server, release: threading.Event
) -> None:
    with serving(folder, *ONE_STEP, "--concurrency", "1") as running, ThreadPoolExecutor() as pool:
        first = pool.submit(ask, running.client())
        until(lambda: server.requests)
        with pytest.raises(openai.RateLimitError) as refused:
            ask(running.client())
        assert int(refused.value.response.headers["Retry-After"]) > 0
        release.set()
        assert first.result(PATIENCE).choices[0].message.content == "at last"
        assert ask(running.client()).choices[0].message.content == "at last"


def test_an_answer_that_takes_too_long_is_a_504(
    folder: Path, server: Server, release: threading.Event
) -> None:
    with serving(folder, *ONE_STEP, "--timeout", "0.5") as running:
        with pytest.raises(openai.InternalServerError, match=r"no answer within 0\.5 s") as late:
            ask(running.client())
        assert late.value.status_code == 504


# Keys and what they may spend.


def test_only_known_tokens_are_let_in_and_none_is_logged(folder: Path, server: Server) -> None:
    tokens = "token-of-alice,token-of-bob"
    with serving(folder, *ONE_STEP, CONDUCTOR_SERVE_TOKENS=tokens) as running:
        for token in tokens.split(","):
            assert ask(running.client(token)).choices[0].message.content == "Answer: A"
        asked = len(server.requests)
        for wrong in ("token-of-eve", "token", tokens, "TOKEN-OF-ALICE"):
            with pytest.raises(openai.AuthenticationError, match="not known here"):
                ask(running.client(wrong))
        status, error = error_of(exchange(running, post(BODY)))
        assert (status, error["code"]) == (401, "invalid_api_key")
        with pytest.raises(openai.AuthenticationError):
            running.client("token-of-eve").models.list()
        assert len(server.requests) == asked
        assert "token-of" not in running.log()
        assert "CONDUCTOR_SERVE_TOKENS-2 POST /v1/chat/completions 200" in running.log()


KEYS = """
ledgers: spent
keys:
  - {name: alice, token: token-of-alice, budget: {requests: 2}}
  - {name: bob, token_env: BOB, budget: {tokens: 20}}
  - {name: carol, token: token-of-carol, budget: {dollars: 0.02}}
"""


def spend(running: Serving, key: str, most: int = 10) -> int:
    """How many questions a key gets answered."""
    for number in range(most):
        try:
            ask(running.client(key))
        except openai.RateLimitError as error:
            assert error.code == "insufficient_quota"  # noqa: PT017  the loop needs the count
            return number
    return most


def test_a_key_gets_what_its_budget_allows_also_after_a_restart(
    folder: Path, server: Server
) -> None:
    (folder / "keys.yaml").write_text(KEYS)
    options = (*ONE_STEP, "--keys", "keys.yaml")
    with serving(folder, *options, BOB="token-of-bob") as running:
        assert spend(running, "token-of-alice", most=1) == 1
        assert spend(running, "token-of-bob") == 2  # 15 tokens a question
        assert spend(running, "token-of-carol") == 2  # 0.015 dollars a question
    with serving(folder, *options, BOB="token-of-bob") as running:
        assert spend(running, "token-of-alice") == 1
        assert spend(running, "token-of-bob") == 0
        assert spend(running, "token-of-carol") == 0


def test_a_budget_ends_a_plan_between_its_steps(folder: Path, server: Server) -> None:
    (folder / "keys.yaml").write_text(
        "keys:\n  - {name: bob, token: token-of-bob, budget: {tokens: 10}}\n"
    )
    with (
        serving(folder, *TWO_STEPS, "--keys", "keys.yaml") as running,
        pytest.raises(openai.RateLimitError, match="the budget of 10 tokens is spent"),
    ):
        ask(running.client("token-of-bob"))
    assert len(server.requests) == 1


def test_the_servers_own_budget_is_a_503(folder: Path, server: Server) -> None:
    with serving(folder, *ONE_STEP, "-M", "budget={calls: 1}") as running:
        ask(running.client())
        with pytest.raises(openai.InternalServerError, match="budget of 1 calls") as spent:
            ask(running.client())
    assert (spent.value.status_code, spent.value.code) == (503, "budget_spent")


# Beginning and end.


def test_sigterm_lets_what_is_in_flight_finish(
    folder: Path, server: Server, release: threading.Event
) -> None:
    with serving(folder, *ONE_STEP) as running, ThreadPoolExecutor() as pool:
        answer = pool.submit(ask, running.client())
        until(lambda: server.requests)
        running.process.terminate()
        until(lambda: refused(running))
        release.set()
        assert answer.result(PATIENCE).choices[0].message.content == "at last"
        assert running.process.wait(PATIENCE) == 0


def test_sigterm_does_not_wait_for_ever(
    folder: Path, server: Server, release: threading.Event
) -> None:
    with serving(folder, *ONE_STEP, "--grace", "1") as running, ThreadPoolExecutor() as pool:
        answer = pool.submit(ask, running.client())
        until(lambda: server.requests)
        running.process.terminate()
        assert running.process.wait(PATIENCE) == 0
        with pytest.raises(openai.APIError):
            answer.result(PATIENCE)


def refused(running: Serving) -> bool:
    try:
        running.raw().close()
    except ConnectionRefusedError:
        return True
    return False


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--host", "0.0.0.0"), "there are no keys: set CONDUCTOR_SERVE_TOKENS"),
        (("--keyless", "--host", "203.0.113.9"), "choose others with --host"),
        (("--keys", "none.yaml"), "--keys: no file 'none.yaml'"),
        (("--settings", "none.yaml"), "no file 'none.yaml'"),
        (("-M", "polcy=rule"), "did you mean 'policy'"),
        (("-M", "policy"), "write it as KEY=VALUE"),
    ],
)
def test_a_server_that_cannot_start_says_why_in_one_line(
    folder: Path, options: tuple[str, ...], said: str
) -> None:
    line = last_words(folder, *ONE_STEP, *options)
    assert said in line


def test_a_port_in_use_is_named(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert f"127.0.0.1:{port}: " in last_words(folder, *ONE_STEP, "--port", port)


def test_a_budget_in_dollars_needs_prices(folder: Path) -> None:
    (folder / "pool.yaml").write_text("- {name: one, model: openai-api/loop/one}\n")
    (folder / "keys.yaml").write_text("keys:\n  - {name: a, token: tok, budget: {dollars: 1}}\n")
    line = last_words(folder, *ONE_STEP, "--keys", "keys.yaml")
    assert "worker 'one' no price" in line


def last_words(folder: Path, *arguments: str) -> str:
    process = start(folder / "stderr.txt", *arguments)
    assert process.wait(PATIENCE) == 1
    (line,) = (folder / "stderr.txt").read_text().splitlines()
    assert line.startswith("error: ")
    return line
