"""A real OpenAI-compatible server on loopback that misbehaves on request, and remembers."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Answer:
    """What the server sends. status 200 sends `text` as a completion, others an error.

    pieces: the text in parts, for a request that asks for a stream; before an event among them the
    server waits until it is set. Without any, a stream is not supported: the whole is sent.
    broken: the connection ends after the pieces, without an end of the stream.
    """

    text: str = "Answer: A"
    status: int = 200
    seconds: float = 0.0
    headers: dict[str, str] = field(default_factory=dict)
    tokens: tuple[int, int] = (10, 5)
    raw: bytes | None = None
    pieces: tuple[str | threading.Event, ...] = ()
    broken: bool = False


Behaviour = Callable[[dict[str, Any], int], Answer]  # (request, how often this model was asked)


@dataclass
class Server:
    url: str
    requests: list[dict[str, Any]] = field(default_factory=list)
    behaviours: dict[str, Behaviour] = field(default_factory=dict)
    hung_up: list[dict[str, Any]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def prompts(self) -> list[str]:
        """Every prompt that was answered, as text, in a fixed order."""
        return sorted(json.dumps(request["messages"]) for request in self.requests)

    def answer(self, request: dict[str, Any]) -> Answer:
        model = request.get("model", "")
        with self.lock:
            asked = sum(earlier.get("model") == model for earlier in self.requests)
            self.requests.append(request)
        behaviour = self.behaviours.get(model)
        return behaviour(request, asked) if behaviour else Answer()


class _Handler(BaseHTTPRequestHandler):
    server_state: Server
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        request = json.loads(self.rfile.read(length))
        request["_authorization"] = self.headers.get("Authorization")
        answer = self.server_state.answer(request)
        time.sleep(answer.seconds)
        if request.get("stream") and answer.pieces and answer.status == 200:
            self._stream(request, answer)
            return
        body = answer.raw if answer.raw is not None else _body(request, answer)
        self.send_response(answer.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, request: dict[str, Any], answer: Answer) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            for piece in answer.pieces:
                if isinstance(piece, threading.Event):
                    piece.wait(timeout=60)
                else:
                    self._event(_chunk(request, {"content": piece}, None))
            if not answer.broken:
                self._event(_chunk(request, {}, "stop"))
                self._event({**_chunk(request, {}, None), "choices": [], "usage": _usage(answer)})
                self._send(b"data: [DONE]\n\n")
                self._send(b"")
        except OSError:
            self.server_state.hung_up.append(request)
        self.close_connection = True

    def _event(self, body: dict[str, Any]) -> None:
        self._send(b"data: " + json.dumps(body).encode() + b"\n\n")

    def _send(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
        self.wfile.flush()

    def log_message(self, *args: Any) -> None:
        """Quiet: the tests look at `Server.requests`."""


def _body(request: dict[str, Any], answer: Answer) -> bytes:
    if answer.status != 200:
        error = {"message": f"status {answer.status}", "type": "test", "code": answer.status}
        return json.dumps({"error": error}).encode()
    return json.dumps(
        {
            "id": "chatcmpl-test",
            "object": "chat.completion",
            "created": 0,
            "model": f"{request['model']}-2026-01-01",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": answer.text},
                }
            ],
            "usage": _usage(answer),
        }
    ).encode()


def _usage(answer: Answer) -> dict[str, int]:
    prompt, completion = answer.tokens
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }


def _chunk(request: dict[str, Any], delta: dict[str, str], finish: str | None) -> dict[str, Any]:
    return {
        "id": "chatcmpl-test",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": f"{request['model']}-2026-01-01",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }


@contextmanager
def serve(**behaviours: Behaviour) -> Iterator[Server]:
    handler = type("Handler", (_Handler,), {})
    http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    http.daemon_threads = True
    server = Server(f"http://127.0.0.1:{http.server_address[1]}/v1", behaviours=dict(behaviours))
    handler.server_state = server  # type: ignore[attr-defined]
    thread = threading.Thread(target=http.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()
        thread.join(timeout=5)
