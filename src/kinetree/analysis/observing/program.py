"""The Program of outputs: from motion, forces and parameters to whatever was asked by name.

Inputs are those of q, qd, qdd, tau, lam, hold, t, x, external wrenches and p that the outputs
depend on; the one output `out` has their values.  Quantities of `derive` give what they know; own
outputs are written in terms of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from kinetree.analysis.observing.motions import components, paths
from kinetree.engine import Node, derivation, substitute, symbols
from kinetree.model import (
    VARIABLES,
    XYZ,
    Mechanism,
    Offered,
    Seen,
    asked_outputs,
    parameter_table,
    signals,
    time_symbol,
)
from kinetree.model.outputs import offers
from kinetree.pipeline import derive
from kinetree.program import Input, Program, Scheme
from kinetree.program.inline import inline
from kinetree.program.restrict import restrict

OUT = "out"
"""The output of the Program."""
MOTION = ("q", "qd", "qdd", "tau", "x", "t")
"""Inputs that outputs may name by themselves."""


@dataclass(frozen=True)
class Observed:
    """Outputs of a model.

    Attributes:
        program: gives them as `out`.
        labels: their names.
        units: one each; empty texts where unknown.
    """

    program: Program
    labels: tuple[str, ...]
    units: tuple[str, ...]

    @cached_property
    def function(self) -> Any:
        """The Program, compiled."""
        return self.program.compile()


@derivation()
def derive_outputs(model: Mechanism, names: Sequence[str], element: str = "outputs") -> Observed:
    """The Program of outputs of a model, in the order of their names.

    Args:
        model: the mechanism.
        names: of outputs, whole or components of them (`kinetree.model.outputs`).
        element: how errors call the list of names.
    """
    rows = asked_outputs(model, names, element)
    page = _Page(model, rows)
    labels = tuple(row.name for row in rows)
    page.scheme.output(OUT, [page.values[row.symbol] for row in rows], None, labels)
    program = restrict(page.scheme.program(model=model.name, quantity="outputs"), OUT)
    return Observed(program, labels, tuple(row.unit for row in rows))


def with_positions(
    model: Mechanism, names: Sequence[str] | None, points: Sequence[str]
) -> Observed | None:
    """The outputs of a model for other programs: positions of points, then those asked for.

    Args:
        model: the mechanism.
        names: of outputs; none for the model's own.
        points: paths "body" or "body.point" whose positions are outputs PATH.x, PATH.y, PATH.z.

    Returns:
        The Program of the outputs; none where there are none.
    """
    own = () if model.equations is None else model.equations.results
    wanted = [*model.outputs, *own] if names is None else list(names)
    places = [model.point(path).path for path in points]
    if not wanted and not places:
        return None
    found = derive_outputs(model, [*(f"{at}.position" for at in places), *wanted])
    asked = {row.name for row in asked_outputs(model, wanted)}
    short = {f"{at}.position.{a}": f"{at}.{a}" for at in places for a in XYZ}
    labels = tuple(short.get(x, x) if x not in asked else x for x in found.labels)
    (out,) = found.program.outputs
    program = replace(found.program, outputs=(replace(out, labels=labels),))
    return Observed(program, labels, found.units)


class _Page:
    """The outputs being written: whatever they are made of first.

    Attributes:
        scheme: written into.
        values: symbol of every output that is needed -> its value.
    """

    def __init__(self, model: Mechanism, rows: Sequence[Offered]) -> None:
        self.model = model
        self.known = {one.symbol: one for row in offers(model).values() for one in signals(row)}
        self.scheme = Scheme(f"{model.name}_outputs")
        self.values: dict[Node, Node] = {}
        self.own: dict[str, tuple[Node, ...]] = {}
        needed = self._needed_symbols([row.symbol for row in rows])
        programs = self._programs(needed)
        self._inputs(list(programs.values()))
        self.given = {
            source: inline(self.scheme, program, {}) for source, program in programs.items()
        }
        for node in needed:
            self.values[node] = self._value(self.known[node])

    def _needed_symbols(self, wanted: Sequence[Node]) -> list[Node]:
        """Symbols of all outputs that are needed, each after those it is made of."""
        found: dict[Node, None] = {}
        waiting = list(wanted)
        while waiting:
            node = waiting.pop()
            found.pop(node, None)
            found[node] = None
            row = self.known[node]
            what = self.model.outputs[row.key].what if row.source == "own" else None
            if isinstance(what, Node):
                waiting += [s for s in symbols([what]) if s in self.known]
        return list(reversed(found))

    def _programs(self, needed: Sequence[Node]) -> dict[str, Program]:
        """The quantities that outputs are made of, with the outputs of these that count."""
        rows = [self.known[node] for node in needed]
        points = dict.fromkeys(path for row in rows for path in paths_of(self.model, row))
        keys = {
            source: list(dict.fromkeys(row.key for row in rows if row.source == source))
            for source in ("forces", "reactions", "energy", VARIABLES)
        }
        if "total" in keys["energy"]:
            keys["energy"] = ["kinetic", "potential"]
        found = {
            source: restrict(derive(self.model, source), names)
            for source, names in keys.items()
            if names
        }
        if points:
            found["kinematics"] = derive(self.model, "kinematics", points=list(points))
        return found

    def _inputs(self, programs: Sequence[Program]) -> None:
        """Declare all inputs that the quantities take, the motion, and the parameters."""
        rows = {row.name: row for row in self._motion()}
        rows |= {row.name: row for program in programs for row in program.inputs}
        table = parameter_table(self.model)
        if table.rows:
            size = (len(table.rows),)
            rows["p"] = Input(
                "p", size, table.symbols, table.defaults, True, table.names, table.units
            )
        for row in rows.values():
            self.scheme.input(row)

    def _motion(self) -> list[Input]:
        """What outputs may name by themselves."""
        found = []
        for name in MOTION[:-1]:
            rows = [
                row for row in self.known.values() if row.source == "motion" and row.key == name
            ]
            if rows:
                nodes = tuple(row.symbol for row in rows)
                labels = tuple(row.name.partition("_")[2] for row in rows)
                found.append(Input(name, (len(rows),), nodes, None, False, labels))
        return [*found, Input("t", (), (time_symbol(),), None, False, ("t",), ("s",))]

    def _value(self, row: Offered) -> Node:
        """The value of one output, by the names of the scheme."""
        if row.source == "motion":
            return row.symbol
        if row.source == "own":
            return self._own(row)
        if row.source == "kinematics":
            return self._motion_symbols(row.key, seen_of(self.model, row))[row.first]
        given = self.given[row.source]
        if row.key == "total":
            return given["kinetic"][0] + given["potential"][0]
        return given[row.key][row.first]

    def _own(self, row: Offered) -> Node:
        what = self.model.outputs[row.key].what
        if isinstance(what, Seen):
            return self._motion_symbols(row.key, what)[row.first]
        (found,) = substitute([what], self.values)
        return found

    def _motion_symbols(self, key: str, seen: Seen) -> tuple[Node, ...]:
        """The components of a motion of a point, written once."""
        if key not in self.own:
            nodes = components(seen, self.given.get("kinematics", {}))
            self.own[key] = self.scheme.each(key, nodes)
        return self.own[key]


def seen_of(model: Mechanism, row: Offered) -> Seen:
    """What a standard output of a point means: seen from the ground, in its components."""
    path, _, quantity = row.key.rpartition(".")
    ground = model.ground.origin
    return Seen(model.point(path), quantity, ground, ground)


def paths_of(model: Mechanism, row: Offered) -> list[str]:
    """Points whose motions an output needs."""
    if row.source == "kinematics":
        return paths(seen_of(model, row))
    what = model.outputs[row.key].what if row.source == "own" else None
    return paths(what) if isinstance(what, Seen) else []
