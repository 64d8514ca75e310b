"""Rows of the shared ground truth about programs."""

from __future__ import annotations

import json
from typing import Any

from tests.ground_truth import shared


def rows(name: str) -> list[dict[str, Any]]:
    """The rows of a JSONL file under the shared data; skips loudly without it."""
    with shared(f"data/{name}").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
