"""Every ```sh block of the README and the docs runs, or says in the page why it does not.

A block is left out only by a comment on the line before it, `<!-- not run: REASON -->`, which is
shown as the reason of a skip.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), ROOT / "benchmarks/README.md"]
BLOCK = re.compile(
    r"(?:<!-- not run: (?P<reason>[^\n]+?) -->\n+)?^```sh\n(?P<script>.*?)^```$", re.M | re.S
)
DEADLINE = 240  # seconds for one block


@dataclass(frozen=True)
class Block:
    page: str
    line: int
    script: str
    reason: str | None


def blocks(page: Path) -> list[Block]:
    text = page.read_text()
    name = page.relative_to(ROOT).as_posix()
    return [
        Block(
            name, text.count("\n", 0, match.start("script")) + 1, match["script"], match["reason"]
        )
        for match in BLOCK.finditer(text)
    ]


ALL = [block for page in PAGES if page.exists() for block in blocks(page)]


def test_the_readme_shows_commands() -> None:
    assert any(block.page == "README.md" and not block.reason for block in ALL)


@pytest.mark.slow
@pytest.mark.parametrize("block", ALL, ids=lambda block: f"{block.page}:{block.line}")
def test_documented_commands_run(block: Block, tmp_path: Path) -> None:
    if block.reason:
        pytest.skip(f"{block.page}:{block.line} is not run: {block.reason}")
    tools = Path(sys.executable).parent
    environment = {
        **os.environ,
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "INSPECT_LOG_DIR": str(tmp_path / "logs"),
        "COLUMNS": "120",
    }
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block.script],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    assert done.returncode == 0, f"{block.script}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
