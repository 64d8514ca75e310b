import itertools
import math
import statistics
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from harness.stats import (
    StatsError,
    bootstrap_interval,
    mean_estimate,
    pass_at_k,
    pass_at_k_estimate,
    wilson_interval,
)
from tests.harness.stats.build import binomial_error, clustered, one_shot, scores

UNIT = st.floats(0, 1)


@given(st.lists(UNIT, min_size=2, max_size=40))
def test_without_clusters_the_error_is_the_textbook_one(values: list[float]) -> None:
    estimate = mean_estimate(scores(values))
    textbook = statistics.stdev(values) / math.sqrt(len(values))
    assert estimate.mean == pytest.approx(statistics.fmean(values))
    assert estimate.se == pytest.approx(textbook, abs=1e-12)


@given(st.lists(UNIT, min_size=2, max_size=12), st.integers(2, 5))
def test_copies_of_a_question_in_its_cluster_add_no_certainty(
    values: list[float], copies: int
) -> None:
    once = mean_estimate(scores(values))
    names = [f"c{i}" for i in range(len(values)) for _ in range(copies)]
    often = mean_estimate(scores([v for v in values for _ in range(copies)], names))
    assert often.se == pytest.approx(once.se, abs=1e-12)
    assert (often.low, often.high) == pytest.approx((once.low, once.high), abs=1e-10)
    assert often.clusters == once.clusters


def test_the_clustered_error_by_hand() -> None:
    # mean 1/2; residual sums +1, −1/2, −1/2; √(3/2 · 3/2) / 4
    estimate = mean_estimate(scores([1.0, 1.0, 0.0, 0.0], ["a", "a", "b", "c"]))
    assert estimate.se == pytest.approx(1.5 / 4)
    assert (estimate.questions, estimate.clusters) == (4, 3)
    # Student's t with two degrees of freedom at 95 %: 4.302653
    assert estimate.high - estimate.mean == pytest.approx(4.302653 * 1.5 / 4, rel=1e-6)


def test_an_unscored_answer_moves_neither_mean_nor_error_but_is_counted() -> None:
    with_trouble = mean_estimate(scores([1.0, 0.0, 1.0, None]))
    without = mean_estimate(scores([1.0, 0.0, 1.0]))
    assert (with_trouble.mean, with_trouble.se) == (without.mean, without.se)
    assert (with_trouble.unscored, with_trouble.questions) == (1, 3)


@pytest.mark.parametrize("values", [[], [1.0], [None, None], [1.0, None]])
def test_no_error_from_fewer_than_two_questions(values: list[float | None]) -> None:
    with pytest.raises(StatsError, match="at least two"):
        mean_estimate(scores(values))
    with pytest.raises(StatsError, match="at least two"):
        bootstrap_interval(scores(values))


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0, math.nan])
def test_a_level_that_is_no_level_is_refused(level: float) -> None:
    made = scores([1.0, 0.0, 1.0])
    with pytest.raises(StatsError, match="level"):
        mean_estimate(made, level)
    with pytest.raises(StatsError, match="level"):
        bootstrap_interval(made, level, draws=10)
    with pytest.raises(StatsError, match="level"):
        wilson_interval(1, 2, level)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_is_its_closed_form(counts: tuple[int, int]) -> None:
    right, trials = counts
    z, p = 1.959963984540054, right / trials
    centre = (p + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z * math.sqrt(p * (1 - p) / trials + (z / (2 * trials)) ** 2) / (1 + z * z / trials)
    assert wilson_interval(right, trials) == pytest.approx((centre - half, centre + half), abs=1e-9)


@pytest.mark.parametrize("counts", [(0, 0), (-1, 5), (6, 5)])
def test_wilson_refuses_what_is_no_proportion(counts: tuple[int, int]) -> None:
    with pytest.raises(StatsError, match="not a proportion"):
        wilson_interval(*counts)


@given(st.integers(1, 7), st.data())
def test_pass_at_k_is_the_share_of_subsets_with_a_right_sample(
    samples: int, data: st.DataObject
) -> None:
    right, k = data.draw(st.integers(0, samples)), data.draw(st.integers(1, samples))
    subsets = list(itertools.combinations([1] * right + [0] * (samples - right), k))
    share = Fraction(sum(any(subset) for subset in subsets), len(subsets))
    assert pass_at_k(samples, right, k) == pytest.approx(float(share))


@given(st.integers(1, 300), st.data())
def test_pass_at_k_grows_with_k_from_the_plain_share(samples: int, data: st.DataObject) -> None:
    right = data.draw(st.integers(0, samples))
    k = data.draw(st.integers(1, samples))
    assume(k < samples)
    assert pass_at_k(samples, right, 1) == pytest.approx(right / samples)
    assert pass_at_k(samples, right, k) <= pass_at_k(samples, right, k + 1) <= 1.0


@pytest.mark.parametrize(("samples", "right", "k"), [(3, 1, 0), (3, 1, 4), (3, 4, 1), (3, -1, 1)])
def test_pass_at_k_refuses_impossible_counts(samples: int, right: int, k: int) -> None:
    with pytest.raises(StatsError):
        pass_at_k(samples, right, k)


def test_pass_at_1_over_a_benchmark_is_its_mean() -> None:
    made = scores([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.0], [1.0, None, 1.0]])
    assert pass_at_k_estimate(made, 1) == mean_estimate(made)


