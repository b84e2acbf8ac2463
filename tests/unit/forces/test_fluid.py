"""Fluid power: closed forms, masses and energies that are kept, derivatives, files, refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from tests.approx import (
    AT_STATES,
    COARSE_RUN,
    GOLDEN,
    IDENTITY,
    LONG_RUN,
    READ_OFF,
    RUN,
    TRAJECTORY,
    assert_close,
)

import kinetree as kt
from kinetree.errors import KinetreeError, ModelError, ModelWarning

RHO, BETA, MU, AIR, P_AIR = 870.0, 1e9, 0.02, 0.005, 1e5
JACK = {"rod": 0.02, "length": 0.5, "stroke": 0.3, "cap_volume": 5e-4, "rod_volume": 5e-4}


def pipes(high: float = 3e5, low: float = 1e5, **more: float) -> kt.Model:
    """A fluid between two tanks; flows are volumes."""
    model = kt.Model("pipes")
    model.fluid("oil", RHO, BETA, viscosity=MU, flows="volume", **more)
    model.tank("high", "oil", high)
    model.tank("low", "oil", low)
    return model


def jack(flows: str = "mass") -> kt.Model:
    """A load on a cylinder, whose chambers meet an accumulator."""
    model = kt.Model("jack")
    model.fluid("oil", RHO, BETA, viscosity=MU, flows=flows)
    model.prismatic("z", model.ground, model.body("load", mass=100.0), axis="z", initial=0.5)
    model.cylinder("jack", model.ground, "load", "oil", 0.05, cap_pressure=1e6, rod_pressure=5e5,
                   **JACK)  # fmt: skip
    model.fluid_volume("block", "oil", 1e-4, 1e6)
    model.accumulator("gas", "oil", 1e-3, 1e6)
    model.fluid_line("pipe", "jack_cap", "block", 2.0, 0.01, law=lambda flow: 1e8 * flow)
    model.orifice("neck", "block", "gas", 1e-5)
    model.fluid_resistance("leak", "jack_rod", "block", 1e10)
    return model


def test_a_line_between_tanks_starts_and_flows_as_poiseuille_has_it() -> None:
    model = pipes()
    L, d = 3.0, 0.004
    model.fluid_line("pipe", "high", "low", L, d)
    run = kt.simulate(model, 0.5, rtol=1e-10, atol=1e-16)
    R, inertance = 128 * MU * L / (np.pi * d**4), RHO * L / (np.pi * d**2 / 4)
    flow = 2e5 / R * (1 - np.exp(-R / inertance * run.time))
    assert_close(run.x[:, 0], flow, RUN)


@pytest.mark.parametrize(
    ("drop", "flow"), [(2e5, 0.7 * 2e-5 * np.sqrt(2 * 2e5 / RHO)), (1.0, None)]
)
def test_an_orifice_is_turbulent_and_smooth_at_rest(drop: float, flow: float | None) -> None:
    model = pipes(1e5 + drop)
    model.orifice("valve", "high", "low", 2e-5)
    model.fluid_volume("V", "oil", 1e-3, 1e5)
    model.fluid_resistance("r", "V", "low", 1e9)
    found = kt.derive(model, "forces").evaluate(q=[], qd=[], x=[1e5])
    # well below `smooth` = 1 kPa it is laminar: c A √(2/ρ) Δ/√smooth
    wanted = 0.7 * 2e-5 * np.sqrt(2 / RHO) * drop / np.sqrt(1e3) if flow is None else flow
    assert float(found["valve.flow"]) == pytest.approx(wanted, rel=2 * COARSE_RUN)


@pytest.mark.parametrize(("low", "flow"), [(1e5, 1e-9 * 1.5e5), (2.9e5, 0.0), (4e5, 0.0)])
def test_a_check_valve_opens_one_way(low: float, flow: float) -> None:
    model = pipes(low=low)
    model.check_valve("valve", "high", "low", 1e-9, opening=5e4)
    model.fluid_volume("V", "oil", 1e-3, 1e5)
    model.fluid_resistance("r", "V", "low", 1e9)
    found = kt.derive(model, "forces").evaluate(q=[], qd=[], x=[1e5])
    assert float(found["valve.flow"]) == pytest.approx(flow, rel=IDENTITY, abs=0)


def test_a_pump_fills_an_accumulator_along_the_gas_law() -> None:
    model = pipes(air=0.0)
    model.revolute("shaft", model.ground, model.body("rotor", inertia=(0.1, 0.1, 0.1)))
    model.accumulator("gas", "oil", 1e-3, 1e6, 1.4)
    model.pump("pump", "low", "gas", "shaft", 2e-6)
    run = kt.simulate(model, 0.4, qd=[50.0], rtol=1e-11, outputs=["gas.pressure", "pump.power"])
    V = 1e-3 - 2e-6 * run.q[:, 0]
    assert_close(run["gas.pressure"], 1e6 * (1e-3 / V) ** 1.4, RUN)
    # what the rotor loses the gas gains, against the tank's pressure
    gas = 1e6 * 1e-3 / 0.4 * ((V / 1e-3) ** -0.4 - 1) - 1e5 * (1e-3 - V)
    assert_close(0.05 * (50.0**2 - run.qd[:, 0] ** 2), gas, LONG_RUN)


def volume(p: Any, reference: float = 1e5) -> Any:
    """Of the oil over that at the reference."""
    return 1 - (p - reference) / BETA + AIR * P_AIR * (1 / p - 1 / reference)


def head(p: Any, reference: float = 1e5) -> Any:
    """p_ref + ∫ v dp, by quadrature."""
    return reference + quad(volume, reference, p, epsabs=0, epsrel=1e-13)[0]


def test_masses_and_energies_are_kept() -> None:
    model = jack()
    model.state(
        "lost", 0.0, lambda outputs: sum(outputs[f"{k}.loss"] for k in ("pipe", "neck", "leak"))
    )
    names = ["jack.stored", "block.stored", "pipe.stored", "jack.closed", "energy.total"]
    run = kt.simulate(model, 0.3, method="cvode_bdf", rtol=1e-11, atol=1e-14, step=0.01,
                      outputs=names)  # fmt: skip
    x = {str(name): run.x.sel(state=name).values for name in run.state.values}
    s, A = run["jack.closed"].values, np.pi / 4 * np.array([0.05**2, 0.05**2 - 0.02**2])
    chambers = (5e-4 - A[0] * s) / volume(x["jack_cap"]) + (5e-4 + A[1] * s) / volume(x["jack_rod"])

    def pressure(y: float) -> float:
        return 1e6 * y**-1.3

    gas = np.array(
        [
            [1e-3 * quad(f, y, 1.0, epsabs=0, epsrel=1e-12)[0] for y in x["gas"]]
            for f in (
                lambda y: 1 / volume(pressure(y)),
                lambda y: head(pressure(y)) / volume(pressure(y)),
            )
        ]
    )
    oil = chambers + 1e-4 / volume(x["block"]) + gas[0]
    assert np.ptp(oil) < GOLDEN * oil[0]
    outside = 1e5 * (A[0] - A[1]) * s  # work of the air around the rod
    energy = sum(run[name].values for name in names if name != "jack.closed")
    whole = energy + gas[1] + x["lost"] - outside
    assert np.ptp(gas[1]) > 1.0
    assert np.ptp(whole) < TRAJECTORY * max(np.ptp(gas[1]), np.ptp(x["lost"]))


def test_a_chamber_that_is_drawn_out_keeps_a_pressure_above_zero() -> None:
    model = kt.Model("drawn", gravity=(0, 0, 0))
    model.fluid("oil", RHO, BETA)
    model.prismatic("z", model.ground, model.body("load", mass=1.0), axis="z", initial=0.5)
    model.drive("z", lambda t: 0.5 + 0.1 * t)
    model.cylinder(
        "jack", model.ground, "load", "oil", 0.05, closed="both", cap_pressure=2e5, **JACK
    )
    run = kt.simulate(model, 1.0, rtol=1e-10, atol=1e-12)
    p, V = run.x[:, 0].values, 5e-4 + np.pi / 4 * 0.05**2 * 0.1 * run.time.values
    assert 0 < p.min() < 5e3
    assert_close(V / volume(p), np.full_like(p, 5e-4 / volume(2e5)), AT_STATES, "mass")


@pytest.mark.parametrize("flows", ["mass", "volume"])
def test_derivatives_are_those_of_the_complex_step(flows: str) -> None:
    forward = kt.derive(jack(flows), "forward")
    at = {"q": np.array([0.48]), "qd": np.array([0.2]), "tau": np.zeros(1),
          "x": np.array([1.2e6, 4e5, 1.1e6, 0.9, 3e-5])}  # fmt: skip
    for name in ("q", "qd", "x"):
        for result in ("qdd", "xd"):
            exact = forward.derivative(result, (name,)).evaluate(**at)[f"d{result}_d{name}"]
            for k in range(at[name].size):
                h = 1e-30 * max(abs(at[name][k]), 1e-3)
                bent = {**at, name: at[name] + 1j * h * (np.arange(at[name].size) == k)}
                column = forward.evaluate(**bent)[result].imag / h
                scale = np.abs(column).max() + 1e-3
                assert np.abs(exact[..., k] - column).max() < GOLDEN * scale


@pytest.mark.parametrize("way", ["projection", "multipliers"])
def test_loops_are_treated_alike(way: str) -> None:
    model = kt.Model("crane", gravity=(0, 0, -9.81))
    model.fluid("oil", RHO, BETA)
    a, b = (model.body(n, mass=2.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1)) for n in "ab")
    model.revolute("one", model.ground, a, axis="y", initial=-0.7)
    model.revolute("two", a.point("tip", (1, 0, 0)), b, axis="y", initial=1.4)
    model.close_rod(
        "rod", b.point("end", (1, 0, 0)), model.ground.point("pin", (1.5, 0, -0.6)), 0.6
    )
    model.cylinder("jack", model.ground.point("foot", (0.3, 0, -0.4)), b, "oil", 0.05, length=0.9,
                   stroke=0.5, cap_volume=5e-4, rod_volume=5e-4, cap_pressure=3e6)  # fmt: skip
    model.accumulator("gas", "oil", 1e-3, 1e6)
    for side in ("cap", "rod"):
        model.fluid_line(f"{side}_line", f"jack_{side}", "gas", 1.0, 0.01)
    runs = [
        kt.simulate(model, 0.1, loops=w, rtol=1e-10, atol=1e-12, step=0.1)
        for w in ("explicit", way)
    ]
    assert_close(runs[0].x[-1] / runs[1].x[-1], np.ones(5), TRAJECTORY)
    assert_close(runs[0].q[-1], runs[1].q[-1], RUN)


@pytest.mark.parametrize("more", [{"method": "cvode_bdf"}, {"method": "trapezoidal", "step": 1e-3}])
def test_a_cylinder_that_leaves_its_barrel_is_told_and_the_run_kept(more: dict[str, Any]) -> None:
    with pytest.warns(ModelWarning, match=r"'jack_end' at t = .* stroke of 'jack' is used up"):
        run = kt.simulate(jack(), 4.0, tau={"z": 4000.0}, **more)
    assert float(run.q[-1, 0]) == pytest.approx(0.65, abs=2 * READ_OFF)
    assert run.attrs["end_time"] < 4.0


def test_the_file_keeps_the_circuit(tmp_path: Path) -> None:
    model = jack()
    kt.save(model, tmp_path / "jack.yaml")
    again = kt.load(tmp_path / "jack.yaml")
    assert again.content_hash() == model.content_hash()
    assert list(again.states) == ["jack_cap", "jack_rod", "block", "gas", "pipe"]


def wrong(**change: Any) -> kt.Model:
    """A cylinder with an accumulator, of which one thing is changed."""
    model = kt.Model("wrong")
    model.fluid("oil", RHO, BETA)
    model.fluid("water", 1000.0, 2e9)
    model.prismatic("z", model.ground, model.body("load", mass=100.0), axis="z", initial=0.5)
    data = {**JACK, "rod": change.get("rod", 0.02), "cap_volume": change.get("cap", 5e-4)}
    model.cylinder("jack", model.ground, "load", "oil", change.get("bore", 0.05), **data)
    model.accumulator(
        "gas", change.get("fluid", "oil"), change.get("gas", 1e-3), change.get("p", 1e6)
    )
    model.fluid_line("pipe", "jack_cap", change.get("port", "gas"), change.get("length", 1.0), 0.01)
    if change.get("joined", True):
        model.fluid_resistance("leak", "jack_rod", "jack_cap", 1e10)
    if "state" in change:
        model.state("jack_cap")
    return model


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"gas": 0.0}, "force 'gas': its volume is 0.0; give it above 0"),
        ({"p": -1e5}, "force 'gas': its pressure is -100000.0; give it above 0"),
        ({"bore": -0.05}, "force 'jack': its bore is -0.05; give it above 0"),
        ({"cap": -1e-4}, "force 'jack': its cap_volume is -0.0001; give it above 0"),
        ({"cap": 1e-4}, "force 'jack': its cap_volume of 0.0001 m3 is used up"),
        ({"rod": 0.06}, "force 'jack': its rod of 0.06 m does not fit its bore of 0.05 m"),
        ({"length": -1.0}, "force 'pipe': its length is -1.0; give it above 0"),
        ({"joined": False}, "force 'jack': nothing is joined to its port 'jack_rod'"),
        ({"port": "gass"}, "force 'pipe' second: there is no port 'gass'; did you mean 'gas'"),
        ({"fluid": "oli"}, "force 'gas' fluid: there is no fluid 'oli'; did you mean 'oil'"),
        ({"fluid": "water"}, "force 'pipe': it joins two fluids: 'jack_cap' has 'oil' and 'gas'"),
        ({"state": True}, "state 'jack_cap': there is a state of this name already"),
    ],
)  # fmt: skip
def test_what_makes_no_circuit_is_refused_by_name(change: dict[str, Any], said: str) -> None:
    with pytest.raises(KinetreeError) as caught:
        kt.derive(wrong(**change), "forward")
    assert said in str(caught.value)


def test_numbers_of_a_circuit_are_refused_as_it_is_written_and_parameters_as_they_are_used() -> (
    None
):
    with pytest.raises(ModelError, match=r"force .gas.: its volume is 0\.0; give it above 0"):
        wrong(gas=0.0)
    model = wrong()
    model.accumulator("more", "oil", model.parameter("V", -1e-3, unit="m3"), 1e6)
    model.fluid_resistance("neck", "more", "gas", 1e9)
    with pytest.raises(ModelError, match=r"force .more.: its volume is -0\.001; give a positive"):
        kt.derive(model, "forward")


def test_a_cylinder_that_starts_out_of_its_barrel_is_refused() -> None:
    """The half stroke is 0.15 m, the length 0.5 m."""
    for z, beyond in ((0.7, "0.05"), (0.32, "0.03")):
        with pytest.raises(ModelError, match=f"force 'jack': it starts {beyond} m beyond the end"):
            kt.simulate(jack(), 0.1, q={"z": z}, method="cvode_bdf")


def test_two_states_of_one_name_are_refused() -> None:
    model = kt.Model("twice")
    model.state("gas", 1.0, lambda t: t)
    model.fluid("oil", RHO, BETA)
    with pytest.raises(ModelError, match="force 'gas': a state of its own has the name"):
        model.accumulator("gas", "oil", 1e-3, 1e6)
