"""Rows of LiveCodeBench as problems; hostile and broken ones are refused in one sentence."""

from __future__ import annotations

import base64
import json
import os
import pickle
import zlib
from pathlib import Path
from typing import Any

import pytest

from harness.datasets.livecodebench import ERRATA, livecodebench_problem
from harness.datasets.livecodebench_tests import read_tests, unpickled_text
from harness.problem import Problem, ProblemError, Program
from harness.test_store import INLINE_BYTES, all_tests
from tests.harness.programs.shared import rows

CASES = [{"input": "1\n", "output": "2\n", "testtype": "stdin"}]


def pack(value: Any, protocol: int = 4) -> str:
    return base64.b64encode(zlib.compress(pickle.dumps(value, protocol))).decode()


def row(**changes: Any) -> dict[str, Any]:
    return {
        "question_title": "Next", "question_content": "Add one.", "platform": "atcoder",
        "question_id": "x_a", "contest_id": "x", "contest_date": "2025-02-03T00:00:00",
        "starter_code": "", "difficulty": "easy", "public_test_cases": json.dumps(CASES),
        "private_test_cases": pack(json.dumps(CASES)), "metadata": "{}", **changes,
    }  # fmt: skip


def program(problem: Problem) -> Program:
    assert isinstance(problem.answer, Program)
    return problem.answer


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_packed_tests_are_read_whatever_the_protocol(protocol: int) -> None:
    tests = read_tests(row(private_test_cases=pack(json.dumps(CASES), protocol)))
    assert [(test.input, test.output, test.public) for test in tests] == [
        ("1\n", "2\n", True),
        ("1\n", "2\n", False),
    ]


@pytest.mark.parametrize("private", ["", "[]", None, json.dumps(CASES), CASES])
def test_unpacked_tests_are_read(private: Any) -> None:
    assert len(read_tests(row(private_test_cases=private))) == 1 + bool(private and private != "[]")


class Exploit:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, ("exploited",)


def test_a_pickle_that_calls_something_is_refused_and_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ProblemError, match="must be a pickled string"):
        livecodebench_problem(row(private_test_cases=pack(Exploit())))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "content", [b"", b"\x80", b"\x80\x04.", b"junk", pickle.dumps(["a"]), pickle.dumps(7)]
)
def test_other_pickles_are_refused(content: bytes) -> None:
    with pytest.raises(ProblemError):
        unpickled_text(content)


def test_a_zip_bomb_is_refused_before_it_unpacks() -> None:
    bomb = base64.b64encode(zlib.compress(b"0" * 50_000_000)).decode()
    with pytest.raises(ProblemError, match="more than 1000 bytes"):
        read_tests(row(private_test_cases=bomb), most_bytes=1000)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("private_test_cases", "not base64!"),
        ("private_test_cases", base64.b64encode(b"no zlib").decode()),
        ("private_test_cases", base64.b64encode(zlib.compress(b"x" * 999)[:-4]).decode()),
        ("private_test_cases", pack("no json")),
        ("private_test_cases", pack('{"a": 1}')),
        ("private_test_cases", 7),
        ("public_test_cases", "{"),
        ("public_test_cases", '"text"'),
        ("public_test_cases", "[1]"),
        ("public_test_cases", '[{"input": "1"}]'),
        ("public_test_cases", '[{"input": 1, "output": "2"}]'),
        ("public_test_cases", "[" * 100_000),
        ("metadata", "[1]"),
        ("metadata", '{"func_name": 3}'),
        ("metadata", '{"func_name": "os.system(1)"}'),
        ("metadata", '{"func_name": "f"}'),  # "1\n" is JSON, "2\n" too: see the next test
        ("contest_date", "soon"),
        ("question_content", ["list"]),
    ],
)
def test_a_malformed_row_is_named_with_its_field(field: str, value: Any) -> None:
    changes = {field: value}
    if value == '{"func_name": "f"}':
        changes["public_test_cases"] = json.dumps([{"input": "a b", "output": "1"}])
    with pytest.raises(ProblemError, match="question 'x_a'"):
        livecodebench_problem(row(**changes))


def test_an_empty_row_is_refused() -> None:
    with pytest.raises(ProblemError, match="question None"):
        livecodebench_problem({})


def test_a_problem_shows_statement_and_starter_and_no_hidden_test() -> None:
    hidden = [{"input": "31337\n", "output": "31338\n"}]
    problem = livecodebench_problem(row(private_test_cases=pack(json.dumps(hidden))))
    assert "Add one." in problem.question
    assert "31337" not in problem.question + json.dumps(dict(problem.metadata))
    starter = livecodebench_problem(row(starter_code="class Solution:\n    pass")).question
    assert "class Solution:" in starter


def test_errata_are_flagged_by_id_and_by_title() -> None:
    assert livecodebench_problem(row(question_id="abc337_e")).metadata["erratum"] == "interactive"
    assert livecodebench_problem(row(question_title="find-the-peaks")).metadata["erratum"]
    assert livecodebench_problem(row()).metadata["erratum"] is None
    assert len(ERRATA) == 17


def test_large_tests_are_stored_outside_the_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONDUCTOR_CACHE", str(tmp_path))
    large = [{"input": "7" * INLINE_BYTES, "output": "9"}]
    problem = livecodebench_problem(row(private_test_cases=pack(json.dumps(large))))
    assert len(problem.to_json()) < INLINE_BYTES / 4
    again = Problem.from_json(problem.to_json())
    assert again == problem
    assert [len(test.input) for test in all_tests(program(again))] == [2, INLINE_BYTES]


def test_stored_tests_that_are_missing_or_changed_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONDUCTOR_CACHE", str(tmp_path))
    large = [{"input": "8" * INLINE_BYTES, "output": "9"}]
    key = program(livecodebench_problem(row(private_test_cases=json.dumps(large))))
    (path,) = (tmp_path / "tests").iterdir()
    path.write_bytes(zlib.compress(b"[]"))
    with pytest.raises(ProblemError, match="damaged"):
        all_tests(key)
    path.unlink()
    with pytest.raises(ProblemError, match="are not in"):
        all_tests(key)


def test_every_official_row_is_a_problem() -> None:
    problems = [
        livecodebench_problem(row) for row in rows("lcb/code_generation_lite_partial.jsonl")
    ]
    assert len({problem.id for problem in problems}) == 1055
    flagged = {problem.id for problem in problems if problem.metadata["erratum"]}
    assert len(flagged) == len(ERRATA)


def test_official_packed_rows_hold_all_their_tests() -> None:
    counts = {
        row["question_id"]: len(read_tests(row))
        for row in rows("lcb/livecodebench_v1_full_tests.jsonl")
    }
    assert counts == {"1873_A": 5, "2727": 14, "abc301_a": 15}
