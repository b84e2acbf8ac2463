"""Rates, memories and forces that use what other elements and points do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.approx import EQUAL_STEPS, FORMALISM, IDENTITY, READ_OFF

import kinetree as kt
from kinetree import functions as f
from kinetree.errors import KinetreeError
from kinetree.model import POINT_QUANTITIES

EYE, FOOT = (0.5, 0.1), (0.2, -0.6)
SHORT_STEPS = 1e-4  # two discretisations of second order
SAME_RUN = 1e-8  # between two orders of the same sums, after a second of motion


def arm() -> kt.Model:
    model = kt.Model("lift", gravity=(0, 0, -9.81))
    body = model.body("arm", 3.0, (0.4, 0, 0), inertia=(0.01, 0.2, 0.2))
    model.revolute("hinge", model.ground, body, axis="y")
    body.point("eye", (EYE[0], 0, EYE[1]))
    model.ground.point("foot", (FOOT[0], 0, FOOT[1]))
    model.state("p", 5.0)
    return model


def place(q: Any) -> tuple[Any, Any]:
    """x and z of the eye, by hand."""
    c, s = f.cos(q["hinge"]), f.sin(q["hinge"])
    return EYE[0] * c + EYE[1] * s, EYE[1] * c - EYE[0] * s


def length(q: Any) -> Any:
    x, z = place(q)
    return f.sqrt((x - FOOT[0]) ** 2 + (z - FOOT[1]) ** 2)


def rate(q: Any, qd: Any) -> Any:
    x, z = place(q)
    return ((x - FOOT[0]) * z - (z - FOOT[1]) * x) / length(q) * qd["hinge"]


def heard() -> kt.Model:
    """A jack whose pressure follows from its own speed, and a rope that pulls by its pressure."""
    model = arm()
    model.spring("jack", "ground.foot", "arm.eye", 300.0, 0.7)
    model.link(
        "rope", "ground.foot", "arm.eye",
        lambda x, rate, outputs: 0.3 * outputs["jack.force"] - 100 * x["p"] + 2 * rate,
    )  # fmt: skip
    model.output("rise", lambda outputs: 2 * outputs["arm.eye.position.z"])
    model.state_rate("p", lambda x, outputs: -x["p"] / 2 - 30 * outputs["jack.rate"]
                     + 0.1 * outputs["rise"] + outputs["arm.angular_velocity.y"])  # fmt: skip
    return model


def by_hand() -> kt.Model:
    model = arm()
    model.spring("jack", "ground.foot", "arm.eye", 300.0, 0.7)
    model.link(
        "rope", "ground.foot", "arm.eye",
        lambda q, x, rate: 90 * (length(q) - 0.7) - 100 * x["p"] + 2 * rate,
    )  # fmt: skip
    model.state_rate("p", lambda q, qd, x: -x["p"] / 2 - 30 * rate(q, qd)
                     + 0.2 * place(q)[1] + qd["hinge"])  # fmt: skip
    return model


STATE = {"q": [0.3], "qd": [0.7], "x": [2.0], "tau": [0.1]}


@pytest.mark.parametrize("formalism", ["order_n", "newton_euler", "virtual_power", "lagrange"])
def test_laws_of_states_and_forces_use_outputs(formalism: str) -> None:
    found, expected = (
        kt.derive(model, "forward", formalism).evaluate(**STATE) for model in (heard(), by_hand())
    )
    for name in ("qdd", "xd"):
        assert found[name] == pytest.approx(expected[name], rel=FORMALISM)


def test_bodies_by_position_matrices_do_likewise() -> None:
    found = kt.derive(heard().as_frames(), "forward").evaluate(**STATE)
    expected = kt.derive(by_hand(), "forward").evaluate(**STATE)
    for name in ("qdd", "xd"):
        assert found[name] == pytest.approx(expected[name], rel=FORMALISM)


def test_what_is_heard_costs_nothing_twice() -> None:
    one, two = (kt.derive(model, "forward").count() for model in (heard(), by_hand()))
    assert one.total <= two.total


@pytest.mark.parametrize("settings", [{}, {"formulation": "hybrid", "step": 1e-2}])
def test_runs_are_those_of_laws_by_hand(settings: dict[str, Any]) -> None:
    one, two = (kt.simulate(model, 1.0, **settings) for model in (heard(), by_hand()))
    assert np.abs(one.q - two.q).max() < SAME_RUN
    assert np.abs(one.x - two.x).max() < SAME_RUN * 100


def test_natural_coordinates_hear_the_same() -> None:
    one, two = (
        kt.simulate(heard(), 0.5, formulation=way, step=1e-3) for way in ("global", "hybrid")
    )
    assert np.abs(one.q - two.q).max() < SHORT_STEPS


def test_what_forces_tell_is_told_of_those_that_hear() -> None:
    run = kt.simulate(heard(), 0.2, outputs=["rope.force", "jack.force"])
    rest = run["rope.force"] - 0.3 * run["jack.force"] + 100 * run.x.sel(state="p")
    other = kt.simulate(by_hand(), 0.2, outputs=["jack.rate"])
    assert np.abs(rest - 2 * other["jack.rate"]).max() < SAME_RUN * 100


def test_files_keep_them(tmp_path: Path) -> None:
    model = heard()
    kt.save(model, tmp_path / "lift.yaml")
    read = kt.load(tmp_path / "lift.yaml")
    assert read.content_hash() == model.content_hash()
    one, two = (kt.derive(m, "forward").evaluate(**STATE) for m in (model, read))
    assert one["xd"] == pytest.approx(two["xd"], rel=IDENTITY)


def test_a_memory_remembers_the_shortest_length() -> None:
    model = arm()
    model.state_rate("p", lambda x: -x["p"])
    model.spring("jack", "ground.foot", "arm.eye", 300.0, 0.7)
    model.memory(
        "shortest", 2.0, lambda x, outputs: f.minimum(x["shortest"], outputs["jack.length"])
    )
    run = kt.simulate(model, 2.0, outputs=["jack.length"])
    seen = np.minimum.accumulate(run["jack.length"].values)
    kept = run.x.sel(state="shortest")
    assert kept[-1] == pytest.approx(seen[-1], abs=SHORT_STEPS)


QUANTITIES = ("position", "velocity", "angular_velocity", "rotation", "orientation")


def test_motions_seen_from_moving_points_are_those_of_outputs() -> None:
    model = arm()
    model.state_rate("p", lambda x: -x["p"])
    fore = model.body("fore", 1.0, (0.2, 0, 0), inertia=(0.01, 0.02, 0.02))
    model.spherical("wrist", "arm.eye", fore)
    tip = fore.point("tip", (0.3, 0.1, 0.2))
    for what in QUANTITIES:
        frame = "arm" if "velocity" in what or what == "position" else "ground"
        model.output(f"own_{what}", point=tip, quantity=what, relative_to="arm.eye", frame=frame)
    names = [
        (f"own_{what}.{part}", f"s{k}_{part}")
        for k, what in enumerate(QUANTITIES)
        for part in POINT_QUANTITIES[what].parts
    ]
    for name, state in names:
        model.state(state, 0.0, lambda outputs, name=name: outputs[name])
    program = kt.derive(model, "forward")
    rng = np.random.default_rng(5)
    q = model.random(seed=3)
    given = {"q": q, "qd": rng.normal(size=model.nv), "tau": np.zeros(model.nv),
             "x": np.zeros(len(model.states))}  # fmt: skip
    rates = program.evaluate(**given)["xd"][1:]
    run = kt.simulate(model, 1e-6, q=given["q"], qd=given["qd"], step=1e-6,
                      outputs=[f"own_{what}" for what in QUANTITIES])  # fmt: skip
    told = np.array([float(run[name][0]) for name, _ in names])
    assert np.abs(rates - told).max() < FORMALISM
    other = kt.derive(model, "forward", "dalembert").evaluate(**given)["xd"][1:]
    assert np.abs(other - told).max() < FORMALISM


CYCLE = """
name: cycle
bodies: {cart: {mass: 1}}
joints: {x: {kind: prismatic, parent: ground, child: cart, axis: x}}
forces:
  one: {kind: joint_law, joint: x, law: 2*two.force}
  two: {kind: joint_law, joint: x, law: %s}
