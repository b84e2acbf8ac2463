"""Outputs through the front door: runs, files, names, frames."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests import mechanisms
from tests.approx import AT_STATES, IDENTITY, ROUNDING, RUN, assert_close

import kinetree as kt
from kinetree.errors import DuplicateNameError, FormatError, ModelError, UnknownNameError


def quarter_car() -> kt.Model:
    """A body on a strut on a wheel on a tyre."""
    model = kt.Model("quarter_car", gravity=(0, 0, -9.81))
    body, wheel = model.body("chassis", mass=300.0), model.body("wheel", mass=30.0)
    model.prismatic("heave", model.ground, body, axis="z", initial=0.8)
    model.prismatic("travel", body, wheel, axis="z", initial=-0.5)
    model.spring("strut", body, wheel, 2e4, 0.5, 1500.0)
    model.force("tyre_linear", "tyre", (wheel, model.ground),
                {"radius": 0.3, "stiffness": 2e5, "spin": False})  # fmt: skip
    return model


def test_a_run_has_the_outputs_that_are_asked_for_with_their_units() -> None:
    model = quarter_car()
    names = ["strut.force", "strut.rate", "tyre.Fz", "chassis.position.z", "energy.kinetic"]
    run = kt.simulate(model, 0.5, outputs=names)
    q, qd = run["q"].values, run["qd"].values
    expected = {
        "strut.force": 2e4 * (-q[:, 1] - 0.5) - 1500 * qd[:, 1],
        "strut.rate": -qd[:, 1],
        "tyre.Fz": 2e5 * np.maximum(0.3 - q[:, 0] - q[:, 1], 0),
        "chassis.position.z": q[:, 0],
        "energy.kinetic": 150 * qd[:, 0] ** 2 + 15 * (qd[:, 0] + qd[:, 1]) ** 2,
    }
    for name, value in expected.items():
        assert_close(run[name].values, value, IDENTITY, name)
    assert [run[name].attrs["units"] for name in names] == ["N", "m/s", "N", "m", "J"]
    assert run["strut.force"].dims == ("time",)


def test_a_finished_run_can_be_asked_later_and_from_a_file(tmp_path: Path) -> None:
    model = quarter_car()
    asked = kt.simulate(model, 0.2, outputs=["strut.power", "heave.reaction"])
    plain = kt.simulate(model, 0.2, outputs=())
    assert "strut.power" not in plain
    kt.save_run(plain, tmp_path / "run.nc")
    for run in (plain, kt.load_run(tmp_path / "run.nc")):
        later = kt.outputs(model, run, ["strut.power", "heave.reaction"])
        assert set(later.data_vars) == set(asked.data_vars)
        assert_close(later["strut.power"].values, asked["strut.power"].values, ROUNDING)


def test_outputs_of_the_users_own_are_in_every_run_and_file(tmp_path: Path) -> None:
    model = quarter_car()
    kilo = model.parameter("kilo", 1000.0)
    model.output("load", lambda outputs: outputs["tyre.Fz"] / kilo, unit="kN")
    model.output("gap", point="wheel", relative_to="chassis")
    model.output("twice", lambda outputs, q, t: 2 * outputs["load"] + q["heave"] + t)
    file = tmp_path / "run.nc"
    run = kt.simulate(model, 0.2, file=file, outputs=None, parameters={"kilo": 500.0})
    assert_close(run["load"].values, run["twice"].values / 2 - run["q"].values[:, 0] / 2
                 - run["time"].values / 2, IDENTITY)  # fmt: skip
    assert_close(run["gap.z"].values, run["q"].values[:, 1], ROUNDING)
    assert run["load"].attrs["units"] == "kN"
    last = kt.outputs(model, run, ["tyre.Fz"])
    assert_close(
        run["load"].values * 500, last["tyre.Fz"].values, IDENTITY, "parameters of the run"
    )
    run.close()
    kt.save_run(kt.load_run(file), tmp_path / "run.csv")
    head = (tmp_path / "run.csv").read_text().splitlines()
    columns = next(line for line in head if line.startswith("time"))
    assert columns.endswith("load,gap.x,gap.y,gap.z,twice")


def test_outputs_round_trip_through_files(tmp_path: Path) -> None:
    model = quarter_car()
    model.output("load", lambda outputs: outputs["tyre.Fz"] / 1000, unit="kN")
    model.output("gap", point="wheel", quantity="velocity", relative_to="chassis", frame="wheel")
    model.output("alias", "strut.force")
    kt.save(model, tmp_path / "a.yaml")
    again = kt.load(tmp_path / "a.yaml")
    kt.save(again, tmp_path / "b.yaml")
    assert (tmp_path / "a.yaml").read_text() == (tmp_path / "b.yaml").read_text()
    assert again.content_hash() == model.content_hash() == quarter_car().content_hash()
    one, other = kt.simulate(model, 0.1), kt.simulate(again, 0.1)
    for name in ("load", "gap.z", "alias"):
        assert_close(other[name].values, one[name].values, ROUNDING, name)


FILE = """
name: one
bodies: {a: {mass: 2}}
joints: {s: {kind: prismatic, parent: ground, child: a, axis: x}}
forces: {k: {kind: joint_spring, joint: s, stiffness: 3}}
outputs:
"""


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("  w: k.forse", "outputs.w.expression.*'k.forse'.*did you mean 'k.force'"),
        ("  w: {point: b}", "output 'w' point: there is no body 'b'"),
        ("  w: {expression: 1, point: a}", "output 'w': it is said twice what it is"),
        ("  w: {unit: N}", "output 'w': it is not said what it is"),
        ("  w: {expression: k.force, unit: furlong}", "output 'w' unit.*furlong"),
        ("  w: {point: a, quantity: speed}", "outputs.w.quantity"),
        ("  w: {pint: a}", "outputs.w.pint.*did you mean 'point'"),
        ("  w: {point: a, quantity: orientation, frame: a}", "output 'w' frame: 'orientation' has"),
        ("  q_s: 2*qd_s", "output 'q_s': the model offers an output of this name"),
    ],
)
def test_mistakes_in_files_are_named(row: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "one.yaml"
    file.write_text(FILE + row + "\n")
    with pytest.raises(FormatError, match=f"(?s).*{said}"):
        kt.load(file)


def test_unknown_names_give_the_nearest_right_one() -> None:
    model = quarter_car()
    run = kt.simulate(model, 0.1)
    pairs = {"strut.forse": "strut.force", "chasis.position.z": "chassis.position.z",
             "energy.kinetik": "energy.kinetic"}  # fmt: skip
    for wrong, right in pairs.items():
        for ask in (lambda name: kt.simulate(model, 0.1, outputs=[name]),
                    lambda name: kt.outputs(model, run, [name]),
                    lambda name: model.output("new", name)):  # fmt: skip
            with pytest.raises(UnknownNameError, match=f"'{wrong}'; did you mean '{right}'"):
                ask(wrong)


def test_own_names_and_components_are_checked() -> None:
    model = quarter_car()
    model.output("load", "tyre.Fz")
    with pytest.raises(DuplicateNameError, match="output 'load'"):
        model.output("load", "tyre.Fz")
    with pytest.raises(ModelError, match=r"3 components; name one, such as 'chassis.position.x'"):
        model.output("place", "chassis.position")
    with pytest.raises(UnknownNameError, match=r"strut\.force"):
        model.output("new", lambda outputs: outputs["strut.forces"])
    with pytest.raises(UnknownNameError, match=r"say 'joint.pin.reaction.fx' or 'closure.pin.reac"):
        kt.simulate(joined(), 0.1, outputs=["pin.reaction.fx"])
    with pytest.raises(ModelError, match="give a run of model 'quarter_car'"):
        kt.outputs(model, kt.simulate(mechanisms.slider_crank(), 0.1), ["load"])


def joined() -> kt.Model:
    """A slider-crank whose joint and closure have the same name."""
    model = kt.Model("joined", gravity=(0, -9.81, 0))
    crank = model.body("crank", mass=1.5, com=(0.5, 0, 0), inertia=(0, 0.1, 0.1))
    rod = model.body("rod", mass=2.0, com=(1.0, 0, 0), inertia=(0, 0.7, 0.7))
    slider = model.body("slider", mass=5.0)
    model.revolute("pin", model.ground, crank, axis="z", initial=1.0)
    model.revolute("q2", crank.point("tip", (1, 0, 0)), rod, axis="z")
    model.prismatic("q3", model.ground, slider, axis="x")
    model.close_ball("pin", rod.point("end", (2, 0, 0)), slider)
    return model


@pytest.mark.parametrize("options", [{}, {"loops": "multipliers"}, {"loops": "projection"},
                                     {"method": "hht", "step": 1e-3}], ids=str)  # fmt: skip
def test_reactions_and_accelerations_of_closed_systems(options: dict[str, Any]) -> None:
    model = joined()
    names = ["joint.pin.reaction", "closure.pin.reaction", "q2.reaction", "rod.end.acceleration",
             "slider.acceleration"]  # fmt: skip
    run = kt.simulate(model, 0.3, outputs=names, **{"step": 0.05, **options})
    wrenches = kt.reactions(model, run)
    parts = ("tx", "ty", "tz", "fx", "fy", "fz")
    for kind, name, path in (("joint", "pin", "joint.pin"), ("closure", "pin", "closure.pin"),
                             ("joint", "q2", "q2")):  # fmt: skip
        expected = wrenches[f"reaction_{kind}"].sel({kind: name}).values
        found = np.stack([run[f"{path}.reaction.{part}"].values for part in parts], axis=-1)
        assert_close(found, expected, IDENTITY, path)
    ends = [[run[f"{p}.acceleration.{a}"].values for a in "xyz"] for p in ("rod.end", "slider")]
    assert_close(ends[0], ends[1], RUN if "method" in options else AT_STATES, "the ends move alike")


def test_energy_is_kept_where_nothing_dissipates() -> None:
    model = joined()
    run = kt.simulate(model, 1.0, rtol=1e-10, outputs=["energy.total"])
    total = run["energy.total"].values
    assert_close(total, np.full_like(total, total[0]), RUN)


def test_forces_of_locks_and_dry_friction_are_outputs() -> None:
    model = kt.Model("block", gravity=(0, 0, -9.81))
    model.prismatic("x", model.ground, model.body("block", mass=2.0), axis="x")
    model.dry_friction("rub", "x", 3.0, 5.0, viscous=0.5)
    model.joint_law("push", "x", lambda t: 8 * t)
    run = kt.simulate(model, 1.0, step=0.05, outputs=["rub.force", "rub.power"])
    t, qd = run["time"].values, run["qd"].values[:, 0]
    sticks = qd == 0
    assert sticks.any()
    assert (~sticks).any()
    expected = np.where(sticks, -8 * t, -3.0 - 0.5 * qd)
    assert_close(run["rub.force"].values, expected, IDENTITY)
    assert_close(run["rub.power"].values, expected * qd, IDENTITY)


def test_outputs_of_models_of_position_matrices() -> None:
    tree = quarter_car()
    names = ["strut.force", "tyre.Fz", "chassis.acceleration.z", "energy.total"]
    one, other = (kt.simulate(m, 0.2, outputs=names) for m in (tree, tree.as_frames()))
    for name in names:
        assert_close(other[name].values, one[name].values, RUN, name)


# --- events --------------------------------------------------------------------------------------


def sprung() -> kt.Model:
    """A mass that falls into a spring, and a latch that closes at a force of 30 N."""
    model = kt.Model("sprung", gravity=(0, 0, -9.81))
    model.prismatic("z", model.ground, model.body("mass", mass=2.0), axis="z")
    model.joint_spring("spring", "z", 100.0)
    model.mode("latch")
    model.output("excess", lambda outputs: outputs["spring.force"] - 30.0)
    return model


def test_events_happen_where_outputs_pass_zero() -> None:
    """z = g/w² (cos wt - 1), so a force of 30 N is reached at cos wt = 1 - 30/(m g)."""
    model = sprung()
    model.event("close", lambda outputs: outputs["excess"],
                {"latch": lambda outputs: outputs["mass.acceleration.z"]})  # fmt: skip
    w, mg = np.sqrt(50.0), 2 * 9.81
    at = np.arccos(1 - 30 / mg) / w
    stop = np.arccos(0.0) / w  # weight and force are equal
    run = kt.simulate(model, 1.0, rtol=1e-11, atol=1e-12,
                      events={"level": kt.Event("mass.acceleration.z", "rising"),
                              "again": lambda outputs: outputs["spring.force"] - mg})  # fmt: skip
    names, times = list(run["event_name"].values), run["event_time"].values
    assert_close(times[names.index("close")], at, RUN, "30 N")
    assert_close(times[names.index("level")], stop, RUN, "no acceleration")
    assert_close(times[names.index("again")], stop, RUN, "weight")
    assert_close(run["x"].values[-1, 0], (30 - mg) / 2, RUN, "what the latch holds")


def test_events_of_closed_systems_and_files_may_name_outputs(tmp_path: Path) -> None:
    model = joined()
    model.event("pulled", lambda outputs: outputs["closure.pin.reaction.fx"] + 9.0, stops=True,
                direction="both")  # fmt: skip
    kt.save(model, tmp_path / "m.yaml")
    for one in (model, kt.load(tmp_path / "m.yaml")):
        run = kt.simulate(one, 2.0, outputs=["closure.pin.reaction.fx"], step=0.5)
        assert run.attrs["termination"].startswith("event 'pulled'")
        assert abs(run["closure.pin.reaction.fx"].values[-1] + 9.0) < RUN


def test_unknown_outputs_in_events_are_named() -> None:
    model = sprung()
    with pytest.raises(UnknownNameError, match=r"event 'e'.*did you mean 'spring\.force'"):
        model.event("e", lambda outputs: outputs["spring.forse"])
    with pytest.raises(FormatError, match=r"event 'e'.*did you mean 'spring\.force'"):
        kt.simulate(model, 0.1, events={"e": "spring.forse - 2"})


def test_sampled_values_may_be_outputs() -> None:
    model = sprung()
    model.clock("tick", 0.1)
    model.sample("measured", "tick", lambda outputs: outputs["spring.force"])
    run = kt.simulate(model, 0.45, step=0.05, outputs=["spring.force"])
    held = run["x"].values[:, list(run["state"].values).index("measured")]
    force = run["spring.force"].values
    assert_close(held[1::2], force[:-1:2], AT_STATES, scale=10.0)


def test_gaps_and_forces_of_stops_are_outputs() -> None:
    """A ball that comes to rest on the floor: its weight is the force of the stop."""
    model = kt.Model("ball", gravity=(0, 0, -9.81))
    model.prismatic("z", model.ground, model.body("ball", mass=2.0), axis="z", initial=0.2)
    model.stop("floor", "z", lower=0.05, restitution=0.2)
    model.joint_spring("spring", "z", 3.0)
    run = kt.simulate(model, 1.5, outputs=["floor.gap", "floor.force", "spring.force"])
    assert_close(run["floor.gap"].values, run["q"].values[:, 0] - 0.05, ROUNDING, scale=0.1)
    assert_close(run["floor.force"].values, run["contact"].values[:, 0], ROUNDING)
    assert_close(run["floor.force"].values[-1], 2 * 9.81 + 3 * 0.05, AT_STATES)
    assert run["floor.force"].attrs["units"] == "N"


def one_of_each() -> kt.Model:
    """A mass of 1 kg and no gravity along x: what is folded unless it is varied."""
    model = kt.Model("ones", gravity=(0, 0, 0))
    model.prismatic("x", model.ground, model.body("body", mass=1.0, com=(1, 0, 0)), axis="x")
    model.joint_spring("spring", "x", 1.0)
    return model


def test_outputs_follow_zeros_and_ones_that_are_varied() -> None:
    model = one_of_each()
    given = {"body.mass": 3.0, "spring.stiffness": 5.0, "gravity_x": 2.0}
    names = ["energy.kinetic", "energy.potential", "spring.force"]
    run = kt.simulate(model, 0.5, qd={"x": 0.4}, parameters=given, outputs=names)
    q, qd = run["q"].values[:, 0], run["qd"].values[:, 0]
    for found in (run, kt.outputs(model, run.drop_vars(names), names)):
        assert_close(found["energy.kinetic"].values, 1.5 * qd**2, ROUNDING)
        assert_close(found["energy.potential"].values, 2.5 * q**2 - 6 * (q + 1), IDENTITY)
        assert_close(found["spring.force"].values, -5 * q, ROUNDING)
    lin = kt.linearise(model, {"q": [0.5]}, outputs=names[2:], inputs=["spring.stiffness"],
                       parameters={"body.mass": 2.0})  # fmt: skip
    assert_close(lin.B, [[0], [-0.25]], ROUNDING)
    assert_close(lin.D, [[-0.5]], ROUNDING)
