"""A corner copied to the other side moves as its image in a mirror."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.approx import IDENTITY, ITERATED, LONG_RUN, assert_close

import kinetree as kt
from kinetree.errors import FormatError, KinetreeError
from kinetree.formats.edits.operations import mirror, remove, set_value
from kinetree.formats.yaml_file import read
from kinetree.formats.yaml_plain import read_plain
from kinetree.view.quaternions import matrices
from kinetree.view.shapes import read_shapes

MODELS = Path(__file__).resolve().parents[4] / "examples" / "models"
CORNER = ["wishbone", "guide_link", "track_strut", "trailing_arm", "rollover_strut", "spindle",
          "wheel"]  # fmt: skip


def test_the_quarter_car_gets_its_other_corner() -> None:
    before = (MODELS / "quarter_car.yaml").read_text(encoding="utf-8")
    text = mirror(before, CORNER, "", "left")
    assert [line for line in before.splitlines() if line not in text.splitlines()] == []
    model = read(text)
    assert (len(model.bodies), len(model.closures), len(model.forces)) == (15, 8, 6)
    assert model.point("chassis.spring_left").position == (-0.12446, 0.44704, 0.4064)
    assert model.bodies["wishbone_left"].inertia[3] == -0.000913211
    places = {name: k for k, name in enumerate(model.coordinates)}
    q = np.array(model.initial())
    q[places["rollover_strut_1"]], q[places["rollover_strut_left_1"]] = 0.05, -0.05
    found = kt.partition(model, q.tolist())
    assert found.mobility == 5  # heave, and travel and spin of two wheels
    for stem in ("wishbone", "guide_link", "track_strut", "trailing_arm", "rollover_strut"):
        for end in ("_1", "_2"):
            here, there = found.q[places[stem + end]], found.q[places[f"{stem}_left{end}"]]
            assert_close(there, -here, ITERATED, scale=1.0)


def test_a_corner_that_was_taken_out_is_mirrored_again() -> None:
    """Its points on the body that stays are where they belong, and are taken; others are not."""
    text = mirror((MODELS / "quarter_car.yaml").read_text(encoding="utf-8"), CORNER, "", "left")
    less = text
    for name in CORNER:
        less = remove(less, ["bodies", f"{name}_left"], whole=True)
    again = mirror(less, CORNER, "", "left")
    wanted = read_plain(text, "the text").data
    assert read_plain(again, "the text").data == wanted
    moved = set_value(less, ["bodies", "chassis", "points", "spring_left"], [0, 1, 2])
    with pytest.raises(FormatError, match="spring_left: there is one already"):
        mirror(moved, CORNER, "", "left")


CHAIN = """\
name: chain
gravity: [1.0, 0, -9.81]
parameters: {{half: 0.4}}
ground: {{points: {{hook: {{position: [0, 0.7, 2], rpy: [0.1, 0.2, 0.3]}}}}}}
bodies:
  R_arm: {{mass: 2, com: [0.3, half, 0.1], inertia: [1, 1.2, 1.5, 0.1, 0.2, -0.1],
    points: {{end: [0.5, "half/2", -0.2]}}}}
  R_tip: {{mass: 1, com: [0, 0.2, -0.3], inertia: [0.2, 0.3, 0.4]}}
joints:
  R_first: {{parent: ground.hook, child: R_arm, {first}}}
  R_last: {{kind: revolute, parent: R_arm.end, child: R_tip, axis: [0.6, 0.8, 0], initial: 0.3}}
forces:
  R_spring: {{kind: link, first: R_tip, second: ground.hook, stiffness: 30, length: 0.2}}
  R_wind: {{kind: external, at: R_tip, force: [0, "3 + at.v_y", 1],
    torque: ["at.w_x", 0, "-at.p_y"]}}
  R_back: {{kind: joint_spring, joint: R_last, stiffness: 9, rest: 0.4}}
  R_motor: {{kind: joint_law, joint: R_last, law: "0.5*sin(t) - 2*qd_R_last - q_R_last"}}
outputs:
  R_place: {{point: R_tip}}
  R_pull: "R_spring.force + q_R_last"
