"""PAC2002 once more, by plain numbers and the book's order, for one tyre: an independent witness.

Equations (4.E1) to (4.E78) of Pacejka2006, with loads in newtons and every factor as printed there
(the element divides the load out); combined slip by the friction ellipse.
"""

from __future__ import annotations

import math
from typing import Any

import yaml
from tests.reference.iltis import ROOT

DATA: dict[str, Any] = yaml.safe_load(
    (ROOT / "tests/data/suspensions/car_hardpoints.yaml").read_text(encoding="utf-8")
)["tyre"]
COEFFICIENTS: dict[str, float] = {
    name: value
    for part in ("longitudinal", "lateral", "aligning")
    for name, value in DATA[part].items()
    if not name.startswith("PT")
} | {"LFZO": DATA["general"]["LFZO"]}
ARGUMENTS = {"coefficients": COEFFICIENTS, "nominal_load": DATA["general"]["Fz0"]}
R0 = 0.36  # the wheel of the tests


def magic(B: float, C: float, D: float, E: float, X: float) -> float:
    return D * math.sin(C * math.atan(B * X - min(E, 1) * (B * X - math.atan(B * X))))


def forces(
    Fz: float, alpha: float, kappa: float, gamma: float, way: float = 1
) -> tuple[float, float, float]:
    """F_x, F_y, M_z of a left tyre that rolls forward (way 1) or backward (-1)."""
    p: Any = COEFFICIENTS
    Fz0 = ARGUMENTS["nominal_load"] * p["LFZO"]
    df = (Fz - Fz0) / Fz0
    # longitudinal
    SHx = p["PHX1"] + p["PHX2"] * df
    kx = kappa + SHx
    Cx, Dx = p["PCX1"], (p["PDX1"] + p["PDX2"] * df) * Fz
    Kx = Fz * (p["PKX1"] + p["PKX2"] * df) * math.exp(p["PKX3"] * df)
    Ex = (p["PEX1"] + p["PEX2"] * df + p["PEX3"] * df**2) * (1 - p["PEX4"] * math.copysign(1, kx))
    Fx_sine = magic(Kx / (Cx * Dx), Cx, Dx, Ex, kx)
    Fx0 = Fx_sine + Fz * (p["PVX1"] + p["PVX2"] * df)
    # lateral
    SHy = p["PHY1"] + p["PHY2"] * df + p["PHY3"] * gamma
    SVy = Fz * (p["PVY1"] + p["PVY2"] * df + (p["PVY3"] + p["PVY4"] * df) * gamma)
    ay = alpha + SHy
    Cy, Dy = p["PCY1"], (p["PDY1"] + p["PDY2"] * df) * (1 - p["PDY3"] * gamma**2) * Fz
    Ky = p["PKY1"] * Fz0 * math.sin(2 * math.atan(Fz / (p["PKY2"] * Fz0)))
    Ky *= 1 - p["PKY3"] * abs(gamma)
    Ey = p["PEY1"] + p["PEY2"] * df
    Ey *= 1 - (p["PEY3"] + p["PEY4"] * gamma) * math.copysign(1, ay)
    By = Ky / (Cy * Dy)
    Fy_sine = magic(By, Cy, Dy, Ey, ay)
    Fy0 = Fy_sine + SVy
    # ellipse: secants of the curves, tangents within a slip of 1e-4
    e, slope = 1e-4, math.tan(alpha)
    secant_x = math.sqrt((Fx_sine**2 + (Kx * e) ** 2) / (kx**2 + e**2))
    secant_y = math.sqrt((Fy_sine**2 + (Ky * e) ** 2) / ((slope + SHy) ** 2 + e**2))
    Fx = Fx0 / math.hypot(1, slope * secant_x / Dy)
    Fy = Fy0 / math.hypot(1, kappa * secant_y / Dx)
    return Fx, Fy, _aligning(Fz, (alpha, kappa, gamma), (Kx, Ky, SHy + SVy / Ky), Fy) * way


def _aligning(
    Fz: float,
    slips: tuple[float, float, float],
    curves: tuple[float, float, float],
    Fy: float,
) -> float:
    (alpha, kappa, gamma), (Kx, Ky, SHf), p = slips, curves, COEFFICIENTS
    nominal = ARGUMENTS["nominal_load"]
    df = Fz / (nominal * p["LFZO"]) - 1
    SHt = p["QHZ1"] + p["QHZ2"] * df + (p["QHZ3"] + p["QHZ4"] * df) * gamma

    def equivalent(angle: float) -> float:
        return math.copysign(math.atan(math.hypot(math.tan(angle), Kx / Ky * kappa)), angle)

    at, ar = equivalent(alpha + SHt), equivalent(alpha + SHf)
    Bt = p["QBZ1"] + p["QBZ2"] * df + p["QBZ3"] * df**2
    Bt *= 1 + p["QBZ4"] * gamma + p["QBZ5"] * abs(gamma)
    Ct = p["QCZ1"]
    Dt = Fz * (p["QDZ1"] + p["QDZ2"] * df) * (1 + p["QDZ3"] * gamma + p["QDZ4"] * gamma**2)
    Dt *= R0 / nominal
    Et = p["QEZ1"] + p["QEZ2"] * df + p["QEZ3"] * df**2
    Et *= 1 + (p["QEZ4"] + p["QEZ5"] * gamma) * 2 / math.pi * math.atan(Bt * Ct * at)
    Et = min(Et, 1)
    t = Dt * math.cos(Ct * math.atan(Bt * at - Et * (Bt * at - math.atan(Bt * at))))
    Dr = Fz * (p["QDZ6"] + p["QDZ7"] * df + (p["QDZ8"] + p["QDZ9"] * df) * gamma) * R0
    Mzr = Dr * math.cos(math.atan(p["QBZ9"] * ar))
    return (-t * Fy + Mzr) * math.cos(alpha)
