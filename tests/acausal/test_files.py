"""Components in files: what they mean, that they are read back as they were, what is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import kinetree as kt
from acausal.parts import Charging, Ladder, Pendulum, Resistor
from approx import CLOSED, RUN, TRAJECTORY, assert_close
from kinetree import library
from kinetree.acausal import (
    Component,
    components,
    connect,
    mode,
    parameter,
    part,
    reset,
    variable,
    when,
)
from kinetree.acausal.components import settle, statements_of
from kinetree.acausal.instances import flatten
from kinetree.errors import FormatError, KinetreeError, UnsupportedError
from kinetree.formats.yaml_plain import read_plain
from kinetree.library import blocks, rotational
from kinetree.library import multibody as mb
from kinetree.storage.component_schema import SCHEMA_FILE, json_schema
from kinetree.storage.describe import describe

EXAMPLES = Path(__file__).parents[2] / "examples" / "components"
DRIVE = EXAMPLES / "motor_drive.yaml"


def load(text: str, folder: Path) -> Any:
    file = folder / "c.yaml"
    file.write_text(text, encoding="utf-8")
    return kt.load(file)


def equations(component: Component) -> list[str]:
    flat = flatten(component)
    rows = [f"{row.origin}: {row.residual!r}" for row in (*flat.equations, *flat.initial)]
    values = [f"{k} = {row.value}" for k, row in flat.parameters.items()]
    values += [f"{k!r} = {e!r}" for k, e in flat.bound.items()]
    starts = [f"{k} {v.start} {v.fixed} {v.want}" for k, v in flat.variables.items()]
    return [*rows, *map(str, flat.connections and [len(flat.connections)]), *values, *starts]


# --- meaning -------------------------------------------------------------------------------------


def test_a_drive_from_a_file_reaches_its_speed() -> None:
    drive = kt.load(DRIVE)
    assert drive.report().findings == ()
    run = kt.simulate(drive, 2.0)
    assert abs(float(run["load.w"][-1]) - 20) < 1e-2
    assert_close(run["error"], 20 - run["speed.w"].values, RUN)
    assert float(run["load.w"].sel(time=0.05, method="nearest")) == 0.0


LADDER = """
component: Chain
extends: Ends
settings: {n: 3}
parts:
  R: {kind: electrical.Resistor, count: n, R: 2 ohm}
  C: {kind: electrical.Capacitor, count: n, C: 0.5}
connections:
  - [source.p, "R[0].p"]
  - {for: k, from: 0, to: n - 2, connect: ["R[k].n", "R[k + 1].p"]}
  - {for: k, from: 0, to: n - 1, connect: ["R[k].n", "C[k].p"]}
  - {for: k, from: 0, to: n - 1, connect: ["C[k].n", ground.p]}
values: {source: {V: 2.0}}
classes:
  Ends:
    parts: {source: electrical.ConstantVoltage, ground: electrical.Ground}
    connections: [[source.n, ground.p]]
"""


def test_arrays_loops_and_inheritance(tmp_path: Path) -> None:
    chain = load(LADDER, tmp_path)
    assert chain.report().states == ("C[0].v", "C[1].v", "C[2].v")
    run = kt.simulate(chain, 1.0, method="cvode_bdf")
    A = np.array([[-2.0, 1, 0], [1, -2, 1], [0, 1, -1]])
    values, vectors = np.linalg.eig(A)
    exact = 2 - vectors @ (np.exp(values) * np.linalg.solve(vectors, 2 * np.ones(3)))
    assert np.abs(run["x"].values[-1] - exact.real).max() < TRAJECTORY


def test_events_branches_and_conditions(tmp_path: Path) -> None:
    text = """
component: Ball
parameters: {e: 0.8, g: 9.81 m/s2}
variables: {h: {unit: m, start: 1.0}, v: m/s, low: ""}
modes: {bounces: 0}
equations:
  - der(h) == v
  - der(v) == -g
  - low == if h < 0.5 and not v > 0 or h < 0.1 then 1 else 0
events:
  - {when: h < 0, then: {v: -e*v, bounces: bounces + 1}}
  - {every: 10, offset: 5, then: {bounces: 0}}
