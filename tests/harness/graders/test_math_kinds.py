"""Kinds of mathematical answers, (key, answer), in a box and as they stand."""

from __future__ import annotations

import asyncio

import pytest

from harness import Math, Problem, grade

SAME = [
    (r"27", r"\textbf{(C) }27"), (r"27", r"\textbf{(C)}\ 27"), (r"27", r"(C) 27"),
    (r"\frac{3}{4}", r"0.75"), (r"3/4", r"3 / 4"), (r"1\frac{1}{2}", r"1.5"),
    (r"1\frac12", r"\frac32"), (r"1 1/2", r"1.5"), (r"-1\frac{1}{2}", r"-1.5"),
    (r"\$1,234.50", r"1234.5"), (r"1234.5", r"$1,234.50"), (r"12 dollars", r"12"),
    (r"5 \text{ units}^2", r"5"), (r"5", r"5 square units"), (r"5", r"5 cm^2"),
    (r"5", r"5\,\text{m/s}^2"), (r"10", r"10 \mathrm{~km}"),
    (r"\sqrt{2}/2", r"\frac{1}{\sqrt{2}}"), (r"3\sqrt{5}", r"\sqrt{45}"),
    (r"\sqrt{12}", r"2\sqrt{3}"), (r"2^{1/3}", r"\sqrt[3]{2}"), (r"\sqrt{x^2}", r"x"),
    (r"\frac{\pi}{4}", r"\pi/4"), (r"\frac{\pi}{4}", r"0.25\pi"), (r"4\pi", r"4π"),
    (r"3+4i", r"4i+3"), (r"e^{i\pi}", r"-1"), (r"[0,1]", r"0 \leq x \leq 1"),
    (r"[0,1)", r"0 \leq x < 1"), (r"(0,1)", r"0<x<1"), (r"(0,1)", r"]0,1["),
    (r"[1,\infty)", r"x \ge 1"), (r"(-\infty,0)\cup(0,\infty)", r"x \neq 0"),
    (r"\{1,2\}", r"{1,2}"), (r"\{1, 2\}", r"\{2, 1\}"), (r"\emptyset", r"\varnothing"),
    (r"\{\}", r"\emptyset"), (r"(1,-2,3)", r"(1, -2, 3)"),
    (r"(1,-2,3)", r"\begin{pmatrix}1\\-2\\3\end{pmatrix}"), (r"\langle 1,2\rangle", r"(1,2)"),
    (r"\begin{pmatrix}1/2&0\\0&1\end{pmatrix}", r"\begin{bmatrix}0.5&0\\0&1\end{bmatrix}"),
    (r"y=3x-2", r"y = -2+3x"), (r"y=3x-2", r"3x-y=2"), (r"y=3x-2", r"3x-2"),
    (r"x^2+y^2=1", r"x^2+y^2-1=0"), (r"x^2+y^2=1", r"2x^2+2y^2=2"), (r"x>3", r"3<x"),
    (r"x>3", r"(3,\infty)"), (r"2x<4", r"x<2"), (r"-2x<4", r"x>-2"),
    (r"2\pm\sqrt{3}", r"2+\sqrt{3},2-\sqrt{3}"), (r"\pm 2", r"2,-2"), (r"x=\pm 2", r"-2, 2"),
    (r"\pm 2", r"\{-2,2\}"), (r"x=1\text{ or }x=2", r"1,2"), (r"x=1, x=2", r"\{1,2\}"),
    (r"3:2", r"6:4"), (r"1:2:3", r"2:4:6"), (r"1010_2", r"1010"), (r"3:30", r"3:30"),
    (r"3:30 \text{ p.m.}", r"3:30 PM"), (r"\text{Friday}", r"friday"), (r"\text{Yes}", r"Yes."),
    (r"\text{(A)}", r"A"), (r"90^\circ", r"90"), (r"90^\circ", r"90 degrees"),
    (r"37.5^\circ", r"37.5°"), (r"6.02 \times 10^{23}", r"6.02e23"),
    (r"1.5\cdot10^{-3}", r"0.0015"), (r"10^6", r"1{,}000{,}000"), (r"5000000", r"5 million"),
    (r"0.00001", r"10^{-5}"), (r"42", r"42."), (r"42", r"42.0"), (r"42", r"The answer is 42 cm."),
    (r"42", r"x=42"), (r"42", r"42\%"), (r"42", r"\text{42}"), (r"42", r"$42$"),
    (r"42", r"\(42\)"), (r"42", r"**42**"), (r"42", r"\boxed{42}."),
    (r"42", r"\boxed{\text{42}}"), (r"42", r"\boxed{x = 42}"),
    (r"42", r"\boxed{42 \text{ apples}}"), (r"42", r"We get 6*7=42"), (r"-3", r"-3"),
    (r"x+1", r"1+x"), (r"(x+1)(x-1)", r"x^2-1"), (r"\frac{x+1}{2}", r"\frac12x+\frac12"),
    (r"\ln 4", r"2\ln 2"), (r"\log_{10} 100", r"2"), (r"n!", r"n(n-1)!"),
    (r"\binom{n}{2}", r"\frac{n(n-1)}{2}"), (r"2^{n+1}", r"2\cdot 2^n"),
    (r"a^2-b^2", r"(a-b)(a+b)"), (r"\frac{1}{x}+\frac{1}{y}", r"\frac{x+y}{xy}"),
    (r"x_1+x_2", r"x_2+x_1"), (r"\sqrt{a}\sqrt{b}", r"\sqrt{ab}"), (r"f(x)=x^2", r"x^2"),
    (r"(x-1)^2+(y+2)^2=9", r"(x-1)^2+(y+2)^2=3^2"), (r"7", r"\frac{14}{2}"),
    (r"7", r"7\frac{0}{1}"), (r"0", r"-0"), (r"\infty", r"+\infty"),
    (r"\text{undefined}", r"undefined"), (r"\text{no solution}", r"\text{No solutions}"),
    (r"\text{does not exist}", r"DNE"), (r"1,2,3", r"1,2,3"), (r"1,2,3", r"3,2,1"),
    (r"1, 2, 3", r"(1,2,3)"), (r"(1,2),(3,4)", r"(3,4),(1,2)"), (r"2, 3, 5, 7", r"\{2,3,5,7\}"),
    (r"11,111", r"11111"), (r"1,000,000", r"1000000"), (r"0.333333333333", r"1/3"),
    (r"2.718281828459045", r"e"), (r"\frac{a}{b}", r"a/b"), (r"\frac{1}{2}x", r"x/2"),
    (r"2(x+3)", r"2x+6"), (r"(2x+6)", r"2(x+3)"), (r"\dfrac{5}{8}", r"5/8"),
    (r"5/8", r"\frac 5 8"), (r"\frac58", r"0.625"), (r"\cfrac{1}{3}", r"1/3"),
    (r"{1\over 2}", r"1/2"), (r"\frac{1}{2}", r"{1 \over 2}"),
    (r"\left(\frac{1}{2},3\right)", r"(0.5, 3)"), (r"\left[ -1, 1 \right]", r"[-1,1]"),
    (r"[-1,1]", r"-1\leq y\leq 1"), (r"120\text{ ways}", r"120"), (r"120", r"120 ways"),
    (r"x", r"1x"), (r"\overline{AB}", r"AB"), (r"\triangle ABC", r"ABC"), (r"30", r"30\text{ m}"),
    (r"30", r"30 \mathrm{m}"), (r"2\mathrm{e}", r"2e"), (r"30\text{ cm}", r"30"),
    (r"K^2 g", r"gK^2"), (r"0.1\overline{6}", r"1/6"), (r"0.\overline{3}", r"\frac13"),
    (r"\frac{2}{3}\pi r^3", r"\frac{2\pi r^3}{3}"), (r"k\pi", r"\pi k"),
    (r"\frac{\pi}{4}+k\pi", r"k\pi+\frac{\pi}{4}"), (r"5 \times 10^{-2}", r"0.05"),
    (r"8!", r"40320"), (r"\lceil 2.1\rceil", r"3"), (r"|x|", r"x"), (r"\gcd(12,18)", r"6"),
    (r"17\ \text{hours}", r"17"), (r"x^2", r"x**2"), (r"sqrt(2)", r"\sqrt{2}"),
    (r"2*sqrt(3)", r"2\sqrt3"), (r"pi/2", r"\frac{\pi}{2}"), (r"exp(2)", r"e^2"),
    (r"1/(x+1)", r"\frac{1}{x+1}"), (r"2/3x", r"\frac{2}{3}x"), (r"(3,4)", r"x=3, y=4"),
    (r"x=3,y=4", r"(3,4)"), (r"a=1,b=2", r"b=2,a=1"), (r"10\text{:}00", r"10:00"),
    (r"\$5", r"5 dollars"), (r"\text{\$}5", r"5"), (r"50¢", r"50"),
    (r"\frac{1}{3}, \frac{2}{3}", r"2/3, 1/3"),
    (r"x \ge 2 \text{ or } x \le -2", r"(-\infty,-2]\cup[2,\infty)"),
    (r"\mathbb{R}", r"(-\infty,\infty)"), (r"\text{all real numbers}", r"\mathbb{R}"),
    (r"n=4", r"4"), (r"4", r"n = 4"), (r"\angle A = 30^\circ", r"30"),
]  # fmt: skip
OTHER = [
    (r"\frac{3}{4}", r"75\%"), (r"2\pi", r"6.28"), (r"-i", r"i"), (r"2+3i", r"(2,3)"),
    (r"\begin{pmatrix}a\\b\end{pmatrix}", r"\begin{pmatrix}a&b\end{pmatrix}"), (r"x=2", r"y=2"),
    (r"-2x<4", r"x<-2"), (r"x\le 5", r"x<5"), (r"3:2", r"3/2"), (r"1010_2", r"10"),
    (r"FF_{16}", r"ff_{16}"), (r"\text{east}", r"west"), (r"\text{A}", r"B"),
    (r"\frac{\pi}{2}", r"90^\circ"), (r"42", r"forty-two"),
    (r"42", r"I believe it's 42, not 43."), (r"-3", r"3"), (r"\sin 30^\circ", r"1/2"),
    (r"f(x) = x^2", r"f(x)=x^2+1"), (r"-\infty", r"\infty"), (r"1,2,3", r"1,2"),
    (r"(1,2),(3,4)", r"(1,2)"), (r"12,34", r"1234"), (r"0.33", r"1/3"), (r"3.14", r"\pi"),
    (r"16", r"16\pi"), (r"16\pi", r"16"), (r"2x", r"2"), (r"C(5,2)", r"10"),
    (r"25\%", r"\frac{1}{4}"), (r"1/x+1", r"\frac{1}{x+1}"), (r"\text{Alice}", r"Alice, Bob"),
    (r"a=1,b=2", r"a=2,b=1"), (r"1<x<2", r"1<x<3"), (r"3,4", r"3.4"),
]  # fmt: skip


def forms(answer: str) -> list[str]:
    """Sentences stay as they are; an answer alone is put in a box too."""
    told = any(word in answer for word in ("answer", "believe", "get ", "boxed"))
    return [answer] if told else [answer, f"Thus the answer is $\\boxed{{{answer}}}$."]


def outcomes(key: str, answer: str) -> set[str]:
    problem = Problem("q", "demo", "?", Math(key))
    return {asyncio.run(grade(problem, form)).outcome for form in forms(answer)}


@pytest.mark.parametrize(("key", "answer"), SAME)
def test_answers_of_one_meaning_are_correct(key: str, answer: str) -> None:
    assert outcomes(key, answer) == {"correct"}


@pytest.mark.parametrize(("key", "answer"), OTHER)
def test_answers_of_another_meaning_are_incorrect(key: str, answer: str) -> None:
    assert outcomes(key, answer) == {"incorrect"}
