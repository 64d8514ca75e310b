"""Rows out of a file: .csv, .jsonl, .json, .parquet; the first three also as .gz."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from pathlib import Path
from typing import Any

Row = dict[str, Any]
MOST_BYTES = 8 << 30  # unpacked; a .gz may not fill the memory


class FormatError(ValueError):
    """A file that holds no rows; the message names it, the line where known, and why."""


def read_rows(path: Path, headerless: tuple[str, ...] = ()) -> list[Row]:
    """All rows, in order; every one a mapping from column to value.

    headerless: the columns of a CSV whose first line may be a row already, as in MMLU.
    """
    name = path.name.removesuffix(".gz")
    reader = READERS.get(Path(name).suffix.lower())
    if reader is None:
        raise FormatError(f"{path}: unknown kind of file; use one of {', '.join(READERS)}")
    if reader is _parquet:
        return list(_parquet(path))
    try:
        text = _bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as cause:
        raise FormatError(f"{path}: is not UTF-8 text") from cause
    except (OSError, EOFError, zlib.error) as cause:
        raise FormatError(f"{path}: cannot be read: {cause}") from cause
    rows: list[Row] = reader(path, text, headerless) if reader is _csv else reader(path, text)
    return rows


def _bytes(path: Path) -> bytes:
    if path.suffix != ".gz":
        return path.read_bytes()
    with gzip.open(path) as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise OSError(f"unpacks to more than {MOST_BYTES} bytes")
    return content


def _csv(path: Path, text: str, headerless: tuple[str, ...]) -> list[Row]:
    csv.field_size_limit(1 << 30)
    try:
        lines = [line for line in csv.reader(io.StringIO(text, newline=""), strict=True) if line]
    except csv.Error as cause:
        raise FormatError(f"{path}: not valid CSV: {cause}") from cause
    if not headerless or (lines and headerless[0] in lines[0]):
        names, lines = tuple(lines[0]) if lines else (), lines[1:]
    else:
        names = headerless
    for number, line in enumerate(lines, 1):
        if len(line) != len(names):
            raise FormatError(
                f"{path}: row {number} has {len(line)} values for the {len(names)} columns"
            )
    return [dict(zip(names, line, strict=True)) for line in lines]


def _jsonl(path: Path, text: str) -> list[Row]:
    rows = []
    for number, line in enumerate(text.split("\n"), 1):  # not splitlines: U+2028 may stand inside
        if line.strip():
            rows.append(_object(f"{path}:{number}", line))
    return rows


def _json(path: Path, text: str) -> list[Row]:
    try:
        data = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as cause:
        raise FormatError(f"{path}: not valid JSON: {cause}") from cause
    if not isinstance(data, list) or not all(isinstance(row, dict) for row in data):
        raise FormatError(f"{path}: must hold a list of objects")
    return data


def _object(place: str, text: str) -> Row:
    try:
        row = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as cause:
        raise FormatError(f"{place}: not valid JSON: {cause}") from cause
    if not isinstance(row, dict):
        raise FormatError(f"{place}: must be a JSON object, not {type(row).__name__}")
    return row


def _parquet(path: Path) -> list[Row]:
    import pyarrow
    import pyarrow.parquet

    try:
        rows: list[Row] = pyarrow.parquet.read_table(path).to_pylist()
    except (pyarrow.ArrowException, OSError) as cause:
        raise FormatError(f"{path}: not valid Parquet: {' '.join(str(cause).split())}") from cause
    return rows


READERS: dict[str, Any] = {
    ".csv": _csv,
    ".jsonl": _jsonl,
    ".json": _json,
    ".parquet": _parquet,
}
