"""The command's options, as they are written."""

from __future__ import annotations

import sys

import pytest
from click.testing import CliRunner

from conductor.cli import main
from conductor.serve.command import read_pairs
from conductor.serve.run import is_local
from conductor.strict import ConfigError


def test_single_keys_are_read_as_inspect_reads_them() -> None:
    pairs = ("policy=single:a", "rounds=2", "constraints={open: true}", "seed=", "pool=a=b.yaml")
    assert read_pairs(pairs) == {
        "policy": "single:a", "rounds": 2, "constraints": {"open": True}, "seed": None,
        "pool": "a=b.yaml",
    }  # fmt: skip


@pytest.mark.parametrize("pair", ["policy", "=rule", "policy={"])
def test_other_forms_are_refused(pair: str) -> None:
    with pytest.raises(ConfigError, match="-M "):
        read_pairs((pair,))


@pytest.mark.parametrize(
    ("host", "local"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("127.9.9.9", True),
     ("0.0.0.0", False), ("::", False), ("192.168.1.2", False), ("example.org", False)],
)  # fmt: skip
def test_which_addresses_only_this_machine_reaches(host: str, local: bool) -> None:
    assert is_local(host) is local


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "conductor.serve.run", raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    done = CliRunner().invoke(main, ["serve"])
    assert (done.exit_code, done.stderr) == (
        1,
        "error: uvicorn is missing: pip install -e '.[serve]' installs what the server needs\n",
    )


def test_values_that_make_no_sense_are_refused() -> None:
    for option in (("--concurrency", "0"), ("--timeout", "0"), ("--port", "70000")):
        done = CliRunner().invoke(main, ["serve", *option])
        assert done.exit_code == 2
        assert option[0] in done.stderr