"""


@pytest.mark.parametrize(
    ("law", "said"),
    [
        ("3*one.force", "'one' and 'two' depend on each other; let one of them use states"),
        ("q_x", "it uses 'two.force', and 'two' stands below it; put 'two' above"),
        ("two.force", "it uses 'two.force', its own; use states"),
    ],
)
def test_forces_that_depend_on_each_other_are_named(law: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "cycle.yaml").write_text(CYCLE % law, encoding="utf-8")
    with pytest.raises(KinetreeError) as caught:
        kt.load(tmp_path / "cycle.yaml")
    assert said in str(caught.value)


def add_friction(model: kt.Model) -> None:
    model.dry_friction("rub", "hinge", 0.5)
    model.state_rate("p", lambda outputs: outputs["rub.force"])
    kt.derive(model, "forward")


@pytest.mark.parametrize(
    ("add", "problem"),
    [
        (lambda m: m.state_rate("p", lambda outputs: outputs["qdd_hinge"]), "'qdd_hinge' is found"),
        (
            lambda m: m.state_rate("p", lambda outputs: outputs["hinge.reaction.fx"]),
            "'hinge.reaction.fx' is found with the accelerations",
        ),
        (
            lambda m: m.joint_law("l", "hinge", lambda outputs: outputs["arm.acceleration.x"]),
            "'arm.acceleration.x' is found with the accelerations",
        ),
        (
            lambda m: m.joint_law("l", "hinge", lambda outputs: outputs["l.force"]),
            "there is no output 'l.force'",
        ),
        (add_friction, "a law uses 'rub.force', which is found with the accelerations"),
    ],
)
def test_what_comes_too_late_is_refused(add: Callable[[kt.Model], None], problem: str) -> None:
    model = arm()
    with pytest.raises(KinetreeError, match=problem):
        add(model)


SEEING = """\
kinetree: 1
name: see
gravity: [0, 0, -9.81]
ground: {points: {foot: [0.3, 0, -0.5]}}
bodies:
  arm: {mass: 2, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1], points: {tip: [1, 0, 0]}}
