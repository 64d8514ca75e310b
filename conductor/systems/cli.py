"""`harness run` and `harness suite`: the commands."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from conductor.strict import ConfigError
from conductor.systems.suites import SUITES
from harness.errors import refuse
from harness.paths import caller_path

if TYPE_CHECKING:
    from conductor.systems.run import Order, Result

TASKS = Path(__file__).resolve().parents[2] / "tasks"
INCOMPLETE = 3  # exit code: something is left to run; the same command goes on


def shared_options(command: Any) -> Any:
    """What `run` and `suite` both take."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


OPTIONS = (
    click.option("--list-systems", is_flag=True, is_eager=True, expose_value=False,
                 callback=lambda c, p, v: _list(c, v), help="Show what --systems takes."),
    click.option("--settings", metavar="FILE", help="A conductor.yaml that all systems share."),
    click.option("-M", "keys", metavar="KEY=VALUE", multiple=True,
                 help="A key of it (YAML value)."),
    click.option("-T", "task_args", metavar="KEY=VALUE", multiple=True,
                 help="As for inspect eval."),
    click.option("--data", metavar="FILE",
                 help="Short for -T data=: a file of yours, or `sample`."),
    click.option("--rounds", metavar="N|A..B",
                 help="One system for each number of further rounds."),
    click.option("--equal-cost", is_flag=True,
                 help="Give reflect, vote and best-of as many calls as cost what the first system "
                      "costs."),
    click.option("--dollars", type=float,
                 help="Budget of the whole run, kept in LOG_DIR/spent.jsonl."),
    click.option("--tokens", type=int, help="The same in tokens."),
    click.option("--calls", type=int, help="The same in calls."),
    click.option("--epochs", type=click.IntRange(1), help="Answers a question."),
    click.option("--limit", type=click.IntRange(1), help="The first N questions only."),
    click.option("--display", type=click.Choice(["full", "rich", "plain", "none"])),
)  # fmt: skip


@click.command(epilog="See docs/systems.md. `harness compare LOG_DIR` says who is better.")
@click.option("--task", "-t", "tasks", multiple=True, required=True, help="A name or a file.")
@click.option("--systems", "-s", default="conductor,single,vote", show_default=True,
              help="Policies, separated by commas; --list-systems shows them.")  # fmt: skip
@click.option("--log-dir", default="logs/run", show_default=True, type=click.Path(path_type=Path))
@shared_options
def run(tasks: tuple[str, ...], systems: str, log_dir: Path, **given: Any) -> None:
    """Run several systems on the same questions.

    \b
      harness run --task gpqa --data sample --systems conductor,single,vote:3,moa
      harness run --task gpqa --systems conductor,vote --equal-cost --dollars 20

    Each system gets a folder of ordinary Inspect logs in LOG_DIR. The same command again runs
    what is missing: what was killed, stopped by the budget, or unscored for trouble of ours.
    Every call is recorded in LOG_DIR/calls.jsonl, so that nothing is paid for twice. Exit code 3
    says that something is left to run.
    """
    sys.exit(_execute(tasks, systems, Path.cwd() / log_dir, **given))


@click.command(epilog="See docs/systems.md.")
@click.argument("name", type=click.Choice(sorted(SUITES)))
@click.option("--systems", "-s", help="Other systems than the suite's own.")
@click.option("--log-dir", type=click.Path(path_type=Path), help="[default: logs/NAME]")
@click.option("--baseline", metavar="SYSTEM", help="What the report compares with (the first).")
@shared_options
def suite(
    name: str, systems: str | None, log_dir: Path | None, baseline: str | None, **given: Any
) -> None:
    """Run a named set of tasks and systems under one budget, and write its report.

    \b
      harness suite quick --data sample --limit 8
      harness suite math --settings conductor.yaml --dollars 50

    As `harness run`, and resumed like it: the same command runs what is missing. The report lies
    in LOG_DIR/report.
    """
    from harness.logs import read_runs
    from harness.report.write import write_report

    chosen = SUITES[name]
    logs = Path.cwd() / (log_dir or Path("logs") / name)
    code = _execute(chosen.tasks, systems or chosen.systems, logs, **given)
    runs = read_runs([str(logs)])
    known = baseline if any(run.system == baseline for run in runs) else None  # not run yet
    click.echo(write_report(runs, logs / "report", f"Suite {name}", known))
    sys.exit(code)


