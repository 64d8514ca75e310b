"""The command line: `conductor COMMAND`. What is wrong with an input is said in one line."""

from __future__ import annotations

import click

from conductor.commands.logs import show, spent, summary, table
from conductor.commands.plan import plan, run
from conductor.serve.command import serve


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Coordinate language models by plans in natural language.

    To run the conductor on a benchmark, it is a model of Inspect:

    \b
      inspect eval tasks/gpqa.py --model conductor -T data=sample
      inspect eval tasks/gpqa.py --model conductor -M settings=conductor.yaml
    """


for command in (plan, run, show, summary, table, spent, serve):
    main.add_command(command)
