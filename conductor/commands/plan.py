"""`conductor plan` and `conductor run`: a plan without running it, and a plan of one's own."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from textwrap import indent
from typing import Any

import click

from conductor.call import Call, CallKey, Message, Reply
from conductor.commands.refusing import refuse_line
from conductor.config import Config, read_config
from conductor.execute import run_plan
from conductor.parse import parse_plan
from conductor.plan import Plan, PlanError
from conductor.policies import Context, Policy, Prompted, make_policy
from conductor.pool import Pool, Worker
from conductor.strict import ConfigError
from conductor.team import Team, listed_workers
from conductor.trace import Planning, Trace
from harness.paths import caller_path


@click.command()
@click.argument("question")
@click.option("--config", metavar="FILE", help="A conductor.yaml: policy, pool, max_steps …")
@click.option("--policy", metavar="NAME", help="rule, single:WORKER, vote:5 …, or a model.")
@click.option("--pool", metavar="POOL", help="A pool file, or the name of a shipped pool.")
@click.option("--max-steps", type=int, help="How many steps a written plan may have.")
@click.option("--access", metavar="SCHEME", help="binary or positions.")
@click.option("--seed", type=int, help="What the choices of a policy are drawn from.")
@click.option("--out", metavar="FILE", type=click.Path(path_type=Path),
              help="Write it to FILE, to be edited and run by `conductor run`.")  # fmt: skip
@click.option("--id", "problem", default="", help="Problem id to draw with (default: QUESTION).")
def plan(question: str, config: str | None, problem: str, out: Path | None, **keys: Any) -> None:
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
        refuse_line(str(error))
    if not isinstance(planning.plan, Plan):
        refuse_line(planning.fault or f"no plan: {planning.errors[-1]}")
    click.echo(f"policy: {policy.description}\n")
    click.echo(describe(planning.plan, settled.pool))
    if out is not None:
        out.write_text(describe(planning.plan, settled.pool) + "\n", encoding="utf-8")


@click.command()
@click.argument("plan_file", metavar="PLAN", type=click.Path(path_type=Path))
@click.argument("question")
@click.option("--config", metavar="FILE", help="A conductor.yaml: pool, visible, deadline …")
@click.option("--pool", metavar="POOL", help="A pool file, or the name of a shipped pool.")
@click.option("--id", "problem", default="", help="Problem id to draw with (default: QUESTION).")
def run(plan_file: Path, question: str, config: str | None, problem: str, **keys: Any) -> None:
    """Run the PLAN in a file on QUESTION, and print what each step answers.

    \b
      conductor plan "How many primes are below 100?" --out plan.txt
      conductor run plan.txt "How many primes are below 100?"

    The file holds the three lists (model_id, subtasks, access_list), in any form that a model may
    write them; other text in it is not read.
    """
    try:
        settled = _configure(config, {key: keys[key] for key in keys if keys[key] is not None})
        made = _read_plan(plan_file, settled)
        for worker in {settled.pool.workers[step.worker].name for step in made.steps}:
            _check(settled.pool.workers[settled.pool.ordinal(worker)])
        trace = asyncio.run(_execute(made, question, settled, problem or question))
    except ConfigError as error:
        refuse_line(str(error))
    for step in trace.steps:
        reply = step.reply
        click.echo(f"step {step.number} ({step.worker}, {reply.seconds:.1f} s): {step.subtask}")
        click.echo(indent(f"fault: {reply.fault}" if reply.fault else reply.text, "  ") + "\n")
    if trace.fault:
        refuse_line(trace.fault)
    click.echo(f"answer:\n{trace.answer}")


def _read_plan(path: Path, config: Config) -> Plan:
    """By positions, which also reads what was written for the binary scheme without \"all\"."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as cause:
        raise ConfigError(f"{path}: cannot be read: {cause}") from cause
    errors = []
    for access in ("binary", "positions"):
        try:
            return parse_plan(text, len(config.pool), 100, access)
        except PlanError as error:
            errors.append(str(error))
    raise ConfigError(f"{path}: no plan: {errors[0]}")


async def _execute(plan: Plan, question: str, config: Config, problem: str) -> Trace:
    from inspect_ai.model import GenerateConfig

    from conductor.assemble import Link

    listed = listed_workers(config.pool, config.settings, problem)
    call = Link(config.settings).call(GenerateConfig())
    return await run_plan(
        plan,
        question,
        config.pool,
        call=Team(call, config.pool, listed),
        key=CallKey(problem),
        settings=config.settings,
    )


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

    from conductor.inspect_call import InspectCall

    _check(Worker("policy", model, where="--policy"))
    return InspectCall(GenerateConfig())


def _check(worker: Worker) -> None:
    from conductor.assemble import check_worker
    from conductor.private import was_told

    try:
        check_worker(worker)
    except Exception as error:
        if was_told(error):
            sys.exit(1)
        raise


async def _no_call(worker: Worker, messages: Sequence[Message], key: CallKey) -> Reply:
    raise AssertionError("a rule calls no model")
