"""PAC2002: the magic formula of Pacejka's book with the coefficients of a tyre property file.

With the load F_z, F_z0' = LFZO F_z0 and df = (F_z - F_z0')/F_z0', the forces in pure slip are

    F_x0 = D_x sin(C_x atan(B_x κ_x - E_x (B_x κ_x - atan(B_x κ_x)))) + S_Vx,   κ_x = κ + S_Hx
    F_y0 = D_y sin(C_y atan(B_y α_y - E_y (B_y α_y - atan(B_y α_y)))) + S_Vy,   α_y = α + S_Hy
    M_z  = -t F_y + M_zr

and their factors polynomials of df and of the camber γ, at their lines below.  Slips, camber and
forces have the signs of `wheels`, which are those of the formula (a cornering stiffness PKY1 < 0).

**Combined slip** by the friction ellipse: files often have no coefficients for it (RBX1, RBY1, …),
and these are refused.  The slip points along (κ, tan α), and each force goes down as the other
takes its share,

    F_x = F_x0/√(1 + (tan α s_x/D_y)²),   F_y = F_y0/√(1 + (κ s_y/D_x)²),   s = |F|/|slip|

which leaves pure slip as it is and keeps (F_x/D_x)² + (F_y/D_y)² at one where both slide.

Steady state: no relaxation length (PTX, PTY), no turn slip, rolling resistance or overturning
moment.  Below the speed `slow` shifts and trail fade, so a tyre at rest has no force but its load.

| argument | meaning |
|---|---|
| coefficients | by the names of the property file, PCX1 … QHZ4, scale factors LFZO … (1 if left |
|  | out) and BREFF, DREFF, FREFF of the effective radius; those left out are 0 |
| nominal_load | F_z0, FNOMIN of the file [N] |
| side | "left" or "right": a tyre measured on the left is mirrored on the right |
| grip | factor of the friction μ of both directions, for other roads |

Refs: Pacejka2006 sec. 4.3.2; KuiperVanOosten2007
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from kinetree.engine import ONE, Node, atan, cos, exp, number, sign, sin, sqrt
from kinetree.errors import ModelError, unknown
from kinetree.forces.branches import select
from kinetree.forces.wheels import Forces, Running, check, size, third_of_depth, tyre
from kinetree.model import REQUIRED, Action, Force

LONGITUDINAL = (
    "PCX1", "PDX1", "PDX2", "PDX3", "PEX1", "PEX2", "PEX3", "PEX4", "PKX1", "PKX2", "PKX3",
    "PHX1", "PHX2", "PVX1", "PVX2",
)  # fmt: skip
LATERAL = (
    "PCY1", "PDY1", "PDY2", "PDY3", "PEY1", "PEY2", "PEY3", "PEY4", "PKY1", "PKY2", "PKY3",
    "PHY1", "PHY2", "PHY3", "PVY1", "PVY2", "PVY3", "PVY4",
)  # fmt: skip
ALIGNING = (
    "QBZ1", "QBZ2", "QBZ3", "QBZ4", "QBZ5", "QBZ9", "QBZ10", "QCZ1", "QDZ1", "QDZ2", "QDZ3",
    "QDZ4", "QDZ6", "QDZ7", "QDZ8", "QDZ9", "QEZ1", "QEZ2", "QEZ3", "QEZ4", "QEZ5", "QHZ1",
    "QHZ2", "QHZ3", "QHZ4",
)  # fmt: skip
SCALES = (
    "LFZO", "LCX", "LMUX", "LEX", "LKX", "LHX", "LVX", "LGAX", "LCY", "LMUY", "LEY", "LKY", "LHY",
    "LVY", "LGAY", "LTR", "LRES", "LGAZ",
)  # fmt: skip
ROLLING = ("BREFF", "DREFF", "FREFF")
KNOWN = (*LONGITUDINAL, *LATERAL, *ALIGNING, *SCALES, *ROLLING)
NEEDED = ("PCX1", "PDX1", "PKX1", "PCY1", "PDY1", "PKY1", "PKY2")
NOT_MODELLED = {
    "R": "combined slip, for which the friction ellipse stands in",
    "S": "the lever of the longitudinal force",
    "PT": "relaxation: slip is steady here",
    "QSX": "the overturning moment",
    "QSY": "rolling resistance",
}
"""How names begin that a file may have and this element has no use for."""
SMALL = 1e-4
"""Slip below which the secant of a curve is its tangent."""
TINY = 1e-16
"""Keeps the slope of a square root finite at zero."""


class TyreFactors:
    """The coefficients of one tyre, with load, camber and fading at its present state."""

    def __init__(self, act: Action, force: Force, run: Running) -> None:
        given = force.arguments["coefficients"]
        self._values = {**dict.fromkeys(KNOWN, 0.0), **dict.fromkeys(SCALES, 1.0), **given}
        self.side = number(1 if force.arguments["side"] == "left" else -1)
        nominal = act.value("nominal_load") * self["LFZO"]
        self.ratio = act.let("ratio", run.load / nominal)  # F_z/F_z0'
        self.df = self.ratio - ONE
        self.fade = act.let("fade", run.vx * run.vx / (run.ahead * run.ahead))
        self.grip = act.value("grip")

    def __getitem__(self, name: str) -> Node:
        return number(self._values[name])

    def along(self, *names: str) -> Node:
        """A polynomial of df."""
        total, power = self[names[0]], self.df
        for name in names[1:]:
            total, power = total + self[name] * power, power * self.df
        return total


def law(act: Action, force: Force, run: Running) -> Forces:
    """F_x, F_y, M_z."""
    c = TyreFactors(act, force, run)
    alpha, gamma, slope = c.side * run.alpha, c.side * run.gamma, c.side * run.tan_alpha
    x = _longitudinal(act, c, run.kappa, gamma)
    y = _lateral(act, c, alpha, gamma)
    s_x = _secant(x.pure, x.K, x.slip)
    s_y = _secant(y.pure, y.K, slope + y.S_H)
    Fx = (x.pure + x.S_V) / sqrt(ONE + (slope * s_x / y.mu) ** 2)
    Fy = act.let("Fy", (y.pure + y.S_V) / sqrt(ONE + (run.kappa * s_y / x.mu) ** 2))
    Mz = _aligning(act, c, run, (alpha, gamma), (x, y), Fy)
    return run.load * Fx, c.side * run.load * Fy, c.side * run.load * Mz


class PureSlip:
    """One force per load in pure slip: its sine, stiffness K, friction, shifts, shifted slip."""

    def __init__(self, act: Action, name: str, factors: tuple[Node, ...]) -> None:
        self.slip, self.C, self.mu, self.E, self.K, self.S_H, self.S_V = (
            act.let(f"{name}_{stem}", x)
            for stem, x in zip(("slip", "C", "mu", "E", "K", "SH", "SV"), factors, strict=True)
        )
        self.B = act.let(f"{name}_B", self.K / (self.C * self.mu))  # Pacejka2006 (4.E16), (4.E26)
        self.pure = act.let(
            f"{name}_pure", self.mu * sin(self.C * _bend(self.B * self.slip, self.E))
        )


def _longitudinal(act: Action, c: TyreFactors, kappa: Node, gamma: Node) -> PureSlip:
    """F_x0/F_z; equations (4.E9) to (4.E18) of Pacejka2006."""
    g = gamma * c["LGAX"]
    S_H = c.along("PHX1", "PHX2") * c["LHX"] * c.fade  # (4.E17)
    slip = kappa + S_H  # (4.E10)
    C = c["PCX1"] * c["LCX"]  # (4.E11)
    mu = c.along("PDX1", "PDX2") * (ONE - c["PDX3"] * g * g) * c["LMUX"] * c.grip  # (4.E13)
    E = c.along("PEX1", "PEX2", "PEX3") * (ONE - c["PEX4"] * sign(slip)) * c["LEX"]  # (4.E14)
    K = c.along("PKX1", "PKX2") * exp(c["PKX3"] * c.df) * c["LKX"]  # (4.E15), over F_z
    S_V = c.along("PVX1", "PVX2") * c["LVX"] * c["LMUX"] * c.grip * c.fade  # (4.E18)
    return PureSlip(act, "x", (slip, C, mu, _at_most_one(E), K, S_H, S_V))


def _lateral(act: Action, c: TyreFactors, alpha: Node, gamma: Node) -> PureSlip:
    """F_y0/F_z; equations (4.E19) to (4.E30) of Pacejka2006.

    sin(2 atan x) = 2x/(1 + x²) divides the load out of the cornering stiffness.
    """
    g = gamma * c["LGAY"]
    S_H = (c.along("PHY1", "PHY2") * c["LHY"] + c["PHY3"] * g) * c.fade  # (4.E27)
    slip = alpha + S_H  # (4.E20)
    C = c["PCY1"] * c["LCY"]  # (4.E21)
    mu = c.along("PDY1", "PDY2") * (ONE - c["PDY3"] * g * g) * c["LMUY"] * c.grip  # (4.E23)
    turned = ONE - (c["PEY3"] + c["PEY4"] * g) * sign(slip)
    E = c.along("PEY1", "PEY2") * turned * c["LEY"]  # (4.E24)
    part = c.ratio / c["PKY2"]
    K = c["PKY1"] * 2 / c["PKY2"] / (ONE + part * part)  # (4.E25), over F_z
    K = K * (ONE - c["PKY3"] * size(g)) * c["LKY"]
    lean = c.along("PVY3", "PVY4") * g
    S_V = (c.along("PVY1", "PVY2") * c["LVY"] + lean) * c["LMUY"] * c.grip * c.fade  # (4.E29)
    return PureSlip(act, "y", (slip, C, mu, _at_most_one(E), K, S_H, S_V))


def _aligning(
    act: Action,
    c: TyreFactors,
    run: Running,
    angles: tuple[Node, Node],
    curves: tuple[PureSlip, PureSlip],
    Fy: Node,
) -> Node:
    """M_z/F_z from F_y/F_z; equations (4.E31) to (4.E49) of Pacejka2006, (4.E71) to (4.E78).

    cos'α = v_x/v has the sign of the speed, so the trail stays behind in reverse.
    """
    (alpha, gamma), (x, y) = angles, curves
    g, R0 = gamma * c["LGAZ"], act.value("radius")
    S_Ht = c.along("QHZ1", "QHZ2") + c.along("QHZ3", "QHZ4") * g  # (4.E35)
    S_Hf = y.S_H + y.S_V / y.K  # (4.E38)
    pull = x.K / y.K * run.kappa
    a_t = act.let("trail_slip", _equivalent(alpha + S_Ht * c.fade, pull))  # (4.E77)
    a_r = act.let("residual_slip", _equivalent(alpha + S_Hf, pull))  # (4.E78)
    share = c["LKY"] / (c["LMUY"] * c.grip)
    B_t = c.along("QBZ1", "QBZ2", "QBZ3") * (ONE + c["QBZ4"] * g + c["QBZ5"] * size(g)) * share
    D_t = c.along("QDZ1", "QDZ2") * (ONE + c["QDZ3"] * g + c["QDZ4"] * g * g) * c["LTR"]  # (4.E42)
    D_t = D_t * c.ratio * c["LFZO"] * R0
    bent = c["QEZ4"] + c["QEZ5"] * g
    E_t = ONE + bent * (2 / math.pi) * atan(B_t * c["QCZ1"] * a_t)
    E_t = _at_most_one(c.along("QEZ1", "QEZ2", "QEZ3") * E_t)  # (4.E44)
    trail = D_t * cos(c["QCZ1"] * _bend(B_t * a_t, E_t))  # (4.E33)
    B_r = c["QBZ9"] * share + c["QBZ10"] * y.B * y.C  # (4.E45)
    D_r = c.along("QDZ6", "QDZ7") * c["LRES"] + c.along("QDZ8", "QDZ9") * g  # (4.E47)
    residual = D_r * R0 * c["LMUY"] * c.grip * cos(atan(B_r * a_r))  # (4.E36)
    forward = run.vx / sqrt(run.ahead * run.ahead + run.vy * run.vy)
    return (residual - trail * Fy) * forward  # (4.E31), (4.E71)


def _bend(X: Node, E: Node) -> Node:
    """atan(X - E (X - atan X)), the argument of the magic formula."""
    return atan(X - E * (X - atan(X)))


def _secant(force: Node, stiffness: Node, slip: Node) -> Node:
    """|force/slip|; the stiffness where the slip is zero, without a branch."""
    little = (stiffness * SMALL) ** 2
    return sqrt((force * force + little) / (slip * slip + SMALL * SMALL))


def _equivalent(angle: Node, pull: Node) -> Node:
    """Slip angle that counts for trail and residual torque where the tyre also drives."""
    slope = sin(angle) / cos(angle)
    return sign(angle) * atan(sqrt(slope * slope + pull * pull + TINY))


def _at_most_one(E: Node) -> Node:
    """The curvature: above 1 the curve would turn back."""
    return select(ONE - E, E, ONE)


def rolling_radius(act: Action, force: Force, depth: Node) -> Node:
    """R0 - ρ0 (D atan(B ρ/ρ0) + F ρ/ρ0), ρ0 = F_z0/k; KuiperVanOosten2007 (effective radius)."""
    B, D, F = (force.arguments["coefficients"].get(name) for name in ROLLING)
    if B is None or D is None or F is None:
        return third_of_depth(act, force, depth)
    rest = act.value("nominal_load") / act.value("stiffness")
    share = depth / rest
    return act.value("radius") - rest * (number(D) * atan(number(B) * share) + number(F) * share)


def check_coefficients(arguments: Mapping[str, Any], element: str) -> None:
    """Refuse coefficients that are unknown, of what is not modelled, or no numbers."""
    check(arguments, element)
    given = arguments["coefficients"]
    if arguments["side"] not in ("left", "right"):
        said = f"side is {arguments['side']!r}"
        raise ModelError(said, element=element, cure="use left or right")
    if not isinstance(given, Mapping):
        cure = "give the numbers by the names of the property file, such as PCX1: 1.6"
        said = f"its coefficients are {type(given).__name__}, not a mapping from names to numbers"
        raise ModelError(said, element=element, cure=cure)
    for name, value in given.items():
        _check_one(str(name), value, element)
    for name in NEEDED:
        if not given.get(name):
            said = f"it has no coefficient {name}, or zero"
            raise ModelError(said, element=element, cure="take it from the property file")


def _check_one(name: str, value: Any, element: str) -> None:
    """Refuse one coefficient."""
    if name not in KNOWN:
        for start, what in NOT_MODELLED.items():
            if name.startswith(start):
                said = f"coefficient {name} is of {what}"
                raise ModelError(said, element=element, cure="leave it out")
        raise unknown("coefficient", name, KNOWN, element)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        said = f"coefficient {name} is {value!r}"
        raise ModelError(said, element=element, cure="give a number")


OPTIONS = {"coefficients": REQUIRED, "nominal_load": REQUIRED, "side": "left", "grip": 1}
UNITS = {"nominal_load": "N", "grip": "1"}
KIND = tyre("tyre_pac2002", law, OPTIONS, UNITS, check_coefficients, rolling_radius)
