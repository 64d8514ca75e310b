"""When two outputs are the same."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.graders.outputs import SLACK, same_stdout, same_value


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        ("1\n", "1"),
        ("\n\n 1 2 \n3\n\n", "1 2\n3"),
        ("1.0", "1"),
        ("1e3", "1000"),
        ("007", "7"),
        ("-0", "0"),
        ("1  2", "1 2"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("", "\n"),
        ("٤٢", "42"),
    ],
)
def test_same(got: str, expected: str) -> None:
    assert same_stdout(got.encode(), expected)


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        ("yes", "YES"),
        ("1 2", "1\n2"),
        ("1\n\n2", "1\n2"),
        ("0.3333333", "0.333333"),
        ("nan", "NaN"),
        ("sNaN", "1"),
        ("1,2", "1 2"),
        ("", "0"),
        ("1 2 3", "1 2"),
    ],
)
def test_different(got: str, expected: str) -> None:
    assert not same_stdout(got.encode(), expected)


@given(st.text(max_size=50))
def test_every_output_equals_itself(text: str) -> None:
    assert same_stdout(text.encode(), text)


@given(st.binary(max_size=100), st.text(max_size=20))
def test_any_bytes_compare(got: bytes, expected: str) -> None:
    assert same_stdout(got, expected) in (True, False)


def test_what_is_no_utf8_equals_nothing() -> None:
    assert not same_stdout(b"\xff", "\ufffd")


@pytest.mark.parametrize("compare", [lambda b: same_stdout(b, "1"), lambda b: same_value(b, 1, 1)])
def test_an_answer_of_another_size_is_not_read(compare: Any) -> None:
    assert not compare(b" " * (SLACK + 100) + b"\n1")


@pytest.mark.parametrize(
    ("got", "value", "same"),
    [
        (b"\n[1, 2]", [1, 2], True),
        (b"noise\n[1, 2]", [1, 2], True),
        (b"\n1.0", 1, True),
        (b"\ntrue", 1, True),
        (b"\nNaN", float("nan"), False),
        (b"\n0.30000000000000004", 0.3, False),
        (b"\n" + b"[" * 200_000, [], False),
        (b"\n" + b"1" * 10_000, 1, False),
        (b"\n\xff", "", False),
        (b"", None, False),
        (b"\nnull", None, True),
    ],
)
def test_values(got: bytes, value: Any, same: bool) -> None:
    assert same_value(got, value, 10) is same
