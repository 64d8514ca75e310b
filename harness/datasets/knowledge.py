"""Knowledge suites: MMLU, MMLU-Pro, and RLPR's free-form questions."""

from __future__ import annotations

import hashlib
from typing import Any

from harness.datasets.source import Row, Source
from harness.problem import LETTERS, Choice, FreeForm, Problem, ProblemError

HUB = "https://huggingface.co/datasets"
MMLU = Source(
    name="mmlu",
    urls=(f"{HUB}/cais/mmlu/resolve/main/all/test-00000-of-00001.parquet",),
    sha256=None,
    sample="mmlu.jsonl",
    columns=("question", "answer"),
    headerless=("question", "A", "B", "C", "D", "answer"),
)
MMLU_PRO_COMMIT = "b24e6e6bd00bb04d317e0447cb7acb1e4973c83a"  # holds the Hub's file; hash computed
MMLU_PRO = Source(
    name="mmlu_pro",
    urls=(
        "https://raw.githubusercontent.com/OpenBMB/ChatDev/"
        f"{MMLU_PRO_COMMIT}/puppeteer/data/MMLU-Pro/test.parquet",
    ),
    sha256="f83d4778ea56bb6fba0470cd48661345127e33b2950036798081f975619128d7",
    sample="mmlu_pro.jsonl",
    columns=("question", "options", "answer"),
    revision=MMLU_PRO_COMMIT,
)
RLPR = Source(
    name="rlpr",
    urls=(),  # no public file of the evaluation set could be verified: none is invented
    sha256=None,
    sample="rlpr.jsonl",
    columns=(),
    access="the evaluation set has no verified address",
)
FREE_FORM = (
    "Answer the following question. Reason step by step, and end with your final answer between "
    "<answer> and </answer>: a word, a name, or a quantity with its unit."
)


def mmlu_problem(row: Row) -> Problem:
    """Rows of the Hub (`choices`, `answer` as an index), of JSON copies (as a letter), and of the
    original CSV (options in columns of their own)."""
    options = tuple(str(option) for option in _options(row))
    answer = row["answer"]
    letter = answer if isinstance(answer, str) and not answer.isdecimal() else LETTERS[int(answer)]
    subject = str(row.get("subject") or "")
    return _choice("mmlu", row, str(row["question"]), options, letter.strip(), subject)


def mmlu_pro_problem(row: Row) -> Problem:
    """Three to ten options; `answer` is the letter."""
    options = tuple(str(option) for option in row["options"])
    subject = str(row.get("category") or "")
    return _choice("mmlu_pro", row, str(row["question"]), options, str(row["answer"]), subject)


def rlpr_problem(row: Row) -> Problem:
    """`question` (or `prompt`) and a short `answer` (or `reward_model.ground_truth`)."""
    question = _question(row)
    model = row.get("reward_model")
    answer = row.get("answer") or (model.get("ground_truth") if isinstance(model, dict) else None)
    if not question or answer is None:
        raise ProblemError(f"an RLPR row needs `question` and `answer`; it has {', '.join(row)}")
    return Problem(
        id=f"rlpr/{row.get('id') or _digest(question)}",
        benchmark="rlpr",
        question=f"{FREE_FORM}\n\n{question.strip()}",
        answer=FreeForm(str(answer)),
        cluster=str(row.get("category") or row.get("ability") or "") or None,
    )


def _choice(
    benchmark: str, row: Row, question: str, options: tuple[str, ...], letter: str, subject: str
) -> Problem:
    known = row.get("question_id", row.get("row"))
    identity = _digest(question + "\0".join(options)) if known is None else f"{subject}/{known}"
    return Problem(
        id=f"{benchmark}/{identity}",
        benchmark=benchmark,
        question=question,
        answer=Choice(letter, options),
        cluster=subject or None,
        metadata={"subject": subject},
    )


def _options(row: Row) -> list[Any]:
    found = row.get("choices") or row.get("options") or [row.get(letter) for letter in "ABCD"]
    return list(found)


def _question(row: Row) -> str:
    prompt = row.get("question") or row.get("prompt") or ""
    if isinstance(prompt, list):  # a conversation, as in the training set
        said = [message["content"] for message in prompt if message.get("role") == "user"]
        return said[-1] if said else ""
    return str(prompt)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]
