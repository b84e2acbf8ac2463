"""The tape: a Program as flat three-address code, the form from which targets without trees spell.

A tape is three parallel lists, so that programs of a hundred thousand operations stay cheap: entry
i is `code[i]` applied to the entries `a[i]` and `b[i]`, and its number names its value.

| code | value |
|---|---|
| `num` | the literal `numbers[a]` |
| `in` | component `a` of the variable inputs, concatenated in order |
| `const` | component `a` of the preamble's results |
| `add` `sub` `mul` `div` | of entries a and b |
| `neg` | minus entry a |
| `solve` | no value: the linear system `systems[a]` is solved at this place |
| `part` | element b of the solution of `systems[a]`, row-major |
| a function's name | that function of entry a (and b, where it takes two) |
"""

from __future__ import annotations

from dataclasses import dataclass, field

LEAVES = frozenset({"num", "in", "const", "part"})
BINARY = frozenset({"add", "sub", "mul", "div"})
TWO = frozenset({"atan2", "pow"})
"""Functions of two arguments."""
ZERO = -1
"""Stands for a structural zero where an entry is expected."""

LATENCY = {"add": 4, "sub": 4, "mul": 4, "neg": 1, "div": 14, "sqrt": 18, "abs": 1, "sign": 6}
"""Cycles from operands to result on current processors; functions not named here cost CALL."""
CALL = 60


@dataclass(frozen=True, slots=True)
class System:
    """A linear system A X = B with so many right-hand sides that a target solves it in a loop.

    Attributes:
        n: number of rows.
        k: number of right-hand sides.
        matrix: n x n entries, row-major: of A itself, or, when factorised, of L below the diagonal
            of A = Lᵀ D L; ZERO for a structural zero.
        inverse: the n entries of 1/D when factorised, else empty.
        rhs: n x k entries of B, row-major, ZERO for a structural zero.
    """

    n: int
    k: int
    matrix: tuple[int, ...]
    inverse: tuple[int, ...]
    rhs: tuple[int, ...]

    @property
    def factorised(self) -> bool:
        """Whether only the substitutions are left to do."""
        return bool(self.inverse)

    @property
    def entries(self) -> tuple[int, ...]:
        """All entries that the system reads."""
        return tuple(e for e in (*self.matrix, *self.inverse, *self.rhs) if e != ZERO)


@dataclass(slots=True)
class Tape:
    """Straight-line code with a size, and the entries that are its results.

    Attributes:
        code, a, b: the entries, see the table of the module.
        numbers: the literals.
        systems: the linear systems.
        outputs: entries that are the results, in order; ZERO where the result is 0.
        sizes: numbers of variable inputs and of preamble results that it reads.
    """

    sizes: tuple[int, int]
    code: list[str] = field(default_factory=list)
    a: list[int] = field(default_factory=list)
    b: list[int] = field(default_factory=list)
    depth: list[int] = field(default_factory=list)
    numbers: list[float] = field(default_factory=list)
    systems: list[System] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    _leaf: dict[tuple[str, int, int], int] = field(default_factory=dict)
    _number: dict[str, int] = field(default_factory=dict)

    def emit(self, code: str, a: int = 0, b: int = 0) -> int:
        """Append one operation; the number of its entry."""
        depth = self.depth
        start = depth[a] if code not in BINARY or depth[a] > depth[b] else depth[b]
        depth.append(start + LATENCY.get(code, CALL))
        self.code.append(code)
        self.a.append(a)
        self.b.append(b)
        return len(self.code) - 1

    def leaf(self, code: str, a: int, b: int = 0, depth: int = 0) -> int:
        """The entry of an input, a preamble result or a part of a solution, made on first use."""
        key = (code, a, b)
        entry = self._leaf.get(key)
        if entry is None:
            entry = self._leaf[key] = len(self.code)
            self.code.append(code)
            self.a.append(a)
            self.b.append(b)
            self.depth.append(depth)
        return entry

    def number(self, value: float) -> int:
        """The entry of a literal."""
        key = value.hex()
        index = self._number.get(key)
        if index is None:
            index = self._number[key] = len(self.numbers)
            self.numbers.append(value)
        return self.leaf("num", index)

    def solve(self, system: System) -> int:
        """Append the solution of a system; the system's number, to name its parts by."""
        self.systems.append(system)
        self.place_solve(len(self.systems) - 1)
        return len(self.systems) - 1

    def place_solve(self, index: int) -> int:
        """Append the solution of a system that has its number already; the number of the entry."""
        entries = self.systems[index].entries
        self.code.append("solve")
        self.a.append(index)
        self.b.append(0)
        self.depth.append(max((self.depth[e] for e in entries), default=0) + CALL)
        return len(self.code) - 1

    def operands(self, entry: int) -> tuple[int, ...]:
        """The entries that an entry reads."""
        code = self.code[entry]
        if code in LEAVES:
            return ()
        if code == "solve":
            return self.systems[self.a[entry]].entries
        if code in BINARY or code in TWO:
            return self.a[entry], self.b[entry]
        return (self.a[entry],)
