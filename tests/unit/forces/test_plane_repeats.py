"""Profiles of equal parts: the same forces as with all parts drawn, from three of them."""

from __future__ import annotations

from math import cos, pi, sin
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.approx import AT_STATES, IDENTITY, READ_OFF

import kinetree as kt
from kinetree.errors import KinetreeError, ModelWarning

TIP, ROOT = 0.1, 0.06


def tooth(count: int) -> list[tuple[float, ...]]:
    """A slanted tooth with a round top, of one sector."""
    a = pi / count
    spots = [(ROOT, 0.0), (TIP, 0.4 * a), (TIP, 0.9 * a), (0.07, 1.5 * a)]
    rows: list[tuple[float, ...]] = [(r * cos(t), r * sin(t)) for r, t in spots]
    rows[2] = (*rows[2], 0.3)
    return rows


def wheels(count: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """A wheel by one tooth, and by all of them."""
    part, rows = tooth(count), []
    for k in range(count):
        c, s = cos(2 * pi * k / count), sin(2 * pi * k / count)
        rows += [(c * x - s * y, s * x + c * y, *rest) for x, y, *rest in part]
    return {"chain": part, "repeat": count}, {"chain": rows, "closed": True}


def pair(first: Any, second: Any, **data: Any) -> kt.Model:
    """Two bodies that move in the plane."""
    model = kt.Model("pair", gravity=(0, 0, 0))
    for name in "ab":
        model.planar(name, model.ground, model.body(name, mass=1.0, inertia=(1, 1, 0.01)))
    model.plane_contact("touch", "a", "b", first, second, "linear", stiffness=1e5, **data)
    return model


def told(model: kt.Model, given: dict[str, Any]) -> dict[str, Any]:
    program = kt.derive(model, "forces")
    return program.evaluate(**program.pick_inputs(given))


BOX = {"chain": [(0.05, -0.03), (0.05, 0.03), (-0.05, 0.03), (-0.05, -0.03)], "closed": True}
OTHERS: dict[str, Any] = {
    "disc": {"circle": (0.01, 0.0), "radius": 0.02}, "floor": {"chain": [(1, 0), (-1, 0)]},
    "ring": {"circle": (0, 0), "radius": -0.12}, "box": BOX, "wheel": None,
}  # fmt: skip


@pytest.mark.parametrize(
    ("other", "swapped"),
    [("disc", False), ("disc", True), ("floor", False), ("floor", True), ("ring", False),
     ("box", True), ("wheel", False)],
)  # fmt: skip
def test_one_part_repeated_is_the_whole_outline(other: str, swapped: bool) -> None:
    """At random places, with friction and damping; bodies not deeper inside than some teeth."""
    random, n = np.random.default_rng(1), 300
    q = np.zeros((n, 6))
    low, high = (0.0, 0.03) if other == "ring" else (0.08, 0.2)
    r, t = random.uniform(low, high, n), random.uniform(-pi, pi, n)
    q[:, 0], q[:, 1] = r * np.cos(t), r * np.sin(t)
    q[:, 2], q[:, 5] = random.uniform(-pi, pi, (2, n))
    if other == "floor":
        q[:, 1] = random.uniform(0.05, 0.12, n) * (-1 if swapped else 1)
        q[:, 2 if swapped else 5] = 0.0
    given = {"q": q, "qd": random.uniform(-1, 1, (n, 6))}
    found = []
    for one, two in zip(wheels(5), wheels(4), strict=True):
        ends = (one, OTHERS[other] or two)
        found.append(told(pair(*(ends[::-1] if swapped else ends), friction=0.3, damping=10.0),
                          given))  # fmt: skip
    short, full = found
    seen = full["touch.depth"] < 0.006
    assert (full["touch.depth"][seen] > 0).sum() > 4
    for name in ("touch.force", "touch.torque", "touch.gap", "touch.sunk"):
        scale = max(1.0, float(np.abs(full[name]).max()))
        assert np.abs(short[name] - full[name])[seen].max() < AT_STATES * scale, name
    assert np.abs(short["touch.power"] - full["touch.power"])[seen].max() < AT_STATES * 1e3


def test_parts_go_on_where_the_first_one_ends() -> None:
    """Slots that open outwards, of a wheel, and teeth that point inwards, of a ring."""
    slot = [(0.1, -0.01), (0.05, -0.01, -1.0), (0.05, 0.01), (0.1, 0.01)]
    teeth = [(0.1, 0.01), (0.08, 0.0), (0.1, -0.01)]  # clockwise: a hole
    for part, pin, gap in ((slot, (0.05, 0.0), 0.005), (teeth, (0.05, 0.0), 0.025)):
        disc = {"circle": pin, "radius": 0.005}
        model = pair(disc, {"chain": part, "repeat": 7})
        q = np.zeros((7, 6))
        q[:, 5] = 2 * pi * np.arange(7) / 7
        found = told(model, {"q": q, "qd": np.zeros((7, 6))})["touch.gap"]
        assert found == pytest.approx(gap, abs=AT_STATES)


def test_derivatives_do_not_see_which_part_it_is() -> None:
    random = np.random.default_rng(2)
    model = pair(wheels(9)[0], OTHERS["disc"], damping=5.0)
    forward = kt.derive(model, "forward")
    q = np.zeros((60, 6))
    t = random.uniform(-pi, pi, 60)
    q[:, 0], q[:, 1], q[:, 5] = 0.095 * np.cos(t), 0.095 * np.sin(t), random.uniform(-3, 3, 60)
    values = forward.pick_inputs({"q": q, "qd": random.uniform(-1, 1, (60, 6)),
                                  "tau": np.zeros((60, 6))})  # fmt: skip
    exact = forward.derivative("qdd", ("q",)).evaluate(**values)["dqdd_dq"]
    scale = float(np.abs(exact).max())
    assert scale > 100
    for k in range(6):
        step = np.zeros(6, dtype=complex)
        step[k] = 1e-30j
        bent = forward.evaluate(**{**values, "q": q + step})["qdd"].imag / 1e-30
        assert np.abs(exact[..., k] - bent).max() < AT_STATES * scale


def test_a_pawl_lets_a_ratchet_turn_one_way_and_stops_the_other() -> None:
    """Thirty teeth: their number does not count in the size of the equations."""
    tooth = [(0.045, 0.0), (0.05, 0.0)]  # the steep face, then a slope to the next one
    sizes, ends = [], []
    for count in (8, 30):
        model = kt.Model("ratchet", gravity=(0, 0, 0))
        wheel = model.body("wheel", mass=0.5, inertia=(1e-3,) * 3)
        pawl = model.body("pawl", mass=0.05, inertia=(2e-5,) * 3)
        model.revolute("turn", model.ground, wheel, axis="z", damping=0.0)
        model.revolute("swing", model.ground.point("pivot", (0.035, 0.06, 0)), pawl, axis="z")
        model.joint_spring("spring", "swing", 0.05, rest=0.6, damping=1e-4)
        tip = {"point": (-0.035, 0.0), "rounding": 0.001}
        whole = {"chain": tooth, "repeat": count}
        model.plane_contact("touch", pawl, wheel, tip, whole, "hunt_crossley", stiffness=2e5,
                            exponent=1.0, dissipation=1.0)  # fmt: skip
        sizes.append(kt.derive(model, "forward").count().total)
        if count == 30:
            model.joint_law("hand", "turn", lambda t: 0.1 * kt.functions.sin(2 * pi * t))
            run = kt.simulate(model, 1.0, method="cvode_bdf", step=0.02, q={"swing": 0.1})
            ends = run.q.sel(coordinate="turn").values
    assert sizes[1] < 1.3 * sizes[0]
    back = float((np.maximum.accumulate(ends) - ends).max())
    assert ends[-1] > 2.0, "forwards freely"
    assert back < 2 * pi / 30 + 10 * READ_OFF, "backwards by a tooth at most"


DRAWN = """kinetree: 1
name: drawn
bodies: {wheel: {mass: 1, inertia: [1, 1, 1]}}
joints: {turn: {kind: revolute, parent: ground, child: wheel, axis: z}}
forces:
  touch:
    {kind: plane_linear, first: wheel, second: ground, stiffness: 1.0e+5,
     first_profile: {file: tooth.csv, repeat: 12}, second_profile: {point: [0.1, 0]}}
"""


def test_the_file_keeps_one_part(tmp_path: Path) -> None:
    model = pair(wheels(12)[0], BOX)
    kt.save(model, tmp_path / "pair.yaml")
    assert "repeat: 12" in (tmp_path / "pair.yaml").read_text(encoding="utf-8")
    again = kt.load(tmp_path / "pair.yaml")
    assert again.content_hash() == model.content_hash()
    (tmp_path / "tooth.csv").write_text("\n".join(f"{x}, {y}" for x, y, *_ in tooth(12)))
    (tmp_path / "drawn.yaml").write_text(DRAWN, encoding="utf-8")
    found = kt.load(tmp_path / "drawn.yaml").forces["touch"].arguments["first_profile"]
    assert found["repeat"] == 12
    assert np.array([row[:2] for row in found["chain"]]) == pytest.approx(
        np.array([row[:2] for row in tooth(12)]), abs=IDENTITY
    )


@pytest.mark.parametrize(
    ("profile", "data", "said"),
    [
        ({"chain": tooth(6), "repeat": 1}, {}, "repeat is 1; give the number of equal parts"),
        ({"chain": tooth(6), "repeat": 2.5}, {}, "repeat is 2.5"),
        ({"circle": (0, 0), "radius": 1.0, "repeat": 3}, {}, "field of a circle"),
        ({"chain": tooth(6), "repeat": 9}, {}, "crosses itself"),
        (wheels(6)[0], {"friction": 0.3, "stick_stiffness": 1e5}, "sticks on a profile that rep"),
    ],
)
def test_what_makes_no_parts_is_refused_by_name(profile: Any, data: Any, said: str) -> None:
    with pytest.raises(KinetreeError, match=f"force 'touch'.*{said}"):
        pair(profile, BOX, **data)


def test_profiles_of_very_many_pairs_are_told_with_the_cure() -> None:
    with pytest.warns(ModelWarning, match=r"'touch': its profiles make \d{4,} pairs .* repeat"):
        pair(wheels(12)[1], wheels(9)[1])
