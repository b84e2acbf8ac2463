"""Quantities of models given by position matrices: the inputs and outputs of `quantities`.

Refs: Verlinden2005
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from kinetree.engine import symbols
from kinetree.errors import UnsupportedError
from kinetree.formalism.matrices import dalembert
from kinetree.formalism.quantities import JOINT_LAWS, declare_inputs, declare_laws
from kinetree.model import elements, time_symbol, uses_time
from kinetree.program import Program, Scheme
from kinetree.program.program import Input

if TYPE_CHECKING:
    from kinetree.formalism.matrices.placement import Placement

FORMALISM = "dalembert"
"""The one way from position matrices to equations."""


@dataclass(frozen=True)
class PlacedQuantity:
    """One row: how a quantity is written down.

    Attributes:
        rates: third input after q and qd: "qdd", "tau", "gamma" or none.
        write: (scheme, placement, rates, the row's options by name) -> nothing.
        wrenches: whether external wrenches go in.
        laws: whether user states go in.
        options: arguments of `derive` that the function takes.
    """

    rates: str
    write: Callable[..., None]
    wrenches: bool = True
    laws: bool = True
    options: tuple[str, ...] = ()


PLACED: dict[str, PlacedQuantity] = {
    "inverse": PlacedQuantity("qdd", dalembert.inverse),
    "mass_bias": PlacedQuantity("", dalembert.mass_bias),
    "forward": PlacedQuantity("tau", dalembert.forward),
    **{
        name: PlacedQuantity("gamma", partial(dalembert.write_joints, law), options=("known",))
        for name, law in JOINT_LAWS.items()
    },
    "gaps": PlacedQuantity("", dalembert.gaps, wrenches=False),
    "energy": PlacedQuantity("", dalembert.energy, wrenches=False),
    "forces": PlacedQuantity("", dalembert.forces, wrenches=False),
    "kinematics": PlacedQuantity(
        "qdd", dalembert.kinematics, wrenches=False, laws=False, options=("points",)
    ),
}
DERIVATIVES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "inverse_derivatives": ("inverse", "tau", ("q", "qd", "qdd")),
    "forward_derivatives": ("forward", "qdd", ("q", "qd", "tau")),
}
"""Quantity -> the quantity whose Program is differentiated, its output, and by what."""
NO_JOINTS = ("which name no joints", "describe it as a Model of joints")
ELSEWHERE: dict[str, tuple[str, str]] = {
    "reaction": NO_JOINTS,
    "reactions": NO_JOINTS,
    "regressor": ("whose equations are not sorted by mass properties", NO_JOINTS[1]),
    "reaction_regressor": ("whose equations are not sorted by mass properties", NO_JOINTS[1]),
    "jacobians": ("whose points have one", "derive 'kinematics'"),
    "gravity": ("whose equations are not sorted by gravity", "take c of 'mass_bias' at qd = 0"),
    "coriolis": ("which name no axes", NO_JOINTS[1]),
    "centroidal": ("which name no axes", NO_JOINTS[1]),
    "constraints": ("which satisfy all conditions by themselves", "leave the constraints out"),
    "drives": ("in which a given motion is an expression of t", "derive 'kinematics'"),
}
"""Quantity that such a model does not offer -> why, and what to do instead."""


def derive_placed(system: Placement, quantity: str, **options: Any) -> Program:
    """The Program of a quantity, not yet condensed; options the row does not take are left."""
    if quantity not in PLACED:
        problem, cure = ELSEWHERE[quantity]
        element = f"{quantity} of model '{system.model.name}'"
        problem = f"it is given by position matrices, {problem}"
        raise UnsupportedError(problem, element=element, cure=cure)
    row = PLACED[quantity]
    scheme = Scheme(f"{system.model.name}_{quantity}")
    rates = declare_inputs(scheme, system, row.rates, wrenches=row.wrenches)
    timed = row.laws and uses_time(system.model)
    if row.laws:
        declare_laws(scheme, system.model)
    if _moves_with_time(system) and not timed:
        scheme.input(Input("t", (), (time_symbol(),), None, False, ("t",), ("s",)))
    taken = {name: options[name] for name in row.options if name in options}
    row.write(scheme, system, rates, **taken)
    return scheme.program()


def _moves_with_time(system: Placement) -> bool:
    """Whether the matrices hold the time."""
    found = [x for T in system.model.matrices.values() for x in elements(T)]
    return time_symbol() in symbols(found)
