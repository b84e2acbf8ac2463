"""How much stack generated C needs at most, read off its text.

Every local number counts as eight bytes in memory, a float too; every call adds a frame; the
deepest chain of calls is the bound.  A compiler that keeps values in registers needs less.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import prod

FRAME = 192
"""Bytes per call for saved registers, arguments and alignment."""
FUNCTION = re.compile(
    r"^(?:static |inline )*(?:void|int|double|float) (\w+)\([^;{]*\)\n\{\n(.*?)^\}",
    re.MULTILINE | re.DOTALL,
)
STRUCTURE = re.compile(r"typedef struct(?: \w+)? \{(.*?)\} (\w+);", re.DOTALL)
DOUBLES = re.compile(r"^\s+(?:const )?(?:double|float) ([^;]*?)(?:;|= [^{])", re.MULTILINE)
ITEM = re.compile(r"(\*?)\s*(\w+)((?:\[\w+\])*)")


def stack_bytes(texts: Iterable[str], entry: str) -> int:
    """Most bytes of stack that a function of these C files needs, library functions apart."""
    code = re.sub(r"/\*.*?\*/", "", "\n".join(texts), flags=re.DOTALL)
    structures = {name: 8 * _doubles(inner) for inner, name in STRUCTURE.findall(code)}
    bodies = dict(FUNCTION.findall(code))
    frames = {name: _frame(body, structures) for name, body in bodies.items()}
    depth: dict[str, int] = {}
    order = [entry]
    while order:  # calls first, without recursion
        name = order[-1]
        called = [w for w in re.findall(r"\b(\w+)\(", bodies[name]) if w in bodies and w != name]
        waiting = [inner for inner in called if inner not in depth and inner not in order]
        if waiting:
            order.append(waiting[0])
            continue
        depth[name] = frames[name] + max((depth.get(inner, 0) for inner in called), default=0)
        order.pop()
    return depth[entry]


def _frame(body: str, structures: dict[str, int]) -> int:
    size = FRAME + 8 * _doubles(body)
    for name, amount in structures.items():
        size += amount * len(re.findall(rf"^\s+{name} \w+;", body, re.MULTILINE))
    return size


def _doubles(text: str) -> int:
    """Number of doubles that declarations in a piece of code name."""
    total = 0
    for row in DOUBLES.findall(text):
        for pointer, _, sizes in ITEM.findall(re.sub(r"= ?\{[^}]*\}?", "", row)):
            total += 1 if pointer else prod(int(n) for n in re.findall(r"\d+", sizes))
    return total
