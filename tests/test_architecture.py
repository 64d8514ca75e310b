"""The direction of imports, the size of modules, and what may load heavy libraries."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("sandboxes", "harness", "tasks", "conductor")
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))

# Who may import whom. `conductor` here is the core; its edges are listed below.
ALLOWED = {
    "sandboxes": set(),
    "harness": {"sandboxes"},
    "tasks": {"harness"},
    "conductor": set(),
}
# Edges of `conductor`: where it meets Inspect and the command line, never its plans or execution.
EDGES = {
    "conductor/_inspect.py": {"harness", "sandboxes"},
    "conductor/provider.py": {"harness"},
    "conductor/agent.py": {"harness"},
    "conductor/commands/logs.py": {"harness"},
    "conductor/commands/plan.py": {"harness"},
    "conductor/grouping.py": {"harness", "sandboxes"},
    "conductor/systems/cli.py": {"harness"},
    "conductor/systems/run.py": {"harness"},
    "conductor/litellm/provider.py": {"harness"},
    "conductor/local/provider.py": {"harness"},
    "conductor/serve/command.py": {"harness"},
}
HEAVY = {
    "torch",
    "trl",
    "vllm",
    "docker",
    "litellm",
    "lm_eval",
    "transformers",
    "ray",
    "xllamacpp",
    "sklearn",
}
HEAVY |= {"datasets", "sympy", "latex2sympy2_extended", "scipy", "openai"}
# Modules that run only in a process of their own, where a heavy library is the point.
WORKERS = {"harness/graders/mathematics/algebra_worker.py"}


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imported(tree: ast.AST) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
    return found


def imported_on_load(tree: ast.Module) -> set[str]:
    """Imports that run when the module is imported (not inside functions, not for typing only)."""

    def is_typing(node: ast.AST) -> bool:
        return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)

    found: set[str] = set()
    pending: list[ast.AST] = list(tree.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or is_typing(node):
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            found |= imported(node)
        pending.extend(ast.iter_child_nodes(node))
    return found


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_imports_point_one_way(path: Path) -> None:
    package = path.relative_to(ROOT).parts[0]
    allowed = ALLOWED[package] | EDGES.get(name(path), set()) | {package}
    if package == "tasks":
        allowed -= {"tasks"}  # nothing imports tasks, not even a task
    crossing = imported(ast.parse(path.read_text())) & set(PACKAGES)
    assert crossing <= allowed, f"{name(path)} may not import {sorted(crossing - allowed)}"


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_heavy_libraries_load_where_they_are_used(path: Path) -> None:
    if name(path) in WORKERS:
        return
    heavy = imported_on_load(ast.parse(path.read_text())) & HEAVY
    assert not heavy, f"{name(path)} loads {sorted(heavy)} on import; import it where it is used"


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_modules_stay_readable(path: Path) -> None:
    lines = len(path.read_text().splitlines())
    limit = 80 if path.parent.name == "tasks" else 400
    assert lines <= limit, f"{name(path)} has {lines} lines; one idea a module, at most {limit}"


def test_no_module_shadows_the_standard_library() -> None:
    assert not (ROOT / "tasks/math.py").exists()
    assert not (ROOT / "tasks/code.py").exists()


def test_the_edges_listed_here_exist() -> None:
    assert not [edge for edge in EDGES if not (ROOT / edge).exists()]
