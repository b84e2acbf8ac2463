"""Laws: expressions and functions that users write, traced once with symbols.

A law is an expression (a Node), a Python function that is called once with Nodes and returns one,
or several of these.  A function takes any of the arguments that its place offers, by their names:
`q`, `qd` and `x` are mappings by name, `t` is the time, others are said where the law is used.
An argument with a default that is none of these keeps its default, so a law made in a loop can hold
what it was made for: ``lambda qd, name=name: -3 * qd[name]``.

| argument | meaning | in text |
|---|---|---|
| q, qd | coordinates and velocities by name | q_NAME, qd_NAME |
| t | time [s] | t |
| x | user states by name; not in closures | x_NAME |
| x, y, z | of a closure: the first end in the frame of the second [m] | x, y, z |
| points | of a force: its points by label, `Place` p, v, w, R | LABEL.p_x, LABEL.R_xz |
| length, rate, … | of a force: the variables of its kind | length |
| outputs | of a state, a force, a memory: outputs of elements and points | strut.force |
"""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from kinetree.arguments import show
from kinetree.engine import (
    HOLD,
    PREVIOUS,
    SWITCH,
    Node,
    Op,
    Rank,
    as_node,
    compounds,
    symbol,
    symbols,
)
from kinetree.errors import ExpressionError, ModelError, plural, unknown
from kinetree.model.closures import ClosureKind, RateLaw
from kinetree.model.closures import Law as LawCondition
from kinetree.model.forces import FORCES, ForceKind, Mat, Place, Vec
from kinetree.model.parts import CoordinateGroup

if TYPE_CHECKING:
    from kinetree.model.mechanism import Mechanism

AXES = ("x", "y", "z")
T = TypeVar("T")
LawLike = Node | float | Callable[..., Any] | Sequence[Any]
"""An expression, a function that gives one or several, or several expressions."""


def time_symbol() -> Node:
    """The time t [s] in laws."""
    return symbol("t", Rank.COORDINATE)


def coordinate_symbol(name: str) -> Node:
    """The coordinate called `name`, in laws and equations: q_NAME."""
    return symbol(f"q_{name}", Rank.COORDINATE)


def velocity_symbol(name: str) -> Node:
    """The velocity called `name`, in laws and equations: qd_NAME."""
    return symbol(f"qd_{name}", Rank.VELOCITY)


def state_symbol(name: str) -> Node:
    """The user state called `name`, in laws and equations: x_NAME."""
    return symbol(f"x_{name}", Rank.COORDINATE)


class Named(Mapping[str, T]):
    """Symbols by name, as a law gets its q and qd; an unknown name is refused with the nearest."""

    def __init__(self, what: str, rows: Mapping[str, T], element: str) -> None:
        self._what, self._rows, self._element = what, rows, element
        self._own: dict[str, Node] = {}

    def __getitem__(self, name: str) -> T:
        if name not in self._rows:
            raise unknown(self._what, name, self._rows, self._element)
        return self._rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def find(self, word: str) -> Any:
        """The symbol whose own name is `word`; None where there is none."""
        if hasattr(self._rows, "find"):
            return self._rows.find(word)
        if not self._own:  # a law is asked for the name of every parameter
            self._own = {node.name: node for node in _nodes(self._rows)}
        return self._own.get(word)


class SymbolRows(Mapping[str, Node]):
    """Symbols by name, each made where it is asked for: a large model has thousands of them.

    Args:
        names: of what they stand for.
        prefix: of their own names: q_NAME.
        rank: of all of them.
    """

    def __init__(self, names: Iterable[str], prefix: str, rank: Rank) -> None:
        self._names, self._prefix, self._rank = dict.fromkeys(names), prefix, rank

    def __getitem__(self, name: str) -> Node:
        if name not in self._names:
            raise KeyError(name)
        return symbol(f"{self._prefix}{name}", self._rank)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def find(self, word: str) -> Node | None:
        """The symbol whose own name is `word`; None where there is none."""
        name = word.removeprefix(self._prefix)
        own = word.startswith(self._prefix) and name in self._names
        return self[name] if own else None


def place_symbols(label: str) -> Place:
    """The symbols that stand for the motion of a point in laws of forces, such as LABEL.p_x."""

    def vec(stem: str, rank: Rank = Rank.COORDINATE) -> Vec:
        x, y, z = (symbol(f"{label}.{stem}{a}", rank) for a in AXES)
        return x, y, z

    R: Mat = (vec("R_x"), vec("R_y"), vec("R_z"))
    return Place(R, vec("p_"), vec("v_", Rank.VELOCITY), vec("w_", Rank.VELOCITY))


def end_symbols() -> tuple[Node, Node, Node]:
    """x, y, z [m] in laws of a closure with ends: the first end in the frame of the second."""
    x, y, z = map(variable, AXES)
    return x, y, z


