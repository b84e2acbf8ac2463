"""Connected components seen as a model: equations of its own, and variables by their paths."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from kinetree.arguments import check_choice
from kinetree.engine import Node, Rank, select, symbol
from kinetree.errors import UnsupportedError, unknown
from kinetree.program import Assign, Input, Output, Program
from kinetree.program.passes import condense
from kinetree.program.sort_blocks import sort_blocks

if TYPE_CHECKING:
    from kinetree.arrays import Array, Flags
    from kinetree.model.mechanism import Mechanism

CLOCK = "clock"
"""The state of components that have none: the time since the start of a run [s]."""
MOVE, SEEN = 1e-4, 1e-3
"""Share by which a parameter is moved to see what follows, and share of that which is seen."""
VARIABLES = "variables"
"""The quantity, and the output, of all variables."""


class Components(Protocol):
    """Connected components, which can be turned into a mechanism."""

    def as_mechanism(self, known: Sequence[str] | None = None) -> Mechanism:
        """The mechanism; `known` are paths of what comes from outside in place of the inputs."""

    def with_values(self, values: Mapping[str, float]) -> Components:
        """The same with other values of parameters, by their paths, in SI units."""


def as_mechanism(model: Mechanism | Components, known: Sequence[str] | None = None) -> Mechanism:
    """A mechanism as it is, or that of connected components.

    Args:
        model: either of both.
        known: paths of variables of components that come from outside, in place of their inputs.
    """
    if hasattr(model, "as_mechanism"):
        return model.as_mechanism(known)
    if known is not None:
        raise UnsupportedError(
            f"known={list(known)} is a list of variables, as connected components have them",
            element=f"model '{model.name}'",
            cure='derive "mixed" with known={"joint": "qdd"}',
        )
    return model


def split_known(model: Mechanism | Components, known: Any) -> tuple[Mechanism, Any]:
    """The mechanism, and what is known of its velocities, which is no list of variables."""
    if known is None or isinstance(known, str | Mapping):
        return as_mechanism(model), known
    return as_mechanism(model, known), None


class Choosing(Protocol):
    """Judges the states of a run, and chooses others among those that it carries."""

    def bad(self, t: Array, x: Array, parameters: Mapping[str, float]) -> Flags:
        """Where the states are a bad choice, at many moments."""

    def better(self, t: float, x: Array, parameters: Mapping[str, float]) -> Mechanism | None:
        """The mechanism with the best states at a moment; none where they are those at hand."""


@dataclass(frozen=True)
class InnerMechanism:
    """A mechanism among connected components.

    Attributes:
        model: its joints and bodies.
        path: of the component that it belongs to.
        q: its coordinates, as expressions of variables and parameters by their names.
    """

    model: Mechanism
    path: str
    q: tuple[Node, ...]


@dataclass(frozen=True)
class SolvedStart:
    """Where a run begins, where that follows from equations.

    Attributes:
        states: names of those that are integrated.
        values: parameters that differ -> where everything in x begins, by name.
    """

    states: tuple[str, ...]
    values: Callable[[Mapping[str, float]], dict[str, float]]

    def moved_by(self, parameter: str, value: float, others: Mapping[str, float]) -> str:
        """A state whose start a parameter moves; empty where there is none.

        Args:
            parameter: its name.
            value: what it is.
            others: parameters that differ from the model's.
        """
        here = self.values({**others, parameter: value})
        there = self.values({**others, parameter: value + MOVE * max(abs(value), 1e-3)})
        for name in self.states:
            if abs(there[name] - here[name]) > SEEN * MOVE * max(abs(here[name]), 1e-3):
                return name
        return ""


@dataclass(frozen=True)
class SortedEquations:
    """The equations of a model in place of those that formalisms derive.

    Attributes:
        program: of q, qd, tau, t, p, x; outputs qdd, xd, `variables` and, where iterations begin
            from states, x_closed: the states with these renewed.  Not condensed.
        units: of the variables.
        inputs: names of parameters that come from outside.
        results: names of the variables that are meant for others.
        digest: of all that is in it.
        choice: judges the states and chooses others; none where they never turn bad.
        singular: (time, states, parameters) -> a phrase for equations that cannot be solved there,
            empty where all can.
        inside: mechanisms that were recognised.
        begin: where a run begins; none where its states begin with plain numbers.
    """

    program: Program
    units: tuple[str, ...]
    inputs: tuple[str, ...]
    results: tuple[str, ...]
    digest: str
    choice: Choosing | None = None
    singular: Callable[[float, Array, Mapping[str, float]], str] | None = None
    inside: tuple[InnerMechanism, ...] = ()
    begin: SolvedStart | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables."""
        return self.program.output(VARIABLES).labels

    def derive(self, quantity: str, wanted: Sequence[str] | None, switches: str) -> Program:
        """The rates of the states ("forward"), all variables, or those that are wanted."""
        if wanted is not None:
            return condense(_by_conditions(self._answer(wanted)))
        check_choice("quantity", quantity, ("forward", VARIABLES))
        rates = quantity == "forward"
        outputs = [out for out in self.program.outputs if (out.name != VARIABLES) is rates]
        if switches == "held" or not rates:  # variables are read from runs, which have the modes
            kept = [out for out in outputs if rates or out.name != "switches"]
            return condense(replace(self.program, outputs=tuple(kept)))
        return condense(_by_conditions(replace(self.program, outputs=tuple(outputs))))

    def _answer(self, wanted: Sequence[str]) -> Program:
        """The Program of some variables; what comes from outside is the input `known`."""
        program = self.program
        rows = dict(zip(self.names, program.output(VARIABLES).nodes, strict=True))
        for name in wanted:
            if name not in rows:
                raise unknown("variable", name, rows, "wanted")
        nodes = tuple(rows[name] for name in wanted)
        outputs = [Output("wanted", (len(nodes),), nodes, tuple(wanted))]
        outputs += [out for out in program.outputs if out.name == "switches"]
        inputs = [row for row in program.inputs if row.name in ("t", "x")]
        if program.input("x").labels == (CLOCK,):
            inputs = inputs[:1]
        else:
            outputs.append(program.output("xd"))
        if program.takes("p"):
            inputs += _split(program.input("p"), self.inputs)
        kept = tuple(row for row in inputs if row.name in ("t", "known") or row.symbols)
        return replace(program, inputs=kept, outputs=tuple(outputs))


