"""What Inspect gives back, as a `Reply`: answers and faults."""

from __future__ import annotations

from inspect_ai.log import transcript
from inspect_ai.model import ModelOutput

from conductor.call import Reply
from conductor.pool import Worker


def to_reply(worker: Worker, output: ModelOutput) -> Reply:
    """Cost as the provider reports it, else by the worker's price, else unknown."""
    usage = output.usage
    given = output.choices[0] if output.choices else None
    cached = (
        (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0) if usage else 0
    )
    tokens = (usage.input_tokens + cached, usage.output_tokens) if usage else (0, 0)
    cost = usage.total_cost if usage else None
    if cost is None and worker.price is not None:
        cost = worker.price.of(*tokens)
    return Reply(
        text=output.completion,
        model=output.model or worker.model,
        input_tokens=tokens[0],
        output_tokens=tokens[1],
        cost=cost,
        stop_reason=given.stop_reason if given else "unknown",
        fault=_fault_of(output),
    )


def client_retries(output: ModelOutput) -> int:
    """How often the provider's own client tried again, as Inspect's event of the call says."""
    if not output.choices:
        return 0
    for event in reversed(transcript().events):
        if (
            event.event == "model"
            and event.output.choices
            and event.output.choices[0].message.id == output.choices[0].message.id
        ):
            return event.retries or 0
    return 0


def _fault_of(output: ModelOutput) -> str | None:
    """What a provider calls an error, or the fault of a conductor that is a worker itself."""
    if output.completion:
        return None
    if not output.choices:
        return output.error or "the provider sent no answer"
    nested = (output.metadata or {}).get("conductor") or {}
    return output.error or nested.get("fault")


def to_fault(worker: Worker, cause: BaseException) -> Reply:
    """Our trouble in one line."""
    text = " ".join(f"{type(cause).__name__}: {cause}".split())
    return Reply("", worker.model, stop_reason="error", fault=text[:300])
