"""Any language model, prompted to write plans: the untrained conductor, and the trained one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from conductor.call import POLICY_STEP, Message, Reply
from conductor.parse import parse_plan
from conductor.plan import PlanError
from conductor.policies.base import Context
from conductor.pool import Worker
from conductor.prompt import continuation, policy_messages, revision_messages
from conductor.trace import Planning, Round, Trace


@dataclass(frozen=True, slots=True)
class Prompted:
    """model: an Inspect model string; it sees the workers as bare ordinals."""

    model: str

    @property
    def description(self) -> str:
        return f"{self.model}, prompted to write plans (not trained to)"

    async def plan(self, question: str, history: Sequence[Round], context: Context) -> Planning:
        """Draws until a plan can be used, `plan_retries` times at the most beyond the first.

        In a later round it is shown its own plan and what came of it; "keep" is then a plan too.
        """
        messages = policy_messages(question, context.pool, context.settings, context.listed)
        for one in history:
            said = one.planning.replies[-1].text if one.planning.replies else ""
            result = one.trace.answer if one.trace else ""
            messages = continuation(messages, said, result, context.settings)
        return await self._draws(messages, context, later_round=bool(history))

    async def revise(self, question: str, trace: Trace, context: Context) -> Planning:
        messages = revision_messages(
            question, trace, context.pool, context.settings, context.listed
        )
        left = context.settings.max_steps - len(trace.steps)
        shift = 1000 * len(trace.steps)  # a draw of its own for every step after which it is asked
        return await self._draws(messages, context, later_round=True, max_steps=left, shift=shift)

    async def answer(self, trace: Trace, context: Context) -> str:
        return trace.answer

    async def _draws(
        self,
        messages: Sequence[Message],
        context: Context,
        *,
        later_round: bool,
        max_steps: int | None = None,
        shift: int = 0,
    ) -> Planning:
        settings = context.settings
        steps = settings.max_steps if max_steps is None else max_steps
        replies: list[Reply] = []
        errors: list[str] = []
        for attempt in range(settings.plan_retries + 1):
            key = replace(context.key, step=POLICY_STEP, attempt=shift + attempt)
            reply = await context.call(
                Worker("policy", self.model, settings.generation, price=settings.policy_price),
                messages,
                key,
            )
            replies.append(reply)
            if reply.fault:
                fault = f"the policy model {self.model}: {reply.fault}"
                return Planning(None, tuple(replies), tuple(errors), fault)
            try:
                plan = parse_plan(
                    reply.text,
                    context.listed,
                    steps,
                    settings.access,
                    keep_allowed=later_round,
                    previous=later_round,
                )
                return Planning(plan, tuple(replies), tuple(errors))
            except PlanError as error:
                errors.append(str(error))
        return Planning(None, tuple(replies), tuple(errors))
