"""What the conductor costs beside a bare Inspect run with as many model calls.

Workers answer at once, so all that is left is harness. Runs alternate in one process; the figure
is the ratio of medians of CPU time (goal: at most 1.5).

    python benchmarks/harness_cost.py [SAMPLES] [RUNS]
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelAPI, ModelOutput, ModelUsage, get_model, modelapi
from inspect_ai.scorer import includes
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver

from conductor import Plan, Pool, Settings, Step
from conductor.inspect_model import to_chat
from conductor.policies.rule import CHECK, SOLVE
from conductor.prompt import worker_messages
from conductor.strict import Document

POOL = "workers:\n  - {name: a, model: instant/a}\n  - {name: b, model: instant/b}\n"
WORKERS = Pool.of(Document.parse(POOL, "pool")).workers


@modelapi(name="instant")
class Instant(ModelAPI):
    """Answers at once."""

    async def generate(self, *args: Any, **kwargs: Any) -> ModelOutput:
        output = ModelOutput.from_content(self.model_name, "The answer is 4.")
        output.usage = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)
        return output


@solver
def two_calls() -> Solver:
    """The bare run: the same two prompts, one after the other, with nothing around them."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        plan = Plan((Step(0, SOLVE), Step(1, CHECK, (0,))))
        said: dict[int, str] = {}
        for number, worker in enumerate(WORKERS):
            prompt = worker_messages(state.input_text, plan, number, said, worker, Settings())
            state.output = await get_model(worker.model).generate(to_chat(prompt))
            said[number] = state.output.completion
        state.messages.append(state.output.message)
        return state

    return solve


def run(samples: int, logs: str, **how: Any) -> tuple[float, float]:
    """(CPU seconds, wall seconds) of one evaluation."""
    dataset = [Sample(id=n, input=f"What is 2 + 2? ({n})", target="4") for n in range(samples)]
    task = Task(dataset=dataset, solver=how.pop("solver"), scorer=includes())
    cpu, wall = time.process_time(), time.perf_counter()
    (log,) = eval(task, display="none", log_dir=logs, **how)
    assert log.status == "success", log.error
    return time.process_time() - cpu, time.perf_counter() - wall


def main() -> None:
    samples, runs = (int(value) for value in (*sys.argv[1:], "200", "7")[:2])
    with tempfile.TemporaryDirectory() as folder:
        pool = Path(folder, "pool.yaml")
        pool.write_text(POOL)
        ways = {
            "bare Inspect, two calls": {"solver": two_calls(), "model": "instant/a"},
            "conductor, two steps": {
                "solver": generate(),
                "model": "conductor",
                "model_args": {"pool": str(pool)},
            },
        }
        for way in ways.values():
            run(20, folder, **way)  # warm-up
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
        for _ in range(runs):
            for name, way in ways.items():
                times[name].append(run(samples, folder, **way))
    report(times, samples)


def report(times: dict[str, list[tuple[float, float]]], samples: int) -> None:
    print("| run | CPU ms a sample | wall ms a sample |\n| --- | --- | --- |")
    medians = {}
    for name, pairs in times.items():
        cpu, wall = (statistics.median(column) for column in zip(*pairs, strict=True))
        medians[name] = cpu
        print(f"| {name} | {1000 * cpu / samples:.2f} | {1000 * wall / samples:.2f} |")
    bare, conductor = medians.values()
    print(f"\nratio of CPU medians: {conductor / bare:.2f} (goal: at most 1.5)")


if __name__ == "__main__":
    main()
