"""A Program in the order in which people read it: by body, then by step of the formalism.

Every equation keeps the number of its place in the order of evaluation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from kinetree.engine import ADD, OPS, SYM, ZERO, Node, substitute, topological
from kinetree.errors import UnsupportedError
from kinetree.program.passes import dead
from kinetree.program.program import Assign, Block, Newton, Note, Program

LONGEST = 3
"""Terms of an angle up to which its sine and cosine are written as such."""
LARGEST = 20_000
"""Operators of all outputs together, up to which they are written in full."""
LANDMARKS = frozenset({
    "loop closure", "driven coordinate", "coupling matrix", "dependent velocities",
    "dependent accelerations", "reduced mass matrix", "multipliers",
})  # fmt: skip
"""Steps of the reduction to independent coordinates whose results keep their names in full."""
ANGLES = "Angles and shared parts"
SYSTEM = "Whole system"
"""Titles of what belongs to no body: before the first body, and after the last."""


@dataclass(frozen=True, slots=True)
class NumberedEquation:
    """A block and its number in the order of evaluation."""

    number: int
    block: Block


@dataclass(frozen=True, slots=True)
class Part:
    """Equations of one note."""

    note: Note
    equations: list[NumberedEquation]


@dataclass(frozen=True, slots=True)
class EquationGroup:
    """Equations of a body; `body` is empty where they belong to none."""

    body: str
    title: str
    parts: dict[Note, Part]


def group_blocks(blocks: Sequence[Block], first: int) -> list[EquationGroup]:
    """Blocks by body and note, numbered from `first` on."""
    groups: dict[tuple[str, str], EquationGroup] = {}
    begun = False
    for number, block in enumerate(blocks, first):
        body = block.note.body
        begun = begun or bool(body)
        noun = block.note.noun.capitalize()
        title = f"{noun} {body}" if body else SYSTEM if begun else ANGLES
        group = groups.setdefault((body, title), EquationGroup(body, title, {}))
        _append(group.parts, number, block)
    late = [group for group in groups.values() if group.title == SYSTEM]
    return [*(group for group in groups.values() if group.title != SYSTEM), *late]


def group_by_note(blocks: Sequence[Block]) -> list[Part]:
    """Blocks by note, numbered from 1 on."""
    parts: dict[Note, Part] = {}
    for number, block in enumerate(blocks, 1):
        _append(parts, number, block)
    return list(parts.values())


def _append(parts: dict[Note, Part], number: int, block: Block) -> None:
    part = parts.setdefault(block.note, Part(block.note, []))
    part.equations.append(NumberedEquation(number, block))


def names(program: Program) -> Iterable[str]:
    """Every name of a Program, inputs first; without those of inner Programs."""
    for row in program.inputs:
        yield from (symbol.name for symbol in row.symbols)
    for block in program.all_blocks:
        yield from (symbol.name for symbol in block.targets)


def signed_names(program: Program) -> set[str]:
    """Names that carry the physical sign (inputs, outputs); others may hold the negative."""
    found = {symbol.name for row in program.inputs for symbol in row.symbols}
    return found | {node.name for out in program.outputs for node in out.nodes if node.is_symbol}


def angles(program: Program) -> dict[str, Node]:
    """Names that are the sine or cosine of an angle -> that sine or cosine."""
    return {
        block.target.name: block.expr
        for block in program.all_blocks
        if isinstance(block, Assign) and _of_angle(block.expr)
    }


def _of_angle(node: Node) -> bool:
    if node.op not in (OPS["sin"], OPS["cos"]):
        return False
    (angle,) = node.args
    if angle.op is SYM:
        return True
    simple = angle.op is ADD and angle.value == 0 and len(angle.args) <= LONGEST
    return simple and all(a.op is SYM for a in angle.args) and {*map(abs, angle.coefs)} == {1}


def notes(note: Note) -> list[str]:
    """What a note says besides the body: step, frame, unit, source."""
    words = [note.step, f"in {note.frame}" if note.frame else ""]
    words += [f"[{note.unit}]" if note.unit else "", note.eq]
    return [word for word in words if word]


@dataclass(frozen=True, slots=True)
class FullEquations:
    """A Program without the names between.

    Attributes:
        kept: blocks whose results keep their names, in order of evaluation, in terms of inputs and
            of the names before: linear systems, iterations, and landmarks of the reduction.
        outputs: name -> components in terms of inputs and kept names.
    """

    kept: tuple[Block, ...]
    outputs: dict[str, tuple[Node, ...]]


def in_full(program: Program) -> FullEquations:
    """Outputs in terms of the inputs, and of what loops and linear systems define."""
    known: dict[Node, Node] = {}
    kept: list[Block] = []
    for block in program.all_blocks:
        written = block.with_operands(substitute(block.operands, known))
        if isinstance(written, Assign) and written.note.step not in LANDMARKS:
            known[written.target] = written.expr
        else:
            kept.append(written)
    outputs = {out.name: tuple(substitute(out.nodes, known)) for out in program.outputs}
    nodes = [node for row in outputs.values() for node in row]
    size = _size([*nodes, *(node for block in kept for node in block.operands)])
    if size > LARGEST:
        raise UnsupportedError(
            f"has {size} operators when names are written out, more than {LARGEST}",
            element=f"program '{program.name}'",
            cure="leave out full=True: the recursion says the same on fewer lines",
        )
    return FullEquations(tuple(kept), outputs)


def residuals(block: Newton) -> tuple[Node, ...]:
    """h of an iteration in terms of its targets and of what it is given."""
    step = dead(replace(block.step, outputs=(block.step.output("h"),)))
    outer = {"v": block.targets, "w": block.given}
    known = {s: x for row in step.inputs
             for s, x in zip(row.symbols, outer[row.name], strict=True)}  # fmt: skip
    return tuple(substitute(in_full(step).outputs["h"], known))


def _size(nodes: Sequence[Node]) -> int:
    """Number of operators when shared parts are written out at every use."""
    sizes: dict[Node, int] = {}
    for node in topological(nodes):
        sizes[node] = 1 + sum(sizes[arg] for arg in node.args)
    return sum(sizes[node] for node in nodes if node is not ZERO)
