"""Stage 8 of mechanics: equations of motion that are solved by recursion, joint by joint.

| in | out |
|---|---|
| a page, its states, the equations of motion in it | blocks in order; motions among them |

On the page a mechanism has one row per velocity, M(q) qdd + c(q, qd) = tau.  Where what the rest of
the system says of every velocity is one equation alpha qdd + beta tau = gamma of its own, with all
three known before, these rows are one block that the formalisms solve: forward dynamics where all
forces are known, inverse where all accelerations are, else the recursion for both.  Other couplings
leave the rows where they are, and M and c take part in a linear block.

| alpha, beta, gamma | joint |
|---|---|
| 0, 1, tau | free, or with a force |
| 1, 0, qdd | driven, locked |
| i² J, 1, i tau | a rotor behind a rigid gear |
| by modes | dry friction: 1, 0, 0 where it sticks, as a rotor with a force where it slides |

Refs: Otter1996 eqs. 8, 16 to 19
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from kinetree.acausal.aliases import Meanings, resolve
from kinetree.acausal.blocks import SolvedTogether, sort_rows
from kinetree.acausal.connections import Union
from kinetree.acausal.incidence import Incidence
from kinetree.acausal.tearing import RowSlopes, find_slopes
from kinetree.engine import Node, substitute, symbols
from kinetree.errors import ModelError
from kinetree.model import Mechanism
from kinetree.pipeline import derive
from kinetree.program import Program

FREE, DRIVEN, EITHER = "tau", "qdd", "either"
"""What is known of a velocity, in the words of the formalisms."""


@dataclass
class MotionRows:
    """Equations of motion of a mechanism among those of a whole.

    Attributes:
        model: a tree of joints; or one with loops, whose rows have multipliers.
        path: of the component that it belongs to.
        q: what stands for the coordinates of the model.
        qd, qdd, tau: likewise for velocities, accelerations and forces, one each per velocity.
        inputs: name of another input of the equations (a wrench, x, t) -> what stands for it.
        parameters: name of a parameter of the model -> what stands for it.
        turning: (variable, number of a coordinate, size) where a coordinate is variable/size and
            not the integral of a velocity: components of quaternions, places of floating bodies.
    """

    model: Mechanism
    path: str
    q: list[Node] = field(default_factory=list)
    qd: list[Node] = field(default_factory=list)
    qdd: list[Node] = field(default_factory=list)
    tau: list[Node] = field(default_factory=list)
    inputs: dict[str, list[Node]] = field(default_factory=dict)
    parameters: dict[str, Node] = field(default_factory=dict)
    turning: list[tuple[Node, int, Node]] = field(default_factory=list)

    def bindings(self, program: Program, **others: Sequence[Node]) -> dict[Node, Node]:
        """Symbols of the inputs of a Program of the model -> what stands for them."""
        rows = {"q": self.q, "qd": self.qd, "qdd": self.qdd, "tau": self.tau, **self.inputs}
        rows |= others  # type: ignore[arg-type]
        found: dict[Node, Node] = {}
        for row in program.inputs:
            nodes = [self.parameters[x] for x in row.labels] if row.name == "p" else rows[row.name]
            found.update(zip(row.symbols, nodes, strict=True))
        return found


@dataclass(frozen=True)
class JointLink:
    """What the rest of the system says of one velocity.

    Attributes:
        word: what is known, `FREE`, `DRIVEN` or `EITHER`.
        qdd, tau: (unknown, sign) of acceleration and force; None where they are known.
        inner: (row, column) in the order in which unknowns follow from the acceleration; with a
            row that is left, from acceleration and force.
        left: the row that is left: what it says of both is the equation of the velocity.
    """

    word: str
    qdd: tuple[Node, int] | None
    tau: tuple[Node, int] | None
    inner: tuple[tuple[int, int], ...] = ()
    left: int | None = None


@dataclass(frozen=True)
class SolvedMotion:
    """Equations of motion that a formalism solves.

    Attributes:
        motion: whose they are.
        program: that gives qdd, tau or both.
        links: one per velocity.
        slopes: row -> its slopes by the unknowns of the block.
        meanings: of all variables.
        rows, columns, inner, linear: as of a torn block; nothing is left to be torn.
    """

    motion: MotionRows
    program: Program
    links: tuple[JointLink, ...]
    slopes: dict[int, RowSlopes]
    meanings: Meanings
    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()
    inner: tuple[tuple[int, int], ...] = ()
    linear: bool = True

    def meaning(self, nodes: Iterable[Node]) -> list[Node]:
        """Expressions in terms of the variables that are left on the page."""
        return _resolve_all(nodes, self.meanings)

    def __str__(self) -> str:
        words = [link.word for link in self.links]
        kinds = (("free", FREE), ("driven", DRIVEN), ("with a rotor or the like", EITHER))
        told = [f"{words.count(word)} {name}" for name, word in kinds if word in words]
        way = {FREE: "forward dynamics", DRIVEN: "inverse dynamics"}
        first = way.get(words[0], "") if len(set(words)) == 1 else ""
        return f"{first or 'mixed dynamics'} of {len(words)} velocities ({', '.join(told)})"


def _resolve_all(nodes: Iterable[Node], meanings: Meanings) -> list[Node]:
    given = list(nodes)
    return substitute(given, {s: resolve(s, meanings) for s in symbols(given)})


def solve_order(
    page: Incidence, known: Collection[int], motions: Sequence[MotionRows], meanings: Meanings
) -> list[SolvedTogether | SolvedMotion]:
    """The blocks of a page in order, to be torn, or solved by a formalism.

    Args:
        page: all equations.
        known: columns of the states.
        motions: equations of motion in it.
        meanings: of all variables.
    """
    tied = {k: rows for k in range(len(motions)) if (rows := _rows(page, k))}
    while True:
        groups = sort_rows(page, known, tied.values())
        found = _find(page, groups, {k: motions[k] for k in tied}, meanings)
        if all(found.values()):
            break
        tied = {k: rows for k, rows in tied.items() if found[k]}
    done = {k for k, motion in found.items() if motion}
    made: list[SolvedTogether | SolvedMotion] = []
    for group in groups:
        mark = page.origin[group.rows[0]].motion
        if mark is None or mark[0] not in done:
            inside = {m[0] for row in group.rows if (m := page.origin[row].motion)} & done
            motion = found[inside.pop()] if inside else None
        elif mark[1] < 0 and len(group.rows) == 1:
            continue  # leads to nothing
        else:
            motion = found[mark[0]]
        made.append(motion or group)
    return made


def _rows(page: Incidence, number: int) -> list[int]:
    """The rows of a motion; none where one is differentiated or the mechanism has loops."""
    rows = [
        row for row, origin in enumerate(page.origin)
        if origin.motion is not None and origin.motion[0] == number and origin.motion[1] >= 0
    ]  # fmt: skip
    plain = all(page.source[row] < 0 and page.grown[row] < 0 for row in rows)
    return rows if plain else []


def _find(
    page: Incidence,
    groups: Sequence[SolvedTogether],
    motions: Mapping[int, MotionRows],
    meanings: Meanings,
) -> dict[int, SolvedMotion | None]:
    """The motions that are solved joint by joint; None for those that are not."""
    found: dict[int, SolvedMotion | None] = {}
    for group in groups:
        marks = {m[0] for row in group.rows if (m := page.origin[row].motion) and m[1] >= 0}
        own = marks & set(motions)
        for number in own:
            alone = len(marks) == 1
            links = _links(page, group, motions[number], meanings) if alone else None
            found[number] = links and _solve_motion(motions[number], links, meanings)
    return found


def _solve_motion(
    motion: MotionRows, links: tuple[list[JointLink], dict[int, RowSlopes]], meanings: Meanings
) -> SolvedMotion | None:
    """The block of a motion with the Program that solves it."""
    rows, slopes = links
    words = {v: link.word for v, link in zip(motion.model.velocities, rows, strict=True)}
    kinds = set(words.values())
    try:
        if kinds == {FREE}:
            program = derive(motion.model, "forward")
        elif kinds == {DRIVEN}:
            program = derive(motion.model, "inverse")
        else:
            program = derive(motion.model, "mixed", known=words)
    except ModelError:
        if EITHER not in kinds:
            raise
        return None  # a link without mass that a rotor makes heavy: M and c are enough
    return SolvedMotion(motion, program, tuple(rows), slopes, meanings)


class _CoupledError(Exception):
    """What is said of a velocity is not its own, or not linear."""


def _links(
    page: Incidence, group: SolvedTogether, motion: MotionRows, meanings: Meanings
) -> tuple[list[JointLink], dict[int, RowSlopes]] | None:
    """What the other rows of a group say of every velocity; None where that is not one by one."""
    column_of = {page.columns[c]: c for c in group.columns}
    others = [row for row in group.rows if page.origin[row].motion is None]
    slopes = {row: find_slopes(page.rows[row], set(column_of)) for row in others}
    if any(row.rest is None for row in slopes.values()):
        return None
    try:
        ends = [
            [_end(node, column_of) for node in _resolve_all(pair, meanings)]
            for pair in zip(motion.qdd, motion.tau, strict=True)
        ]
        parts = _parts(column_of, slopes, ends)
        return [_link(*pair, slopes, column_of) for pair in zip(ends, parts, strict=True)], slopes
    except _CoupledError:
        return None


LinkEnd = tuple[Node, int] | None


def _end(node: Node, unknowns: Mapping[Node, int]) -> LinkEnd:
    """The unknown that a value is up to its sign; None where the value is known."""
    held = [s for s in symbols((node,)) if s in unknowns]
    if not held:
        return None
    (first, *more), sign = held, 1 if node is held[0] else -1
    if more or (sign < 0 and node is not -first):
        raise _CoupledError
    return first, sign


def _parts(
    column_of: Mapping[Node, int],
    slopes: Mapping[int, RowSlopes],
    ends: Sequence[Sequence[LinkEnd]],
) -> list[tuple[list[int], list[Node]]]:
    """The rows and unknowns that belong to every velocity."""
    union, owner = Union(), dict[int, int]()
    for row in slopes.values():
        first, *rest = (column_of[s] for s in row.by)
        for column in rest:
            union.merge(first, column)
    for k, pair in enumerate(ends):
        for end in pair:
            if end and owner.setdefault(union.find(column_of[end[0]]), k) != k:
                raise _CoupledError
    found: list[tuple[list[int], list[Node]]] = [([], []) for _ in ends]
    for node, column in column_of.items():
        root = union.find(column)
        if root not in owner:
            raise _CoupledError
        found[owner[root]][1].append(node)
    for number, row in slopes.items():
        found[owner[union.find(column_of[next(iter(row.by))])]][0].append(number)
    return found


def _link(
    ends: Sequence[LinkEnd],
    part: tuple[list[int], list[Node]],
    slopes: Mapping[int, RowSlopes],
    column_of: Mapping[Node, int],
) -> JointLink:
    """What rows say of one velocity."""
    (qdd, tau), (rows, unknowns) = ends, part
    if len(unknowns) == 1 and not rows:
        return JointLink(FREE if tau is None else DRIVEN, qdd, tau)
    if qdd is None or tau is None or len(rows) != len(unknowns) - 1:
        raise _CoupledError
    inner, left = _order(rows, set(unknowns) - {qdd[0]}, slopes, column_of)
    if not left:
        return JointLink(EITHER, qdd, tau, tuple(inner))
    inner, left = _order(rows, set(unknowns) - {qdd[0], tau[0]}, slopes, column_of)
    if len(left) != 1:
        raise _CoupledError
    return JointLink(EITHER, qdd, tau, tuple(inner), left[0])


def _order(
    rows: Sequence[int],
    unknowns: set[Node],
    slopes: Mapping[int, RowSlopes],
    column_of: Mapping[Node, int],
) -> tuple[list[tuple[int, int]], list[int]]:
    """Rows that give unknowns one after the other, and those that are left."""
    inner: list[tuple[int, int]] = []
    left, open_ones, moves = list(rows), set(unknowns), True
    while moves:
        moves = False
        for row in left:
            held = [s for s in slopes[row].by if s in open_ones]
            if len(held) == 1 and slopes[row].can_give(held[0]):
                inner.append((row, column_of[held[0]]))
                open_ones.discard(held[0])
                left.remove(row)
                moves = True
                break
    return (inner, left) if not open_ones else ([], list(rows))
