"""LiveCodeBench's releases: which files they are made of, and which of their problems to take.

Rows come from the JSONL files of the Hub's code_generation_lite (its loader script is dead), one
file for each increment: v1 (400 problems), v2 (111), v3 (101), v4 (101), v5 (167), v6 (175).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Literal

from harness.datasets.download import HUB
from harness.datasets.livecodebench import COLUMNS, livecodebench_problem
from harness.datasets.source import SAMPLE, Loaded, Source, load_rows
from harness.errors import refuse
from harness.paths import caller_path
from harness.problem import Problem, ProblemError

LAST = 6
DIFFICULTIES = ("easy", "medium", "hard")
PLATFORMS = ("atcoder", "leetcode", "codeforces")
DOWNLOAD_SECONDS = 3600.0  # v1 alone has 1.25 GB


def load_livecodebench(
    release: str = "v6",
    data: str | None = None,
    semantics: Literal["judge", "lcb"] = "judge",
    start_date: str | None = None,
    end_date: str | None = None,
    difficulty: str | list[str] | None = None,
    platform: str | list[str] | None = None,
) -> tuple[list[Problem], Loaded]:
    """The problems of a release that pass the filters. Whatever is wrong ends in one line."""
    try:
        wanted = Wanted(
            _day("start_date", start_date, date.min),
            _day("end_date", end_date, date.max),
            _names("difficulty", difficulty, DIFFICULTIES),
            _names("platform", platform, PLATFORMS),
        )
        problems, sources = _load(_files(increments(release), data), semantics)
    except ProblemError as error:
        refuse(str(error), error)
    chosen = [problem for problem in problems if wanted(problem)]
    if not chosen:
        refuse(f"none of the {len(problems)} problems of {release} passes the filters")
    return chosen, _together(release if data is None else "livecodebench", sources)


def increments(release: str) -> tuple[int, ...]:
    """release_v3 → 1, 2, 3; v3 → 3; v3_v5 → 3, 4, 5; release_latest → all."""
    if release == "release_latest":
        return tuple(range(1, LAST + 1))
    match = re.fullmatch(r"(?:release_v(?P<upto>\d)|v(?P<first>\d)(?:_v(?P<last>\d))?)", release)
    if match:
        first = int(match["first"] or 1)
        last = int(match["upto"] or match["last"] or first)
        if 1 <= first <= last <= LAST:
            return tuple(range(first, last + 1))
    raise ProblemError(
        f"release={release!r} is unknown; use v1 to v{LAST} (one increment), v2_v5 (several), "
        f"release_v1 to release_v{LAST} (all up to it) or release_latest"
    )


def increment(number: int) -> Source:
    """The file of one increment; release_vN is the files 1 to N."""
    name = f"test{number if number > 1 else ''}.jsonl"
    return Source(
        name=f"livecodebench_v{number}",
        urls=(f"{HUB}datasets/livecodebench/code_generation_lite/resolve/main/{name}",),
        sha256=None,
        sample="livecodebench.jsonl",
        columns=COLUMNS,
    )


class Wanted:
    """Whether a problem passes the filters; days are inclusive."""

    def __init__(
        self, first: date, last: date, difficulties: frozenset[str], platforms: frozenset[str]
    ) -> None:
        self.first, self.last = first.isoformat(), last.isoformat()
        self.difficulties, self.platforms = difficulties, platforms

    def __call__(self, problem: Problem) -> bool:
        facts = problem.metadata
        return (
            self.first <= facts["contest_date"] <= self.last
            and facts["difficulty"] in self.difficulties
            and facts["platform"] in self.platforms
        )


def _files(numbers: tuple[int, ...], data: str | None) -> list[tuple[Source, str | None]]:
    """What to load: the increments' own files, or those in the caller's folder, or one file."""
    if data is None or data == SAMPLE:
        return [(increment(number), data) for number in numbers[: 1 if data else None]]
    folder = _folder(data)
    if folder is None:
        return [(increment(numbers[0]), data)]
    return [(source, str(folder / Path(source.urls[0]).name)) for source in map(increment, numbers)]


def _folder(data: str) -> Path | None:
    try:
        path = caller_path(data)
    except FileNotFoundError:
        return None  # load_rows says so
    return path if path.is_dir() else None


def _load(
    files: Iterable[tuple[Source, str | None]], semantics: Literal["judge", "lcb"]
) -> tuple[list[Problem], list[Loaded]]:
    """File by file: the rows of one are let go before the next is read."""
    problems: list[Problem] = []
    sources: list[Loaded] = []
    for source, data in files:
        loaded = load_rows(source, data, DOWNLOAD_SECONDS)
        problems += [livecodebench_problem(row, semantics) for row in loaded.rows]
        sources.append(Loaded(loaded.name, loaded.location, loaded.sha256, ()))
    return problems, sources


def _together(name: str, sources: list[Loaded]) -> Loaded:
    """One provenance for several files: their addresses, and the hash of their hashes."""
    if len(sources) == 1:
        return sources[0]
    hashes = "\n".join(source.sha256 for source in sources)
    locations = " ".join(source.location for source in sources)
    return Loaded(name, locations, hashlib.sha256(hashes.encode()).hexdigest(), ())


def _day(name: str, value: str | date | None, default: date) -> date:
    """A command line may have read 2025-01-01 as a date already."""
    if value is None or isinstance(value, date):
        return value or default
    try:
        return date.fromisoformat(value)
    except ValueError as cause:
        raise ProblemError(f"{name} must be a day like 2025-01-31, not {value!r}") from cause


def _names(name: str, value: str | list[str] | None, known: tuple[str, ...]) -> frozenset[str]:
    if value is None:
        return frozenset(known)
    given = value.split(",") if isinstance(value, str) else value
    chosen = frozenset(part.strip().lower() for part in given)
    if not chosen or not chosen <= set(known):
        wrong = ", ".join(sorted(chosen - set(known))) or "nothing"
        raise ProblemError(f"{name} must be of {', '.join(known)}; {wrong} is not")
    return chosen
