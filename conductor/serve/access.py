"""One line a request, without anything that was asked or answered, and without tokens."""

from __future__ import annotations

import asyncio
import logging
import time
import traceback
from dataclasses import dataclass
from urllib.parse import quote

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from conductor.serve.completion import spent
from conductor.serve.errors import ApiError
from conductor.serve.json_response import AsciiJSON
from conductor.trace import Outcome

LOG = logging.getLogger("conductor.serve")


@dataclass
class Note:
    """What handlers tell the log."""

    key: str = "-"
    code: str | None = None
    spent: str = ""

    def count(self, outcome: Outcome) -> None:
        total = spent(outcome.replies)
        tokens = f"in={total['prompt_tokens']} out={total['completion_tokens']}"
        cost = "?" if total["cost"] is None else f"{total['cost']:.6f}"
        self.spent = f" calls={total['calls']} {tokens} cost={cost}"


class AccessLog:
    """The outermost layer: logs, bounds the whole exchange in time, and catches what is left.

    seconds: for everything, a client that reads too slowly included.
    """

    def __init__(self, app: ASGIApp, seconds: float) -> None:
        self._app, self._seconds = app, seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        exchange = _Exchange(scope, send)
        try:
            async with asyncio.timeout(self._seconds):
                await self._app(scope, receive, exchange.send)
        except TimeoutError:
            exchange.note.code = "timeout"
        except Exception as error:  # noqa: BLE001  the last resort: an answer without a traceback
            exchange.note.code = type(error).__name__
            LOG.error("unexpected %s\n%s", type(error).__name__, _where(error))
            if exchange.status is None:
                await _internal_error()(scope, receive, exchange.send)
        finally:
            LOG.info(exchange.line())


class _Exchange:
    def __init__(self, scope: Scope, send: Send) -> None:
        self._scope, self._send, self._begin = scope, send, time.monotonic()
        self.note = Note()
        scope.setdefault("state", {})["note"] = self.note
        self.status: int | None = None
        self.done = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
        elif message["type"] == "http.response.body":
            self.done = not message.get("more_body", False)
        await self._send(message)

    def line(self) -> str:
        client = self._scope.get("client") or ("-",)
        status = self.status if self.done else f"{self.status or 0}(cut off)"
        path = quote(self._scope["path"][:200], safe="/:-._~")
        code = f" {self.note.code}" if self.note.code else ""
        seconds = time.monotonic() - self._begin
        return (
            f"{client[0]} {self.note.key} {self._scope['method']} {path} {status} "
            f"{seconds:.3f}s{self.note.spent}{code}"
        )


def _where(error: BaseException) -> str:
    """Where it happened, without what it says: that may quote a request."""
    frames = traceback.extract_tb(error.__traceback__)
    return "\n".join(f"  {frame.filename}:{frame.lineno} {frame.name}" for frame in frames)


def _internal_error() -> AsciiJSON:
    error = ApiError(500, "something went wrong in the server; its log says where", "server_error")
    return AsciiJSON(error.body, error.status)
