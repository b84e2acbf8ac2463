"""The saloon in MuJoCo: its loops, and accelerations in the middle of a lane change.

MuJoCo knows the tree of the same bodies; springs, dampers, bushings and anti-roll bars are written
here once more, from MuJoCo's places and velocities of their ends.  Loops are conditions between
MuJoCo's points, solved exactly: its own equality constraints are springs, as stiff as a step
allows.  Tyres alone act by what this package finds.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import yaml
from scipy.interpolate import PchipInterpolator
from tests.approx import CLOSED, CROSS_ENGINE, READ_OFF, RUN, assert_close
from tests.crosscheck import mujoco_adapter
from tests.reference.test_saloon import CARRYING, DATA, HELD, MODEL, SWINGS

import kinetree as kt

mujoco = pytest.importorskip("mujoco", reason="needs the package mujoco")

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

pytestmark = pytest.mark.crosscheck
T = 1.7
"""A time at which the rack moves [s]."""
TURN = 2 * np.pi / 3
RACK = tuple(-0.01 * w * f(TURN * (T - 1)) for w, f in
             ((1.0, np.sin), (TURN, np.cos), (-(TURN**2), np.sin)))  # fmt: skip
"""Place, speed and acceleration of the rack then."""
SMALL = 1e-6
"""Time over which Jacobians are differenced [s]."""


class Peer:
    """The tree of the saloon in MuJoCo at a state, with points of the model file."""

    def __init__(self) -> None:
        self.model = kt.load(MODEL)
        self.data = yaml.safe_load(MODEL.read_text(encoding="utf-8"))
        self.twin = mujoco_adapter.twin(self.model)
        self.peer, self.now = self.twin.peer, self.twin.data

    def put(self, q: Array, qd: Array) -> None:
        """Go to a state."""
        self.twin.set_state(q, qd)
        mujoco.mj_forward(self.peer, self.now)

    def at(self, path: str) -> tuple[Array, int, Array]:
        """Place of a point, number of its body, and how its velocity follows from all of them."""
        name, _, point = path.partition(".")
        body = self.peer.body(name).id
        local = self.model.bodies[name].points[point].position if point else (0, 0, 0)
        own = np.array(local, dtype=float)
        place = self.now.xpos[body] + self.now.xmat[body].reshape(3, 3) @ own
        J = np.zeros((3, self.peer.nv))
        mujoco.mj_jac(self.peer, self.now, J, None, place, body)
        return place, body, J[:, self.order]

    @property
    def order(self) -> list[int]:
        """MuJoCo's numbers of the velocities, in the order of the model."""
        return self.twin.v_from

    def turns(self) -> Array:
        """How the angular velocity of the body of the car follows from all velocities."""
        J = np.zeros((3, self.peer.nv))
        mujoco.mj_jacBody(self.peer, self.now, None, J, self.peer.body("body").id)
        return J[:, self.order]

    def velocity(self, path: str) -> Array:
        """Of a point in the ground frame [m/s]."""
        return self.at(path)[2] @ self.now.qvel[self.order]

    @cached_property
    def rack(self) -> int:
        """Number of the rack's velocity."""
        return self.model.velocities.index("rack")

    def gaps(self) -> Array:
        """Of all loops [m]."""
        ends = ((self.at(c["first"])[0], self.at(c["second"])[0])
                for c in self.data["closures"].values())  # fmt: skip
        return np.concatenate([a - b for a, b in ends])

    def jacobian(self) -> Array:
        """Of the loops, then of the rack."""
        pairs = ((self.at(c["first"])[2], self.at(c["second"])[2])
                 for c in self.data["closures"].values())  # fmt: skip
        return np.vstack([*(a - b for a, b in pairs), np.eye(self.peer.nv)[self.rack]])

    def bend(self, q: Array, qd: Array) -> Array:
        """What the accelerations of the conditions are with velocities alone: dJ/dt qd."""
        found = []
        for side in (1, -1):
            self.put(q + side * SMALL * qd, qd)
            found.append(self.jacobian())
        self.put(q, qd)
        return (found[0] - found[1]) @ qd / (2 * SMALL)

    def pull(self, first: str, second: str, force: Array) -> Array:
        """Generalised forces of a force on the first point, its reaction on the second."""
        return (self.at(first)[2] - self.at(second)[2]).T @ force

    def links(self) -> Array:
        """Springs and dampers."""
        total = np.zeros(self.peer.nv)
        for corner in CARRYING:
            axle = "front" if corner[0] == "F" else "rear"
            spring, damper = DATA["springs"][axle], DATA["dampers"]
            law = PchipInterpolator(damper["speed"], damper[axle])
            for kind in ("spring", "damper"):
                row = self.data["forces"][f"{corner}_{kind}"]
                along = self.at(row["first"])[0] - self.at(row["second"])[0]
                length = np.linalg.norm(along)
                rate = along @ (self.velocity(row["first"]) - self.velocity(row["second"])) / length
                stretched = spring["k"] * (length - spring["free_length"])
                tension = stretched if kind == "spring" else -law(-rate)
                total += self.pull(row["first"], row["second"], -tension * along / length)
        return total

    def bushings(self) -> Array:
        """In the axes of the body, which carries their first ends."""
        total, body = np.zeros(self.peer.nv), self.peer.body("body").id
        R = self.now.xmat[body].reshape(3, 3)
        turn = self.turns()
        for row in self.data["forces"].values():
            if row["kind"] == "bushing":
                first, second = (self.at(row[end])[0] for end in ("first", "second"))
                apart = self.velocity(row["second"]) - self.velocity(row["first"])
                apart -= np.cross(turn @ self.now.qvel[self.order], second - first)
                away = R @ (row["stiffness"] * (R.T @ (second - first)))
                force = -away - R @ (row["damping"] * (R.T @ apart))
                total += self.pull(row["second"], row["first"], force)
                total += turn.T @ np.cross(second - first, -force)  # on the body at the second end
        return total

    def bars(self) -> Array:
        """Of the energy of the difference of both wheels' rises in the axes of the body."""
        total, body = np.zeros(self.peer.nv), self.peer.body("body").id
        up = self.now.xmat[body].reshape(3, 3)[:, 2]
        turn = self.turns()
        for axle in ("front", "rear"):
            left, right = (self.at(f"{axle[0].upper()}{side}_upright.hub") for side in "LR")
            apart = left[0] - right[0]
            force = -DATA["anti_roll_bars"][axle]["k"] * (up @ apart)
            total += force * ((left[2] - right[2]).T @ up + turn.T @ np.cross(up, apart))
        return total

    def tyres(self, q: Array, qd: Array) -> Array:
        """By the forces that this package finds, about the origins of the wheels."""
        forces = kt.derive(self.model, "forces", parameters="folded")
        found = forces.evaluate(**forces.pick_inputs({"q": q, "qd": qd, "t": np.array(T)}))
        total = np.zeros(self.peer.nv)
        for corner in CARRYING:
            place, body, _ = self.at(f"{corner}_wheel")
            force, torque = (found[f"{corner}_tyre.{what}"] for what in ("force", "torque"))
            mujoco.mj_applyFT(self.peer, self.now, force, torque, place, body, total)
        return total[self.order]


