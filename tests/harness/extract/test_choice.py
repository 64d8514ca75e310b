"""Which option a completion chooses."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.extract.choice import extract_choice, extract_choices
from tests.ground_truth import grader_rows

OPTIONS = ("Paris", "42 km", "  [Cu(NH3)4]SO4 \n with", "A polygenic risk score")

STATED = {
    "Answer: B": "B",
    "answer: b": "B",
    "**Answer:** C": "C",
    "**Answer: C**": "C",
    "ANSWER: [B]": "B",
    "Answer is option C": "C",
    "Answer: “B”": "B",
    "Answer:\n\n**C**": "C",
    "### Answer\n\nC. foo": "C",
    r"The final answer is $\boxed{C}$": "C",
    r"\boxed{\text{(B)}}": "B",
    r"**Final Answer:** \(\boxed{D}\)": "D",
    r"Answer: $\text{C}$": "C",
    "<answer>B</answer>": "B",
    "<answer>(B) 42 km</answer>": "B",
    "**B**": "B",
    "I think **B** is right": "B",
    "The correct option is B)": "B",
    "the correct choice is D": "D",
    "So B is the answer": "B",
    "Hence (B) is correct": "B",
    "Therefore, D is the correct answer.": "D",
    "the answer is (B), since (A) fails": "B",
    "The answer is A, not B.": "A",
    "Answer: C\n\nExplanation: A is wrong since B holds": "C",
    "Answer: A because of symmetry": "A",
    "I'd go with C.": "C",
    "Choose D": "D",
    "b. 4": "B",
    "c": "C",
    "(C)": "C",
    "Ａｎｓｗｅｒ：Ｂ": "B",
    "答案选B": "B",
    "答案：（B）": "B",
    "Ответ: B": "B",
    "La respuesta correcta es B": "B",
    "Die richtige Antwort ist B": "B",
    "La bonne réponse est la B": "B",
    "الإجابة: ب": "B",
}
IN_WORDS = {
    "The answer is Paris.": "A",
    "Answer: 42 km": "B",
    r"\boxed{[Cu(NH3)4]SO4 with}": "C",
    "Answer: A polygenic risk score": "D",
    "paris": "A",
}
SILENT = (
    "",
    "A good idea is to think. I like vitamin C.",
    "A) Paris\nB) 42 km\nSo which?",
    "The answer is not B",
    "The answer is a car",
    "Answer: I don't know",
    "Answer: A or B",
    "Answer: A, B",
    "Answer: A/B",
    "ANSWER: A B C D are all plausible",
    "Answer: G",
    "None of these.",
    "the shape is C-like",
    r"\boxed{B",
)


@pytest.mark.parametrize("text", STATED, ids=repr)
def test_a_stated_letter_is_read(text: str) -> None:
    assert extract_choice(text, 4) == STATED[text]


@pytest.mark.parametrize("text", IN_WORDS, ids=repr)
def test_the_text_of_an_option_stands_for_its_letter(text: str) -> None:
    assert extract_choice(text, 4, OPTIONS) == IN_WORDS[text]


@pytest.mark.parametrize("text", SILENT, ids=repr)
def test_prose_holds_no_lucky_letters(text: str) -> None:
    assert extract_choice(text, 4) is None


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("<think>Answer: A</think>Answer: B", "B"),
        ("<think>Answer: A</think>\nNo idea.", None),
        ("<think>Answer: A", None),
        ("Answer: A</think>Answer: B", "B"),
    ],
)
def test_what_is_thought_is_not_the_answer(text: str, letter: str | None) -> None:
    assert extract_choice(text, 4) == letter


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("Answer: A\nNo wait.\nAnswer: B", "B"),
        ("Answer: B\nAnswer: unclear", "B"),
        (r"\boxed{A} is tempting, but the answer is C", "C"),
        ("The answer is A. Hmm, \\boxed{D}", "D"),
    ],
)
def test_the_last_statement_wins(text: str, letter: str) -> None:
    assert extract_choice(text, 4) == letter


def test_letters_go_as_far_as_there_are_options() -> None:
    assert extract_choice("Answer: J", 10) == "J"
    assert extract_choice("Answer: J", 9) is None
    assert extract_choice("The answer is I.", 10) == "I"
    assert extract_choice("The answer is I think unclear", 10) is None


@pytest.mark.parametrize("kind", ["mc_extract", "mc_grade"])
def test_ground_truth(kind: str) -> None:
    wrong = []
    for row in grader_rows(kind):
        found = extract_choice(row["answer"], row["options"], row.get("choices"))
        if kind == "mc_grade":
            right = (found == row["gold"]) == row["expected"]
        else:
            right = found == row["expected"]
        if not right:
            wrong.append((row["answer"], row["expected"], found))
    assert not wrong


def test_ground_truth_of_several_letters() -> None:
    for row in grader_rows("mc_multi_extract"):
        assert list(extract_choices(row["answer"], row["options"])) == row["expected"]


@given(st.text(max_size=400), st.integers(2, 26))
def test_any_text_gives_a_known_letter_or_none(text: str, count: int) -> None:
    letter = extract_choice(text, count, [f"option {n}" for n in range(count)])
    assert letter is None or letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:count]


@settings(deadline=None)
@given(
    st.sampled_from("ABCD"),
    st.sampled_from(["Answer: {}", "The answer is ({}).", r"\boxed{{{}}}", "**Answer: {}**"]),
    st.text(st.characters(categories=["Ll", "Zs"]), max_size=80),
)
def test_a_final_statement_is_found_behind_any_reasoning(
    letter: str, form: str, reasoning: str
) -> None:
    assert extract_choice(f"{reasoning}\n{form.format(letter)}", 4) == letter


@pytest.mark.parametrize(
    "unit", ["Answer: ", r"\boxed{", "<answer>", "A ", "so is ", "**", "(", "\n", "<think>", "答案"]
)
def test_a_megabyte_of_malice_is_read_in_linear_time(unit: str) -> None:
    extract_choice(unit * (1_000_000 // len(unit)), 4, OPTIONS)
