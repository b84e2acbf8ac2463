"""Pages that simulate: the embedded programs in Node against `simulate`, sliders, refusals."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.approx import AT_STATES, COARSE_RUN, IDENTITY, LONG_RUN, READ_OFF
from tests.export.models import ball, cascade, thermostat

import kinetree as kt
from kinetree.algebra import disp, rotq, rotz
from kinetree.errors import ShapeError, UnknownNameError, UnsupportedError
from kinetree.view.live import Live, engine
from kinetree.view.poses import poses

DRIVER = """
const { readFileSync } = require("node:fs");
(0, eval)(readFileSync("live.js", "utf8"));
const { data, calls } = JSON.parse(readFileSync("given.json", "utf8"));
const { programs, Simulation } = globalThis.kinetreeLive;
const simulation = new Simulation(programs, data);
const plain = (row) => Object.fromEntries(
  Object.entries(row).map(([name, values]) => [name, Array.from(values)]));
const told = calls.map(([what, ...rest]) => {
  let made = 0;
  if (what === "advance") made = simulation.advance(...rest);
  if (what === "reset") made = simulation.reset();
  if (what === "q") simulation.start.q[rest[0]] = rest[1];
  if (what === "hold") simulation.hold(...rest);
  if (what === "release") simulation.release();
  if (what === "tau") simulation.tau[rest[0]] = rest[1];
  if (what === "p") simulation.parameters[rest[0]] = rest[1];
  return { made, outputs: Array.from(simulation.state.outputs ?? []), t: simulation.t,
    problem: simulation.problem, state: plain(simulation.state),
    frames: simulation.frames().map(plain) };
});
console.log(JSON.stringify(told));
"""


def told(
    model: kt.Model, how: Live, calls: list[list[Any]], folder: Path
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """What the embedded script answers to calls, and the data of the page."""
    node = shutil.which("node") or shutil.which("nodejs")
    if node is None:
        pytest.skip("there is no node on this machine")
    made = engine(model, how, 1.0, pulled=True)
    (folder / "live.js").write_text(made.script, encoding="utf-8")
    given = {"data": made.data, "calls": calls}
    (folder / "given.json").write_text(json.dumps(given), encoding="utf-8")
    (folder / "run.cjs").write_text(DRIVER, encoding="utf-8")
    result = subprocess.run(
        [node, "run.cjs"], cwd=folder, capture_output=True, text=True, timeout=100, check=False
    )
    assert result.returncode == 0, result.stderr[-1500:]
    answers: list[dict[str, Any]] = json.loads(result.stdout)
    return answers, made.data


def four_bar() -> kt.Model:
    return kt.load("examples/models/four_bar.yaml")


def tumbler() -> kt.FrameModel:
    """A body with a free orientation, a state, and a law of the time."""
    made = kt.FrameModel("tumbler")
    x = made.coordinate("x", "m")
    e = made.quaternion("e")
    heat = made.state("heat", 1.0, lambda x: -x["heat"])
    body = made.frame("body", disp(x, 0, 0) @ rotq(*e) @ disp(0, 0.1, 0), 2.0, (0.3, 0.2, 0.4))
    made.external("push", body, force=(heat, 0, 3.0 * made.t), torque=(0.1, 0, 0.2))
    return made


CASES = {
    "four_bar": (four_bar, Live(step=0.002, tolerance=1e-9)),
    "slider_crank": (
        lambda: kt.load("examples/models/slider_crank.yaml"),
        Live(step=0.002, tolerance=1e-9),
    ),
    "pendulum": (
        lambda: kt.load("examples/models/double_pendulum.yaml"),
        Live(step=0.005, method="rk4", q={"shoulder": 1.0}, qd={"elbow": 2.0}),
    ),
    "tumbler": (tumbler, Live(step=0.01, method="generalised_alpha", qd={"e_wz": 3.0})),
}


@pytest.mark.parametrize("name", CASES)
def test_the_page_moves_as_simulate_does(name: str, tmp_path: Path) -> None:
    make, how = CASES[name]
    model = make()
    assert how.step is not None
    (now,), _ = told(model, how, [["advance", 200]], tmp_path)
    run = kt.simulate(
        model, 200 * how.step, q=how.q, qd=how.qd, method=how.method, step=how.step,
        tolerance=how.tolerance, formulation="explicit" if how.method == "rk4" else None,
    )  # fmt: skip
    assert now["made"] == 200
    assert np.isclose(now["t"], run.time.values[-1], rtol=IDENTITY)
    for part in ("q", "qd", "qdd", "x"):
        if part in run:
            wanted = run[part].values[-1]
            scale = max(1.0, float(np.abs(run[part].values).max()))
            assert np.abs(np.array(now["state"][part]) - wanted).max() < AT_STATES * scale, part
    placed = poses(model, np.array(now["state"]["q"])[None])[0]
    found = np.array([frame["position"] for frame in now["frames"]])
    assert np.allclose(found, placed[:, 4:], atol=IDENTITY)


def test_a_coordinate_poses_a_closed_mechanism(tmp_path: Path) -> None:
    model = four_bar()
    (_, there), data = told(model, Live(), [["q", 0, 0.3], ["reset"]], tmp_path)
    assert [row["name"] for row in data["controls"] if row["kind"] == "q"] == ["crank"]
    wanted = kt.assemble(model, [0.3, *model.initial()[1:]], independent=["crank"]).q
    assert there["made"] is True
    assert np.allclose(there["state"]["q"], wanted, atol=AT_STATES)


def test_a_loop_that_cannot_close_is_told_and_the_state_stays(tmp_path: Path) -> None:
    calls: list[list[Any]] = [["p", "base", 3.0], ["reset"], ["p", "base", 0.4], ["reset"]]
    (before, torn, _, again), _ = told(four_bar(), Live(), calls, tmp_path)
    assert torn["made"] is False
    assert "Loop 'pin' does not close" in torn["problem"]
    assert torn["state"] == before["state"]
    assert again["problem"] == ""


def test_a_step_without_solution_stops_and_is_told(tmp_path: Path) -> None:
    model = kt.FrameModel("edge")
    x = model.coordinate("x", "m")
    body = model.frame("body", disp(x, 0, 0), 1.0)
    model.external("pull", body, force=(1 + 0 * x, 0, 0))
    model.external("law", body, force=((1 - x) ** 0.5, 0, 0))
    (now,), _ = told(model, Live(step=0.01), [["advance", 1000]], tmp_path)
    assert 0 < now["made"] < 1000
    assert "no solution" in now["problem"]
    assert 0.9 < now["state"]["q"][0] <= 1.0


def test_efforts_and_parameters_act(tmp_path: Path) -> None:
    model = kt.load("examples/models/double_pendulum.yaml")
    calls: list[list[Any]] = [["advance", 100], ["reset"], ["tau", 0, 5.0], ["reset"]]
    calls += [["advance", 100]]
    answers, _ = told(model, Live(step=0.002), calls, tmp_path)
    run = kt.simulate(model, 0.2, tau=[5.0, 0.0], method="trapezoidal", step=0.002)
    assert np.allclose(answers[-1]["state"]["q"], run.q.values[-1], rtol=AT_STATES, atol=AT_STATES)
    assert not np.allclose(answers[0]["state"]["q"], answers[-1]["state"]["q"], atol=READ_OFF)


def _lever(model: kt.Model, q: Any, body: str) -> Any:
    """Jacobian of the origin of a body."""
    program = kt.derive(model, "kinematics", points=[body])
    names = {row.name for row in program.inputs} & {"q", "qd", "qdd"}
    given = {name: np.zeros(model.nv) for name in names} | {"q": q}
    return program.evaluate(**given)[f"{body}.jacobian"][3:]


@pytest.mark.parametrize(
    ("make", "body", "to"),
    [(four_bar, "coupler", (0.1 * np.cos(0.5), 0.1 * np.sin(0.5), 0.0)),
     (tumbler, "body", (0.3, 0.1, 0.0)),
     (lambda: kt.load("examples/models/double_pendulum.yaml"), "lower", (0.48, 0.0, -0.64))],
)  # fmt: skip
def test_a_hand_brings_a_body_where_it_wants(
    make: Callable[[], Any], body: str, to: tuple[float, ...], tmp_path: Path
) -> None:
    model = make()
    calls: list[list[Any]] = [["advance", 0], ["hold", body, [0, 0, 0], to], ["advance", 400]]
    rows, _ = told(model, Live(step=0.002), [*calls, ["release"], ["advance", 1]], tmp_path)
    k = list(model.bodies).index(body)
    before, after = (np.array(rows[i]["frames"][k]["position"]) for i in (0, 2))
    assert np.linalg.norm(after - to) < 0.2 * np.linalg.norm(before - to)
    assert [row["made"] for row in rows[2::2]] == [400, 1]


def test_a_hand_is_a_spring_of_the_mass_that_is_felt(tmp_path: Path) -> None:
    """The first acceleration is Jᵀ f with f = m ω² d and 1/m the trace of J M⁻¹ Jᵀ."""
    model = kt.load("examples/models/double_pendulum.yaml")
    q = np.array([0.4, -0.9])
    to = np.array([0.3, 0.0, -0.2])
    how = Live(step=1e-6, method="rk4", q=q.tolist())
    hold: list[Any] = ["hold", "lower", [0, 0, 0], to.tolist()]
    rows, _ = told(model, how, [hold, ["advance", 1], ["advance", 1]], tmp_path)
    parts = kt.derive(model, "mass_bias").evaluate(q=q, qd=np.zeros(2))
    J = _lever(model, q, "lower")
    felt = 1 / np.trace(J @ np.linalg.solve(parts["M"], J.T))
    force = felt * 30.0**2 * (to - np.array(rows[0]["frames"][1]["position"]))
    qdd = np.linalg.solve(parts["M"], J.T @ force - parts["c"])
    assert how.step is not None
    found = np.subtract(rows[2]["state"]["qd"], rows[1]["state"]["qd"]) / how.step
    assert np.allclose(found, qdd, rtol=READ_OFF)


def test_sliders_offer_what_can_be_chosen() -> None:
    made = engine(tumbler(), Live(), 1.0)
    rows = {(row["kind"], row["name"]): row for row in made.data["controls"]}
    assert [name for kind, name in rows if kind == "q"] == ["x"]  # no single quaternion component
    assert ("qd", "e_wx") in rows
    assert rows["tau", "x"]["unit"] == "N"
    assert made.preview is not None
    pendulum = kt.load("examples/models/double_pendulum.yaml")
    few = engine(pendulum, Live(sliders=["gravity_z"]), 1.0).data["controls"]
    assert [row["name"] for row in few if row["kind"] == "p"] == ["gravity_z"]
    assert all(row["low"] <= row["value"] <= row["high"] for row in few)


def test_sliders_have_room_for_the_motion() -> None:
    made = kt.FrameModel("cart")
    x = made.coordinate("x", "m")
    made.frame("cart", disp(x, 0, 0), 1.0)
    found = engine(made, Live(qd={"x": 3.0}), 1.0)
    (row,) = (row for row in found.data["controls"] if row["kind"] == "q")
    assert row["low"] == pytest.approx(-1.0)
    assert row["high"] == pytest.approx(12.0, rel=0.02)  # 3 m/s for the 4 s looked ahead


def test_a_moving_point_of_rotation_is_no_trouble() -> None:
    made = kt.FrameModel("spinner")
    q = made.coordinate("q")
    made.frame("arm", disp(made.t, 0, 0) @ rotz(q) @ disp(1, 0, 0), 1.0)
    assert "kinetreeLive" in engine(made, Live(), 1.0).script


def test_wishes_that_cannot_be(viewer: str, tmp_path: Path) -> None:
    del viewer
    model = kt.load("examples/models/double_pendulum.yaml")
    page = tmp_path / "page.html"
    with pytest.raises(UnknownNameError, match="bogus"):
        kt.animate(model, path=page, live=Live(sliders=["bogus"]))
    with pytest.raises(UnknownNameError, match="bogus"):
        kt.animate(model, path=page, live=Live(parameters={"bogus": 1.0}))
    with pytest.raises(ShapeError, match="step: it is -1"):
        kt.animate(model, path=page, live=Live(step=-1.0))
    with pytest.raises(UnsupportedError, match="nothing can move"):
        kt.animate(kt.Model("empty"), path=page, live=True)
    with pytest.raises(UnsupportedError, match="a run and live"):
        kt.animate(model, {"time": [0], "q": [[0, 0]]}, page, live=True)
    assert not page.exists()


def kicked() -> kt.Model:
    """A closed mechanism whose crank is kicked at two times."""
    model = four_bar()
    crank = model.velocities[0]
    model.event("kick", then={f"qd_{crank}": lambda qd: qd[crank] + 1.0}, at=(0.0, 0.05))
    return model


@pytest.mark.parametrize("made", [ball, thermostat, cascade, kicked])
def test_what_happens_on_a_page_is_what_happens_in_equal_steps(
    made: Callable[[], kt.Model], tmp_path: Path
) -> None:
    """Bounces, a relay, two clocks, a loop: late by less than a step."""
    model, step = made(), 2e-3 if made is ball else 1e-2
    (now,), _ = told(model, Live(step=step), [["advance", 300]], tmp_path)
    run = kt.simulate(model, 300 * step, method="trapezoidal", step=step)
    assert now["made"] == 300
    for part in ("q", "qd", "x"):
        if part in run:
            wanted = run[part].values[-1]
            assert np.allclose(now["state"][part], wanted, atol=LONG_RUN), part
    assert len(run["event_time"]) > 0


def test_an_event_that_ends_the_motion_is_told(tmp_path: Path) -> None:
    model = ball()
    model.event("low", lambda q: q["z"] - 0.5, direction="falling", stops=True)
    (now,), _ = told(model, Live(step=0.01), [["advance", 100]], tmp_path)
    assert now["made"] == 31
    assert "Event 'low' ends the motion at t = 0.3200 s" in now["problem"]


HAPPENS: dict[str, Callable[[kt.Model], Any]] = {
    "memory": lambda m: m.memory("bounce", 0.0, lambda q: q["x"]),
    "friction": lambda m: m.dry_friction("bounce", "x", 1.0),
    "brake": lambda m: m.brake("bounce", "x", 1.0),
    "lock": lambda m: m.lock("bounce", "x", 1.0),
    "stop": lambda m: m.stop("bounce", "x", lower=-1.0),
}


@pytest.mark.parametrize("what", HAPPENS)
def test_what_happens_at_instants_is_refused_by_name(
    what: str, viewer: str, tmp_path: Path
) -> None:
    """A page makes equal steps and would pass over it."""
    del viewer
    model = kt.Model("block", gravity=(0, 0, 0))
    model.prismatic("x", model.ground, model.body("block", mass=1.0), axis="x")
    HAPPENS[what](model)
    page = tmp_path / "page.html"
    with pytest.raises(UnsupportedError, match=r"live page of model 'block': .*bounce.*a run"):
        kt.animate(model, path=page, live=True)
    assert not page.exists()


def test_the_page_carries_its_programs(viewer: str, tmp_path: Path) -> None:
    del viewer
    page = kt.animate(four_bar(), path=tmp_path / "page.html", live=True)
    text = page.read_text(encoding="utf-8")
    assert text.count("globalThis.kinetreeLive = ") == 1
    assert "import" not in text.split("globalThis.kinetreeLive", 1)[1].split("</script>", 1)[0]
    assert len(text) < 1e6


@pytest.mark.parametrize("method", ["trapezoidal", "semi_implicit_euler"])
def test_pages_draw_outputs(method: str, tmp_path: Path) -> None:
    """Forces, reactions of loops, energies and expressions, as a run in equal steps has them."""
    model = four_bar()
    model.joint_spring("spring", model.coordinates[0], 3.0, 0.1, 0.2)
    closure = next(iter(model.closures))
    model.output("twice", lambda outputs, t: 2 * outputs["spring.force"] + t)
    names = ["twice", "spring.power", f"{closure}.reaction.fx", "energy.total"]
    how = Live(method=method, outputs=names, step=1e-3)
    answers, data = told(model, how, [["advance", 20]], tmp_path)
    run = kt.simulate(model, 0.02, method=method, step=1e-3, outputs=names,
                      formulation=how.formulation)  # fmt: skip
    group = next(row for row in data["signals"] if row["name"] == "outputs")
    assert group["names"] == names
    assert group["units"][1:] == ["W", "N", "J"]
    assert answers[0]["outputs"] == pytest.approx(
        [run[name].values[-1] for name in names], rel=COARSE_RUN
    )
    with pytest.raises(UnknownNameError, match=r"spring\.force"):
        engine(model, Live(outputs=["spring.forse"]), 1.0)
