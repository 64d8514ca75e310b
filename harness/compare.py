"""Who is better, by how much, and how sure that is: systems against a baseline, task by task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from harness.errors import refuse
from harness.logs import Run
from harness.stats import Estimate, StatsError, compare, holm, mean_estimate, wilson_interval
from harness.stats.paired import ROUNDING

By = Literal["domain", "difficulty"]


@dataclass(frozen=True, slots=True)
class Standing:
    """One system on one task (or a part of it). estimate: None with fewer than two clusters or
    none scored. cost: US dollars an answer, None when unknown; seconds and tokens an answer."""

    task: str
    part: str | None
    system: str
    answers: int
    unscored: int
    mean: float | None
    estimate: Estimate | None
    cost: float | None
    seconds: float
    tokens: float


@dataclass(frozen=True, slots=True)
class Contest:
    """system − baseline on the same questions. p: two-sided; adjusted: by Holm over all contests.
    low, high: None where every question differs alike, so that there is no spread to measure.
    mde: the difference that this design shows with 80 % power; None without a spread, or where no
    difference would be large enough. trouble: why there is no comparison (all numbers are None)."""

    task: str
    part: str | None
    system: str
    baseline: str
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    adjusted: float | None = None
    mde: float | None = None
    questions: int = 0
    trouble: str | None = None

    def verdict(self, level: float) -> str:
        if self.trouble or self.adjusted is None or self.difference is None:
            return self.trouble or "no comparison"
        if self.adjusted >= 1 - level:
            return "not distinguishable"
        return "better" if self.difference > 0 else "worse"


@dataclass(frozen=True, slots=True)
class Study:
    """standings: every system on every task. contests: every system against the baseline."""

    baseline: str
    level: float
    standings: tuple[Standing, ...]
    contests: tuple[Contest, ...]


def study(
    runs: Sequence[Run],
    baseline: str | None = None,
    by: By | None = None,
    level: float = 0.95,
    most_unscored: float = 0.05,
) -> Study:
    """Compare all systems with `baseline` (default: the first) on every task that both ran.

    by: also within each domain or difficulty. A contest whose question sets differ, or where too
    much is unscored, carries the reason instead of numbers.
    """
    systems = list(dict.fromkeys(run.system for run in runs))
    chosen = baseline or systems[0]
    if chosen not in systems:
        refuse(f"--baseline {chosen!r}: no such system; there are {', '.join(systems)}")
    standings, contests = [], []
    for task in dict.fromkeys(run.task for run in runs):
        here = [run for run in runs if run.task == task]
        for part in (None, *_parts(here, by)):
            chunk = here if part is None or by is None else [run.part(by, part) for run in here]
            standings += [_standing(run, part, level) for run in chunk]
            contests += _contests(chunk, chosen, part, level, most_unscored)
    return Study(chosen, level, tuple(standings), _adjusted(contests))


def _parts(runs: Sequence[Run], by: By | None) -> list[str]:
    if by is None:
        return []
    found = {getattr(answer, by) for run in runs for answer in run.answers}
    return sorted(part for part in found if part is not None)


def _standing(run: Run, part: str | None, level: float) -> Standing:
    scores = run.scores()
    known = scores.means[scores.scored]
    try:
        estimate = _possible(mean_estimate(scores, level))
    except StatsError:
        estimate = None
    return Standing(
        task=run.task,
        part=part,
        system=run.system,
        answers=scores.answers,
        unscored=scores.unscored,
        mean=float(known.mean()) if len(known) else None,
        estimate=estimate,
        cost=run.cost,
        seconds=run.seconds,
        tokens=run.tokens,
    )


def _possible(estimate: Estimate) -> Estimate:
    """Within what a mean can be; Wilson's interval where all are right or all wrong, since a
    spread of zero would claim certainty."""
    if estimate.se < ROUNDING and estimate.mean in (0.0, 1.0):
        right = int(estimate.mean) * estimate.clusters
        low, high = wilson_interval(right, estimate.clusters, estimate.level)
        return replace(estimate, low=low, high=high)
    return replace(estimate, low=max(0.0, estimate.low), high=min(1.0, estimate.high))


def _contests(
    runs: Sequence[Run], baseline: str, part: str | None, level: float, most_unscored: float
) -> list[Contest]:
    base = next((run for run in runs if run.system == baseline), None)
    if base is None:
        return []
    return [
        _contest(run, base, part, level, most_unscored) for run in runs if run.system != baseline
    ]


def _contest(run: Run, base: Run, part: str | None, level: float, most_unscored: float) -> Contest:
    named = Contest(run.task, part, run.system, base.system)
    try:
        result = compare(run.scores(), base.scores(), level, most_unscored)
    except StatsError as reason:
        return replace(named, trouble=f"no comparison: {reason}")
    known = replace(named, difference=result.difference, p=result.p, questions=result.questions)
    if result.se < ROUNDING:
        return known
    mde = detectable(result.se, level)
    return replace(
        known,
        low=max(-1.0, result.low),
        high=min(1.0, result.high),
        mde=mde if mde <= 1 else None,
    )


def detectable(se: float, level: float = 0.95, power: float = 0.8) -> float:
    """The difference that a design with this standard error shows with this power."""
    from scipy.stats import norm

    return float((norm.ppf((1 + level) / 2) + norm.ppf(power)) * se)


def _adjusted(contests: Sequence[Contest]) -> tuple[Contest, ...]:
    tested = [contest.p for contest in contests if contest.p is not None]
    adjusted = iter(holm(tested))
    return tuple(
        contest if contest.p is None else replace(contest, adjusted=next(adjusted))
        for contest in contests
    )
