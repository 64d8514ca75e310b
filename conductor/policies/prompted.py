"""Any language model, prompted to write plans: the untrained conductor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from conductor.call import POLICY_STEP, Reply
from conductor.parse import parse_plan
from conductor.plan import Plan, PlanError
from conductor.policies.base import Context
from conductor.pool import Worker
from conductor.prompt import policy_messages
from conductor.trace import Planning, Trace


@dataclass(frozen=True, slots=True)
class Prompted:
    """model: an Inspect model string; it sees the workers as bare ordinals."""

    model: str

    @property
    def description(self) -> str:
        return f"{self.model}, prompted to write plans (not trained to)"

    async def plan(self, question: str, history: Sequence[Trace], context: Context) -> Planning:
        """Draws until a plan can be used, `plan_retries` times at the most beyond the first."""
        replies: list[Reply] = []
        errors: list[str] = []
        for attempt in range(context.settings.plan_retries + 1):
            reply = await self._draw(question, context, attempt)
            replies.append(reply)
            if reply.fault:
                fault = f"the policy model {self.model}: {reply.fault}"
                return Planning(None, tuple(replies), tuple(errors), fault)
            try:
                return Planning(_read(reply.text, context), tuple(replies), tuple(errors))
            except PlanError as error:
                errors.append(str(error))
        return Planning(None, tuple(replies), tuple(errors))

    async def _draw(self, question: str, context: Context, attempt: int) -> Reply:
        policy = Worker("policy", self.model, context.settings.generation)
        messages = policy_messages(question, context.pool, context.settings)
        attempts = context.settings.plan_retries + 1
        key = replace(
            context.key, step=POLICY_STEP, attempt=context.key.attempt * attempts + attempt
        )
        return await context.call(policy, messages, key)

    def answer(self, trace: Trace) -> str:
        return trace.answer


def _read(text: str, context: Context) -> Plan:
    settings = context.settings
    return parse_plan(text, len(context.pool), settings.max_steps, settings.access)
