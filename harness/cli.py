"""The command line: `harness COMMAND`."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

import click

from harness.errors import refuse, was_refused


class Told(click.Group):
    """Ends with exit code 1 and no traceback when the user has been told what is wrong.

    Other packages add commands under the entry point `harness.commands` (`harness run` is the
    conductor's), so that the harness knows none of them.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *_added()})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        command = super().get_command(ctx, cmd_name)
        if command is None and cmd_name in _added():
            loaded = _added()[cmd_name].load()
            assert isinstance(loaded, click.Command)
            return loaded
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except Exception as error:
            if was_refused(error):
                sys.exit(1)
            raise


def _added() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group="harness.commands")}


@click.group(cls=Told, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Check data before money is spent, run systems, say who is better, grade again.

    \b
      harness preflight math500 --data questions.jsonl
      harness power --questions 198
      harness run --task gpqa --systems conductor,single,vote
      harness compare logs/run
      harness regrade logs/2026-…_gpqa_….eval
    """


@main.command()
@click.argument("task")
@click.option("--data", metavar="FILE", help="As -T data=: a file of yours, or `sample`.")
@click.option("--drop", metavar="FILE", type=click.Path(path_type=Path),
              help="Write the rows of --data that are sound to FILE (.jsonl).")  # fmt: skip
def preflight(task: str, data: str | None, drop: Path | None) -> None:
    """Grade the answer key of TASK against itself (a name like gpqa, or a task file).

    Every gold must be correct when it is stated as a model would, and typical wrong answers must
    not be. Exit code 1 when a gold fails. Costs nothing: no model is called. `--drop FILE` leaves
    out the golds that fail: run on the rest with -T data=FILE.
    """
    from harness.preflight import check_task, report, write_sound

    if drop is not None and data in (None, "sample"):
        refuse("--drop writes the sound rows of your file: name it with --data FILE")
    checks = check_task(task, data)
    print(report(checks))
    if drop is not None and data is not None:
        write_sound(checks, data, drop)
    sys.exit(not all(check.sound for check in checks))


@main.command()
@click.argument("logs", nargs=-1, required=True)
@click.option("--baseline", metavar="SYSTEM", help="What the others are compared with (the first).")
@click.option("--by", type=click.Choice(["domain", "difficulty"]), help="Also within each part.")
@click.option("--level", type=click.FloatRange(0.5, 0.999), default=0.95, show_default=True)
@click.option("--max-unscored", type=click.FloatRange(0, 1), default=0.05, show_default=True,
              help="Share of answers that may be unscored, or there is no comparison.")  # fmt: skip
@click.option("--format", "form", default="table", show_default=True,
              type=click.Choice(["table", "markdown", "csv", "json"]))  # fmt: skip
def compare(
    logs: tuple[str, ...],
    baseline: str | None,
    by: Any,
    level: float,
    max_unscored: float,
    form: str,
) -> None:
    """Say who is better on the same questions, by how much, and how sure that is.

    \b
      harness compare logs/run
      harness compare logs/run --baseline single --by domain
      harness compare ours=logs/a.eval theirs=logs/b.eval --format markdown

    LOGS are .eval files or folders; NAME=LOG names a system. Differences are paired by question,
    errors clustered, p-values adjusted over all comparisons shown (Holm).
    """
    from harness.compare import study
    from harness.compare_text import write
    from harness.logs import read_runs

    print(write(study(read_runs(logs), baseline, by, level, max_unscored), form))


@main.command()
@click.argument("logs", nargs=-1, required=True)
@click.option("--out", metavar="DIR", type=click.Path(path_type=Path), default="report",
              show_default=True)  # fmt: skip
@click.option("--title", default="Report", show_default=True)
@click.option("--baseline", metavar="SYSTEM", help="What the others are compared with (the first).")
@click.option("--metrics", metavar="FILE", type=click.Path(path_type=Path),
              help="Training metrics (.jsonl with a `step`), drawn as curves.")  # fmt: skip
def report(
    logs: tuple[str, ...], out: Path, title: str, baseline: str | None, metrics: Path | None
) -> None:
    """Write a page of LOGS: leaderboard, score against cost, differences, domains, workers.

    \b
      harness report logs/run --out report --baseline single
      conductor show logs/run/conductor --out report/plans/conductor   (then again: links plans)

    The page opens from disk, without a server and without a network; its numbers lie beside it as
    CSV, JSON and markdown.
    """
    from harness.logs import read_runs
    from harness.report.write import write_report

    print(write_report(read_runs(logs), out, title, baseline, metrics))


@main.command()
@click.option("--questions", type=click.IntRange(1), help="How many questions there are.")
@click.option("--effect", type=float, help="The difference to show, in points of accuracy.")
@click.option("--disagreement", type=float, default=20.0, show_default=True,
              help="Percent of questions that just one of the two systems gets right.")  # fmt: skip
@click.option("--alpha", type=float, default=0.05, show_default=True)
@click.option("--power", "wanted", type=float, default=0.8, show_default=True)
def power(
    questions: int | None, effect: float | None, disagreement: float, alpha: float, wanted: float
) -> None:
    """Plan a run: what a number of questions can show, or how many an effect needs.

    \b
      harness power --questions 198
      harness power --effect 3 --disagreement 15

    For paired comparisons of accuracy on the same questions, one answer each. More epochs make the
    disagreement smaller: systems that differ by chance agree on average.
    """
    from harness.stats import StatsError, minimum_detectable_effect, questions_needed

    share = disagreement / 100
    design = f"power {wanted:.0%}, alpha {alpha:g}, disagreement {disagreement:g} %"
    try:
        if questions is not None:
            shown = 100 * minimum_detectable_effect(questions, share, alpha, wanted)
            print(f"{questions} questions show a difference of {shown:.1f} points ({design})")
        if effect is not None:
            needed = questions_needed(effect / 100, share, alpha, wanted)
            print(f"{needed} questions are needed to show {effect:g} points ({design})")
    except StatsError as error:
        refuse(str(error), error)
    if questions is None and effect is None:
        refuse("give --questions N (what they can show) or --effect POINTS (how many it needs)")


@main.command()
@click.argument("logs", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
def resume(logs: tuple[Path, ...]) -> None:
    """Mark the unscored samples of LOGS (files or folders) to be run again.

    The same `inspect eval-set` command, or `inspect eval-retry LOG`, then runs exactly those; all
    others are kept. `harness run` does this by itself.
    """
    from harness.resume import reopen

    for path in logs:
        for log in reopen(path):
            print(f"{log.log}: {log.samples} of {log.of} samples will run again")


@main.command()
@click.argument("logs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--write",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the log with the new scores to FILE; the given log stays as it is.",
)
def regrade(logs: tuple[Path, ...], write: Path | None) -> None:
    """Grade the samples of LOGS (.eval files) anew, and show which verdicts change.

    Nothing is generated and nothing is charged. Use it after a grader was mended.
    """
    from harness.regrade import regrade_log, report

    if write is not None and len(logs) > 1:
        refuse("--write takes one log at a time")
    for path in logs:
        result = regrade_log(path)
        print(report(path, result))
        if write is not None:
            result.write(write)
