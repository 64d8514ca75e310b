r"""The words of an expression: numbers, letters, commands and signs, LaTeX and plain mixed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from harness.graders.mathematics.expression import UnreadableError

MAX_LENGTH = 2_000  # characters of one expression
FUNCTIONS = frozenset(
    "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh ln log exp sqrt abs floor ceil "
    "max min gcd lcm Re Im arg det sgn".split()
)
ALIASES = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "tg": "tan", "ctg": "cot",
           "cosec": "csc", "lg": "log10"}  # fmt: skip
CONSTANTS = {"pi": "pi", "e": "e", "i": "i", "infty": "oo", "inf": "oo", "infinity": "oo"}
GREEK = frozenset(
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta kappa lambda mu nu xi rho "
    "sigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Sigma Phi Psi Omega "
    "ell hbar".split()
)
TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?|\.\d+)(?:[eE](?P<exponent>[+-]?\d{1,4})(?![a-zA-Z\d]))?"
    r"|(?P<command>\\[a-zA-Z]+)|(?P<word>[A-Za-z]+)|(?P<power>\*\*)"
    r"|(?P<other>[-+*/^_!|(){}\[\],'=<>:%]))"
)


@dataclass(frozen=True, slots=True)
class Token:
    kind: str
    text: str
    exponent: str = ""
    start: int = 0


def tokenize(text: str) -> list[Token]:
    if len(text) > MAX_LENGTH:
        raise UnreadableError("longer than an answer")
    tokens, position = [], 0
    text = text.rstrip()
    while position < len(text):
        match = TOKEN.match(text, position)
        if match is None:
            raise UnreadableError(f"unexpected {text[position]!r}")
        kind = str(match.lastgroup if match.lastgroup != "exponent" else "number")
        found = match[kind]
        if kind == "power":
            kind, found = "other", "^"
        tokens.append(Token(kind, found, match["exponent"] or "", match.start(kind)))
        position = match.end()
    return tokens
