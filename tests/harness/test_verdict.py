"""Three outcomes, never two."""

from __future__ import annotations

import math

import pytest

from harness.verdict import Verdict, correct, incorrect, unscored


def test_only_unscored_has_no_value() -> None:
    assert correct("4", "equal").value == 1.0
    assert incorrect("5", "differs").value == 0.0
    assert unscored("sandbox down").value is None


def test_unscored_is_nan_in_arrays_never_zero() -> None:
    assert math.isnan(unscored("sandbox down").score)


@pytest.mark.parametrize(
    ("outcome", "value"), [("unscored", 0.0), ("correct", None), ("incorrect", None)]
)
def test_a_verdict_cannot_mix_up_unscored_and_a_value(outcome: str, value: float | None) -> None:
    with pytest.raises(ValueError, match="unscored"):
        Verdict(outcome, value, None, "")  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [-0.1, 1.1, math.inf])
def test_a_value_lies_between_zero_and_one(value: float) -> None:
    with pytest.raises(ValueError, match="lies in"):
        Verdict("correct", value, None, "")
