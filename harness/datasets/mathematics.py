"""Mathematics suites: MATH-500, AIME, AMC, Minerva, OlympiadBench, GSM8K.

Rows come in several dialects; each builder reads the official columns and those of the widespread
copies. A row without a usable key becomes a problem with an empty one: `harness preflight` lists
it, and grading leaves it unscored.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any

from harness.datasets.source import Row, Source
from harness.extract.boxed import last_box
from harness.problem import Math, MathRules, Problem

INSTRUCTION = (
    "Solve the following problem. Reason step by step, and put your final answer in \\boxed{}."
)

# One repository holds these suites as plain files; each hash was computed from its commit.
COMMIT = "a82124e514e27692aa9860c5ee21dbf9d81e3bc5"
FOLDER = (
    "https://raw.githubusercontent.com/LeapLabTHU/Absolute-Zero-Reasoner/"
    f"{COMMIT}/evaluation/math_eval/eval/data"
)
GSM8K_COMMIT = "3101c7d5072418e28b9008a6636bde82a006892c"


def _pinned(name: str, folder: str, sha256: str, columns: tuple[str, ...] = ()) -> Source:
    sample = "aime.jsonl" if name.startswith("aime") else f"{name}.jsonl"
    return Source(name, (f"{FOLDER}/{folder}/test.jsonl",), sha256, sample, columns, COMMIT)


MATH500 = _pinned(
    "math500",
    "math500",
    "35dc41080a3680858b27fa7e0533d2d547825316fc5dafe5d316f4ccc5a06132",
    ("problem", "answer"),
)
AIME24 = _pinned(
    "aime2024",
    "aime24",
    "af2b8bd2aa911b6333ad0df32f3ca05c7ae8ed10f1731f4372c8ae26990bf7ac",
)
AIME25 = _pinned(
    "aime2025",
    "aime25",
    "20c1ca392758d96bd1e28af15d9f30df5660257927cacc9eac7301c29f677d1a",
)
AMC = _pinned(
    "amc",
    "amc23",
    "43707e1ca784602d8479de24ee8ce36609dbebc46dd152b0b12a46611aa898a4",
    ("answer",),
)
MINERVA = _pinned(
    "minerva_math",
    "minerva_math",
    "0e656b430d3a0a1dab6aa853f453ba3805e28e2cabe4fc72486a897cc09d8ba2",
)
OLYMPIADBENCH = _pinned(
    "olympiadbench",
    "olympiadbench",
    "bb8c1e38a16ea9eacb77530315a674d883f267fbff79183effc53681b4fcc416",
    ("question", "final_answer"),
)
GSM8K = Source(
    name="gsm8k",
    urls=(
        "https://raw.githubusercontent.com/openai/grade-school-math/"
        f"{GSM8K_COMMIT}/grade_school_math/data/test.jsonl",
    ),
    sha256="3730d312f6e3440559ace48831e51066acaca737f6eabec99bccb9e4b3c39d14",
    sample="gsm8k.jsonl",
    columns=("question", "answer"),
    revision=GSM8K_COMMIT,
)


def math500_problem(row: Row) -> Problem:
    """Key in `answer`; subject and level are kept."""
    subject = row.get("subject") or row.get("type") or ""
    return _problem("math500", row, row["problem"], Math(str(row["answer"])), subject,
                    level=row.get("level"))  # fmt: skip


def aime_problem(row: Row, year: int) -> Problem:
    """An integer from 0 to 999, padded (`025`) or not."""
    question = _first(row, "problem", "question", "Problem")
    answer = str(_first(row, "expected_answer", "answer", "Answer"))
    digits = answer.strip().removesuffix(".0")
    key = str(int(digits)) if digits.isdecimal() else digits
    return _problem(f"aime{year}", row, question, Math(key), f"AIME {year}", year=year)


def amc_problem(row: Row) -> Problem:
    """The key is a float in the files (27.0)."""
    question = _first(row, "problem", "question")
    return _problem("amc", row, question, Math(_whole(row["answer"])), "AMC")


def minerva_problem(row: Row) -> Problem:
    """The key stands in the last box of `solution`."""
    question = _first(row, "problem", "question")
    key = row.get("answer") or last_box(str(row.get("solution") or "")) or ""
    return _problem("minerva_math", row, question, Math(str(key)), str(row.get("type") or ""))


def olympiadbench_problem(row: Row) -> Problem:
    """`final_answer` is a list; `error` an absolute tolerance; several answers are a set."""
    answers = row["final_answer"]
    answers = answers if isinstance(answers, list) else [answers]
    context = f"{row['context'].strip()}\n\n" if row.get("context") else ""
    key = Math(", ".join(str(answer) for answer in answers), MathRules(absolute=_error(row)))
    return _problem("olympiadbench", row, context + row["question"], key,
                    str(row.get("subfield") or ""), answer_type=row.get("answer_type"))  # fmt: skip


def gsm8k_problem(row: Row) -> Problem:
    """The key follows the last `####` and may hold thousands separators."""
    _, mark, key = str(row["answer"]).rpartition("####")
    key = key.strip().replace(",", "") if mark else ""
    return _problem("gsm8k", row, row["question"], Math(key),
                    "")  # fmt: skip


def _problem(
    benchmark: str, row: Row, question: str, key: Math, cluster: str, **metadata: Any
) -> Problem:
    known = next((row[name] for name in ("unique_id", "id", "ID", "idx") if name in row), None)
    identity = hashlib.sha256(question.encode()).hexdigest()[:12] if known is None else str(known)
    return Problem(
        id=f"{benchmark}/{identity}",
        benchmark=benchmark,
        question=f"{INSTRUCTION}\n\n{question.strip()}",
        answer=key,
        cluster=cluster or None,
        metadata={name: value for name, value in metadata.items() if value is not None},
    )


def _first(row: Row, *names: str) -> Any:
    for name in names:
        if row.get(name) is not None:
            return row[name]
    return ""


def _whole(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _error(row: Row) -> float:
    """`1e-1`, `0.1,0.01` (one for each answer: the widest), or nothing."""
    values = [
        float(text) for text in re.findall(r"\d*\.?\d+(?:e-?\d+)?", str(row.get("error") or ""))
    ]
    return max(values, default=0.0)
