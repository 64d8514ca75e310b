"""A problem: the question a solver sees and the answer key that only grading sees.

The same frozen object is an Inspect sample (``Sample.metadata``) and a row of a training set
(``Problem.to_json``), so that evaluation and reward cannot drift apart.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class ProblemError(ValueError):
    """A problem that cannot be built; the message names the field and what it should be."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One right option of several; `options` stand in the order the solver sees."""

    letter: str
    options: tuple[str, ...]

    def __post_init__(self) -> None:
        if not 2 <= len(self.options) <= len(LETTERS):
            raise ProblemError(
                f"a choice needs 2 to {len(LETTERS)} options, not {len(self.options)}"
            )
        if self.letter not in LETTERS[: len(self.options)] or len(self.letter) != 1:
            last = LETTERS[len(self.options) - 1]
            raise ProblemError(f"the right letter must be one of A to {last}, not {self.letter!r}")


@dataclass(frozen=True, slots=True)
class MathRules:
    """Conventions on which public graders differ; a benchmark's file states its own.

    percent: ``sign`` reads 28% as 28 (MATH's own rule), ``value`` as 0.28, ``any`` as either,
        and 75 as 0.75 too.
    ordered: whether a bare list `1, 2` must keep its order (tuples always must).
    decimal_comma: whether `2,74` is 2.74. reduced: whether a fraction must be in lowest terms when
        the key is one.
    absolute, relative: tolerance for numbers, 0 = exact (a decimal of ten digits or more stands for
        the exact value in any case).
    boxed_only: whether an answer counts only in a box.
    """

    percent: Literal["sign", "value", "any"] = "sign"
    ordered: bool = False
    decimal_comma: bool = False
    reduced: bool = False
    absolute: float = 0.0
    relative: float = 0.0
    boxed_only: bool = False


@dataclass(frozen=True, slots=True)
class Math:
    """A mathematical answer in LaTeX or plain text, and the conventions it is judged by."""

    answer: str
    rules: MathRules = MathRules()


@dataclass(frozen=True, slots=True)
class FreeForm:
    """A short free-form answer (RLPR): a word, a name, a quantity with its unit."""

    answer: str


@dataclass(frozen=True, slots=True)
class Test:
    """One test of a program: what it is given and what it must produce.

    public: the solver may see it (it stands in the statement); hidden ones nobody may.
    """

    __test__ = False  # not a pytest class

    input: str
    output: str
    public: bool = False


@dataclass(frozen=True, slots=True)
class Program:
    """A program judged by tests.

    function: ``None`` for stdin/stdout programs; else the name to call, with one JSON value per
        line of `input` as arguments and JSON as `output`.
    semantics: ``judge`` (a real stdin/stdout judge), ``lcb`` (LiveCodeBench's checker), or
        ``check``: `input` is Python source of unittest cases or assertions that runs behind the
        solution, in the box and in the same process; `output` is not used.
    preamble: Python source put before the solution.
    cpu_seconds, memory_mb: what each test may use.
    stored: sha256 of more tests, too large for a log, in `harness.test_store`.
    libraries: modules that the tests need; where the sandbox lacks one, the answer is unscored.
    """

    tests: tuple[Test, ...]
    function: str | None = None
    semantics: Literal["judge", "lcb", "check"] = "judge"
    preamble: str = ""
    cpu_seconds: float = 6.0
    memory_mb: int = 4096
    stored: str | None = None
    libraries: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.semantics not in ("judge", "lcb", "check"):
            raise ProblemError(f"semantics must be judge, lcb or check, not {self.semantics!r}")


Answer = Choice | Math | FreeForm | Program


@dataclass(frozen=True, slots=True)
class Problem:
    """A question, its answer key, and what is known about it.

    question: the text exactly as the solver sees it.
    cluster: what questions share (contest, subject): the unit of clustered standard errors.
    metadata: plain JSON data (difficulty, contest date …); never the answer.
    """

    id: str
    benchmark: str
    question: str
    answer: Answer
    cluster: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON-able data; `from_dict` gives back an equal problem."""
        data = {name: getattr(self, name) for name in ("id", "benchmark", "question", "cluster")}
        answer = {"kind": _KIND[type(self.answer)], **asdict(self.answer)}
        return {**data, "metadata": dict(self.metadata), "answer": answer}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Problem:
        """Raises ProblemError naming the field that is missing or wrong."""
        try:
            return cls(
                id=data["id"],
                benchmark=data["benchmark"],
                question=data["question"],
                answer=_answer_from_dict(data["answer"]),
                cluster=data.get("cluster"),
                metadata=dict(data.get("metadata") or {}),
            )
        except KeyError as missing:
            raise ProblemError(f"a problem needs the field {missing}") from missing

    def to_json(self) -> str:
        """One line; the `problem` column of a training set (Arrow would merge nested fields)."""
        return json.dumps(self.to_dict(), ensure_ascii=False, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Problem:
        try:
            data = json.loads(text)
        except (json.JSONDecodeError, TypeError) as cause:
            raise ProblemError(f"a problem column must hold Problem JSON: {cause}") from cause
        if not isinstance(data, dict):
            raise ProblemError(f"a problem is a JSON object, not {type(data).__name__}")
        return cls.from_dict(data)


_KIND: dict[type, str] = {
    Choice: "choice",
    Math: "math",
    FreeForm: "freeform",
    Program: "program",
}


def _answer_from_dict(data: Mapping[str, Any]) -> Answer:
    fields = {key: value for key, value in data.items() if key != "kind"}
    try:
        match data.get("kind"):
            case "choice":
                return Choice(letter=fields["letter"], options=tuple(fields["options"]))
            case "math":
                return Math(fields["answer"], MathRules(**(fields.get("rules") or {})))
            case "freeform":
                return FreeForm(**fields)
            case "program":
                tests = tuple(Test(**test) for test in fields.pop("tests"))
                libraries = tuple(fields.pop("libraries", ()))
                return Program(tests=tests, libraries=libraries, **fields)
            case kind:
                known = ", ".join(_KIND.values())
                raise ProblemError(f"unknown kind of answer {kind!r}; one of {known}")
    except TypeError as cause:
        raise ProblemError(
            f"an answer of kind {data.get('kind')!r} does not fit: {cause}"
        ) from cause
