r"""Units: what stands behind a number without changing it."""

from __future__ import annotations

import re

from harness.graders.mathematics.clean import FONTS, TEXT

PERCENT = re.compile(r"\s*(?:%|(?:\\?\bper\s?cent(?:age)?|\bpct)\b\.?(?: points?)?)\s*$", re.I)
UNIT_POWER = r"(?:\s*\^\s*\{?-?\d\}?)?"
UNITS = re.compile(
    r"\s*(?:\\(?:mathrm|text[a-z]*|mbox|hbox|mathbf)\s*\{(?!\s*[ei]\s*\})[^{}]*\}"
    rf"{UNIT_POWER}[\s*/.]*)+$"
)
WORD_UNITS = re.compile(
    r"(?<=[\d})\]\s.!])\s*(?:(?:square|cubic|sq\.?|cu\.?)\s+)?[A-Za-z]{2,}[A-Za-z.'\-]*"
    rf"{UNIT_POWER}(?:(?:\s+|\s*[/*]\s*|\s+per\s+)[A-Za-z]+[A-Za-z.'\-]*{UNIT_POWER}){{0,6}}"
    r"[.,]?\s*$"
)
CJK_UNITS = re.compile(r"(?<=[\d})])\s*[\u2e80-\u9fff\uac00-\ud7af\u3040-\u30ff]+\s*$")
UNIT = (
    r"(?:[cmkdn]m|[mk]?g|mg|m?l|mL|ft|mi|yd|lbs?|oz|hrs?|min|sec|mph|kph|k?Hz|k?J|k?W|mol|k?Pa|atm|"
    r"eV|K|N|V|rad)"
)
KNOWN_UNITS = re.compile(
    rf"(?<=[\d}})])\s+(?:sq\.?\s*|cu\.?\s*)?{UNIT}{UNIT_POWER}"
    rf"(?:\s*/\s*[a-z]{{1,4}}{UNIT_POWER})?\s*$"
)
LETTER_UNITS = re.compile(
    r"(?<=\d)\s*(?:m|s|g|L|h|N|J|V|W|K|cm|mm|km|kg|ft|in|mi|lb|m/s|mL)(?:\^\{?\d\}?)?\s*$"
)
FUNCTION_WORDS = re.compile(
    r"\b(?:sin|cos|tan|cot|sec|csc|log|ln|exp|sqrt|max|min|pi|arcsin|arccos|arctan|gcd|lcm)\b"
)


def without_units(text: str) -> list[str]:
    """The text itself, then without what may be a unit behind it."""
    shorter = UNITS.sub("", text)
    candidates = [text, shorter]
    if is_numeric(shorter):  # `30\\text{ m}` is thirty, not thirty times m
        candidates.reverse()
    known = KNOWN_UNITS.search(text)
    if known and is_numeric(text[: known.start()]):
        candidates.insert(0, text[: known.start()])
    candidates.append(FONTS.sub("", TEXT.sub(r"\1", shorter)))
    for pattern in (CJK_UNITS, LETTER_UNITS, WORD_UNITS):
        match = pattern.search(shorter)
        if match and not FUNCTION_WORDS.search(match.group()):
            candidates.append(shorter[: match.start()])
    return list(dict.fromkeys(candidate.strip() for candidate in candidates if candidate.strip()))


def is_numeric(text: str) -> bool:
    """Digits and signs, and no letter but those of commands (`\\frac`, `\\sqrt`, `\\pi`)."""
    return bool(text.strip()) and not re.search(r"[A-Za-z]", re.sub(r"\\[A-Za-z]+", "", text))
