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
    """Check graders and data before money is spent, and grade again without generating.

    \b
      harness preflight math500 --data ../shared/data/math/math500.jsonl
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
