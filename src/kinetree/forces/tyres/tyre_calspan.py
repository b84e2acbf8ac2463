"""Calspan tyre: lateral force and aligning torque by a cubic saturation of the slip angle.

With the load F, in the contact frame of `wheels`:

    μ = (B1 F + B3 + B4 F²) SN
    K = (A0 A2 - A1 F (F - A2))/A2                  cornering stiffness [N/rad], F ≤ Aw A2
    α_γ = A3 (A4 - F) F/(A4 K) γ                    slip angle worth the camber, F ≤ Aw A2
    K = A0,  α_γ = A2 A3 (A4 - A2)/(A0 A4) γ        above
    a = -K (α + α_γ)/(μ F),   g = a - a|a|/3 + a³/27 where |a| < 3, else sign(a)
    F_y = μ F g,   M_z = (AF1 F + AF2 |F_y|) F_y

The equations are followed for every load.  Far above the loads they were measured at the polynomial
μ is negative (for the tyres of the benchmark beyond 26.5 kN, met when a stop is hit); a then has
the opposite sign and F_y still opposes the slip.

The forces act in newtons: A0 [N/rad], A1 [1/rad], A2, A4 [N], A3 [1/rad], B1 [1/N], B4 [1/N²],
AF1, AF2 [m/N]; B3, SN, Aw are pure numbers.  `slip_stiffness` [N] adds F_x = C_κ κ.

Refs: FrikLeisterSchwartz1993
"""

from __future__ import annotations

from kinetree.engine import ONE, Node, sign
from kinetree.forces.branches import select
from kinetree.forces.wheels import Forces, Running, size, tyre
from kinetree.model import REQUIRED, Action, Force

LEAST = 1e-9
"""Size of μ F below which the slip of a tyre is not referred to its load any more [N]."""


def law(act: Action, force: Force, run: Running) -> Forces:
    """F_x, F_y, M_z."""
    del force
    F = run.load
    mu = act.let("mu", (act.value("B1") * F + act.value("B3") + act.value("B4") * F * F)
                 * act.value("SN"))  # fmt: skip
    most = act.let("most", mu * F)
    pull = act.let("pull", _pull(act, run))
    a = act.let("a", -pull / select(size(most) - LEAST, most, LEAST))
    Fy = act.let("Fy", most * saturation(a))
    Mz = (act.value("AF1") * F + act.value("AF2") * size(Fy)) * Fy
    return act.value("slip_stiffness") * run.kappa, Fy, Mz


def _pull(act: Action, run: Running) -> Node:
    """K (α + α_γ) [N]; K α_γ is free of the division by K."""
    A0, A1, A2, A3, A4 = (act.value(f"A{k}") for k in range(5))
    F = run.load
    K = (A0 * A2 - A1 * F * (F - A2)) / A2
    camber = A3 * (A4 - F) * F / A4
    heavy = F - act.value("Aw") * A2
    K = select(heavy, A0, K)
    camber = select(heavy, A2 * A3 * (A4 - A2) / A4, camber)
    return K * run.alpha + camber * run.gamma


def saturation(a: Node) -> Node:
    """g(a): slope one at zero, one with slope zero from |a| = 3 on."""
    inner = a * (ONE - size(a) / 3 + a * a / 27)
    return select(size(a) - 3, sign(a), inner)


UNITS = {
    "A0": "N/rad",
    "A1": "1/rad",
    "A2": "N",
    "A3": "1/rad",
    "A4": "N",
    "Aw": "1",
    "B1": "1/N",
    "B3": "1",
    "B4": "1/N2",
    "SN": "1",
    "AF1": "m/N",
    "AF2": "m/N",
    "slip_stiffness": "N",
}
DEFAULTS = {"Aw": 1, "B4": 0, "SN": 1, "AF1": 0, "AF2": 0, "slip_stiffness": 0}
KIND = tyre("tyre_calspan", law, {key: DEFAULTS.get(key, REQUIRED) for key in UNITS}, UNITS)
