"""Springs and dampers against MuJoCo: spatial tendons, joint stiffness, joint damping."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import mujoco
import numpy as np
import pytest
from tests import zoo
from tests.approx import CROSS_ENGINE, assert_close
from tests.crosscheck.mujoco_adapter import Twin, mjcf, text

import kinetree as kt

pytestmark = pytest.mark.crosscheck
KINDS = ("revolute", "spherical", "prismatic", "free", "universal")
PARENTS = (-1, 0, 1, -1, 3)


def tree() -> kt.Model:
    """Two branches with quaternions, their last bodies b2 and b4."""
    rng = np.random.default_rng(3)
    return zoo.build([zoo.random_link(rng, k, p) for k, p in zip(KINDS, PARENTS, strict=True)])


def add_tendons(root: ET.Element, springs: list[Any]) -> None:
    """A spatial tendon per spring: name, two (body, position), stiffness, length, damping."""
    tendons = ET.SubElement(root, "tendon")
    for name, ends, stiffness, length, damping in springs:
        tendon = ET.SubElement(tendons, "spatial", name=name)
        tendon.set("stiffness", text([stiffness]))
        tendon.set("springlength", text([length]))
        tendon.set("damping", text([damping]))
        for k, (body, position) in enumerate(ends):
            world = root.find("worldbody")
            assert world is not None
            holder = world if body == "ground" else world.find(f".//body[@name='{body}']")
            assert holder is not None
            ET.SubElement(holder, "site", name=f"{name}{k}", pos=text(position))
            ET.SubElement(tendon, "site", site=f"{name}{k}")


SPRINGS = [
    ("to_ground", (("ground", (0.7, -1.1, 0.9)), ("b2", (-0.4, 0.2, 0.6))), 7.0, 0.4, 0.9),
    ("across", (("b2", (0.1, 0.3, -0.2)), ("b4", (0.5, -0.6, 0.2))), 4.0, 1.5, 0.5),
    ("neighbours", (("b3", (0.4, 0.0, 0.1)), ("b4", (-0.2, 0.3, 0.3))), 2.0, 0.1, 0.0),
]


def peer(model: kt.Model, document: ET.Element) -> Twin:
    names = [f"{j.name}.{k}" for j in model.joints.values() for k in range(len(j.motions))]
    made = mujoco.MjModel.from_xml_string(ET.tostring(document, encoding="unicode"))
    return Twin(model, made, names)


def compare(model: kt.Model, twin: Twin, what: str) -> None:
    forward = kt.derive(model, "forward", "order_n")
    for seed in range(3):
        state = zoo.state(model, seed)
        ours = forward.evaluate(q=state["q"], qd=state["qd"], tau=state["tau"])["qdd"]
        theirs = twin.forward(state["q"], state["qd"], state["tau"])
        assert_close(ours, theirs, CROSS_ENGINE, f"{what} {seed}")


def test_springs_and_dampers_between_points_are_spatial_tendons() -> None:
    model = tree()
    document = ET.fromstring(mjcf(model))
    add_tendons(document, SPRINGS)
    twin = peer(model, document)
    bodies = {"ground": model.ground, **model.bodies}
    for name, ends, stiffness, length, damping in SPRINGS:
        a, b = (bodies[body].point(f"{name}{k}", at) for k, (body, at) in enumerate(ends))
        model.spring(name, a, b, stiffness, length, damping)
    compare(model, twin, "tendons")


def test_springs_and_dampers_in_joints() -> None:
    model = tree()
    document = ET.fromstring(mjcf(model))
    for k, name in enumerate(("j0", "j2")):
        entry = document.find(f".//joint[@name='{name}.0']")
        assert entry is not None
        entry.set("stiffness", text([3.0 + k]))
        entry.set("springref", text([0.2]))
        entry.set("damping", text([0.5 + k]))
    twin = peer(model, document)
    for k, name in enumerate(("j0", "j2")):
        model.joint_spring(f"spring_{name}", name, 3.0 + k, 0.2, 0.5 + k)
    compare(model, twin, "joints")
