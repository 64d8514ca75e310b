"""An outcome as OpenAI's API shows it: a completion, its chunks, its usage."""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from conductor.assemble import Assembly
from conductor.call import Reply
from conductor.serve.live import cut
from conductor.serve.request import ChatRequest
from conductor.trace import Outcome

FINISH = {"max_tokens": "length", "model_length": "length", "content_filter": "content_filter"}


@dataclass(frozen=True, slots=True)
class Completion:
    """What every part of one response has in common."""

    asked: ChatRequest
    assembly: Assembly
    id: str = field(default_factory=lambda: f"chatcmpl-{uuid.uuid4().hex}")
    created: int = field(default_factory=lambda: int(time.time()))

    def whole(self, outcome: Outcome) -> dict[str, Any]:
        """The body of a response that is not streamed."""
        content = cut(outcome.answer, self.asked.stop)
        message = {"role": "assistant", "content": content, "refusal": None}
        choice = {"index": 0, "message": message, "logprobs": None}
        choice["finish_reason"] = finish_reason(outcome)
        return {
            **self._head("chat.completion", [choice]),
            "usage": usage(outcome),
            **self._extra(outcome),
        }

    def chunk(self, **delta: str) -> dict[str, Any]:
        """A piece of a streamed response: `role=` first, then `content=`."""
        return self._head("chat.completion.chunk", [_choice(delta, None)])

    def last_chunk(self, outcome: Outcome) -> dict[str, Any]:
        choice = _choice({}, finish_reason(outcome))
        return {**self._head("chat.completion.chunk", [choice]), **self._extra(outcome)}

    def usage_chunk(self, outcome: Outcome) -> dict[str, Any]:
        """What ends a stream that was asked to include its usage."""
        return {**self._head("chat.completion.chunk", []), "usage": usage(outcome)}

    def _head(self, kind: str, choices: list[dict[str, Any]]) -> dict[str, Any]:
        model = self.asked.model
        return {
            "id": self.id,
            "object": kind,
            "created": self.created,
            "model": model,
            "choices": choices,
        }

    def _extra(self, outcome: Outcome) -> dict[str, Any]:
        """What no other API has: the steps, when asked for; why there is no answer, always."""
        if self.asked.trace:
            return {"conductor": self.assembly.summary(outcome)}
        return {"conductor": {"plan_error": outcome.plan_error}} if outcome.plan_error else {}


def _choice(delta: dict[str, str], finish: str | None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}


def finish_reason(outcome: Outcome) -> str:
    answering = outcome.answering[1] if outcome.answering else None
    return FINISH.get(answering.reply.stop_reason, "stop") if answering else "stop"


def usage(outcome: Outcome) -> dict[str, Any]:
    """The sums over all calls, then whose they are: the policy's, the answering step's, the other
    steps'."""
    steps = [step.reply for one in outcome.rounds if one.trace for step in one.trace.steps]
    answering = outcome.answering[1] if outcome.answering else None
    answer = [answering.reply] if answering else []
    policy = [reply for reply in outcome.replies if not _among(reply, steps)]
    others = [reply for reply in outcome.replies if not _among(reply, [*policy, *answer])]
    total = spent(outcome.replies)
    return {
        "prompt_tokens": total["prompt_tokens"],
        "completion_tokens": total["completion_tokens"],
        "total_tokens": total["prompt_tokens"] + total["completion_tokens"],
        "orchestration": {
            "policy": spent(policy),
            "earlier_steps": spent(others),
            "answer": spent(answer),
        },
    }


def _among(reply: Reply, replies: Sequence[Reply]) -> bool:
    return any(reply is one for one in replies)  # equal replies of two steps are two


def spent(replies: Sequence[Reply]) -> dict[str, Any]:
    """Sums; one unknown price makes the cost unknown."""
    costs = [reply.cost for reply in replies if reply.calls]
    return {
        "calls": sum(reply.calls for reply in replies),
        "prompt_tokens": sum(reply.input_tokens for reply in replies),
        "completion_tokens": sum(reply.output_tokens for reply in replies),
        "cost": None if None in costs else sum((cost for cost in costs if cost is not None), 0.0),
    }
