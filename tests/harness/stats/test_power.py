import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from harness.stats import StatsError, compare, minimum_detectable_effect, questions_needed
from harness.stats.power import unpaired_detectable_effect
from tests.harness.stats.build import binomial_error, scores

Z_SUM = 1.959963984540054 + 0.8416212335729143  # α = 0.05 two-sided, power 0.8


@given(st.integers(1, 100_000), st.floats(0.01, 1))
def test_the_detectable_effect_solves_its_equation(questions: int, disagreement: float) -> None:
    effect = minimum_detectable_effect(questions, disagreement)
    variance = disagreement - effect**2
    assert effect == pytest.approx(Z_SUM * math.sqrt(variance / questions), rel=1e-6)


@given(st.integers(1, 5_000), st.floats(0.01, 1))
def test_questions_needed_undoes_the_detectable_effect(questions: int, disagreement: float) -> None:
    effect = minimum_detectable_effect(questions, disagreement)
    assume(effect <= disagreement)
    assert questions_needed(effect, disagreement) in (questions, questions + 1)  # ceil of n ± ε


@given(st.integers(1, 5_000), st.floats(0.01, 1))
def test_more_questions_show_smaller_effects(questions: int, disagreement: float) -> None:
    fewer, more = (minimum_detectable_effect(n, disagreement) for n in (questions, questions + 1))
    assert more < fewer


@given(st.floats(0.01, 1), st.floats(0.01, 1))
def test_the_questions_needed_suffice_and_one_fewer_does_not(share: float, part: float) -> None:
    effect = share * part
    needed = questions_needed(effect, share)
    assert minimum_detectable_effect(needed, share) <= effect * (1 + 1e-9)
    if needed > 1:
        assert minimum_detectable_effect(needed - 1, share) >= effect * (1 - 1e-9)


def test_a_design_has_at_least_one_question() -> None:
    assert questions_needed(1.0, 1.0) == 1


def test_the_unpaired_effect_by_hand() -> None:
    assert unpaired_detectable_effect(198, 0.7) == pytest.approx(
        Z_SUM * math.sqrt(2 * 0.7 * 0.3 / 198)
    )


def test_pairing_saves_where_systems_agree_more_than_by_chance() -> None:
    by_chance = 2 * 0.7 * 0.3
    assert minimum_detectable_effect(198, by_chance / 2) < unpaired_detectable_effect(198, 0.7)


@pytest.mark.parametrize("disagreement", [0.0, -0.1, 1.1, math.nan])
def test_an_impossible_disagreement_is_refused(disagreement: float) -> None:
    with pytest.raises(StatsError, match="disagreement"):
        minimum_detectable_effect(100, disagreement)
    with pytest.raises(StatsError, match="disagreement"):
        questions_needed(0.01, disagreement)


@pytest.mark.parametrize("effect", [0.0, -0.1, 0.21, math.nan])
def test_an_effect_that_the_disagreement_cannot_hold_is_refused(effect: float) -> None:
    with pytest.raises(StatsError, match="cannot come from"):
        questions_needed(effect, 0.2)


@pytest.mark.parametrize(("alpha", "power"), [(0.0, 0.8), (1.0, 0.8), (0.05, 1.0), (0.05, 0.0)])
def test_certainty_cannot_be_bought(alpha: float, power: float) -> None:
    with pytest.raises(StatsError, match="alpha and power"):
        minimum_detectable_effect(100, 0.2, alpha, power)


def test_a_design_without_questions_is_refused() -> None:
    with pytest.raises(StatsError, match="at least one question"):
        minimum_detectable_effect(0, 0.2)
    with pytest.raises(StatsError, match="at least one question"):
        unpaired_detectable_effect(0, 0.7)
    with pytest.raises(StatsError, match="accuracy"):
        unpaired_detectable_effect(100, 70)


def test_the_detectable_effect_is_found_as_often_as_promised() -> None:
    questions, disagreement, trials = 400, 0.25, 600
    effect = minimum_detectable_effect(questions, disagreement)
    only_a, only_b = (disagreement + effect) / 2, (disagreement - effect) / 2
    generator, found = np.random.default_rng(31), 0
    for _ in range(trials):
        draw = generator.random(questions)
        a, b = draw < only_a, (draw >= only_a) & (draw < only_a + only_b)
        found += (
            compare(scores(a.astype(float).tolist()), scores(b.astype(float).tolist())).p < 0.05
        )
    assert found / trials == pytest.approx(0.8, abs=binomial_error(0.8, trials))
