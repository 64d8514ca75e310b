"""`litellm/MODEL`: every provider that LiteLLM knows, as a worker or a model of Inspect."""

from __future__ import annotations

from inspect_ai.model import ModelAPI, modelapi


@modelapi(name="litellm")
def litellm() -> type[ModelAPI]:
    from conductor.litellm.provider import LiteLLMAPI

    return LiteLLMAPI
