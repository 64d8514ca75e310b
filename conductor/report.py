"""An outcome as plain data: what logs, metadata and the command line show of it."""

from __future__ import annotations

from typing import Any

from conductor.trace import Outcome, StepTrace


def summary(outcome: Outcome) -> dict[str, Any]:
    """JSON-able; prompts and responses stay in the transcript, where the calls are.

    `plan_error` and `fault` are what scorers go by; tokens and cost are sums over all calls.
    """
    replies = outcome.replies
    costs = [reply.cost for reply in replies]
    trace = outcome.trace
    return {
        "plan_error": outcome.plan_error,
        "fault": outcome.fault,
        "plan_errors": list(outcome.planning.errors),
        "steps": [_step(step) for step in trace.steps] if trace else [],
        "answered_by": trace.answered_by if trace else None,
        "calls": len(replies),
        "retries": sum(reply.retries for reply in replies),
        "input_tokens": sum(reply.input_tokens for reply in replies),
        "output_tokens": sum(reply.output_tokens for reply in replies),
        # one unknown price makes the sum unknown: a partial sum would look like the whole
        "cost": None if None in costs else sum(cost for cost in costs if cost is not None),
    }


def _step(step: StepTrace) -> dict[str, Any]:
    reply = step.reply
    return {
        "worker": step.worker,
        "model": reply.model or step.model,
        "subtask": step.subtask,
        "access": list(step.access),
        "tokens": [reply.input_tokens, reply.output_tokens],
        "cost": reply.cost,
        "start": round(step.start, 3),
        "seconds": round(reply.seconds, 3),
        "retries": reply.retries,
        "stop_reason": reply.stop_reason,
        "fault": reply.fault,
    }
