"""`conductor serve`: options in, a running server out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from conductor.strict import ConfigError
from harness.paths import caller_path


@click.command()
@click.option("--settings", metavar="FILE", help="A conductor.yaml: policy, pool, rounds …")
@click.option("-M", "pairs", metavar="KEY=VALUE", multiple=True, help="A single key of it.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True,
              help="0 is any that is free.")  # fmt: skip
@click.option("--keys", metavar="FILE", help="Who may ask, and how much (YAML).")
@click.option("--keyless", is_flag=True, help="Let everybody ask, from other machines too.")
@click.option("--concurrency", type=click.IntRange(1), default=32, show_default=True,
              help="Requests that are worked on at once; more get 429.")  # fmt: skip
@click.option("--timeout", type=click.FloatRange(0, min_open=True), default=600.0,
              show_default=True, help="Seconds for one answer.")  # fmt: skip
@click.option("--max-body", type=click.IntRange(1), default=4_000_000, show_default=True,
              help="Bytes of one request.")  # fmt: skip
@click.option("--body-timeout", type=click.FloatRange(0, min_open=True), default=30.0,
              show_default=True, help="Seconds for one request to come in.")  # fmt: skip
@click.option("--keep-alive", type=click.FloatRange(0, min_open=True), default=15.0,
              show_default=True, help="Seconds of silence in a stream.")  # fmt: skip
@click.option("--grace", type=click.FloatRange(0), default=None,
              help="Seconds for requests in flight at SIGTERM.  [default: --timeout]")  # fmt: skip
def serve(settings: str | None, pairs: tuple[str, ...], **options: Any) -> None:
    """Serve the conductor behind OpenAI's chat API, at http://HOST:PORT/v1.

    \b
      conductor serve --settings conductor.yaml
      conductor serve -M policy=single:solver -M pool=pool.yaml --port 9000

    Tokens come from --keys, or from the environment: CONDUCTOR_SERVE_TOKENS=token,token
    """
    from harness.errors import was_refused

    try:
        _serve(read_pairs(pairs) | ({"settings": settings} if settings else {}), **options)
    except (ConfigError, FileNotFoundError) as error:
        click.echo(f"error: {' '.join(str(error).split())}", err=True)
        sys.exit(1)
    except Exception as error:
        if not was_refused(error):
            raise
        sys.exit(1)


def _serve(
    arguments: dict[str, Any],
    *,
    host: str,
    port: int,
    keys: str | None,
    keyless: bool,
    concurrency: int,
    timeout: float,
    max_body: int,
    body_timeout: float,
    keep_alive: float,
    grace: float | None,
) -> None:
    try:
        from conductor.serve.run import run
    except ModuleNotFoundError as cause:
        package = (cause.name or "").partition(".")[0]
        if package not in ("starlette", "uvicorn"):
            raise
        raise ConfigError(
            f"{package} is missing: pip install -e '.[serve]' installs what the server needs"
        ) from cause
    from conductor.assemble import assemble
    from conductor.serve.keyfile import read_keyring
    from conductor.serve.service import Limits, Service

    keyring = read_keyring(_path("--keys", keys) if keys else None)
    limits = Limits(concurrency, timeout, max_body, body_timeout, keep_alive)
    service = Service(assemble(arguments, caller_path), keyring, limits)
    run(service, host, port, timeout if grace is None else grace, keyless=keyless)


def read_pairs(pairs: tuple[str, ...]) -> dict[str, Any]:
    """`key=value` as Inspect reads them: values are YAML."""
    import yaml

    found: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not (key and equals):
            raise ConfigError(f"-M {pair}: write it as KEY=VALUE")
        try:
            found[key] = yaml.safe_load(value)
        except yaml.YAMLError as cause:
            raise ConfigError(f"-M {pair}: the value is not valid YAML") from cause
    return found


def _path(option: str, written: str) -> Path:
    try:
        return caller_path(written)
    except FileNotFoundError as cause:
        raise ConfigError(f"{option}: {cause}") from cause
