r"""Reads an expression as models write it, by recursive descent with a bound on depth.

What it cannot read is an `UnreadableError`, never a guess.
"""

from __future__ import annotations

from fractions import Fraction

from harness.graders.mathematics.expression import (
    Apply,
    Expression,
    Number,
    Symbol,
    UnreadableError,
)
from harness.graders.mathematics.tokens import (
    ALIASES,
    CONSTANTS,
    FUNCTIONS,
    GREEK,
    Token,
    tokenize,
)

MAX_DEPTH = 60
MAX_DIGITS = 2_000


def read_expression(text: str) -> Expression:
    """The expression that the whole of `text` is. Raises UnreadableError."""
    reader = _Reader(tokenize(text))
    expression = reader.sum(0)
    if reader.position != len(reader.tokens):
        raise UnreadableError(f"cannot read {reader.peek()!r}")
    return expression


class _Reader:
    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.position = 0
        self.bars = 0

    def peek(self, ahead: int = 0) -> str:
        index = self.position + ahead
        return self.tokens[index].text if index < len(self.tokens) else ""

    def kind(self) -> str:
        return self.tokens[self.position].kind if self.position < len(self.tokens) else ""

    def take(self) -> Token:
        if self.position >= len(self.tokens):
            raise UnreadableError("ends too early")
        self.position += 1
        return self.tokens[self.position - 1]

    def expect(self, text: str) -> None:
        if self.peek() != text:
            raise UnreadableError(f"needs {text!r}, not {self.peek()!r}")
        self.position += 1

    def sum(self, depth: int) -> Expression:
        if depth > MAX_DEPTH:
            raise UnreadableError("nests too deeply")
        result = self.product(depth + 1)
        while self.peek() in ("+", "-"):
            sign = self.take().text
            term = self.product(depth + 1)
            result = Apply("+", (result, term if sign == "+" else Apply("neg", (term,))))
        return result

    def product(self, depth: int) -> Expression:
        result = self.signed(depth + 1)
        while True:
            if self.peek() in ("*", "/"):
                operator = self.take().text
                factor = self.signed(depth + 1)
                result = Apply(operator, (result, factor))
            elif self._factor_follows():
                result = Apply("*", (result, self.power(depth + 1)))
            else:
                return result

    def _mixed_fraction(self, whole: Number) -> bool:
        r"""`918\frac{1}{2}` is a sum: digits, then a fraction of digits."""
        if whole.digits or whole.value.denominator != 1 or self.peek() != r"\frac":
            return False
        following = [token.text for token in self.tokens[self.position + 1 : self.position + 7]]
        match following:
            case ["{", a, "}", "{", b, "}"] if a.isdecimal() and b.isdecimal():
                return int(a) < int(b)
            case [ab, *_] if ab.isdecimal() and len(ab) == 2:
                return ab[0] < ab[1]
        return False

    def signed(self, depth: int) -> Expression:
        if depth > MAX_DEPTH:
            raise UnreadableError("nests too deeply")
        if self.peek() == "-":
            self.take()
            return Apply("neg", (self.signed(depth + 1),))
        if self.peek() == "+":
            self.take()
            return self.signed(depth + 1)
        return self.power(depth + 1)

    def _factor_follows(self) -> bool:
        text = self.peek()
        if self.kind() in ("number", "word"):
            return True
        if self.kind() == "command":
            return text not in (r"\cup", r"\cap", r"\in", r"\pm", r"\mp", r"\approx", r"\to",
                                r"\rangle", r"\rceil", r"\rfloor", r"\rVert")  # fmt: skip
        return text in ("(", "{", "[") or (text == "|" and self.bars == 0)

    def power(self, depth: int) -> Expression:
        base = self.postfix(depth + 1)
        if isinstance(base, Number) and self._mixed_fraction(base):
            return Apply("+", (base, self.postfix(depth + 1)))
        if self.peek() == "^":
            self.take()
            if self.peek() == "'":
                raise UnreadableError("a derivative")
            return Apply("^", (base, self.exponent(depth + 1)))
        return base

    def exponent(self, depth: int) -> Expression:
        if self.peek() == "-":
            self.take()
            return Apply("neg", (self.exponent(depth + 1),))
        return self.power(depth + 1)

    def postfix(self, depth: int) -> Expression:
        result = self.atom(depth + 1)
        while self.peek() in ("!", "%"):
            operator = self.take().text
            if operator == "%":
                result = Apply("/", (result, Number(Fraction(100))))
            else:
                result = Apply("factorial", (result,))
        return result

    def atom(self, depth: int) -> Expression:
        if depth > MAX_DEPTH:
            raise UnreadableError("nests too deeply")
        token = self.take()
        if token.kind == "number":
            return _number(token)
        if token.kind == "word":
            return self.word(token, depth)
        if token.kind == "command":
            return self.command(token.text, depth)
        if token.text in ("(", "{", "["):
            result = self.sum(depth + 1)
            self.expect({"(": ")", "{": "}", "[": "]"}[token.text])
            return result
        if token.text == "|":
            self.bars += 1
            result = self.sum(depth + 1)
            self.bars -= 1
            self.expect("|")
            return Apply("abs", (result,))
        raise UnreadableError(f"unexpected {token.text!r}")

    def word(self, token: Token, depth: int) -> Expression:
        """A function's name, a constant, one letter, or letters multiplied (`ab`, `xy`)."""
        name = ALIASES.get(token.text, token.text)
        if name in FUNCTIONS or name == "log10":
            return self.call(name, depth)
        if name.lower() in CONSTANTS and (len(name) > 1 or name in CONSTANTS):
            return self.symbol(CONSTANTS[name.lower() if len(name) > 1 else name])
        if len(name) == 1:
            return self.symbol(name)
        if len(name) > 3:
            raise UnreadableError(f"the word {name!r}")
        self.tokens.insert(self.position, Token("word", name[1:]))  # `gK^2` is g times K^2
        return Symbol(CONSTANTS.get(name[0], name[0]))

    def symbol(self, name: str) -> Symbol:
        """With its subscript and primes: `x_1`, `a_{n+1}`, `f'`."""
        if self.peek() == "_":
            self.take()
            name += "_" + self.subscript()
        while self.peek() == "'":
            self.take()
            name += "'"
        return Symbol(name)

    def subscript(self) -> str:
        token = self.take()
        if token.text != "{":
            if token.kind == "number" and len(token.text) > 1 and "." not in token.text:
                first, rest = token.text[0], token.text[1:]
                self.tokens.insert(self.position, Token("number", rest))
                return first
            return token.text
        parts = []
        while self.peek() != "}":
            parts.append(self.take().text)
        self.take()
        return "".join(parts)

    def call(self, name: str, depth: int) -> Expression:
        """A function with its power (`\\sin^2 x`), base (`\\log_2 8`) and argument."""
        power: Expression | None = None
        base: Expression | None = None
        while self.peek() in ("^", "_"):
            if self.take().text == "^":
                power = self.exponent(depth + 1)
            else:
                base = self.group(depth + 1)
        arguments = self.arguments(depth)
        if name == "log" and base is not None:
            arguments, name = (*arguments, base), "logb"
        result: Expression = Apply(name, arguments)
        if power is not None:
            inverse = power == Apply("neg", (Number(Fraction(1)),))
            if inverse and name in ("sin", "cos", "tan"):
                return Apply("arc" + name, arguments)
            result = Apply("^", (result, power))
        return result

    def arguments(self, depth: int) -> tuple[Expression, ...]:
        if self.peek() in ("(", "{", "["):
            close = {"(": ")", "{": "}", "[": "]"}[self.take().text]
            found = [self.sum(depth + 1)]
            while self.peek() == ",":
                self.take()
                found.append(self.sum(depth + 1))
            self.expect(close)
            return tuple(found)
        # `\sin 2x` takes the whole product; `2 \sin b \cos a` stops at the next function
        result = self.power(depth + 1)
        while self.kind() in ("number", "word") or self.peek() in (r"\pi", r"\theta", r"\alpha",
                                                                   r"\beta", r"\frac"):  # fmt: skip
            if self.peek() in FUNCTIONS or self.peek() in ALIASES:
                break
            result = Apply("*", (result, self.power(depth + 1)))
        if self.peek() == "/" and self.kind() == "other" and _is_short(result):
            self.take()
            result = Apply("/", (result, self.power(depth + 1)))
        return (result,)

    def group(self, depth: int) -> Expression:
        """One argument of a command: `{…}`, or a single digit or letter (`\\frac12`)."""
        if self.peek() in ("{", "("):
            close = "}" if self.take().text == "{" else ")"
            result = self.sum(depth + 1)
            self.expect(close)
            return result
        token = self.take()
        if token.kind == "number" and len(token.text) > 1 and "." not in token.text:
            self.tokens.insert(self.position, Token("number", token.text[1:], token.exponent))
            return _number(Token("number", token.text[0]))
        if token.kind == "word" and len(token.text) > 1:
            self.tokens.insert(self.position, Token("word", token.text[1:]))
            return Symbol(CONSTANTS.get(token.text[0], token.text[0]))
        self.position -= 1
        return self.power(depth + 1) if token.text != "-" else self.signed(depth + 1)

    def command(self, text: str, depth: int) -> Expression:
        name = ALIASES.get(text[1:], text[1:])
        if name == "frac":
            top = self.group(depth + 1)
            return Apply("/", (top, self.group(depth + 1)))
        if name == "sqrt":
            return self.root(depth)
        if name in ("binom", "dbinom", "tbinom", "choose"):
            top = self.group(depth + 1)
            return Apply("binom", (top, self.group(depth + 1)))
        if name in FUNCTIONS or name == "log10":
            return self.call(name, depth)
        if name in CONSTANTS:
            return self.symbol(CONSTANTS[name])
        if name in GREEK:
            return self.symbol({"varphi": "phi", "varepsilon": "epsilon"}.get(name, name))
        if name in ("lfloor", "lceil"):
            inner = self.sum(depth + 1)
            self.expect(r"\rfloor" if name == "lfloor" else r"\rceil")
            return Apply("floor" if name == "lfloor" else "ceil", (inner,))
        if name in ("mathrm", "mathbf", "mathit", "text", "operatorname", "overline", "vec", "hat",
                    "bar", "angle", "triangle"):  # fmt: skip
            return self.named(name, depth)
        raise UnreadableError(f"unknown command {text!r}")

    def named(self, name: str, depth: int) -> Expression:
        if self.peek() != "{" or name in ("angle", "triangle"):
            return self.atom(depth + 1)
        self.take()
        word = self.take()
        if word.kind != "word":
            self.position -= 1
            inner = self.sum(depth + 1)
            self.expect("}")
            return inner
        if self.peek() != "}":
            raise UnreadableError("a text")
        self.take()
        if name in ("vec", "hat", "bar"):
            return self.symbol(f"{name}:{word.text}")
        if name == "overline":  # a segment is written with or without its line
            return self.word(word, depth + 1)
        if len(word.text) > 1 and word.text not in FUNCTIONS and word.text not in CONSTANTS:
            raise UnreadableError(f"the word {word.text!r}")
        return self.word(word, depth + 1)

    def root(self, depth: int) -> Expression:
        degree: Expression | None = None
        if self.peek() == "[":
            self.take()
            degree = self.sum(depth + 1)
            self.expect("]")
        inner = self.group(depth + 1)
        if degree is None:
            return Apply("sqrt", (inner,))
        return Apply("root", (inner, degree))


def _is_short(expression: Expression) -> bool:
    return isinstance(expression, Number | Symbol) and expression != Symbol("x")


def _number(token: Token) -> Number:
    if len(token.text) > MAX_DIGITS:
        raise UnreadableError("a number of thousands of digits")
    value = Fraction(token.text if token.text[0] != "." else "0" + token.text)
    if token.exponent:
        if abs(int(token.exponent)) > MAX_DIGITS:
            raise UnreadableError("an exponent of thousands")
        value *= Fraction(10) ** int(token.exponent)
    digits = len(token.text.replace(".", "").lstrip("0")) if "." in token.text else 0
    return Number(value, digits)
