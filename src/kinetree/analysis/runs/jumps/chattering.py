"""Laws that chatter: at a change of branch whose both sides drive the motion back to it.

A condition g(t, y) of a branch is passed with the speed gd = ∂g/∂t + ∂g/∂y · yd.  Just above zero
and just below it y± differ by next to nothing, but yd by the jump of the law.  Where

    gd(y+) < 0 < gd(y-)

no step gets away from g = 0, however short it is.  The same holds of a condition that does not see
the jump, as the depth of a contact, where it rests and gdd changes its sign.

Refs: Filippov1988
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.runs.events import branches
from kinetree.arrays import Array
from kinetree.assembly import with_values
from kinetree.errors import KinetreeError
from kinetree.integrate.without_value import known_parameters, whereabouts
from kinetree.pipeline import derive
from kinetree.program import Program
from kinetree.program.passes import condense
from kinetree.program.state_form import state_inputs

if TYPE_CHECKING:
    from kinetree.analysis.runs.dynamics import Dynamics

NEAR, BESIDE = 1e-5, 1e-6
"""Shares of the state: within which a condition counts as zero; how far beside it one looks."""
SLOW = 1e-2
"""Share of the state below which a condition rests."""
COMPLEX, AHEAD = 1e-30, 1e-9
"""Steps of slopes; along the motion, short enough to stay on its side [s]."""


def name_chattering(system: Dynamics, t: float, y: Array) -> str:
    """A phrase for the law that chatters at a state; empty where none does."""
    program = _conditions(system)
    g, along_t, along_y = _slopes(system, program, t, y)
    size = 1 + float(np.abs(y).max())
    for k, label in enumerate(program.outputs[0].labels):
        steep = float(np.linalg.norm(along_y[k]))
        if not 0 < steep < np.inf or abs(g[k]) > NEAR * size * steep:
            continue
        way = along_y[k] / steep
        sides = [y + way * (sign * BESIDE * size - g[k] / steep) for sign in (1, -1)]
        first, second = _speeds(system, t, sides, along_t[k], along_y[k])
        rests = max(map(abs, first)) < SLOW * size * steep
        if first[0] < 0 < first[1] or (rests and second[0] < 0 < second[1]):
            return f"{_jumping(system, t, sides)} chatters where {label} passes zero"
    return ""


def _speeds(
    system: Dynamics, t: float, sides: list[Array], along_t: float, along_y: Array
) -> tuple[list[float], list[float]]:
    """gd and gdd on both sides."""
    first, second = [], []
    for side in sides:
        f = system.rates(t, side)
        later = system.rates(t, side + AHEAD * f)
        first.append(float(along_t + along_y @ f))
        second.append(float(along_y @ (later - f)) / AHEAD)
    return first, second


def _conditions(system: Dynamics) -> Program:
    """The Program of the conditions of all branches, of t and y."""
    forward = system.forward
    own = replace(forward, inputs=state_inputs(forward), outputs=(branches(forward),))
    return with_values(condense(own), system.parameters)


def _slopes(system: Dynamics, program: Program, t: float, y: Array) -> tuple[Array, Array, Array]:
    """Conditions, and their slopes over the time and the state."""
    q, qd, _ = system.split(y)
    moved = y + COMPLEX * 1j * np.vstack([np.zeros(len(y)), np.eye(len(y))])
    times = np.full(len(moved), t, dtype=complex)
    times[0] += COMPLEX * 1j
    loads = system.loads.at(t, q, qd)
    found = program.evaluate_some(**{**loads, "t": times, "y": moved})["conditions"]
    slopes = found.imag / COMPLEX
    return found[0].real, slopes[0], slopes[1:].T


def _jumping(system: Dynamics, t: float, sides: list[Array]) -> str:
    """A phrase for the force that differs most from one side to the other."""
    most, named = 0.0, "a law"
    for name, force in system.model.forces.items():
        alone = copy(system.model)
        alone.closures, alone.drives, alone.forces = {}, {}, {name: force}
        try:
            own = known_parameters(alone, system.parameters)
            program = with_values(derive(alone, "mass_bias"), own)
            one, other = (_effort(system, program, t, side) for side in sides)
        except KinetreeError:
            continue
        jump = float(np.abs(one - other).max(initial=0.0))
        if jump > most:
            most, named = jump, whereabouts(name, force)
    return named


def _effort(system: Dynamics, program: Program, t: float, y: Array) -> Any:
    q, qd, x = system.split(y)
    given = {"q": q, "qd": qd, "x": x, "t": np.array(t), **system.loads.at(t, q, qd)}
    return program.evaluate_some(**given)["c"]
