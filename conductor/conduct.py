"""Question in, outcome out: policy → plan → trace → answer, for as many rounds as are wanted."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from conductor.call import Call, CallKey, Message, Reply
from conductor.execute import run_plan
from conductor.plan import Plan
from conductor.policies.base import Context, Group, Policy, PolicyFault, group_by_text
from conductor.pool import Pool, Worker
from conductor.settings import Settings
from conductor.team import SELF, Team, listed_workers, with_self
from conductor.trace import Outcome, Planning, Round, StepTrace, Trace


async def conduct(
    question: str,
    policy: Policy,
    pool: Pool,
    settings: Settings,
    *,
    call: Call,
    key: CallKey,
    group: Group = group_by_text,
) -> Outcome:
    """Answer `question` by a plan over `pool`, and by further plans if `settings.rounds` allows.

    call: how workers are reached. key: names the draw (problem, epoch, rollout). group: which
    answers mean the same (for policies that vote).
    Never raises for anything a model writes: an unusable plan and trouble of ours are parts of
    the outcome. Inspect's provider and agent, the server and the trainer are shells over this.
    """
    listed = listed_workers(pool, settings, key.problem)
    if settings.depth > 0:
        inner = pool
        pool, listed = with_self(pool, listed)
        call = _Recursion(call, policy, inner, settings)
    base = Context(pool, settings, Team(call, pool, listed), key, listed, group)
    rounds: list[Round] = []
    for number in range(settings.rounds + 1):
        context = replace(base, key=replace(key, round=number))
        rounds.append(await _round(question, policy, rounds, context))
        if rounds[-1].trace is None or rounds[-1].trace.fault:
            break
    return await _outcome(policy, rounds, base)


async def _round(
    question: str, policy: Policy, history: Sequence[Round], context: Context
) -> Round:
    planning = await policy.plan(question, history, context)
    if planning.fault or not isinstance(planning.plan, Plan):
        return Round(planning)
    previous = history[-1].trace if history else None
    if context.settings.replan:
        return await _adapt(question, policy, planning, previous, context)
    return Round(planning, await _run(planning.plan, question, previous, context))


async def _adapt(
    question: str, policy: Policy, planning: Planning, previous: Trace | None, context: Context
) -> Round:
    """One step at a time; after each the policy may write the remaining steps anew."""
    assert isinstance(planning.plan, Plan)
    plan, done = planning.plan, 0
    revisions: list[Planning] = []
    trace: Trace | None = None
    while done < len(plan.steps):
        steps = trace.steps if trace else ()
        trace = await _run(plan, question, previous, context, steps, done + 1)
        done += 1
        if done == len(plan.steps) or trace.steps[-1].reply.fault:
            break
        revision = await policy.revise(question, replace(trace, plan=plan), context)
        revisions.append(revision)
        if revision.fault:
            return Round(planning, replace(trace, fault=revision.fault), tuple(revisions))
        if isinstance(revision.plan, Plan):
            plan = revised(plan, done, revision.plan)
    return Round(planning, trace, tuple(revisions))


def revised(plan: Plan, done: int, rest: Plan) -> Plan:
    """`plan` with everything after its first `done` steps replaced by `rest`.

    A step of `rest` that may see the previous work sees all steps that were done.
    """
    steps = plan.steps[:done] + tuple(
        replace(
            step,
            access=(
                *(range(done) if step.previous else ()),
                *(seen + done for seen in step.access),
            ),
        )
        for step in rest.steps
    )
    return Plan(steps)


async def _run(
    plan: Plan,
    question: str,
    previous: Trace | None,
    context: Context,
    done: Sequence[StepTrace] = (),
    until: int | None = None,
) -> Trace:
    return await run_plan(
        plan,
        question,
        context.pool,
        call=context.call,
        key=context.key,
        settings=context.settings,
        previous=previous,
        done=done,
        until=until,
    )


async def _outcome(policy: Policy, rounds: Sequence[Round], context: Context) -> Outcome:
    """The last trace's answer.

    No plan in the first round is a wrong answer; in a later one it leaves the answer as it was.
    Trouble of ours in any round leaves the sample unscored: the answer might have changed.
    """
    faults = [one.planning.fault or (one.trace and one.trace.fault) for one in rounds]
    fault = next((fault for fault in faults if fault), None)
    traces = [one.trace for one in rounds if one.trace]
    if not traces:
        errors = rounds[0].planning.errors
        reason = errors[-1] if errors else "the policy gave no plan"
        return Outcome("", tuple(rounds), None if fault else reason, fault)
    try:
        answer = await policy.answer(traces[-1], context)
    except PolicyFault as error:
        return Outcome(traces[-1].answer, tuple(rounds), fault=fault or str(error))
    return Outcome(answer, tuple(rounds), fault=fault)


class _Recursion:
    """A call to the worker that is the conductor itself is a question of its own, conducted."""

    def __init__(self, call: Call, policy: Policy, pool: Pool, settings: Settings) -> None:
        self._call, self._policy, self._pool = call, policy, pool
        self._settings = replace(settings, depth=settings.depth - 1)

    async def __call__(self, worker: Worker, messages: Sequence[Message], key: CallKey) -> Reply:
        if worker.model != SELF:
            return await self._call(worker, messages, key)
        begin = time.monotonic()
        question = "\n\n".join(message.text for message in messages if message.role == "user")
        inner = replace(key, problem=f"{key.problem}/{key.round}.{key.step}", round=0, step=0)
        outcome = await conduct(
            question, self._policy, self._pool, self._settings, call=self._call, key=inner
        )
        return as_reply(outcome, time.monotonic() - begin)


def as_reply(outcome: Outcome, seconds: float) -> Reply:
    """A conducted answer as one worker's reply; tokens and cost are sums over its calls."""
    replies = outcome.replies
    costs = [reply.cost for reply in replies]
    return Reply(
        text="" if outcome.fault else outcome.answer,
        model=SELF,
        input_tokens=sum(reply.input_tokens for reply in replies),
        output_tokens=sum(reply.output_tokens for reply in replies),
        cost=None if None in costs else sum(cost for cost in costs if cost is not None),
        seconds=seconds,
        retries=sum(reply.retries for reply in replies),
        stop_reason="no plan" if outcome.plan_error else "stop",
        fault=outcome.fault,
        calls=sum(reply.calls for reply in replies),
    )
