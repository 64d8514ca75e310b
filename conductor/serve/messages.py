"""The messages of a request: text in the roles of a conversation, everything else refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
)

from conductor.serve.errors import bad_request
from conductor.serve.values import mapping, text

ROLES: dict[str, type[ChatMessageSystem | ChatMessageUser | ChatMessageAssistant]] = {
    "system": ChatMessageSystem,
    "developer": ChatMessageSystem,
    "user": ChatMessageUser,
    "assistant": ChatMessageAssistant,
}
# What clients add, and what an answer sent back carries; the text is all that is read.
UNREAD = ("name", "type", "annotations", "reasoning", "reasoning_content")
MOST = 5000
TOOLS = ("tool_calls", "tool_call_id", "function_call")


def read_messages(value: Any) -> tuple[ChatMessage, ...]:
    if not isinstance(value, list) or not value:
        raise bad_request("`messages` must be a list of at least one message", "messages")
    if len(value) > MOST:
        raise bad_request(f"`messages` must be {MOST} at most", "messages")
    messages = tuple(
        _message(mapping(one, f"messages[{index}]"), f"messages[{index}]")
        for index, one in enumerate(value)
    )
    if not any(message.text.strip() for message in messages):
        raise bad_request("`messages` hold no text", "messages")
    return messages


def _message(message: Mapping[str, Any], place: str) -> ChatMessage:
    role = message.get("role")
    if role in ("tool", "function") or any(message.get(name) for name in TOOLS):
        raise bad_request(f"`{place}`: the conductor calls no tools", place, "unsupported_message")
    if not isinstance(role, str) or role not in ROLES:
        raise bad_request(f"`{place}.role` must be one of: {', '.join(ROLES)}", f"{place}.role")
    for key, value in message.items():
        if key not in ("role", "content", *UNREAD, *TOOLS) and value:
            raise bad_request(
                f"`{place}`: {key[:60]!r} can't be read", place, "unsupported_message"
            )
    return ROLES[role](content=_content(message.get("content"), f"{place}.content"))


def _content(value: Any, place: str) -> str:
    """Text, or parts that are text."""
    if not isinstance(value, list):
        return text(value, place)
    return "\n".join(_part(part, f"{place}[{index}]") for index, part in enumerate(value))


def _part(part: Any, place: str) -> str:
    kind = mapping(part, place).get("type")
    if kind != "text":
        what = repr(kind[:40]) if isinstance(kind, str) else "a part without type"
        raise bad_request(
            f"`{place}`: the conductor reads text only, not {what}", place, "unsupported_message"
        )
    return text(part.get("text"), f"{place}.text")
