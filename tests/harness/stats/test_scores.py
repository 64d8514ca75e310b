import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.stats import Scores, StatsError, mean_estimate
from harness.stats.scores import Row, cluster_codes
from tests.harness.stats.build import scores

VALUES = st.none() | st.floats(0, 1)
TABLES = st.lists(st.lists(VALUES, min_size=1, max_size=5), min_size=1, max_size=8)


def rows_of(table: list[list[float | None]]) -> list[Row]:
    return [
        Row(f"q{i}", e, v, f"c{i % 3}") for i, row in enumerate(table) for e, v in enumerate(row)
    ]


@given(TABLES, st.randoms(use_true_random=False))
def test_the_order_of_rows_never_matters(
    table: list[list[float | None]], order: random.Random
) -> None:
    rows = rows_of(table)
    shuffled = list(rows)
    order.shuffle(shuffled)
    assert Scores.from_rows(shuffled) == Scores.from_rows(rows)


@given(TABLES)
def test_every_answer_is_scored_or_counted_as_unscored(table: list[list[float | None]]) -> None:
    made = scores(table)
    flat = [value for row in table for value in row]
    assert made.answers == len(flat)
    assert made.unscored == flat.count(None)
    assert made.scored.tolist() == [any(v is not None for v in row) for row in table]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_epochs_does_not_change_a_mean_by_one_bit(
    values: list[float], order: random.Random
) -> None:
    shuffled = list(values)
    order.shuffle(shuffled)
    assert scores([values]).means[0] == scores([shuffled]).means[0]


def test_a_question_counts_once_however_many_epochs_it_has() -> None:
    made = scores([[1.0, 1.0, 1.0, 1.0], [0.0], [0.0, 1.0]])
    assert made.means.tolist() == [1.0, 0.0, 0.5]
    assert mean_estimate(made).mean == 0.5


def test_unscored_epochs_are_left_out_of_a_mean_and_never_zero() -> None:
    made = scores([[1.0, None], [None, None]])
    assert made.means[0] == 1.0
    assert math.isnan(made.means[1])
    assert made.unscored == 3


def test_a_question_without_a_cluster_is_its_own() -> None:
    made = Scores.from_rows([Row("b", 0, 1.0, "set"), Row("a", 0, 1.0), Row("c", 0, 0.0, "set")])
    assert made.questions == ("a", "b", "c")
    assert made.clusters == ("a", "set", "set")


def test_cluster_codes_number_by_first_appearance() -> None:
    assert cluster_codes(["x", "y", "x", "z"]).tolist() == [0, 1, 0, 2]
    assert cluster_codes([]).dtype == np.intp


@pytest.mark.parametrize("value", [math.nan, -0.1, 1.1, math.inf])
def test_a_value_outside_the_unit_interval_is_refused_by_name(value: float) -> None:
    with pytest.raises(StatsError, match="q7"):
        Scores.from_rows([Row("q7", 0, value)])


def test_an_epoch_given_twice_is_refused() -> None:
    with pytest.raises(StatsError, match="epoch 1 twice"):
        Scores.from_rows([Row("q", 1, 1.0), Row("q", 1, 1.0)])


@pytest.mark.parametrize("second", [None, "other"])
def test_a_question_in_two_clusters_is_refused(second: str | None) -> None:
    with pytest.raises(StatsError, match="two clusters"):
        Scores.from_rows([Row("q", 0, 1.0, "one"), Row("q", 1, 1.0, second)])


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(StatsError, match="equally many"):
        Scores(("a", "b"), ((1.0,),), ("a", "b"))


def test_a_question_given_twice_is_refused() -> None:
    with pytest.raises(StatsError, match="twice"):
        Scores(("a", "a"), ((1.0,), (0.0,)), ("a", "a"))
