"""Equations of an element of the model: those that are about it, and those that it enters.

The notes of a Program say which element every equation is about.  A joint owns, beside those about
itself, of the equations about its outer body those that its coordinates enter, and the sines and
cosines of its angles.  A body that is welded to another has the equations of what carries it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING, Any

from kinetree.engine import Node, symbols, topological
from kinetree.engine.count import count_nodes
from kinetree.errors import unknown
from kinetree.formalism import QUANTITIES
from kinetree.formats.yaml_file import read
from kinetree.model import Joint, Model
from kinetree.pipeline import derive
from kinetree.plain import markup
from kinetree.program.notes import elements_of
from kinetree.program.program import Assign, Block, Newton, Program, Solve
from kinetree.program.solving import solve_count
from kinetree.studio.messages import (
    EquationRow,
    EquationsMessage,
    QuantitiesMessage,
    QuantityRow,
    SharesMessage,
    SymbolMessage,
)
from kinetree.targets.html.language import HtmlScope
from kinetree.targets.html.source import system_math

if TYPE_CHECKING:
    from pydantic import BaseModel

PAGE_ROWS = 60
"""Equations of one page."""
STEMS = ("q", "qd", "qdd", "tau")
"""What names of a joint's variables begin with."""
SECTIONS = ("bodies", "joints", "closures", "forces", "states", "drives", "parameters")
"""Sections whose elements may be asked for."""


