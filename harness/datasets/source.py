"""Where rows come from: a pinned file on the net, the caller's own file, or a sample of ours.

To add a suite, state a `Source` and a function from a row to a `Problem`; `load_rows(source,
data)` does the rest: `-T data=PATH`, `-T data=sample`, download, cache, hash.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.datasets.download import DownloadError, fetch
from harness.datasets.formats import FormatError, read_rows
from harness.errors import refuse
from harness.paths import caller_path

Row = dict[str, Any]
SAMPLES = Path(__file__).parent / "samples"
SAMPLE = "sample"


@dataclass(frozen=True, slots=True)
class Source:
    """A benchmark's data.

    urls: tried in order; one that starts with the Hub's address is asked with HF_TOKEN. sha256:
    of the file, None where nobody could verify one: then the first download writes it to a lock
    file, and later ones must match. sample: file in `samples/`. columns: those that must be there.
    access: what a user needs to get it, for the error message. headerless: the columns of a CSV
    whose first line may be a row already.
    """

    name: str
    urls: tuple[str, ...]
    sha256: str | None
    sample: str
    columns: tuple[str, ...]
    revision: str | None = None
    access: str = ""
    headerless: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Loaded:
    """Rows, and what a log must say of them.

    name: the suite's, or NAME-sample, so that no log of ours passes for the benchmark. location:
    path or URL. sha256: of the file read.
    """

    name: str
    location: str
    sha256: str
    rows: Sequence[Row]

    @property
    def provenance(self) -> dict[str, str]:
        return {"dataset": self.name, "location": self.location, "sha256": self.sha256}


def load_rows(source: Source, data: str | None = None, seconds: float = 60.0) -> Loaded:
    """The rows of `source`.

    data: None = the pinned file (downloaded once, then from the cache); ``sample`` = a few
    questions written for this project; else a .csv/.jsonl/.json/.parquet file (also .gz),
    relative to the caller's folder. Whatever is wrong ends in one line for the user.
    """
    try:
        path, location = _locate(source, data, seconds)
        rows = read_rows(path, source.headerless)
        _check_columns(source, rows, location)
    except (DownloadError, FormatError, FileNotFoundError) as error:
        refuse(f"{source.name}: {error}", error)
    name = f"{source.name}-sample" if data == SAMPLE else source.name
    return Loaded(name, location, _sha256(path), rows)


def _locate(source: Source, data: str | None, seconds: float) -> tuple[Path, str]:
    if data is None:
        if not source.urls:
            raise DownloadError(f"cannot be downloaded: {_remedy(source)}")
        path = _cached(source, seconds)
        return path, source.urls[0]
    if data == SAMPLE:
        path = SAMPLES / source.sample
        return path, f"sample:{source.sample}"
    try:
        path = caller_path(data)
    except FileNotFoundError as error:
        raise FormatError(f"data={data}: {error}") from error
    return path, str(path)


def _cached(source: Source, seconds: float) -> Path:
    """The pinned file in the cache, downloaded first where it is not there yet."""
    ending = "".join(Path(source.urls[0]).suffixes[-2:]) or ".jsonl"
    path = cache_folder() / f"{source.name}-{(source.revision or 'main')[:12]}{ending}"
    lock = path.with_name(path.name + ".lock")
    if not path.exists():
        try:
            content = fetch(source.urls, seconds)
        except DownloadError as error:
            raise DownloadError(f"{error}; {_remedy(source)}") from error
        _verify(source, content, lock)
        write_whole(path, content)
    else:
        _verify(source, path.read_bytes(), lock)
    return path


def _verify(source: Source, content: bytes, lock: Path) -> None:
    """Against the pin; without one, against what the first download wrote down."""
    digest = hashlib.sha256(content).hexdigest()
    pinned = source.sha256
    if pinned is None:
        if not lock.exists():
            found = {"sha256": digest, "size": len(content)}
            write_whole(lock, json.dumps(found, sort_keys=True).encode())
            return
        pinned = json.loads(lock.read_text())["sha256"]
    if digest != pinned:
        raise DownloadError(
            f"the data are not the pinned ones (sha256 {digest[:12]}…, {len(content)} "
            f"bytes; pinned {pinned[:12]}…); delete {lock.with_suffix('')} to download them anew, "
            "or name a file with -T data=PATH"
        )


def _remedy(source: Source) -> str:
    access = f"{source.access}; " if source.access else ""
    return f"{access}or name a file of your own with -T data=PATH, or -T data=sample"


def _check_columns(source: Source, rows: Sequence[Row], location: str) -> None:
    if not rows:
        raise FormatError(f"{location} has no rows")
    missing = [column for column in source.columns if column not in rows[0]]
    if missing:
        raise FormatError(
            f"{location} lacks the column{'s' * (len(missing) > 1)} "
            f"{', '.join(map(repr, missing))}; it has {', '.join(map(repr, rows[0]))}"
        )


def cache_folder() -> Path:
    """CONDUCTOR_CACHE, or the user's cache folder."""
    own = os.environ.get("CONDUCTOR_CACHE")
    base = Path(own) if own else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base if own else base / "conductor" / "datasets"


def write_whole(path: Path, content: bytes) -> None:
    """Whole or not at all, whoever else writes at the same time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(content)
    os.replace(file.name, path)


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
