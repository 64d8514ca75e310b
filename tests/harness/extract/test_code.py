"""The program in a completion, by our rule and by LiveCodeBench's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.extract.code import extract_code, lcb_code
from tests.harness.programs.shared import rows

ADD = "def add(a, b):\n    return a + b"
READ = "n = int(input())\nprint(n + 1)"


def fenced(code: str, language: str = "python") -> str:
    return f"```{language}\n{code}\n```"


@pytest.mark.parametrize(
    "text",
    [
        fenced(ADD),
        fenced(ADD, ""),
        fenced(ADD, "Python3"),
        fenced(ADD, "py title=solution"),
        fenced(ADD, "{.python}"),
        f"~~~python\n{ADD}\n~~~",
        f"````python\n{ADD}\n````",
        f"```python\r\n{ADD}\r\n```".replace("\n", "\r\n").replace("\r\r", "\r"),
        f"Here it is: ```python\n{ADD}\n```",
        f"```python\n```python\n{ADD}\n```",
        f"```python\n{ADD}\n",
        f"```python\n{ADD}```",
        f"1. First:\n   ```python\n   {ADD.replace(chr(10), chr(10) + '   ')}\n   ```\n2. Done.",
        f"{fenced('x = 1')}\nNo, better:\n{fenced(ADD)}\nThat is all.",
        f"{fenced(ADD)}\nIt prints:\n{fenced('3 4', '')}",
        f"{fenced('pip install x', 'bash')}\n{fenced(ADD)}\n{fenced('3', 'text')}",
        f"<think>\n{fenced('wrong = 1')}\n</think>\n{fenced(ADD)}",
        f"<answer>{ADD}</answer>",
        f"[PYTHON]\n{ADD}\n[/PYTHON]",
        ADD,
        f"Sure! This adds two numbers.\n{ADD}\nI hope that it helps.",
        f"{ADD}\n```\nThis adds them.",
        f"```python\n\n{ADD}\n\n```",
    ],
)
def test_the_program_is_found_however_it_is_written(text: str) -> None:
    assert extract_code(text) == ADD


@pytest.mark.parametrize("text", ["", "   \n", "I cannot do that.", "```\n```", "<think>```x```"])
def test_no_program_is_the_empty_text(text: str) -> None:
    assert extract_code(text) == ""


def test_a_fence_inside_a_docstring_does_not_end_the_program() -> None:
    example = "        ```python\n        f()\n        ```"
    code = f'def f():\n    """Example:\n\n{example}\n    """\n    return 1'
    assert extract_code(fenced(code)) == code


def test_an_example_of_use_does_not_replace_the_function() -> None:
    text = f"{fenced(ADD)}\nFor example:\n{fenced('print(add(1, 2))')}"
    assert extract_code(text, function="add") == ADD
    assert extract_code(text) == "print(add(1, 2))"


def test_a_block_that_reads_its_input_is_preferred_for_stdin_programs() -> None:
    text = f"{fenced(READ)}\nA test:\n{fenced('assert True')}"
    assert extract_code(text, reads_stdin=True) == READ


def test_a_program_that_reads_nothing_is_still_taken_when_it_is_all_there_is() -> None:
    assert extract_code(fenced("print(42)"), reads_stdin=True) == "print(42)"


def test_another_language_is_taken_only_without_python() -> None:
    scala = "def f(s: String): Int = 1"
    assert extract_code(fenced(scala, "scala")) == scala
    assert extract_code(fenced(scala, "scala") + "\n" + fenced(ADD)) == ADD


def test_asserts_can_be_dropped() -> None:
    text = fenced(f"{ADD}\n\nassert add(1, 2) == 3")
    assert extract_code(text, asserts=False) == ADD
    assert "assert" in extract_code(text)


def test_blank_lines_inside_strings_keep_their_blanks() -> None:
    code = 'text = """a\n  \nb"""\nprint(text)'
    assert extract_code(fenced(code)) == code


def test_a_megabyte_is_read_at_once() -> None:
    body = "x = 1\n" * 170_000
    assert extract_code(fenced(body)) == body.strip()
    assert extract_code("words and words.\n" * 60_000) == ""
    assert extract_code("```" * 300_000) == ""


@pytest.mark.parametrize(
    "unit",
    ["a", " ", "`", "~", "``` ", "a,  ", "a: ", "f(", ")", "[", "if :", "<code>", "[CODE]", "'",
     '"""', "```python ", "x = ", "\\n", "```\\n", "```python\\n", "a.\\n", "    \\n", "<think>",
     "</think>"],
)  # fmt: skip
def test_no_repetition_makes_it_slow(unit: str) -> None:
    """Quadratic reading of these would take hours and be stopped by the suite's own limit."""
    text = unit.replace("\\n", "\n") * (1_000_000 // len(unit))
    for end in ("", "!", "\n```", "\n."):
        extract_code(text + end, "f")
        extract_code("```python\n" + text + end, reads_stdin=True)


def test_code_whose_fence_was_opened_in_the_prompt_is_found_before_other_blocks() -> None:
    assert extract_code(f"{ADD}\n```\nFor example:\n{fenced('add(1, 2)')}") == ADD


@given(st.text(alphabet="`~a \n:=pythondef()#'\"<>/[]\t", max_size=200))
def test_any_text_gives_a_text(text: str) -> None:
    assert isinstance(extract_code(text), str)
    assert isinstance(lcb_code(text), str)


@given(st.lists(st.from_regex(r"[a-z]{1,8} = [0-9]{1,4}", fullmatch=True), min_size=1))
def test_what_is_fenced_comes_back_unchanged(lines: list[str]) -> None:
    code = "\n".join(lines)
    assert extract_code(f"Some words.\n{fenced(code)}\nMore words.") == code
    assert lcb_code(f"Some words.\n{fenced(code)}\nMore words.") == code


@pytest.mark.parametrize("name", ["o1-mini", "qwen2.5-7b"])
def test_lcb_code_is_the_official_one_on_every_generation(name: str) -> None:
    found = rows(f"lcb/generations_{name}.jsonl")
    assert [row["question_id"] for row in found if lcb_code(row["output"]) != row["code"]] == []


@pytest.mark.parametrize("file", ["public", "reported"])
def test_ground_truth_of_code_extraction(file: str) -> None:
    wrong = []
    for row in rows(f"graders/{file}.jsonl"):
        if row["kind"] != "code_extract":
            continue
        official = "LiveCodeBench rule" in (row.get("note") or "")
        asserts = row.get("note") != "with remove_asserts"
        read = lcb_code(row["answer"]) if official else extract_code(row["answer"], asserts=asserts)
        if read != row["expected"]:
            wrong.append(row["source"])
    assert wrong == []
