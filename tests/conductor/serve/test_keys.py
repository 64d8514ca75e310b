"""Tokens, and what each key may spend."""

from __future__ import annotations

from pathlib import Path

import pytest

from conductor.call import CallKey, Reply
from conductor.ledger import Budget
from conductor.pool import Worker
from conductor.serve.errors import ApiError
from conductor.serve.keyfile import TOKENS, read_keyring
from conductor.serve.keys import Account, Key, Keyring, digest
from conductor.strict import ConfigError

WORKER = Worker("a", "fake/a")


def keyring(text: str, folder: Path, **environment: str) -> Keyring:
    path = folder / "keys.yaml"
    path.write_text(text)
    return read_keyring(path, environment)


def status_of(ring: Keyring, authorization: str | None) -> int:
    with pytest.raises(ApiError) as refused:
        ring.identify(authorization)
    return refused.value.status


def test_a_token_names_its_key(tmp_path: Path) -> None:
    ring = keyring(
        "keys:\n  - {name: alice, token: tok-a}\n  - {name: bob, token_env: BOB}\n",
        tmp_path,
        BOB=" tok-b\n",
    )
    assert ring.identify("Bearer tok-a").key.name == "alice"
    assert ring.identify("bearer  tok-b ").key.name == "bob"


@pytest.mark.parametrize(
    "authorization",
    [None, "", "tok-a", "Bearer", "Bearer ", "Basic tok-a", "Bearer tok", "Bearer tok-ab",
     "Bearer TOK-A", "Bearer \udcff", "Bearer tök"],
)  # fmt: skip
def test_nothing_else_is_let_in(authorization: str | None) -> None:
    assert status_of(Keyring([Key("alice", digest("tok-a"))]), authorization) == 401


def test_without_keys_everybody_is_let_in() -> None:
    assert Keyring([]).identify(None).key.name == "anyone"


def test_the_environment_holds_several_tokens() -> None:
    ring = read_keyring(None, {TOKENS: "tok-a, tok-b,,"})
    assert len(ring) == 2
    assert ring.identify("Bearer tok-b").key.name == f"{TOKENS}-2"


def test_tokens_are_not_kept() -> None:
    ring = read_keyring(None, {TOKENS: "tok-a"})
    assert "tok-a" not in repr(ring.keys)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("keys: []\n", ":1: `keys` must be a list of at least one key"),
        ("{}\n", "`keys` must be a list"),
        ("kees: []\n", ":1: unknown key 'kees' of the file of keys; did you mean 'keys'"),
        ("keys:\n  - sk-secret\n", ":2: a key is a mapping"),
        ("keys:\n  - {name: a}\n", ":2: key 'a' needs `token:` or `token_env: VARIABLE`"),
        ("keys:\n  - {name: a, token: sk-secret, token_env: B}\n", ":2: key 'a' needs `token:` or"),
        ("keys:\n  - {name: a, token_env: NOPE}\n", ":2: NOPE is not in the environment"),
        ("keys:\n  - {name: a, token: 3}\n", "the token of 'a' must be a text"),
        ("keys:\n  - {name: a, token: 'sk secret'}\n", "must be a text without spaces"),
        ("keys:\n  - {name: ../a, token: sk-secret}\n", "is of letters, digits"),
        ("keys:\n  - {token: sk-secret}\n", "a key's `name` must be a text"),
        ("keys:\n  - {name: a, token: x}\n  - {name: a, token: y}\n", ":3: two keys have the name"),
        ("keys:\n  - {name: a, token: x}\n  - {name: b, token: x}\n", "have the same token"),
        ("keys:\n  - {name: a, token: x, budget: {dolars: 3}}\n", "did you mean 'dollars'"),
        ("keys:\n  - {name: a, token: x, budget: {tokens: -3}}\n", "must lie between 0 and"),
        ("keys:\n  - {name: a, token: x, budget: {requests: 1.5}}\n", "must be a whole number"),
        ("keys:\n  - {name: a, token: x, budget: {dollars: '3'}}\n", "must be a number"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_by_line_and_no_token_is_quoted(
    tmp_path: Path, text: str, said: str
) -> None:
    with pytest.raises(ConfigError) as refused:
        keyring(text, tmp_path)
    assert said in str(refused.value)
    assert "secret" not in str(refused.value)


def test_a_token_must_not_be_in_both_places(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="same token"):
        keyring("keys:\n  - {name: a, token: x}\n", tmp_path, **{TOKENS: "x"})


def test_requests_are_counted_and_remembered(tmp_path: Path) -> None:
    path, key = tmp_path / "alice.jsonl", Key("alice", b"", requests=2)
    account = Account(key, path)
    account.begin()
    again = Account(key, path)
    again.begin()
    with pytest.raises(ApiError, match="2 requests") as refused:
        again.begin()
    assert (refused.value.status, refused.value.code) == (429, "insufficient_quota")
    assert refused.value.headers["x-should-retry"] == "false"


@pytest.mark.parametrize("budget", [Budget(dollars=0.5), Budget(tokens=10)])
def test_money_and_tokens_are_counted_and_remembered(tmp_path: Path, budget: Budget) -> None:
    path, key = tmp_path / "alice.jsonl", Key("alice", b"", budget)
    account = Account(key, path)
    account.begin()
    account.ledger.charge(WORKER, CallKey("q"), Reply("x", "m", 5, 5, cost=0.5))
    for later in (account, Account(key, path)):
        with pytest.raises(ApiError):
            later.begin()
