"""The same system in Pinocchio: built joint by joint from a Model, or read from the same URDF.

Conventions: ours are quaternions w x y z, free joint q = [quaternion; position] and
qd = [angular; linear]; Pinocchio's are x y z w, [position; quaternion], [linear; angular].
Both express free velocities in the child frame.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pinocchio as pin
from tests.crosscheck.numeric import Numbers

from kinetree.model import Ball, Float, Shift, Turn, Twist

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    import kinetree as kt

    Array = NDArray[np.float64]

ALIGNED = {
    Turn: (pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ),
    Shift: (pin.JointModelPX, pin.JointModelPY, pin.JointModelPZ),
}
UNALIGNED = {Turn: pin.JointModelRevoluteUnaligned, Shift: pin.JointModelPrismaticUnaligned}
QUATERNION = (3, 0, 1, 2)  # where x y z w keeps w x y z
ORDER = {  # motion -> which of Pinocchio's numbers are our q, our qd
    Ball: (QUATERNION, (0, 1, 2)),
    Float: ((6, 3, 4, 5, 0, 1, 2), (3, 4, 5, 0, 1, 2)),
}


def joint_model(motion: Any, pitch: float) -> Any:
    """Pinocchio's joint for one elementary motion."""
    if isinstance(motion, Ball):
        return pin.JointModelSpherical()
    if isinstance(motion, Float):
        return pin.JointModelFreeFlyer()
    axis = np.array(motion.axis, dtype=float)
    if isinstance(motion, Twist):
        return pin.JointModelHelicalUnaligned(axis, pitch)
    if np.count_nonzero(axis) == 1 and axis.max() == 1.0:
        return ALIGNED[type(motion)][int(np.argmax(axis))]()
    return UNALIGNED[type(motion)](axis)


