import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference

from harness.stats import (
    Scores,
    StatsError,
    compare,
    holm,
    mcnemar_exact,
    paired_bootstrap,
    permutation_test,
)
from harness.stats.paired import EXACT_CLUSTERS
from tests.harness.stats.build import binomial_error, one_shot, scores

UNIT = st.floats(0, 1)
PAIRS = st.lists(st.tuples(UNIT, UNIT), min_size=2, max_size=20)
EIGHTHS = st.integers(0, 8).map(lambda n: n / 8)  # exact sums, so ties are ties


def sides(pairs: list[tuple[float, float]]) -> tuple[Scores, Scores]:
    return scores([a for a, _ in pairs]), scores([b for _, b in pairs])


@given(st.lists(st.tuples(EIGHTHS, EIGHTHS), min_size=2, max_size=20))
def test_a_comparison_is_the_paired_t_test(pairs: list[tuple[float, float]]) -> None:
    comparison = compare(*sides(pairs))
    differences = [a - b for a, b in pairs]
    assert comparison.difference == pytest.approx(np.mean(differences))
    if len(set(differences)) > 1:
        assert comparison.p == pytest.approx(reference.ttest_1samp(differences, 0.0).pvalue)


@given(PAIRS)
def test_swapping_the_systems_turns_the_sign_and_nothing_else(
    pairs: list[tuple[float, float]],
) -> None:
    a, b = sides(pairs)
    there, back = compare(a, b), compare(b, a)
    assert back.difference == pytest.approx(-there.difference, abs=1e-12)
    assert (back.low, back.high) == pytest.approx((-there.high, -there.low), abs=1e-12)
    assert back.p == pytest.approx(there.p)


@given(st.lists(st.tuples(EIGHTHS, EIGHTHS), min_size=2, max_size=20))
def test_distinguishable_means_that_the_interval_leaves_zero_out(
    pairs: list[tuple[float, float]],
) -> None:
    comparison = compare(*sides(pairs))
    if comparison.se > 0 and abs(comparison.p - 0.05) > 1e-9:
        assert comparison.distinguishable == (not comparison.low <= 0.0 <= comparison.high)


@given(st.lists(st.lists(UNIT, min_size=3, max_size=3), min_size=2, max_size=10))
def test_a_system_equals_itself_with_its_epochs_in_another_order(table: list[list[float]]) -> None:
    comparison = compare(scores(table), scores([row[::-1] for row in table]))
    assert (comparison.difference, comparison.p) == (0.0, 1.0)
    assert not comparison.distinguishable


@pytest.mark.parametrize("gap", [1.0, 0.1, 1 / 3])
@pytest.mark.parametrize("questions", [2, 3, 10])
def test_a_constant_difference_is_as_sure_as_its_signs(questions: int, gap: float) -> None:
    better, worse = scores([gap] * questions), scores([0.0] * questions)
    comparison = compare(better, worse)
    assert comparison.p == pytest.approx(mcnemar_exact(questions, 0))
    assert comparison.distinguishable == (questions == 10)
    assert comparison.non_inferior_p(0.05) == pytest.approx(0.5**questions)
    assert compare(worse, better).non_inferior_p(0.05) == pytest.approx(1 - 0.5**questions)


def test_no_difference_at_all_is_no_evidence() -> None:
    made = scores([1.0, 0.0, 1.0])
    assert compare(made, made).p == 1.0
    assert not compare(made, made).distinguishable


def test_questions_in_one_cluster_count_as_one_difference() -> None:
    names = ["x", "x", "x", "y", "z"]
    comparison = compare(scores([1.0] * 4 + [0.0], names), scores([0.0] * 4 + [1.0], names))
    # mean 3/5; residual sums 6/5, 2/5, −8/5: √(3/2 · 104/25) / 5
    assert comparison.clusters == 3
    assert comparison.se == pytest.approx(math.sqrt(1.5 * 104 / 25) / 5)
    assert comparison.p == pytest.approx(2 * reference.t.sf(0.6 / comparison.se, 2))


