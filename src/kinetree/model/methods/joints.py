"""The joint methods of a model, one per kind: what each means to the one who builds.

The methods only name the kind; its row in the joint table says what motions it is made of.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np

from kinetree.arguments import check_arguments, check_options, show
from kinetree.errors import ModelError, unknown
from kinetree.model.kinds import JOINTS, JointKind
from kinetree.model.methods.forces import ForceMethods
from kinetree.model.new_element import complete, find_kind, find_place, new_element
from kinetree.model.parts import Joint, Limits, Mimic, check_name
from kinetree.model.values import Scalar, number, numbers, scalars
from kinetree.units import quantity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kinetree.model.parts import Body, Motion, Point

    Where = Body | Point | str
    """Where a joint or wrench stands: a body (its origin), a point, or a path "body.point"."""
    Axis = str | Sequence[float]
    """"x", "y", "z", "-x" …, or three numbers of any non-zero length."""


class JointData(TypedDict, total=False):
    """Data that every joint kind takes; of them the equations use mimic and armature.

    limits: `Limits`, a mapping of its fields, or (lower, upper).
    mimic: `Mimic` or (joint, ratio, offset).
    initial: q to start from; one value for a joint with one coordinate.  A value is a number in
        SI units, or a text with its unit, such as "30 deg".
    coordinates: names of the coordinates, in place of the default ones.
    damping, friction: coefficients kept for force laws.
    armature: inertia of the rotor that turns with the joint, as seen at the joint (gear ratio
        squared times that of the motor): it adds to the diagonal of M, and tau takes armature·qdd
        more; one value for all velocities or one each [kg.m2 for turning, kg for sliding].
    """

    limits: Limits | Mapping[str, float] | Sequence[float] | None
    mimic: Mimic | tuple[Joint | str, float, float] | None
    initial: float | str | Sequence[float | str] | None
    coordinates: Sequence[str] | None
    damping: float
    friction: float
    armature: Scalar | Sequence[Scalar]


class JointMethods(ForceMethods):
    """``model.KIND(name, parent, child, …)`` for every joint kind."""

    joints: dict[str, Joint]

    def joint(
        self,
        kind: str,
        name: str,
        parent: Where,
        child: Where,
        arguments: Mapping[str, Any] | None = None,
        **data: Unpack[JointData],
    ) -> Joint:
        """Add a joint of the kind called `kind`.

        Args:
            kind: a name in the joint table.
            name: unique among the joints.
            parent: inner body (its origin) or point, by object or by path "body.point".
            child: outer body, whose frame lands on the parent's at q = 0; or a point of it.
            arguments: what the kind takes: axis, pitch, ...
            **data: limits, mimic, initial, coordinates, damping, friction, armature.
        """
        element = new_element("joint", name, self.joints)
        check_arguments(JointMethods.joint, {"kind": kind, "arguments": arguments}, element)
        check_options(element, data, JointData.__annotations__)
        row = find_kind(JOINTS, "joint", kind, element)
        given = complete(self, row, arguments, {}, element)
        motions = row.motions(given, element)
        nq = sum(len(motion.neutral) for motion in motions)
        q_names, v_names = _names(row, name, nq, data.get("coordinates"))
        ends = zip(row.labels, (parent, child), strict=True)
        inner, outer = (find_place(self, place, f"{element} {label}") for label, place in ends)
        fields = joint_fields(data, motions, element)
        made = Joint(name, motions, q_names, v_names, kind, inner, outer, given, **fields)
        self.joints[name] = made
        starts = zip(start_values(data.get("initial")) or (), made.initial or (), strict=False)
        for k, (text, value) in enumerate(starts, 1):
            if isinstance(text, str):
                self.sources[f"{name}.initial_{k}"] = (text, value)
        return made

    def revolute(
        self, name: str, parent: Where, child: Where, axis: Axis = "z", **data: Unpack[JointData]
    ) -> Joint:
        """One rotation about `axis` of the parent's frame: q [rad], by the right-hand rule.

        The frames of parent and child coincide at q = 0.
        """
        return self.joint("revolute", name, parent, child, {"axis": axis}, **data)

    def prismatic(
        self, name: str, parent: Where, child: Where, axis: Axis = "x", **data: Unpack[JointData]
    ) -> Joint:
        """One translation along `axis` of the parent's frame: q [m]; frames coincide at q = 0."""
        return self.joint("prismatic", name, parent, child, {"axis": axis}, **data)

    def screw(
        self,
        name: str,
        parent: Where,
        child: Where,
        axis: Axis = "z",
        *,
        pitch: Scalar,
        **data: Unpack[JointData],
    ) -> Joint:
        """Rotation about `axis` by q [rad] that advances along it by pitch·q.

        A positive pitch [m/rad] is a right-handed thread; frames coincide at q = 0.
        """
        return self.joint("screw", name, parent, child, {"axis": axis, "pitch": pitch}, **data)

    def cylindrical(
        self, name: str, parent: Where, child: Where, axis: Axis = "z", **data: Unpack[JointData]
    ) -> Joint:
        """Translation along `axis`, then rotation about it: q = [m, rad].

        The frames of parent and child coincide at q = 0.
        """
        return self.joint("cylindrical", name, parent, child, {"axis": axis}, **data)

    def universal(
        self,
        name: str,
        parent: Where,
        child: Where,
        axes: Sequence[Axis] = ("x", "y"),
        **data: Unpack[JointData],
    ) -> Joint:
        """Rotation about axes[0] of the parent, then about axes[1] carried along: q = [rad, rad].

        The frames of parent and child coincide at q = 0.
        """
        return self.joint("universal", name, parent, child, {"axes": axes}, **data)

    def planar(
        self, name: str, parent: Where, child: Where, normal: Axis = "z", **data: Unpack[JointData]
    ) -> Joint:
        """Two translations in a plane, then rotation about its normal: q = [m, m, rad].

        Normal z translates along x, y; normal x along y, z; normal y along z, x.
        """
        return self.joint("planar", name, parent, child, {"normal": normal}, **data)

    def spherical(self, name: str, parent: Where, child: Where, **data: Unpack[JointData]) -> Joint:
        """Any rotation: q = quaternion w x y z, qd = angular velocity in the child frame [rad/s].

        Frames coincide at q = (1, 0, 0, 0).
        """
        return self.joint("spherical", name, parent, child, **data)

    def free(self, name: str, parent: Where, child: Where, **data: Unpack[JointData]) -> Joint:
        """All six motions: q = quaternion w x y z, then position of the child in the parent frame.

        qd = [angular; linear] velocity in the child frame [rad/s, m/s]; the frames coincide at
        q = (1, 0, 0, 0, 0, 0, 0).
        """
        return self.joint("free", name, parent, child, **data)

    def fixed(self, name: str, parent: Where, child: Where, **data: Unpack[JointData]) -> Joint:
        """Weld the child to the parent: no coordinate; frames coincide always."""
        return self.joint("fixed", name, parent, child, **data)

    def sequence(
        self,
        name: str,
        parent: Where,
        child: Where,
        steps: str | Sequence[str],
        **data: Unpack[JointData],
    ) -> Joint:
        """One-axis motions in a row, such as "T1 T2 T3 R3 R2 R1": q = one per motion [m or rad].

        T1 T2 T3 translate along x, y, z, R1 R2 R3 rotate about them; frames coincide at q = 0.
        """
        return self.joint("sequence", name, parent, child, {"steps": steps}, **data)


