"""Dry friction of components: sticking, breaking away, and what cannot be told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from approx import IDENTITY, LONG_RUN, RUN, assert_close
from kinetree.acausal import Component, connect, friction, mode, parameter, part, signal_in
from kinetree.errors import ModelError, ModelWarning
from kinetree.library import blocks
from kinetree.library import rotational as rot


class Shaft(Component):
    """A shaft that runs out, and is pulled loose by a torque of 1 N.m/s from 8 s on."""

    J = part(rot.Inertia, J=2.0, w=3.0, phi=0.0)
    bearing = part(rot.BearingFriction, peak=1.5)
    torque, ramp = part(rot.Torque), part(blocks.Ramp, height=4.0, duration=4.0, startTime=8.0)

    def equations(self) -> Iterator[Any]:
        yield connect(self.ramp.y, self.torque.tau)
        yield connect(self.torque.flange, self.J.flange_a)
        yield connect(self.J.flange_b, self.bearing.flange_a)


def test_a_shaft_comes_to_rest_and_breaks_away() -> None:
    run = kt.simulate(Shaft(), 12.0, step=0.1)
    changed = run["event_name"].values == "bearing.mode"
    assert_close(np.unique(run["event_time"].values[changed]), [6.0, 9.5], LONG_RUN)
    t = run["time"].values
    after = np.maximum(t - 9.5, 0)
    expected = np.where(t < 6, 3 - t / 2, (0.5 * after + after**2 / 2) / 2)
    assert_close(run["J.w"].values, expected, RUN)
    resting = (t > 6.05) & (t < 9.45)
    assert_close(run["bearing.tau"].values[resting], np.maximum(t[resting] - 8, 0), IDENTITY)
    assert set(run["bearing.mode"].values[resting]) == {0.0}


def test_friction_follows_the_speed() -> None:
    """tau = 1 + w/2: w = (3 + 2) exp(-t/4) - 2 until it rests."""
    run = kt.simulate(Shaft(bearing={"tau_pos": ((0.0, 1.0), (1.0, 1.5))}), 5.0, step=0.1)
    expected = np.maximum(5 * np.exp(-run["time"].values / 4) - 2, 0)
    assert_close(run["J.w"].values, expected, RUN)


def test_bounds_of_a_friction_may_be_parameters() -> None:
    class Braked(Component):
        u, pad = signal_in(), part(rot.Brake, fn_max=2.0, peak=1.0)
        J = part(rot.Inertia, J=2.0, w=3.0)

        def equations(self) -> Iterator[Any]:
            yield connect(self.u, self.pad.f_normalized)
            yield connect(self.J.flange_b, self.pad.flange_a)

    run = kt.simulate(Braked(), 2.0, parameters={"u": 0.5, "pad.fn_max": 8.0})
    assert_close(run["J.w"][-1], 1.0, RUN)


def series() -> Component:
    class Series(Component):
        J1, J2, u = part(rot.Inertia), part(rot.Inertia), part(blocks.Constant)
        one, two = part(rot.Clutch), part(rot.Clutch)

        def equations(self) -> Iterator[Any]:
            yield connect(self.J1.flange_b, self.one.flange_a)
            yield connect(self.one.flange_b, self.two.flange_a)
            yield connect(self.two.flange_b, self.J2.flange_a)
            yield connect(self.u.y, self.one.f_normalized, self.two.f_normalized)

    return Series()


def side_by_side() -> Component:
    class SideBySide(Component):
        J1, J2, u = part(rot.Inertia), part(rot.Inertia), part(blocks.Constant)
        one, two = part(rot.Clutch), part(rot.Clutch)

        def equations(self) -> Iterator[Any]:
            yield connect(self.J1.flange_b, self.one.flange_a, self.two.flange_a)
            yield connect(self.J2.flange_b, self.one.flange_b, self.two.flange_b)
            yield connect(self.u.y, self.one.f_normalized, self.two.f_normalized)

    return SideBySide()


def prescribed() -> Component:
    class Prescribed(Component):
        drive, bearing = part(rot.ConstantSpeed), part(rot.BearingFriction)

        def equations(self) -> Iterator[Any]:
            yield connect(self.drive.flange, self.bearing.flange_a)

    return Prescribed()


def parallel() -> Component:
    class Parallel(Shaft):
        second = part(rot.BearingFriction)

        def equations(self) -> Iterator[Any]:
            yield from super().equations()
            yield connect(self.J.flange_b, self.second.flange_a)

    return Parallel(J={"w": 0.0})


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (series, r"friction 'one' and 'two': nothing determines the motion .*; put an inertia"),
        (prescribed, r"friction 'bearing': nothing determines the force of each .*; put an in"),
        (parallel, r"friction 'bearing' and 'second': nothing determines the force of each"),
    ],
)
def test_forces_that_cannot_be_told_are_refused(made: Any, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        kt.simulate(made(), 1.0)


def test_forces_that_cannot_be_told_apart_end_a_run_by_name() -> None:
    with pytest.warns(ModelWarning, match=r"'one.mode' and 'two.mode' stick and hold the same"):
        run = kt.simulate(side_by_side(), 1.0)
    assert run.attrs["termination"].startswith("NaN at t = 0 s")


def test_a_friction_is_along_a_variable() -> None:
    class Wrong(rot.Compliant):
        k, state = parameter(1.0, "N.m"), mode(0.0)

        def law(self) -> Iterator[Any]:
            yield friction(self.state, 2 * self.w_rel, self.tau, self.k)

    with pytest.raises(ModelError, match=r"its speed is .*; give a variable"):
        Wrong().report()


def test_names_that_all_components_have_are_refused() -> None:
    class Wrong(Component):
        path = part(blocks.Gain)

    with pytest.raises(ModelError, match="class 'Wrong': 'path' is a name of components"):
        Wrong()
