"""How sure we are: estimates with honest errors, paired comparisons, and what a design can show.

Conventions follow Miller 2024 (arXiv 2411.00640): questions are the sample, epochs are averaged
per question first, standard errors are clustered where questions share a source, and systems are
compared by paired differences on the same questions.
"""

from harness.stats.estimates import (
    Estimate,
    bootstrap_interval,
    mean_estimate,
    pass_at_k,
    pass_at_k_estimate,
    wilson_interval,
)
from harness.stats.paired import (
    Comparison,
    compare,
    holm,
    mcnemar_exact,
    paired_bootstrap,
    permutation_test,
)
from harness.stats.power import minimum_detectable_effect, questions_needed
from harness.stats.scores import Scores, StatsError

__all__ = [
    "Comparison",
    "Estimate",
    "Scores",
    "StatsError",
    "bootstrap_interval",
    "compare",
    "holm",
    "mcnemar_exact",
    "mean_estimate",
    "minimum_detectable_effect",
    "paired_bootstrap",
    "pass_at_k",
    "pass_at_k_estimate",
    "permutation_test",
    "questions_needed",
    "wilson_interval",
]
