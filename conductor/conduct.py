"""Question in, outcome out: policy → plan → trace → answer."""

from __future__ import annotations

from conductor.call import Call, CallKey
from conductor.execute import run_plan
from conductor.plan import Plan
from conductor.policies.base import Context, Policy
from conductor.pool import Pool
from conductor.settings import Settings
from conductor.trace import Outcome


async def conduct(
    question: str,
    policy: Policy,
    pool: Pool,
    settings: Settings,
    *,
    call: Call,
    key: CallKey,
) -> Outcome:
    """Answer `question` by a plan over `pool`.

    call: how workers are reached. key: names the draw (problem, epoch, attempt).
    Never raises for anything a model writes: an unusable plan and trouble of ours are parts of
    the outcome. Inspect's provider and agent, the server and the trainer are shells over this.
    """
    context = Context(pool, settings, call, key)
    planning = await policy.plan(question, (), context)
    if planning.fault:
        return Outcome("", planning, None, fault=planning.fault)
    if not isinstance(planning.plan, Plan):
        reason = planning.errors[-1] if planning.errors else "the policy gave no plan"
        return Outcome("", planning, None, plan_error=reason)
    trace = await run_plan(planning.plan, question, pool, call=call, key=key, settings=settings)
    return Outcome(policy.answer(trace), planning, trace, fault=trace.fault)
