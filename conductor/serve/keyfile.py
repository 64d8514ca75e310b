"""Keys, read from a file and from the environment; no error ever quotes a token."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conductor.ledger import Budget
from conductor.serve.keys import Key, Keyring, digest
from conductor.strict import ConfigError, Document, Place

TOKENS = "CONDUCTOR_SERVE_TOKENS"  # environment variable: one token, or several with commas


def read_keyring(path: Path | None, environment: Mapping[str, str] = os.environ) -> Keyring:
    """Keys of the file and of the environment variable. Raises ConfigError at the line."""
    keys = [
        Key(f"{TOKENS}-{number}", digest(token))
        for number, token in enumerate(filter(None, _listed(environment.get(TOKENS, ""))), 1)
    ]
    ledgers = None
    if path is not None:
        document = Document.read(path)
        data = document.mapping((), document.data, ("keys", "ledgers"), "the file of keys")
        keys += _keys(document, data.get("keys"), environment)
        ledgers = _folder(document, data.get("ledgers"), path)
    if len({key.digest for key in keys}) < len(keys):
        raise ConfigError(f"{path or TOKENS}: two keys have the same token")
    return Keyring(keys, ledgers)


def _listed(text: str) -> list[str]:
    return [token.strip() for token in text.split(",")]


def _keys(document: Document, value: Any, environment: Mapping[str, str]) -> list[Key]:
    if not isinstance(value, list) or not value:
        raise document.error(("keys",), "`keys` must be a list of at least one key")
    keys = [_key(document, ("keys", i), one, environment) for i, one in enumerate(value)]
    names = [key.name for key in keys]
    for index, name in enumerate(names):
        if name in names[:index]:
            raise document.error(("keys", index), f"two keys have the name {name!r}")
    return keys


def _key(document: Document, place: Place, value: Any, environment: Mapping[str, str]) -> Key:
    if not isinstance(value, dict):  # a token perhaps: it must not be quoted
        raise document.error(place, "a key is a mapping: name, token or token_env, budget")
    data = document.mapping(place, value, ("name", "token", "token_env", "budget"), "a key")
    name = document.text((*place, "name"), data.get("name"), "a key's `name`")
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", name):
        raise document.error((*place, "name"), "a key's `name` is of letters, digits, . _ and -")
    if ("token" in data) == ("token_env" in data):
        raise document.error(place, f"key {name!r} needs `token:` or `token_env: VARIABLE`")
    if "token" in data:
        token = data["token"]
    else:
        variable = document.text((*place, "token_env"), data["token_env"], "`token_env`")
        token = environment.get(variable, "").strip()
        if not token:
            raise document.error((*place, "token_env"), f"{variable} is not in the environment")
    if not isinstance(token, str) or not token or re.search(r"\s", token):
        # not by `document.text`, which quotes what it was given
        raise document.error(place, f"the token of {name!r} must be a text without spaces")
    budget, requests = _budget(document, (*place, "budget"), data.get("budget", {}))
    return Key(name, digest(token), budget, requests)


def _budget(document: Document, place: Place, value: Any) -> tuple[Budget, int | None]:
    known = ("dollars", "tokens", "requests", "unknown_price")
    data = document.mapping(place, value, known, "`budget`")
    whole = {
        name: document.integer((*place, name), data[name], 0, 10**15, f"`{name}`")
        for name in ("tokens", "requests")
        if name in data
    }
    dollars = data.get("dollars")
    if dollars is not None:
        document.number((*place, "dollars"), dollars, 0, 1e9, "`dollars`")
    unknown = document.one_of(
        (*place, "unknown_price"),
        data.get("unknown_price", "refuse"),
        ("refuse", "allow"),
        "value of `unknown_price`",
    )
    budget = Budget(dollars, whole.get("tokens"), unknown_price=unknown)  # type: ignore[arg-type]
    return budget, whole.get("requests")


def _folder(document: Document, value: Any, beside: Path) -> Path | None:
    """Where ledgers are kept: relative to the file that says so."""
    if value is None:
        return None
    folder = beside.parent / Path(document.text(("ledgers",), value, "`ledgers`")).expanduser()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as cause:
        reason = f"the folder {folder} can't be made: {cause.strerror}"
        raise document.error(("ledgers",), reason) from cause
    return folder
