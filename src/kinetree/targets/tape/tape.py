"""The tape: a Program as flat three-address code, the form from which targets without trees spell.

A tape is parallel lists, so that programs of a hundred thousand operations stay cheap: entry i is
`code[i]` applied to the entries `a[i]`, `b[i]` and `c[i]`, as many as it takes, and its number
names its value.

| code | value |
|---|---|
| `num` | the literal `numbers[a]` |
| `in` | component `a` of the variable inputs, concatenated in order |
| `const` | component `a` of the preamble's results |
| `add` `sub` `mul` `div` | of entries a and b |
| `neg` | minus entry a |
| `solve` | no value: the system `systems[a]`, linear or not, is solved at this place |
| `part` | element b of the solution of `systems[a]`, row-major |
| `select` | entry b where entry a is above 0, else entry c |
| `table` | `lookups[b]` at entry a: a derivative of a table |
| a function's name | that function of entry a (and b, where it takes two) |
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kinetree.tables import Lookup
from kinetree.targets.tape.solve_steps import ZERO, Iteration, System

LEAVES = frozenset({"num", "in", "const", "part"})
BINARY = frozenset({"add", "sub", "mul", "div"})
TWO = frozenset({"atan2", "pow"})
"""Functions of two arguments."""

LATENCY = {
    "add": 4, "sub": 4, "mul": 4, "neg": 1, "div": 14, "sqrt": 18, "abs": 1, "sign": 6, "select": 5,
}  # fmt: skip
"""Cycles from operands to result on current processors; functions not named here cost CALL."""
CALL = 60


ITERATIONS = 2
"""Iterations that are usual, where the work of a tape is estimated."""


@dataclass(slots=True)
class Tape:
    """Straight-line code with a size, and the entries that are its results.

    Attributes:
        code, a, b, c: the entries, see the table of the module.
        numbers: the literals.
        systems: the systems, linear or not.
        lookups: the tables and orders of derivative that are looked up.
        outputs: entries that are the results, in order; ZERO where the result is 0.
        sizes: numbers of variable inputs and of preamble results that it reads.
    """

    sizes: tuple[int, int]
    code: list[str] = field(default_factory=list)
    a: list[int] = field(default_factory=list)
    b: list[int] = field(default_factory=list)
    c: list[int] = field(default_factory=list)
    depth: list[int] = field(default_factory=list)
    numbers: list[float] = field(default_factory=list)
    systems: list[System | Iteration] = field(default_factory=list)
    lookups: list[Lookup] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    _leaf: dict[tuple[str, int, int], int] = field(default_factory=dict)
    _number: dict[str, int] = field(default_factory=dict)

    @property
    def work(self) -> int:
        """About how many operations an evaluation takes."""
        inner = (s.step.work for s in self.systems if isinstance(s, Iteration))
        return len(self.code) + ITERATIONS * sum(inner)

    def emit(self, code: str, a: int = 0, b: int = 0, c: int = 0) -> int:
        """Append one operation; the number of its entry."""
        depth = self.depth
        start = depth[a] if code not in BINARY or depth[a] > depth[b] else depth[b]
        if code == "select":
            start = max(depth[a], depth[b], depth[c])
        return self._append(code, (a, b, c), start + LATENCY.get(code, CALL))

    def _append(self, code: str, operands: tuple[int, int, int], depth: int) -> int:
        self.code.append(code)
        self.a.append(operands[0])
        self.b.append(operands[1])
        self.c.append(operands[2])
        self.depth.append(depth)
        return len(self.code) - 1

    def look_up(self, row: Lookup, a: int) -> int:
        """Append the look-up of an entry; the number of its entry."""
        if row not in self.lookups:
            self.lookups.append(row)
        return self.emit("table", a, self.lookups.index(row))

    def leaf(self, code: str, a: int, b: int = 0, depth: int = 0) -> int:
        """The entry of an input, a preamble result or a part of a solution, made on first use."""
        key = (code, a, b)
        entry = self._leaf.get(key)
        if entry is None:
            entry = self._leaf[key] = self._append(code, (a, b, 0), depth)
        return entry

    def number(self, value: float) -> int:
        """The entry of a literal."""
        key = value.hex()
        index = self._number.get(key)
        if index is None:
            index = self._number[key] = len(self.numbers)
            self.numbers.append(value)
        return self.leaf("num", index)

    def solve(self, system: System | Iteration) -> int:
        """Append the solution of a system; the system's number, to name its parts by."""
        self.systems.append(system)
        self.place_solve(len(self.systems) - 1)
        return len(self.systems) - 1

    def place_solve(self, index: int) -> int:
        """Append the solution of a system that has its number already; the number of the entry."""
        entries = self.systems[index].entries
        depth = max((self.depth[e] for e in entries), default=0) + CALL
        return self._append("solve", (index, 0, 0), depth)

    def parts(self, system: System | Iteration) -> list[int]:
        """Append the solution of a system; the entries of its parts, row-major."""
        index = self.solve(system)
        depth = self.depth[-1]
        return [self.leaf("part", index, i, depth) for i in range(system.n * system.k)]

    def operands(self, entry: int) -> tuple[int, ...]:
        """The entries that an entry reads."""
        code = self.code[entry]
        if code in LEAVES:
            return ()
        if code == "solve":
            return self.systems[self.a[entry]].entries
        if code in BINARY or code in TWO:
            return self.a[entry], self.b[entry]
        if code == "select":
            return self.a[entry], self.b[entry], self.c[entry]
        return (self.a[entry],)

    def operations(self) -> list[int]:
        """The entries that are operations."""
        return [entry for entry, code in enumerate(self.code) if code not in LEAVES]

    def stages(self, count: int) -> tuple[list[int], list[int]]:
        """The operations that the first outputs need, and the others."""
        work = self.operations()
        solved = {self.a[entry]: entry for entry in work if self.code[entry] == "solve"}
        early: set[int] = set()
        stack = [entry for entry in self.outputs[:count] if entry != ZERO]
        while stack:
            entry = stack.pop()
            if self.code[entry] == "part":
                entry = solved[self.a[entry]]
            if entry not in early and self.code[entry] not in LEAVES:
                early.add(entry)
                stack.extend(self.operands(entry))
        return [e for e in work if e in early], [e for e in work if e not in early]


__all__ = [
    "BINARY", "CALL", "LATENCY", "LEAVES", "TWO", "ZERO", "Iteration", "System", "Tape",
]  # fmt: skip
