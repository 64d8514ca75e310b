"""The one executor of plans: evaluation, baselines, training and serving all run through it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace

from conductor.call import Call, CallKey, Message, Reply
from conductor.plan import Plan, PlanError
from conductor.pool import Pool
from conductor.prompt import worker_messages
from conductor.settings import Settings
from conductor.trace import StepTrace, Trace


async def run_plan(
    plan: Plan,
    question: str,
    pool: Pool,
    *,
    call: Call,
    key: CallKey,
    settings: Settings | None = None,
    previous: Trace | None = None,
    done: Sequence[StepTrace] = (),
    until: int | None = None,
) -> Trace:
    """Run every step of `plan`, each as soon as the steps that it reads are done.

    key: names the draw; its `step` is set here. previous: the round before, for steps that may
    see it. done: the first steps, as they ran already. until: run no step from this one on; the
    trace then ends before it. A fault in a step skips the steps that read it.
    Latency is the plan's critical path. Never raises for anything a worker answers; raises
    PlanError, before any call, for a worker that the pool lacks. What `call` itself raises (a
    limit of the sample) ends the plan, and so does cancellation: no step outlives this call.
    """
    _check_workers(plan, pool)
    end = len(plan.steps) if until is None else until
    plan = replace(plan, steps=plan.steps[:end])
    run = _Run(plan, question, pool, call, key, settings or Settings(), previous, done)
    tasks = [asyncio.ensure_future(run.step(number)) for number in range(len(done), end)]
    try:
        async with asyncio.timeout(run.time_left()) as limit:
            # no TaskGroup: it would wrap what a call raises, and Inspect looks for its own
            await asyncio.gather(*tasks)
    except TimeoutError:
        if not limit.expired():
            raise  # the call's own
        run.note_deadline()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return _trace(plan, [run.steps[number] for number in range(len(plan.steps))])


def _check_workers(plan: Plan, pool: Pool) -> None:
    for number, step in enumerate(plan.steps):
        if not 0 <= step.worker < len(pool):
            raise PlanError(
                f"step {number}: there is no worker {step.worker}; the pool has {len(pool)}"
            )


class _Run:
    """The state of one plan while it runs."""

    def __init__(
        self,
        plan: Plan,
        question: str,
        pool: Pool,
        call: Call,
        key: CallKey,
        settings: Settings,
        previous: Trace | None,
        done: Sequence[StepTrace],
    ) -> None:
        self.plan, self.question, self.pool = plan, question, pool
        self.call, self.key, self.settings, self.previous = call, key, settings, previous
        self.sent: dict[int, tuple[list[Message], float]] = {}
        self.steps: dict[int, StepTrace] = {step.number: step for step in done}
        self.done = [asyncio.Event() for _ in plan.steps]
        for step in done:
            self.done[step.number].set()
        self.slots = asyncio.Semaphore(settings.concurrency)
        elapsed = max((step.start + step.reply.seconds for step in done), default=0.0)
        self.begin = time.monotonic() - elapsed

    async def step(self, number: int) -> None:
        step = self.plan.steps[number]
        for seen in step.access:
            await self.done[seen].wait()
        broken = [seen for seen in step.access if self.steps[seen].reply.fault]
        if broken:
            self._record(number, _skipped(f"step {broken[0]}, which it reads, failed"))
        else:
            async with self.slots:
                await self._call(number)
        self.done[number].set()

    async def _call(self, number: int) -> None:
        step = self.plan.steps[number]
        worker = self.pool.workers[step.worker]
        responses = {seen: self.steps[seen].reply.text for seen in step.access}
        prompt = worker_messages(
            self.question, self.plan, number, responses, worker, self.settings, self.previous
        )
        self.sent[number] = (prompt, time.monotonic() - self.begin)
        self._record(number, await self.call(worker, prompt, replace(self.key, step=number)))

    def _record(self, number: int, reply: Reply) -> None:
        step = self.plan.steps[number]
        prompt, start = self.sent.get(number, ([], 0.0))
        # a recorded reply comes at once and says what it took: its readers began after that
        ends = [self.steps[seen].start + self.steps[seen].reply.seconds for seen in step.access]
        worker = self.pool.workers[step.worker]
        self.steps[number] = StepTrace(
            number=number,
            worker=reply.worker or worker.name,
            model=worker.model,
            subtask=step.subtask,
            access=step.access,
            prompt=tuple(prompt),
            reply=reply,
            start=max([start, *ends]),
        )

    def time_left(self) -> float:
        return self.settings.deadline - (time.monotonic() - self.begin)

    def note_deadline(self) -> None:
        """Steps that had not ended at the plan's deadline are faults, never wrong answers."""
        for number in range(len(self.plan.steps)):
            if number not in self.steps:
                reason = f"not done at the plan's deadline of {self.settings.deadline:g} s"
                self._record(number, _skipped(reason))


def _skipped(reason: str) -> Reply:
    return Reply(text="", model="", stop_reason="skipped", fault=reason)


def _trace(plan: Plan, steps: list[StepTrace]) -> Trace:
    """The answer is the last response that is not empty.

    A fault counts when the answer could depend on it: any faulty step after the answering one
    might have given another answer, and so might any that the answer was built on.
    """
    answered = [step.number for step in steps if step.reply.text.strip()]
    last = answered[-1] if answered else None
    relevant = _ancestors(plan, len(steps) - 1)
    if last is not None:
        relevant |= _ancestors(plan, last) | set(range(last + 1, len(steps)))
    faults = [
        f"step {step.number} ({step.worker}): {step.reply.fault}"
        for step in steps
        if step.number in relevant and step.reply.fault
    ]
    return Trace(plan, tuple(steps), last, faults[0] if faults else None)


def _ancestors(plan: Plan, number: int) -> set[int]:
    """The step and every step whose work it stands on."""
    found: set[int] = set()
    pending = [number]
    while pending:
        step = pending.pop()
        if step not in found:
            found.add(step)
            pending.extend(plan.steps[step].access)
    return found
