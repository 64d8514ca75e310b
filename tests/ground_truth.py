"""Grader ground truth that lies beside the checkout; it belongs to others and is never copied."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("CONDUCTOR_SHARED", ROOT.parent / "shared"))


def shared(path: str) -> Path:
    """A file of the shared data; skips loudly where it is absent."""
    file = SHARED / path
    if not file.exists():
        pytest.skip(f"the shared data are not here: {file} (set CONDUCTOR_SHARED)")
    return file


def grader_rows(*kinds: str, tiers: tuple[str, ...] = ("agreed", "quirk")) -> list[dict[str, Any]]:
    rows = []
    for name in ("data/graders/public.jsonl", "data/graders/reported.jsonl"):
        for line in shared(name).read_text().split("\n"):
            if line.strip():
                row = json.loads(line)
                if row["kind"] in kinds and row["tier"] in tiers:
                    rows.append(row)
    assert rows, f"no rows of kinds {kinds}"
    return rows
