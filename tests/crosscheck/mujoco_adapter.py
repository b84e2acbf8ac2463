"""The same system in MuJoCo, written as MJCF from a Model, or read from the same URDF.

Speaks revolute, prismatic and spherical motions, any sequence of them, and a free root. A free
joint's linear velocity is given in the world frame there, in the child frame here.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from tests.crosscheck.numeric import Numbers, quaternion_matrix

from kinetree.model import Ball, Float, Shift, Turn

if TYPE_CHECKING:
    from numpy.typing import NDArray

    import kinetree as kt

    Array = NDArray[np.float64]

KINDS = (
    "revolute",
    "prismatic",
    "cylindrical",
    "universal",
    "planar",
    "spherical",
    "fixed",
    "sequence",
)
WORDS = {Turn: "hinge", Shift: "slide", Ball: "ball"}


def text(x: Any) -> str:
    """Numbers as MJCF wants them, exact."""
    return " ".join(f"{float(e):.17g}" for e in np.ravel(x))


def matrix_quaternion(R: Array) -> Array:
    """Unit quaternion w x y z of a rotation matrix."""
    out = np.zeros(4)
    mujoco.mju_mat2Quat(out, np.ascontiguousarray(R).ravel())
    return out


def cross_matrix(a: Array) -> Array:
    """The matrix of the vector product with a."""
    x, y, z = a
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def mjcf(model: kt.Model) -> str:
    """The model as an MJCF document."""
    numbers = Numbers(model)
    root = ET.Element("mujoco", model=model.name)
    ET.SubElement(root, "compiler", angle="radian", autolimits="false", balanceinertia="false")
    option = ET.SubElement(root, "option", gravity=text(numbers.gravity()))
    ET.SubElement(option, "flag", contact="disable", constraint="disable")
    tree = model.tree()
    elements = [ET.SubElement(root, "worldbody")]
    for k in tree.outward():
        elements.append(add_body(elements[tree.parent[k]], numbers, tree.joints[k]))
    return ET.tostring(root, encoding="unicode")


def add_body(parent: ET.Element, numbers: Numbers, joint: Any) -> ET.Element:
    """One body; its joints act at the child point, about axes of the frame there."""
    R_parent, p_parent = numbers.place(joint.parent)
    R_child, p_child = numbers.place(joint.child)
    R = R_parent @ R_child.T
    body = joint.child.body
    element = ET.SubElement(parent, "body", name=body.name)
    element.set("pos", text(p_parent - R @ p_child))
    element.set("quat", text(matrix_quaternion(R)))
    for k, motion in enumerate(joint.motions):
        name = f"{joint.name}.{k}"
        if isinstance(motion, Float):
            ET.SubElement(element, "freejoint", name=name)
            continue
        entry = ET.SubElement(element, "joint", name=name, type=WORDS[type(motion)])
        entry.set("pos", text(p_child))
        if not isinstance(motion, Ball):
            entry.set("axis", text(R_child @ np.array(motion.axis, dtype=float)))
    tensor = numbers.inertia(body)[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    inertial = ET.SubElement(element, "inertial", pos=text(numbers.com(body)))
    inertial.set("mass", text([numbers.mass(body)]))
    inertial.set("fullinertia", text(tensor))
    return element


class Twin:
    """A MuJoCo model whose joints stand in the order of ours."""

    def __init__(self, model: kt.Model, peer: Any, names: list[str]) -> None:
        self.model, self.peer = model, peer
        self.data, self.numbers = mujoco.MjData(peer), Numbers(model)
        self.q_from, self.v_from = [], []
        motions = [m for joint in model.joints.values() for m in joint.motions]
        for name, motion in zip(names, motions, strict=True):
            joint = peer.joint(name)
            i, j = int(joint.qposadr[0]), int(joint.dofadr[0])
            free = isinstance(motion, Float)
            order = (3, 4, 5, 6, 0, 1, 2) if free else range(len(motion.neutral))
            turned = (3, 4, 5, 0, 1, 2) if free else range(motion.nv)
            self.q_from += [i + k for k in order]
            self.v_from += [j + k for k in turned]
        self.peer.dof_armature[self.v_from] = self.numbers.armature()

    def set_state(self, q: Array, qd: Array) -> tuple[Array, Array]:
        """Write a state; returns X and b of der(v_mujoco) = X qdd + b, with v_mujoco = X qd."""
        X, b, world = np.eye(self.model.nv), np.zeros(self.model.nv), np.array(q)
        i = j = 0
        for joint in self.model.joints.values():
            for motion in joint.motions:
                turned = slice(j, j + 3)
                if isinstance(motion, Ball):
                    X[turned, turned] = R_c = self.numbers.place(joint.child)[0]
                    world[i + 1 : i + 4] = R_c @ q[i + 1 : i + 4]
                if isinstance(motion, Float):
                    part = slice(j, j + 6)
                    pose = self.free_state(joint, q[i : i + 7], qd[part])
                    world[i : i + 7], X[part, part], b[part] = pose
                i, j = i + len(motion.neutral), j + motion.nv
        self.data.qpos[self.q_from] = world
        self.data.qvel[self.v_from] = X @ qd
        return X, b

    def free_state(self, joint: Any, q: Array, qd: Array) -> tuple[Array, Array, Array]:
        """Pose from the world, X and b of a free joint, all as quaternion or angular part first.

        MuJoCo's free joint carries the body's own frame, told from the world; ours carries the
        frame at the joint's child point, told from the joint's parent point.
        """
        R_p, p_p = self.numbers.place(joint.parent)
        R_c, p_c = self.numbers.place(joint.child)
        R, r = R_p @ quaternion_matrix(q[:4]), -R_c.T @ p_c
        w, v = qd[:3], qd[3:]
        X = np.block([[R_c, np.zeros((3, 3))], [R @ cross_matrix(-r), R]])
        b = np.concatenate([np.zeros(3), R @ np.cross(w, v + np.cross(w, r))])
        return np.array([*matrix_quaternion(R @ R_c.T), *(p_p + R_p @ q[4:] + R @ r)]), X, b

    def forward(self, q: Array, qd: Array, tau: Array) -> Array:
        """Accelerations in our order and conventions."""
        X, b = self.set_state(q, qd)
        self.data.qfrc_applied[self.v_from] = np.linalg.solve(X.T, tau)
        mujoco.mj_forward(self.peer, self.data)
        return np.linalg.solve(X, self.data.qacc[self.v_from] - b)

    def bias(self, q: Array, qd: Array) -> Array:
        """c of M qdd + c = tau in our order and conventions."""
        X, b = self.set_state(q, qd)
        mujoco.mj_forward(self.peer, self.data)
        full = np.zeros((self.peer.nv, self.peer.nv))
        mujoco.mj_fullM(self.peer, self.data, full)
        M = full[np.ix_(self.v_from, self.v_from)]
        return X.T @ (self.data.qfrc_bias[self.v_from] + M @ b)

    def mass_matrix(self, q: Array) -> Array:
        """M in our order and conventions."""
        X, _ = self.set_state(q, np.zeros(self.model.nv))
        mujoco.mj_forward(self.peer, self.data)
        full = np.zeros((self.peer.nv, self.peer.nv))
        mujoco.mj_fullM(self.peer, self.data, full)
        return X.T @ full[np.ix_(self.v_from, self.v_from)] @ X


def twin(model: kt.Model) -> Twin:
    """The model in MuJoCo by way of MJCF."""
    names = [f"{j.name}.{k}" for j in model.joints.values() for k in range(len(j.motions))]
    return Twin(model, mujoco.MjModel.from_xml_string(mjcf(model)), names)


def urdf_twin(model: kt.Model, urdf: str) -> Twin:
    """A fixed-base robot as MuJoCo's own reader understands the URDF, joint limits off."""
    names = [j.name for j in model.joints.values() for _ in j.motions]
    peer = mujoco.MjModel.from_xml_string(urdf)
    peer.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    return Twin(model, peer, names)
