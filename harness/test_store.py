"""Tests too large for a log or a training row: one file each, named by its hash.

LiveCodeBench's hidden tests take gigabytes. A `Program` names them (`stored`), grading reads them,
and neither a log nor a model ever sees them.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Sequence
from functools import lru_cache
from itertools import takewhile
from pathlib import Path

from harness.datasets.source import cache_folder, write_whole
from harness.problem import ProblemError, Program, Test

INLINE_BYTES = 32 << 10  # tests up to this size stay in the problem


def split_tests(tests: Sequence[Test]) -> tuple[tuple[Test, ...], str | None]:
    """(tests that stay in the problem, hash of those put into the store or None).

    Of a large set the leading public tests stay, where they are small.
    """
    if _size(tests) <= INLINE_BYTES:
        return tuple(tests), None
    public = tuple(takewhile(lambda test: test.public, tests))
    kept = public if _size(public) <= INLINE_BYTES else ()
    return kept, _store(tests[len(kept) :])


def all_tests(key: Program) -> tuple[Test, ...]:
    """Raises ProblemError when the stored ones are not on this machine."""
    return key.tests if key.stored is None else (*key.tests, *_read(key.stored))


def _size(tests: Sequence[Test]) -> int:
    return sum(len(test.input) + len(test.output) for test in tests)


def _folder() -> Path:
    return cache_folder() / "tests"


def _store(tests: Sequence[Test]) -> str:
    rows = [[test.input, test.output, test.public] for test in tests]
    content = json.dumps(rows, ensure_ascii=False).encode("utf-8", "surrogatepass")
    name = hashlib.sha256(content).hexdigest()
    path = _folder() / name
    if not path.exists():
        write_whole(path, zlib.compress(content, 1))
    return name


@lru_cache(maxsize=8)  # the samples of one problem are graded close together
def _read(name: str) -> tuple[Test, ...]:
    path = _folder() / name
    try:
        content = zlib.decompress(path.read_bytes())
    except (OSError, zlib.error) as cause:
        raise ProblemError(
            f"the stored tests {name[:12]}… are not in {path.parent}; build the dataset here first"
        ) from cause
    if hashlib.sha256(content).hexdigest() != name:
        raise ProblemError(f"the stored tests in {path} are damaged; delete the file")
    rows = json.loads(content.decode("utf-8", "surrogatepass"))
    return tuple(Test(given, output, public) for given, output, public in rows)
