"""Trees with force elements of every kind, and the same forces in plain numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from tests import zoo

import kinetree as kt
from kinetree.engine import sin

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

TURN = zoo.rotation_about((1, 2, 3), 0.7)
BUSHING: dict[str, Any] = {
    "stiffness": (3.0, 4.0, 5.0),
    "rotation": (0.6, 0.7, 0.8),
    "damping": (0.3, 0.2, 0.1),
    "rotation_damping": (0.04, 0.05, 0.06),
}


def places(model: kt.Model) -> tuple[Any, Any, Any]:
    """A point of the ground, of the first and of the last body, with frames of their own."""
    names = list(model.bodies)
    ground = model.ground.point("hook", (0.7, -1.1, 0.9), rotation=TURN.T)
    first = model.bodies[names[0]].point("eye", (0.3, 0.5, -0.7), rotation=TURN)
    last = model.bodies[names[-1]].point("tip", (-0.4, 0.2, 0.6), rotation=TURN)
    return ground, first, last


def add_link(model: kt.Model, a: Any, b: Any) -> None:
    """A spring, a damper and a law along one line."""
    k = model.parameter("k", 2.5)
    model.link(
        "strut", a, b, lambda length, rate: k * length**2 - 0.2 * rate**3,
        stiffness=7.0, length=0.4, damping=0.9,
    )  # fmt: skip


def add_pusher(model: kt.Model, a: Any, b: Any) -> None:
    """A spring, a damper and a law along an axis of the first place."""
    model.link("pusher", a, b, lambda length, rate: 2.5 * length**2 - 0.2 * rate**3,
               axis=(2, -1, 2), stiffness=7.0, length=0.4, damping=0.9)  # fmt: skip


def add_layer(model: kt.Model, a: Any, b: Any) -> None:
    """A layer that is crushed along an axis of the first place."""
    model.crushable("layer", a, b, 9.0, lambda crush: 3.0 * crush, 5.0, axis=(2, -1, 2))


def add_bushing(model: kt.Model, a: Any, b: Any) -> None:
    """Six springs and dampers."""
    model.force("bushing", "mount", (a, b), BUSHING)


def add_external(model: kt.Model, a: Any, b: Any) -> None:
    """One load in each frame."""
    del a
    model.external("weight", b, (0.3, -0.4, 0.5), (0.1, 0.2, -0.3))
    model.external("jet", b, (1.0, 0.0, 0.2), (0.0, 0.5, 0.0), frame="body")
    model.external("thrust", b, (0.5, 0.6, 0.7), (0.3, 0.2, 0.1), frame="point")


def add_law(model: kt.Model, a: Any, b: Any) -> None:
    """Drag on one point, a spring between two, a torque that follows a frame."""

    def law(points: Any) -> dict[str, Any]:
        tip, eye = points["tip"], points["eye"]
        drag = [-0.3 * v**3 for v in tip.v]
        pull = [2.0 * (y - x) for x, y in zip(tip.p, eye.p, strict=True)]
        axis = [row[0] for row in tip.R]
        torque = [0.4 * x - 0.1 * w for x, w in zip(axis, tip.w, strict=True)]
        both = [d + p for d, p in zip(drag, pull, strict=True)]
        return {"tip": (both, torque), "eye": [-p for p in pull]}

    model.force_law("field", {"tip": b, "eye": a}, law)


def link_numbers(a: dict[str, Array], b: dict[str, Array]) -> tuple[Array, Array]:
    """Wrenches of `add_link` on both points."""
    d, dd = b["p"] - a["p"], b["v"] - a["v"]
    length = float(np.sqrt(d @ d))
    rate = float(d @ dd) / length
    tension = 7.0 * (length - 0.4) + 0.9 * rate + 2.5 * length**2 - 0.2 * rate**3
    F = tension * d / length
    return np.concatenate([np.zeros(3), F]), np.concatenate([np.zeros(3), -F])


def along(a: dict[str, Array], b: dict[str, Array]) -> tuple[Array, float, float]:
    """The axis (2, -1, 2)/3 of the first place in the ground, length and rate along it."""
    u = a["R"] @ np.array([2.0, -1.0, 2.0]) / 3
    d, dd = b["p"] - a["p"], b["v"] - a["v"]
    return u, float(u @ d), float(u @ dd + np.cross(a["w"], u) @ d)


def drawn(a: dict[str, Array], b: dict[str, Array], F: Array) -> tuple[Array, Array]:
    """Wrenches of a force through the second point that acts on the first one with F."""
    torque = np.cross(b["p"] - a["p"], F)
    return np.concatenate([torque, F]), np.concatenate([np.zeros(3), -F])


def pusher_numbers(a: dict[str, Array], b: dict[str, Array]) -> tuple[Array, Array]:
    """Wrenches of `add_pusher` on both points."""
    u, length, rate = along(a, b)
    tension = 7.0 * (length - 0.4) + 0.9 * rate + 2.5 * length**2 - 0.2 * rate**3
    return drawn(a, b, tension * u)


def layer_numbers(a: dict[str, Array], b: dict[str, Array]) -> tuple[Array, Array]:
    """Wrenches of `add_layer`, which was never crushed before, on both points."""
    u, length, _ = along(a, b)
    return drawn(a, b, -3.0 * max(9.0 - length, 0.0) * u)


def bushing_numbers(a: dict[str, Array], b: dict[str, Array]) -> tuple[Array, Array]:
    """Wrenches of `add_bushing` on both points; the rotation from its angle and axis."""
    R = a["R"]
    d = R.T @ (b["p"] - a["p"])
    dd = R.T @ (b["v"] - a["v"] - np.cross(a["w"], b["p"] - a["p"]))
    w = R.T @ (b["w"] - a["w"])
    S = R.T @ b["R"]
    angle = np.arccos(np.clip((np.trace(S) - 1) / 2, -1, 1))
    values, vectors = np.linalg.eig(S)
    axis = np.real(vectors[:, np.argmin(np.abs(values - 1))])
    sign = np.sign(axis @ np.array([S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]]))
    theta = sign * np.sin(angle) * axis
    F = -np.array(BUSHING["stiffness"]) * d - np.array(BUSHING["damping"]) * dd
    T = -np.array(BUSHING["rotation"]) * theta - np.array(BUSHING["rotation_damping"]) * w
    F, T = R @ F, R @ T
    arm = b["p"] - a["p"]
    return np.concatenate([-T - np.cross(arm, F), -F]), np.concatenate([T, F])


def external_numbers(a: dict[str, Array], b: dict[str, Array]) -> tuple[Array, Array]:
    """Wrenches of `add_external` on both points."""
    del a
    R, R_body = b["R"], b["R"] @ TURN.T
    F = np.array([0.3, -0.4, 0.5]) + R_body @ [1.0, 0.0, 0.2] + R @ [0.5, 0.6, 0.7]
    T = np.array([0.1, 0.2, -0.3]) + R_body @ [0.0, 0.5, 0.0] + R @ [0.3, 0.2, 0.1]
    return np.zeros(6), np.concatenate([T, F])


def law_numbers(a: dict[str, Array], b: dict[str, Array]) -> tuple[Array, Array]:
    """Wrenches of `add_law` on both points."""
    pull = 2.0 * (a["p"] - b["p"])
    torque = 0.4 * b["R"][:, 0] - 0.1 * b["w"]
    F = -0.3 * b["v"] ** 3 + pull
    return np.concatenate([np.zeros(3), -pull]), np.concatenate([torque, F])


BETWEEN: dict[str, tuple[Callable[..., None], Callable[..., tuple[Array, Array]]]] = {
    "link": (add_link, link_numbers),
    "pusher": (add_pusher, pusher_numbers),
    "crushable": (add_layer, layer_numbers),
    "bushing": (add_bushing, bushing_numbers),
    "external": (add_external, external_numbers),
    "law": (add_law, law_numbers),
}
"""Kind -> how to add it between two points, and its wrenches [torque; force] on both, ground."""


def add_joint_forces(model: kt.Model) -> None:
    """A spring on every coordinate that is one, friction and a law on every velocity."""
    for joint in model.leaders:
        if joint.nq == joint.nv:
            for name in joint.coordinates:
                model.joint_spring(f"spring_{name}", name, 3.0, 0.2, 0.3)
        for name in joint.velocities:
            model.joint_friction(f"rub_{name}", name, 0.4, viscous=0.1, smooth=0.3, static=0.2)


def forced(links: list[zoo.Link], *, states: bool = True) -> kt.Model:
    """A tree with forces of every kind, a state and the time in some laws."""
    model = zoo.build(links, gravity=(0.5, -9.81, 2.0))
    ground, first, last = places(model)
    add_link(model, ground, last)
    add_bushing(model, ground, first)
    add_external(model, ground, last)
    add_law(model, ground, last)
    if len(links) > 1:
        model.spring("inner", first, last, 4.0, 0.3, 0.5)
    add_joint_forces(model)
    if states:
        v = model.velocities[-1]
        model.state("z", 0.3, lambda x, qd, t: sin(t) * qd[v] - 2 * x["z"], "N")
        model.joint_law("motor", v, lambda x, t, qd: x["z"] * sin(3 * t) - 0.7 * qd[v] ** 3)
    return model


def inputs(model: kt.Model, seed: int) -> dict[str, Any]:
    """A random state with a time and user states."""
    found = zoo.state(model, seed)
    if model.states:
        found |= {"t": 0.6, "x": np.full(len(model.states), 0.8)}
    return found
