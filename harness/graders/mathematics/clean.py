r"""LaTeX and plain text brought to one spelling before it is read: no sizes, no spacing, no units.

Nothing here decides anything: what is removed never carries value.
"""

from __future__ import annotations

import re
import unicodedata

SPACING = re.compile(
    r"(?<!\\)\\[,;:!> ]|\\(?:quad|qquad|enspace|thinspace|hspace\*?\{[^{}]*\}|hfill)(?![a-zA-Z])|~"
)
SIZES = re.compile(
    r"\\(?:left|right|middle|big|Big|bigg|Bigg|bigl|bigr|Bigl|Bigr|displaystyle|textstyle|limits|"
    r"nolimits|rm|bf|it|mathstrut|hfill|noindent)(?![a-zA-Z])\.?"
)
FRACTIONS = re.compile(r"\\(?:d|t|c)frac(?![a-zA-Z])")
FONTS = re.compile(
    r"\\(?:mathrm|mathbf|mathit|mathsf|mathbb|mathcal|boldsymbol|operatorname\*?|bm)\s*(?=\{)"
)
TEXT = re.compile(
    r"\\(?:text|textbf|textit|textrm|textnormal|textsf|mbox|hbox|emph)\s*\{([^{}]*)\}"
)
NAMES = {
    r"\leq": "<=", r"\le": "<=", r"\leqslant": "<=", r"\geq": ">=", r"\ge": ">=",
    r"\geqslant": ">=", r"\neq": "!=", r"\ne": "!=", r"\lt": "<", r"\gt": ">",
    r"\cdot": "*", r"\times": "*", r"\ast": "*", r"\div": "/", r"\colon": ":",
    r"\infin": r"\infty", r"\lbrace": r"\{", r"\rbrace": r"\}", r"\lbrack": "[", r"\rbrack": "]",
    r"\lvert": "|", r"\rvert": "|", r"\vert": "|", r"\mid": "|", r"\degree": "", r"\land": " and ",
    r"\lor": " or ", r"\wedge": " and ", r"\vee": " or ", r"\dots": "...", r"\ldots": "...",
    r"\cdots": "...", r"\approxeq": r"\approx", r"\simeq": r"\approx", r"\doteq": r"\approx",
    r"\ln": r"\ln", r"\varnothing": r"\emptyset", r"\And": "",
}  # fmt: skip
NAME = re.compile(r"\\[a-zA-Z]+")
CHARACTERS = str.maketrans({
    "−": "-", "–": "-", "—": "-", "×": "*", "·": "*", "∙": "*", "⋅": "*", "÷": "/", "≤": "<=",
    "≥": ">=", "≠": "!=", "≈": r" \approx ", "∞": r" \infty ", "π": r" \pi ", "√": r"\sqrt ",
    "∪": r" \cup ", "∩": r" \cap ", "∈": r" \in ", "±": r" \pm ", "∓": r" \mp ", "∅": r"\emptyset ",
    "θ": r" \theta ", "α": r" \alpha ", "β": r" \beta ", "φ": r" \varphi ", "°": "", "’": "'",
    "′": "'", "“": '"', "”": '"', "，": ",", "：": ":", "；": ";", "（": "(", "）": ")",
    "₂": "_2", "²": "^2", "³": "^3", "½": r"\frac{1}{2}", "⟨": r"\langle ", "⟩": r"\rangle ",
})  # fmt: skip
OVER = re.compile(r"\{([^{}]+?)\\over(?![a-z])([^{}]+)\}")
WORDLESS = re.compile(r"\\text\s*\{([^{}A-Za-z]*)\}")  # a text that holds no word: `\text{:}`
DEGREES = re.compile(r"\^\s*\{?\s*\\circ\s*\}?|\\circ(?![a-zA-Z])")
GROUPED = re.compile(r"(?<=\d)\s*(?:,\s*\\!|\{\s*,\s*\}|\\,\{,\}|\{,\\!\})\s*(?=\d{3})")  # 14{,}916
THOUSANDS = re.compile(r"(?<![\d.,])(\d{1,3})((?:(?:,|\{,\}|\s|,\s)\d{3})+)(?![\d])(?!,\d)")
MONEY = re.compile(r"\\?\$(?=\s*-?[\d.])|(?<=\d)\s*\\?[$€£¥¢]|[€£¥]\s*(?=\d)|\bUSD\b|\bEUR\b")


def clean(text: str) -> str:
    """One spelling of `text`; idempotent up to blanks."""
    text = unicodedata.normalize("NFKC", text.translate(CHARACTERS)).translate(CHARACTERS)
    text = text.replace("\\\\(", "\\(").replace(r"\$", "$").replace(r"\%", "%").replace(r"\#", "#")
    if "\\begin" not in text:  # escaped twice, as in a JSON that was never decoded
        text = re.sub(r"\\\\(?=[a-zA-Z])", r"\\", text)
    text = GROUPED.sub(",", text)
    text = OVER.sub(r"\\frac{\1}{\2}", text)
    text = WORDLESS.sub(r"\1", text)
    text = SIZES.sub("", text)
    text = FRACTIONS.sub(lambda _: r"\frac", text)
    text = NAME.sub(lambda match: NAMES.get(match.group(), match.group()), text)
    text = DEGREES.sub("", text)
    text = SPACING.sub(" ", text)
    return text.strip()


def join_thousands(text: str) -> str:
    """`1,234,567`, `1 234` and `1{,}234` as one number; lists like `1, 234` keep their comma when
    a blank follows it and the groups are not all of three digits."""

    def joined(match: re.Match[str]) -> str:
        separators = set(re.findall(r",\s|\{,\}|,|\s", match[2]))
        around = text[match.start() - 1 : match.start()] + text[match.end() : match.end() + 1]
        if len(separators) > 1 or ", " in separators or around in ("()", "(]", "[)", "[]"):
            return match.group()  # (12,102) is a pair
        return match[1] + re.sub(r"\D", "", match[2])

    return THOUSANDS.sub(joined, text)


def plain_text(text: str) -> str:
    r"""What is left for a comparison as words: no mark-up, no `\text`, lower case."""
    text = clean(text)
    for _ in range(3):
        text = TEXT.sub(r"\1", text)
    text = FONTS.sub("", text)
    text = re.sub(r"[${}\\]|\*\*", "", text)
    return " ".join(text.split()).strip(" .,;:!\"'").casefold()
