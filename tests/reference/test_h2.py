"""The roll suspension of the Kinetic H2 type against a run of an independent program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from tests.approx import FOUR_DIGITS, PERCENT, READ_OFF, TRAJECTORY

import kinetree as kt

ROOT = Path(__file__).parents[2]
FILE = ROOT / "examples" / "models" / "h2.yaml"
DATA = ROOT / "tests" / "data" / "applications" / "h2_roll_1Hz.csv"
RATIO = {"FL": 0.633, "FR": 0.633, "RL": 0.895, "RR": 0.895}
SIGNS = {
    "roll": (1, -1, 1, -1),
    "heave": (1, 1, 1, 1),
    "pitch": (1, 1, -1, -1),
    "warp": (1, -1, -1, 1),
}
STILL = dict.fromkeys(SIGNS, 0.0)
TRACK = 1.615
"""Over which a stiffness per wheel makes the stiffness in roll of the data [m]."""
GAS = ("A1", "A2", "B1", "B2")


@pytest.fixture(scope="module")
def circuit() -> kt.Model:
    """The file as it is shipped."""
    return kt.load(FILE)


def test_the_circuit_has_22_states(circuit: kt.Model) -> None:
    assert len(circuit.states) == 22


def test_roll_at_1_hertz_is_that_of_the_independent_program(circuit: kt.Model) -> None:
    expected = np.genfromtxt(DATA, delimiter=",", names=True)
    names = [f"{at}.{what}" for at in RATIO for what in ("force", "closed")]
    run = kt.simulate(circuit, 2.0, method="cvode_bdf", step=0.01, parameters={"oil.air": 0.0},
                      outputs=[*names, "A.pressure", "B.pressure"])  # fmt: skip
    pairs = {f"{at}.force": f"F_{at}" for at in RATIO} | {f"{at}.closed": f"s_{at}" for at in RATIO}
    for name, column in {**pairs, "A.pressure": "p_A", "B.pressure": "p_B"}.items():
        error = np.abs(run[name].values - expected[column]).max()
        assert error < 0.1 * READ_OFF * np.ptp(expected[column])


def stiffness(circuit: kt.Model, mode: str, travel: float) -> float:
    """Force per wheel and travel at the top of a slow motion [N/m]."""
    run = kt.simulate(
        circuit, 10.0, method="cvode_bdf", rtol=1e-9, atol=1e-12, step=10.0,
        parameters={**STILL, mode: travel, "frequency": 0.025, "oil.air": 0.0},
        outputs=[f"{at}.force" for at in RATIO],
    )  # fmt: skip
    forces = [run[f"{at}.force"].values for at in RATIO]
    rises = [ratio * (f[-1] - f[0]) for ratio, f in zip(RATIO.values(), forces, strict=True)]
    return float(np.dot(SIGNS[mode], rises)) / 4 / travel


@pytest.mark.parametrize(
    ("mode", "travel", "expected"),
    [("roll", 5e-3, 22644.0), ("roll", 30e-3, 23861.0), ("heave", 5e-3, 232.1)],
)
def test_it_is_stiff_in_roll_and_soft_in_heave(
    circuit: kt.Model, mode: str, travel: float, expected: float
) -> None:
    found = stiffness(circuit, mode, travel)
    assert found == pytest.approx(expected, rel=10 * FOUR_DIGITS)
    if mode == "roll" and travel < 0.01:
        assert found * TRACK**2 == pytest.approx(59.1e3, rel=PERCENT)


@pytest.mark.parametrize("mode", ["warp", "pitch"])
def test_it_gives_way_in_warp_and_pitch(circuit: kt.Model, mode: str) -> None:
    assert abs(stiffness(circuit, mode, 5e-3)) * TRACK**2 < 1.0  # N.m/rad


def counted(flows: str, tmp_path: Path, shipped: Path = FILE) -> kt.Model:
    """The circuit with flows counted so, and the works that its parts do as states."""
    file = tmp_path / "h2.yaml"
    text = shipped.read_text(encoding="utf-8").replace("flows: volume", f"flows: {flows}")
    file.write_text(text, encoding="utf-8")
    model = kt.load(file)
    lines = [f"{at}_{end}_line" for at in RATIO for end in ("cap", "rod")]
    necks = [f"{name}_neck" for name in GAS]

    def squeezed(x: Any, outputs: Any) -> Any:  # power into the oil of all volumes
        total = 0.0
        for at in RATIO:
            bore, rod = (model.forces[at].arguments[word] for word in ("bore", "rod"))
            areas = np.pi / 4 * bore**2, -np.pi / 4 * (bore**2 - rod**2)
            for end, area in zip(("cap", "rod"), areas, strict=True):
                p, flow = x[f"{at}_{end}"], outputs[f"{at}_{end}_line.flow"]
                total = total + p * (-flow - area * outputs[f"{at}.rate"])
        for node in "AB":
            joined = [k for k in lines if model.forces[k].arguments["second"] == node]
            flow = sum(outputs[f"{k}.flow"] for k in joined)
            flow = flow - sum(outputs[f"{node}{k}_neck.flow"] for k in (1, 2))
            total = total + x[node] * flow
        return total

    model.state("work", 0.0, lambda outputs: -sum(outputs[f"{k}.power"] for k in RATIO))
    model.state("lost", 0.0, lambda outputs: sum(outputs[f"{k}.loss"] for k in (*lines, *necks)))
    model.state("squeeze", 0.0, squeezed)
    return model


@pytest.mark.parametrize(("flows", "falls"), [("volume", 487.0), ("mass", 0.0)])
def test_oil_is_kept_where_flows_are_masses(flows: str, falls: float, tmp_path: Path) -> None:
    run = kt.simulate(counted(flows, tmp_path), 4.0, method="cvode_bdf", rtol=1e-9, atol=1e-13,
                      step=0.5, parameters={"oil.air": 0.0})  # fmt: skip
    both = run.x.sel(state=["A", "B"]).sum("state").values / 2  # at the ends of cycles
    lost, cycles = run.x.sel(state="lost").values, both[2::2]
    assert np.diff(cycles)[1:] == pytest.approx(-falls, abs=1.0)
    if flows == "volume":  # W/β of oil, by the stiffness κ p/V of the gas of both circuits
        vanished = np.diff(lost[2::2])[-1] / 1e9
        assert vanished * 1.3 * 2.5e6 / (4 * 1.42e-4) == pytest.approx(falls, rel=5 * PERCENT)


STORES = (*(f"{at}_{end}_line" for at in RATIO for end in ("cap", "rod")), *RATIO, "A", "B")
"""Elements that store energy of their own, beside the gas."""


@pytest.mark.parametrize("flows", ["volume", "mass"])
def test_the_work_of_the_pistons_is_found_again(flows: str, tmp_path: Path) -> None:
    model = counted(flows, tmp_path)
    run = kt.simulate(model, 0.6, method="cvode_bdf", rtol=1e-11, atol=1e-13, step=0.6,
                      outputs=[f"{name}.stored" for name in STORES])  # fmt: skip
    last = {str(name): float(run.x.sel(state=name)[-1]) for name in run.state.values}
    stored = sum(float(run[f"{name}.stored"][-1] - run[f"{name}.stored"][0]) for name in STORES)
    if flows == "volume":
        stored += last["squeeze"]
        gas = sum(2.5e6 * 1.42e-4 / 0.3 * (last[k] ** -0.3 - 1) for k in GAS)
    else:
        gas = sum(quad(energy, last[k], 1.0, epsabs=0, epsrel=1e-11)[0] for k in GAS)
    terms = last["work"], gas, stored, last["lost"]
    assert abs(terms[0] - sum(terms[1:])) < TRAJECTORY * max(map(abs, terms))
    assert last["lost"] > 10


def energy(y: float) -> float:
    """Of an accumulator by the share of its gas [J]: h/v, h by quadrature."""
    p = 2.5e6 * y**-1.3

    def volume(p: float) -> float:
        return 1 - (p - 1e5) / 1e9 + 500 * (1 / p - 1 / 1e5)

    return 1.42e-4 * (1e5 + quad(volume, 1e5, p, epsabs=0, epsrel=1e-12)[0]) / volume(p)