def test_non_inferiority_is_the_shifted_one_sided_test() -> None:
    a, b = [1.0, 0.0, 1.0, 0.5, 0.25], [1.0, 0.5, 0.75, 0.5, 0.0]
    expected = reference.ttest_1samp(np.subtract(a, b), -0.2, alternative="greater").pvalue
    assert compare(scores(a), scores(b)).non_inferior_p(0.2) == pytest.approx(expected)


@pytest.mark.parametrize("margin", [0.0, -0.1, math.nan])
def test_non_inferiority_needs_a_margin(margin: float) -> None:
    with pytest.raises(StatsError, match="margin"):
        compare(scores([1.0, 0.0]), scores([0.0, 0.0])).non_inferior_p(margin)


def test_different_questions_are_refused_and_one_is_named() -> None:
    with pytest.raises(StatsError, match="q00002"):
        compare(scores([1.0, 0.0, 1.0]), scores([1.0, 0.0]))


def test_the_same_questions_in_another_order_are_refused() -> None:
    a = Scores(("x", "y"), ((1.0,), (0.0,)), ("x", "y"))
    b = Scores(("y", "x"), ((1.0,), (0.0,)), ("y", "x"))
    with pytest.raises(StatsError, match="order"):
        compare(a, b)


def test_differently_clustered_questions_are_refused() -> None:
    with pytest.raises(StatsError, match="clustered differently"):
        compare(scores([1.0, 0.0], ["x", "x"]), scores([1.0, 0.0], ["x", "y"]))


@pytest.mark.parametrize(("missing", "refused"), [(5, False), (6, True)])
def test_too_many_unscored_of_either_system_are_refused(missing: int, refused: bool) -> None:
    whole = scores([1.0, 0.0] * 50)
    holed = scores([None] * missing + [1.0] * (100 - missing))
    for name, pair in (("first", (holed, whole)), ("second", (whole, holed))):
        if refused:
            with pytest.raises(StatsError, match=f"6 of 100 answers of the {name}"):
                compare(*pair)
        else:
            assert compare(*pair).dropped == missing


def test_a_question_unscored_for_one_system_is_dropped_for_both() -> None:
    a, b = scores([1.0, 1.0, 0.0, None]), scores([None, 1.0, 0.5, 1.0])
    comparison = compare(a, b, most_unscored=0.5)
    assert (comparison.questions, comparison.dropped) == (2, 2)
    assert comparison.difference == -0.25


@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_is_a_fair_coin_over_the_disagreements(only_a: int, only_b: int) -> None:
    n, most = only_a + only_b, max(only_a, only_b)
    tail = sum(math.comb(n, k) for k in range(most, n + 1)) / 2**n
    assert mcnemar_exact(only_a, only_b) == pytest.approx(min(1.0, 2 * tail))
    assert mcnemar_exact(only_a, only_b) == mcnemar_exact(only_b, only_a)


@given(st.lists(st.sampled_from([(1.0, 0.0), (0.0, 1.0), (1.0, 1.0)]), min_size=1, max_size=9))
def test_the_exact_permutation_test_of_one_shot_pairs_is_mcnemar(
    pairs: list[tuple[float, float]],
) -> None:
    expected = mcnemar_exact(pairs.count((1.0, 0.0)), pairs.count((0.0, 1.0)))
    assert permutation_test(*sides(pairs)) == pytest.approx(expected)


@given(st.lists(st.tuples(EIGHTHS, EIGHTHS), min_size=1, max_size=8))
def test_the_exact_permutation_test_counts_every_sign_pattern(
    pairs: list[tuple[float, float]],
) -> None:
    differences = [a - b for a, b in pairs]
    sums = [
        abs(sum(sign * d for sign, d in zip(signs, differences, strict=True)))
        for signs in itertools.product([1, -1], repeat=len(differences))
    ]
    expected = np.mean([total >= abs(sum(differences)) for total in sums])
    assert permutation_test(*sides(pairs)) == pytest.approx(expected)


