"""In the box: runs a solution, then checks it with unittest cases or assertions from stdin.

The checks share the solution's process (they look at its objects and patch its modules), so a
solution written to cheat can: these suites measure models, they are no reward.
"""

from __future__ import annotations

import io
import sys
import types
import unittest
from typing import Any


def main(code: str) -> None:
    """stdin: a line that only the judge knows, then the checks. It is printed when all pass."""
    passed_to, sys.stdout = sys.stdout, io.StringIO()
    module = types.ModuleType("__test__")
    sys.modules["__test__"] = module
    run(code, "solution.py", module)
    secret, _, checks = sys.stdin.read().partition("\n")
    run(checks, "checks.py", module)
    passed = all_pass(module)
    passed_to.write("\n" + secret if passed else "\nfailed")
    passed_to.flush()


def run(source: str, name: str, module: types.ModuleType) -> None:
    exec(compile(source, name, "exec"), module.__dict__)


def all_pass(module: types.ModuleType) -> bool:
    """Every case runs and none is skipped; without cases, that the assertions held is enough."""
    cases = [value for value in vars(module).values() if is_case(value)]
    suite = unittest.TestSuite(map(unittest.defaultTestLoader.loadTestsFromTestCase, cases))
    count = suite.countTestCases()
    result = unittest.TestResult()
    suite.run(result)
    return result.wasSuccessful() and not result.skipped and result.testsRun == count


def is_case(value: Any) -> bool:
    return (
        isinstance(value, type)
        and issubclass(value, unittest.TestCase)
        and value.__module__ == "__test__"
    )