def _by_conditions(program: Program) -> Program:
    """The Program whose switches take their branch from their conditions, not from modes."""
    if not program.gives("switches"):
        return program
    found = program.output("switches")
    rest = tuple(out for out in program.outputs if out is not found)
    x, count = program.input("x"), len(found.nodes)
    modes = x.symbols[-count:]
    idle = tuple(symbol(f"{mode.name}~", Rank.FORCE) for mode in modes)
    free = replace(x, symbols=(*x.symbols[:-count], *idle))
    inputs = tuple(free if row is x else row for row in program.inputs)
    marks = (Assign(m, select(c, 1, 0)) for m, c in zip(modes, found.nodes, strict=True))
    blocks = (*program.all_blocks, *marks)
    try:
        whole = replace(program, inputs=inputs, outputs=rest, preamble=(), blocks=blocks)
        return sort_blocks(whole)
    except ValueError as error:
        raise UnsupportedError(
            f"a switch depends on what it switches ({error})",
            element=f"program '{program.name}'",
            cure="run it by kt.simulate, where switches have modes",
        ) from None


def _split(p: Input, known: Sequence[str]) -> list[Input]:
    """Parameters, and those of them that come from outside."""
    own = [k for k, label in enumerate(p.labels) if label not in known]
    rest = [k for k, label in enumerate(p.labels) if label in known]
    units, values = p.units or ("",) * len(p.labels), p.default or (0.0,) * len(p.labels)
    return [
        Input(
            name, (len(some),), tuple(p.symbols[k] for k in some),
            tuple(values[k] for k in some) if parameter else None, parameter,
            tuple(p.labels[k] for k in some), tuple(units[k] for k in some),
        )
        for name, some, parameter in (("p", own, True), ("known", rest, False))
    ]  # fmt: skip
