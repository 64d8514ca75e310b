"""Which option a completion chooses: the letter it states last, or the text of an option.

A statement is explicit (a box, an answer tag, "the answer is …" in many languages, "B is
correct") or weak (a bold letter, "I choose B", a line that begins with a letter). Explicit ones
come first; among equals the last that names exactly one option wins. A letter in prose is none.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from harness.extract.boxed import boxed_spans
from harness.extract.think import strip_think, thoughts

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LONGEST = 100_000  # characters at the end of a completion that are read: the last statement wins
LETTER_LIKE = 3  # characters: an option's text as short as "C" gives way to the letter C
# What simple-evals reads as A–D in its Arabic, Bengali and Japanese sets (full-width: NFKC).
FOREIGN = dict(zip("أبجدঅবডঢ", "ABCDABCD", strict=True))
FOREIGN_LETTER = re.compile(r"(?<!\w)[أبجدঅবডঢ](?!\w)")
BLANK = re.compile(r"[^\S\n]+")

ANSWER_WORDS = (
    "answer|ans|antwort|antwoord|réponse|reponse|respuesta|resposta|risposta|jawaban|ответ|cevap|"
    "yanıt|odpowiedź|odpověď|svar|vastaus|jibu|đáp án|câu trả lời|ìdáhùn|idáhùn"
)
# Scripts that set no blanks between words: a letter may follow at once.
UNSPACED_WORDS = "答案|答え|回答|解答|正解|정답|답변|답|คำตอบ|উত্তর|उत्तर|సమాధానం|الجواب|الإجابة|إجابة"
IS = (
    r"is|are|was|be|to be|seems to be|appears to be|"
    r"should be|must be|would be|will be|could be|ist|lautet|est|es|sera|é|è|"
    r"является|adalah"
)
UNSPACED_IS = "应为|应该是|选择|選択|是|为|為|选|選|は、|は|은|는"
FILLER = (
    r"for sure|definitely|clearly|certainly|obviously|indeed|therefore|thus|hence|then|simply|just|"
    r"la|le|el|il|die|most likely|likely|probably|surely|option|choice|letter|"
    r"answer|the|number|选项|選項|选|選"
)
DECORATION = r"[\s*_`$\"'“”‘’:：=>\-–—]"
MARKER = re.compile(
    rf"(?:(?<![a-z])(?:(?:{ANSWER_WORDS})s?|(?:correct|right|best) (?:option|choice))(?![a-z])"
    rf"|(?<![a-z])(?:choice|option|selection|choose|pick)(?=\s{{0,3}}[:：])|{UNSPACED_WORDS})"
    r"(?:['’]s(?= ))?(?: (?:to|for|of) [^.:\n]{1,60}?(?= (?:is|should|must|would) ))?"
    r"(?: (?:correcta|correcte|correta|corretta|juste|final))?"
    rf"(?:[*_`\s]{{0,6}}\([^()\n]{{0,40}}\)(?=[*_`\s]{{0,6}}[:：]))?"  # "Answer (with reasons):"
    rf"{DECORATION}{{0,12}}(?:(?:{IS})(?![a-z])|{UNSPACED_IS})?",
    re.I,
)
TAG = re.compile(r"<answer>(.{0,2000}?)</answer>", re.I | re.S)
CORRECT = re.compile(
    r"(?<![A-Za-z0-9'’])(?:option|choice)?[\s*_(\[$]{0,4}(?P<letter>[A-Z])[)\]*_$.]{0,4}[^\S\n]{1,3}"
    r"(?:is|would be|must be|seems|looks)(?: (?:the|indeed|clearly|definitely|most|only|best))*"
    r"[\s*_]{1,4}(?:correct|right|best|answer)\b"
)
CHOSEN = re.compile(
    r"\b(?:choose|chose|pick|picked|select|selected|go with|going with|finali[sz]e|settle on|"
    r"opt for|"
    r"(?:so|thus|therefore|hence|then)[^.\n]{0,60}?\b(?:is|be|gives|to|option|choice))"
    r"(?: (?:the|option|choice|answer|letter|on|with))*[\s*_`$]{1,6}",
    re.I,
)
CONCLUDED = re.compile(
    r"(?:\b(?:so|thus|therefore|hence)[,:]?|\b(?:it is|it['’]s))[\s*_`$]{1,6}"
    r"[(\[]?(?P<letter>[A-Z])[)\]]?[\s*_`$.!]{0,6}$",
    re.I | re.M,
)
BOLD = re.compile(r"(\*\*|__)[\s(\[]*(?P<letter>[A-Z])[)\].:]*\s*\1")
LEADING = re.compile(
    r"[\s*_#>\-(\[$]{0,8}(?P<letter>[A-Za-z])(?:[)\].:：。、,*_$]{1,4}|\s*$)(?=\s|$|\D)"
)
LATEX_WRAP = re.compile(r"\\(?:text|textbf|mathrm|mathbf|rm|bf|boxed|mbox|textit)\s*\{")
OPENING = re.compile(r"(?:[\s*_`$\"'“”‘’:：=>({\[（【「\-–—]|\\\(|\\\[|\\,|\\ )*")
FILLERS = re.compile(rf"(?:(?:{FILLER})(?![a-z])[\s*_:：]{{0,4}})+", re.I)
JOINED = re.compile(
    r"[\s*_$)\]}(\[{\\]*"
    r"(?:[/,&+|、，]|\band\b|\bor\b|\bund\b|\boder\b|\bet\b|\bou\b|和|或)"
    r"[\s*_$(\[{\\]*(?:or |and )?(?P<letter>[A-Za-z])(?![A-Za-z'’])(?P<after>[^\n]{0,12})"
)
SPACED = re.compile(r"[ ]+(?P<letter>[A-Z])(?![A-Za-z'’])(?P<after>[^\n]{0,12})")
# What makes the letter part of a word: "Always", "I'm", "Z-like"; Chinese text behind it does not.
WORD_GOES_ON = re.compile(r"[A-Za-z0-9\u00c0-\u024f]|['’-][A-Za-z]")
# A word after "A" (or "I") that leaves it a letter: "A because …"; any other makes it an article.
PREDICATE = re.compile(
    r"(?:is|are|was|were|because|since|as|for|due|would|will|must|should|can|could|seems|looks|has|"
    r"and|or|but|which|with|by|not|non|not|also|then|so|from|in)\b", re.I)  # fmt: skip
PLACEHOLDER = re.compile(r"[\s*_`]*answer[\s*_`]*[:：][\s*_`]*[\[<($]*letter[\])>]*[\s*_`.]*", re.I)


def extract_choice(
    text: str, letters: int | Sequence[str] = 4, options: Sequence[str] | None = None
) -> str | None:
    """The letter that `text` chooses, upper case, or None when it names none or several.

    letters: how many options there are, or their letters. options: their texts, in order, so that
    an answer in words counts.
    """
    reader = _Reader(_letters(letters), options)
    answer = _normalise(strip_think(text)[-LONGEST:])
    found = reader.explicit(answer) or reader.weak(answer)
    if found is None and PLACEHOLDER.fullmatch(answer):
        return reader.explicit(_normalise(thoughts(text)[-LONGEST:]))  # the form was left unfilled
    return found


def extract_choices(text: str, letters: int | Sequence[str] = 4) -> tuple[str, ...]:
    """All letters of the last answer statement ("ANSWER: A, C"), for several right options."""
    known = _letters(letters)
    answer = _normalise(strip_think(text)[-LONGEST:])
    found: tuple[str, ...] = ()
    for marker in MARKER.finditer(answer):
        rest = answer[marker.end() : marker.end() + 200].split("\n")[0]
        rest = rest[OPENING.match(rest).end() :]  # type: ignore[union-attr]
        listed = re.match(r"(?:[A-Z](?![a-z'’])[\s,、，/&)(\]\[]*(?:and\b|or\b)?\s*)+", rest)
        if listed:
            picked = [c for c in re.sub(r"and|or", "", listed.group()) if c.isalpha()]
            if picked and set(picked) <= set(known):
                found = tuple(dict.fromkeys(picked))
    return found


def same_text(one: str, other: str) -> bool:
    """Whether two options are identical, blanks aside (`AaBb` is not `aabb`)."""
    return " ".join(one.split()) == " ".join(other.split())


def _letters(letters: int | Sequence[str]) -> str:
    return ALPHABET[:letters] if isinstance(letters, int) else "".join(letters).upper()


def _normalise(text: str) -> str:
    text = BLANK.sub(" ", unicodedata.normalize("NFKC", text))
    return FOREIGN_LETTER.sub(lambda match: FOREIGN[match.group()], text)


def _plain(text: str) -> str:
    text = LATEX_WRAP.sub("{", unicodedata.normalize("NFKC", text))
    return " ".join(re.sub(r"[*_`$\\{}]", "", text).split()).strip(" .,;:\"'")


def _by_text(letters: str, options: Sequence[str]) -> dict[str, str]:
    """Letter by text: as written, and in any case where that is one option only."""
    written: dict[str, str] = {}
    for letter, option in zip(letters, options, strict=False):
        if _plain(option):
            written.setdefault(_plain(option), letter)
    folded = [text.casefold() for text in written]
    anyhow = {
        text.casefold(): letter
        for text, letter in written.items()
        if folded.count(text.casefold()) == 1
    }
    return {**anyhow, **written}


class _Reader:
    """Reads statements, knowing which letters there are and what the options say."""

    def __init__(self, letters: str, options: Sequence[str] | None) -> None:
        self.letters = letters
        self.texts = _by_text(letters, options or ())

    def explicit(self, text: str) -> str | None:
        """The last explicit statement that names one option."""
        found = [(at, letter) for at, letter in self._statements(text) if letter]
        return max(found)[1] if found else None

    def _statements(self, text: str) -> Iterator[tuple[int, str | None]]:
        for start, end in boxed_spans(text):
            yield start, self.segment(text[start:end], whole=True)
        for tag in TAG.finditer(text):
            yield tag.start(1), self.segment(tag[1], whole=True)
        for marker in MARKER.finditer(text):
            yield marker.start(), self.segment(text[marker.end() : marker.end() + 400])
        for match in CORRECT.finditer(text):
            yield match.start(), self._known(match["letter"])

    def weak(self, text: str) -> str | None:
        chosen = [
            letter
            for match in CHOSEN.finditer(text)
            if (letter := self.segment(text[match.end() : match.end() + 100], text_counts=False))
        ]
        if chosen:
            return chosen[-1]
        concluded = [match["letter"] for match in CONCLUDED.finditer(text)]
        if concluded and self._known(concluded[-1]):
            return self._known(concluded[-1])
        return self._bold(text) or self._leading(text) or self._option_text(text)

    def segment(self, text: str, whole: bool = False, text_counts: bool = True) -> str | None:
        """What a statement's own text names: one letter, or the text of one option.

        whole: the text is all there is (a box, a tag); then a letter needs nothing behind it but
        punctuation or the option's text.
        """
        line = text if whole else _first_line(text)
        in_words = self._stated_text(line) if text_counts else None
        if in_words and len(_plain(line)) > LETTER_LIKE:
            return in_words
        stripped = LATEX_WRAP.sub("", line)
        stripped = stripped[OPENING.match(stripped).end() :]  # type: ignore[union-attr]
        fillers = FILLERS.match(stripped)
        if fillers:
            stripped = stripped[fillers.end() :]
            stripped = stripped[OPENING.match(stripped).end() :]  # type: ignore[union-attr]
        return self._letter_at_start(stripped) or in_words

    def _letter_at_start(self, text: str) -> str | None:
        letter, rest = text[:1], text[1:]
        if not (letter.isascii() and letter.isalpha()) or WORD_GOES_ON.match(rest):
            return None
        if self._continues_as_word(letter, rest) or self._names_several(letter, rest):
            return None
        return self._known(letter)

    def _continues_as_word(self, letter: str, rest: str) -> bool:
        """ "A polygenic score", "a car", "I would": an article or a pronoun, no letter."""
        if letter.islower():
            return bool(re.match(r" +[A-Za-z]", rest))
        if letter not in "AI" or not rest.startswith(" "):
            return False
        word = rest.lstrip(" ")
        return word[:1].isalpha() and word[:1].islower() and not PREDICATE.match(word)

    def _names_several(self, letter: str, rest: str) -> bool:
        for pattern in (JOINED, SPACED):  # "B) C) x" is option B, whose text begins with C)
            other = pattern.match(rest)
            if other and other["letter"].upper() != letter.upper():
                behind = other["after"].lstrip(" *_$)]}")
                is_clause = re.match(r"(?:is|was|would|cannot|can't|does|has)\b", behind)
                if other["letter"].upper() in self.letters and not is_clause:
                    return True
        return False

    def _known(self, letter: str) -> str | None:
        return letter.upper() if letter.upper() in self.letters else None

    def _stated_text(self, text: str) -> str | None:
        if not self.texts:
            return None
        plain = re.sub(r"^(?:is|:|=|the answer is)\s*", "", _plain(text))
        sentence = re.split(r"(?<=[a-z0-9)])\.(?:\s|$)", plain)[0].strip(" .,;:\"'")
        return self._letter_of(plain) or self._letter_of(sentence)

    def _letter_of(self, plain: str) -> str | None:
        return self.texts.get(plain) or self.texts.get(plain.casefold())

    def _bold(self, text: str) -> str | None:
        letters = {match["letter"] for match in BOLD.finditer(text)}
        if len(letters) > 1:
            last = text.rstrip().rsplit("\n", 1)[-1]
            letters = {match["letter"] for match in BOLD.finditer(last)}
        return self._known(letters.pop()) if len(letters) == 1 else None

    def _leading(self, text: str) -> str | None:
        """A line that begins with a letter, unless other lines begin with other letters."""
        lines = [line for line in text.splitlines() if line.strip()]
        found: set[str] = set()
        for number, line in enumerate(lines):
            match = LEADING.match(line)
            if match is None or self._known(match["letter"]) is None:
                continue
            if match["letter"].islower() and 0 < number < len(lines) - 1:
                continue
            if number in (0, len(lines) - 1) or match["letter"].isupper():
                found.add(match["letter"].upper())
        return found.pop() if len(found) == 1 else None

    def _option_text(self, text: str) -> str | None:
        """The whole completion, or its last line, is the text of an option."""
        last = text.strip().rsplit("\n", 1)[-1]
        return self._letter_of(_plain(text)) or self._letter_of(_plain(last))


def _first_line(text: str) -> str:
    """The first line with something on it, at most two lines below."""
    for line in text.split("\n", 3)[:3]:
        if line.strip(" *_`$:："):
            return line
    return ""