def joint_fields(data: JointData, motions: Sequence[Motion], element: str) -> dict[str, Any]:
    """The data that every joint carries, checked, as fields of a Joint."""
    start = data.get("initial")
    units = [unit for motion in motions for unit in motion.q_units]
    nv = sum(motion.nv for motion in motions)
    return {
        "limits": _limits(data.get("limits"), f"{element} limits"),
        "mimic": _mimic(data.get("mimic"), f"{element} mimic"),
        "initial": None if start is None else _start(start, units, f"{element} initial"),
        "damping": float(number(data.get("damping", 0.0), f"{element} damping")),
        "friction": float(number(data.get("friction", 0.0), f"{element} friction")),
        "armature": _armature(data.get("armature"), nv, f"{element} armature"),
        "renamed": data.get("coordinates") is not None,
    }


def _limits(given: Any, element: str) -> Limits | None:
    """Limits from an object, a mapping or (lower, upper)."""
    if given is None or isinstance(given, Limits):
        return given
    if isinstance(given, dict):
        fields = Limits.__dataclass_fields__
        for name in given:
            if name not in fields:
                raise unknown("limit", name, fields, element)
        return Limits(**{name: float(number(v, element)) for name, v in given.items()})
    lower, upper = numbers(given, element, (2,))
    return Limits(float(lower), float(upper))


