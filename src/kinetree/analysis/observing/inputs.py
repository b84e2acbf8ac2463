"""Inputs by choice: which efforts, wrenches, driven accelerations and parameters come from outside.

| name | what |
|---|---|
| tau_NAME | effort along a velocity |
| WRENCH, WRENCH_tx … WRENCH_fz | an external wrench, all of it or a component |
| qdd_NAME | acceleration of a driven coordinate; of one with a law it takes the place of the law |
| q_NAME, qd_NAME | of linear models: coordinate and velocity of a driven one, beside qdd_NAME |
| as in the model | a parameter |

What is not chosen stays a parameter, with its first value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kinetree.arrays import Array
from kinetree.assembly import Values, with_values
from kinetree.engine import Node, symbol
from kinetree.errors import unknown
from kinetree.model import Components, Mechanism, as_mechanism
from kinetree.model.closures import Drive
from kinetree.model.parameters import scalars
from kinetree.pipeline import derive
from kinetree.program import Input, Program, state_form
from kinetree.program.parameters import parameters_of


class InputEntry(NamedTuple):
    """One scalar that may come from outside: name, symbol, unit, first value."""

    name: str
    symbol: Node
    unit: str
    value: float


@dataclass(frozen=True)
class Chosen:
    """Which scalars are inputs, and which are parameters."""

    inputs: tuple[InputEntry, ...]
    parameters: tuple[InputEntry, ...]

    @property
    def values(self) -> tuple[float, ...]:
        """First values of the inputs."""
        return tuple(entry.value for entry in self.inputs)

    @property
    def first_values(self) -> dict[str, Array]:
        """First values of the inputs u and p, where there are any."""
        rows = {"u": self.inputs, "p": self.parameters}
        return {k: np.array([entry.value for entry in row]) for k, row in rows.items() if row}

    @property
    def u(self) -> Input | None:
        """The input u; none where nothing comes from outside."""
        return _as_input("u", self.inputs, parameter=False)

    @property
    def p(self) -> Input | None:
        """The input p; none where there are no parameters."""
        return _as_input("p", self.parameters, parameter=True)


def choose_inputs(
    forward: Program,
    names: Sequence[str] | None,
    first: Mapping[str, Array],
    more: Sequence[InputEntry] = (),
) -> Chosen:
    """The inputs that are asked for by name; by default all but the parameters.

    Args:
        forward: forward dynamics.
        names: of inputs, or of groups of them, in order.
        first: first values by name of an input of forward dynamics; by default its defaults.
        more: what may be asked for besides.
    """
    groups = {row.name: _entries(forward, row, first) for row in outside(forward)}
    row = next((row for row in forward.inputs if row.name == "p"), None)
    table = _entries(forward, row, first) if row is not None else []
    efforts = [entry for group in groups.values() for entry in group]
    if names is None:
        return Chosen(tuple(efforts), tuple(table))
    single = {entry.name: [entry] for entry in (*efforts, *table, *more)}
    found: dict[str, InputEntry] = {}
    for name in names:
        if name not in groups and name not in single:
            raise unknown("input", str(name), (*groups, *single), "inputs")
        found |= {entry.name: entry for entry in groups.get(name, single.get(name, []))}
    rest = (entry for entry in (*table, *efforts) if entry.name not in found)
    return Chosen(tuple(found.values()), tuple(rest))


def own_inputs(model: Mechanism | Components, names: Sequence[str] | None) -> Sequence[str] | None:
    """What comes from outside: as named, or of components their inputs."""
    own = as_mechanism(model).equations if names is None else None
    return names if own is None else own.inputs


def _vary_inputs(model: Mechanism, names: Sequence[str] | None) -> Mechanism:
    """The mechanism in which scalars that are to be inputs are parameters, zeros and ones too."""
    known = {name for name, *_ in scalars(model)}
    return model.with_varied([name for name in names or () if name in known])


class Released(NamedTuple):
    """A mechanism whose drives take accelerations from outside, and where these drives start."""

    model: Mechanism
    q: Values
    qd: Values
    qdd: Mapping[str, float]


def release_drives(
    model: Mechanism,
    names: Sequence[str] | None,
    t: float,
    start: tuple[Values, Values],
    parameters: Mapping[str, float] | None = None,
) -> Released:
    """The mechanism for these inputs: scalars among them vary, drives begin where laws have them.

    Args:
        model: the mechanism.
        names: of the inputs; qdd_NAME (q_NAME, qd_NAME) of a drive takes the place of its law.
        t: time at the beginning [s].
        start: coordinates and velocities to start from, all in order or some by name.
        parameters: values by name in place of the model's.
    """
    q, qd = start
    model = _vary_inputs(model, names)
    freed = [n for n in named_drives(model, names) if model.drives[n].law is not None]
    if not freed:
        return Released(model, q, qd, {})
    program = derive(model, "drives")
    own = parameters_of(program)
    known = own.labels if own is not None else ()
    program = with_values(program, {n: x for n, x in (parameters or {}).items() if n in known})
    motion = program.evaluate(**program.pick_inputs({"t": t, "q": model.initial()}))
    at = {name: program.output("q").labels.index(name) for name in freed}
    place, speed, rate = (
        {n: float(motion[part][k]) for n, k in at.items()} for part in ("q", "qd", "qdd")
    )
    other = copy(model)
    other.drives = {n: Drive(n) if n in freed else drive for n, drive in model.drives.items()}
    return Released(other, _with_values(q, place), _with_values(qd, speed), rate)


def named_drives(model: Mechanism, names: Sequence[str] | None) -> list[str]:
    """Driven coordinates whose motion, or acceleration, is among the inputs."""
    asked = set(names or ())
    return [n for n in model.drives if asked & {f"{part}_{n}" for part in ("q", "qd", "qdd")}]


def motion_entries(forward: Program, drives: Iterable[str]) -> list[InputEntry]:
    """q_NAME and qd_NAME of driven coordinates, by symbols that stand for them from outside."""
    found = []
    for part in ("q", "qd"):
        row = forward.input(part)
        units = dict(zip(row.labels, row.units or ("",) * len(row.labels), strict=True))
        found += [InputEntry(f"{part}_{n}", symbol(f"given_{part}_{n}"), units[n], 0.0)
                  for n in drives]  # fmt: skip
    return found


def _with_values(given: Values, more: Mapping[str, float]) -> Values:
    """Start values by name with more of them; all in order have them already."""
    return {**more, **(given or {})} if given is None or isinstance(given, Mapping) else given


def outside(forward: Program) -> list[Input]:
    """The inputs of forward dynamics that are neither time, state nor parameters."""
    return [row for row in state_form.state_inputs(forward)[2:] if not row.parameter]


def _entries(forward: Program, row: Input, first: Mapping[str, Array]) -> list[InputEntry]:
    """The components of an input."""
    given = first.get(row.name, row.default)
    values = np.zeros(len(row.symbols)) if given is None else np.ravel(given)
    labels = row.labels if row.parameter else tuple(s.name for s in row.symbols)
    rows = zip(labels, row.symbols, _units(forward, row), values, strict=True)
    return [InputEntry(name, node, unit, float(value)) for name, node, unit, value in rows]


def _units(forward: Program, row: Input) -> tuple[str, ...]:
    """N.m along angles, N along lengths; a wrench is [torque; force]."""
    if row.units or row.parameter:
        return row.units or ("",) * len(row.symbols)
    speeds = dict(zip(forward.input("qd").labels, forward.input("qd").units, strict=True))
    if row.name == "tau":
        return tuple("N" if speeds[name] == "m/s" else "N.m" for name in row.labels)
    if row.name == "qdd":
        return tuple(speeds[name].replace("/s", "/s2") for name in row.labels)
    return ("N.m",) * 3 + ("N",) * 3 if len(row.symbols) == 6 else ("",) * len(row.symbols)


def _as_input(name: str, rows: Sequence[InputEntry], *, parameter: bool) -> Input | None:
    if not rows:
        return None
    names, symbols, units, values = zip(*rows, strict=True)
    first = values if parameter else None
    return Input(name, (len(rows),), symbols, first, parameter, names, units)
