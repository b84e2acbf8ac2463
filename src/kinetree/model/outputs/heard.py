"""Outputs in laws that are evaluated before the accelerations: rates of states, laws of forces.

They may use whatever follows from q, qd, t, x and parameters alone: what force elements tell of
themselves, and how points move.  Accelerations, reactions and energies of the whole are found
after them.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from kinetree.engine import Node, substitute, symbols
from kinetree.errors import ModelError
from kinetree.model.laws import law_symbol
from kinetree.model.outputs.elements import Seen
from kinetree.model.outputs.names import Offered, offers, output_names, signals

if TYPE_CHECKING:
    from kinetree.model.mechanism import Mechanism

HEARING = ("law", "force", "torque")
"""Laws of forces that are forces by themselves: they may use outputs of other elements."""
EARLY_POINTS = ("position", "velocity", "rotation", "orientation", "angular_velocity")
"""What is known of a point before the accelerations are."""


def with_outputs(
    model: Mechanism, law: Any, names: Mapping[str, Any], element: str
) -> dict[str, Any]:
    """What a law may use, with outputs, of which there are many, where it asks for them."""
    if not _asks_outputs(model, law, names):
        return dict(names)
    return {**names, "outputs": output_names(model, element)["outputs"]}


def _asks_outputs(model: Mechanism, law: Any, names: Mapping[str, Any]) -> bool:
    """Whether a function has the argument, or an expression names what the law does not know."""
    if isinstance(law, Node):
        return bool(_foreign(model, [law], names))
    if callable(law):
        try:
            asked = inspect.signature(law).parameters.values()
        except ValueError:  # some functions written in C
            return False
        return any(row.name == "outputs" or row.kind is row.VAR_KEYWORD for row in asked)
    if isinstance(law, str) or not isinstance(law, Iterable):
        return False
    parts = law.values() if isinstance(law, Mapping) else law
    return any(_asks_outputs(model, part, names) for part in parts)


def heard_outputs(
    model: Mechanism, laws: Iterable[Node], names: Mapping[str, Any], element: str
) -> tuple[Offered, ...]:
    """The outputs that laws name, those of the user's own written out; late ones are refused.

    Args:
        model: that offers them.
        laws: expressions.
        names: what they may use besides, under the names of a function's arguments.
        element: how sentences call the laws.
    """
    waiting = _foreign(model, laws, names)
    if not waiting:
        return ()
    known = {one.symbol: one for row in offers(model).values() for one in signals(row)}
    found: dict[Node, Offered] = {}
    while waiting:
        node = waiting.pop()
        if node in found or node not in known:
            continue
        row = found[node] = known[node]
        _refuse_late(model, row, element)
        what = model.outputs[row.key].what if row.source == "own" else None
        if isinstance(what, Node):
            waiting += symbols([what])
    return tuple(found.values())


def write_own(model: Mechanism, laws: list[Node], heard: Iterable[Offered]) -> list[Node]:
    """Laws with the expressions of the user's own outputs in place of their names."""
    own = {
        row.symbol: what
        for row in heard
        if row.source == "own" and isinstance(what := model.outputs[row.key].what, Node)
    }
    while own and not own.keys().isdisjoint(symbols(laws)):  # an output uses those before it alone
        laws = substitute(laws, own)
    return laws


def _refuse_late(model: Mechanism, row: Offered, element: str) -> None:
    """Refuse an output that is found with or after the accelerations."""
    if not _is_early(model, row):
        raise ModelError(
            f"'{row.name}' is found with the accelerations, after this law",
            element=element,
            cure="use q, qd, x, motions of points up to velocities, or forces of elements",
        )


def _is_early(model: Mechanism, row: Offered) -> bool:
    """Whether an output follows from q, qd, t, x and parameters."""
    if row.source == "own":
        what = model.outputs[row.key].what
        return not isinstance(what, Seen) or what.quantity in EARLY_POINTS
    if row.source == "motion":
        return row.key not in ("qdd", "tau")
    if row.source == "kinematics":
        return row.key.rpartition(".")[2] in EARLY_POINTS
    return row.source == "forces"


def _foreign(model: Mechanism, laws: Iterable[Node], names: Mapping[str, Any]) -> list[Node]:
    """The symbols of laws that are neither among the names nor parameters."""
    used = symbols(laws)
    if not used:
        return []
    own = {row.symbol for row in model.parameters.values()}
    return [n for n in used if n not in own and law_symbol(names, n.name) is not n]
