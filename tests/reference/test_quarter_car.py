"""Five-link suspension: its spatial loops against rods of constant length, and its static position.

The witness of the kinematics knows nothing of joints: a spindle in space with five points at given
distances from five points of the chassis, solved for its pose.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import scipy.optimize
from ruamel.yaml import YAML
from scipy.spatial.transform import Rotation
from tests.approx import FORMALISM, IDENTITY, SUMS
from tests.reference.closed_numeric import DATA, Closed, load

import kinetree as kt

AT_REST = 1e-8  # accelerations at rest [rad/s2, m/s2]

FILE: dict[str, Any] = YAML(typ="safe").load(DATA / "suspensions" / "multilink.yaml")[
    "five_link_minaker"
]
INNER = np.array([link["inner"] for link in FILE["links"]])
OUTER = np.array([link["outer"] for link in FILE["links"]])
HUB = np.array(FILE["wheel_bearing"]["p"])
LENGTHS = np.linalg.norm(OUTER - INNER, axis=1)


@cache
def system() -> Closed:
    return Closed(load("quarter_car"))


def spindle_pose(travel: float) -> tuple[np.ndarray, np.ndarray]:
    """(place of the hub, rotation of the spindle) when the hub has risen by `travel` [m]."""

    def gaps(pose: np.ndarray) -> np.ndarray:
        turn = Rotation.from_rotvec(pose[3:]).as_matrix()
        ends = HUB + pose[:3] + (OUTER - HUB) @ turn.T
        rods = np.linalg.norm(ends - INNER, axis=1) - LENGTHS
        return np.array([*rods, pose[2] - travel])

    found = scipy.optimize.least_squares(
        gaps, [0, 0, travel, 0, 0, 0], xtol=1e-15, ftol=1e-15, gtol=1e-15
    )
    assert np.abs(found.fun).max() < SUMS
    pose = found.x
    return HUB + pose[:3], Rotation.from_rotvec(pose[3:]).as_matrix()


def test_three_freedoms_in_four_spatial_loops() -> None:
    model = system().model
    found = kt.partition(model, independent=["heave", "rollover_strut_1", "spin"])
    assert found.mobility == found.structural_mobility == 3
    assert len(found.dependent) == 12
    assert not found.redundant
    assert np.abs(found.q - model.initial()).max() < IDENTITY


def test_spindle_moves_as_five_rods_let_it() -> None:
    model = system().model
    places = kt.derive(model, "kinematics", points=["spindle.hub"])
    q = np.array(model.initial())
    strut = model.coordinates.index("rollover_strut_1")
    zero = np.zeros(model.nv)
    for angle in np.linspace(0, 0.25, 6):
        q[strut] = -angle
        q = kt.assemble(model, q, independent=["heave", "rollover_strut_1", "spin"]).q
        out = places.evaluate(q=q, qd=zero, qdd=zero)
        p = out["spindle.hub.position"]
        place, turn = spindle_pose(p[2] - HUB[2])
        assert np.abs(p - place).max() < FORMALISM
        assert np.abs(out["spindle.hub.rotation"] - turn).max() < FORMALISM
    assert abs(p[2] - HUB[2]) > 0.05


def test_design_position_is_static() -> None:
    q = np.array(system().model.initial())
    qdd, _ = system().accelerations(q, np.zeros(15))
    assert np.abs(qdd).max() < AT_REST
