"""The HTTP interface: routes, and what each of them checks before a plan begins."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from conductor.serve.access import AccessLog, Note
from conductor.serve.completion import Completion
from conductor.serve.errors import ApiError, ClientGone
from conductor.serve.json_response import AsciiJSON
from conductor.serve.keys import Account
from conductor.serve.live import Live
from conductor.serve.request import MODELS, check_model, read_request
from conductor.serve.service import Limits, Service
from conductor.serve.stream import EventStream, events

T = TypeVar("T")
SENDING = 60.0  # seconds that a client may take to read an answer that is ready


def make_app(service: Service) -> Starlette:
    limits = service.limits
    app = Starlette(
        routes=[
            Route("/v1/chat/completions", chat_completions, methods=["POST"]),
            Route("/v1/models", list_models),
            Route("/v1/models/{model:path}", show_model),
            Route("/health", health),
        ],
        middleware=[Middleware(AccessLog, seconds=limits.body_seconds + limits.seconds + SENDING)],
        exception_handlers={
            ApiError: _api_error,
            HTTPException: _http_error,
            ClientGone: _nobody,
            ClientDisconnect: _nobody,
        },
    )
    app.state.service = service
    app.state.started = int(time.time())
    return app


async def chat_completions(request: Request) -> Response:
    service: Service = request.app.state.service
    account = _account(request)
    asked = read_request(await _body(request, service.limits))
    if request.headers.get("x-conductor-trace", "").lower() in ("1", "true"):
        asked = replace(asked, trace=True)
    live = Live(asked.stop)
    plan = service.begin(asked, account, live)
    completion = Completion(asked, service.assembly)
    headers = {"X-Request-ID": completion.id}
    if asked.stream:
        stream = events(completion, plan, live, service.limits.keep_alive, _note(request))
        return EventStream(await _unless_gone(request, anext(stream)), stream, headers)
    outcome = await _unless_gone(request, plan)
    _note(request).count(outcome)
    return AsciiJSON(completion.whole(outcome), headers=headers)


async def list_models(request: Request) -> Response:
    _account(request)
    return AsciiJSON({"object": "list", "data": [_model(request, name) for name in MODELS]})


async def show_model(request: Request) -> Response:
    _account(request)
    check_model(request.path_params["model"])
    return AsciiJSON(_model(request, request.path_params["model"]))


async def health(request: Request) -> Response:
    """For load balancers: no token needed, nothing told."""
    return AsciiJSON({"status": "ok"})


def _model(request: Request, name: str) -> dict[str, Any]:
    created = request.app.state.started
    return {"id": name, "object": "model", "created": created, "owned_by": "conductor"}


def _account(request: Request) -> Account:
    service: Service = request.app.state.service
    account = service.keyring.identify(request.headers.get("authorization"))
    _note(request).key = account.key.name
    return account


def _note(request: Request) -> Note:
    note: Note = request.state.note
    return note


async def _body(request: Request, limits: Limits) -> bytes:
    """The body, as long as it is JSON and of a size and speed that can be served."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":  # also what keeps web pages from asking a server on this machine
        message = "send JSON, with `Content-Type: application/json`"
        raise ApiError(415, message, "invalid_request_error")
    body, size = bytearray(), 0
    try:
        async with asyncio.timeout(limits.body_seconds):
            async for chunk in request.stream():  # to its end: who is still sending reads nothing
                size += len(chunk)
                if size <= limits.body_bytes:
                    body += chunk
    except TimeoutError as cause:
        message = f"the request did not arrive within {limits.body_seconds:g} seconds"
        raise ApiError(408, message, "invalid_request_error", "request_timeout") from cause
    if size > limits.body_bytes:
        message = f"the request is larger than {limits.body_bytes} bytes"
        raise ApiError(413, message, "invalid_request_error", "request_too_large")
    return bytes(body)


async def _unless_gone(request: Request, work: Coroutine[Any, Any, T] | asyncio.Task[T]) -> T:
    """The result of `work`, which is cancelled when the client hangs up. Raises ClientGone."""
    task = asyncio.ensure_future(work)
    gone = asyncio.create_task(_hang_up(request))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientGone
        return task.result()
    finally:
        for one in (task, gone):
            one.cancel()
        await asyncio.gather(task, gone, return_exceptions=True)


async def _hang_up(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _api_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, ApiError)
    _note(request).code = error.code
    return AsciiJSON(error.body, error.status, dict(error.headers))


async def _http_error(request: Request, error: Exception) -> Response:
    """What Starlette refuses itself: an unknown path, a wrong method."""
    assert isinstance(error, HTTPException)
    shown = ApiError(error.status_code, str(error.detail), "invalid_request_error")
    return AsciiJSON(shown.body, shown.status, error.headers)


async def _nobody(request: Request, error: Exception) -> Response:
    """Nobody reads this; 499 is what logs of web servers call it."""
    return Response(status_code=499)
