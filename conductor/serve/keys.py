"""Who may ask, and how much: tokens, and what each key has left of its budget."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from conductor.appended import append_line
from conductor.ledger import Budget, Ledger, read_ledger
from conductor.serve.errors import ApiError, no_quota

REMEDY = "send one as `Authorization: Bearer TOKEN`"


@dataclass(frozen=True, slots=True)
class Key:
    """digest: of the token, which itself is not kept. requests: how many at most."""

    name: str
    digest: bytes
    budget: Budget = Budget()
    requests: int | None = None


class Account:
    """A key and what was spent with it.

    path: a ledger that outlives the process. Requests are counted when they begin, whatever
    becomes of them; money and tokens as `conductor.ledger` does.
    """

    def __init__(self, key: Key, path: Path | None = None) -> None:
        self.key, self._path = key, path
        self.ledger = Ledger(replace(key.budget, ledger=str(path) if path else None))
        self.requests = _past_requests(path)

    def exhausted(self) -> str | None:
        """Why no further request may begin, or None."""
        limit = self.key.requests
        if limit is not None and self.requests >= limit:
            return f"the budget of {limit} requests is spent"
        return self.ledger.exhausted()

    def begin(self) -> None:
        """Count a request. Raises ApiError (429) when the key has nothing left."""
        if reason := self.exhausted():
            raise no_quota(f"key {self.key.name!r}: {reason}")
        self.requests += 1
        if self._path is not None:
            append_line(self._path, {"request": self.requests, "calls": 0, "cost": 0.0})


class Keyring:
    """All accounts. Without any key, everybody is let in, as one account without limits."""

    def __init__(self, keys: Sequence[Key], ledgers: Path | None = None) -> None:
        self._accounts = [
            Account(key, ledgers / f"{key.name}.jsonl" if ledgers else None) for key in keys
        ]
        self._anyone = Account(Key("anyone", b""))

    def __len__(self) -> int:
        return len(self._accounts)

    @property
    def keys(self) -> tuple[Key, ...]:
        return tuple(account.key for account in self._accounts)

    def identify(self, authorization: str | None) -> Account:
        """Raises ApiError (401). Every key is compared, each in constant time."""
        if not self._accounts:
            return self._anyone
        scheme, _, token = (authorization or "").partition(" ")
        if scheme.lower() != "bearer" or not token.strip():
            raise _unauthorized(f"this server needs a token: {REMEDY}")
        given = digest(token.strip())
        matches = [a for a in self._accounts if hmac.compare_digest(a.key.digest, given)]
        if not matches:
            raise _unauthorized(f"this token is not known here; {REMEDY} that is")
        return matches[0]


def digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "replace")).digest()


def _past_requests(path: Path | None) -> int:
    if path is None or not path.exists():
        return 0
    return sum("request" in entry for entry in read_ledger(path))


def _unauthorized(message: str) -> ApiError:
    headers = {"WWW-Authenticate": "Bearer"}
    return ApiError(401, message, "invalid_request_error", "invalid_api_key", headers=headers)
