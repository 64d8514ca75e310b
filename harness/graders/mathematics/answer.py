r"""The shape of an answer: a value, words, a list, tuple, interval, matrix, relation, ratio.

`read_answer` never fails: what has no shape it knows is `Words`.
"""

from __future__ import annotations

import re

from harness.graders.mathematics.clean import (
    FONTS,
    MONEY,
    TEXT,
    clean,
    join_thousands,
    plain_text,
)
from harness.graders.mathematics.expression import (
    Apply,
    Symbol,
    UnreadableError,
)
from harness.graders.mathematics.reader import read_expression
from harness.graders.mathematics.shapes import (
    Answer,
    Based,
    Interval,
    Items,
    Matrix,
    Relation,
    Union,
    Value,
    Words,
)
from harness.graders.mathematics.split import outer, split, top_level
from harness.graders.mathematics.units import PERCENT, without_units
from harness.problem import MathRules

MAX_ITEMS = 200
LONGEST = 20_000  # characters; no answer is longer


DELIMITERS = re.compile(r"\$\$?|\\[()\[\]]")
CONNECTIVE = re.compile(
    r"(?:(?<=[\s)}\]\d])(?:and|or|und|oder|et|ou)(?=[\s({\[\d\\-]))|,|;|和|或|、"
)
OPERATOR = re.compile(r"<=|>=|!=|=|<|>")
MATRIX = re.compile(
    r"\\begin\{(?:[pbvBV]?matrix|smallmatrix|array)\}(?:\{[^{}]*\})?(.*?)"
    r"\\end\{(?:[pbvBV]?matrix|smallmatrix|array)\}",
    re.S,
)
BASED = re.compile(r"([0-9A-Fa-f]+)\s*_\s*\{?\s*(\d{1,2})\s*\}?")
FRACTION = re.compile(
    r"(-?)(?:\\frac\s*(?:\{\s*(\d+)\s*\}|(\d))\s*(?:\{\s*(\d+)\s*\}|(\d))|(\d+)\s*/\s*(\d+))"
)
LETTERED = re.compile(  # `\\textbf{(C) }27`: the option's letter before what it says
    r"^[\s$]*(?:\\(?:text[a-z]*|mathrm|mathbf)\s*\{\s*)?\([A-E]\)[\s:.]*(?:\}[\s\\]*|(?=[\d$\\-]))(?=\S)"
)
MIXED = re.compile(r"(?<![\d./^_{])(\d+)\s+(\d{1,3})\s*/\s*(\d{1,3})(?![\d./])")  # 1 1/2
SCALES = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}
SCALED = re.compile(rf"(\d)\s*(?:\\text\s*\{{)?\s*({'|'.join(SCALES)})\b\s*\}}?", re.I)
REPEATING = re.compile(r"(\d*)\.(\d*)\\overline\s*\{\s*(\d+)\s*\}")
OUTWARD = re.compile(r"^\s*([\[\]])([^\[\]]+,[^\[\]]+)([\[\]])\s*$")  # ]0,1[ as in France
PLAIN_END = {"[": ")", "]": "]"}
TIME = re.compile(r"(\d{1,2}:\d{2})\s*(?:\\text\s*\{)?\s*([ap])\.?\s*m\.?\s*\}?", re.I)
SYNONYMS = {
    "no solutions": "no solution", "no real solutions": "no real solution",
    "dne": "does not exist", "none exist": "none", "nonexistent": "does not exist",
}  # fmt: skip
REALS = re.compile(r"\\mathbb\s*\{?R\}?|(?:the set of )?all real(?: number)?s|all reals", re.I)


def read_answer(text: str, rules: MathRules) -> Answer:
    """The shape of one final answer (no sentence, no reasoning)."""
    if len(text) > LONGEST:
        return Words(text[:LONGEST])
    return _read(prepare(text, rules), rules, 0)


def prepare(text: str, rules: MathRules) -> str:
    """Cleaned, delimiters and money signs gone, numbers joined."""
    text = LETTERED.sub("", clean(text))
    text = MONEY.sub("", text)
    text = DELIMITERS.sub(" ", text)
    if rules.decimal_comma:
        text = re.sub(r"(?<=\d),(?=\d{1,2}(?!\d))", ".", text)
    text = SCALED.sub(lambda match: f"{match[1]}*10^{{{SCALES[match[2].lower()]}}}", text)
    text = MIXED.sub(r"\1\\frac{\2}{\3}", text)
    text = REPEATING.sub(_repeating, text)
    text = OUTWARD.sub(lambda m: ("(" if m[1] == "]" else "[") + m[2] + PLAIN_END[m[3]], text)
    text = join_thousands(text)
    text = re.sub(r"(?<=\d)\.\s*$", "", text)
    return _unwrapped(text.strip().lstrip(",;:*`'\" \n").rstrip(' \n.,;:*`"'))


