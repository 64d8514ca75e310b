"""The tests in a LiveCodeBench row: JSON, or base64 of zlib of a pickle of JSON.

A pickle can run code when it is loaded, so none is: its opcodes are listed, and only those that
spell one string are read.
"""

from __future__ import annotations

import base64
import binascii
import json
import pickletools
import zlib
from collections.abc import Mapping
from typing import Any

from harness.problem import ProblemError, Test

MOST_BYTES = 1 << 30  # unpacked tests of one problem; a row may not fill the memory
STRING = {"UNICODE", "SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8"}
HARMLESS = STRING | {"PROTO", "FRAME", "MEMOIZE", "PUT", "BINPUT", "LONG_BINPUT", "STOP"}


def read_tests(row: Mapping[str, Any], most_bytes: int = MOST_BYTES) -> tuple[Test, ...]:
    """Public tests, then hidden ones. Raises ProblemError saying which field is wrong, and how."""
    public = _tests(_json(row, "public_test_cases"), public=True)
    text = row.get("private_test_cases")
    if isinstance(text, str) and text.strip() and not text.lstrip().startswith(("[", "{")):
        hidden = _loads(unpickled_text(unpacked(text, most_bytes)), "private_test_cases")
    else:
        hidden = _json(row, "private_test_cases")
    return public + _tests(hidden, public=False)


def function_name(row: Mapping[str, Any]) -> str | None:
    """`metadata.func_name`, which makes a problem a function-call one."""
    metadata = _json(row, "metadata") or {}
    if not isinstance(metadata, dict):
        raise ProblemError("metadata must hold a JSON object")
    name = metadata.get("func_name")
    if name is not None and not (isinstance(name, str) and name.isidentifier()):
        raise ProblemError(f"metadata.func_name must be a name, not {name!r:.80}")
    return name


def unpacked(text: str, most_bytes: int = MOST_BYTES) -> bytes:
    """base64, then zlib, never more than `most_bytes`."""
    try:
        packed = base64.b64decode(text, validate=True)
        unpacker = zlib.decompressobj()
        content = unpacker.decompress(packed, most_bytes)
    except (binascii.Error, ValueError, zlib.error) as cause:
        raise ProblemError(f"private_test_cases cannot be unpacked: {cause}") from cause
    if unpacker.unconsumed_tail:
        raise ProblemError(f"private_test_cases unpack to more than {most_bytes} bytes")
    if not unpacker.eof:
        raise ProblemError("private_test_cases cannot be unpacked: they are cut off")
    return content


def unpickled_text(content: bytes) -> str:
    """The one string that a pickle holds; a pickle of anything else is refused, unloaded."""
    found: list[str] = []
    try:
        for opcode, argument, _ in pickletools.genops(content):
            if opcode.name not in HARMLESS:
                raise ProblemError(
                    f"private_test_cases must be a pickled string; it uses {opcode.name}"
                )
            if opcode.name in STRING:
                found.append(str(argument))
    except (ValueError, IndexError) as cause:
        raise ProblemError(f"private_test_cases is no pickle: {cause!s:.200}") from cause
    if len(found) != 1:
        raise ProblemError(f"private_test_cases must be one pickled string, not {len(found)}")
    return found[0]


def _json(row: Mapping[str, Any], field: str) -> Any:
    value = row.get(field)
    return _loads(value, field) if isinstance(value, str) and value.strip() else value or None


def _loads(text: str, field: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as cause:
        raise ProblemError(f"{field} is not valid JSON: {cause!s:.200}") from cause


def _tests(cases: Any, public: bool) -> tuple[Test, ...]:
    field = "public_test_cases" if public else "private_test_cases"
    if cases is None:
        return ()
    if not isinstance(cases, list):
        raise ProblemError(f"{field} must hold a list, not {type(cases).__name__}")
    return tuple(_test(f"{field}[{number}]", case, public) for number, case in enumerate(cases))


def _test(place: str, case: Any, public: bool) -> Test:
    if not isinstance(case, dict):
        raise ProblemError(f"{place} must be an object, not {type(case).__name__}")
    for name in ("input", "output"):
        if not isinstance(case.get(name), str):
            raise ProblemError(f"{place}.{name} must be text")
    return Test(case["input"], case["output"], public)
