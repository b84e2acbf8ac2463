"""Program: named inputs, an ordered list of blocks, named outputs.

The recursive scheme of Docquier2013 sec. 3.3 as frozen data.  Every formalism returns a Program,
every pass maps one to one, every target spells one.  What depends on parameters alone stands in the
preamble, evaluated once per parameter set and counted apart.

Refs: Docquier2013 sec. 3.3
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import TYPE_CHECKING, Any

from kinetree.arguments import check_arguments, check_choice, check_options, keywords
from kinetree.arrays import Array
from kinetree.door import Registry, guard_methods
from kinetree.engine import Node, OperationCount, count_nodes, topological
from kinetree.errors import unknown
from kinetree.plain import plain

if TYPE_CHECKING:
    from kinetree.program.differentiate.directions import By
    from kinetree.program.locks import Locks

TARGETS = Registry[Any]("kinetree.targets", "kinetree.export.target")
"""Targets by name; filled by `kinetree.targets`, so that Programs know no target by import."""
VERBS = Registry[Callable[..., Any]]("kinetree.certificate.certify")
"""What rooms above do with a Program, by name."""


@dataclass(frozen=True, slots=True)
class Note:
    """Where an equation comes from: body, step of the formalism, paper equation, unit, frame."""

    body: str = ""  # names of elements of the section, with commas; of points BODY.POINT
    step: str = ""
    eq: str = ""
    unit: str = ""
    frame: str = ""
    section: str = "bodies"

    @property
    def noun(self) -> str:
        """What the elements are, such as body or joint."""
        return "body" if self.section == "bodies" else self.section.rstrip("s")

    def __str__(self) -> str:
        parts = (self.eq, f"{self.noun} '{self.body}'" if self.body else "", self.step)
        where = f"in {self.frame}" if self.frame else "", f"[{self.unit}]" if self.unit else ""
        return ", ".join(part for part in (*parts, *where) if part)


@dataclass(frozen=True, slots=True)
class Input:
    """A named array that goes in.

    Attributes:
        name: keyword under which its values are given.
        shape: shape of one evaluation; a batch adds leading axes.
        symbols: one symbol per component, row-major.
        default: values where none are given, or None where they must be.
        parameter: whether it is constant over many evaluations (see the preamble).
        labels: name of each component, for people.
        units: unit of each component; empty where unknown.
        tangent: rows of N with der(input) = N·rates, where that is not the unit matrix; Nodes of
            the input's own symbols.  Empty means that the components change independently.
        quaternions: numbers of the components at which unit quaternions w, x, y, z begin.
        locks: (number of a component, angle) of gimbal locks: the outputs have no value there, nor
            any number of half turns on [rad].
    """

    name: str
    shape: tuple[int, ...]
    symbols: tuple[Node, ...]
    default: tuple[float, ...] | None = None
    parameter: bool = False
    labels: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    tangent: tuple[tuple[Node, ...], ...] = ()
    quaternions: tuple[int, ...] = ()
    locks: Locks = ()


@dataclass(frozen=True, slots=True)
class Output:
    """A named array that comes out; `nodes` are its components, row-major, a zero is the Node 0."""

    name: str
    shape: tuple[int, ...]
    nodes: tuple[Node, ...]
    labels: tuple[str, ...] = ()
    note: Note = field(default_factory=Note)


@dataclass(frozen=True, slots=True)
class Assign:
    """target = expr."""

    target: Node
    expr: Node
    note: Note = field(default_factory=Note)

    @property
    def targets(self) -> tuple[Node, ...]:
        """What the block defines."""
        return (self.target,)

    @property
    def operands(self) -> tuple[Node, ...]:
        """The expressions the block needs."""
        return (self.expr,)

    def with_operands(self, operands: Sequence[Node]) -> Assign:
        """The same block on other operands; itself where they are the same."""
        (expr,) = operands
        return self if expr is self.expr else Assign(self.target, expr, self.note)


@dataclass(frozen=True, slots=True)
class Solve:
    """targets X with A X = B.

    Attributes:
        targets: X, n·k symbols, row-major.
        matrix: A, all n·n entries, row-major; symmetric entries are the same Node.
        rhs: B, n·k entries, row-major.
        symmetric: A is symmetric positive definite.
        stiff: entries of A differ by many powers of ten, so that A X - B is small by elimination
            alone: cofactors and inverses leave the rounding of the large entries in it.
    """

    targets: tuple[Node, ...]
    matrix: tuple[Node, ...]
    rhs: tuple[Node, ...]
    n: int
    k: int
    symmetric: bool = True
    note: Note = field(default_factory=Note)
    stiff: bool = False

    @property
    def operands(self) -> tuple[Node, ...]:
        """The expressions the block needs."""
        return (*self.matrix, *self.rhs)

    def with_operands(self, operands: Sequence[Node]) -> Solve:
        """The same block on other operands."""
        split = len(self.matrix)
        return replace(self, matrix=tuple(operands[:split]), rhs=tuple(operands[split:]))


@dataclass(frozen=True, slots=True)
class Newton:
    """targets v with h(v, w) = 0, by Newton's method.

    From the start values on, v is replaced by v - dv until no |h| is above the tolerance.  Where
    the iterations do not suffice, all v are NaN: no wrong number goes on.

    With as many equations as unknowns, J dv = h where J = dh/dv.  Where there are fewer equations,
    v moves along the columns of D alone: dv = D x with J x = h where J = dh/dv D, and the solution
    depends on the start.

    Attributes:
        targets: v, n symbols.
        start: start values of v.
        given: values of w: what the equations need besides v.
        step: Program with inputs "v" and "w" (absent where nothing is given) and outputs "h" (m),
            "dv" (n), "J" (m × m), maybe "D" (n × m) of directions, and "tested" (m) where not h
            itself is tested; condensed, without preamble; its names are its own.
        tolerance: largest |h|, or |tested|, of a solution.
        limit: iterations at most.
    """

    targets: tuple[Node, ...]
    start: tuple[Node, ...]
    given: tuple[Node, ...]
    step: Program
    tolerance: float
    limit: int
    note: Note = field(default_factory=Note)

    @property
    def operands(self) -> tuple[Node, ...]:
        """The expressions the block needs."""
        return (*self.start, *self.given)

    @property
    def directed(self) -> bool:
        """Whether v moves along some directions alone."""
        return self.step.gives("D")

    def with_operands(self, operands: Sequence[Node]) -> Newton:
        """The same block on other operands."""
        split = len(self.start)
        return replace(self, start=tuple(operands[:split]), given=tuple(operands[split:]))


Block = Assign | Solve | Newton


@guard_methods
@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """Inputs, preamble, blocks, outputs: all a target needs to know.

    Attributes:
        name: of the function to be.
        inputs: in the order of the arguments.
        preamble: blocks that depend on parameter inputs alone.
        blocks: the rest, in order of evaluation.
        outputs: in the order of the results.
        info: provenance: model, model hash, quantity, formalism, and what passes report.
    """

    name: str
    inputs: tuple[Input, ...]
    preamble: tuple[Block, ...]
    blocks: tuple[Block, ...]
    outputs: tuple[Output, ...]
    info: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        given, found = (
            ", ".join(f"{row.name}{list(row.shape)}" for row in rows)
            for rows in (self.inputs, self.outputs)
        )
        return f"Program('{self.name}', {given} -> {found}, {len(self.blocks)} equations)"

    def _repr_html_(self) -> str | None:
        """The page of the equations, where it is not too long for a notebook."""
        found: str | None = TARGETS["html"].cell(self)
        return found

    def _repr_latex_(self) -> str | None:
        """The equations, where they are few."""
        found: str | None = TARGETS["latex"].cell(self)
        return found

    def input(self, name: str) -> Input:
        """The input of that name."""
        check_arguments(Program.input, {"name": name}, "input")
        for row in self.inputs:
            if row.name == name:
                return row
        raise unknown("input", name, [row.name for row in self.inputs], f"program '{self.name}'")

    def output(self, name: str) -> Output:
        """The output of that name."""
        check_arguments(Program.output, {"name": name}, "output")
        for row in self.outputs:
            if row.name == name:
                return row
        raise unknown("output", name, [row.name for row in self.outputs], f"program '{self.name}'")

    def takes(self, name: str) -> bool:
        """Whether it has an input of that name."""
        return any(row.name == name for row in self.inputs)

    def gives(self, name: str) -> bool:
        """Whether it has an output of that name."""
        return any(row.name == name for row in self.outputs)

    @property
    def all_blocks(self) -> tuple[Block, ...]:
        """The blocks of the preamble and the rest, in order of evaluation."""
        return (*self.preamble, *self.blocks)

    def pick_inputs(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Those of the values that the Program has an input for, to call it or its functions."""
        names = {row.name for row in self.inputs}
        return {name: value for name, value in values.items() if name in names}

    def roots(self, *, preamble: bool = True) -> list[Node]:
        """All expressions in order: operands of the blocks, those of the preamble first, outputs.

        Args:
            preamble: whether the blocks of the preamble take part.
        """
        blocks = self.all_blocks if preamble else self.blocks
        found = [node for block in blocks for node in block.operands]
        return found + [node for out in self.outputs for node in out.nodes]

    def with_info(self, **rows: str) -> Program:
        """The same Program with more provenance."""
        return replace(self, info={**self.info, **rows})

    def count(self) -> OperationCount:
        """Operations of one evaluation, preamble apart; sines and cosines are calls.

        A Newton block counts as one iteration.
        """
        from kinetree.program.solving import solve_count  # noqa: PLC0415  stands above the noun

        return self._count(self.blocks, (o for out in self.outputs for o in out.nodes), solve_count)

    def preamble_count(self) -> OperationCount:
        """Operations of the preamble, once per parameter set."""
        return self._count(self.preamble, iter(()), None)

    @staticmethod
    def _count(blocks: tuple[Block, ...], results: Iterator[Node], solving: Any) -> OperationCount:
        roots: list[Node] = []
        total = OperationCount()
        for block in blocks:
            roots += block.operands
            if isinstance(block, Solve):
                total += solving(block)
            elif isinstance(block, Newton):
                total += block.step.count()
        return total + count_nodes(topological([*roots, *results]))

    def evaluate(self, **arrays: Any) -> dict[str, Array]:
        """Reference values by NumPy; leading axes are a batch; complex arguments are allowed."""
        from kinetree.program.interpret import interpret  # noqa: PLC0415  stands above the noun

        return interpret(self, arrays)

    def evaluate_some(self, **arrays: Any) -> dict[str, Array]:
        """`evaluate` with those of the arrays that the Program has an input for."""
        return self.evaluate(**self.pick_inputs(arrays))

    def compile(self, target: str = "native", **options: Any) -> Any:
        """A native function of this Program, or what another target offers to call."""
        return self._target_function(target, "compile", options)(self, **options)

    def write(self, target: str, folder: Any, **options: Any) -> Any:
        """Write the files of a target language into a folder; the paths written."""
        return self._target_function(target, "write", options)(self, folder, **options)

    def _target_function(self, target: str, verb: str, options: Mapping[str, Any]) -> Any:
        """What a target does; options that it does not know are refused."""
        check_choice("target", target, TARGETS)
        made = TARGETS[target]
        known = [*keywords(getattr(made, verb)), *getattr(made, f"{verb}_options", ())]
        check_options(f"{verb} of target '{target}'", options, known)
        return getattr(made, verb)

    def certify(self, start: Mapping[str, Any] | None = None, **options: Any) -> Any:
        """A certificate of this Program: every target against `evaluate`.

        Args:
            start: values by name of the input, around which random ones are drawn, such as q where
                loops close; by default zero.
            options: targets, states, seed, progress; see `kinetree.certify`.
        """
        return VERBS["certify"](self, start, **options)

    def derivative(self, of: str | Sequence[str], by: By, **options: bool) -> Program:
        """The Program that also gives d`of`/d`by` (see `differentiate.forward`)."""
        from kinetree.program.differentiate import forward  # noqa: PLC0415  stands above the noun

        check_options("derivative", options, keywords(forward))
        return forward(self, of, by, **options)

    def along(self, of: str | Sequence[str], by: By, **options: bool) -> Program:
        """The Program that also gives `of`_dot = d`of`/d`by`·`by`_dot (see `differentiate`)."""
        from kinetree.program.differentiate import along  # noqa: PLC0415  stands above the noun

        check_options("along", options, keywords(along))
        return along(self, of, by, **options)

    def adjoint(self, of: str | Sequence[str], by: By, **options: bool) -> Program:
        """The Program that also gives `by`_bar = `of`_barᵀ·d`of`/d`by` (see `derive.reverse`)."""
        from kinetree.program.differentiate import reverse  # noqa: PLC0415  stands above the noun

        check_options("adjoint", options, keywords(reverse))
        return reverse(self, of, by, **options)

    def show(self) -> str:
        """The equations as text, one per line, with their notes."""
        lines = [plain(f"{self.name}({', '.join(row.name for row in self.inputs)})")]
        for title, blocks in (("preamble", self.preamble), ("equations", self.blocks)):
            lines += [f"-- {title}"] if blocks else []
            lines += [_line(block) for block in blocks]
        lines.append("-- outputs")
        for out in self.outputs:
            nodes = ", ".join(str(x) for x in out.nodes)
            lines.append(plain(f"{out.name}{list(out.shape)} = {nodes}"))
        return "\n".join(lines)


def _line(block: Block) -> str:
    if isinstance(block, Assign):
        note = str(block.note)
        return plain(f"{block.target} = {block.expr}" + (f"    # {note}" if note else ""))
    names = plain(", ".join(str(t) for t in block.targets))
    if isinstance(block, Solve):
        return f"[{names}] = solve(n={block.n}, k={block.k})"
    inner = "\n".join(f"    {line}" for line in block.step.show().splitlines())
    head = f"[{names}] = newton(n={len(block.targets)}, tolerance={block.tolerance:g})"
    note = plain(str(block.note))
    return f"{head}{f'    # {note}' if note else ''}\n{inner}"


def size(shape: tuple[int, ...]) -> int:
    """Number of components of a shape."""
    return prod(shape)
