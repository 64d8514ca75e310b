"""`--solver conductor`: the conductor as an agent, for tasks whose model stays another one."""

from __future__ import annotations

from typing import Any

from inspect_ai.agent import Agent, AgentState, agent

from conductor.private import run_config
from conductor.provider import as_output, assembled


@agent(
    name="conductor",
    description="Answers by planning which language model does which subtask, then running it.",
)
def conductor_agent(**arguments: Any) -> Agent:
    """Arguments as of `--model conductor`: `-S settings=conductor.yaml`, `-S policy=single` …"""
    assembly = assembled(arguments)

    async def execute(state: AgentState) -> AgentState:
        outcome = await assembly.answer(state.messages, run_config())
        state.output = as_output(assembly, outcome, "conductor/agent")
        state.messages.append(state.output.message)
        return state

    return execute
