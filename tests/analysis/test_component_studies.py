"""Connected components are differentiated, swept and optimised as mechanisms are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kinetree as kt
from approx import COARSE_RUN, EQUAL_STEPS, TRAJECTORY, assert_close
from kinetree.acausal import Component, connect, part
from kinetree.assembly.changed_values import change_values
from kinetree.library.electrical import Capacitor, ConstantVoltage, Ground, Resistor

MODELS = Path(__file__).parents[2] / "examples" / "components"
END = {"v": kt.final("C.v")}


class Charge(Component):
    """A capacitor of 2 uF that 5 V charge from 1 V over 1 kohm."""

    source, ground = part(ConstantVoltage, V=5.0), part(Ground)
    R, C = part(Resistor, R=1000.0), part(Capacitor, C=2e-6)

    def equations(self):
        yield connect(self.source.p, self.R.p)
        yield connect(self.R.n, self.C.p)
        yield connect(self.C.n, self.source.n, self.ground.p)


def test_a_resistance_is_found_and_swept() -> None:
    circuit, T, C = Charge(C={"v": 1.0}), 0.005, 2e-6
    slope = kt.sensitivity(circuit, T, END, by=["R.R"]).gradient.values
    assert_close(slope, [[-4 * np.exp(-2.5) * T / (1e6 * C)]], TRAJECTORY)
    many = kt.sweep(circuit, T, kt.grid({"R.R": [500.0, 2000.0]}), END)
    assert_close(many.v, 5 - 4 * np.exp(-T / C / np.array([500.0, 2000.0])), TRAJECTORY)
    best = kt.optimise(circuit, T, kt.final("(C.v - 3)**2"), over={"R.R": (500.0, 9000.0)})
    assert_close(best.parameters["R.R"], T / C / np.log(2), EQUAL_STEPS)
    assert_close(kt.simulate(best.model, T)["C.v"][-1], 3.0, EQUAL_STEPS)  # it has the new value
    moved = change_values(circuit.as_mechanism(), {"R.R": best.parameters["R.R"]})
    assert_close(kt.simulate(moved, T)["C.v"][-1], 3.0, EQUAL_STEPS)
    assert_close(kt.simulate(circuit, T)["C.v"][-1], 5 - 4 * np.exp(-2.5), TRAJECTORY)


def test_best_values_come_back_into_the_file_of_components(tmp_path: Path) -> None:
    drive, file = kt.load(MODELS / "motor_drive.yaml"), tmp_path / "better.yaml"
    lag, over = kt.measure("integral((wanted-load.w)**2)"), {"controller.k": (10.0, 200.0)}
    best = kt.optimise(drive, 0.5, lag, over=over, evaluations=4)
    kt.save(best.model, file)
    back = kt.load(file).as_mechanism().parameters
    assert back["controller.k"].value == best.parameters["controller.k"] != 1.5
    assert back["controller.Ti"].value == 0.2
    with pytest.raises(kt.errors.UnsupportedError, match="model file does not hold; save the comp"):
        kt.save(drive.as_mechanism(), tmp_path / "lost.yaml")


def test_a_sampled_servo_is_differentiated_over_its_events() -> None:
    servo, T, gain = kt.load(MODELS / "servo.yaml"), 0.5, "place.k"
    value = servo.as_mechanism().parameters[gain].value
    moved = [{gain: value * share} for share in (0.9999, 1.0001)]
    runs = [kt.simulate(servo, T, parameters=one, rtol=1e-10)["load.phi"] for one in moved]
    slope = float(runs[1][-1] - runs[0][-1]) / (2e-4 * value)
    measure = {"end": kt.final("load.phi")}
    for method in ("direct", "adjoint"):
        found = kt.sensitivity(servo, T, measure, by=[gain], method=method, rtol=1e-9)
        assert_close(found.gradient.values, [[slope]], COARSE_RUN)
