"""YAML whose mistakes are reported by file, line and near match."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Place = tuple[str | int, ...]


class ConfigError(ValueError):
    """A configuration that cannot be used; one line that names the place and the remedy."""


def near(name: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?`, or the list of what there is."""
    names = sorted(known)
    match = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    return f"; did you mean {match[0]!r}?" if match else f"; one of: {', '.join(names)}"


@dataclass(frozen=True, slots=True)
class Document:
    """Plain data and the line each part of it stands on.

    name: what errors call it (a file's path, or "-M"). lines: by path of keys and positions.
    """

    name: str
    data: Any
    lines: Mapping[Place, int]

    @classmethod
    def read(cls, path: Path) -> Document:
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as cause:
            reason = cause.strerror or str(cause)
            raise ConfigError(f"{path}: cannot be read: {reason}") from cause
        except UnicodeDecodeError as cause:
            raise ConfigError(f"{path}: is not UTF-8 text") from cause
        return cls.parse(text, str(path))

    @classmethod
    def parse(cls, text: str, name: str) -> Document:
        import yaml

        try:
            root = yaml.compose(text, Loader=yaml.SafeLoader)
            if root is None:
                return cls(name, {}, {})
            lines: dict[Place, int] = {}
            data = _plain(root, (), lines, yaml.SafeLoader(""))
        except yaml.YAMLError as cause:
            mark = getattr(cause, "problem_mark", None)
            place = f"{name}:{mark.line + 1}" if mark else name
            problem = getattr(cause, "problem", None) or str(cause).splitlines()[0]
            raise ConfigError(f"{place}: not valid YAML: {problem}") from cause
        except RecursionError as cause:
            raise ConfigError(f"{name}: nested too deeply") from cause
        return cls(name, data, lines)

    def error(self, path: Place, message: str) -> ConfigError:
        """An error at the nearest line known for `path`."""
        for end in range(len(path), -1, -1):
            if path[:end] in self.lines:
                return ConfigError(f"{self.name}:{self.lines[path[:end]]}: {message}")
        return ConfigError(f"{self.name}: {message}")

    def mapping(self, path: Place, value: Any, known: Collection[str], what: str) -> dict[str, Any]:
        """`value` as a mapping that has only `known` keys."""
        if not isinstance(value, dict):
            raise self.error(path, f"{what} must be a mapping, not {_kind(value)}")
        for key in value:
            if key not in known:
                raise self.error(
                    (*path, key), f"unknown key {key!r} of {what}{near(str(key), known)}"
                )
        return value

    def number(self, path: Place, value: Any, low: float, high: float, what: str) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.error(path, f"{what} must be a number, not {_kind(value)}")
        if not low <= value <= high:
            raise self.error(path, f"{what} must lie between {low:g} and {high:g}, not {value:g}")
        return value

    def integer(self, path: Place, value: Any, low: int, high: int, what: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.error(path, f"{what} must be a whole number, not {_kind(value)}")
        return int(self.number(path, value, low, high, what))

    def text(self, path: Place, value: Any, what: str) -> str:
        if not isinstance(value, str) or not value.strip():
            raise self.error(path, f"{what} must be a text, not {_kind(value)}")
        return value

    def flag(self, path: Place, value: Any, what: str) -> bool:
        if not isinstance(value, bool):
            raise self.error(path, f"{what} must be true or false, not {_kind(value)}")
        return value

    def one_of(self, path: Place, value: Any, known: Collection[str], what: str) -> str:
        if value not in known:
            raise self.error(path, f"unknown {what} {value!r}{near(str(value), known)}")
        return str(value)

    def texts(self, path: Place, value: Any, what: str) -> tuple[str, ...]:
        if not isinstance(value, list):
            raise self.error(path, f"{what} must be a list, not {_kind(value)}")
        return tuple(
            self.text((*path, index), item, f"each of {what}") for index, item in enumerate(value)
        )


def _kind(value: Any) -> str:
    names = {dict: "a mapping", list: "a list", str: "a text", bool: "true/false", int: "a number"}
    if value is None:
        return "nothing"
    shown = names.get(type(value), type(value).__name__)
    return f"the text {value!r}" if isinstance(value, str) and len(value) < 40 else shown


def _plain(node: Any, path: Place, lines: dict[Place, int], loader: Any) -> Any:
    """A YAML node as plain data; notes the line of every key and item; refuses double keys."""
    import yaml

    lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        data: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            key = loader.construct_object(key_node, deep=True)
            if not isinstance(key, str) or key in data:
                problem = f"the key {key!r} " + ("stands twice" if key in data else "is no text")
                raise yaml.composer.ComposerError(problem=problem, problem_mark=key_node.start_mark)
            lines[(*path, key)] = key_node.start_mark.line + 1
            data[key] = _plain(value_node, (*path, key), lines, loader)
        return data
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item, (*path, i), lines, loader) for i, item in enumerate(node.value)]
    return loader.construct_object(node, deep=True)