def variable(name: str) -> Node:
    """The symbol of a variable of a kind in its laws, such as the length of a link."""
    return symbol(name, Rank.COORDINATE)


def state_names(model: Mechanism, element: str = "") -> dict[str, Any]:
    """What the rates of states may use, under the names of a function's arguments."""
    q = SymbolRows(model.coordinates, "q_", Rank.COORDINATE)
    qd = SymbolRows(model.velocities, "qd_", Rank.VELOCITY)
    x = SymbolRows(model.states, "x_", Rank.COORDINATE)
    return {
        "q": Named("coordinate", q, element),
        "qd": Named("velocity", qd, element),
        "t": time_symbol(),
        "x": Named("state", x, element),
    }


def force_law_names(
    model: Mechanism, row: ForceKind, labels: Sequence[str], element: str = ""
) -> dict[str, Any]:
    """What the laws of a force may use: beside what states may, its points and variables."""
    points = {label: place_symbols(label) for label in labels}
    own = {name: variable(name) for name in row.variables}
    return {**state_names(model, element), "points": Named("point", points, element), **own}


def closure_law_names(model: Mechanism, row: ClosureKind, element: str = "") -> dict[str, Any]:
    """What the laws of a closure may use: q, t, by its kind also qd, and x, y, z of its ends."""
    keys = ("q", "t", "qd") if row.rates else ("q", "t")
    found = state_names(model, element)
    ends = dict(zip(AXES, end_symbols(), strict=True)) if row.places else {}
    return {**{key: found[key] for key in keys}, **ends}


def find_coordinate(model: Mechanism, joint: Any, element: str) -> str:
    """The coordinate of a joint that has exactly one of its own, or the one of that name."""
    if not isinstance(joint, CoordinateGroup | str):
        raise ModelError(
            f"{show(joint)} is not a joint",
            element=f"{element} joint",
            cure="give a joint, or the name of a coordinate",
        )
    name = joint if isinstance(joint, str) else joint.name
    owners = {c: row for row in model.joints.values() for c in row.coordinates}
    found = model.joints.get(name, owners.get(name))
    if found is None:
        raise unknown("coordinate", name, model.coordinates, element)
    if found.nq != found.nv:
        raise ModelError(
            f"joint '{found.name}' turns by a quaternion",
            element=element,
            cure="use a joint whose velocities are the rates of its coordinates",
        )
    return _only(found, name, "coordinate", found.coordinates, element)


def find_velocity(model: Mechanism, joint: Any, element: str) -> str:
    """The velocity of a joint that has exactly one of its own, or the one of that name."""
    name = joint.name if isinstance(joint, CoordinateGroup) else str(joint)
    if name in model.velocities:
        return name
    found = model.joints.get(name)
    if found is None or (found.nv == 1 and not found.follows):
        return model.velocity_of(find_coordinate(model, name, element))
    return _only(found, name, "velocity", found.velocities, element)


def _only(
    joint: CoordinateGroup, name: str, noun: str, names: tuple[str, ...], element: str
) -> str:
    """The one of these coordinates or velocities that is meant; refused where it is not one."""
    if joint.follows:
        raise ModelError(
            f"joint '{name}' follows another",
            element=element,
            cure=f"use the {noun} of the joint that leads",
        )
    if name in names:
        return name
    if len(names) != 1:
        raise ModelError(
            f"joint '{name}' has {len(names)} {plural(noun)}",
            element=element,
            cure=f"name one of {', '.join(names) or 'another joint'}",
        )
    return names[0]


def law_expressions(
    model: Mechanism,
    law: Any,
    names: Mapping[str, Any],
    element: str,
    count: int = 0,
    *,
    at_ticks: bool = False,
) -> tuple[Node, ...]:
    """The expressions of a law, each of known symbols only.

    Args:
        model: whose parameters it may use.
        law: an expression, several, or a function that gives them.
        names: what it may use besides, under the names of a function's arguments.
        element: how sentences call it.
        count: how many expressions it has to give; 0 for any number.
        at_ticks: whether it is one of a sampled value, which alone may read those before.
    """
    for name in model.parameters:
        if law_symbol(names, name) is not None:
            raise ModelError(
                f"in laws '{name}' is not the parameter of that name",
                element=element,
                cure="rename the parameter",
            )
    value = trace(law, names, element)
    value = value.tolist() if isinstance(value, np.ndarray) else value
    several = isinstance(value, Sequence) and not isinstance(value, str)
    entries = value if several else [value]
    cure = "give a number, an expression or a function"
    if any(isinstance(entry, bool) for entry in entries):
        raise ModelError("a truth value is not a law", element=element, cure=cure)
    try:
        laws = tuple(as_node(entry) for entry in entries)
    except ExpressionError as error:
        raise ModelError(error.problem, element=element, cure=cure) from error
    _refuse_foreign(model, laws, names, element)
    if not at_ticks:
        refuse_words(laws, (PREVIOUS, HOLD), element)
    if len(laws) != (count or len(laws)):
        raise ModelError(f"its law has {len(laws)} values", element=element, cure=f"give {count}")
    return laws