def _mimic(given: Any, element: str) -> Mimic | None:
    """Mimic from an object or (joint, ratio, offset)."""
    if given is None or isinstance(given, Mimic):
        return given
    row = list(given) if isinstance(given, list | tuple) else []
    if not 1 <= len(row) <= 3 or not isinstance(row[0], Joint | str):
        raise ModelError(
            f"{show(given)} does not say what it follows",
            element=element,
            cure="give (joint, ratio, offset)",
        )
    joint, ratio, offset = (*row, 1.0, 0.0)[:3] if len(row) == 1 else (*row, 0.0)[:3]
    name = joint.name if isinstance(joint, Joint) else joint
    return Mimic(name, float(number(ratio, element)), float(number(offset, element)))


def _armature(given: Any, nv: int, element: str) -> tuple[Scalar, ...]:
    """Rotor inertias, one per velocity, from one scalar or nv of them."""
    if given is None:
        return ()
    if nv == 0:
        raise ModelError(
            "a joint without a velocity has no rotor", element=element, cure="leave armature out"
        )
    listed = given if isinstance(given, Sequence | np.ndarray) else [given] * nv
    return scalars(listed, element, (nv,))


def _start(given: Any, units: Sequence[str], element: str) -> tuple[float, ...]:
    """Start coordinates from one value or a list, one per unit; texts carry their own unit."""
    listed = start_values(given)
    if isinstance(listed, list) and len(listed) == len(units):
        pairs = zip(listed, units, strict=True)
        listed = [quantity(x, unit, element) if isinstance(x, str) else x for x, unit in pairs]
    return tuple(float(value) for value in numbers(listed, element, (len(units),)))


def start_values(given: Any) -> Any:
    """Start coordinates as a list, where they are one value or several."""
    if isinstance(given, int | float | str | np.generic):
        return [given]
    return list(given) if isinstance(given, list | tuple | np.ndarray) else given


def _names(
    row: JointKind, name: str, nq: int, coordinates: Sequence[str] | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the coordinates and velocities of a joint."""
    element = f"joint '{name}' coordinates"
    numbered = (name,) if nq == 1 else tuple(f"{name}_{k + 1}" for k in range(nq))
    q_names = tuple(f"{name}_{end}" for end in row.q_suffixes) if row.q_suffixes else numbered
    if coordinates is not None:
        check_arguments(_names, {"coordinates": coordinates}, f"joint '{name}'")
        q_names = tuple(coordinates)
        for entry in q_names:
            check_name(entry, element)
        if len(q_names) != nq:
            raise ModelError(f"has {len(q_names)} names", element=element, cure=f"give {nq} names")
    v_names = tuple(f"{name}_{end}" for end in row.v_suffixes) if row.v_suffixes else q_names
    return q_names, v_names
