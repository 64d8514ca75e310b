"""The process behind `algebra`: reads pairs of LaTeX texts, says whether sympy finds them equal."""

from __future__ import annotations

import json
import resource
import sys

MEMORY = 2 << 30  # bytes of address space


def main() -> None:
    from latex2sympy2_extended import latex2sympy
    from sympy import simplify

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    print("ready", flush=True)

    def same(a: str, b: str) -> bool:
        one, other = latex2sympy(a), latex2sympy(b)
        return bool(one == other or simplify(one.doit() - other.doit()) == 0)

    for line in sys.stdin:
        a, b = json.loads(line)
        try:
            answer = same(a, b)
        except Exception:  # noqa: BLE001  sympy and its parser raise anything on what they can't read
            answer = False
        print("same" if answer else "other", flush=True)


if __name__ == "__main__":
    main()