def _execute(
    tasks: Sequence[str],
    systems: str,
    log_dir: Path,
    *,
    settings: str | None,
    keys: tuple[str, ...],
    task_args: tuple[str, ...],
    data: str | None,
    rounds: str | None,
    equal_cost: bool,
    dollars: float | None,
    tokens: int | None,
    calls: int | None,
    **options: Any,
) -> int:
    """Run, print the table, and give the exit code."""
    from conductor.systems.run import Order, run_systems
    from conductor.systems.spec import read_rounds, read_systems

    log_dir.mkdir(parents=True, exist_ok=True)
    budget = {"dollars": dollars, "tokens": tokens, "calls": calls}
    limits = {name: limit for name, limit in budget.items() if limit is not None}
    try:
        base = _base(settings, _pairs("-M", keys), log_dir, limits)
        order = Order(
            [_task(task) for task in tasks],
            read_systems(systems, base.config, read_rounds(rounds)),
            base,
            log_dir,
            {**_pairs("-T", task_args), **({"data": data} if data else {})},
            {name: value for name, value in options.items() if value is not None},
            equal_cost,
        )
        results = run_systems(order, lambda line: click.echo(line, err=True))
    except (ConfigError, FileNotFoundError) as error:
        refuse(str(error), error)
    click.echo(table(results))
    return 0 if _finished(order, results) else INCOMPLETE


def _base(path: str | None, keys: dict[str, Any], logs: Path, limits: dict[str, Any]) -> Any:
    """All systems write to one ledger and one file of recorded calls, in the folder of the logs."""
    from conductor.systems.folder import read_base

    keys.setdefault("recording", str(logs / "calls.jsonl"))
    keys["budget"] = {
        "ledger": str(logs / "spent.jsonl"),
        **(keys.get("budget") or {}),
        **limits,
    }
    return read_base(caller_path(path) if path else None, keys, caller_path)


def _finished(order: Order, results: Sequence[Result]) -> bool:
    expected = len(order.systems)
    return len(results) >= expected and all(result.complete for result in results)


def _task(name: str) -> Path:
    file = TASKS / f"{name}.py"
    if file.exists():
        return file
    if name.endswith(".py"):
        return caller_path(name)
    known = ", ".join(sorted(path.stem for path in TASKS.glob("[a-z]*.py")))
    raise ConfigError(f"--task {name!r}: no such task; one of: {known} (or a .py file)")


def _pairs(option: str, texts: Sequence[str]) -> dict[str, Any]:
    import yaml

    pairs: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise ConfigError(f"{option} {text!r}: is written KEY=VALUE")
        try:
            pairs[key] = yaml.safe_load(value)
        except yaml.YAMLError as cause:
            raise ConfigError(f"{option} {key}: the value is not valid YAML") from cause
    return pairs


def table(results: Sequence[Result]) -> str:
    """One line a system; costs and calls are means a question."""
    rows = [("system", "samples", "unscored", "score", "$/question", "tokens", "calls")]
    for r in results:
        score = "–" if r.score is None else f"{100 * r.score:.1f}"
        cost = "unknown" if r.cost is None else f"{r.cost:.5f}"
        rows.append((r.system, str(r.samples), str(r.unscored), score, cost,
                     f"{r.tokens:.0f}", f"{r.calls:.1f}"))  # fmt: skip
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        row[0].ljust(widths[0])
        + "".join(f"  {cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True))
        for row in rows
    )


def _list(context: click.Context, asked: bool) -> None:
    if asked:
        from conductor.systems.spec import known_systems

        click.echo(known_systems())
        context.exit()
