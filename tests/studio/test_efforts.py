"""Arrows of reactions: forces in the ground frame, where they act."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.approx import IDENTITY, SINGLE
from tests.studio.conftest import Studio, finished, running_studio

from kinetree.view.packing import unpack

ROD = """kinetree: 1
name: rod
gravity: [0, 0, -10]
bodies:
  rod:
    mass: 3
    com: [0, 0, -0.5]
    inertia: [0.25, 0.25, 0]
    points: {top: [0, 0, 0.1]}
joints:
  pin: {kind: revolute, axis: y, parent: ground, child: rod, initial: 1.5707963267948966}
"""
"""A uniform rod of 1 m (inertia m L²/12), released level."""


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    file = tmp_path_factory.mktemp("efforts") / "rod.yaml"
    file.write_text(ROD, encoding="utf-8")
    with running_studio(file) as made:
        yield made


def test_a_guided_rod_is_held_by_a_torque(tmp_path: Path) -> None:
    """A rod that stands level on a slide: the slide carries m g, and m g L/2 about the guide."""
    file = tmp_path / "rod.yaml"
    file.write_text(
        ROD.replace("kind: revolute, axis: y", "kind: prismatic, axis: x").replace(
            "initial: 1.5707963267948966", "initial: 0"
        ).replace("com: [0, 0, -0.5]", "com: [0, 0.5, 0]").replace("inertia: [0.25, 0.25, 0]",
            "inertia: [0.25, 0, 0.25]"), encoding="utf-8")  # fmt: skip
    with running_studio(file) as studio:
        client = studio.client()
        motion = finished(client, "simulate", duration=0.01)
        found = client.get(f"/api/runs/{finished(client, 'reactions', run=motion)}/efforts").json()
    assert unpack(found["forces"])[0] == pytest.approx([0, 0, 30], abs=30 * SINGLE)
    assert unpack(found["torques"])[0] == pytest.approx([15, 0, 0], abs=30 * SINGLE)
    assert found["strongest_torque"] == pytest.approx(15)


def test_the_pin_of_a_rod_that_is_let_go_carries_a_quarter_of_its_weight(studio: Studio) -> None:
    client = studio.client()
    motion = finished(client, "simulate", duration=0.01)
    found = client.get(f"/api/runs/{finished(client, 'reactions', run=motion)}/efforts").json()
    (mark,) = found["marks"]
    assert (mark["path"], mark["body"], mark["at"]) == ("joints.pin", 1, [0, 0, 0])
    first = unpack(found["forces"])[0]
    assert first == pytest.approx([0, 0, 3 * 10 / 4], abs=7.5 * SINGLE)
    assert found["strongest"] >= np.linalg.norm(first) * (1 - IDENTITY)
    assert found["time"][0] == 0
    refused = client.get(f"/api/runs/{motion}/efforts")
    assert (refused.status_code, "no reactions" in refused.json()["error"]) == (422, True)
