"""From a user's arguments to a conductor ready to work, or one line that says what is missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentImage,
    ContentReasoning,
    ContentText,
    ModelAPI,
    modelapi,
)

from conductor import ConfigError, Worker
from conductor.assemble import assemble, check_worker, question_of


@modelapi(name="unmade")
def unmade() -> type[ModelAPI]:
    """A provider whose package is missing, in the words and markup of Inspect's own."""
    raise ImportError(
        "[bold]ERROR[/bold]: Unmade needs its package.\n\n[bold]pip install unmade[/bold]"
    )


def pool(model: str = "mockllm/model", **fields: Any) -> list[dict[str, Any]]:
    return [{"name": "a", "model": model, **fields}]


def test_a_settings_file_and_single_keys_make_an_assembly(tmp_path: Path) -> None:
    (tmp_path / "conductor.yaml").write_text("pool: pool.yaml\nseed: 4\n")
    (tmp_path / "pool.yaml").write_text("- {name: a, model: mockllm/model}\n")
    arguments = {"settings": "conductor.yaml", "policy": "single:a"}
    made = assemble(arguments, tmp_path.joinpath)
    assert (made.config.settings.policy, made.config.settings.seed) == ("single:a", 4)
    assert made.policy.description.startswith("a single worker")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"settings": 3}, "-M settings: must be the path of a .yaml file, not 3"),
        ({"polcy": "rule"}, "-M: unknown key 'polcy' of the configuration; did you mean 'policy'"),
        ({"pool": pool("opnai/gpt-5")}, "worker 'a': unknown provider 'opnai' .* 'openai'"),
        ({"pool": pool("unmade/m")}, "worker 'a': Unmade needs its package. pip install unmade$"),
        (
            {"pool": pool("local/smollm2", args={"foo": 1})},
            "worker 'a': .*unexpected keyword argument 'foo'",
        ),
        ({"pool": pool("openai/gpt-5")}, "worker 'a' needs a key: set OPENAI_API_KEY in the"),
        ({"pool": pool("openai-api/my-lab/m")}, "needs a key: set MY_LAB_API_KEY"),
        ({"pool": pool("google/gemini-2.5-pro")}, "needs a key: set GOOGLE_API_KEY"),
        ({"pool": pool(), "policy": "anthropic/claude"}, "needs a key: set ANTHROPIC_API_KEY"),
        ({"pool": pool(), "policy": "antropic/claude"}, "unknown provider 'antropic'"),
    ],
)
def test_what_is_missing_is_said_before_a_call_is_paid_for(
    monkeypatch: pytest.MonkeyPatch, arguments: dict[str, Any], error: str
) -> None:
    for variable in ("OPENAI", "MY_LAB", "GOOGLE", "ANTHROPIC"):
        monkeypatch.delenv(f"{variable}_API_KEY", raising=False)
    monkeypatch.delenv("GOOGLE_GENAI_USE_VERTEXAI", raising=False)
    with pytest.raises(ConfigError, match=error) as caught:
        assemble(arguments, Path)
    assert "\n" not in str(caught.value)


def test_a_missing_key_is_said_by_file_and_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (tmp_path / "pool.yaml").write_text("- model: mockllm/m\n- name: b\n  model: openai/gpt-5\n")
    with pytest.raises(ConfigError, match=r"pool\.yaml:3: worker 'b' needs a key"):
        assemble({"pool": "pool.yaml"}, tmp_path.joinpath)


def test_with_its_key_a_provider_is_fine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_LAB_API_KEY", "x")
    check_worker(Worker("a", "openai-api/my-lab/m", base_url="http://127.0.0.1:1/v1"))


def test_a_single_worker_needs_nobody_elses_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    both = [{"name": "here", "model": "mockllm/model"}, {"name": "there", "model": "openai/gpt-5"}]
    assemble({"pool": both, "policy": "single:here"}, Path)
    with pytest.raises(ConfigError, match="worker 'there' needs a key"):
        assemble({"pool": both, "policy": "single:there"}, Path)
    with pytest.raises(ConfigError, match="worker 'there' needs a key"):
        assemble({"pool": both}, Path)


def test_one_message_is_the_question_as_it_stands() -> None:
    assert question_of([ChatMessageUser(content="2 + 2?")]) == "2 + 2?"
    parts: list[Any] = [ContentText(text="2 + "), ContentText(text="2?")]
    assert "2 + " in question_of([ChatMessageUser(content=parts)])


def test_a_conversation_is_shown_with_its_roles() -> None:
    messages: list[ChatMessage] = [
        ChatMessageSystem(content="Answer briefly."),
        ChatMessageUser(content="2 + 2?"),
        ChatMessageAssistant(content=[ContentReasoning(reasoning="hm"), ContentText(text="4")]),
        ChatMessageUser(content="Sure?"),
    ]
    assert question_of(messages) == (
        "[system]\nAnswer briefly.\n\n[user]\n2 + 2?\n\n[assistant]\n4\n\n[user]\nSure?"
    )


def test_pictures_are_refused_rather_than_left_out() -> None:
    picture = ChatMessageUser(content=[ContentImage(image="data:image/png;base64,AA==")])
    with pytest.raises(ValueError, match="reads text only"):
        question_of([picture])
