"""Laws: expressions and functions that users write, traced once with symbols.

A law is an expression (a Node), a Python function that is called once with Nodes and returns one,
or several of these.  A function takes any of the arguments that its place offers, by their names:
`q`, `qd` and `x` are mappings by name, `t` is the time, others are said where the law is used.
An argument with a default that is none of these keeps its default, so a law made in a loop can hold
what it was made for: ``lambda qd, name=name: -3 * qd[name]``.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from kinetree.arguments import check_arguments, is_row, shown
from kinetree.engine import Node, Rank, as_node, symbol, symbols
from kinetree.errors import DuplicateNameError, ExpressionError, ModelError, unknown
from kinetree.model.parts import Joint
from kinetree.tables import Table

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from kinetree.model.parts import Parameter

T = TypeVar("T")
Law = Node | float | Callable[..., Any] | Sequence[Any]
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

    def __getitem__(self, name: str) -> T:
        if name not in self._rows:
            raise unknown(self._what, name, self._rows, self._element)
        return self._rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


class LawMethods(ABC):
    """What the parts of a model share that speak of coordinates and laws."""

    joints: dict[str, Joint]
    parameters: dict[str, Parameter]
    tables: dict[str, Table]

    @property
    @abstractmethod
    def coordinates(self) -> list[str]:
        """Names of all q."""

    @property
    @abstractmethod
    def velocities(self) -> list[str]:
        """Names of all qd."""

    def table(
        self, name: str, knots: ArrayLike, values: ArrayLike, slopes: ArrayLike | None = None
    ) -> Table:
        """Add a table under a name; laws look it up by ``functions.table(x, table)``.

        Args:
            name: table_NAME(x) in the expressions of files.
            knots: at least two arguments, increasing.
            values: one per knot.
            slopes: derivative at each knot; by default such that the table rises where its values
                rise and falls where they fall.
        """
        check_arguments(LawMethods.table, {"name": name}, "table")
        if name in self.tables:
            raise DuplicateNameError(
                "there is a table of this name already",
                element=f"table '{name}'",
                cure="give every table a name of its own",
            )
        made = Table.monotone(knots, values, str(name))
        if slopes is not None:
            if not is_row(slopes):
                raise ModelError(
                    f"they are {shown(slopes)}",
                    element=f"table '{name}' slopes",
                    cure="give one number per knot",
                )
            given = tuple(np.asarray(slopes, dtype=float).tolist())
            made = Table(made.knots, made.values, given, str(name))
        self.tables[name] = made
        return made

    def _coordinate(self, joint: Any, element: str) -> str:
        """The coordinate of a joint that has exactly one of its own, or the one of that name."""
        if not isinstance(joint, Joint | str):
            raise ModelError(
                f"{shown(joint)} is not a joint",
                element=f"{element} joint",
                cure="give a joint, or the name of a coordinate",
            )
        name = joint.name if isinstance(joint, Joint) else joint
        owners = {c: row for row in self.joints.values() for c in row.coordinates}
        found = self.joints.get(name, owners.get(name))
        if found is None:
            raise unknown("coordinate", name, self.coordinates, element)
        if found.nq != found.nv:
            raise ModelError(
                f"joint '{found.name}' turns by a quaternion",
                element=element,
                cure="use a joint whose velocities are the rates of its coordinates",
            )
        if found.follows:
            raise ModelError(
                f"joint '{name}' follows another",
                element=element,
                cure="use the coordinate of the joint that leads",
            )
        if name in found.coordinates:
            return name
        if len(found.coordinates) != 1:
            raise ModelError(
                f"joint '{name}' has {len(found.coordinates)} coordinates",
                element=element,
                cure=f"name one of {', '.join(found.coordinates) or 'another joint'}",
            )
        return found.coordinates[0]

    def _laws(self, law: Any, names: Mapping[str, Any], element: str) -> tuple[Node, ...]:
        """The expressions of a law, each of known symbols only."""
        for name in spelled(names):
            if name in self.parameters:
                raise ModelError(
                    f"in laws '{name}' is not the parameter of that name",
                    element=element,
                    cure="rename the parameter",
                )
        value = traced(law, names, element)
        value = value.tolist() if isinstance(value, np.ndarray) else value
        several = isinstance(value, Sequence) and not isinstance(value, str)
        entries = value if several else [value]
        if any(isinstance(entry, bool) for entry in entries):
            raise ModelError(
                "a truth value is not a law",
                element=element,
                cure="give a number, an expression or a function",
            )
        try:
            laws = tuple(as_node(entry) for entry in entries)
        except ExpressionError as error:
            raise ModelError(
                error.problem, element=element, cure="give a number, an expression or a function"
            ) from error
        known = {row.symbol for row in self.parameters.values()} | set(spelled(names).values())
        for found in symbols(laws):
            if found not in known:
                listed = sorted(entry.name for entry in known)
                raise unknown("name", found.name, listed, f"{element} law")
            if not found.name.replace(".", "_").isidentifier():
                raise ModelError(
                    f"'{found.name}' cannot be written in a law",
                    element=element,
                    cure="name the coordinate by letters, digits and underscores",
                )
        return laws


def spelled(names: Mapping[str, Any]) -> dict[str, Node]:
    """The symbols a law may use, by their own names: q_NAME, qd_NAME, t, x_NAME, x, y, z."""
    return {node.name: node for entry in names.values() for node in _nodes(entry)}


def _nodes(entry: Any) -> Iterator[Node]:
    """The symbols in a mapping or tuple of symbols, or the symbol itself."""
    if isinstance(entry, Node):
        yield entry
        return
    for part in entry.values() if isinstance(entry, Mapping) else entry:
        yield from _nodes(part)


def traced(law: Any, names: Mapping[str, Any], element: str) -> Any:
    """What a law gives: itself, or the result of the function of the symbols it asks for."""
    if not callable(law):
        return law
    given = _asked(law, names, element)
    try:
        return law(*given.args, **given.kwargs)
    except TypeError as error:  # math.sin(q), q > 0 and the like
        raise ModelError(
            f"its function cannot be called with symbols ({error})",
            element=element,
            cure="use kinetree.functions in place of math, NumPy and comparisons",
        ) from error


def _asked(
    law: Callable[..., Any], names: Mapping[str, Any], element: str
) -> inspect.BoundArguments:
    """The arguments that a function asks for by name; others must have a default, and keep it."""
    try:
        signature = inspect.signature(law)
    except ValueError:  # some functions written in C
        raise ModelError(
            "its function does not tell its arguments",
            element=element,
            cure="wrap it: lambda q: function(q['name'])",
        ) from None
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


__all__ = [
    "Law", "LawMethods", "Named", "coordinate_symbol", "spelled", "state_symbol", "time_symbol",
    "traced", "velocity_symbol",
]  # fmt: skip
