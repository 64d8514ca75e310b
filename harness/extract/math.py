r"""The final answer of a mathematical completion, as text.

In order: the last box (boxes joined by "and" are one list), the last answer tag, the last sentence
that states an answer, the last formula or number. What is thought is not the answer.
"""

from __future__ import annotations

import re

from harness.extract.boxed import BOX, boxed_spans
from harness.extract.think import strip_think

LONGEST = 200_000  # characters at the end that are read
RUN_ON = re.compile(
    r"<\|(?:im_start|im_end|endoftext|eot_id)\|>|\n\s*(?:Question|Problem|Q):", re.I
)
TAG = re.compile(r"<answer>([^<]{0,4000}(?:<(?!/?answer)[^<]{0,4000}){0,50})</answer>", re.I)
GSM8K = re.compile(r"####[ \t]*([^\n]*)")
SPACE = r"(?:\s|\\[,;:! ]|\\q?quad|\\\\|~|\$|\\[()\[\]]|\*\*)"
JOINT = re.compile(
    rf"{SPACE}*(?:\\text\s*\{{)?{SPACE}*(?:,|;|(?:[^\n.!?]{{0,24}}\b)?(?:and|or|和|或))"
    rf"{SPACE}*\}}?{SPACE}*",
    re.I,
)
STATES = re.compile(
    r"(?:final answer|answer|result|solution|antwort|ergebnis|réponse|résultat|respuesta|resposta|"
    r"risposta|ответ|jawaban|cevap)s?\s*[*_`]{0,3}\s*(?:\([^()\n]{0,40}\)\s*)?"
    r"(?:(?:is|are|was|equals?|to be|should be|must be|would be|will be|ist|lautet|est|es|è|é)\b"
    r"(?:\s+(?:therefore|thus|then|simply|just|approximately|about|exactly|equal to|given by|"
    r"given as)\b)*"
    r"|[:：=]|(?=\s*(?:\$|\\\(|\\\[)))[*_`\s:：]*"
    r"|(?:答案|答え|正解|정답|답)\s*[*_`]{0,3}\s*(?:是|为|為|[:：=]|は)?[*_`\s]*",
    re.I,
)
FORMULA = re.compile(
    r"\$\$(.+?)\$\$|(?<![\\$])\$(?!\$)((?:[^$\\]|\\.)+?)(?<!\\)\$(?!\d)"
    r"|\\\((.+?)\\\)|\\\[(.+?)\\\]",
    re.S,
)
NUMBER = re.compile(
    r"(?<![A-Za-z0-9_.])[-−]?\$?\s?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"(?:\s*/\s*\d+(?![\d.]))?"
    r"(?:\s?(?:\\?%|percent\b))?"
)
CLOSINGS = re.compile(r"\s*(?:I hope (?:it|this) is correct|Hope this helps)\b.*", re.I | re.S)
TAIL_WORD = re.compile(r"\bis\b(?!.*\bis\b)", re.S)


def extract_math(text: str, boxed_only: bool = False) -> str | None:
    """The final answer, or None when there is none (a last box that is never closed is none)."""
    text = strip_think(text)
    if "\\boxed" in text or "\\fbox" in text:
        found = extract_boxed(text)
        if found is not None and not boxed_only:
            return _restated(text) or found
        if found is not None or boxed_only or _is_open(text):
            return found
    if boxed_only:
        return None
    text = _without_run_on(text[-LONGEST:])
    for read in (_tagged, extract_gsm8k, extract_stated, _bare, _last_formula_or_number):
        found = read(text)
        if found is not None and found.strip():
            return found.strip()
    return None


def _restated(text: str) -> str | None:
    """A "final answer" that is stated behind the last box, in a formula or a number."""
    behind = text[boxed_spans(text)[-1][1] :]
    matches = [m for m in STATES.finditer(behind) if m.group().lower().startswith("final")]
    if not matches:
        return None
    found = _statement(CLOSINGS.sub("", behind[matches[-1].end() :][:1500]))
    return found if found and re.search(r"\d", found) and "\\boxed" not in found else None


def extract_boxed(text: str) -> str | None:
    """What the last box holds; boxes before it that are joined to it by "and" come with it."""
    boxes, spans = list(BOX.finditer(text)), boxed_spans(text)
    if not spans or not _closes(boxes[-1].end(), spans):
        return None
    outer = [span for n, span in enumerate(spans) if not _inside(span, spans[max(0, n - 8) : n])]
    start, end = outer[-1]
    contents = [text[start:end].strip()]
    for before in reversed(outer[-12:-1]):
        box_start = text.rfind("\\", 0, start)
        between = text[before[1] + 1 : box_start]
        framed = text.endswith("\\fbox", 0, before[0] - 1)
        if framed or len(between) > 60 or not JOINT.fullmatch(between):
            break
        contents.insert(0, text[before[0] : before[1]].strip())
        start = before[0]
    return contents[0] if len(contents) == 1 else ", ".join(dict.fromkeys(contents))


def _inside(span: tuple[int, int], others: list[tuple[int, int]]) -> bool:
    return any(start < span[0] and span[1] <= end for start, end in others)


def _closes(end: int, spans: list[tuple[int, int]]) -> bool:
    return any(start in (end, end + 1) for start, _ in spans)


