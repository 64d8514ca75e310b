"""Rows come from where they are said to come from, whole, and pinned."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from harness.datasets.source import Source, cache_folder, load_rows

CONTENT = b'{"question": "2 + 2?", "answer": "4"}\n'
SOURCE = Source("demo", (), None, "gpqa.csv", ("question", "answer"), access="ask for access")


class _Handler(BaseHTTPRequestHandler):
    asked: list[dict[str, str]]

    def do_GET(self) -> None:
        self.asked.append(dict(self.headers))
        kind = self.path.split("/")[1]
        if kind == "slow":
            time.sleep(1.0)
        status = int(kind) if kind.isdecimal() else 200
        self.send_response(status)
        self.send_header("Content-Length", str(len(CONTENT) + 50 * (kind == "cut")))
        self.end_headers()
        self.wfile.write(CONTENT)

    def log_message(self, *args: Any) -> None:
        """Quiet."""


@contextmanager
def web() -> Iterator[tuple[str, list[dict[str, str]]]]:
    asked: list[dict[str, str]] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("H", (_Handler,), {"asked": asked}))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CONDUCTOR_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def refusal(source: Source, capsys: pytest.CaptureFixture[str], **arguments: Any) -> str:
    """The one line a user sees."""
    with pytest.raises(Exception, match=source.name):
        load_rows(source, **arguments)
    (line,) = capsys.readouterr().err.splitlines()
    return line


def test_a_file_is_downloaded_once_and_then_read_from_the_cache() -> None:
    with web() as (url, asked):
        source = replace(SOURCE, urls=(f"{url}/ok/x.jsonl",))
        first = load_rows(source)
        second = load_rows(source)
    assert first.rows == second.rows == [{"question": "2 + 2?", "answer": "4"}]
    assert len(asked) == 1
    assert first.sha256 == hashlib.sha256(CONTENT).hexdigest()


def test_the_second_address_is_tried_when_the_first_fails() -> None:
    with web() as (url, _):
        source = replace(SOURCE, urls=(f"{url}/404/x.jsonl", f"{url}/ok/x.jsonl"))
        assert load_rows(source).rows


def test_the_first_download_of_an_unpinned_file_is_enforced_later(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with web() as (url, _):
        source = replace(SOURCE, urls=(f"{url}/ok/x.jsonl",))
        load_rows(source)
        (file,) = cache_folder().glob("*.jsonl")
        (lock,) = cache_folder().glob("*.lock")
        assert json.loads(lock.read_text())["size"] == len(CONTENT)
        file.write_bytes(CONTENT + CONTENT)
        assert "not the pinned ones" in refusal(source, capsys)


def test_a_wrong_hash_is_refused_and_nothing_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    with web() as (url, _):
        source = replace(SOURCE, urls=(f"{url}/ok/x.jsonl",), sha256="0" * 64)
        assert "pinned 000000000000" in refusal(source, capsys)
    assert not list(cache_folder().glob("*"))


@pytest.mark.parametrize(
    ("kind", "said"),
    [("401", "HTTP 401 (access denied)"), ("404", "no such file"), ("cut", "")],
)
def test_what_failed_and_what_to_do_stand_in_one_line(
    kind: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with web() as (url, _):
        line = refusal(replace(SOURCE, urls=(f"{url}/{kind}/x.jsonl",)), capsys)
    assert said in line
    assert "ask for access" in line
    assert "-T data=" in line


def test_a_slow_server_ends_at_the_deadline(capsys: pytest.CaptureFixture[str]) -> None:
    with web() as (url, _):
        line = refusal(replace(SOURCE, urls=(f"{url}/slow/x.jsonl",)), capsys, seconds=0.2)
    assert "timed out" in line


def test_a_token_goes_to_the_hub_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "secret")
    with web() as (url, asked):
        load_rows(replace(SOURCE, urls=(f"{url}/ok/x.jsonl",)))
    assert "Authorization" not in asked[0]


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".json", ".parquet", ".jsonl.gz", ".csv.gz"])
def test_every_kind_of_file_gives_the_same_rows(ending: str, tmp_path: Path) -> None:
    rows = [
        {"question": 'a "quoted"\nline', "answer": "é\u2028x"},
        {"question": "b", "answer": "c"},
    ]
    path = write(tmp_path / f"rows{ending}", rows)
    assert load_rows(SOURCE, str(path)).rows == rows


def write(path: Path, rows: list[dict[str, str]]) -> Path:
    import csv
    import gzip
    import io

    kind = path.name.removesuffix(".gz").rsplit(".", 1)[1]
    if kind == "parquet":
        import pyarrow
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
        return path
    if kind == "csv":
        text = io.StringIO()
        writer = csv.DictWriter(text, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
        content = text.getvalue()
    elif kind == "json":
        content = json.dumps(rows)
    else:
        content = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    data = content.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("x.txt", b"", "unknown kind of file"),
        ("x.jsonl", b"", "has no rows"),
        ("x.jsonl", b'{"question": 1}\n{oops\n', "x.jsonl:2: not valid JSON"),
        ("x.jsonl", b"[1]\n", "must be a JSON object"),
        ("x.jsonl", b'{"question": "a"}\n', "lacks the column 'answer'; it has 'question'"),
        ("x.jsonl", b"\xff\xfe", "is not UTF-8"),
        ("x.json", b'{"a": 1}', "must hold a list"),
        ("x.json", b"[" * 100_000, "not valid JSON"),
        ("x.jsonl.gz", b"no gzip", "cannot be read"),
        ("x.parquet", b"no parquet", "not valid Parquet"),
    ],
)
def test_an_unusable_file_is_named_with_the_reason(
    name: str, content: bytes, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert said in refusal(SOURCE, capsys, data=str(path))