joints:
  hinge: {kind: revolute, parent: ground, child: arm, axis: y}
forces:
  strut: {kind: link, first: ground.foot, second: arm.tip, stiffness: 200, length: 0.8}
states:
  heat: {initial: 0, rate: strut.rate**2 + strut.length}
  height: {initial: 0, rate: arm.tip.position.z - x_height}
  pull: {initial: 0, rate: strut.force - x_pull}
events:
  low: {when: arm.tip.position.z + 0.2, then: {x_heat: 0}}
"""


def test_rates_and_events_of_a_file_see_points_lengths_and_forces(tmp_path: Path) -> None:
    """Against the same integrals of the outputs of the run, and the place of the tip."""
    (tmp_path / "see.yaml").write_text(SEEING, encoding="utf-8")
    names = ["strut.length", "strut.rate", "strut.force", "arm.tip.position.z"]
    run = kt.simulate(kt.load(tmp_path / "see.yaml"), 1.0, rtol=1e-10, atol=1e-12, step=5e-4,
                      outputs=names)  # fmt: skip
    length, rate, force, z = (run[name].values for name in names)
    times = run.time.values
    (at,) = run.event_time.values
    assert np.interp(at, times, z) == pytest.approx(-0.2, abs=EQUAL_STEPS)
    late = times >= at
    heat = np.trapezoid((rate**2 + length)[late], times[late])
    assert float(run.x.sel(state="heat")[-1]) == pytest.approx(heat, abs=READ_OFF)
    fades = np.exp(times - times[-1])
    for name, drive in (("height", z), ("pull", force)):
        expected = np.trapezoid(fades * drive, times)
        assert float(run.x.sel(state=name)[-1]) == pytest.approx(expected, rel=EQUAL_STEPS)
