"""What each test gives a program and expects of it; stays outside the box."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from harness.graders.outputs import same_stdout, same_value
from harness.problem import ProblemError, Program, Test
from sandboxes import Run


@dataclass(slots=True)
class Expected:
    """given: the bytes on stdin. accepts: whether a whole stdout is right."""

    given: bytes
    accepts: Callable[[bytes], bool]
    _seen: tuple[Run, bool] | None = field(default=None, repr=False)

    def met_by(self, run: Run) -> bool:
        """Compared once per run: outputs may be large, and callers ask twice."""
        if self._seen is None or self._seen[0] is not run:
            self._seen = run, run.status == "ok" and self.accepts(run.stdout)
        return self._seen[1]


def expectations(tests: Sequence[Test], key: Program) -> list[Expected]:
    """Raises ProblemError when there are no tests, or one expects what is no JSON."""
    if not tests:
        raise ProblemError("the problem has no tests")
    if key.semantics == "check":
        return [_check(test) for test in tests]
    if key.function is not None:
        return [_call(number, test) for number, test in enumerate(tests, 1)]
    return [_stdin(test) for test in tests]


def _stdin(test: Test) -> Expected:
    return Expected(_bytes(test.input), lambda stdout: same_stdout(stdout, test.output))


def _call(number: int, test: Test) -> Expected:
    try:
        value = json.loads(test.output)
    except (ValueError, RecursionError) as cause:
        raise ProblemError(f"test {number} of a function expects what is no JSON") from cause
    size = len(test.output)
    return Expected(_bytes(test.input), lambda stdout: same_value(stdout, value, size))


def _check(test: Test) -> Expected:
    """The box must print a secret that it learns only after the solution has run."""
    secret = secrets.token_hex(16)
    given = _bytes(f"{secret}\n{test.input}")
    return Expected(given, lambda stdout: stdout.rsplit(b"\n", 1)[-1].decode("latin1") == secret)


def _bytes(text: str) -> bytes:
    """JSON may hold lone surrogates, which are no Unicode text: they must not stop grading."""
    return text.encode("utf-8", "surrogatepass")
