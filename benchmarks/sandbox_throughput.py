# ruff: noqa: E501  (programs and tables as they are)
"""What isolation costs: tests a second of our boxes beside other ways to run programs.

    python benchmarks/sandbox_throughput.py WORKLOAD.py [ROUNDS]
    python benchmarks/sandbox_throughput.py --memory

WORKLOAD.py defines `build(preamble)`: a list of {code, fn, inputs, outputs}. Every way runs the
same programs on all cores and stops a program at its first wrong answer; ways alternate within a
round, and figures are medians over rounds (bare and exec ways run in the first two: they are slow).
Docker's ways are left out, and said to be, where there is no engine.
"""

from __future__ import annotations

import asyncio
import importlib.util
import io
import json
import multiprocessing
import os
import resource
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from harness import Program, Test
from harness.graders.program import grade_program
from sandboxes import SandboxError, docker, open_executor

CORES = len(os.sched_getaffinity(0))
PREAMBLE = (
    "import heapq, json, math\nfrom bisect import *\nfrom collections import *\n"
    "from functools import *\nfrom itertools import *\nfrom typing import *\n"
)
Item = dict[str, Any]
sys.setrecursionlimit(100_000)


def load(path: Path) -> list[Item]:
    spec = importlib.util.spec_from_file_location("workload", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    items: list[Item] = module.build(PREAMBLE)
    return items


def same(output: str, expected: str) -> bool:
    return output.split() == expected.split()


def in_process(item: Item) -> int:
    """The programs' own time and nothing else: how many tests ran until the first wrong one."""
    sys.setrecursionlimit(100_000)
    code = compile(PREAMBLE + item["code"], "program", "exec")
    for number, (given, expected) in enumerate(
        zip(item["inputs"], item["outputs"], strict=True), 1
    ):
        if not same(_once(code, item["fn"], given), expected):
            return number
    return len(item["inputs"])


def _once(code: Any, function: str | None, given: str) -> str:
    scope: dict[str, Any] = {"__name__": "__main__"}
    if function is None:
        streams = sys.stdin, sys.stdout
        sys.stdin, sys.stdout = io.StringIO(given), io.StringIO()
        try:
            exec(code, scope)
            return sys.stdout.getvalue()
        finally:
            sys.stdin, sys.stdout = streams
    exec(code, scope)
    arguments = [json.loads(line) for line in given.split("\n")]
    return json.dumps(getattr(scope["Solution"](), function)(*arguments))


def pure_cpu(items: Sequence[Item]) -> int:
    with ProcessPoolExecutor(CORES, multiprocessing.get_context("fork")) as pool:
        return sum(pool.map(in_process, items, chunksize=5))


def _alarmed(item: Item, results: Any) -> None:
    signal.signal(signal.SIGALRM, lambda *_: sys.exit(1))
    signal.alarm(6)
    results.append(in_process(item))


def livecodebench_way(items: Sequence[Item]) -> int:
    """A process a program through a manager, an alarm inside it: its checker's structure."""
    context = multiprocessing.get_context("fork")

    def one(item: Item) -> int:
        with context.Manager() as manager:
            results = manager.list()
            process = context.Process(target=_alarmed, args=(item, results))
            process.start()
            process.join(7 * len(item["inputs"]) + 5)
            return sum(results)

    with ThreadPoolExecutor(CORES) as pool:
        return sum(pool.map(one, items))


DRIVER = "import json, sys\ng = {}\nexec(CODE, g)\nprint(json.dumps(getattr(g['Solution'](), FN)(*[json.loads(l) for l in sys.stdin.read().split('\\n')])))"


def _source(item: Item) -> str:
    code = PREAMBLE + item["code"]
    return (
        code
        if item["fn"] is None
        else DRIVER.replace("CODE", repr(code)).replace("FN", repr(item["fn"]))
    )


def _each_test(item: Item, command: list[str]) -> int:
    for number, (given, expected) in enumerate(
        zip(item["inputs"], item["outputs"], strict=True), 1
    ):
        done = subprocess.run(
            [*command, _source(item)], input=given, capture_output=True, text=True
        )
        if not same(done.stdout, expected):
            return number
    return len(item["inputs"])


def bare_subprocess(items: Sequence[Item]) -> int:
    with ThreadPoolExecutor(CORES) as pool:
        return sum(pool.map(lambda item: _each_test(item, [sys.executable, "-c"]), items))


LOOP = "import json, sys, io, subprocess\nfor given in json.load(sys.stdin):\n    r = subprocess.run([sys.executable, '-c', CODE], input=given, capture_output=True, text=True)\n    print(json.dumps(r.stdout))"


def exec_per_program(items: Sequence[Item]) -> int:
    """`docker exec` a program, all its tests inside, in one standing container."""
    name = f"bench-{os.getpid()}"
    run = ["docker", "run", "-d", "--rm", "--network=none", "--name", name, docker.IMAGE]
    subprocess.run([*run, "sleep", "600"], check=True, capture_output=True)

    def one(item: Item) -> int:
        script = LOOP.replace("CODE", repr(_source(item)))
        done = subprocess.run(["docker", "exec", "-i", name, "python3", "-c", script],
                              input=json.dumps(item["inputs"]), capture_output=True, text=True)  # fmt: skip
        outputs = [json.loads(line) for line in done.stdout.splitlines()]
        right = [same(o, e) for o, e in zip(outputs, item["outputs"], strict=False)]
        return right.index(False) + 1 if False in right else len(right)

    try:
        with ThreadPoolExecutor(CORES) as pool:
            return sum(pool.map(one, items))
    finally:
        subprocess.run(["docker", "kill", name], capture_output=True)


def ours(kind: str, mode: str, workers: int = CORES) -> Callable[[Sequence[Item]], int]:
    executor = open_executor(kind, mode, workers)  # type: ignore[arg-type]

    async def grade_all(items: Sequence[Item]) -> int:
        keys = [
            Program(
                tuple(Test(i, o) for i, o in zip(item["inputs"], item["outputs"], strict=True)),
                item["fn"], preamble=PREAMBLE,
            )
            for item in items
        ]  # fmt: skip
        verdicts = await asyncio.gather(*(
            grade_program(f"```python\n{item['code']}\n```", key, executor)
            for item, key in zip(items, keys, strict=True)
        ))  # fmt: skip
        assert all(verdict.outcome != "unscored" for verdict in verdicts)
        return sum(v.metadata.get("failed_test") or v.metadata["tests"] for v in verdicts)

    return lambda items: asyncio.run(grade_all(items))


def ways() -> dict[str, tuple[Callable[[Sequence[Item]], int], bool]]:
    """(how, whether it is slow)."""
    found: dict[str, tuple[Callable[[Sequence[Item]], int], bool]] = {
        "pure CPU of the programs": (pure_cpu, False),
        "LiveCodeBench's way": (livecodebench_way, False),
        "local, program": (ours("local", "program"), False),
        "local, test": (ours("local", "test"), False),
        "local, program, one worker": (ours("local", "program", 1), False),
        "bare subprocess a test": (bare_subprocess, True),
    }
    try:
        found["docker, program"] = (ours("docker", "program"), False)
        found["docker, test"] = (ours("docker", "test"), False)
        found["docker exec a program"] = (exec_per_program, True)
    except SandboxError as reason:
        print(f"without docker: {reason}", file=sys.stderr)
    return found


def resident_mb() -> float:
    """Of this process and everything that it started."""
    tree, total = [os.getpid()], 0
    while tree:
        pid = tree.pop()
        for listing in Path(f"/proc/{pid}/task").glob("*/children"):  # by the thread that forked
            tree += [int(child) for child in listing.read_text().split()]
        total += int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return total * resource.getpagesize() / (1 << 20)


def memory(programs: int = 10_000) -> None:
    """Whether memory grows with the programs that were run (`--memory`)."""
    executor = open_executor("local", "program", CORES)

    async def many(count: int) -> None:
        work = (executor.run("print(input())", ["x" * 1000] * 3) for _ in range(count))
        await asyncio.gather(*work)

    for done in range(1000, programs + 1, 1000):
        asyncio.run(many(1000))
        if done in (1000, programs // 2, programs):
            print(f"after {done} programs: {resident_mb():.0f} MB, boxes included")


def main() -> None:
    if "--memory" in sys.argv:
        memory()
        return
    if len(sys.argv) < 2:
        print(f"{sys.argv[0]} is not run: it needs a file\n{__doc__}")
        return
    items = load(Path(sys.argv[1]))
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 7
    seconds: dict[str, list[float]] = {}
    tests: dict[str, int] = {}
    for number in range(rounds):
        for name, (way, slow) in WAYS.items():
            if slow and number > 1:
                continue
            begin = time.perf_counter()
            tests[name] = way(items)
            seconds.setdefault(name, []).append(time.perf_counter() - begin)
    report(seconds, tests)


def report(seconds: dict[str, list[float]], tests: dict[str, int]) -> None:
    """Ratios are medians of the ratios within each round: the machine's mood cancels out."""
    print("| way | tests | tests/s | time, pure CPU = 1 |\n| --- | --- | --- | --- |")
    base = seconds["pure CPU of the programs"]
    ratios = {
        name: statistics.median(a / b for a, b in zip(times, base, strict=False))
        for name, times in seconds.items()
    }
    for name, times in seconds.items():
        rate = tests[name] / statistics.median(times)
        print(f"| {name} | {tests[name]} | {rate:.0f} | {ratios[name]:.2f} |")
    pairs = zip(seconds["LiveCodeBench's way"], seconds["local, program"], strict=True)
    print(f"\nlocal program: {ratios['local, program']:.2f} x pure CPU (goal: at most 1.5)")
    print(
        f"               {statistics.median(a / b for a, b in pairs):.2f} x LiveCodeBench's way (goal: at least 3)"
    )
    print(f"local test:    {ratios['local, test']:.2f} x pure CPU (goal: at most 6.5)")
    cores = zip(seconds["local, program, one worker"], seconds["local, program"], strict=True)
    print(f"{CORES} workers:     {statistics.median(a / b for a, b in cores):.2f} x one worker")
    if "docker, program" in seconds:
        pairs = zip(seconds["docker, program"], seconds["local, program"], strict=True)
        print(
            f"docker program: {statistics.median(a / b for a, b in pairs):.2f} x local (goal: at most 1.15)"
        )
    print(
        f"memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB"
    )


if __name__ == "__main__":
    WAYS = ways() if len(sys.argv) > 1 and "--memory" not in sys.argv else {}
    main()