"""
    run = kt.simulate(load(text, tmp_path), 1.0)
    assert (
        abs(float(run["event_time"][run["event_name"] == "when1"][0]) - (2 / 9.81) ** 0.5) < CLOSED
    )
    assert float(run["bounces"][-1]) == 1
    h, v = run["h"].values, run["v"].values
    wanted = ((h < 0.5) & ~(v > 0)) | (h < 0.1)
    assert np.mean(run["low"].values == wanted) > 0.97  # rows at the events are on either side


@pytest.mark.parametrize("inline", [False, True])
def test_a_mechanism_in_a_file(tmp_path: Path, inline: bool) -> None:
    arm = kt.Model("arm")
    link = arm.body("link", mass=2.0, com=(0, 0, -0.4), inertia=(0.1, 0.1, 0.02))
    arm.revolute("shoulder", arm.ground, link, axis="y", initial=0.6)

    class Held(Component):
        robot, spring = part(mb.Mechanism, model=arm), part(rotational.Spring, c=2.0)

        def equations(self) -> Iterator[Any]:
            yield connect(self.robot.shoulder, self.spring.flange_a)

    file = tmp_path / "held.yaml"
    kt.save(Held(), file)
    if not inline:
        kt.save(arm, tmp_path / "arm.yaml")
        data = read_plain(file.read_text(encoding="utf-8"), "").data
        data["parts"]["robot"]["model"] = {"file": "arm.yaml"}
        file.write_text(repr(data).replace("'", '"'), encoding="utf-8")
    assert equations(kt.load(file)) == equations(Held())


# --- round trip ----------------------------------------------------------------------------------


class Own(Charging):
    """Initial equations, expressions of parameters, events, wishes."""

    R0 = parameter(4.0, "kohm")
    R = part(Resistor, R=lambda self: self.R0 / 2)
    x, held = variable("V", start=2.0, select="prefer"), mode(1.0, "V")

    def equations(self) -> Iterator[Any]:
        yield from super().equations()
        yield self.x == self.held * kt.functions.switch(self.C.v > self.held, 1, 2)
        yield kt.acausal.initial(self.C.v == 1.0)
        yield when(self.C.v > 1.5, reset(self.held, 2 * self.held))
        yield when(kt.acausal.every(0.5, 0.1), reset(self.held, 0))


class Nested(Component):
    a = part(Charging, R={"R": "3 kohm"}, C={"C": "10 mF", "v": {"start": 1.0, "fixed": True}})
    b = part(Ladder, n=2)
    c = part(Ladder, n=3)


@pytest.mark.parametrize(
    "made", [Charging(C={"v": 0.5}), Ladder(n=3), Pendulum(), Own(), Nested()], ids=type
)
def test_components_are_read_back_as_they_were(made: Component, tmp_path: Path) -> None:
    file, again = tmp_path / "a.yaml", tmp_path / "b.yaml"
    kt.save(made, file)
    back = kt.load(file)
    assert equations(back) == equations(made)
    assert describe(back) == describe(made)
    kt.save(back, again)
    assert again.read_bytes() == file.read_bytes()


UNWRITTEN = (blocks.KinematicPTP,)
"""Classes whose equations have numbers that carry units."""


def library_classes() -> list[type[Component]]:
    names = ("blocks", "electrical", "rotational", "translational", "thermal", "hydraulic", "bond")
    return [kind for name in names for kind in import_module(f"{library.__name__}.{name}").ALL]


def test_every_class_of_the_libraries_can_be_written_out(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    for kind in library_classes():
        made = type(kind.__name__, (kind,), {})()
        settle(made)
        if kind in UNWRITTEN:
            with pytest.raises(UnsupportedError, match="use parameters with units"):
                kt.save(made, file)
            continue
        kt.save(made, file)
        back = kt.load(file)
        settle(back)
        both = [[repr(vars(row)) for row in statements_of(one)] for one in (made, back)]
        texts = [[row for row in rows if "PhysicalEquation" in row] for rows in both]
        assert texts[0] == texts[1], kind
        assert len(both[0]) == len(both[1]), kind


def test_a_file_that_says_the_same_keeps_its_bytes(tmp_path: Path) -> None:
    file = tmp_path / "drive.yaml"
    file.write_bytes(DRIVE.read_bytes())
    kt.save(kt.load(file), file)
    assert file.read_bytes() == DRIVE.read_bytes()


def test_the_schema_is_the_published_one_and_fits() -> None:
    assert SCHEMA_FILE.read_text(encoding="utf-8") == json_schema()
    content = json.loads(json_schema())
    jsonschema.Draft202012Validator.check_schema(content)
    schema = jsonschema.Draft202012Validator(content)
    for made in (Own(), Nested()):
        schema.validate(describe(made))
    schema.validate(read_plain(DRIVE.read_text(encoding="utf-8"), "").data)
    with pytest.raises(jsonschema.ValidationError):
        schema.validate({"component": "A", "equation": []})


# --- what is refused -----------------------------------------------------------------------------

HEAD = "component: A\nparameters: {k: 2 V}\nvariables: {v: V, i: A}\n"
TWO = "component: A\nparts: {{R: electrical.Resistor, {}}}\nconnections: [{}]"
REFUSED = {
    "field": (HEAD + "equation: [v == k]", "equation, line 4: unknown field; did you mean 'equat"),
    "kind": ("component: A\nparts: {R: electrical.Resistr}", "parts.R, line 2: .*mean 'elec"),
    "domain": ("component: A\nparts: {R: Resistor}", "no component 'Resistor'; write elec"),
    "value": ("component: A\nparts:\n  R: {kind: electrical.Resistor, r: 2}", "line 3: .*mean 'R'"),
    "name": (HEAD + "equations:\n  - v == k\n  - i == ki*2", "equations.1, line 6: .*mean 'k'"),
    "units": (HEAD + "equations: [v == i]", r"equations.0, line 4: v \[V\] cannot be set equal"),
    "one sign": (HEAD + "equations: [v = k]", "equations.0, line 4: .*write =="),
    "half": (HEAD + "equations: [v + k]", "'==' is missing before the end"),
    "power": (HEAD + "equations: [v == 2**v]", "an exponent is not a number"),
    "code": (HEAD + "equations: [v == __import__('os')]", "cannot stand in the expression"),
    "attribute": (HEAD + "equations: [v == __class__]", "there is no '__class__'"),
    "setup": (HEAD + "equations: [v == setup]", "there is no 'setup'"),
    "truth": (HEAD + "equations: [v == (v > k)]", "relation v - k > 0 is used as a truth value"),
    "if": (HEAD + "equations: [v == if v > k then k]", "'else' is missing"),
    "event": (HEAD + "events: [{then: {v: 0}}]", "events.0, line 4: it needs 'when' or 'every'"),
    "relation": (HEAD + "events: [{when: v, then: {v: 0}}]", "it is not a condition"),
    "ring": (
        "component: A\nclasses:\n  B: {parts: {c: C}}\n  C: {extends: B}", "made of each other"
    ),
    "word": ("component: A\nvariables: {given: V}", "line 1: 'given' is a name of components"),
    "ends": (
        TWO.format("J: rotational.Inertia", "[R.p, J.flange_a]"),
        "connections.0, line 3: 'R.p' .Pin. and 'J.flange_a' .Flange. are connectors of different",
    ),
    "port": (
        TWO.format("C: electrical.Capacitor", "[R.q, C.p]"), "line 3: there is no 'q' in 'R.q'",
    ),
    "index": (
        TWO.format("S: {kind: electrical.Resistor, count: 2}", "['S[0].p', 'S[2].p']"),
        r"there is no 'S\[2\]'; there is 2 of them, from 0",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_mistakes_of_files_have_lines(name: str, tmp_path: Path) -> None:
    text, sentence = REFUSED[name]
    with pytest.raises(KinetreeError, match=sentence):
        load(text, tmp_path)


def test_all_mistakes_come_at_once(tmp_path: Path) -> None:
    with pytest.raises(FormatError) as found:
        load("component: A\nclasses:\n  B: {equations: [x == 1]}\nequations: [y == 1]", tmp_path)
    assert len(found.value.parts) == 2


def test_what_files_do_not_hold_is_said(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match=r"a \.urdf file does not hold components"):
        kt.save(Charging(), tmp_path / "a.urdf")


def test_tables_go_into_files(tmp_path: Path) -> None:
    looked = kt.tables.Table.monotone([0.0, 1.0, 2.0], [0.0, 2.0, 3.0], "law")

    class Looked(blocks.Gain):
        def law(self) -> Iterator[Any]:
            yield self.y == kt.functions.table(self.u, looked)

    kt.save(Looked(), tmp_path / "a.yaml")
    back = kt.load(tmp_path / "a.yaml")
    assert equations(back) == equations(Looked())
    assert kt.simulate(back, 0.1, parameters={"u": 1.0})["y"].values[-1] == 2.0


NESTED = "component: T\nparts: {{a: {0}}}\nclasses:\n{1}\n"
CASCADE = "".join(
    f"  C{k}: {{parts: {{a: {{kind: C{k + 1}, count: 40}}}}}}\n" for k in range(5)
) + ("  C5: {parts: {a: electrical.Ground}}\n")
DEEP = "".join(f"  C{k}: {{parts: {{a: C{k + 1}}}}}\n" for k in range(400)) + "  C400: {}\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (NESTED.format("C0", DEEP), "parts stand inside each other 100 deep"),
        ("component: T\nparts: {a: {kind: electrical.Ground, count: 1000000000000}}",
         "more than 500,000 parts"),
        ("component: T\nvariables: {x: ''}\nequations:\n- {for: k, to: 1.0e12, equation: x == k}",
         "equations.0, line 4: it goes from 0 to 1000000000000; let it end sooner"),
        ("component: T\nmodes: {m: t}", "modes.m.start, line 2: 't' is not accepted"),
        (f"component: T\nparts: {{a: {{kind: electrical.Resistor, R: {'9' * 400}}}}}",
         "parts.a.R|a.R|finite number"),
        ("component: T\nparts: {a: {kind: multibody.Mechanism, model: {file: c.yaml}}}",
         "file 'c.yaml': it holds a component; name the file of a model"),
        ("component: T\nmodes: {m: 0}\nevents: [{every: 10, offset: -1.0e308, then: {m: 1}}]",
         "events.0, line 3: ticks every 10 s are not told apart beside the first at -1e.308 s"),
        ("component: T\nmodes: {m: 0}\nevents: [{every: -1, then: {m: 1}}]",
         "events.0, line 3: it is -1"),
    ],
)  # fmt: skip
def test_sizes_and_numbers_beyond_use_are_refused(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(KinetreeError, match=said):
        load(text, tmp_path).report()


def test_arrays_inside_arrays_are_bounded(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(components, "MOST_PARTS", 2000)
    with pytest.raises(KinetreeError, match="the whole has more than 2,000 parts"):
        load(NESTED.format("C0", CASCADE), tmp_path).report()
