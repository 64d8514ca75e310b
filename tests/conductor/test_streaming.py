"""Who hears a call's text, and which errors mean that a provider can't stream."""

from __future__ import annotations

import asyncio

import pytest
from inspect_ai.model import StreamReasoningEvent, StreamRetryEvent, StreamTextEvent

from conductor.inspect_model import to_listener
from conductor.streaming import stream_refused


class Heard:
    def __init__(self) -> None:
        self.said: list[str] = []

    def restart(self) -> None:
        self.said = []

    def text(self, fragment: str) -> None:
        self.said.append(fragment)


class Refusal(Exception):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status_code = status


class NoStreamDataError(RuntimeError):
    """Named as Inspect's."""


def test_a_listener_hears_the_text_of_the_attempt_that_counts() -> None:
    heard = Heard()

    async def speak() -> None:
        hear = to_listener(heard)
        await hear(StreamTextEvent(text="Hel"))
        await hear(StreamRetryEvent(attempt=2))
        await hear(StreamReasoningEvent(reasoning="hm"))
        await hear(StreamTextEvent(text="Hello"))

    heard.said = ["of an attempt before"]
    asyncio.run(speak())
    assert heard.said == ["Hello"]


@pytest.mark.parametrize(
    ("error", "refused"),
    [
        (Refusal(400, "Streaming is not supported for this model"), True),
        (Refusal(422, "unknown field `stream`"), True),
        (Refusal(400, "the prompt is too long"), False),
        (Refusal(500, "the upstream failed"), False),
        (NoStreamDataError("no chunks"), True),
        (ConnectionError("the stream broke"), False),
    ],
)
def test_only_a_provider_that_cannot_stream_counts_as_one(error: Exception, refused: bool) -> None:
    assert stream_refused(error) is refused