class Twin:
    """A Pinocchio model with the index maps between its numbers and ours.

    `q_from[k]` is the index in Pinocchio's q of our q[k]; `v_from[k]` likewise for velocities.
    `places[body]` is (joint index, body frame in that joint's frame).
    """

    def __init__(self, model: kt.Model, peer: Any) -> None:
        self.model, self.peer = model, peer
        self.q_from = np.zeros(model.nq, dtype=int)
        self.v_from = np.zeros(model.nv, dtype=int)
        self.places: dict[str, tuple[int, Any]] = {}

    def adopt(self, motion: Any, joint: int, i: int, j: int) -> None:
        """Record that our motion starting at q[i], qd[j] is Pinocchio's joint."""
        q_order, v_order = ORDER.get(type(motion), ((0,), (0,)))
        start_q, start_v = self.peer.joints[joint].idx_q, self.peer.joints[joint].idx_v
        self.q_from[i : i + len(q_order)] = [start_q + k for k in q_order]
        self.v_from[j : j + len(v_order)] = [start_v + k for k in v_order]

    def ready(self) -> None:
        """To be called once the Pinocchio model is complete."""
        self.data = self.peer.createData()
        self.q_into, self.v_into = np.argsort(self.q_from), np.argsort(self.v_from)
        self.peer.armature = self.v(Numbers(self.model).armature())

    def q(self, ours: Array) -> Array:
        """Coordinates in Pinocchio's order."""
        return np.array(ours)[self.q_into]

    def v(self, ours: Array) -> Array:
        """Velocities, accelerations or forces in Pinocchio's order."""
        return np.array(ours)[self.v_into]

    def ours(self, theirs: Array) -> Array:
        """Velocities, accelerations or forces in our order."""
        return np.array(theirs)[self.v_from]

    def ours_columns(self, theirs: Array) -> Array:
        """A matrix with one column per velocity, columns in our order."""
        return np.array(theirs)[:, self.v_from]

    def ours_matrix(self, theirs: Array) -> Array:
        """A matrix with one row and one column per velocity, in our order."""
        return np.array(theirs)[np.ix_(self.v_from, self.v_from)]

    # --- quantities, in our order ---------------------------------------------------------------

    def inverse(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Joint forces."""
        return self.ours(pin.rnea(self.peer, self.data, self.q(q), self.v(qd), self.v(qdd)))

    def bias(self, q: Array, qd: Array) -> Array:
        """c of M qdd + c = tau."""
        return self.ours(pin.nonLinearEffects(self.peer, self.data, self.q(q), self.v(qd)))

    def mass_matrix(self, q: Array) -> Array:
        """M, both triangles."""
        upper = np.triu(pin.crba(self.peer, self.data, self.q(q)))
        return self.ours_matrix(upper + np.triu(upper, 1).T)

    def forward(self, q: Array, qd: Array, tau: Array) -> Array:
        """Accelerations."""
        return self.ours(pin.aba(self.peer, self.data, self.q(q), self.v(qd), self.v(tau)))

    def inverse_derivatives(self, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array]:
        """dtau along the nv tangent directions of q, and dtau/dqd."""
        pin.computeRNEADerivatives(self.peer, self.data, self.q(q), self.v(qd), self.v(qdd))
        return self.ours_matrix(self.data.dtau_dq), self.ours_matrix(self.data.dtau_dv)

    def forward_derivatives(self, q: Array, qd: Array, tau: Array) -> tuple[Array, Array, Array]:
        """dqdd along the nv tangent directions of q, dqdd/dqd, dqdd/dtau."""
        pin.computeABADerivatives(self.peer, self.data, self.q(q), self.v(qd), self.v(tau))
        full = np.triu(self.data.Minv)
        full = full + np.triu(full, 1).T
        parts = (self.data.ddq_dq, self.data.ddq_dv, full)
        dq, dv, dt = (self.ours_matrix(part) for part in parts)
        return dq, dv, dt

    def external(self, q: Array, wrenches: dict[str, Array]) -> Any:
        """Our external wrenches [torque; force] as Pinocchio wants them, joint by joint."""
        pin.forwardKinematics(self.peer, self.data, self.q(q))
        forces = pin.StdVec_Force()
        for _ in range(self.peer.njoints):
            forces.append(pin.Force.Zero())
        numbers = Numbers(self.model)
        for name, values in wrenches.items():
            wrench = self.model.wrenches[name]
            joint, place = self.places[wrench.point.body.name]
            at = place * pin.SE3(*numbers.place(wrench.point))
            if wrench.frame == "world":
                at = pin.SE3(self.data.oMi[joint].rotation.T, at.translation)
            forces[joint] = forces[joint] + at.act(pin.Force(values[3:], values[:3]))
        return forces

    def loaded_inverse(self, q: Array, qd: Array, qdd: Array, wrenches: dict[str, Array]) -> Array:
        """Joint forces under external wrenches."""
        x = self.q(q), self.v(qd), self.v(qdd)
        return self.ours(pin.rnea(self.peer, self.data, *x, self.external(q, wrenches)))

    def loaded_forward(self, q: Array, qd: Array, tau: Array, wrenches: dict[str, Array]) -> Array:
        """Accelerations under external wrenches."""
        x = self.q(q), self.v(qd), self.v(tau)
        return self.ours(pin.aba(self.peer, self.data, *x, self.external(q, wrenches)))

    def energy(self, q: Array, qd: Array) -> tuple[float, float]:
        """Kinetic and potential energy [J]; the potential is zero at the ground's origin."""
        kinetic = pin.computeKineticEnergy(self.peer, self.data, self.q(q), self.v(qd))
        return float(kinetic), float(pin.computePotentialEnergy(self.peer, self.data, self.q(q)))

    def move(self, q: Array, qd: Array, qdd: Array) -> None:
        """Compute all poses, velocities, accelerations and Jacobians."""
        x = self.q(q), self.v(qd), self.v(qdd)
        pin.forwardKinematics(self.peer, self.data, *x)
        pin.computeJointJacobians(self.peer, self.data, x[0])

    def pose(self, body: str) -> tuple[Array, Array]:
        """R (body -> world components) and position of the body's origin, after `move`."""
        joint, place = self.places[body]
        at = self.data.oMi[joint] * place
        return np.array(at.rotation), np.array(at.translation)

    def velocity(self, body: str, r: Array) -> tuple[Array, Array]:
        """Angular velocity of a body and velocity of its point r, in the world frame."""
        joint, place = self.places[body]
        motion = place.actInv(self.data.v[joint])
        R = self.pose(body)[0]
        w = np.array(motion.angular)
        return R @ w, R @ (np.array(motion.linear) + np.cross(w, r))

    def acceleration(self, body: str, r: Array) -> tuple[Array, Array]:
        """Angular acceleration of a body and acceleration of its point r, in the world frame."""
        joint, place = self.places[body]
        motion, change = place.actInv(self.data.v[joint]), place.actInv(self.data.a[joint])
        R = self.pose(body)[0]
        w, v = np.array(motion.angular), np.array(motion.linear)
        wd = np.array(change.angular)
        a = np.array(change.linear) + np.cross(w, v) + np.cross(wd, r) + np.cross(w, np.cross(w, r))
        return R @ wd, R @ a

    def jacobian(self, body: str, r: Array) -> tuple[Array, Array]:
        """Angular and linear Jacobian (3 x nv each) of a body's point, in the world frame."""
        joint, _ = self.places[body]
        J = pin.getJointJacobian(self.peer, self.data, joint, pin.ReferenceFrame.WORLD)
        R, p = self.pose(body)
        at = p + R @ np.asarray(r)
        linear, angular = self.ours_columns(J[:3]), self.ours_columns(J[3:])
        return angular, linear + np.cross(angular, at, axis=0)


def twin(model: kt.Model) -> Twin:
    """Build the model in Pinocchio, one joint per elementary motion, massless frames in between."""
    numbers, peer = Numbers(model), pin.Model()
    peer.gravity.linear = numbers.gravity()
    made = Twin(model, peer)
    made.places[model.ground.name] = (0, pin.SE3.Identity())
    tree = model.tree()
    for k in depth_first(tree):
        add_body(made, numbers, tree.joints[k], tree.q_start[k], tree.v_start[k])
    made.ready()
    return made


def depth_first(tree: Any) -> list[int]:
    """Bodies with every subtree in one piece, which Pinocchio's mass matrix relies on."""
    order, waiting = [], [0]
    while waiting:
        order.append(waiting.pop())
        waiting += reversed(tree.children[order[-1]])
    return order[1:]


def add_body(made: Twin, numbers: Numbers, joint: Any, i: int, j: int) -> None:
    """The motions of one joint and the body behind it."""
    at, place = made.places[joint.parent.body.name]
    place = place * pin.SE3(*numbers.place(joint.parent))
    for k, motion in enumerate(joint.motions):
        pitch = numbers.pitch(joint) if isinstance(motion, Twist) else 0.0
        at = made.peer.addJoint(at, joint_model(motion, pitch), place, f"{joint.name}.{k}")
        made.adopt(motion, at, i, j)
        place = pin.SE3.Identity()
        i, j = i + len(motion.neutral), j + motion.nv
    place = place * pin.SE3(*numbers.place(joint.child)).inverse()
    body = joint.child.body
    inertia = pin.Inertia(numbers.mass(body), numbers.com(body), numbers.inertia(body))
    made.peer.appendBodyToJoint(at, inertia, place)
    made.places[body.name] = (at, place)


def urdf_twin(model: kt.Model, path: Path, floating: bool) -> Twin:
    """The robot as Pinocchio's own reader understands the URDF; joints are matched by name."""
    if floating:
        peer = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    else:
        peer = pin.buildModelFromUrdf(str(path))
    made = Twin(model, peer)
    i = j = 0
    for joint in model.joints.values():
        for motion in joint.motions:
            name = "root_joint" if isinstance(motion, Float) else joint.name
            made.adopt(motion, peer.getJointId(name), i, j)
            i, j = i + len(motion.neutral), j + motion.nv
    for frame in peer.frames:
        if frame.type == pin.FrameType.BODY and frame.name in model.bodies:
            made.places[frame.name] = (frame.parentJoint, frame.placement)
    made.ready()
    return made
