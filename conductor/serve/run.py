"""Listening: a socket, uvicorn on it, and an end that lets what is in flight finish."""

from __future__ import annotations

import ipaddress
import logging
import signal
import socket
import sys
from typing import Any, NoReturn

import uvicorn

from conductor.reach import unpriced
from conductor.serve.app import make_app
from conductor.serve.keyfile import TOKENS
from conductor.serve.keys import Key
from conductor.serve.service import Service
from conductor.strict import ConfigError


def run(service: Service, host: str, port: int, grace: float, *, keyless: bool = False) -> None:
    """Serve until SIGTERM or SIGINT. grace: seconds for what is in flight then.

    keyless: everybody may ask, from other machines too. Raises ConfigError for what can't work.
    """
    _check(service, host, keyless)
    listener = listen(host, port)
    _log_to_stderr()
    limits = service.limits
    config = uvicorn.Config(
        make_app(service),
        log_config=None,
        access_log=False,
        lifespan="off",
        ws="none",
        server_header=False,
        timeout_keep_alive=75,  # clients close idle connections first: at 5 s both would, at once
        limit_concurrency=limits.concurrency * 8 + 64,  # connections, idle ones included
        timeout_graceful_shutdown=max(1, round(grace)),
    )
    for number in (signal.SIGTERM, signal.SIGINT):  # uvicorn raises them again when it is done
        signal.signal(number, _end)
    _Announced(config, _greeting(service, listener)).run(sockets=[listener])


class _Announced(uvicorn.Server):
    """Says where it listens, once it does."""

    def __init__(self, config: uvicorn.Config, greeting: str) -> None:
        super().__init__(config)
        self._greeting = greeting

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        print(self._greeting, file=sys.stderr, flush=True)


def listen(host: str, port: int) -> socket.socket:
    """A bound socket. port 0 is any that is free."""
    try:
        (family, _, _, _, address), *_ = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        return socket.create_server(address[:2], family=family)
    except (OSError, OverflowError) as cause:
        reason = getattr(cause, "strerror", None) or cause
        raise ConfigError(
            f"{host}:{port}: {reason}; choose others with --host and --port"
        ) from cause


def _check(service: Service, host: str, keyless: bool) -> None:
    keys = service.keyring.keys
    if not keys and not keyless and not is_local(host):
        raise ConfigError(
            f"{host} can be reached from other machines, and there are no keys: set {TOKENS}, give "
            "--keys FILE, or say --keyless"
        )
    _check_prices(service, keys)


def _check_prices(service: Service, keys: tuple[Key, ...]) -> None:
    """A budget in dollars over a worker without a price would never end."""
    assembly = service.assembly
    worker = unpriced(assembly.config.settings, assembly.config.pool, assembly.policy)
    for key in keys:
        if worker and key.budget.dollars is not None and key.budget.unknown_price == "refuse":
            raise ConfigError(
                f"key {key.name!r} has a budget in dollars, but worker {worker.name!r} no price: "
                "give it one, or say unknown_price: allow"
            )


def is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _greeting(service: Service, listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    names = ", ".join(key.name for key in service.keyring.keys)
    who = f"keys: {names}" if names else "no keys: whoever reaches it may ask"
    return (
        f"conductor serves http://{shown}:{port}/v1 ({service.assembly.policy.description}; "
        f"{len(service.assembly.config.pool)} workers; {who})"
    )


def _log_to_stderr() -> None:
    log = logging.getLogger("conductor.serve")
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    log.propagate = False


def _end(*_: Any) -> NoReturn:
    sys.exit(0)
