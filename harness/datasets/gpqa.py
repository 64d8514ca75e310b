"""GPQA-Diamond (Rein et al. 2023, arXiv 2311.12022): graduate questions, four options.

Its authors ask that the questions are not put online in plain text: none of them is here.
"""

from __future__ import annotations

import hashlib

from harness.datasets.source import Row, Source
from harness.problem import Choice, Problem

RIGHT = "Correct Answer"
WRONG = ("Incorrect Answer 1", "Incorrect Answer 2", "Incorrect Answer 3")

GPQA_DIAMOND = Source(
    name="gpqa_diamond",
    urls=(
        "https://openaipublic.blob.core.windows.net/simple-evals/gpqa_diamond.csv",
        "https://huggingface.co/datasets/Idavidrein/gpqa/resolve/main/gpqa_diamond.csv",
    ),
    sha256="41d1213cd7a4998605a26c2798500652572007161b3a92817ba46b35befcd305",
    sample="gpqa.csv",
    columns=("Question", RIGHT, *WRONG),
    access="accept its terms on the Hub (Idavidrein/gpqa) and set HF_TOKEN",
)


def gpqa_problem(row: Row) -> Problem:
    """A row of the official CSV; the right option first, as stored, and never shown so."""
    question = row["Question"]
    options = (row[RIGHT], *(row[column] for column in WRONG))
    return Problem(
        id=row.get("Record ID") or hashlib.sha256(question.encode()).hexdigest()[:12],
        benchmark="gpqa_diamond",
        question=question,
        answer=Choice("A", options),
        cluster=row.get("High-level domain") or None,
        metadata={
            "subject": row.get("High-level domain") or "",
            "subdomain": row.get("Subdomain") or "",
        },
    )
