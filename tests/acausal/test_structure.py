"""Parts in lists, parts that are there or not, parts around, names that are misspelt, starts."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from acausal.parts import Charging, Ground, Pin, Resistor, Source
from acausal.test_diagnosis import Chattering, Undecided
from approx import EQUAL_STEPS, IDENTITY, RUN, assert_close
from kinetree.acausal import (
    Component,
    connect,
    der,
    initial,
    outer,
    part,
    port,
    setting,
    variable,
)
from kinetree.errors import KinetreeError, ModelError, UnsupportedError
from kinetree.library import engine
from kinetree.library import multibody as mb
from kinetree.library import rotational as rot


class Lamps(Component):
    """So many resistors side by side, and a fuse in front of them where one is wanted."""

    count, fuse = setting(3), setting(False)
    source, ground = part(Source, V=2.0), part(Ground)

    def setup(self) -> None:
        self.lamp = [Resistor(R=float(k + 1)) for k in range(self.count)]
        if self.fuse:
            self.wire = Resistor(R=0.5)

    def equations(self) -> Iterator[Any]:
        ends = [lamp.p for lamp in self.lamp]
        if self.fuse:
            yield connect(self.source.p, self.wire.p)
            yield connect(self.wire.n, *ends)
        else:
            yield connect(self.source.p, *ends)
        yield connect(self.source.n, self.ground.p, *[lamp.n for lamp in self.lamp])


@pytest.mark.parametrize("fuse", [False, True])
def test_parts_in_lists_and_parts_that_are_there_or_not(fuse: bool, tmp_path: Path) -> None:
    made = Lamps(fuse=fuse)
    G = 1 + 1 / 2 + 1 / 3
    volt = 2.0 / G / (1 / G + 0.5 * fuse)  # at the lamps
    kt.save(made, tmp_path / "lamps.yaml")
    for whole in (made, kt.load(tmp_path / "lamps.yaml")):
        run = kt.simulate(whole, 0.1)
        assert_close(run["lamp[2].i"][-1], volt / 3, RUN)
        assert ("wire.i" in run) is fuse


class Arm(Component):
    """A pendulum that finds the world around it."""

    world = outer(mb.World)
    j, b = part(mb.Revolute, n="y", phi=0.01), part(mb.Body, m=1.0, r_CM=(0, 0, -0.5))

    def equations(self) -> Iterator[Any]:
        yield connect(self.world.frame_b, self.j.frame_a)
        yield connect(self.j.frame_b, self.b.frame_a)


class Inner(Component):
    arm = part(Arm)


class Arms(Component):
    world, a, deep = part(mb.World, g=2.0), part(Arm), part(Inner)


class Earthed(Component):
    """A load whose return is the ground of whatever it stands in."""

    ground, R, p = outer(Ground), part(Resistor), port(Pin)

    def equations(self) -> Iterator[Any]:
        yield connect(self.p, self.R.p)
        yield connect(self.R.n, self.ground.p)


class Grid(Component):
    source, ground = part(Source, V=2.0), part(Ground)
    one, two = part(Earthed, R={"R": 4.0}), part(Earthed, R={"R": 1.0})

    def equations(self) -> Iterator[Any]:
        yield connect(self.source.p, self.one.p, self.two.p)
        yield connect(self.source.n, self.ground.p)


def test_a_part_around_is_found_by_those_inside() -> None:
    run = kt.simulate(Arms(), 1.0, step=0.5)
    for name in ("a.j.phi", "deep.arm.j.phi"):  # w² = 2/0.5, and a small angle
        assert_close(run[name][-1], 0.01 * np.cos(2.0), EQUAL_STEPS)
    run = kt.simulate(Grid(), 0.1)
    assert_close([float(run[f"{name}.i"][-1]) for name in ("one.R", "two.R", "source")],
                 [0.5, 2.0, -2.5], IDENTITY)  # fmt: skip


def test_what_stands_around_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"'world' of component 'Arm': no World stands around it; "
                       r"add world = part\(World\)"):  # fmt: skip
        Arm().report()
    with pytest.raises(UnsupportedError, match="class 'Arm': it uses 'world', which stands around"):
        kt.save(Arms(), tmp_path / "a.yaml")


# --- names and words -----------------------------------------------------------------------------


class Misspelt(Charging):
    def equations(self) -> Iterator[Any]:
        yield connect(self.source.p, self.R.p)
        yield connect(self.R.nn, self.C.p)


class Missing(Charging):
    def equations(self) -> Iterator[Any]:
        yield connect(self.sorce.p, self.R.p)


class Twice(Component):
    a, b = part(rot.Inertia), part(rot.Inertia)

    def equations(self) -> Iterator[Any]:
        yield connect(self.a.flange_b, self.b.flange_a)
        yield initial(self.a.phi == 1.0)
        yield initial(self.b.phi == 2.0)


WORDS: dict[str, tuple[Callable[[], Any], str]] = {
    "a port": (Misspelt, r"'Misspelt', 'R' \(Resistor\): there is no .* 'nn'; did you mean 'n'"),
    "a part": (Missing, r"'Missing', equation 1: there is no .* 'sorce'; did you mean 'source'"),
    "a word": (
        lambda: Charging(C={"v": {"strat": 2.0}}),
        "component 'C', start of variable 'v': there is no word 'strat'; did you mean 'start'",
    ),
    "a wish": (
        lambda: Charging(C={"v": {"select": "alwys"}}),
        "component 'C', select of variable 'v': there is no word 'alwys'; did you mean 'always'",
    ),
    "a value": (lambda: Charging(R=2), "part 'R': it is given 2; give a mapping of its values"),
    "equations at the start": (
        Twice,
        r"too many initial values: initial equation 1 of 'the whole' \(a.phi - 1 = 0\), initial",
    ),
}


@pytest.mark.parametrize("name", WORDS)
def test_names_and_words_that_are_wrong(name: str) -> None:
    make, sentence = WORDS[name]
    with pytest.raises(KinetreeError, match=sentence) as caught:
        make().report()
    assert "\n" not in str(caught.value)


def test_what_nothing_is_called_is_an_attribute_that_is_not_there() -> None:
    assert not hasattr(Charging(), "nothing")
    with pytest.raises(AttributeError, match="no part, port or variable 'nothing'"):
        _ = Charging().nothing


# --- the start, and the end ----------------------------------------------------------------------


class Hollow(Component):
    """x³ - 2 x + 2 has a hollow at 0.816 and its only zero at -1.769."""

    x, k = variable(start=1.0), variable()

    def equations(self) -> Iterator[Any]:
        yield der(self.k) == 1
        yield self.x**3 - 2 * self.x + 2 == self.k


def test_a_continuation_leads_out_of_a_hollow() -> None:
    run = kt.simulate(Hollow(), 0.5)
    root = np.roots([1, 0, -2, 2]).real.min()
    assert_close(run["Hollow.x"][0], root, RUN)


@pytest.mark.parametrize("kind", [Chattering, Undecided])
def test_results_are_kept_where_events_do_not_end(kind: type[Component]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = kt.simulate(kind(), 1.0, step=0.1)
    assert_close(run["time"].values[:5], 0.1 * np.arange(5), IDENTITY)
    assert_close(run[f"{kind.__name__}.x"].values[:5], 0.5 - 0.1 * np.arange(5), RUN)


# --- files ---------------------------------------------------------------------------------------


class Slipping(Component):
    """A cylinder of the engine whose shaft a friction brakes."""

    world, cylinder = part(mb.World, n=(0, -1, 0)), part(engine.Cylinder)
    shaft, J = part(mb.Revolute, n="x"), part(rot.Inertia, J=0.3, phi=0.4, w=50.0)
    bearing = part(rot.BearingFriction, tau_pos=((0.0, 20.0), (10.0, 15.0)), peak=1.1)

    def equations(self) -> Iterator[Any]:
        yield connect(self.world.frame_b, self.shaft.frame_a, self.cylinder.cylinder_a)
        yield connect(self.shaft.frame_b, self.cylinder.crank_a)
        yield connect(self.shaft.axis, self.J.flange_a)
        yield connect(self.J.flange_b, self.bearing.flange_a)


def test_mechanics_friction_and_switches_come_back_from_files(tmp_path: Path) -> None:
    file, again = tmp_path / "a.yaml", tmp_path / "b.yaml"
    kt.save(Slipping(), file)
    back = kt.load(file)
    runs = [kt.simulate(one, 0.2, step=0.02) for one in (Slipping(), back)]
    assert_close(runs[0]["J.w"], runs[1]["J.w"].values, IDENTITY)
    assert runs[0].sizes["event"] == runs[1].sizes["event"] > 3
    kt.save(back, again)
    assert again.read_bytes() == file.read_bytes()
