"""How a tyre runs: contact frame, slip and load, the same for every tyre law.

Places are the centre of the wheel, on the body that spins (or on its carrier, with ``spin: false``,
where the spin is not modelled), and the frame of the road (`surfaces`).  In the road's frame, with
the wheel's `axis` a (positive spin about it rolls forward), the normal n of the road at the foot:

    x = (a × n)/s, y = n × x, s = √(1 - (n·a)²)       forward, to the left (for a to the left)
    e = x × a                                         upward in the wheel
    camber γ = asin(n·a)                              positive: the top leans to the right, -y
    C = centre - (h/s) e                              contact point, h height of the centre
    α = atan(v_y/|v_x|)                               slip angle, positive: slides to the left
    κ = (ω r_e - v_x)/|v_x|                           slip ratio, positive: drives
    load F_z = max(0, k δ + d δd) where δ > 0         δ = radius·s - h

v is the velocity of the non-spinning wheel at C (``slip_at: contact``) or of its centre
(``slip_at: centre``); ω the spin about a; r_e = radius - δ/3 the effective rolling radius (PAC2002
has one of its own).  Below the speed `slow` the denominator |v_x| is replaced by
(v_x²/slow + slow)/2, so a tyre at rest acts as a damper.  ``depth: vertical`` measures
δ = (radius - (z - f)) n_z instead.

A tyre law gives F_x, F_y [N] and M_z [N.m] about n; the wheel gets F_x x + F_y y + F_z n at C and
the torque M_z n, the road's body the opposite.

| argument | meaning |
|---|---|
| axis | of the wheel, in the frame of the first place: a letter or three numbers |
| radius | of the wheel without load [m] |
| stiffness, damping | k [N/m] and d [N.s/m] of the load |
| height, corrections | the road (`surfaces`); without a height it is the plane z = 0 |
| slow | speed below which slip is regularised [m/s] |
| spin | whether the first place spins with the wheel; without spin κ = 0 |
| slip_at, depth | see above |

Refs: Pacejka2012 ch. 1
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kinetree.engine import ZERO, Node, atan, call
from kinetree.errors import ModelError
from kinetree.forces.branches import positive, select, speed
from kinetree.forces.contact_wheel import spoke
from kinetree.forces.surfaces import (
    ROAD,
    UP,
    VARIABLES,
    Foot,
    RoadView,
    check_road,
    contact_outputs,
    foot,
    let_vector,
    push,
    see,
    unit,
)  # fmt: skip
from kinetree.model import (
    AT_POINT,
    AT_POINT_WORK,
    REQUIRED,
    Action,
    Force,
    ForceKind,
    Offer,
    Vec,
    cross,
    direction,
    dot,
    minus,
    plus,
    times,
)

OPTIONS: dict[str, Any] = {
    "axis": "y",
    "radius": REQUIRED,
    "stiffness": REQUIRED,
    "damping": 0,
    **ROAD,
    "slow": 0.1,
    "spin": True,
    "slip_at": "contact",
    "depth": "normal",
}
UNITS = {"radius": "m", "stiffness": "N/m", "damping": "N.s/m", "slow": "m/s"}
OUTPUTS = (
    Offer("Fx", "N"),
    Offer("Fy", "N"),
    Offer("Fz", "N"),
    Offer("Mz", "N.m"),
    Offer("slip_angle", "rad"),
    Offer("slip_ratio", "1"),
    Offer("camber", "rad"),
    Offer("deflection", "m"),
    *AT_POINT,
)
CHOICES: dict[str, tuple[Any, ...]] = {
    "slip_at": ("contact", "centre"),
    "depth": ("normal", "vertical"),
    "spin": (True, False),
}


@dataclass(frozen=True, slots=True)
class Running:
    """What a tyre law may use.

    Attributes:
        load: F_z [N], zero or more.
        alpha: slip angle [rad].
        tan_alpha: its tangent, v_y/|v_x|.
        kappa: slip ratio.
        gamma: camber [rad].
        vx, vy: speed forward and to the left [m/s].
        ahead: |v_x|, above zero also at rest [m/s].
    """

    load: Node
    alpha: Node
    tan_alpha: Node
    kappa: Node
    gamma: Node
    vx: Node
    vy: Node
    ahead: Node


Forces = tuple[Node, Node, Node]
"""F_x, F_y [N], M_z [N.m] in the contact frame."""
TyreLaw = Callable[["Action", "Force", Running], Forces]
Radius = Callable[["Action", "Force", Node], Node]
"""The effective rolling radius r_e [m] at a deflection δ [m]."""


@dataclass(frozen=True, slots=True)
class _Contact:
    """Frame of the contact: body, foot, directions, from the centre to C, depth, sine of tilt."""

    body: RoadView
    foot: Foot
    x: Vec
    y: Vec
    rho: Vec
    depth: Node
    c: Node
    s: Node


def check(arguments: Mapping[str, Any], element: str) -> None:
    """Refuse words that are not among the choices, and axes that are none."""
    check_road(arguments, element)
    direction(arguments["axis"], f"{element} axis")
    for key, known in CHOICES.items():
        if arguments[key] not in known:
            raise ModelError(
                f"{key} is {arguments[key]!r}",
                element=element,
                cure=f"use {' or '.join(str(word) for word in known)}",
            )


def third_of_depth(act: Action, force: Force, depth: Node) -> Node:
    """r_e = radius - δ/3."""
    del force
    return act.value("radius") - depth / 3


def tyre(
    name: str,
    law: TyreLaw,
    options: Mapping[str, Any],
    units: Mapping[str, str],
    refuse: Callable[[Mapping[str, Any], str], None] = check,
    radius: Radius = third_of_depth,
) -> ForceKind:
    """The row of a tyre law.

    Args:
        name: of the kind.
        law: gives the forces in the contact frame.
        options: arguments of its own, with defaults.
        units: of those among them that are run-time parameters.
        refuse: check of all arguments.
        radius: the effective rolling radius.
    """

    def write(act: Action, force: Force) -> None:
        contact = _contact(act, force)
        running = _running(act, force, contact, radius)
        Fx, Fy, Mz = law(act, force, running)
        n = contact.foot.n
        F = plus(times(Fx, contact.x), times(Fy, contact.y), times(running.load, n))
        F = let_vector(act, "F", F)
        T = plus(cross(contact.rho, F), times(Mz, n))
        push(act, force, contact.body.p, F, T)
        act.tell(
            lambda: {
                "Fx": Fx, "Fy": Fy, "Fz": running.load, "Mz": Mz, "slip_angle": running.alpha,
                "slip_ratio": running.kappa, "camber": running.gamma, "deflection": contact.depth,
                **contact_outputs(contact.body, F, T),
            }
        )  # fmt: skip

    return ForceKind(
        name,
        write,
        options={**OPTIONS, **options},
        scalars=(*UNITS, *units),
        laws=("height",),
        variables=VARIABLES,
        units={**UNITS, **units},
        check=refuse,
        outputs=OUTPUTS,
        work=AT_POINT_WORK,
    )


def _contact(act: Action, force: Force) -> _Contact:
    body = see(act, force, unit(force.arguments["axis"], f"force '{force.name}'"))
    assert body.axis is not None
    below = foot(act, force, body.p)
    n = below.n
    c, s, e = spoke(n, body.axis)
    c, s, e = act.let("c", c), act.let("s", s), let_vector(act, "e", e)
    x = let_vector(act, "x", times(1 / s, cross(body.axis, n)))
    h = act.let("h", below.height(body.p))
    depth = act.value("radius") * s - h
    if force.arguments["depth"] == "vertical":
        depth = (act.value("radius") - (body.p[2] - below.p[2])) * n[2]
    return _Contact(
        body,
        below,
        x,
        let_vector(act, "y", cross(n, x)),
        let_vector(act, "rho", times(-(h / s), e)),
        act.let("depth", depth),
        c,
        s,
    )


def _running(act: Action, force: Force, contact: _Contact, radius: Radius) -> Running:
    body, n = contact.body, contact.foot.n
    assert body.axis is not None
    spin = act.let("spin", dot(body.w, body.axis))
    tilting = minus(body.w, times(spin, body.axis))
    at_C = plus(body.v, cross(tilting, contact.rho), times(-contact.foot.rise, UP))
    v = at_C if force.arguments["slip_at"] == "contact" else body.v
    vx, vy = act.let("vx", dot(v, contact.x)), act.let("vy", dot(v, contact.y))
    ahead = act.let("ahead", speed(vx, act.value("slow")))
    kappa = ZERO
    if force.arguments["spin"]:
        arm = radius(act, force, contact.depth)
        kappa = act.let("kappa", (spin * arm - vx) / ahead)
    slope = act.let("tan_alpha", vy / ahead)
    return Running(
        load=act.let("load", _load(act, contact.depth, -dot(n, at_C))),
        alpha=act.let("alpha", atan(slope)),
        tan_alpha=slope,
        kappa=kappa,
        gamma=act.let("gamma", atan(contact.c / contact.s)),
        vx=vx,
        vy=vy,
        ahead=ahead,
    )


def _load(act: Action, depth: Node, rate: Node) -> Node:
    """F_z of a spring and damper that only push."""
    spring = act.value("stiffness") * depth
    if act.value("damping") is ZERO:
        return positive(spring)
    return select(depth, positive(spring + act.value("damping") * rate), ZERO)


def size(x: Node) -> Node:
    """|x|."""
    return call("abs", x)
