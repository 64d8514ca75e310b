"""A chat request as OpenAI's clients send it, read strictly: what can't be done is refused.

Nothing is silently ignored that would change an answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from inspect_ai.model import ChatMessage, GenerateConfig

from conductor.serve.errors import ApiError, bad_request
from conductor.serve.messages import read_messages
from conductor.serve.values import flag, integer, known_keys, mapping, number, one_of, texts
from conductor.strict import near

MODELS = ("conductor", "default", "conductor/default")  # all of them are this server's conductor
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh")

# Changes no answer, or is asked for in the only way there is.
IGNORED = ("user", "metadata", "service_tier", "safety_identifier", "prompt_cache_key")
NEUTRAL: dict[str, tuple[Any, ...]] = {
    "n": (1,),
    "store": (False,),
    "logprobs": (False,),
    "top_logprobs": (0,),
    "logit_bias": ({},),
    "response_format": ({"type": "text"},),
    "modalities": (["text"],),
    "tools": ([],),
    "tool_choice": ("none", "auto"),
    "parallel_tool_calls": (True, False),
    "functions": ([],),
    "function_call": ("none", "auto"),
}
REFUSED = {
    "n": "one request has one answer; send it again for another",
    "store": "nothing is stored",
    "logprobs": "an answer that several models made has no log probabilities",
    "top_logprobs": "an answer that several models made has no log probabilities",
    "logit_bias": "the workers have different tokenizers",
    "response_format": "answers are text; ask for JSON in the message",
    "modalities": "answers are text",
    "tools": "the conductor calls no tools",
    "tool_choice": "the conductor calls no tools",
    "functions": "the conductor calls no tools",
    "function_call": "the conductor calls no tools",
}
READ = (
    "model", "messages", "stream", "stream_options", "conductor", "stop", "temperature", "top_p",
    "top_k", "max_tokens", "max_completion_tokens", "seed", "presence_penalty",
    "frequency_penalty", "reasoning_effort",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """config: what workers take over where the pool says nothing. stop: where the answer ends.
    usage: whether a stream ends with its usage. trace: whether the steps are to be shown."""

    model: str
    messages: tuple[ChatMessage, ...]
    config: GenerateConfig
    stop: tuple[str, ...] = ()
    stream: bool = False
    usage: bool = False
    trace: bool = False


def read_request(body: bytes) -> ChatRequest:
    """Raises ApiError (400, or 404 for another model) that names the parameter."""
    data = parse_json(body)
    if not isinstance(data, dict):
        raise bad_request("the body must be a JSON object")
    given = {name: value for name, value in data.items() if value is not None}
    _check_names(given)
    stream = flag(given.get("stream", False), "stream")
    return ChatRequest(
        model=_model(given),
        messages=read_messages(given.get("messages")),
        config=_config(given),
        stop=texts(given.get("stop", []), "stop", most=4, longest=200),
        stream=stream,
        usage=_include_usage(given, stream),
        trace=_trace(given),
    )


def parse_json(body: bytes) -> Any:
    try:
        return json.loads(body.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError) as cause:
        reason = "nested too deeply" if isinstance(cause, RecursionError) else str(cause)
        raise bad_request(f"the body is not valid JSON: {reason[:200]}") from cause


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _check_names(given: Mapping[str, Any]) -> None:
    for name, value in given.items():
        if name in READ or name in IGNORED:
            continue
        if name not in NEUTRAL:
            hint = near(name, (*READ, *IGNORED, *NEUTRAL)) if len(name) < 40 else ""
            hint = hint if "did you mean" in hint else ""
            raise bad_request(f"unknown parameter {name[:60]!r}{hint}", name[:60], "unknown")
        if not any(value == one and type(value) is type(one) for one in NEUTRAL[name]):
            reason = REFUSED.get(name, "true or false")
            raise bad_request(f"`{name}`: {reason}", name, "unsupported_parameter")


def _model(given: Mapping[str, Any]) -> str:
    model = given.get("model")
    if not isinstance(model, str):
        raise bad_request("`model` must be a text, e.g. 'conductor'", "model")
    check_model(model)
    return model


def check_model(model: str) -> None:
    if model not in MODELS:
        message = f"no model {model[:80]!r} here; there is {' = '.join(MODELS)}"
        raise ApiError(404, message, "invalid_request_error", "model_not_found", "model")


def _config(given: Mapping[str, Any]) -> GenerateConfig:
    ranges = {
        "temperature": (0, 2), "top_p": (0, 1),
        "presence_penalty": (-2, 2), "frequency_penalty": (-2, 2),
    }  # fmt: skip
    found: dict[str, Any] = {
        name: number(given[name], name, *ranges[name]) for name in ranges if name in given
    }
    if "top_k" in given:
        found["top_k"] = integer(given["top_k"], "top_k", 1, 10**6)
    if "seed" in given:
        found["seed"] = integer(given["seed"], "seed", -(2**63), 2**63 - 1)
    if "reasoning_effort" in given:
        found["reasoning_effort"] = one_of(given["reasoning_effort"], "reasoning_effort", EFFORTS)
    for name in ("max_tokens", "max_completion_tokens"):  # the second is the newer name
        if name in given:
            found["max_tokens"] = integer(given[name], name, 1, 10**7)
    return GenerateConfig(**found)


def _include_usage(given: Mapping[str, Any], stream: bool) -> bool:
    options = mapping(given.get("stream_options", {}), "stream_options")
    if options and not stream:
        raise bad_request("`stream_options` needs `stream: true`", "stream_options")
    known_keys(options, "stream_options", ("include_usage", "include_obfuscation"))
    return flag(options.get("include_usage") or False, "stream_options.include_usage")


def _trace(given: Mapping[str, Any]) -> bool:
    options = mapping(given.get("conductor", {}), "conductor")
    known_keys(options, "conductor", ("trace",))
    return flag(options.get("trace", False), "conductor.trace")
