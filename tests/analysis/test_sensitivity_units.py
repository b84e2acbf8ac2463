"""Units and sizes of what varies and of what is measured."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kinetree as kt
from analysis.test_sensitivity import oscillator
from kinetree.measures import ALL
from kinetree.units import read


def pushed() -> kt.Model:
    """An oscillator with a wrench, a state, and a parameter that has a unit."""
    model = oscillator()
    model.wrench("push", model.bodies["body"])
    drag = model.parameter("drag", 20.0, "N.s/mm")
    model.joint_law("air", "y", lambda qd: -1e-5 * drag * qd["y"])
    model.state("f", rate=lambda q, x: q["y"] - x["f"], initial=2.0, unit="m")
    return model


BY: dict[str, tuple[str, float]] = {
    "m": ("", 1.0), "drag": ("N.s/m", 3e4), "body.com_y": ("m", 1.0),
    "spring.damping": ("N.s/m", 1.0), "gravity_x": ("m/s2", 1.0), "q0.y": ("m", 0.25),
    "qd0.y": ("m/s", 0.5), "x0.f": ("m", 2.0), "tau.y": ("N", 0.2), "push.fx": ("N", 3.0),
    "push.tz": ("N.m", 1.0), "duration": ("s", 0.4),
}  # fmt: skip
MEASURES: dict[str, tuple[Any, str]] = {
    "final": (kt.final("q_y"), "m"), "minus": (kt.final("-qd_y"), "m/s"),
    "between": (kt.at_time("qdd_y", 0.1), "m/s2"), "integral": (kt.integral("qd_y"), "m"),
    "time": (kt.integral("t"), "s2"), "square": (kt.mean_square("qdd_y"), "m2/s4"),
    "rms": (kt.rms("qdd_y"), "m/s2"), "peak": (kt.peak("abs(spring.force)"), "N"),
    "energy": (kt.final("energy.total"), "J"), "drag": (kt.final("drag"), "N.s/m"),
    "state": (kt.final("x_f"), "m"), "data": (kt.misfit("q_y", [0.1], [0.2]), "m2"),
    "weighted": (kt.misfit("q_y", [0.1], [0.2], [3.0]), ""),
    "unknown": (kt.final("q_y + qd_y"), ""), "law": (kt.final(lambda q: q["y"]), ""),
    "both": (kt.function_of("a*b", a=kt.final("q_y"), b=kt.final("qd_y")), ""),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:nothing depends on")
def test_units_and_sizes_of_a_run() -> None:
    by = list(BY)
    found = kt.sensitivity(
        pushed(), 0.4, {name: row[0] for name, row in MEASURES.items()}, by=by,
        q={"y": -0.25}, qd={"y": 0.5}, tau=[0.2], wrenches={"push": [0, 0, 0, 3.0, 0, 0]},
        parameters={"drag": 3e4},
    )  # fmt: skip
    units = dict(zip(by, found.unit_parameter.values.tolist(), strict=True))
    assert units == {name: BY[name][0] for name in by}
    sizes = dict(zip(by, found.scale_parameter.values.tolist(), strict=True))
    assert sizes == {name: BY[name][1] for name in by}
    told = dict(zip(MEASURES, found.unit_measure.values.tolist(), strict=True))
    assert told == {name: row[1] for name, row in MEASURES.items()}
    assert not any(isinstance(read(unit), str) for unit in [*units.values(), *told.values()])
    assert found.gradient.sel(parameter="q0.y").unit_parameter == "m"  # goes along with a choice


def test_units_of_places_and_of_many_runs() -> None:
    measures = {"f": kt.frequency(1), "d": kt.damping(1), "g": kt.growth(1), "y": kt.final("q_y")}
    found = kt.sensitivity(oscillator(), measures=measures, by=["spring.damping"],
                           at="equilibrium")  # fmt: skip
    assert found.unit_measure.values.tolist() == ["Hz", "1", "1/s", "m"]
    assert found.unit_parameter.values.tolist() == ["N.s/m"]
    many = kt.sensitivity(oscillator(), 0.1, {"y": kt.rms("q_y")}, by=["c", "q0.y"],
                          parameters={"c": np.array([1.0, 2.0])})  # fmt: skip
    assert many.unit_parameter.values.tolist() == ["", "m"]
    assert many.unit_measure.values.tolist() == ["m"]
    assert "scale_parameter" not in many  # every run has its own


def test_times_and_severities_have_units_of_their_own() -> None:
    throw = kt.Model("throw", gravity=(0, 0, -9.81))
    throw.prismatic("z", throw.ground, throw.body("ball", mass=1.0), axis="z")
    measures = {
        "when": kt.event_time("ground"), "hit": kt.at_event("qd_z", "ground"),
        "asi": kt.severity("qdd_z"),
    }  # fmt: skip
    found = kt.sensitivity(throw, 2.0, measures, by=["qd0.z"], qd={"z": 7.0},
                           events={"ground": kt.Event("q_z", "falling", stops=True)})  # fmt: skip
    assert found.unit_measure.values.tolist() == ["s", "m/s", "1"]


def test_every_kind_of_measure_is_among_them() -> None:
    seen = {type(row[0]) for row in MEASURES.values()}
    seen |= {type(row) for row in (kt.frequency(1), kt.event_time("e"), kt.at_event("t", "e"),
                                   kt.severity("t"))}  # fmt: skip
    assert seen == set(ALL)
