"""An outcome as plain data: what logs, metadata and the command line show of it."""

from __future__ import annotations

from typing import Any

from conductor.plan import Plan
from conductor.trace import Outcome, Round, StepTrace


def summary(outcome: Outcome) -> dict[str, Any]:
    """JSON-able; prompts stay in the transcript, where the calls are.

    `plan_error` and `fault` are what scorers go by; tokens and cost are sums over all calls.
    """
    replies = outcome.replies
    costs = [reply.cost for reply in replies if reply.calls]
    answering = outcome.answering
    return {
        "plan_error": outcome.plan_error,
        "fault": outcome.fault,
        "plan_errors": [error for one in outcome.rounds for error in one.planning.errors],
        "rounds": [_round(number, one, outcome) for number, one in enumerate(outcome.rounds)],
        "answered_by": [answering[0], answering[1].number] if answering else None,
        "calls": sum(reply.calls for reply in replies),
        "retries": sum(reply.retries for reply in replies),
        "input_tokens": sum(reply.input_tokens for reply in replies),
        "output_tokens": sum(reply.output_tokens for reply in replies),
        # one unknown price makes the sum unknown: a partial sum would look like the whole
        "cost": None if None in costs else sum(cost for cost in costs if cost is not None),
        "seconds": round(sum(_seconds(one) for one in outcome.rounds), 3),
    }


def _round(number: int, one: Round, outcome: Outcome) -> dict[str, Any]:
    trace, answering = one.trace, outcome.answering
    answered_by = trace.answered_by if trace else None
    if answering and answering[0] == number:
        answered_by = answering[1].number
    errors = one.planning.errors
    return {
        "round": number,
        "kept": one.kept,
        "plan_error": errors[-1] if errors and one.planning.plan is None else None,
        "fault": one.planning.fault or (trace.fault if trace else None),
        "revisions": sum(revision.plan is not None for revision in one.revisions),
        "planning": [round(reply.seconds, 3) for reply in one.planning.replies],
        "answered_by": answered_by,
        "steps": [_step(step, trace.plan) for step in trace.steps] if trace else [],
    }


def _step(step: StepTrace, plan: Plan) -> dict[str, Any]:
    reply = step.reply
    return {
        "step": step.number,
        "worker": step.worker,
        "model": reply.model or step.model,
        "subtask": step.subtask,
        "response": reply.text,
        "access": list(step.access),
        "previous": plan.steps[step.number].previous,
        "tokens": [reply.input_tokens, reply.output_tokens],
        "cost": reply.cost,
        "start": round(step.start, 3),
        "seconds": round(reply.seconds, 3),
        "calls": reply.calls if step.prompt else 0,
        "retries": reply.retries,
        "stop_reason": reply.stop_reason,
        "fault": reply.fault,
    }


def _seconds(one: Round) -> float:
    """Wall time of a round: planning, then the critical path."""
    planning = sum(reply.seconds for p in (one.planning, *one.revisions) for reply in p.replies)
    steps = one.trace.steps if one.trace else ()
    return planning + max((step.start + step.reply.seconds for step in steps), default=0.0)