def refuse_words(laws: Iterable[Node], ops: Sequence[Op], element: str) -> None:
    """Refuse words that say what happens in a run, where nothing of the kind can."""
    for node in compounds(laws):
        if node.op in ops:
            raise ModelError(
                f"'{node.op.name}' says nothing there",
                element=element,
                cure="write select"
                if node.op is SWITCH
                else "use it in the law of a sampled value, model.sample",
            )


def _refuse_foreign(
    model: Mechanism, laws: tuple[Node, ...], names: Mapping[str, Any], element: str
) -> None:
    """Refuse symbols that a law does not know, or cannot be written with."""
    own = {row.symbol for row in model.parameters.values()}
    for found in symbols(laws):
        if found not in own and law_symbol(names, found.name) is not found:
            known = {*(entry.name for entry in own), *law_symbols(names)}
            raise unknown("name", found.name, sorted(known), element)
        if not found.name.replace(".", "_").isidentifier():
            raise ModelError(
                f"'{found.name}' cannot be written in a law",
                element=element,
                cure="name the coordinate by letters, digits and underscores",
            )


def law_symbols(names: Mapping[str, Any]) -> dict[str, Node]:
    """The symbols a law may use, by their own names: q_NAME, qd_NAME, t, x_NAME, x, y, z."""
    return {node.name: node for entry in names.values() for node in _nodes(entry)}


def law_symbol(names: Mapping[str, Any], word: str) -> Node | None:
    """The symbol of that name which a law may use; see `law_symbols`."""
    for entry in names.values():
        own = (node for node in _nodes(entry) if node.name == word)
        found: Node | None = entry.find(word) if isinstance(entry, Named) else next(own, None)
        if found is not None:
            return found
    return None


def _nodes(entry: Any) -> Iterator[Node]:
    """The symbols in a mapping or tuple of symbols, or the symbol itself."""
    if isinstance(entry, Node):
        yield entry
        return
    for part in entry.values() if isinstance(entry, Mapping) else entry:
        yield from _nodes(part)


def trace(law: Any, names: Mapping[str, Any], element: str) -> Any:
    """What a law gives: itself, or the result of the function of the symbols it asks for."""
    if not callable(law):
        return law
    given = _bind(law, names, element)
    try:
        return law(*given.args, **given.kwargs)
    except TypeError as error:  # math.sin(q), q > 0 and the like
        raise ModelError(
            f"its function cannot be called with symbols ({error})",
            element=element,
            cure="use kinetree.functions in place of math, NumPy and comparisons",
        ) from error


def _bind(
    law: Callable[..., Any], names: Mapping[str, Any], element: str
) -> inspect.BoundArguments:
    """The arguments that a function asks for by name; others must have a default, and keep it."""
    try:
        signature = inspect.signature(law)
    except ValueError:  # some functions written in C
        raise ModelError(
            "its function does not tell its arguments", element=element,
            cure="wrap it: lambda q: function(q['name'])",
        ) from None  # fmt: skip
    given = inspect.BoundArguments(signature, OrderedDict())
    for name, row in signature.parameters.items():
        if row.kind is row.VAR_KEYWORD:
            given.arguments[name] = {
                key: x for key, x in names.items() if key not in given.arguments
            }
        elif name in names and row.kind is not row.VAR_POSITIONAL:
            given.arguments[name] = names[name]
        elif row.default is row.empty and row.kind is not row.VAR_POSITIONAL:
            raise unknown("argument of a law", name, names, element)
    given.apply_defaults()
    return given


def force_laws(model: Mechanism) -> list[Node]:
    """Every expression of a force or state; the time itself where a kind uses it by itself."""
    rates = [law for row in model.states.values() for law in (row.rate, row.remembered)]
    found = [law for law in rates if law is not None]
    for force in model.forces.values():
        found += [expr for exprs in force.laws.values() for expr in exprs]
        if FORCES[force.kind].time:
            found.append(time_symbol())
    return found


def uses_time(model: Mechanism) -> bool:
    """Whether a law of a drive, closure, force or state, or an output for one, depends on t."""
    laws = [drive.law for drive in model.drives.values() if drive.law is not None]
    if any(r.hears for r in model.states.values()) or any(r.hears for r in model.forces.values()):
        laws += [row.what for row in model.outputs.values() if isinstance(row.what, Node)]
    for closure in model.closures.values():
        laws += [c.expr for c in closure.conditions if isinstance(c, LawCondition | RateLaw)]
    return time_symbol() in symbols([*laws, *force_laws(model)])
