"""Paths mean what the person who typed them sees."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.paths import caller_path


def test_a_relative_path_is_the_callers_wherever_the_process_is_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x.csv").touch()
    monkeypatch.chdir("/")
    assert caller_path("x.csv", tmp_path) == tmp_path / "x.csv"


def test_the_shells_folder_is_tried_second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.csv").touch()
    monkeypatch.setenv("PWD", str(tmp_path))
    assert caller_path("x.csv", Path("/")) == tmp_path / "x.csv"


def test_an_absolute_path_is_taken_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "x.csv").touch()
    assert caller_path(str(tmp_path / "x.csv"), Path("/nowhere")) == tmp_path / "x.csv"


def test_home_is_understood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.csv").touch()
    monkeypatch.setenv("HOME", str(tmp_path))
    assert caller_path("~/x.csv") == tmp_path / "x.csv"


def test_what_is_missing_names_every_place_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PWD", "/elsewhere")
    with pytest.raises(FileNotFoundError, match=f"{tmp_path}/x.csv and /elsewhere/x.csv"):
        caller_path("x.csv", tmp_path)
