"""Numbers as other engines keep them: order of joints, quaternions, frames of velocities.

| | Pinocchio | MuJoCo | here |
|---|---|---|---|
| order of joints | depth first, children by the name of their body | depth first, as added | as added |
| quaternion | x y z w | w x y z | w x y z |
| free joint, q | position, quaternion | position, quaternion | quaternion, position |
| free joint, v | linear, angular, both in the body | linear in the world, angular in the body | angular, linear, both in the body |
| revolute without bounds | cos, sin | angle | angle |
| planar | x, y, cos, sin; v in the body | three joints | x, y, angle and their rates |
| joints that follow | coordinates of their own | coordinates of their own | none |

Theirs and ours are related by v' = T(q) v, where the rows of joints with coordinates of their own
here make an orthogonal matrix; so tau' = T tau, M' = T M Tᵀ, and a' = T a + Ṫ v.
"""  # noqa: E501  a table

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kinetree.arguments import arrays_of_size, check_arguments, check_choice
from kinetree.arrays import Array
from kinetree.errors import UnsupportedError
from kinetree.model import Ball, Float, Joint, Model, Turn, rotate

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from kinetree.model.topology import Tree


@dataclass(frozen=True)
class Slot:
    """One joint, or one motion of a joint, in both orders.

    Attributes:
        q, v: where its coordinates and velocities begin here.
        their_q, their_v: where they begin there.
        form: a row of `FORMS`.
        ratio, offset: of a joint that follows another.
        leads: whether it has coordinates of its own here.
    """

    q: int
    v: int
    their_q: int
    their_v: int
    form: str
    ratio: float = 1.0
    offset: float = 0.0
    leads: bool = True


@dataclass(frozen=True)
class MotionForm:
    """How a motion is counted.

    Attributes:
        sizes: coordinates and velocities here, coordinates there; velocities are as many.
        q: ours -> theirs.
        q_from: theirs -> ours.
        T: (our q) -> T of the slot; none for 1.
        drift: (our q, our v) -> Ṫ v; none for 0.
    """

    sizes: tuple[int, int, int]
    q: Callable[[Array], Array]
    q_from: Callable[[Array], Array]
    T: Callable[[Array], Array] | None = None
    drift: Callable[[Array, Array], Array] | None = None


def _same(x: Array) -> Array:
    return x


def _take(*order: int) -> Callable[[Array], Array]:
    return lambda x: x[..., list(order)]


def _circle(x: Array) -> Array:
    """Angle behind other coordinates -> its cosine and sine."""
    return np.concatenate([x[..., :-1], np.cos(x[..., -1:]), np.sin(x[..., -1:])], axis=-1)


def _angle(x: Array) -> Array:
    return np.concatenate([x[..., :-2], np.arctan2(x[..., -1:], x[..., -2:-1])], axis=-1)


def _swap(q: Array, *, world: bool) -> Array:
    """T of a free joint: linear part first, in the world or in the body."""
    T = np.zeros((*q.shape[:-1], 6, 6))
    T[..., 3:, :3] = np.eye(3)
    T[..., :3, 3:] = np.eye(3)
    if world:
        T[..., :3, 3:] = rotate(q[..., None, :4], np.eye(3)).swapaxes(-1, -2)
    return T


def _swing(q: Array, v: Array) -> Array:
    """Ṫ v of a free joint in the world: R (w × v)."""
    turned = rotate(q[..., :4], np.cross(v[..., :3], v[..., 3:]))
    return np.concatenate([turned, np.zeros_like(turned)], axis=-1)


def _plane(q: Array) -> Array:
    """T of a planar joint whose velocity is seen in the body: R(θ)ᵀ."""
    T, c, s = np.zeros((*q.shape[:-1], 3, 3)), np.cos(q[..., 2]), np.sin(q[..., 2])
    T[..., 0, 0], T[..., 0, 1], T[..., 1, 0], T[..., 1, 1] = c, s, -s, c
    T[..., 2, 2] = 1.0
    return T


def _spin(q: Array, v: Array) -> Array:
    seen = np.einsum("...ij,...j->...i", _plane(q), v)
    still = np.zeros_like(v[..., 2])
    return np.stack([v[..., 2] * seen[..., 1], -v[..., 2] * seen[..., 0], still], axis=-1)


FORMS: Mapping[str, MotionForm] = {
    "plain": MotionForm((1, 1, 1), _same, _same),
    "circle": MotionForm((1, 1, 2), _circle, _angle),
    "ball wxyz": MotionForm((4, 3, 4), _same, _same),
    "ball xyzw": MotionForm((4, 3, 4), _take(1, 2, 3, 0), _take(3, 0, 1, 2)),
    "free body": MotionForm(
        (7, 6, 7), _take(4, 5, 6, 1, 2, 3, 0), _take(6, 3, 4, 5, 0, 1, 2),
        lambda q: _swap(q, world=False),
    ),
    "free world": MotionForm(
        (7, 6, 7), _take(4, 5, 6, 0, 1, 2, 3), _take(3, 4, 5, 6, 0, 1, 2),
        lambda q: _swap(q, world=True), _swing,
    ),
    "planar": MotionForm((3, 3, 4), _circle, _angle, _plane, _spin),
}  # fmt: skip


