"""The model zoo: parametric families of trees that every law, target and cross-check runs on.

A tree is a list of `Link`s, plain data that a random generator (`random_links`) or a hypothesis
strategy (`strategies.links`) can produce; `build` turns it into a Model through the public builder.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

import kinetree as kt

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

Vector = tuple[float, float, float]
Matrix = tuple[Vector, Vector, Vector]

AXES: tuple[Vector, ...] = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
IDENTITY: Matrix = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
ONE_AXIS = ("revolute", "prismatic", "screw")
KINDS = (
    "revolute",
    "prismatic",
    "screw",
    "cylindrical",
    "universal",
    "planar",
    "spherical",
    "free",
    "fixed",
    "sequence",
)
SEQUENCES = (("R3", "R1", "R2"), ("T1", "R2"), ("T3", "T2", "R1", "R3"))


@dataclass(frozen=True)
class Link:
    """One joint and the body behind it; lengths in m, masses in kg."""

    kind: str
    parent: int  # index of the parent link, -1 = ground
    axis: Vector = (0, 0, 1)
    second: Vector = (0, 1, 0)  # second axis of a universal joint, perpendicular to the first
    pitch: float = 0.1  # advance of a screw, m/rad
    steps: tuple[str, ...] = ("R1",)  # of a sequence
    position: Vector = (0, 0, 0)  # of the joint, in the parent body's frame
    rotation: Matrix = IDENTITY  # joint frame -> parent body's frame
    child_position: Vector = (0, 0, 0)  # where the joint holds the child, in the child's frame
    child_rotation: Matrix = IDENTITY  # frame there -> child's frame
    mass: float = 1.0
    com: Vector = (0, 0, 0)
    inertia: tuple[float, ...] = (1, 1, 1, 0, 0, 0)  # about the com: xx yy zz xy xz yz
    armature: float = 0.0  # rotor inertia of every velocity


def vector(x: Any) -> Vector:
    """Three plain floats."""
    a, b, c = (float(e) for e in x)
    return (a, b, c)


def matrix(x: Any) -> Matrix:
    """Three rows of plain floats."""
    a, b, c = (vector(row) for row in x)
    return (a, b, c)


def unit(x: Any) -> Vector:
    """The direction of x."""
    a = np.asarray(x, dtype=float)
    return vector(a / np.linalg.norm(a))


def rotation_about(axis: Vector, angle: float) -> NDArray[np.float64]:
    """Rotation matrix by the right-hand rule."""
    x, y, z = unit(axis)
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * (k @ k))


def random_rotation(rng: np.random.Generator) -> Matrix:
    """A general rotation."""
    return matrix(rotation_about(unit(rng.normal(size=3)), rng.uniform(0, 3)))


def physical_inertia(points: Any, mass: float) -> tuple[float, ...]:
    """Inertia about the centre of mass of equal point masses: physical whatever the points are."""
    r = np.asarray(points, dtype=float)
    r = r - r.mean(axis=0)
    m = mass / len(r)
    i = m * sum(np.dot(p, p) * np.eye(3) - np.outer(p, p) for p in r)
    return tuple(float(e) for e in (i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]))


def random_link(rng: np.random.Generator, kind: str, parent: int, aligned: bool = False) -> Link:
    """A link with generic offsets and a full physical inertia.

    Args:
        rng: source of all numbers.
        kind: joint kind.
        parent: index of the parent link.
        aligned: axes along x, y or z of an unrotated joint frame, as most robots have them.
    """
    axis = AXES[rng.integers(3)] if aligned else unit(rng.normal(size=3))
    turn, held = (IDENTITY if aligned else random_rotation(rng) for _ in range(2))
    mass = float(rng.uniform(0.5, 2.0))
    return Link(
        kind=kind,
        parent=parent,
        axis=axis,
        second=unit(np.cross(axis, AXES[int(np.argmin(np.abs(axis)))])),
        pitch=float(rng.uniform(0.05, 0.3)),
        steps=SEQUENCES[int(rng.integers(len(SEQUENCES)))],
        position=vector(rng.uniform(-0.5, 0.5, 3)),
        rotation=turn,
        child_position=(0, 0, 0) if aligned else vector(rng.uniform(-0.2, 0.2, 3)),
        child_rotation=held,
        mass=mass,
        com=vector(rng.uniform(-0.2, 0.2, 3)),
        inertia=physical_inertia(rng.uniform(-0.3, 0.3, (6, 3)), mass),
    )


def build(links: Sequence[Link], name: str = "zoo", gravity: Vector = (0, 0, -9.81)) -> kt.Model:
    """The model of a list of links; body i is `b<i>`, joint i is `j<i>`."""
    model = kt.Model(name, gravity=gravity)
    bodies: list[Any] = []
    for i, link in enumerate(links):
        body = model.body(f"b{i}", mass=link.mass, com=link.com, inertia=link.inertia)
        parent = model.ground if link.parent < 0 else bodies[link.parent]
        join(model, i, link, parent, body)
        bodies.append(body)
    return model


def join(model: kt.Model, i: int, link: Link, parent: Any, body: Any) -> None:
    """Add joint i between two bodies of the model."""
    at = parent.point(f"p{i}", link.position, rotation=link.rotation)
    held: Any = body
    if any(link.child_position) or link.child_rotation != IDENTITY:
        held = body.point("held", link.child_position, rotation=link.child_rotation)
    rotor = {"armature": link.armature} if link.armature and link.kind != "fixed" else {}
    getattr(model, link.kind)(f"j{i}", at, held, **joint_data(link), **rotor)


def joint_data(link: Link) -> dict[str, Any]:
    """The keyword data the builder wants for this kind."""
    match link.kind:
        case "revolute" | "prismatic" | "cylindrical":
            return {"axis": link.axis}
        case "screw":
            return {"axis": link.axis, "pitch": link.pitch}
        case "universal":
            return {"axes": (link.axis, link.second)}
        case "planar":
            return {"normal": link.axis}
        case "sequence":
            return {"steps": link.steps}
    return {}


def chain_links(n: int, seed: int = 0, kinds: Sequence[str] = ("revolute",)) -> list[Link]:
    """A serial chain; joint kinds are cycled, axes cycle z, y, x."""
    rng = np.random.default_rng(seed)
    links = [random_link(rng, kinds[i % len(kinds)], i - 1, aligned=True) for i in range(n)]
    return [replace(link, axis=AXES[2 - i % 3]) for i, link in enumerate(links)]


def tree_links(n: int, seed: int = 0) -> list[Link]:
    """A binary tree of revolute joints: link i hangs on link (i - 1) // 2."""
    rows = chain_links(n, seed)
    return [replace(link, parent=(i - 1) // 2 if i else -1) for i, link in enumerate(rows)]


def random_links(n: int, seed: int, kinds: Sequence[str] = KINDS, base: str = "") -> list[Link]:
    """A random tree of n links of the given kinds; `base` fixes the kind of the first joint.

    A free joint is legal anywhere, so it may appear away from the root too.
    """
    rng = np.random.default_rng(seed)
    links = []
    for i in range(n):
        kind = base if base and i == 0 else str(rng.choice(list(kinds)))
        parent = int(rng.integers(-1, i)) if i else -1
        links.append(random_link(rng, kind, parent, aligned=bool(rng.integers(2))))
    return links


def every_kind_links(seed: int = 0) -> list[Link]:
    """One joint of every kind, in a chain with two side branches."""
    rng = np.random.default_rng(seed)
    parents = (-1, 0, 1, 2, 3, 2, 5, 4, 7, 8)
    return [random_link(rng, k, p) for k, p in zip(KINDS, parents, strict=True)]


def chain(n: int, seed: int = 0) -> kt.Model:
    """Serial chain of n revolute joints about z, y, x in turn."""
    return build(chain_links(n, seed), f"chain{n}")


def tree(n: int, seed: int = 0) -> kt.Model:
    """Binary tree of n revolute joints."""
    return build(tree_links(n, seed), f"tree{n}")


def random_tree(n: int, seed: int, kinds: Sequence[str] = KINDS, base: str = "") -> kt.Model:
    """Random tree of n joints of the given kinds."""
    return build(random_links(n, seed, kinds, base), f"random{n}_{seed}")


def every_kind(seed: int = 0) -> kt.Model:
    """One joint of every kind."""
    return build(every_kind_links(seed), "every_kind")


def one_joint(kind: str, seed: int = 0) -> kt.Model:
    """A revolute joint, then one joint of the kind, then a revolute joint."""
    rng = np.random.default_rng(seed)
    kinds = ("revolute", kind, "revolute")
    return build([random_link(rng, k, i - 1) for i, k in enumerate(kinds)], f"one_{kind}")


def planar_pendulum(n: int) -> kt.Model:
    """n equal links of 1 m and 1 kg turning about y, hanging along -z: parallel axes throughout."""
    bar = Link("revolute", -1, axis=(0, 1, 0), com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.001, 0, 0, 0))
    below = replace(bar, position=(0, 0, -1))
    return build(
        [replace(below if i else bar, parent=i - 1) for i in range(n)], f"planar_pendulum{n}"
    )


SMALL: dict[str, Callable[[], kt.Model]] = {
    "pendulum": lambda: planar_pendulum(1),
    "double_pendulum": lambda: planar_pendulum(2),
    "chain4": lambda: chain(4),
    "tree7": lambda: tree(7),
    "every_kind": every_kind,
    "floating3": lambda: random_tree(3, 5, ("revolute", "prismatic"), base="free"),
    "spherical2": lambda: build(chain_links(2, 3, ("spherical",)), "spherical2"),
}


def quaternion_slices(model: kt.Model) -> list[slice]:
    """Where q holds unit quaternions w x y z."""
    found, k = [], 0
    for joint in model.joints.values():
        for motion in joint.motions:
            if len(motion.neutral) > 1:
                found.append(slice(k, k + 4))
            k += len(motion.neutral)
    return found


def state(model: kt.Model, seed: int = 0, size: tuple[int, ...] = ()) -> dict[str, Any]:
    """Random q (unit quaternions), qd, qdd, tau within [-1, 1]; `size` leads the shape."""
    rng = np.random.default_rng(seed)
    nq, nv = model.nq, model.nv
    q = rng.uniform(-1, 1, (*size, nq))
    for part in quaternion_slices(model):
        q[..., part] = rng.normal(size=(*size, 4))
        q[..., part] /= np.linalg.norm(q[..., part], axis=-1, keepdims=True)
    out: dict[str, Any] = {"q": q}
    for name in ("qd", "qdd", "tau"):
        out[name] = rng.uniform(-1, 1, (*size, nv))
    return out
