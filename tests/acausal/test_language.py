"""What users write: components, connections, units, values that reach down, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from acausal.parts import (
    Capacitor,
    Charging,
    Ground,
    Ladder,
    Pendulum,
    Resistor,
    Source,
    TwoPin,
)
from approx import CLOSED, IDENTITY, LONG_RUN, RUN, TRAJECTORY, assert_close
from kinetree.acausal import (
    Component,
    connect,
    der,
    initial,
    parameter,
    part,
    signal_in,
    signal_out,
    variable,
)
from kinetree.errors import KinetreeError, ModelError
from kinetree.functions import sin


def test_a_charging_capacitor_and_every_variable() -> None:
    run = kt.simulate(Charging(C={"C": 0.5, "v": 0.5}), 2.0)
    t = run["time"].values
    assert_close(run["C.v"], 2 - 1.5 * np.exp(-t / 1.5), RUN)
    assert_close(run["R.i"], 1.5 / 3 * np.exp(-t / 1.5), RUN)
    assert_close(run["source.i"], -run["R.i"].values, IDENTITY)
    assert run["C.p.v"].attrs["units"] == "V"


def test_values_reach_down_and_strings_have_units() -> None:
    class Twice(Component):
        a = part(Charging, R={"R": "3 kohm"}, C={"C": "10 mF"})
        R = parameter(2.0, "kohm")

    run = kt.simulate(Twice(a={"R": {"R": "1.5 kohm"}, "source": {"V": 4.0}}), 1.0)
    assert_close(run["a.C.v"][-1], 4 * (1 - np.exp(-1 / 15)), RUN)


def test_parameters_follow_from_those_around() -> None:
    class Divided(Charging):
        R0 = parameter(4.0, "ohm")
        R = part(Resistor, R=lambda self: self.R0 / 2)

    run = kt.simulate(Divided(), 1.0, parameters={"R0": 8.0})
    assert_close(run["C.v"][-1], 2 * (1 - np.exp(-1 / 4)), RUN)


def test_a_subclass_replaces_a_part() -> None:
    class Doubled(Resistor):
        def equations(self) -> Iterator[Any]:
            yield from TwoPin.equations(self)
            yield self.v == 2 * self.R * self.i

    class Other(Charging):
        R = part(Doubled, R=1.5)

    assert_close(kt.simulate(Other(), 1.0)["C.v"][-1], 2 * (1 - np.exp(-1 / 3)), RUN)


def test_a_capacitor_loop_has_one_state() -> None:
    class Loop(Charging):
        C2 = part(Capacitor, C=0.25)

        def equations(self) -> Iterator[Any]:
            yield from super().equations()
            yield connect(self.C.p, self.C2.p)
            yield connect(self.C.n, self.C2.n)

    made = Loop()
    assert made.report().states == ("C.v",)
    run = kt.simulate(made, 2.0)
    assert_close(run["C2.v"], 2 * (1 - np.exp(-run["time"].values / 3.75)), RUN)


def test_an_index_of_three_leaves_two_states() -> None:
    made = Pendulum()
    assert len(made.report().states) == 2
    assert made.report().index == "2 rows differentiated"
    run = kt.simulate(made, 0.4, rtol=1e-10, atol=1e-12)
    x, y = run["Pendulum.x"].values, run["y"].values
    assert np.abs(x**2 + y**2 - 1).max() < CLOSED
    model = kt.Model("pendulum", gravity=(0, -9.81, 0))
    bob = model.body("bob", mass=1.0, com=(1.0, 0, 0))
    model.revolute("a", model.ground, bob, axis="z", initial=float(np.arctan2(-0.8, 0.6)))
    same = kt.simulate(model, 0.4, rtol=1e-10, atol=1e-12)["q"].values[:, 0]
    assert_close(y, np.sin(same), RUN)


class Spinning(Pendulum):
    x, y = variable("m", start=0.0), variable("m", start=-1.0)
    vx = variable("m/s", start=7.0, fixed=True)

    def equations(self) -> Iterator[Any]:
        yield from super().equations()
        yield self.vx == der(self.x)


def test_states_are_chosen_anew_through_all_quadrants() -> None:
    run = kt.simulate(Spinning(), 4.0, rtol=1e-10, atol=1e-12, step=0.05)
    x, y = run["Spinning.x"].values, run["y"].values
    assert run.attrs["termination"] == "finished"
    assert len(run["time"]) == 81
    assert np.abs(x**2 + y**2 - 1).max() < CLOSED
    assert min(x.min(), y.min()) < -0.9
    assert max(x.max(), y.max()) > 0.9
    model = kt.Model("pendulum", gravity=(0, -9.81, 0))
    bob = model.body("bob", mass=1.0, com=(1.0, 0, 0))
    model.revolute("a", model.ground, bob, axis="z", initial=-np.pi / 2)
    same = kt.simulate(model, 4.0, qd={"a": 7.0}, rtol=1e-10, atol=1e-12, step=0.05)
    assert_close(y, np.sin(same["q"].values[:, 0]), TRAJECTORY)


def test_the_inverse_question_needs_derivatives_of_what_is_known() -> None:
    class Driven(Component):
        u, y = signal_in("N"), signal_out("m")
        m, k = parameter(2.0, "kg"), parameter(5.0, "N/m")

        def equations(self) -> Iterator[Any]:
            yield self.m * der(der(self.y)) == self.u - self.k * self.y

    program = kt.derive(Driven(), known=["y"], wanted=["u"])
    assert program.input("known").labels == ("y", "der(der(y))")
    found = program.evaluate(known=np.array([0.3, 0.7]), t=0.0)["wanted"]
    assert_close(found, [2 * 0.7 + 5 * 0.3], IDENTITY)


def test_initial_equations_and_guesses() -> None:
    class Steady(Charging):
        def equations(self) -> Iterator[Any]:
            yield from super().equations()
            yield initial(der(self.C.v) == 1.0)

    run = kt.simulate(Steady(), 0.5)
    assert_close(run["C.v"][0], 2 - 3.0, RUN)


def test_a_block_that_is_not_linear() -> None:
    class Kepler(Component):
        M, E = variable("1"), variable("1", start=0.0)
        e = parameter(0.6)

        def equations(self) -> Iterator[Any]:
            yield der(self.M) == 1.0
            yield self.E - self.e * sin(self.E) == self.M

    run = kt.simulate(Kepler(), 12.0)
    E = run["E"].values
    assert_close(E - 0.6 * np.sin(E), run["time"].values, RUN)
    assert E[-1] > 11


# --- what is refused -----------------------------------------------------------------------------


class Short(TwoPin):
    """An equation too few."""


class Long(Resistor):
    def equations(self) -> Iterator[Any]:
        yield from super().equations()
        yield self.v == 1.0


class Mixed(Resistor):
    def equations(self) -> Iterator[Any]:
        yield from TwoPin.equations(self)
        yield self.v == self.i + self.R * self.i


class Floating(Component):
    source, R = part(Source), part(Resistor)

    def equations(self) -> Iterator[Any]:
        yield connect(self.source.p, self.R.p)
        yield connect(self.source.n, self.R.n)


class Sources(Component):
    a, b, ground = part(Source), part(Source), part(Ground)

    def equations(self) -> Iterator[Any]:
        yield connect(self.a.p, self.b.p)
        yield connect(self.a.n, self.b.n, self.ground.p)


class Truth(Component):
    a = variable("V")

    def equations(self) -> Iterator[Any]:
        if self.a == 1.0:
            yield self.a == 2.0


REFUSED = {
    "few": (Short, "class 'Short': 3 equations for 4 unknowns"),
    "many": (Long, "class 'Long': 5 equations for 4 unknowns"),
    "units": (Mixed, r"component 'Mixed', equation 4: .*\[A\] cannot be added to .*\[V\]"),
    "ground": (
        Floating,
        "nothing gives the potentials 'source.p.v', 'source.n.v' a reference",
    ),
    "sources": (Sources, "compete for"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_mistakes_are_sentences(name: str) -> None:
    kind, sentence = REFUSED[name]
    with pytest.raises(ModelError, match=sentence):
        kind().report()


def test_an_equation_is_not_a_truth_value() -> None:
    with pytest.raises(TypeError, match="used as a truth value"):
        Truth().report()


def test_a_misspelled_path_gets_the_nearest() -> None:
    with pytest.raises(KinetreeError, match="did you mean 'R'"):
        Charging(r={"R": 2.0})
    with pytest.raises(KinetreeError, match=r"did you mean 'C\.v'"):
        kt.simulate(Charging(), 1.0, outputs=["C.V"])


def test_too_many_initial_values_are_listed() -> None:
    class Twice(Charging):
        def equations(self) -> Iterator[Any]:
            yield from super().equations()
            yield initial(self.R.v == 1.0)

    with pytest.raises(ModelError, match=r"too many initial values: .*C\.v"):
        Twice(C={"v": 0.5}).report()


def test_the_report_lists_stages_and_what_was_assumed() -> None:
    found = Charging().report()
    assert [row.name for row in found.stages][:3] == ["instances", "connections", "aliases"]
    assert found.assumed == ("C.v = 0",)
    assert "states: C.v" in str(found)


def test_parts_in_lists() -> None:
    made = Ladder(n=3)
    assert made.report().states == ("C[0].v", "C[1].v", "C[2].v")
    run = kt.simulate(made, 1.0, method="cvode_bdf")
    A = np.array([[-2.0, 1, 0], [1, -2, 1], [0, 1, -1]])
    values, vectors = np.linalg.eig(A)
    exact = 1 - vectors @ (np.exp(values) * np.linalg.solve(vectors, np.ones(3)))
    assert_close(run["x"].values[-1], exact.real, LONG_RUN)
