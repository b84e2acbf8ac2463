"""Scheme: how a formalism writes its equations down.

`let` names a value.  From then on the name is an atom: later equations do not look through it, so
expressions stay short and the scheme stays recursive (Docquier2013 sec. 3.3).  Equal expressions
get one name, also up to sign; trivial ones (a number, a name, minus a name, a sine) get none.

Refs: Docquier2013 sec. 3.3
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from kinetree.engine import ADD, MUL, Node, Rank, current, scale, split_coefficient, symbol
from kinetree.program.factor import factor
from kinetree.program.program import Assign, Block, Input, Note, Output, Program, Solve
from kinetree.work import note as note_work

AXES = ("x", "y", "z")
Triple = tuple[Node, Node, Node]
SWEEP = 512
"""Named equations after which short-lived Nodes are released."""


class Scheme:
    """A Program being written, equation by equation.

    Attributes:
        name: of the Program.
        names: in use; a scheme inside another one shares them where it speaks of what the other
            names, so that no name means two things.
    """

    def __init__(self, name: str, names: set[str] | None = None) -> None:
        self.name = name
        self.names: set[str] = set() if names is None else names
        self._inputs: list[Input] = []
        self._blocks: list[Block] = []
        self._outputs: list[Output] = []
        self.info: dict[str, str] = {}
        self._known: dict[Node, Node] = {}
        self._taken: dict[str, int] = {}  # name -> last number given to it
        self._renamed: dict[str, str] = {}  # name with a number -> without
        self._mark = current().mark()
        self._told = 0  # blocks that were told of

    def input(self, row: Input) -> tuple[Node, ...]:
        """Declare an input; its symbols."""
        self._inputs.append(row)
        self.names.update(s.name for s in row.symbols)
        return row.symbols

    def input_names(self) -> set[str]:
        """Names of the symbols of all inputs so far."""
        return {s.name for row in self._inputs for s in row.symbols}

    def let(self, name: str, expr: Node, note: Note | None = None) -> Node:
        """A name for the value of an expression; the expression itself where that is simple."""
        coef, bare = split_coefficient(expr)
        if bare.op is not ADD and bare.op is not MUL:
            return expr
        if abs(coef) != 1:
            coef, bare = 1, expr
        known = self._known.get(bare)
        if known is None:
            known = symbol(self.fresh(name), Rank.LOCAL)
            self._known[bare] = known
            self._blocks.append(Assign(known, factor(bare), note or Note()))
            if len(self._blocks) % SWEEP == 0:
                self._sweep()
        return known if coef == 1 else scale(coef, known)

    def assignments(self) -> Iterator[Assign]:
        """The equations named so far, in order."""
        return (block for block in self._blocks if isinstance(block, Assign))

    def named_values(self) -> Iterator[tuple[str, Node, Assign]]:
        """The same, each with name and value as they were given."""
        values = {target: value for value, target in self._known.items()}
        for block in self.assignments():
            name = block.target.name
            yield self._renamed.get(name, name), values[block.target], block

    def adopt(self, name: str, value: Node, block: Assign) -> Node:
        """Like `let`, of what another scheme has named: its equation, where the name is free."""
        known = self._known.get(value)
        if known is not None:
            return known
        if block.target.name != name or name in self.names:
            return self.let(name, value, block.note)
        self._known[value] = block.target
        self.append_block(block)
        return block.target

    def let_signed(self, name: str, expr: Node, note: Note | None = None) -> Node:
        """Like `let`, but keeps the sign inside the named value, so an output needs no negation."""
        coef, bare = split_coefficient(expr)
        if coef != -1 or bare in self._known or (bare.op is not ADD and bare.op is not MUL):
            return self.let(name, expr, note)
        found = symbol(self.fresh(name), Rank.LOCAL)
        self.define(Assign(found, factor(expr), note or Note()))
        self._known[bare] = scale(-1, found)
        return found

    def define(self, block: Block) -> None:
        """Take over a finished block as it stands; equal expressions get its names from now on."""
        self.reserve(t.name for t in block.targets)
        self._blocks.append(block)
        if isinstance(block, Assign):
            self._known.setdefault(block.expr, block.target)

    def reserve(self, names: Iterable[str]) -> None:
        """Names that no new value may get."""
        self.names.update(names)

    def vector(self, stem: str, v: Triple, note: Note | None = None) -> Triple:
        """Names for the three components of a vector: stem_x, stem_y, stem_z."""
        x, y, z = (self.let(f"{stem}_{a}", e, note) for a, e in zip(AXES, v, strict=True))
        return (x, y, z)

    def each(self, stem: str, exprs: Iterable[Node], note: Note | None = None) -> tuple[Node, ...]:
        """Names for any number of components: stem_1, stem_2 and so on."""
        return tuple(self.let(f"{stem}_{k}", expr, note) for k, expr in enumerate(exprs, 1))

    def solve(
        self,
        stem: str,
        matrix: Sequence[Sequence[Node]],
        rhs: Sequence[Sequence[Node]],
        *,
        symmetric: bool = True,
        stiff: bool = False,
        note: Note | None = None,
    ) -> list[list[Node]]:
        """Names for X with A X = B, as rows; one equation is a division and needs no block."""
        n, k = len(matrix), len(rhs[0])
        if n == 1:
            return [self._divide(stem, rhs[0], matrix[0][0], note)]
        A = self._let_rows(f"{stem}_A", matrix, note)
        if symmetric:
            A = [[A[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]
        B = self._let_rows(f"{stem}_b", rhs, note)
        targets = [
            [self._target(f"{stem}_{i}" if k == 1 else f"{stem}_{i}_{j}") for j in range(1, k + 1)]
            for i in range(1, n + 1)
        ]
        sides = _flat(targets), _flat(A), _flat(B)
        self.append_block(Solve(*sides, n, k, symmetric, note or Note(), stiff))
        return targets

    def _divide(self, stem: str, rhs: Sequence[Node], by: Node, note: Note | None) -> list[Node]:
        inverse = self.let(f"{stem}_i", 1 / by, note)
        stems = [stem] if len(rhs) == 1 else [f"{stem}_1_{j}" for j in range(1, len(rhs) + 1)]
        return [self.let(name, x * inverse, note) for name, x in zip(stems, rhs, strict=True)]

    def _let_rows(
        self, stem: str, rows: Sequence[Sequence[Node]], note: Note | None
    ) -> list[list[Node]]:
        return [
            [self.let(f"{stem}_{i}_{j}", x, note) for j, x in enumerate(row, 1)]
            for i, row in enumerate(rows, 1)
        ]

    def _target(self, name: str) -> Node:
        return symbol(self.fresh(name), Rank.LOCAL)

    def append_block(self, block: Block) -> None:
        """Take over a block as it is; its targets are names of this scheme from now on."""
        self.names.update(t.name for t in block.targets)
        self._blocks.append(block)

    def output(
        self,
        name: str,
        nodes: Sequence[Node],
        shape: tuple[int, ...] | None = None,
        labels: Sequence[str] = (),
    ) -> None:
        """Declare an output; its components are named where they are more than a name."""
        named = self.each(name, nodes, Note(step=f"output {name}"))
        whole = (len(named),) if shape is None else shape
        self._outputs.append(Output(name, whole, named, tuple(labels)))

    def guard(self, valid: Node) -> None:
        """Multiply every output so far by a value that is 1, or NaN where they have no meaning.

        What was given as an input and comes out as it is stays so.
        """
        given = {s for row in self._inputs for s in row.symbols}
        for k, out in enumerate(self._outputs):
            nodes = [x if x in given else x * valid for x in out.nodes]
            named = self.each(out.name, nodes, Note(step=f"output {out.name}"))
            self._outputs[k] = replace(out, nodes=named)

    def program(self, **info: str) -> Program:
        """The finished Program; short-lived expressions are released."""
        done = Program(
            self.name,
            tuple(self._inputs),
            (),
            tuple(self._blocks),
            tuple(self._outputs),
            {**self.info, **info},
        )
        self._known.clear()
        self._sweep()
        return done

    def fresh(self, name: str) -> str:
        """The name, or the name with a number where it is taken."""
        candidate, k = name, self._taken.get(name, 1)
        while candidate in self.names:
            k += 1
            candidate = f"{name}_{k}"
        self._taken[name] = k
        if candidate != name:
            self._renamed[candidate] = name
        self.names.add(candidate)
        return candidate

    def _sweep(self) -> None:
        note_work("deriving", blocks=len(self._blocks) - self._told)
        self._told = len(self._blocks)
        arena = current()
        arena.release(min(self._mark, len(arena)))
        self._mark = arena.mark()


def _flat(rows: Sequence[Sequence[Node]]) -> tuple[Node, ...]:
    return tuple(x for row in rows for x in row)
