"""`--model conductor`: the conductor as a model of Inspect, for any task that there is."""

from __future__ import annotations

from typing import Any

from inspect_ai.model import ChatCompletionChoice as Choice
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from conductor.assemble import Assembly, assemble
from conductor.private import sample_identity
from conductor.strict import ConfigError
from conductor.trace import Outcome
from harness.errors import refuse
from harness.paths import caller_path


def assembled(arguments: dict[str, Any]) -> Assembly:
    """An assembly, or one line for the user and the end."""
    try:
        return assemble(arguments, caller_path)
    except ConfigError as error:
        refuse(str(error), error)


def as_output(assembly: Assembly, outcome: Outcome, model: str) -> ModelOutput:
    """What Inspect records. Usage stays with the workers' own calls: counted once.

    `metadata["conductor"]` carries what a scorer must know before it grades (`fault`,
    `plan_error`) and what people want to see.
    """
    message = ChatMessageAssistant(content=outcome.answer, model=model, source="generate")
    stop = outcome.answering[1].reply.stop_reason if outcome.answering else "stop"
    return ModelOutput(
        model=model,
        choices=[Choice(message=message, stop_reason=stop)],  # type: ignore[arg-type]
        metadata={"conductor": assembly.summary(outcome)},
    )


@modelapi(name="conductor")
class ConductorAPI(ModelAPI):
    """Model arguments: `settings=conductor.yaml` and any single key of it (`-M policy=single`)."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        **model_args: Any,
    ) -> None:
        self._assembly = assembled(model_args)
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())

    @property
    def base_url(self) -> str:
        """Part of Inspect's cache key, where `-M` arguments and the problem's id are not."""
        problem, _ = sample_identity(())
        return f"conductor://{self._assembly.fingerprint}/{problem}"

    @base_url.setter
    def base_url(self, value: str | None) -> None:
        """Inspect assigns the user's URL; a conductor has none."""

    def connection_key(self) -> str:
        """A pool of connections for each object: a conductor inside a conductor never waits for
        the slot that its own caller holds."""
        return f"{self.model_name}-{id(self)}"

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        if tools:
            raise RuntimeError(
                "the conductor calls no tools; run this task with a worker as --model instead"
            )
        outcome = await self._assembly.answer(input, config)
        return as_output(self._assembly, outcome, f"conductor/{self.model_name}")
