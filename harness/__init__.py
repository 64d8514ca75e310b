"""What is right, and how sure are we: problems, grading, scorers, rewards, data."""

from harness.grade import grade
from harness.problem import (
    Choice,
    FreeForm,
    Math,
    MathRules,
    Problem,
    ProblemError,
    Program,
    Test,
)
from harness.verdict import Verdict

__all__ = [
    "Choice",
    "FreeForm",
    "Math",
    "MathRules",
    "Problem",
    "ProblemError",
    "Program",
    "Test",
    "Verdict",
    "grade",
]
