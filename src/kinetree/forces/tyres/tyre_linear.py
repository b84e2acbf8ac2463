"""Linear tyre: forces proportional to slip, as in the contact frame of `wheels`.

    F_x = C_κ κ,   F_y = -(C_α α + C_γ γ),   M_z = -trail F_y

| argument | meaning |
|---|---|
| slip_stiffness | C_κ [N] |
| cornering_stiffness, camber_stiffness | C_α, C_γ [N/rad] |
| trail | pneumatic trail [m], positive when F_y acts behind C |
| nominal_load | load at which the coefficients hold, and to which they are proportional [N]; |
|  | 0: they are constant as long as the tyre touches |
| friction | bounds the resultant R smoothly to μ F_z: factor μ F_z/√(R² + (μ F_z)²); 0: no bound |

Refs: Pacejka2012 ch. 1
"""

from __future__ import annotations

from kinetree.engine import ONE, ZERO, Node, sqrt
from kinetree.forces.branches import select
from kinetree.forces.normal_force import TINY
from kinetree.forces.wheels import Forces, Running, tyre
from kinetree.model import Action, Force


def law(act: Action, force: Force, run: Running) -> Forces:
    """F_x, F_y, M_z."""
    del force
    share = _share(act, run.load)
    Fx = share * act.value("slip_stiffness") * run.kappa
    slips = act.value("cornering_stiffness") * run.alpha + act.value("camber_stiffness") * run.gamma
    Fy = -(share * slips)
    mu = act.value("friction")
    if mu is not ZERO:
        most = mu * run.load
        bound = act.let("bound", most / sqrt(Fx * Fx + Fy * Fy + most * most + TINY))
        Fx, Fy = Fx * bound, Fy * bound
    Fy = act.let("Fy", Fy)
    return Fx, Fy, -(act.value("trail") * Fy)


def _share(act: Action, load: Node) -> Node:
    """The part of the coefficients that the load calls for."""
    nominal = act.value("nominal_load")
    return select(load, ONE, ZERO) if nominal is ZERO else load / nominal


UNITS = {
    "slip_stiffness": "N",
    "cornering_stiffness": "N/rad",
    "camber_stiffness": "N/rad",
    "trail": "m",
    "nominal_load": "N",
    "friction": "1",
}
KIND = tyre("tyre_linear", law, dict.fromkeys(UNITS, 0), UNITS)