@pytest.fixture(scope="module")
def peer() -> Peer:
    return Peer()


@pytest.fixture(scope="module")
def state(peer: Peer) -> tuple[Array, Array]:
    """Loops closed by this package, with everything out of the middle; velocities by MuJoCo."""
    model, rng = peer.model, np.random.default_rng(3)
    q = np.zeros(model.nq)
    for name in HELD:
        if not name.endswith("_spin"):
            q[model.coordinates.index(name)] = rng.normal(scale=0.003)
    q[model.coordinates.index("roll")] = 0.03
    for k, name in enumerate(SWINGS.values()):
        q[model.coordinates.index(name)] = (0.05, -0.03, 0.02, -0.06)[k]
    q[model.coordinates.index("z")] -= 0.01
    q = kt.assemble(model, q, independent=(*HELD, *SWINGS.values()), t=T).q
    speeds = rng.normal(scale=0.1, size=model.nv)
    for name, value in (("x", 10.0), *((f"{c}_spin", 30.0) for c in CARRYING)):
        speeds[model.velocities.index(name)] = value
    peer.put(q, speeds)
    J = peer.jacobian()
    wanted = np.append(np.zeros(len(J) - 1), RACK[1])
    return q, speeds - np.linalg.pinv(J) @ (J @ speeds - wanted)


def test_loops_are_closed_in_mujoco(peer: Peer, state: tuple[Array, Array]) -> None:
    q, qd = state
    peer.put(q, qd)
    assert np.abs(peer.gaps()).max() < CLOSED
    assert q[peer.rack] == pytest.approx(RACK[0], abs=CLOSED)


def test_wheels_rise_over_their_springs_as_in_mujoco(peer: Peer) -> None:
    """Motion ratios of all corners, from the Jacobian of MuJoCo's loops in the design position."""
    peer.put(np.zeros(peer.model.nq), np.zeros(peer.model.nv))
    J = peer.jacobian()
    for corner, ratios in (("FL", (0.633, 0.633)), ("RR", (0.607, 0.895))):
        held = [peer.model.velocities.index(name)
                for name in (*HELD, *(s for c, s in SWINGS.items() if c != corner))]  # fmt: skip
        fixed = np.vstack([J, np.eye(peer.peer.nv)[held]])
        moved = np.linalg.svd(fixed)[2][-1]  # the one motion that is left
        assert np.abs(fixed @ moved).max() < CLOSED
        hub = peer.at(f"{corner}_upright.hub")[2] @ moved
        for kind, ratio in zip(("spring", "damper"), ratios, strict=True):
            row = peer.data["forces"][f"{corner}_{kind}"]
            low, high = (peer.at(row[end]) for end in ("first", "second"))
            along = (high[0] - low[0]) / np.linalg.norm(high[0] - low[0])
            shorter = along @ (low[2] - high[2]) @ moved
            assert shorter / hub[2] == pytest.approx(ratio, abs=READ_OFF)


def test_accelerations_in_a_lane_change(peer: Peer, state: tuple[Array, Array]) -> None:
    """All 81, by this package's explicit loops and by MuJoCo's masses with all conditions."""
    q, qd = state
    program = kt.derive(peer.model, "forward", parameters="folded")
    given = {"q": q, "qd": qd, "t": np.array(T), "tau": np.zeros(peer.model.nv)}
    ours: Any = program.evaluate(**program.pick_inputs(given))
    assert_close(ours["q_closed"], q, CROSS_ENGINE, "coordinates")
    assert_close(ours["qd_closed"], qd, RUN, "velocities")
    bend = peer.bend(q, qd)
    M = peer.twin.mass_matrix(q)
    peer.put(q, qd)
    J = peer.jacobian()
    acting = peer.links() + peer.bushings() + peer.bars() + peer.tyres(q, qd)
    wanted = np.append(np.zeros(len(J) - 1), RACK[2]) - bend
    whole = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
    theirs = np.linalg.solve(whole, np.append(acting - peer.now.qfrc_bias[peer.order], wanted))[
        : len(qd)
    ]
    assert_close(ours["qdd"], theirs, RUN, "accelerations")
