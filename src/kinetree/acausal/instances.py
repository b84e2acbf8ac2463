"""Stage 1, instances: a component with all its parts becomes flat lists under paths.

| in | out |
|---|---|
| a Component | its variables, parameters, equations, connections, initial equations and events |

The equations of every instance are traced with the symbols of its own path.  A class whose
equations do not match its variables in number is refused here, by its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from kinetree.acausal.branches import RubbingPart
from kinetree.acausal.components import (
    Component,
    Connection,
    Connector,
    InitialEquation,
    declarations,
    parts_of,
    ports_of,
    refuse_size,
    settle,
    statements_of,
    variables_of,
)
from kinetree.acausal.declarations import SELECT, DeclaredParameter, DeclaredVariable
from kinetree.acausal.hybrid.words import SampledEquations, When
from kinetree.acausal.physical import (
    Physical,
    PhysicalEquation,
    join_name,
    physical,
    spell,
    split_name,
)
from kinetree.arguments import is_finite, show
from kinetree.engine import Node, substitute, symbols
from kinetree.errors import KinetreeError, ModelError, unknown
from kinetree.model import state_symbol
from kinetree.model.parameters import ParameterRow
from kinetree.program import Assign, Program
from kinetree.units import quantity, to_si

if TYPE_CHECKING:
    from kinetree.acausal.mechanics.motion import MotionRows


STARTS = ("start", "fixed", "select")
"""What may be said of the start of a variable."""


@dataclass(frozen=True, slots=True)
class FlatVariable:
    """A variable of the whole.

    Attributes:
        path: its name.
        symbol: in equations.
        role: as declared.
        unit: of the SI.
        start: value to begin from; None where none is given.
        fixed: whether a run begins with it.
        want: how much it is wanted as a state, see `SELECT`.
    """

    path: str
    symbol: Node
    role: str
    unit: str
    start: float | None
    fixed: bool
    want: int


@dataclass(frozen=True, slots=True)
class FlatEquation:
    """residual = 0; the instance it belongs to, and its number there from 1; friction below 0.

    Of equations of motion: the number of the mechanism, and of the velocity; -1 of what only leads
    to them.
    """

    residual: Node
    origin: str
    number: int = 0
    motion: tuple[int, int] | None = None

    def __str__(self) -> str:
        where = self.origin or "the whole"
        if self.number < 0:
            return f"friction of '{where}'"
        return f"equation {self.number} of '{where}'" if self.number else f"connection in '{where}'"


@dataclass
class Flat:
    """A component with all its parts, flat.

    Attributes:
        name: of the class.
        variables: path -> variable.
        parameters: path -> parameter with its value in SI units.
        bound: parameters that follow from others: symbol -> expression.
        equations: of all instances.
        connections: (path of the component around it, connection).
        ports: all connectors.
        initial: equations at the start.
        events: (path of the instance, event or what is found at ticks).
        frictions: of all instances.
        components: all instances.
        motions: equations of motion among the equations.
    """

    name: str
    variables: dict[str, FlatVariable] = field(default_factory=dict)
    parameters: dict[str, ParameterRow] = field(default_factory=dict)
    bound: dict[Node, Node] = field(default_factory=dict)
    equations: list[FlatEquation] = field(default_factory=list)
    connections: list[tuple[str, Connection]] = field(default_factory=list)
    ports: list[Connector] = field(default_factory=list)
    initial: list[FlatEquation] = field(default_factory=list)
    events: list[tuple[str, When | SampledEquations]] = field(default_factory=list)
    frictions: list[RubbingPart] = field(default_factory=list)
    components: list[Component] = field(default_factory=list)
    motions: list[MotionRows] = field(default_factory=list)

    def add_hidden(self, path: str, start: float | None = None) -> Node:
        """Add a variable that a run does not show; its symbol."""
        node = state_symbol(path)
        self.variables[path] = FlatVariable(path, node, "hidden", "", start, False, 0)
        return node

    def inline(
        self, program: Program, values: Mapping[Node, Node], path: str, motion: int | None = None
    ) -> dict[str, list[Node]]:
        """Write the assignments of a Program as equations in variables of their own.

        Args:
            program: of assignments alone.
            values: symbol of an input -> what stands for it.
            path: that the names begin with.
            motion: number of the equations of motion that they lead to alone.

        Returns:
            The outputs, in terms of these variables.
        """
        new = dict(values)
        mark = None if motion is None else (motion, -1)
        for number, block in enumerate(program.all_blocks, 1):
            assert isinstance(block, Assign)
            node = new[block.target] = self.add_hidden(f"{path}.{block.target.name}")
            (expr,) = substitute((block.expr,), new)
            self.equations.append(FlatEquation(node - expr, path, number, mark))
        return {out.name: substitute(out.nodes, new) for out in program.outputs}


def flatten(whole: Component) -> Flat:
    """All instances of a component, in order of their declaration, parents before parts."""
    flat = Flat(type(whole).__name__)
    waiting = [whole]
    settle(whole)
    while waiting:
        waiting += reversed(take_component(flat, waiting.pop()))
        refuse_size(len(flat.components) + len(waiting), "")
    _name_initial_rates(flat)
    return flat


def _name_initial_rates(flat: Flat) -> None:
    """Give derivatives that initial equations alone hold a variable of an equation."""
    known = {s for row in flat.equations for s in symbols((row.residual,))} if flat.initial else ()
    for row in flat.initial:
        for s in symbols((row.residual,)):
            path, order = split_name(s)
            if order and s not in known and path in flat.variables:
                node = flat.add_hidden(f"initial {join_name(path, order)}")
                flat.equations.append(FlatEquation(node - s, row.origin, row.number))


def take_component(flat: Flat, component: Component) -> list[Component]:
    """Add what a component declares and says itself; its parts, which are not added."""
    flat.components.append(component)
    parts = list(parts_of(component))
    ports = list(ports_of(component))
    counts = _Counts()
    try:
        _take_declared(flat, component)
        for end in ports:
            _take_variables(flat, end)
        flat.ports += ports
        _take_statements(flat, component, counts)
    except KinetreeError as error:
        raise _locate(error, component, counts) from None
    if not component.gathered:
        _refuse_unbalanced(component, parts, counts)
    return parts


def _locate(error: KinetreeError, component: Component, counts: _Counts) -> KinetreeError:
    """The error with the place at which it happened: component, and the equation it is in."""
    where = f"component '{component.path or type(component).__name__}'"
    inside = error.element or (f"equation {counts.equations + 1}" if counts.begun else "")
    element = f"{where}, {inside}" if inside else where
    return type(error)(error.problem, element=element, cure=error.cure)


def _take_declared(flat: Flat, component: Component) -> None:
    """Variables and parameters that a component declares itself."""
    _take_variables(flat, component)
    for name, row in declarations(type(component)).items():
        if isinstance(row, DeclaredParameter):
            _take_parameter(flat, component, name, row)


def _take_variables(flat: Flat, element: Component | Connector) -> None:
    for row, node in variables_of(element):
        path = element.path_of(row.name)
        start, fixed, want = _start(row, element.given.get(row.name))
        flat.variables[path] = FlatVariable(path, node, row.role, row.unit, start, fixed, want)


def _start(row: DeclaredVariable, given: Any) -> tuple[float | None, bool, int]:
    """Start value, whether it is fixed, and how much the variable is wanted as a state."""
    start, fixed, select = row.start, row.fixed, row.select
    if isinstance(given, dict):
        for name in given:
            if name not in STARTS:
                raise unknown("word", name, STARTS, f"start of variable '{row.name}'")
        start, fixed = given.get("start", start), given.get("fixed", fixed)
        select = given.get("select", select)
        if select not in SELECT:
            raise unknown("word", str(select), SELECT, f"select of variable '{row.name}'")
    elif given is not None:
        start, fixed = given, True
    if start is not None:
        start = _number(start, row.unit, row.name)
    return start, bool(fixed), SELECT[select]


def _number(value: Any, unit: str, element: str) -> float:
    if isinstance(value, str):
        return quantity(value, unit, element)
    if not is_finite(value):
        raise ModelError(
            f"it is {show(value)}", element=element, cure=f"give a finite number [{unit or 1}]"
        )
    return float(value)


def _take_parameter(flat: Flat, component: Component, name: str, row: DeclaredParameter) -> None:
    path, own = component.path_of(name), getattr(component, name)
    value, around = row.value, component
    if name in component.given:
        value, around = component.given[name], component.owner or component
    if callable(value):
        value = value(around)
    if isinstance(value, Physical) and not value.node.is_number:
        if value.size is not None and value.size != own.size:
            raise ModelError(
                f"it is given {value.node!r} [{spell(value.size)}]",
                element=f"parameter '{name}'",
                cure=f"give a value in {row.si or 1}",
            )
        flat.bound[own.node] = value.node
        return
    value = value.node.value if isinstance(value, Physical) else value
    number = _number(value, row.si, f"parameter '{name}'")
    if not isinstance(value, str):
        number = to_si(number, row.unit, name)[0]
    flat.parameters[path] = ParameterRow(path, number, row.si, own.node)


@dataclass
class _Counts:
    """What a component says: equations, pairs of signals made one, own ports connected inside.

    Attributes:
        begun: whether its statements are being traced.
    """

    begun: bool = False
    equations: int = 0
    signals: int = 0
    inside: set[str] = field(default_factory=set)


def _take_statements(flat: Flat, component: Component, counts: _Counts) -> None:
    """Trace the equations of a component."""
    counts.begun, path = True, component.path
    for made in statements_of(component):
        if isinstance(made, PhysicalEquation):
            counts.equations += 1
            flat.equations.append(FlatEquation(made.residual, path, counts.equations))
        elif isinstance(made, Connection):
            flat.connections.append((path, made))
            _count_connection(component, made, counts)
        elif isinstance(made, InitialEquation):
            number = len(flat.initial) + 1
            flat.initial.append(FlatEquation(made.equation.residual, path, number))
        elif isinstance(made, When | SampledEquations):
            flat.events.append((path, made))
        elif isinstance(made, RubbingPart):
            counts.equations += 1
            _take_friction(flat, path, made, counts.equations)
        else:
            raise ModelError(
                f"equations() yields {show(made)}",
                cure="yield equations a == b, connect(…), initial(…), when(…), sample(…) or "
                "friction(…)",
            )


def _take_friction(flat: Flat, path: str, made: RubbingPart, number: int) -> None:
    """The equation of a friction, whose bounds become variables."""
    slides, holds = (flat.add_hidden(f"{made.name}.{what}") for what in ("coulomb", "breakaway"))
    flat.equations.append(FlatEquation(slides - made.coulomb, path, number))
    flat.equations.append(FlatEquation(holds - made.breakaway, path, number))
    row = replace(made, coulomb=slides, breakaway=holds, origin=path, number=-number)
    flat.frictions.append(row)
    flat.equations.append(FlatEquation(row.residual, path, row.number))


def _count_connection(component: Component, made: Connection, counts: _Counts) -> None:
    first = made.ends[0]
    if not isinstance(first, Connector):
        for end in made.ends[1:]:
            _ = first == physical(end)  # units agree
        counts.signals += len(made.ends) - 1
        return
    for end in made.ends:
        if isinstance(end, Connector) and end.owner is component:
            counts.inside.add(end.label)


def _uneven(end: Connector) -> bool:
    """Whether a connector has other numbers of potentials and flows.

    Then no class alone says how many equations belong to it: those at the root of a tree give all
    potentials, those at its ends none.  The whole is still counted, by matching.
    """
    roles = [row.role for row, _ in variables_of(end)]
    return not end.gathers and roles.count("across") != roles.count("through")


def _refuse_unbalanced(component: Component, parts: list[Component], counts: _Counts) -> None:
    """Refuse a class whose own equations are too few or too many for what it leaves open."""
    own = [row for row, _ in variables_of(component) if row.role not in ("in", "mode")]
    flows = [
        f"{end.label}.{row.name}"
        for end in ports_of(component)
        for row, _ in variables_of(end)
        if row.role == "through" and end.label not in counts.inside
    ]
    entries = [
        f"{one.label}.{row.name}"
        for one in parts
        for row, _ in variables_of(one)
        if row.role == "in"
    ]
    wanted = len(own) + len(flows) + len(entries)
    found = counts.equations + counts.signals
    if found == wanted or any(map(_uneven, ports_of(component))):
        return
    names = [*(row.name for row in own), *flows, *entries]
    many = found > wanted
    raise ModelError(
        f"{found} equations for {wanted} unknowns ({', '.join(names) or 'none'})",
        element=f"class '{type(component).__name__}'",
        cure=f"take {found - wanted} of its equations away"
        if many
        else f"add {wanted - found} to its equations(), or connect its inputs and ports inside",
    )