"""
FIRST = {
    "revolute": "kind: revolute, axis: x, initial: [0.4]",
    "prismatic": "kind: prismatic, axis: [0.6, 0, 0.8], initial: 0.1",
    "screw": "kind: screw, axis: z, pitch: half, initial: 0.2",
    "cylindrical": "kind: cylindrical, axis: x, initial: [0.2, -0.3]",
    "universal": "kind: universal, axes: [x, z], initial: [0.2, '10 deg']",
    "planar": "kind: planar, normal: y, initial: [0.1, 0.2, 0.3]",
    "spherical": "kind: spherical, initial: [0.8, 0.6, 0, 0]",
    "free": "kind: free, initial: [0.8, 0, 0, 0.6, 0.1, 0.2, 0.3]",
    "fixed": "kind: fixed",
    "sequence": "kind: sequence, steps: T2 R1 R2 R3, initial: [0.1, 0.2, 0.3, 0.4], "
    "coordinates: [R_a, R_b, R_c, R_d]",
}


@pytest.mark.parametrize("kind", sorted(FIRST))
def test_every_kind_of_joint_moves_as_its_image(kind: str) -> None:
    text = CHAIN.format(first=FIRST[kind])
    both = read(mirror(text, ["R_arm", "R_tip"], "R_", "L_"))
    run = kt.simulate(both, 0.2, step=0.05, rtol=ITERATED)
    right, left = (np.array([run[f"{s}_place.{a}"].values for a in "xyz"]) for s in "RL")
    assert_close(left, right * [[1], [-1], [1]], LONG_RUN)
    data = read_plain(mirror(text, ["R_arm", "R_tip"], "R_", "L_"), "text").data
    assert data["outputs"]["L_pull"] in (
        "L_spring.force + q_L_last",
        "L_spring.force + (-q_L_last)",
    )


TURNS: list[dict[str, Any]] = [
    {},
    {"axis": "x"},
    {"axis": "-z"},
    {"axis": [0.6, -0.48, 0.64]},
    {"rpy": [0.3, -0.5, 1.1]},
    {"rotation": [[0, 0, 1], [1, 0, 0], [0, 1, 0]]},
]


@pytest.mark.parametrize("turn", TURNS, ids=lambda row: "".join(row) or "none")
@pytest.mark.parametrize("normal", ["x", "y", "z"])
def test_solids_whose_ends_differ_and_lines_are_images(normal: str, turn: dict[str, Any]) -> None:
    place = {"position": [0.1, 0.2, 0.3], **turn}
    shapes = [
        {"kind": "cone", "radius": 0.1, "length": 0.4, **place},
        {"kind": "frustum", "radius": 0.1, "top": 0.05, "length": 0.4, **place},
        {"kind": "line", "radius": 0.01, "points": [[0, 0, 0], [0.1, 0.2, 0.4], [-0.3, 0, 1]]}
        | place,
    ]
    text = f"{CHAIN.format(first=FIRST['fixed'])}shapes: {json.dumps({'R_tip': shapes})}\n"
    found = read_shapes(read(mirror(text, ["R_tip"], "R_", "L_", normal)), Path()).parts
    across = np.array([-1 if letter == normal else 1 for letter in "xyz"])
    for here, there in zip(found["R_tip"], found["L_tip"], strict=True):
        assert here["kind"] == there["kind"]
        for of in (_middle, _z_axis):
            assert_close(of(there), across * of(here), IDENTITY, scale=1.0)


def _middle(solid: dict[str, Any]) -> np.ndarray:
    return np.array(solid["at"])


def _z_axis(solid: dict[str, Any]) -> np.ndarray:
    return matrices(np.array(solid["turn"]))[:, 2]


def test_what_cannot_be_mirrored_is_told() -> None:
    text = CHAIN.format(first=FIRST["fixed"])
    for arguments, sentence in (
        ((["R_amr"], "R_", "L_"), "did you mean 'R_arm'"),
        ((["R_arm"], "R_", "R_"), "names would stay"),
        ((["R_arm"], "R_", "L_", "w"), "there is no axis 'w'"),
    ):
        with pytest.raises(KinetreeError, match=sentence):
            mirror(text, *arguments)
    with pytest.raises(FormatError, match="there is one already"):
        mirror(mirror(text, ["R_tip"], "R_", "L_"), ["R_tip"], "R_", "L_")
