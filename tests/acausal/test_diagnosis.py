"""Mistakes are told in one sentence that names component, equation and cure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

import kinetree as kt
from acausal.parts import Capacitor, Charging, Resistor
from kinetree.acausal import (
    Component,
    connect,
    der,
    initial,
    mode,
    part,
    reset,
    signal_in,
    variable,
    when,
)
from kinetree.errors import AssemblyError, ModelError, ModelWarning
from kinetree.functions import exp, switch
from kinetree.library import blocks
from kinetree.library import electrical as el
from kinetree.library import rotational as rot


def joined(*pairs: tuple[str, ...], **parts: Any) -> Component:
    """A component of parts, with connections given by paths."""

    def equations(self: Component) -> Iterator[Any]:
        for ends in pairs:
            found = []
            for path in ends:
                one: Any = self
                for step in path.split("."):
                    one = getattr(one, step)
                found.append(one)
            yield connect(*found)

    rows = {name: row if not isinstance(row, type) else part(row) for name, row in parts.items()}
    made: Component = type("Whole", (Component,), {**rows, "equations": equations})()
    return made


CIRCUITS: dict[str, tuple[Component, str]] = {
    "no ground": (
        joined(("s.p", "R.p"), ("s.n", "R.n"), s=el.ConstantVoltage, R=el.Resistor),
        "parts 's', 'R': nothing gives the potentials 's.p.v', 's.n.v' a reference; connect one of",
    ),
    "voltages side by side": (
        joined(
            ("a.p", "b.p"), ("a.n", "b.n", "g.p"), a=el.ConstantVoltage, b=el.ConstantVoltage,
            g=el.Ground,
        ),
        r"parts 'a', 'b': equation 4 of 'a' \(a.v - a.V = 0\), .*'a', 'b' prescribe the same: put",
    ),
    "currents in a row": (
        joined(
            ("a.n", "b.p"), ("a.p", "b.n", "g.p"), a=el.ConstantCurrent, b=el.ConstantCurrent,
            g=el.Ground,
        ),
        "parts 'a', 'b': .* compete for .*'a', 'b' prescribe the same",
    ),
    "open flange": (
        joined(("s.flange", "gear.flange_a"), s=rot.ConstantTorque, gear=rot.IdealGear),
        "parts 's', 'gear': .*port 'gear.flange_b' is open: connect it",
    ),
    "different kinds": (
        joined(("R.p", "J.flange_a"), R=el.Resistor, J=rot.Inertia),
        r"'Whole', connect: 'R.p' \(Pin\) and 'J.flange_a' \(Flange\) are connectors of diff",
    ),
    "contradictory starts": (
        joined(
            ("a.flange_b", "g.flange_a"), ("g.flange_b", "b.flange_a"),
            a=part(rot.Inertia, phi=1.0), g=part(rot.IdealGear, ratio=2.0),
            b=part(rot.Inertia, phi=2.0),
        ),
        "too many initial values: start value 1 of 'a.phi', start value 2 of 'b.phi' are one too",
    ),
    "starts of one variable": (
        joined(
            ("a.flange_b", "b.flange_a"), a=part(rot.Inertia, phi=1.0), b=part(rot.Inertia, phi=2.0)
        ),
        "variable 'a.phi': it is to begin with 1, and 'b.phi', which is the same, with 2; take one",
    ),
    "no state": (
        joined(
            ("a.flange_b", "b.flange_a"), a=part(rot.Inertia, w={"select": "always"}),
            b=part(rot.Inertia, w={"select": "always"}),
        ),
        r"variable 'b.w': it cannot be a state: equation \d of 'b' .* bind it; say select='prefer'",
    ),
    "a step on a capacitor": (
        joined(
            ("s.p", "c.p"), ("s.n", "c.n", "g.p"), s=el.StepVoltage, c=el.Capacitor, g=el.Ground
        ),
        "equation 4 of 's' .*: it would have to be differentiated, but .* jumps at events; put",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CIRCUITS)
def test_what_is_connected_wrongly(name: str) -> None:
    made, sentence = CIRCUITS[name]
    with pytest.raises(ModelError, match=sentence) as found:
        made.report()
    assert "\n" not in str(found.value)


def test_a_part_connected_to_nothing() -> None:
    class Left(Charging):
        R2 = part(Resistor)

    told = "part 'R2' is connected to nothing; connect it or take it away"
    wrong = "part 'R2': .*'R2' is connected to nothing: connect it"
    with pytest.warns(ModelWarning, match=told), pytest.raises(ModelError, match=wrong):
        Left().report()
    made = joined(
        ("a.flange_b", "s.flange_a"), a=rot.Inertia, s=rot.Spring, b=rot.Inertia, c=rot.Fixed
    )
    with pytest.warns(ModelWarning, match="part '[bc]' is connected to nothing"):
        found = made.report()
    assert found.lone_parts == ("b", "c")
    assert found.findings[2] == (
        "port 'a.flange_a' is open and carries no flow; connect it where it should"
    )


class Mixed(Component):
    v, i, w = variable("V"), variable("A"), variable("V")

    def equations(self) -> Iterator[Any]:
        yield self.v == 1.0
        yield self.i == 2.0
        yield self.w == self.v + self.i


class Truth(Component):
    a = variable("V")

    def equations(self) -> Iterator[Any]:
        if self.a == 1.0:
            yield self.a == 2.0


class Compared(Truth):
    def equations(self) -> Iterator[Any]:
        if self.a > 1.0:
            yield self.a == 2.0


class Deep(Component):
    inner = part(Mixed)


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        (Mixed, r"component 'Mixed', equation 3: v \[V\] cannot be added to i \[A\]; give both"),
        (Deep, r"component 'inner', equation 3: inner.v \[V\] cannot be added to inner.i \[A\]"),
        (Truth, "component 'Truth', equation 1: the equation a - 1 = 0 is used as a truth value"),
        (Compared, "'Compared', equation 1: the relation a - 1 > 0 is used as a truth value; give"),
    ],
)
def test_equations_that_cannot_be_written(kind: type[Component], sentence: str) -> None:
    with pytest.raises(ModelError, match=sentence):
        kind().report()


# --- at the start and on the way -----------------------------------------------------------------


def test_a_block_without_a_solution_at_the_start() -> None:
    class Steep(Component):
        x, y, k = variable(), variable(), variable()

        def equations(self) -> Iterator[Any]:
            yield der(self.k) == 1
            yield exp(self.x) + self.y == -self.k
            yield self.y == 1 + 0.5 * self.x**2

    with pytest.raises(AssemblyError) as found:
        Steep().report()
    told = str(found.value)
    assert told.startswith("block of 2 unknowns 'x', 'y': no solution is found at the start; the")
    assert re.search(r"equation \d of 'the whole' is off by .*; give start values nearer", told)


class Passing(Component):
    """y + x z = 1 and y = z cannot be solved at x = -1."""

    w, x, y, z = variable(), variable(), variable(), variable()

    def equations(self) -> Iterator[Any]:
        yield der(self.x) == -1
        yield der(self.w) == self.y**2 + self.z
        yield self.y + self.x * self.z == 1
        yield self.y - 2 * self.z == self.x


class Turning(Component):
    """y = sqrt(x) ends at x = 0."""

    x, y = variable(start=1.0, fixed=True), variable(start=1.0)

    def equations(self) -> Iterator[Any]:
        yield der(self.x) == -1
        yield self.y**2 + 0.1 * self.y**4 == self.x


class Divided(Component):
    c = part(blocks.LimPID, Td=0.0)

    def equations(self) -> Iterator[Any]:
        yield self.c.u_s == 1
        yield self.c.u_m == 0


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        (Passing, "at t = 2 s: equation 4 of 'the whole' .*, equation 3 of .* are singular there"),
        (Turning, "at t = 1 s: equation 2 of 'the whole' .* does not determine 'y' there: its"),
        (Divided, r"at t = 0 s: equation . of 'c' .* 'der\(c.D\)' there: its factor is 0"),
    ],
)  # fmt: skip
def test_a_block_that_turns_singular_is_named_with_the_time(
    kind: type[Component], sentence: str
) -> None:
    with pytest.warns(ModelWarning, match=sentence):
        run = kt.simulate(kind(), 3.0)
    assert re.search(sentence, run.attrs["termination"])
    assert run.sizes["time"] > 1 or kind is Divided  # what was found until there is kept


class Chattering(Component):
    x = variable(start=0.5, fixed=True)

    def equations(self) -> Iterator[Any]:
        yield der(self.x) == switch(self.x > 0, -1, 1)


class Undecided(Component):
    x, m = variable(start=0.5, fixed=True), mode(0.0)

    def equations(self) -> Iterator[Any]:
        yield der(self.x) == -1
        yield when(self.x < 0, reset(self.m, 1))
        yield when(self.m > 0.5, reset(self.m, 0))
        yield when(self.m < 0.5, reset(self.m, 1))


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        (
            Chattering,
            r"events happen 8 times .* from t = 0.5 s on: 'switch_1' \(x > 0\); put",
        ),
        (
            Undecided,
            r"at t = 0.5 s: events .*'when2' \(.*m.*\), 'when3' .* undo each other and never",
        ),
    ],
)
def test_events_without_end_name_relations_and_times(kind: type[Component], sentence: str) -> None:
    with pytest.warns(ModelWarning, match=sentence):
        kt.simulate(kind(), 1.0)


def test_inputs_that_are_differentiated() -> None:
    class Driven(Component):
        u = signal_in("V")
        s, c, g = part(el.SignalVoltage), part(el.Capacitor), part(el.Ground)

        def equations(self) -> Iterator[Any]:
            yield connect(self.u, self.s.v)
            yield connect(self.s.p, self.c.p)
            yield connect(self.s.n, self.c.n, self.g.p)

    assert Driven().report().findings[0].startswith("'der(u)' is needed beside the input; give it")

    class Sampled(Component):
        h, s, c, g = mode(1.0, "V"), part(el.SignalVoltage), part(Capacitor), part(el.Ground)

        def equations(self) -> Iterator[Any]:
            yield self.s.v == self.h
            yield connect(self.s.p, self.c.p)
            yield connect(self.s.n, self.c.n, self.g.p)

    with pytest.raises(ModelError, match=r"equation 4 of 'c' .* but der\(h\) jumps at events"):
        Sampled().report()


def test_missing_start_values_are_listed() -> None:
    made = joined(
        ("a.flange_b", "s.flange_a"), ("s.flange_b", "b.flange_a"), a=part(rot.Inertia, phi=1.0),
        s=rot.Spring, b=rot.Inertia,
    )  # fmt: skip
    assert made.report().assumed == ("a.w = 0", "b.phi = 0", "b.w = 0")

    class Steady(Charging):
        def equations(self) -> Iterator[Any]:
            yield from super().equations()
            yield initial(der(self.C.v) == 0)

    assert Steady().report().assumed == ()
