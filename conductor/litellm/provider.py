"""Inspect's provider over LiteLLM's `acompletion`. LiteLLM is imported at the first such worker."""

from __future__ import annotations

import os
from typing import Any

from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    RetryDecision,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from harness.errors import refuse

STOPS = {"stop": "stop", "length": "max_tokens", "content_filter": "content_filter"}
PASSED_ON = (
    "temperature", "top_p", "top_k", "max_tokens", "seed", "presence_penalty",
    "frequency_penalty", "reasoning_effort",
)  # fmt: skip
TRANSIENT = (408, 409, 500, 502, 503, 504, 529)


def load() -> Any:
    """LiteLLM, quiet and without a request of its own (it fetches a price list otherwise)."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    try:
        import litellm
    except ImportError as cause:
        refuse("litellm/… needs LiteLLM; install the extra: pip install -e '.[litellm]'", cause)
    litellm.suppress_debug_info = True
    litellm.telemetry = False
    return litellm


class LiteLLMAPI(ModelAPI):
    """`litellm/openai/gpt-5`, `litellm/bedrock/…`: keys from the environment, as LiteLLM reads
    them. Arguments (`args:` of a worker, `-M`) go to `acompletion`."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        **model_args: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())
        self._litellm = load()
        self._arguments = model_args

    def connection_key(self) -> str:
        return f"litellm/{self.model_name}"

    def should_retry(self, ex: BaseException) -> RetryDecision:
        status = getattr(ex, "status_code", None)
        if status == 429:
            return RetryDecision.rate_limit()
        return RetryDecision.transient() if status in TRANSIENT else RetryDecision.no()

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        if tools:
            raise RuntimeError("litellm/… as a worker calls no tools")
        response = await self._litellm.acompletion(
            model=self.model_name,
            messages=[{"role": message.role, "content": message.text} for message in input],
            api_base=self.base_url,
            num_retries=0,  # ours: see conductor.retry
            max_retries=0,
            **_settings(config),
            **self._arguments,
        )
        return self._output(response)

    def _output(self, response: Any) -> ModelOutput:
        choices = [
            ChatCompletionChoice(
                message=ChatMessageAssistant(
                    content=choice.message.content or "", model=response.model, source="generate"
                ),
                stop_reason=STOPS.get(choice.finish_reason, "unknown"),  # type: ignore[arg-type]
            )
            for choice in response.choices
        ]
        return ModelOutput(
            model=response.model or self.model_name, choices=choices, usage=self._usage(response)
        )

    def _usage(self, response: Any) -> ModelUsage:
        """Tokens, and the cost where LiteLLM's own price list knows the model."""
        usage = response.usage
        try:
            cost = self._litellm.completion_cost(response, model=self.model_name)
        except Exception:  # noqa: BLE001  it raises bare Exceptions for a model without a price
            cost = None
        return ModelUsage(
            input_tokens=usage.prompt_tokens,
            output_tokens=usage.completion_tokens,
            total_tokens=usage.total_tokens,
            total_cost=cost or None,
        )


def _settings(config: GenerateConfig) -> dict[str, Any]:
    """What is set; a provider's own rules on what it takes are LiteLLM's matter."""
    given = {name: getattr(config, name) for name in PASSED_ON}
    return {name: value for name, value in given.items() if value is not None}