class ElementEquations:
    """The equations of one Program, by element.

    Attributes:
        model: the mechanism.
        program: what was derived.
        blocks: its equations.
        operations: of every equation.
    """

    def __init__(self, model: Model, program: Program) -> None:
        self.model, self.program = model, program
        self.scope = HtmlScope(program, count(1))
        self.blocks = program.all_blocks
        self.number = {id(block): k for k, block in enumerate(self.blocks, 1)}
        self.operands = [{node.name for node in symbols(b.operands)} for b in self.blocks]
        self.defined: dict[str, int] = {}
        self.inputs: dict[str, tuple[str, float | None]] = {}
        for row in program.inputs:
            self.scope.define("", row.symbols)
            for k, symbol in enumerate(row.symbols):
                value = None if row.default is None else float(row.default[k])
                self.inputs[symbol.name] = (row.units[k] if row.units else "", value)
        for k, block in enumerate(self.blocks):
            self.scope.define("", block.targets)
            self.defined |= {target.name: k for target in block.targets}
        self._own: dict[str, list[int]] = {}
        for k in range(len(self.blocks)):
            for path in self._owners(k):
                self._own.setdefault(path, []).append(k)
        self.operations = _operations(self.blocks)

    @property
    def total(self) -> int:
        """Operations of one evaluation and of the preamble."""
        return self.program.count().total + self.program.preamble_count().total

    def _owners(self, k: int) -> Iterator[str]:
        """Paths of the elements that own an equation."""
        note, found = self.blocks[k].note, []
        for path in elements_of(note):
            found.append(path)
            if note.section == "points":
                found.append(".".join(path.split(".")[:2]))
            if note.section == "drives":
                found += [f"joints.{j.name}" for j in self._joints
                          if path.partition(".")[2] in j.velocities]  # fmt: skip
        for joint in self._joints:
            turned = f"bodies.{joint.child.body.name}" in found
            alone = not found and bool(self._angles(k))
            if (turned or alone) and self.coordinates(joint) & self.operands[k]:
                found.append(f"joints.{joint.name}")
        yield from dict.fromkeys(found)

    def _angles(self, k: int) -> set[str]:
        """Names of sines and cosines that an equation defines."""
        return {target.name for target in self.blocks[k].targets} & set(self.scope.angles)

    @property
    def _joints(self) -> list[Joint]:
        return self.model.body_joints

    @lru_cache(None)  # noqa: B019  one of few that are kept
    def coordinates(self, joint: Joint) -> frozenset[str]:
        """Names under which coordinates of a joint stand in the equations, sines included."""
        made = {f"{s}_{n}" for n in (*joint.coordinates, *joint.velocities) for s in STEMS}
        angles = {
            name for name, node in self.scope.angles.items()
            if made & {row.name for row in symbols([node])}
        }  # fmt: skip
        return frozenset(made | angles)

    def equations_about(self, path: str) -> list[int]:
        """Numbers of the equations about an element, all for an empty path."""
        if not path:
            return list(range(len(self.blocks)))
        return self._own.get(self._carrier(path), [])

    def _carrier(self, path: str) -> str:
        """The body that carries a body which is welded to it; else the path itself."""
        section, _, name = path.partition(".")
        inner = {joint.child.body.name: joint for joint in self._joints}
        while section == "bodies" and name in inner and not inner[name].motions:
            if path in self._own:
                break
            name = inner[name].parent.body.name
            path = f"bodies.{name}"
        return path

    def equations_with(self, path: str, owned: list[int]) -> list[int]:
        """Numbers of the equations about others in which names of an element stand."""
        mine = {target.name for k in owned for target in self.blocks[k].targets}
        section, _, name = path.partition(".")
        if section == "joints":
            mine |= self.coordinates(self.model.joints[name])
        mine |= {row for row in self.inputs if row.partition(".")[0] == name and "." in row}
        if section == "parameters":
            mine.add(name)
        held = set(owned)
        return [k for k, used in enumerate(self.operands) if k not in held and mine & used]

    def row(self, k: int, role: str) -> EquationRow:
        """An equation as it is told."""
        block = self.blocks[k]
        note = block.note
        return EquationRow.model_validate({
            "number": k + 1, "name": ", ".join(target.name for target in block.targets),
            "formula": self.formula(block), "uses": sorted(self.operands[k]), "about": str(note),
            "step": note.step, "unit": note.unit, "frame": note.frame, "paper": note.eq,
            "elements": list(elements_of(note)), "role": role,
        })  # fmt: skip

    def formula(self, block: Block) -> str:
        """MathML of an equation."""
        if isinstance(block, Assign):
            return self.scope.equation(block.target, block.expr)
        if isinstance(block, Solve):
            return system_math(block, self.scope)
        unknowns = self.scope.matrix(block.targets, 1)
        start = self.scope.matrix(block.start, 1)
        told = f"h(v) = 0, at most {block.limit} steps from"
        return (f'<math display="block"><mi>v</mi><mo>=</mo>{unknowns}<mtext> : {markup(told)} '
                f"</mtext>{start}</math>")  # fmt: skip

    def elements(self, name: str) -> list[str]:
        """Paths of the elements that a name is about."""
        k = self.defined.get(name)
        if k is not None:
            found = list(elements_of(self.blocks[k].note))
            return found or [path for path in self._owners(k) if path.startswith("joints.")]
        held: list[str] = []
        for joint in self._joints:
            if name in self.coordinates(joint):
                held += [f"joints.{joint.name}", f"bodies.{joint.child.body.name}"]
        return held or self._owner_of_parameter(name)

    def _owner_of_parameter(self, name: str) -> list[str]:
        owner, dot, _ = name.partition(".")
        if not dot:
            return [f"parameters.{name}"] if name in self.model.parameters else []
        for section in SECTIONS:
            if owner in getattr(self.model, section):
                return [f"{section}.{owner}"]
        return []

    def names(self, words: Iterable[str]) -> dict[str, str]:
        """Number of a name in the formulas -> the name."""
        places = self.scope.places
        return {str(places[word][0]): word for word in words if word in places}


def _operations(blocks: Iterable[Block]) -> list[int]:
    """Operations of every equation; what several share is counted with the first."""
    made, seen = [], set[Node]()
    for block in blocks:
        fresh = [node for node in topological(list(block.operands)) if node not in seen]
        seen.update(fresh)
        spent = count_nodes(fresh).total
        if isinstance(block, Solve):
            spent += solve_count(block).total
        elif isinstance(block, Newton):
            spent += block.step.count().total
        made.append(int(spent))
    return made


@lru_cache(4)
def _equations_of(text: str, quantity: str, formalism: str) -> ElementEquations:
    return ElementEquations(model := read(text), derive(model, quantity, formalism or None))