def test_clusters_flip_together() -> None:
    names = ["x"] * 10 + ["y"] * 10
    a, b = scores([1.0] * 20, names), scores([0.0] * 20, names)
    assert permutation_test(a, b) == 0.5  # two of the four patterns, not 2 of 2**20


def test_the_drawn_permutation_test_agrees_with_mcnemar() -> None:
    pairs = [(1.0, 0.0)] * 18 + [(0.0, 1.0)] * 8 + [(1.0, 1.0)] * 30
    assert len(pairs) > EXACT_CLUSTERS
    expected, draws = mcnemar_exact(18, 8), 20_000
    drawn = permutation_test(*sides(pairs), draws=draws, seed=5)
    assert drawn == pytest.approx(expected, abs=binomial_error(expected, draws) + 1 / draws)


def test_a_drawn_p_is_never_zero() -> None:
    p = permutation_test(scores([1.0] * 60), scores([0.0] * 60), draws=999)
    assert p == 1 / 1_000


def test_resampling_tests_refuse_what_holds_nothing() -> None:
    with pytest.raises(StatsError, match="scored for both"):
        permutation_test(scores([]), scores([]))
    with pytest.raises(StatsError, match="at least two"):
        paired_bootstrap(scores([1.0]), scores([0.0]))


def test_the_paired_bootstrap_of_equal_systems_has_no_width() -> None:
    made = scores([1.0, 0.0, 0.5, 1.0])
    assert paired_bootstrap(made, made, draws=200) == (0.0, 0.0)


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


@given(st.lists(UNIT, max_size=12), st.floats(0.001, 0.999))
def test_holm_rejects_exactly_what_the_step_down_procedure_rejects(
    p_values: list[float], alpha: float
) -> None:
    rejected: set[int] = set()
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        if (len(p_values) - rank) * p_values[index] > alpha:
            break
        rejected.add(index)
    assert {i for i, p in enumerate(holm(p_values)) if p <= alpha} == rejected


@given(st.lists(UNIT, min_size=1, max_size=12))
def test_holm_lies_between_nothing_and_bonferroni(p_values: list[float]) -> None:
    for raw, adjusted in zip(p_values, holm(p_values), strict=True):
        assert raw <= adjusted <= min(1.0, len(p_values) * raw)


@pytest.mark.parametrize("p", [math.nan, -0.1, 1.5])
def test_holm_refuses_what_is_no_p(p: float) -> None:
    with pytest.raises(StatsError, match="p-values"):
        holm([0.5, p])


def test_paired_intervals_cover_the_true_difference() -> None:
    generator, trials = np.random.default_rng(21), 600
    hits = bootstrap_hits = 0
    for seed in range(trials):
        hard = generator.uniform(0.1, 0.8, 80)
        a, b = one_shot(hard + 0.1, generator), one_shot(hard, generator)
        comparison = compare(a, b)
        low, high = paired_bootstrap(a, b, draws=400, seed=seed)
        hits += comparison.low <= 0.1 <= comparison.high
        bootstrap_hits += low <= 0.1 <= high
    assert hits / trials == pytest.approx(0.95, abs=binomial_error(0.95, trials))
    assert bootstrap_hits / trials == pytest.approx(0.94, abs=binomial_error(0.94, trials))


def test_equal_systems_are_called_different_as_rarely_as_promised() -> None:
    generator, trials = np.random.default_rng(22), 600
    false = exact_false = 0
    for seed in range(trials):
        hard = generator.uniform(0.1, 0.9, 80)
        a, b = one_shot(hard, generator), one_shot(hard, generator)
        false += compare(a, b).p < 0.05
        exact_false += permutation_test(a, b, draws=400, seed=seed) < 0.05
    assert false / trials == pytest.approx(0.05, abs=binomial_error(0.05, trials))
    assert exact_false / trials <= 0.05 + binomial_error(0.05, trials)
