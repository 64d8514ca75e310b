"""Short free-form answers by RLPR's rules: text, percent, numbers with tolerance, money."""

from __future__ import annotations

import re
import unicodedata

from harness.extract.math import extract_math
from harness.problem import FreeForm
from harness.verdict import Verdict, correct, incorrect

TAG = re.compile(r"<answer>([^<]{0,4000}(?:<(?!/?answer)[^<]{0,4000}){0,50})</answer>", re.I)
CURRENCY = re.compile(r"[$€£¥]|\b(?:us|usd|eur|gbp|dollars?|euros?|pounds?|yen|cents?)\b\.?", re.I)
NUMBER = re.compile(r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:[eE][-+]?\d{1,3})?")
MARKUP = re.compile(r"\\(?:text|mathrm|mathbf|boxed)\s*\{([^{}]*)\}|[$*_`]|\\[,;!() ]")
SCALE = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
LOOSE, TIGHT = 1e-3, 1e-6  # relative tolerance above and below one in size


def grade_freeform(completion: str, key: FreeForm) -> Verdict:
    """Correct when the stated answer reads the same or is the same number with the same unit."""
    stated = stated_answer(completion)
    if stated is None or not stated.strip():
        return incorrect(None, "no answer is stated")
    shown = stated[:200]
    if same_answer(key.answer, stated):
        return correct(shown, "matches the key")
    return incorrect(shown, "differs from the key")


def stated_answer(completion: str) -> str | None:
    """The last answer tag, else the final answer as in mathematics."""
    from harness.extract.think import strip_think

    text = strip_think(completion)
    tags = TAG.findall(text[-200_000:])
    return tags[-1] if tags else extract_math(text)


def same_answer(key: str, stated: str) -> bool:
    reference, given = _plain(key), _plain(stated)
    if reference == given:
        return bool(reference)
    wanted, found = _quantity(reference), _quantity(given)
    if wanted is None or found is None:
        return False
    if wanted[1] and found[1] and wanted[1] != found[1]:
        return False  # 42 km is not 42 m
    return _near(wanted[0], found[0])


def _near(reference: float, given: float) -> bool:
    tolerance = LOOSE if abs(reference) > 1 else TIGHT
    return abs(reference - given) <= tolerance * abs(reference)


def _plain(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).replace("−", "-")
    text = MARKUP.sub(lambda match: match[1] or " ", text)
    text = CURRENCY.sub(" ", text.replace("\\%", "%"))
    return " ".join(text.split()).strip(" .,;:!\"'").casefold()


def _quantity(text: str) -> tuple[float, str] | None:
    """(value, unit) of a text with exactly one number in it; percent is a factor 1/100."""
    numbers = [m for m in NUMBER.finditer(text) if any(c.isdigit() for c in m.group())]
    fraction = re.fullmatch(r"\s*([-+]?\d+)\s*/\s*(\d+)\s*", text)
    if fraction and int(fraction[2]):
        return int(fraction[1]) / int(fraction[2]), ""
    if len(numbers) != 1:
        return None
    (number,) = numbers
    try:
        value = float(number.group().replace(",", ""))
    except (ValueError, OverflowError):
        return None
    rest = " ".join((text[: number.start()] + " " + text[number.end() :]).split())
    if rest.startswith("%") or rest.startswith("percent"):
        return value / 100, ""
    for word, factor in SCALE.items():
        if rest.startswith(word):
            return value * factor, rest[len(word) :].strip()
    return value, rest.strip(" .,;:()")
