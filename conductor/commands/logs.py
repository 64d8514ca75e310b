"""Commands that read what a run left behind: its logs and its ledger."""

from __future__ import annotations

from pathlib import Path

import click

from conductor.commands.refusing import refuse_line
from conductor.strict import ConfigError
from harness.paths import caller_path


@click.command()
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
        refuse_line(str(error))


@click.command()
@click.argument("logs", nargs=-1, required=True)
@click.option("--out", metavar="FILE", required=True, type=click.Path(path_type=Path))
def table(logs: tuple[str, ...], out: Path) -> None:
    """Write who was right on which question: what `router`, `cascade` and `oracle` go by.

    \b
      harness run --task gpqa --systems each --log-dir logs/each
      conductor table logs/each --out table.jsonl
      inspect eval tasks/gpqa.py --model conductor -M policy=router:table.jsonl

    Only answers of a single worker count (policies `single:WORKER`); several epochs are averaged,
    unscored ones left out.
    """
    from conductor.score_table import make_table

    try:
        rows = make_table([caller_path(path) for path in logs])
    except (ConfigError, FileNotFoundError) as error:
        refuse_line(str(error))
    out.write_text("".join(row + "\n" for row in rows), encoding="utf-8")
    click.echo(f"{out}: {len(rows)} questions")


@click.command()
@click.argument("ledger", type=click.Path(path_type=Path))
@click.option("--by", type=click.Choice(["worker", "model", "problem", "round", "step"]),
              default="worker", show_default=True)  # fmt: skip
def spent(ledger: Path, by: str) -> None:
    """Say what a run has spent: LEDGER is the file of `budget: {ledger: …}`.

    \b
      conductor spent logs/run/spent.jsonl --by worker
    """
    from conductor.summary import spending

    try:
        for line in spending(ledger, by):
            click.echo(line)
    except (ConfigError, OSError) as error:
        refuse_line(str(error))


@click.command()
@click.argument("log", default="logs")
@click.option("--out", metavar="DIR", type=click.Path(path_type=Path), default="show",
              show_default=True, help="Where the pages are written.")  # fmt: skip
@click.option("--open/--no-open", "browser", default=False, help="Open it in a browser.")
def show(log: str, out: Path, browser: bool) -> None:
    """Write pages of a run: each sample's plan as a graph, prompts, answers, cost and time.

    \b
      conductor show logs --out show
      conductor show logs/2026-…_gpqa_….eval --open

    LOG is an .eval file, or a folder (its newest). The pages open from disk, without a server and
    without a network.
    """
    from conductor.show.write import write_pages

    try:
        index = write_pages(caller_path(log), out)
    except (ConfigError, FileNotFoundError) as error:
        refuse_line(str(error))
    click.echo(f"{index}")
    if browser:
        click.launch(str(index))