def _repeating(match: re.Match[str]) -> str:
    r"""`0.1\overline{6}` as the fraction that it is."""
    whole, fixed, period = match[1] or "0", match[2], match[3]
    bottom = (10 ** len(period) - 1) * 10 ** len(fixed)
    top = int(whole + fixed + period) - int(whole + fixed)
    return f"\\frac{{{top}}}{{{bottom}}}"


def _unwrapped(text: str) -> str:
    """Without a `\\boxed{…}` or `\\text{…}` around all of it."""
    for _ in range(4):
        match = re.fullmatch(r"\\(?:boxed|fbox)\s*\{(.*)\}", text, re.S)
        if not match:
            return text
        text = match[1].strip()
    return text


def _read(text: str, rules: MathRules, depth: int) -> Answer:
    text = text.strip().lstrip(",;: ").rstrip(".,;: ")
    if depth > 8 or not text:
        return Words(text)
    for reader in READERS:
        found = reader(text, rules, depth)
        if found is not None:
            return found
    return Words(words_of(text), mathematical=bool(re.search(r"[\\^_=+*/\d]", text)))


def words_of(text: str) -> str:
    """What a text says, in one wording where several are usual."""
    plain = plain_text(text)
    return SYNONYMS.get(plain, plain)


def _reals(text: str, rules: MathRules, depth: int) -> Answer | None:
    if not REALS.fullmatch(TEXT.sub(r"\1", text).strip()):
        return None
    infinite = Symbol("oo")
    return Interval(Value(Apply("neg", (infinite,))), Value(infinite), (False, False))


def _time(text: str, rules: MathRules, depth: int) -> Answer | None:
    match = TIME.fullmatch(text.strip())
    return Words(f"{match[1]} {match[2].lower()}m") if match else None


def _matrix(text: str, rules: MathRules, depth: int) -> Answer | None:
    text = text.strip("[]() ") if "\\begin" in text else text
    match = MATRIX.fullmatch(text.strip())
    if match is None or "\\begin" in match[1]:
        return None
    rows = [row for row in re.split(r"\\\\(?:\[[^\]]*\])?", match[1]) if row.strip()]
    cells = [[_read(cell, rules, depth + 1) for cell in row.split("&")] for row in rows]
    return Matrix(tuple(tuple(row) for row in cells))


def _membership(text: str, rules: MathRules, depth: int) -> Answer | None:
    head, found, tail = text.partition(r"\in ")
    if not found:
        head, found, tail = text.partition(r"\in")
        if not found or tail[:1].isalpha():
            return None
    is_name = re.fullmatch(r"[A-Za-z](?:_\{?\w+\}?)?(?:\s*,\s*[A-Za-z])*", head.strip())
    return _read(tail, rules, depth + 1) if is_name else None


def _approximation(text: str, rules: MathRules, depth: int) -> Answer | None:
    """`exact ≈ decimal` means the exact one; `x ≈ 11` means 11."""
    if r"\approx" not in text:
        return None
    left, right = text.split(r"\approx")[0], text.split(r"\approx")[-1]
    keeps_left = left.strip() and not is_name(left)
    return _read(left if keeps_left else right, rules, depth + 1)


def _plus_minus(text: str, rules: MathRules, depth: int) -> Answer | None:
    if not re.search(r"\\(?:pm|mp)(?![a-zA-Z])", text) or split(text, CONNECTIVE)[1:]:
        return None
    plus = re.sub(r"\\mp(?![a-zA-Z])", "-", re.sub(r"\\pm(?![a-zA-Z])", "+", text))
    minus = re.sub(r"\\mp(?![a-zA-Z])", "+", re.sub(r"\\pm(?![a-zA-Z])", "-", text))
    return Items("list", (_read(plus, rules, depth + 1), _read(minus, rules, depth + 1)))


def _union(text: str, rules: MathRules, depth: int) -> Answer | None:
    parts = split(text, re.compile(r"\\cup(?![a-zA-Z])"))
    if len(parts) < 2 or len(parts) > MAX_ITEMS:
        return None
    if (head := split(text, OPERATOR))[1:] and is_name(head[0]):
        return None
    return Union(tuple(_read(part, rules, depth + 1) for part in parts))


def _list(text: str, rules: MathRules, depth: int) -> Answer | None:
    unwrapped = TEXT.sub(r" \1 ", text)
    semicolons = split(unwrapped, re.compile(";"))
    parts = semicolons if len(semicolons) > 1 else split(unwrapped, CONNECTIVE)
    parts = [part for part in parts if part.strip()]
    if len(parts) < 2 or len(parts) > MAX_ITEMS:
        return None
    items = tuple(_read(part, rules, depth + 1) for part in parts)
    prose = any(isinstance(item, Words) and not item.mathematical for item in items)
    if prose and not all(isinstance(item, Words) for item in items):
        return None  # words with a comma in them are no list of answers
    return Items("list", items)


