"""Inspect's provider over the engine."""

from __future__ import annotations

from typing import Any

import anyio.to_thread
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from conductor.local.engine import SLOTS, ContextOverflow, complete
from conductor.local.weights import MissingModel, find_weights
from harness.errors import refuse

DEFAULT_MAX_TOKENS = 256
STOPS = {"stop": "stop", "length": "max_tokens"}


class LocalAPI(ModelAPI):
    """`local/smollm2`."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())
        try:
            find_weights(model_name)
        except MissingModel as error:
            refuse(str(error), error)

    def max_connections(self) -> int:
        return 2 * SLOTS  # enough to keep every slot busy; more would only wait inside the engine

    def connection_key(self) -> str:
        return self.model_name

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        request = to_request(input, config)
        try:
            answer = await anyio.to_thread.run_sync(complete, self.model_name, request)
        except ContextOverflow as overflow:
            return ModelOutput.from_content(
                self.model_name, "", stop_reason="model_length", error=str(overflow)
            )
        return to_output(self.model_name, answer)


def to_request(messages: list[ChatMessage], config: GenerateConfig) -> dict[str, Any]:
    """OpenAI's request. `cache_prompt` is off: a warm cache changes low bits, so also samples."""
    settings = {
        "temperature": config.temperature,
        "top_p": config.top_p,
        "top_k": config.top_k,
        "seed": config.seed,
        "presence_penalty": config.presence_penalty,
        "frequency_penalty": config.frequency_penalty,
        "stop": config.stop_seqs,
    }
    return {
        "messages": [{"role": m.role, "content": m.text} for m in messages],
        "max_tokens": config.max_tokens or DEFAULT_MAX_TOKENS,
        "cache_prompt": False,
        **{name: value for name, value in settings.items() if value is not None},
    }


def to_output(model: str, answer: dict[str, Any]) -> ModelOutput:
    choice, usage = answer["choices"][0], answer["usage"]
    message = ChatMessageAssistant(
        content=choice["message"]["content"] or "", model=model, source="generate"
    )
    return ModelOutput(
        model=model,
        choices=[
            ChatCompletionChoice(
                message=message,
                stop_reason=STOPS.get(choice["finish_reason"], "unknown"),  # type: ignore[arg-type]
            )
        ],
        usage=ModelUsage(
            input_tokens=usage["prompt_tokens"],
            output_tokens=usage["completion_tokens"],
            total_tokens=usage["total_tokens"],
        ),
    )