def equations(
    text: str, path: str, quantity: str = "forward", formalism: str = "", page: int = 0
) -> EquationsMessage:
    """Equations that an element owns and enters.

    Args:
        text: of the model file.
        path: of the element, such as joints.elbow; empty for all equations.
        quantity: whose equations, such as forward or inverse.
        formalism: by which they are derived; the usual one if empty.
        page: number of a page of rows, from 0.

    Raises:
        KinetreeError: for an unknown element, or a quantity that cannot be derived.
    """
    found = _equations_of(text, quantity, formalism)
    _check_path(found.model, path)
    owned = found.equations_about(path)
    entered = found.equations_with(path, owned) if path else []
    listed = [*((k, "owns") for k in owned), *((k, "enters") for k in entered)]
    rows = [found.row(*row) for row in listed[page * PAGE_ROWS : (page + 1) * PAGE_ROWS]]
    words = sorted({word for row in rows for word in (*row.uses, *row.name.split(", "))})
    return EquationsMessage(
        element=path, of=quantity, formalism=str(found.program.info.get("formalism", "")),
        total=len(found.blocks), owned=len(owned), entered=len(entered),
        operations=(found.total, sum(found.operations[k] for k in owned)),
        pages=-(-len(listed) // PAGE_ROWS), rows=rows,
        elements={word: found.elements(word) for word in words}, names=found.names(words),
    )  # fmt: skip


def _check_path(model: Model, path: str) -> None:
    section, _, name = path.partition(".")
    body, _, point = name.partition(".points.")
    known: Any = getattr(model, section, {}) if section in SECTIONS else {}
    if path and (body not in known or (point and point not in known[body].points)):
        raise unknown("element", path, [f"{s}.{n}" for s in SECTIONS for n in
                                        getattr(model, s)], "equations")  # fmt: skip


def symbol(text: str, name: str, quantity: str = "forward", formalism: str = "") -> SymbolMessage:
    """Definition, uses and elements of a name.

    Raises:
        KinetreeError: where the Program has none of this name.
    """
    found = _equations_of(text, quantity, formalism)
    if name not in found.scope.places:
        raise unknown("name", name, list(found.scope.places), "equations")
    k = found.defined.get(name)
    row = None if k is None else found.row(k, "owns")
    unit, value = found.inputs.get(name, ("" if row is None else row.unit, None))
    uses = [found.blocks[n].targets[0].name for n, u in enumerate(found.operands) if name in u]
    words = {name, *uses, *(row.uses if row is not None else ())}
    return SymbolMessage(
        name=name, symbol=f"<math>{found.scope.symbol(name)}</math>", unit=unit, value=value,
        definition=row, uses=uses, elements=found.elements(name), names=found.names(words),
    )  # fmt: skip


def shares(text: str, quantity: str = "forward", formalism: str = "") -> SharesMessage:
    """Equations and operations of every element."""
    found = _equations_of(text, quantity, formalism)
    total = max(1, found.total)
    counts: dict[str, int] = {}
    work: dict[str, float] = {}
    for block, spent in zip(found.blocks, found.operations, strict=True):
        paths = elements_of(block.note)
        for path in paths:
            counts[path] = counts.get(path, 0) + 1
            work[path] = work.get(path, 0.0) + spent / total / len(paths)
    return SharesMessage(
        of=quantity, formalism=str(found.program.info.get("formalism", "")),
        total=len(found.blocks), operations=total, equations=counts, shares=work,
        rest=1.0 - sum(work.values()),
    )  # fmt: skip


def quantities() -> QuantitiesMessage:
    """The table of quantities."""
    rows = [
        QuantityRow(name=name, text=_text_of(row), formalisms=list(row.ways))
        for name, row in QUANTITIES.items()
    ]
    return QuantitiesMessage(quantities=rows)


def _text_of(row: Any) -> str:
    """The first sentence about a quantity: that of the function that writes it."""
    way = next(iter(row.ways.values()))
    return " ".join((getattr(way, "__doc__", "") or row.name).strip().split("\n\n")[0].split())


FUNCTIONS: dict[str, Callable[..., BaseModel]] = {
    "equations": equations,
    "symbol": symbol,
    "shares": shares,
}
"""What a helper process may be asked."""
