"""Magic formula of 1987: curves whose factors depend on the load, combined by the resultant slip.

Each of the three curves is, with its slip X (κ in percent for F_x, α in degrees for F_y and M_z),
the load F in kilonewtons and eight coefficients a1 … a8 and a shape factor C:

    Y(X) = D sin(C atan(B X - E (B X - atan(B X))))
    D = a1 F² + a2 F,   E = a6 F² + a7 F + a8
    B C D = a3 sin(a4 atan(a5 F))            for F_y
    B C D = (a3 F² + a4 F)/exp(a5 F)         for F_x and M_z

Camber shifts the lateral slip by a9 γ and the force by (a10 F² + a11 F) γ, γ in degrees; these
three coefficients may be left out.  Here α, γ and forces have the signs of `wheels`, so that
F_y = -(Y_y + shift), M_z = -Y_z.

Combined slip: with σ = √(κ² + tan²α'), α' the shifted slip angle, each curve is taken at the
resultant slip and pointed against it:

    F_x = (κ/σ) Y_x(σ),   F_y = -(tan α'/σ) Y_y(atan σ),   M_z = -(tan α'/σ) Y_z(atan σ)

which gives the curves themselves in pure slip.

| argument | meaning |
|---|---|
| longitudinal, lateral, aligning | coefficients C, a1 … a8, of lateral also a9 … a11; |
|  | an empty list: no such force; by default the tyre printed in the paper |
| grip | factor of all forces, for other roads |
| count | number of equal tyres that share the load of the wheel |

Refs: BakkerNyborgPacejka1987, Pacejka2012 ch. 4
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kinetree.engine import ZERO, Node, as_node, atan, exp, number, sin, sqrt, tan
from kinetree.errors import ModelError
from kinetree.forces.wheels import Forces, Running, check, tyre
from kinetree.model import Action, Force, numbers

LATERAL = (1.30, -22.1, 1011, 1078, 1.82, 0.208, 0, -0.354, 0.707, 0.028, 0, 14.8)
LONGITUDINAL = (1.65, -21.3, 1144, 49.6, 226, 0.069, -0.006, 0.056, 0.486)
ALIGNING = (2.40, -2.72, -2.28, -1.86, -2.73, 0.110, -0.070, 0.643, -4.04)
"""Coefficients of the tyre printed in BakkerNyborgPacejka1987."""
DEGREE = 180 / math.pi
SMALL = 1e-12
"""Square of the slip below which the direction of the resultant slip does not matter."""
LENGTHS = {"longitudinal": (0, 9), "lateral": (0, 9, 12), "aligning": (0, 9)}
"""Numbers of coefficients that each curve may have."""
Stiffness = Callable[[Sequence[Node], Node], Node]


def law(act: Action, force: Force, run: Running) -> Forces:
    """F_x, F_y, M_z."""
    count = number(force.arguments["count"])
    F = act.let("kilonewton", run.load / (1000 * count))
    lateral, longitudinal, aligning = (
        [as_node(a) for a in force.arguments[name]]
        for name in ("lateral", "longitudinal", "aligning")
    )
    a9, a10, a11 = (*lateral[9:], ZERO, ZERO, ZERO)[:3]
    gamma = run.gamma * DEGREE
    slope = run.tan_alpha if a9 is ZERO else tan(run.alpha + a9 * run.gamma)
    slope = act.let("slope", slope)
    slip = act.let("slip", sqrt(run.kappa * run.kappa + slope * slope + SMALL))
    angle = act.let("angle", atan(slip) * DEGREE)
    grip = act.value("grip") * count
    Yx = _curve(longitudinal, F, slip * 100, _exponential)
    Yy = _curve(lateral, F, angle, _arctangent)
    Yz = _curve(aligning, F, angle, _exponential)
    along, aside = grip * run.kappa / slip, act.let("aside", grip * slope / slip)
    shift = grip * (a10 * F * F + a11 * F) * gamma
    return along * Yx, -(aside * Yy) - shift, -(aside * Yz)


def check_curves(arguments: Mapping[str, Any], element: str) -> None:
    """Refuse a wrong number of coefficients or tyres."""
    check(arguments, element)
    for name, lengths in LENGTHS.items():
        numbers(arguments[name], f"{element} {name}", lengths)
    count = arguments["count"]
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise ModelError(f"count is {count!r}", element=element, cure="give a number of tyres")


def _curve(a: Sequence[Node], F: Node, X: Node, stiffness: Stiffness) -> Node:
    """Y(X) at the load F [kN]; B C D/(C D) is B, with D divided out of it by the load."""
    if not a:
        return ZERO
    C, peak = a[0], a[1] * F + a[2]
    B = stiffness(a, F) / (C * peak)
    E = a[6] * F * F + a[7] * F + a[8]
    BX = B * X
    return F * peak * sin(C * atan(BX - E * (BX - atan(BX))))


def _exponential(a: Sequence[Node], F: Node) -> Node:
    """B C D/F of the longitudinal force and the aligning torque."""
    return (a[3] * F + a[4]) / exp(a[5] * F)


def _arctangent(a: Sequence[Node], F: Node) -> Node:
    """B C D/F of the lateral force; at no load its limit a3 a4 a5 is met within 1e-9 kN."""
    light = F + 1e-9
    return a[3] * sin(a[4] * atan(a[5] * light)) / light


OPTIONS = {
    "longitudinal": LONGITUDINAL,
    "lateral": LATERAL,
    "aligning": ALIGNING,
    "grip": 1,
    "count": 1,
}
KIND = tyre("tyre_pacejka", law, OPTIONS, {"grip": "1"}, check_curves)
