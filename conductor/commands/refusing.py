"""How a command ends when an input is wrong: one line on stderr, exit code 1."""

from __future__ import annotations

import sys
from typing import NoReturn

import click


def refuse_line(message: str) -> NoReturn:
    click.echo(f"error: {' '.join(message.split())}", err=True)
    sys.exit(1)
