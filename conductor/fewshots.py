"""Four worked examples for the conductor's prompt, written here, from domains that no suite tests.

Steps and workers vary on purpose (one, two, three and four steps), so that an example teaches the
form and no favourite. Medicine, deep mathematics, and twice the numbers game Countdown, as the
paper chose its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from conductor.plan import Access, Plan, Step


@dataclass(frozen=True, slots=True)
class Example:
    question: str
    models: int
    thought: str
    plan: Plan


EXAMPLES = (
    Example(
        "Using each of the numbers 3, 7, 8 and 50 at most once, and +, -, *, /, make 374.",
        4,
        "A search over few numbers: one model can do it alone if it checks its own arithmetic.",
        Plan((
            Step(2, "Find an expression with the given numbers that equals 374. Try products near "
                    "374 first (7 * 50 = 350), then correct by the rest. Recompute the expression "
                    "before you state it as the final answer."),
        )),
    ),
    Example(
        "A 54-year-old man has had colicky flank pain since morning, blood in his urine and no "
        "fever. A scan without contrast shows a stone of 4 mm at the junction of ureter and "
        "bladder; his kidney function is normal. What is the best next step?",
        3,
        "A guideline question: one model reasons from stone size and warning signs, a second looks "
        "for what would overturn that, and gives the answer.",
        Plan((
            Step(0, "List the findings that decide between watchful treatment and intervention "
                    "here (size, site, infection, kidney function, pain) and what each suggests."),
            Step(1, "Check the findings and the reasoning you are shown for anything missed that "
                    "would call for intervention. Then state the single best next step.", (0,)),
        )),
    ),
    Example(
        "How many ring homomorphisms are there from Z x Z to Z/12 that send 1 to 1?",
        5,
        "Two independent routes, by idempotents and by the Chinese remainder theorem, then a model "
        "that compares the two and decides.",
        Plan((
            Step(4, "Such a map is fixed by the image e of (1,0), which must be idempotent. Find "
                    "all idempotents of Z/12 by direct computation and count the maps."),
            Step(1, "Split Z/12 by the Chinese remainder theorem into Z/4 and Z/3, and count the "
                    "unital maps from Z x Z into each factor. Combine the counts."),
            Step(3, "Two counts were made by different routes. Verify each, settle any "
                    "disagreement, and give the final number.", (0, 1)),
        )),
    ),
    Example(
        "Using each of the numbers 2, 5, 9, 25 and 75 at most once, and +, -, *, /, make 830.",
        6,
        "Harder: collect useful sub-results first, build from them, repair, and verify at the end.",
        Plan((
            Step(5, "List products and sums of two of the numbers that lie near 830 or near a "
                    "divisor of a number close to it."),
            Step(0, "From the sub-results you are shown, build an expression as near to 830 as you "
                    "can, each number at most once.", (0,)),
            Step(3, "The attempt you are shown may miss the target. Say by how much, and repair it "
                    "with the numbers still unused.", (0, 1)),
            Step(0, "Recompute the best expression so far step by step, confirm that no number is "
                    "used twice, and state it as the final answer.", (0, 1, 2)),
        )),
    ),
)  # fmt: skip


def examples(access: Access, max_steps: int) -> str:
    """The examples that keep to `max_steps`, their plans in the scheme asked for."""
    fitting = [example for example in EXAMPLES if len(example.plan.steps) <= max_steps]
    return "\n\n".join(_shown(number, example, access) for number, example in enumerate(fitting))


def _shown(number: int, example: Example, access: Access) -> str:
    team = "\n".join(f"Model id {ordinal}" for ordinal in range(example.models))
    return (
        f"EXAMPLE {number + 1}\nUSER QUESTION:\n{example.question}\n\n"
        f"AVAILABLE LANGUAGE MODELS:\n{team}\n\n{example.thought}\n\n{example.plan.render(access)}"
    )
