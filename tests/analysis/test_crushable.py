"""Layers that are crushed: energy by the closed form, files, refusals; the severity index."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.approx import AT_STATES, COARSE_RUN, EQUAL_STEPS, IDENTITY, TRAJECTORY

import kinetree as kt
from kinetree.errors import KinetreeError, ModelError
from kinetree.functions import select
from kinetree.results.severity import severity_index

K, YIELD, H, BACK = 2e5, 0.01, 3e4, 6e5  # N/m, m, N/m, N/m


def envelope(crush):  # type: ignore[no-untyped-def]
    """Elastic, then plastic [N]."""
    return select(YIELD - crush, K * crush, K * YIELD + H * (crush - YIELD))


def struck(mass: float = 3.0) -> kt.Model:
    """A mass in front of a layer before a wall."""
    model = kt.Model("struck", gravity=(0, 0, 0))
    model.prismatic("x", model.ground, model.body("b", mass=mass), axis="x")
    wall = model.ground.point("wall", (0.5, 0, 0))
    model.crushable("layer", "b", wall, 0.5, envelope, BACK)
    return model


@pytest.mark.parametrize("method", ["dop853", "dopri5", "cvode_bdf"])
def test_the_energy_that_is_taken_up_is_the_area_of_the_cycle(method: str) -> None:
    v, m = 6.0, 3.0
    run = kt.simulate(struck(m), 0.2, qd=[v], method=method, rtol=1e-11, atol=1e-13)
    # m v²/2 is the area below the envelope up to the largest crush
    area = m * v**2 / 2 - K * YIELD**2 / 2
    beyond = (-K * YIELD + np.sqrt((K * YIELD) ** 2 + 2 * H * area)) / H
    force = K * YIELD + H * beyond
    back = np.sqrt(force**2 / BACK / m)  # what the straight line gives back
    within = AT_STATES if method != "cvode_bdf" else TRAJECTORY
    assert run["x"].values[-1, 0] == pytest.approx(YIELD + beyond, rel=within)
    assert run["qd"].values[-1, 0] == pytest.approx(-back, rel=within)


def test_it_reloads_along_the_line_and_goes_on_along_the_envelope() -> None:
    model = struck()
    model.joint_law("push", "x", lambda t: 2e3 * select(0.05 - t, 1, select(t - 0.1, 2, 0)))
    run = kt.simulate(model, 0.2, step=1e-4, outputs=["layer.force", "layer.length"], rtol=1e-9)
    crush, force = 0.5 - run["layer.length"].values, -run["layer.force"].values
    assert force.min() > -IDENTITY
    most = np.maximum.accumulate(crush)
    first = crush >= most - 1e-15
    bend = np.where(crush < YIELD, K * crush, K * YIELD + H * (crush - YIELD))
    inside = first & (crush > 0)
    assert inside.sum() > 50
    assert force[inside] == pytest.approx(bend[inside], rel=COARSE_RUN)  # it turns between two rows


def test_the_file_keeps_the_layer(tmp_path: Path) -> None:
    kt.save(struck(), tmp_path / "struck.yaml")
    one = kt.simulate(struck(), 0.1, qd=[4.0])
    two = kt.simulate(kt.load(tmp_path / "struck.yaml"), 0.1, qd=[4.0])
    assert one["qd"].values == pytest.approx(two["qd"].values, abs=AT_STATES)


def test_a_line_that_would_make_energy_is_refused() -> None:
    model = kt.Model("made")
    model.prismatic("x", model.ground, model.body("b", mass=1.0), axis="x")
    with pytest.raises(ModelError, match=r"force 'layer': at a crush of .* would create energy"):
        model.crushable("layer", "b", model.ground.point("w", (1, 0, 0)), 1.0, envelope, K / 2)


def test_values_with_which_a_layer_would_make_energy_are_refused_by_the_run() -> None:
    model = kt.Model("made", gravity=(0, 0, 0))
    model.prismatic("x", model.ground, model.body("b", mass=1.0), axis="x")
    back, stiff = model.parameter("back", BACK), model.parameter("stiff", K)
    wall = model.ground.point("wall", (model.parameter("thick", 0.5), 0, 0))
    model.crushable("layer", "b", wall, model.parameters["thick"].symbol,
                    lambda crush: stiff * crush, back)  # fmt: skip
    assert kt.simulate(model, 0.1, qd=[2.0]).attrs["termination"] == "finished"
    for wrong in ({"back": K / 2}, {"stiff": 2 * BACK}):
        with pytest.raises(ModelError, match=r"force 'layer': at a crush .* would create energy"):
            kt.simulate(model, 0.1, qd=[2.0], parameters=wrong)
    with pytest.raises(ModelError, match="force 'layer': its length is 0"):
        kt.simulate(model, 0.1, q=[-1.0], qd=[2.0], parameters={"thick": 0.0})
    many = kt.sweep(model, 0.1, kt.grid({"back": [K / 2, BACK]}), {"v": kt.final("qd_x")}, qd=[2.0])
    assert "would create energy" in str(many.reason.values[0])
    assert many.reason.values[1] == ""
    assert many.v[1].item() < 0


def test_a_start_that_is_crushed_is_refused_unless_the_set_says_so() -> None:
    with pytest.raises(
        ModelError, match=r"force 'layer': it starts crushed by 0.02 m; .*layer_set"
    ):
        kt.simulate(struck(), 0.01, q=[0.02])
    run = kt.simulate(struck(), 0.01, q=[0.02], x={"layer_set": 0.02})
    assert run["x"].values[-1, 0] == pytest.approx(0.02, abs=IDENTITY)


def test_a_memory_that_two_laws_write_is_refused() -> None:
    model = struck()
    with pytest.raises(ModelError, match="state 'layer_set' remembered: two laws write it"):
        model.memory_law("layer_set", lambda q: q["x"])
    model = kt.Model("two")
    model.prismatic("x", model.ground, model.body("b", mass=1.0), axis="x")
    model.memory("layer_set", law=lambda q: q["x"])
    with pytest.raises(ModelError, match="force 'layer': two laws write the memory 'layer_set'"):
        model.crushable("layer", "b", model.ground.point("w", (1, 0, 0)), 1.0, envelope, BACK)


def test_an_envelope_that_pushes_before_it_is_crushed_is_refused() -> None:
    model = kt.Model("pushes")
    model.prismatic("x", model.ground, model.body("b", mass=1.0), axis="x")
    wall = model.ground.point("w", (1, 0, 0))
    with pytest.raises(ModelError, match="its envelope is 3 N where it is not crushed"):
        model.crushable("layer", "b", wall, 1.0, lambda crush: 3 + crush, BACK)


@pytest.mark.parametrize("axis", [None, "x"])
def test_without_location_the_set_is_what_steps_see(axis: str | None) -> None:
    model = kt.Model("struck", gravity=(0, 0, 0))
    model.prismatic("x", model.ground, model.body("b", mass=3.0), axis="x")
    wall = model.ground.point("wall", (0.5, 0, 0))
    model.crushable("layer", "b", wall, 0.5, envelope, BACK, axis=axis, located=False)
    near = kt.simulate(model, 0.2, qd=[6.0], rtol=1e-9, max_step=5e-5)
    exact = kt.simulate(struck(), 0.2, qd=[6.0], rtol=1e-9)
    assert near["qd"].values[-1] == pytest.approx(exact["qd"].values[-1], rel=EQUAL_STEPS)


@pytest.mark.parametrize("located", [True, False])
def test_runs_of_a_sweep_keep_their_sets(located: bool) -> None:
    model = kt.Model("struck", gravity=(0, 0, 0))
    model.prismatic("x", model.ground, model.body("b", mass=3.0), axis="x")
    wall = model.ground.point("wall", (0.5, 0, 0))
    model.crushable("layer", "b", wall, 0.5, envelope, BACK, located=located)
    many = kt.sweep(
        model, 0.1, kt.grid({"qd0.x": [5.0, 6.0]}),
        {"v": kt.final("qd_x"), "set": kt.final("x_layer_set")}, max_step=5e-5,
    )  # fmt: skip
    for k, speed in enumerate((5.0, 6.0)):
        run = kt.simulate(model, 0.1, qd=[speed], max_step=5e-5)
        assert many.v[k].item() == pytest.approx(run.qd.values[-1, 0], rel=AT_STATES)
        assert many.set[k].item() == pytest.approx(run.x.values[-1, 0], rel=AT_STATES)


@pytest.mark.parametrize("standard", ["1998", "2010"])
def test_the_severity_of_a_run_and_its_slope(standard: str) -> None:
    """As the index of the record, and as differences have its slope."""
    model = kt.Model("damped", gravity=(0, 0, 0))
    model.prismatic("x", model.ground, model.body("b", mass=2.0), axis="x")
    k = model.parameter("k", 9e3)
    model.joint_law("spring", "x", lambda q, qd: -k * q["x"] - 60 * qd["x"])

    def measured(value: float) -> Any:
        return kt.sensitivity(
            model, 0.2, {"asi": kt.severity("qdd_x", standard)}, by=["k"],
            qd=[9.0], parameters={"k": value}, rtol=1e-11, atol=1e-12,
        )  # fmt: skip

    found, (low, high) = measured(9e3), (measured(9e3 + d).value.item() for d in (-1.0, 1.0))
    run = kt.simulate(model, 0.2, qd=[9.0], step=5e-4, rtol=1e-11, atol=1e-12)
    record = severity_index(run.time, run.qdd.values[:, 0], standard)
    assert found.value.item() == pytest.approx(record, rel=TRAJECTORY)
    assert found.gradient.values.item() == pytest.approx((high - low) / 2, rel=COARSE_RUN)
    text = kt.measure(f"severity(qdd_x, {standard})")
    told = kt.sweep(model, 0.2, kt.grid({"k": [9e3]}), {"asi": text}, qd=[9.0])
    assert told.asi.item() == pytest.approx(record, rel=COARSE_RUN)


def test_the_severity_index_of_a_half_sine() -> None:
    T, top = 0.2, 100.0
    t = np.linspace(0, T, 4001)
    a = -top * np.sin(np.pi * t / T)
    mean = 2 * top * T / np.pi / 0.05 * np.sin(np.pi * 0.025 / T)  # over 50 ms about the middle
    assert severity_index(t, a, "1998") == pytest.approx(mean / (12 * 9.81), rel=TRAJECTORY)
    three = np.stack([a, 0 * a, 0 * a], axis=1)
    assert severity_index(t, three) == pytest.approx(severity_index(t, a), rel=IDENTITY)
    with pytest.raises(KinetreeError, match="standard"):
        severity_index(t, a, "2011")
    with pytest.raises(KinetreeError, match="equal steps"):
        severity_index(t**2, a)