@dataclass(frozen=True)
class EngineLayout:
    """Coordinates, velocities, efforts and mass matrices in the layout of another engine.

    Methods without `_from` take ours and give theirs, those with it take theirs and give ours; q
    is ours wherever it only says at which configuration.  Leading axes are batches.

    Attributes:
        engine: "pinocchio" or "mujoco".
        joints: names in the engine's order.
        nq, nv: sizes there.
        slots: where every joint is in both.
        own_nq, own_nv: sizes here.
    """

    engine: str
    joints: tuple[str, ...]
    nq: int
    nv: int
    slots: tuple[Slot, ...]
    own_nq: int
    own_nv: int

    def q(self, q: ArrayLike) -> Array:
        """Coordinates there."""
        x = _array(self.own_nq, q=q)
        out = np.empty((*x.shape[:-1], self.nq))
        for slot in self.slots:
            form = FORMS[slot.form]
            nq, _, theirs = form.sizes
            part = slot.ratio * x[..., slot.q : slot.q + nq] + slot.offset
            out[..., slot.their_q : slot.their_q + theirs] = form.q(part)
        return out

    def q_from(self, q: ArrayLike) -> Array:
        """Coordinates here, of theirs."""
        x = _array(self.nq, q=q)
        out = np.empty((*x.shape[:-1], self.own_nq))
        for slot in self._leading():
            form = FORMS[slot.form]
            nq, _, theirs = form.sizes
            out[..., slot.q : slot.q + nq] = form.q_from(
                x[..., slot.their_q : slot.their_q + theirs]
            )
        return out

    def matrix(self, q: ArrayLike) -> Array:
        """T(q), their nv × our nv: v' = T v."""
        x = _array(self.own_nq, q=q)
        T = np.zeros((*x.shape[:-1], self.nv, self.own_nv))
        for slot in self.slots:
            form = FORMS[slot.form]
            nq, nv, _ = form.sizes
            part = x[..., slot.q : slot.q + nq]
            block = slot.ratio * np.eye(nv) if form.T is None else form.T(part)
            T[..., slot.their_v : slot.their_v + nv, slot.v : slot.v + nv] = block
        return T

    def v(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Velocities there."""
        return _times(self.matrix(q), _array(self.own_nv, v=v))

    def v_from(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Velocities here, of theirs; those of joints that follow are left aside."""
        rows = self._rows()
        T = self.matrix(q)[..., rows, :].swapaxes(-1, -2)
        return _times(T, _array(self.nv, v=v)[..., rows])

    def a(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
        """Accelerations there: rates of their velocities; q and v are ours."""
        return self.v(q, a) + self._drift(q, v)

    def a_from(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
        """Accelerations here, of theirs; q and v are ours."""
        return self.v_from(q, _array(self.nv, a=a) - self._drift(q, v))

    def tau(self, q: ArrayLike, tau: ArrayLike) -> Array:
        """Efforts there; joints that follow get none."""
        rows, T = self._rows(), self.matrix(q)
        found = _times(T[..., rows, :], _array(self.own_nv, tau=tau))
        out = np.zeros((*found.shape[:-1], self.nv))
        out[..., rows] = found
        return out

    def tau_from(self, q: ArrayLike, tau: ArrayLike) -> Array:
        """Efforts here, of theirs; those on joints that follow act on the ones that they follow."""
        return _times(self.matrix(q).swapaxes(-1, -2), _array(self.nv, tau=tau))

    def mass_matrix(self, q: ArrayLike, M: ArrayLike) -> Array:
        """The mass matrix there."""
        if len(self._rows()) < self.nv:
            raise UnsupportedError(
                "joints that follow have no rows of their own in it",
                element=f"mass matrix in the layout of '{self.engine}'",
                cure="compare it here: mass_matrix_from takes theirs",
            )
        T = self.matrix(q)
        return np.asarray(T @ _array(self.own_nv, M=M) @ T.swapaxes(-1, -2))

    def mass_matrix_from(self, q: ArrayLike, M: ArrayLike) -> Array:
        """The mass matrix here, of theirs."""
        T = self.matrix(q)
        return np.asarray(T.swapaxes(-1, -2) @ _array(self.nv, M=M) @ T)

    def _leading(self) -> list[Slot]:
        return [slot for slot in self.slots if slot.leads]

    def _rows(self) -> list[int]:
        """Their velocities that are ours too, in the order of ours where T is 1."""
        return [
            slot.their_v + k for slot in self._leading() for k in range(FORMS[slot.form].sizes[1])
        ]

    def _drift(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Ṫ v."""
        x, rates = _array(self.own_nq, q=q), _array(self.own_nv, v=v)
        lead = np.broadcast_shapes(x.shape[:-1], rates.shape[:-1])
        out = np.zeros((*lead, self.nv))
        for slot in self.slots:
            form = FORMS[slot.form]
            nq, nv, _ = form.sizes
            if form.drift is not None:
                parts = x[..., slot.q : slot.q + nq], rates[..., slot.v : slot.v + nv]
                out[..., slot.their_v : slot.their_v + nv] = form.drift(*parts)
        return out


def layout(
    model: Model,
    engine: str,
    *,
    joints: Sequence[str] | None = None,
    continuous: Sequence[str] | None = None,
) -> EngineLayout:
    """The layout of another engine for the same mechanism.

    Args:
        model: the mechanism.
        engine: "pinocchio" or "mujoco".
        joints: names of the moving joints in the engine's order, where it is not the one that its
            reader of files makes (see the table of the module).
        continuous: names of revolute joints that Pinocchio keeps as cos, sin; by default those
            without bounds, as its reader of URDF does.
    """
    check_arguments(layout, locals())
    check_choice("engine", engine, ENGINES)
    tree = model.tree()
    order = {tree.joints[k].name: k for k in _depth_first(tree, ENGINES[engine])}
    order = {name: k for name, k in order.items() if model.joints[name].motions}
    names = tuple(order if joints is None else joints)
    for name in (*names, *(order if joints is not None else ())):
        check_choice("joints", name, order if name in names else names, "moving joint")
    rounded = _round_joints(model, engine, continuous)
    slots: list[Slot] = []
    nq = nv = 0
    for name in names:
        k, joint = order[name], model.joints[name]
        for form, q, v in _forms(joint, engine, name in rounded):
            at = (tree.q_start[k] + q, tree.v_start[k] + v, nq, nv)
            slots.append(Slot(*at, form, tree.ratio[k], tree.offset[k], not joint.follows))
            nq, nv = nq + FORMS[form].sizes[2], nv + FORMS[form].sizes[1]
    slots.sort(key=lambda slot: slot.v)
    return EngineLayout(engine, names, nq, nv, tuple(slots), model.nq, model.nv)


ENGINES: Mapping[str, bool] = {"pinocchio": True, "mujoco": False}
"""Engine -> whether its reader of files sorts children by the name of their body."""


def _depth_first(tree: Tree, sorted_children: bool) -> list[int]:
    """Numbers of the bodies of a tree, each followed by all that it carries."""
    found: list[int] = []
    waiting = [0]
    while waiting:
        at = waiting.pop()
        found += [at] if at else []
        children = list(tree.children[at])
        if sorted_children:
            children.sort(key=lambda k: tree.bodies[k].name)
        waiting += reversed(children)
    return found


def _round_joints(model: Model, engine: str, continuous: Sequence[str] | None) -> set[str]:
    """Names of the joints kept as cosine and sine."""
    turning = {
        joint.name: joint
        for joint in model.joints.values()
        if len(joint.motions) == 1 and isinstance(joint.motions[0], Turn)
    }
    for name in continuous or ():
        check_choice("continuous", name, turning, "joint that turns")
    if engine != "pinocchio":
        return set()
    if continuous is not None:
        return set(continuous)
    return {n for n, j in turning.items() if not (j.limits and j.limits.is_bound) and not j.follows}


def _forms(joint: Joint, engine: str, is_round: bool) -> list[tuple[str, int, int]]:
    """(form, first coordinate, first velocity) of what a joint is made of there."""
    pinocchio = engine == "pinocchio"
    if joint.kind == "planar" and pinocchio:
        normal = joint.motions[2]
        _refuse_turned(joint, isinstance(normal, Turn) and tuple(normal.axis) == (0, 0, 1))
        return [("planar", 0, 0)]
    found: list[tuple[str, int, int]] = []
    q = v = 0
    for motion in joint.motions:
        form = "circle" if is_round else "plain"
        if isinstance(motion, Ball):
            form = "ball xyzw" if pinocchio else "ball wxyz"
        elif isinstance(motion, Float):
            form = "free body" if pinocchio else "free world"
        if isinstance(motion, Ball | Float) and not pinocchio:
            straight = np.array_equal(joint.child.rotation, np.eye(3))
            if isinstance(motion, Float):
                ends = (joint.parent, joint.child)
                straight = straight and np.array_equal(joint.parent.rotation, np.eye(3))
                straight = straight and not any(any(end.position) for end in ends)
            _refuse_turned(joint, straight)
        found.append((form, q, v))
        q, v = q + len(motion.neutral), v + motion.nv
    return found


def _refuse_turned(joint: Joint, straight: bool) -> None:
    if not straight:
        raise UnsupportedError(
            "it stands between frames that the other engine does not know",
            element=f"joint '{joint.name}'",
            cure="let it join origins and axes of bodies",
        )


def _array(size: int, **given: ArrayLike) -> Array:
    (found,) = arrays_of_size(size, **given)
    return found


def _times(T: Array, x: Array) -> Array:
    return np.asarray(np.einsum("...ij,...j->...i", T, x))
