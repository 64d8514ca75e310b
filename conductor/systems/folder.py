"""A system's folder: its configuration as a file, its logs, and nothing of another system."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conductor.config import Config, Resolve, read_config
from conductor.strict import ConfigError, Document
from conductor.systems.spec import System

SETTINGS = "conductor.yaml"
NOTE = "# Written by `harness run`: what this system ran under.\n"


@dataclass(frozen=True, slots=True)
class Base:
    """What all systems of a run share: keys of a configuration, as written by the user."""

    keys: Mapping[str, Any]
    config: Config


def read_base(path: Path | None, overrides: Mapping[str, Any], resolve: Resolve) -> Base:
    """A settings file and single keys on top; paths in it become absolute."""
    keys = {**(Document.read(path).data if path else {}), **overrides}
    config = read_config(path, overrides, resolve)
    pool = keys.get("pool")
    if isinstance(pool, str) and pool.endswith((".yaml", ".yml")):
        keys["pool"] = str(resolve(pool).absolute())
    for key in ("budget", "recording"):
        if key in keys:
            keys[key] = _absolute(keys[key], resolve)
    return Base(keys, config)


def _absolute(value: Any, resolve: Resolve) -> Any:
    """The paths of files to write, wherever Inspect will stand when it reads them."""
    if isinstance(value, str):
        path = Path(value).expanduser()
        return str(resolve(str(path.parent)).absolute() / path.name)
    return {k: _absolute(v, resolve) if k in ("path", "ledger") else v for k, v in value.items()}


def prepare(folder: Path, base: Base, system: System) -> Path:
    """The system's settings file, written. Raises ConfigError when the folder already holds logs
    of another configuration: they would be taken for this one's."""
    keys = dict(base.keys)
    if system.policy is not None:
        keys["policy"] = system.policy
    if system.rounds is not None:
        keys["rounds"] = system.rounds
    path = folder / SETTINGS
    config = read_config(None, keys, Path, source=system.name)
    if path.exists() and read_config(path).fingerprint != config.fingerprint:
        raise ConfigError(
            f"{folder} holds logs of another configuration of {system.name!r}; "
            "choose another --log-dir, or delete that folder"
        )
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(keys, indent=2, ensure_ascii=False)  # JSON is YAML
    path.write_text(NOTE + text + "\n", encoding="utf-8")
    return path
