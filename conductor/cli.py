"""The command line: `conductor COMMAND`. What is wrong with an input is said in one line."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from conductor.call import Call, CallKey, Message, Reply
from conductor.config import Config, read_config
from conductor.plan import Plan
from conductor.policies import Context, Policy, Prompted, make_policy
from conductor.pool import Pool, Worker
from conductor.serve.command import serve
from conductor.strict import ConfigError
from conductor.trace import Planning
from harness.paths import caller_path


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Coordinate language models by plans in natural language.

    To run the conductor on a benchmark, it is a model of Inspect:

    \b
      inspect eval tasks/gpqa.py --model conductor -T data=sample
      inspect eval tasks/gpqa.py --model conductor -M settings=conductor.yaml
    """


main.add_command(serve)


@main.command()
@click.argument("question")
@click.option("--config", metavar="FILE", help="A conductor.yaml: policy, pool, max_steps …")
@click.option("--policy", metavar="NAME", help="rule, single, single:WORKER, or a model.")
@click.option("--pool", metavar="POOL", help="A pool file, or the name of a shipped pool.")
@click.option("--max-steps", type=int, help="How many steps a written plan may have.")
@click.option("--access", metavar="SCHEME", help="binary or positions.")
@click.option("--seed", type=int, help="What the choices of a policy are drawn from.")
@click.option("--id", "problem", default="", help="Problem id to draw with (default: QUESTION).")
def plan(question: str, config: str | None, problem: str, **keys: Any) -> None:
    """Print the plan for QUESTION without running it.

    \b
      conductor plan "How many primes are below 100?"
      conductor plan "…" --policy openai/gpt-5-mini --pool pool.yaml

    A rule costs nothing; a model as policy is called once (and once more for each of the
    configured plan_retries that it needs).
    """
    try:
        settled = _configure(config, {key: keys[key] for key in keys if keys[key] is not None})
        policy = make_policy(settled.settings, settled.pool)
        planning = asyncio.run(_plan(question, policy, settled, problem or question))
    except ConfigError as error:
        _refuse(str(error))
    if not isinstance(planning.plan, Plan):
        _refuse(planning.fault or f"no plan: {planning.errors[-1]}")
    click.echo(f"policy: {policy.description}\n")
    click.echo(describe(planning.plan, settled.pool))


@main.command()
@click.argument("logs", default="logs")
def summary(logs: str) -> None:
    """Say what the conductor did in a run: LOGS is an .eval file, or a folder (its newest).

    \b
      conductor summary logs

    A star marks the worker whose response became the answer. Unscored samples are trouble of
    ours (a provider down, a deadline): they are counted, and are no wrong answers.
    """
    from conductor.summary import newest_log, summarize

    try:
        for line in summarize(newest_log(caller_path(logs))):
            click.echo(line)
    except (ConfigError, FileNotFoundError) as error:
        _refuse(str(error))


def describe(plan: Plan, pool: Pool) -> str:
    """The plan for people, then as the three lists."""
    lines = []
    for number, step in enumerate(plan.steps):
        worker = pool.workers[step.worker]
        sees = ", ".join(f"step {seen}" for seen in step.access) or "no step"
        lines.append(f"step {number}: model id {step.worker}, {worker.name} (sees {sees})")
        lines.append(f"  {step.subtask}")
    everything = all(s.access in ((), tuple(range(n))) for n, s in enumerate(plan.steps))
    return "\n".join([*lines, "", plan.render("binary" if everything else "positions")])


def _configure(path: str | None, keys: dict[str, Any]) -> Config:
    try:
        return read_config(caller_path(path) if path else None, keys, caller_path, "options")
    except FileNotFoundError as cause:
        raise ConfigError(f"--config: {cause}") from cause


async def _plan(question: str, policy: Policy, config: Config, problem: str) -> Planning:
    call = _model_call(policy.model) if isinstance(policy, Prompted) else _no_call
    context = Context(config.pool, config.settings, call, CallKey(problem))
    return await policy.plan(question, (), context)


def _model_call(model: str) -> Call:
    """Inspect takes a second to load: only a policy that is a model pays for it."""
    from inspect_ai.model import GenerateConfig

    from conductor.assemble import check_worker
    from conductor.inspect_call import InspectCall
    from conductor.private import was_told

    try:
        check_worker(Worker("policy", model, where="--policy"))
    except Exception as error:
        if was_told(error):
            sys.exit(1)
        raise
    return InspectCall(GenerateConfig())


async def _no_call(worker: Worker, messages: Sequence[Message], key: CallKey) -> Reply:
    raise AssertionError("a rule calls no model")


def _refuse(message: str) -> NoReturn:
    click.echo(f"error: {' '.join(message.split())}", err=True)
    sys.exit(1)