def test_pass_at_k_takes_only_fully_right_samples() -> None:
    made = scores([[0.5, 0.9], [1.0, 0.0]])
    assert pass_at_k_estimate(made, 2).mean == 0.5


def test_pass_at_k_is_unbiased() -> None:
    generator, chance, k = np.random.default_rng(3), 0.3, 3
    rights = generator.binomial(5, chance, size=20_000)
    values = [pass_at_k(5, int(right), k) for right in rights]
    error = 4 * statistics.stdev(values) / math.sqrt(len(values))
    assert statistics.fmean(values) == pytest.approx(1 - (1 - chance) ** k, abs=error)


def test_a_bootstrap_is_its_seed_and_nothing_else() -> None:
    made = scores([math.sin(index) ** 2 for index in range(40)])
    first, again, other = (bootstrap_interval(made, draws=500, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_bootstrap_of_two_questions_is_its_exact_distribution() -> None:
    # resamples of {0, 1}: means 0, 1/2, 1 with probabilities 1/4, 1/2, 1/4
    assert bootstrap_interval(scores([0.0, 1.0]), level=0.4, draws=4_000) == (0.5, 0.5)
    assert bootstrap_interval(scores([0.0, 1.0]), level=0.6, draws=4_000) == (0.0, 1.0)


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    generator, trials = np.random.default_rng(11), 1_000
    chances = np.linspace(0.2, 0.9, 100)
    hits = 0
    for _ in range(trials):
        # questions too are drawn anew: the interval is about the population they come from
        estimate = mean_estimate(one_shot(generator.choice(chances, 100), generator))
        hits += estimate.low <= chances.mean() <= estimate.high
    assert hits / trials == pytest.approx(0.95, abs=binomial_error(0.95, trials))


def test_clustered_intervals_cover_and_unclustered_ones_would_not() -> None:
    generator, trials, truth = np.random.default_rng(12), 600, 0.6
    hits = naive_hits = 0
    for _ in range(trials):
        made = clustered(30, 8, generator)
        estimate, naive = mean_estimate(made), mean_estimate(scores(list(made.values)))
        hits += estimate.low <= truth <= estimate.high
        naive_hits += naive.low <= truth <= naive.high
    assert hits / trials == pytest.approx(0.95, abs=binomial_error(0.95, trials))
    assert naive_hits / trials < 0.8


def test_the_clustered_bootstrap_covers_nearly_as_often_as_it_says() -> None:
    generator, trials = np.random.default_rng(13), 300
    hits = 0
    for seed in range(trials):
        low, high = bootstrap_interval(clustered(60, 4, generator), draws=400, seed=seed)
        hits += low <= 0.6 <= high
    # a percentile interval is known to be a little short: √((G−1)/G), and normal for t
    assert hits / trials == pytest.approx(0.94, abs=binomial_error(0.94, trials))


@pytest.mark.parametrize("chance", [0.1, 0.5, 0.97])
def test_wilson_covers_on_average_over_what_may_happen(chance: float) -> None:
    trials = 200
    covered = sum(
        math.comb(trials, right) * chance**right * (1 - chance) ** (trials - right)
        for right in range(trials + 1)
        if wilson_interval(right, trials)[0] <= chance <= wilson_interval(right, trials)[1]
    )
    assert covered == pytest.approx(0.95, abs=0.02)