def _relation(text: str, rules: MathRules, depth: int) -> Answer | None:
    sides = split(text, OPERATOR)
    if len(sides) < 2 or len(sides) > 8 or not all(side.strip() for side in sides):
        return None
    operators = tuple(match.group() for match in top_level(text, OPERATOR))
    return Relation(tuple(side.strip() for side in sides), operators)


def _brackets(text: str, rules: MathRules, depth: int) -> Answer | None:
    opening, closing = outer(text)
    if opening is None:
        return None
    inner = text[len(opening) : len(text) - len(closing)]
    parts = split(inner, re.compile(",|;"))
    if len(parts) > MAX_ITEMS:
        return None
    items = tuple(_read(part, rules, depth + 1) for part in parts if part.strip())
    if opening in (r"\{", "{"):
        if len(parts) == 1 and opening == "{":
            return _read(inner, rules, depth + 1)
        return Items("set" if opening == r"\{" else "list", items)
    if len(parts) == 2 and len(items) == 2 and (opening, closing) != (r"\langle", r"\rangle"):
        return Interval(items[0], items[1], (opening == "[", closing == "]"))
    if opening in ("(", r"\langle") and (len(parts) > 1 or opening == r"\langle"):
        return Items("tuple", items)
    if opening == "[" and closing == "]":
        return Items("tuple", items)
    if opening == "(" and closing == ")":
        return _read(inner, rules, depth + 1)
    return None


def _ratio(text: str, rules: MathRules, depth: int) -> Answer | None:
    parts = split(text, re.compile(":"))
    if len(parts) < 2 or not all(part.strip() for part in parts) or len(parts) > MAX_ITEMS:
        return None
    items = tuple(_value(part, rules, depth) for part in parts)
    if any(item is None for item in items):
        return None
    return Items("ratio", tuple(item for item in items if item is not None))


def _based(text: str, rules: MathRules, depth: int) -> Answer | None:
    bare = re.sub(r"\\(?:text|mathrm)\s*\{([^{}]*)\}", r"\1", text)
    match = BASED.fullmatch(bare.strip())
    if match is None or not 2 <= int(match[2]) <= 36 or not match[1][:1].isdigit():
        return None
    return Based(match[1].upper().lstrip("0") or "0", int(match[2]))


def _value(text: str, rules: MathRules, depth: int) -> Value | None:
    text = text.strip().rstrip("\\").strip()
    percent = PERCENT.search(text)
    if percent and percent.start() > 0:
        text = text[: percent.start()].rstrip("\\ ")
    for candidate in without_units(text):
        try:
            expression = read_expression(candidate)
        except (UnreadableError, RecursionError):
            continue
        return Value(expression, bool(percent), _fraction(candidate), text)
    return None


def _fraction(text: str) -> tuple[int, int] | None:
    match = FRACTION.fullmatch(text.strip())
    if match is None:
        return None
    top, bottom = (group for group in match.groups()[1:] if group is not None)
    return int(match[1] + top), int(bottom)


def is_name(text: str) -> bool:
    """What an equation may name on its left without being part of the answer."""
    bare = FONTS.sub("", TEXT.sub(r"\1", text)).strip()
    bare = re.sub(r"\\(?:angle|triangle|overline|vec|hat|operatorname)\s*", "", bare)
    bare = re.sub(r"\\([A-Za-z]+)", r"\1", bare)
    letter = r"[A-Za-z]+'*(?:\s*_\s*(?:\{[^{}]{1,12}\}|\w))?'*"
    name = rf"\{{?{letter}\}}?(?:\s*\([^()=<>]{{0,30}}\))?(?:\s+[A-Za-z]+){{0,4}}"
    tuple_ = rf"\(\s*{letter}(?:\s*,\s*{letter})+\s*\)"
    ratio = rf"{letter}(?:\s*:\s*{letter})+"
    quotient = r"frac\s*\{[A-Z]{1,3}\}\s*\{[A-Z]{1,3}\}|[A-Z]{1,3}\s*/\s*[A-Z]{1,3}"
    return bool(re.fullmatch(rf"(?:{name}|{tuple_}|{ratio}|{quotient})", bare))


READERS = (
    _reals,
    _time,
    _matrix,
    _membership,
    _approximation,
    _plus_minus,
    _union,
    _list,
    _relation,
    _brackets,
    _ratio,
    _based,
    _value,
)
