"""What a request may ask for; whatever can't be done is refused by name."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductor.serve.errors import ApiError
from conductor.serve.request import ChatRequest, read_request

QUESTION = [{"role": "user", "content": "Why?"}]


def read(**fields: Any) -> ChatRequest:
    return read_request(json.dumps({"model": "conductor", "messages": QUESTION, **fields}).encode())


def refusal(body: bytes) -> ApiError:
    with pytest.raises(ApiError) as refused:
        read_request(body)
    assert "\n" not in refused.value.message
    return refused.value


def refusal_of(**fields: Any) -> ApiError:
    return refusal(json.dumps({"model": "conductor", "messages": QUESTION, **fields}).encode())


def test_parameters_become_the_workers_config() -> None:
    config = read(
        temperature=0.5, top_p=1, top_k=3, max_tokens=9, seed=-4, presence_penalty=-2,
        frequency_penalty=0, reasoning_effort="low",
    ).config  # fmt: skip
    assert config.model_dump(exclude_none=True) == {
        "temperature": 0.5, "top_p": 1.0, "top_k": 3, "max_tokens": 9, "seed": -4,
        "presence_penalty": -2.0, "frequency_penalty": 0.0, "reasoning_effort": "low",
    }  # fmt: skip


def test_null_is_as_if_not_given() -> None:
    nothing = dict.fromkeys(("temperature", "stop", "stream", "tools", "n", "stream_options"))
    assert read(**nothing).config == read().config
    assert not read(**nothing).stream


def test_the_newer_name_of_max_tokens_counts() -> None:
    assert read(max_tokens=5, max_completion_tokens=7).config.max_tokens == 7


@pytest.mark.parametrize(
    "fields",
    [
        {"n": 1},
        {"tools": [], "tool_choice": "none", "parallel_tool_calls": True},
        {"logprobs": False, "logit_bias": {}, "response_format": {"type": "text"}},
        {"user": "u-1", "metadata": {"a": "b"}, "store": False, "service_tier": "auto"},
        {"stream": True, "stream_options": {"include_usage": None}},
    ],
)
def test_what_asks_for_the_usual_is_accepted(fields: dict[str, Any]) -> None:
    assert read(**fields).messages[0].text == "Why?"


@pytest.mark.parametrize(
    ("fields", "param", "said"),
    [
        ({"n": 2}, "n", "one answer"),
        ({"n": True}, "n", "one answer"),
        ({"tools": [{"type": "function"}]}, "tools", "calls no tools"),
        ({"tool_choice": "required"}, "tool_choice", "calls no tools"),
        ({"functions": [{}]}, "functions", "calls no tools"),
        ({"logprobs": True}, "logprobs", "no log probabilities"),
        ({"response_format": {"type": "json_object"}}, "response_format", "answers are text"),
        ({"modalities": ["audio"]}, "modalities", "answers are text"),
        ({"parallel_tool_calls": 3}, "parallel_tool_calls", "true or false"),
        ({"temprature": 1}, "temprature", "did you mean 'temperature'"),
        ({"x" * 500: 1}, "x" * 60, "unknown parameter"),
        ({"temperature": 2.5}, "temperature", "between 0 and 2"),
        ({"temperature": "hot"}, "temperature", "must be a number"),
        ({"temperature": True}, "temperature", "must be a number"),
        ({"top_p": -0.1}, "top_p", "between 0 and 1"),
        ({"max_tokens": 0}, "max_tokens", "between 1 and"),
        ({"max_tokens": 1.5}, "max_tokens", "whole number"),
        ({"seed": 2**70}, "seed", "whole number"),
        ({"reasoning_effort": "huge"}, "reasoning_effort", "one of: none, minimal"),
        ({"stop": ["a", "b", "c", "d", "e"]}, "stop", "at most 4"),
        ({"stop": ""}, "stop", "not be empty"),
        ({"stop": [3]}, "stop", "must be a text"),
        ({"stop": "x" * 300}, "stop", "nor longer than 200"),
        ({"messages": QUESTION * 5001}, "messages", "5000 at most"),
        ({"stream": "yes"}, "stream", "true or false"),
        ({"stream_options": {"include_usage": True}}, "stream_options", "needs `stream: true`"),
        ({"conductor": {"trce": True}}, "conductor", "did you mean 'trace'"),
        ({"conductor": {"trace": 1}}, "conductor.trace", "true or false"),
        ({"messages": []}, "messages", "at least one message"),
        ({"messages": None}, "messages", "at least one message"),
        ({"messages": "hi"}, "messages", "must be a list"),
        ({"messages": ["hi"]}, "messages[0]", "must be an object"),
        ({"messages": [{"content": "hi"}]}, "messages[0].role", "one of: system"),
        ({"messages": [{"role": ["user"], "content": "hi"}]}, "messages[0].role", "one of"),
        ({"messages": [{"role": "user"}]}, "messages[0].content", "must be a text"),
        ({"messages": [{"role": "user", "content": " "}]}, "messages", "hold no text"),
        ({"messages": [{"role": "tool", "content": "4"}]}, "messages[0]", "calls no tools"),
        (
            {"messages": [{"role": "assistant", "tool_calls": [{}], "content": None}]},
            "messages[0]",
            "calls no tools",
        ),
        (
            {"messages": [{"role": "user", "content": "hi", "colour": "red"}]},
            "messages[0]",
            "'colour' can't be read",
        ),
        (
            {"messages": [*QUESTION, {"role": "user", "content": [{"type": "image_url"}]}]},
            "messages[1].content[0]",
            "text only, not 'image_url'",
        ),
        (
            {"messages": [{"role": "user", "content": "half \ud800"}]},
            "messages[0].content",
            "half a character",
        ),
        ({"model": 3}, "model", "must be a text"),
        ({"model": None}, "model", "must be a text"),
    ],
)
def test_what_cannot_be_done_is_refused_by_name(
    fields: dict[str, Any], param: str, said: str
) -> None:
    refused = refusal_of(**fields)
    assert (refused.status, refused.param) == (400, param)
    assert said in refused.message


def test_another_model_is_not_found() -> None:
    refused = refusal_of(model="gpt-5")
    assert (refused.status, refused.code, refused.param) == (404, "model_not_found", "model")


def part(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def test_messages_of_all_roles_are_read_as_text() -> None:
    asked = read(
        messages=[
            {"role": "developer", "content": "Be brief."},
            {"role": "user", "content": [part("2 +"), part("2?")]},
            {"role": "assistant", "content": "5", "refusal": None, "tool_calls": [], "name": "x"},
            {"role": "user", "content": "Sure?"},
        ]
    )  # fmt: skip
    assert [(message.role, message.text) for message in asked.messages] == [
        ("system", "Be brief."), ("user", "2 +\n2?"), ("assistant", "5"), ("user", "Sure?"),
    ]  # fmt: skip


def test_an_answer_of_ours_can_be_sent_back() -> None:
    answer = {"role": "assistant", "content": "4", "refusal": None}
    assert len(read(messages=[*QUESTION, answer, *QUESTION]).messages) == 3


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"[]", b"3", b"null", b'"text"', b"\xff", "{}".encode("utf-16"),
        b'{"model": NaN}', b'{"seed": ' + b"9" * 10_000 + b"}", b"[" * 200_000, b'{"a":' * 90_000,
    ],
    ids=lambda body: body[:12].hex(),
)  # fmt: skip
def test_a_body_that_is_no_request_is_a_400(body: bytes) -> None:
    assert refusal(body).status == 400


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
NAMES = ("messages", "model", "stream", "stop", "n", "tools", "conductor", "seed", "temperature")


@given(st.dictionaries(st.sampled_from(NAMES) | st.text(), json_values, max_size=5))
def test_no_json_makes_anything_but_a_request_or_a_refusal(fields: dict[str, Any]) -> None:
    for messages in ({}, {"model": "conductor", "messages": QUESTION}):
        try:
            read_request(json.dumps({**messages, **fields}).encode())
        except ApiError as error:
            assert error.status in (400, 404)  # noqa: PT017  either is fine
            json.dumps(error.body).encode("ascii")
