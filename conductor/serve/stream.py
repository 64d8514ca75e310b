"""A completion as server-sent events, as the answer comes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from conductor.serve.access import Note
from conductor.serve.completion import Completion
from conductor.serve.errors import ApiError
from conductor.serve.live import Diverged, Live
from conductor.trace import Outcome

KEEP_ALIVE = ": keep-alive\n\n"  # a comment: clients skip it, proxies see that something comes
DONE = "data: [DONE]\n\n"
HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}  # proxies must not hold it back
Events = AsyncGenerator[str, None]


async def events(
    completion: Completion, plan: asyncio.Task[Outcome], live: Live, silence: float, note: Note
) -> Events:
    """The events of one response; closing this cancels the plan.

    silence: seconds after which a comment is sent. An ApiError before the first event is raised,
    and can still be an HTTP status; later it is an event, and the last one.
    """
    plan.add_done_callback(lambda _: live.changed.set())
    begun = False
    try:
        async for event in _begun(completion, plan, live, silence):
            begun = True
            yield event
        outcome = plan.result()
        note.count(outcome)
        for event in _end(completion, outcome, live):
            begun = True
            yield event
    except ApiError as error:
        if not begun:
            raise
        note.code = error.code
        yield _data(error.body)
    finally:
        plan.cancel()
        await asyncio.gather(plan, return_exceptions=True)


async def _begun(
    completion: Completion, plan: asyncio.Task[Outcome], live: Live, silence: float
) -> Events:
    """What can be sent while the plan runs."""
    while not plan.done():
        try:
            await asyncio.wait_for(live.changed.wait(), silence)
        except TimeoutError:
            yield KEEP_ALIVE
            continue
        live.changed.clear()
        first = not live.sent
        if text := live.take():
            if first:
                yield _data(completion.chunk(role="assistant", content=""))
            yield _data(completion.chunk(content=text))


def _end(completion: Completion, outcome: Outcome, live: Live) -> list[str]:
    """The rest of the answer, and how it ended."""
    begin = [] if live.sent else [_data(completion.chunk(role="assistant", content=""))]
    try:
        rest = live.finish(outcome.answer)
    except Diverged as cause:
        raise ApiError(
            502,
            "a worker failed in the middle of its answer, and its next one begins otherwise; "
            "ask again, or without `stream`",
            "server_error",
            "stream_diverged",
        ) from cause
    text = [_data(completion.chunk(content=rest))] if rest else []
    last = [_data(completion.last_chunk(outcome))]
    usage = [_data(completion.usage_chunk(outcome))] if completion.asked.usage else []
    return [*begin, *text, *last, *usage, DONE]


def _data(body: dict[str, Any]) -> str:
    return f"data: {json.dumps(body)}\n\n"


class EventStream(StreamingResponse):
    """Events after the first one; whatever ends the response ends the plan."""

    def __init__(self, first: str, rest: Events, headers: dict[str, str]) -> None:
        self._rest = rest
        super().__init__(
            _after(first, rest), headers={**HEADERS, **headers}, media_type="text/event-stream"
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._rest.aclose()


async def _after(first: str, rest: Events) -> Events:
    yield first
    async for event in rest:
        yield event