def _is_open(text: str) -> bool:
    """Whether the last box was begun and never closed: the output was cut in the answer."""
    last = list(BOX.finditer(text))[-1:]
    return bool(last) and text[last[0].end() : last[0].end() + 1] == "{"


def _without_run_on(text: str) -> str:
    """Base models go on with a new question: what follows the first answer is not theirs."""
    for match in RUN_ON.finditer(text):
        if text[: match.start()].strip():
            return text[: match.start()]
    return text


def _tagged(text: str) -> str | None:
    tags = TAG.findall(text)
    return tags[-1] if tags else None


def extract_gsm8k(text: str) -> str | None:
    """What stands behind the last `####`."""
    found = GSM8K.findall(text)
    return found[-1].strip() if found else None


def extract_stated(text: str) -> str | None:
    """What the last "the answer is …" states, when it states something readable."""
    for match in reversed(list(STATES.finditer(text))[-20:]):
        rest = CLOSINGS.sub("", text[match.end() : match.end() + 1500])
        found = _statement(rest)
        if found:
            return found
    return None


def _statement(rest: str) -> str | None:
    stripped = rest.replace('\\"', '"').lstrip(" \n\t*_`:\"“'")
    formulas = _joined_formulas(stripped)
    if formulas:
        return formulas
    line = stripped.split("\n", 1)[0]
    sentence = re.split(r"(?<=[^\s.])[.!](?:\s|$)|\.\*\*|\*\*|<", line, maxsplit=1)[0].strip()
    if not sentence:
        return None
    said = TAIL_WORD.split(sentence)[-1].strip()
    number = NUMBER.match(said)
    if number and re.match(r"\s*(?:$|[,;]|[^\W\d_]{2,}|[。，])", said[number.end() :]):
        return number.group()
    numbers = [match.group() for match in NUMBER.finditer(said)]
    if len(numbers) == 1 and len(re.findall(r"[^\W\d_]{2,}", said)) >= 3 and "$" not in said:
        return numbers[0]
    inside = _last_formula(said)
    if inside and len(said) - len(inside) > 6:
        return inside
    return said


def _joined_formulas(text: str) -> str | None:
    """`$12$ and $13$` at the start of a statement, as one list; `$x$ cm` with its unit dropped."""
    parts, position = [], 0
    while match := FORMULA.match(text, position):
        parts.append(next(group for group in match.groups() if group is not None))
        joint = re.compile(r"\s*(?:,|;|and\b|or\b|,\s*and\b)\s*(?=\$|\\\(|\\\[)").match(
            text, match.end()
        )
        if joint is None:
            break
        position = joint.end()
    return ", ".join(parts) if parts else None


def _bare(text: str) -> str | None:
    """A completion that is nothing but its answer: one short line that is no sentence."""
    text = text.strip()
    if len(text) > 400 or ("\n" in text and "\\begin" not in text and "$" not in text[:2]):
        return None
    if FORMULA.fullmatch(text) and not re.search(r"\$\s*\S+.*\$.*\$.*\$", text):
        return text
    words = re.findall(r"(?<![\\A-Za-z{])[A-Za-z]{2,}", re.sub(r"\\text\w*\s*\{[^{}]*\}", "", text))
    prose = [w for w in words if w.lower() not in MATH_WORDS]
    told = len(prose) >= 2 and any(char.isdigit() for char in text)
    if len(prose) >= 3 or told or (prose and FORMULA.search(text) and len(prose) > 1):
        return None
    if re.search(r"[\u2e80-\u9fff\u0600-\u06ff]", text) and re.search(r"\d", text):
        return None
    if prose and text.rstrip().endswith(".") and " " in text and re.search(r"\d", text):
        return None
    return text


MATH_WORDS = frozenset(
    "sin cos tan cot sec csc log ln exp sqrt pi and or max min for some where if odd even infty "
    "frac cm mm km kg ft in mi lb percent pct degrees".split()
)


def _last_formula_or_number(text: str) -> str | None:
    formulas, numbers = list(FORMULA.finditer(text)), list(NUMBER.finditer(text))
    formula = next((m for m in reversed(formulas) if _tells(m)), None)
    number = numbers[-1] if numbers else None
    if formula and (number is None or number.start() < formula.end()):
        first = formula
        for before in reversed(formulas[: formulas.index(formula)]):
            if not re.fullmatch(r"\s*(?:,|and|or|,\s*and)\s*", text[before.end() : first.start()]):
                break
            first = before
        return _joined_formulas(text[first.start() :])
    return number.group() if number else _last_line(text)


def _last_formula(text: str) -> str | None:
    formulas = [match for match in FORMULA.finditer(text) if _tells(match)]
    return next((g for g in formulas[-1].groups() if g is not None), None) if formulas else None


def _tells(match: re.Match[str]) -> bool:
    """A formula that may be an answer: more than the name of something."""
    inner = next(group for group in match.groups() if group is not None).strip()
    return bool(re.search(r"\d|\\|[-+*/^=<>]", inner)) or len(inner) > 3


def _last_line(text: str) -> str | None:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines and len(lines[-1]) <= 80 else None


def extract_last_number(text: str) -> str | None:
    """The last number of a text, separators of thousands dropped."""
    numbers = NUMBER.findall(strip_think(text)[-LONGEST:])
    return numbers[-1].replace(",", "").lstrip("$ ").rstrip(" %\\") if numbers else None
