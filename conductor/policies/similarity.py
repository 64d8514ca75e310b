"""How alike texts are: the cosine of their TF-IDF vectors (scikit-learn, extra `routers`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conductor.strict import ConfigError


def require() -> None:
    """Raises ConfigError when scikit-learn is missing: said before anything is paid for."""
    try:
        import sklearn  # noqa: F401
    except ImportError as cause:
        raise ConfigError(
            "this policy needs scikit-learn; install the extra: pip install -e '.[routers]'"
        ) from cause


def cosine(texts: Sequence[str], others: Sequence[str]) -> Any:
    """(len(texts), len(others)) similarities in [0, 1]; words and pairs of words count."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(
        ngram_range=(1, 2), sublinear_tf=True, token_pattern=r"(?u)\w+|[^\w\s]"
    )
    fitted = vectorizer.fit([*texts, *others])
    return (fitted.transform(texts) @ fitted.transform(others).T).toarray()
