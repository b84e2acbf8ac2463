"""Programs behind derivatives of a run in equal steps: the step, what measures see, derivatives.

All take the state of the step first, then time, length of the step, loads and parameters; what the
derivatives are by is the same for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from kinetree.analysis.observing.program import OUT, derive_outputs
from kinetree.analysis.runs.event_laws import EventLaw
from kinetree.analysis.sensitivities.directions import ByLabels, inputs_by
from kinetree.analysis.sensitivities.start_checks import has_redundant
from kinetree.analysis.sensitivities.variables import DesignVariable
from kinetree.engine import ZERO, Node, derivation, substitute, symbols, text
from kinetree.errors import UnsupportedError
from kinetree.formalism.natural import chart
from kinetree.formalism.natural.relative import NEAR, relative_program
from kinetree.model import Mechanism, output_names, time_symbol
from kinetree.program import Input, Program, Scheme
from kinetree.program.differentiate import along, reverse
from kinetree.program.inline import bindings, inline
from kinetree.program.parameters import join_parameters
from kinetree.program.passes import condense
from kinetree.program.restrict import restrict
from kinetree.program.state_form import STATE, TIME, state_parts
from kinetree.steppers.step import GLOBAL
from kinetree.targets.kept import DerivedProgram, remember

if TYPE_CHECKING:
    from kinetree.analysis.runs.dynamics import Dynamics
    from kinetree.measures import Measure

NEXT = "_next"
SEEN = "e"


@dataclass(frozen=True)
class StepForms:
    """Programs of one step and of the measures of its runs.

    Attributes:
        model: the mechanism.
        step_form: the step; inputs begin with the state.
        looks_form: e of all measures, at a state.
        by: inputs behind the state by which is differentiated, with labels; None for all.
    """

    model: Mechanism
    step_form: DerivedProgram
    looks_form: DerivedProgram
    by: ByLabels

    @property
    def step(self) -> Program:
        """From the state to the next one."""
        return self.step_form.program

    @property
    def looks(self) -> Program:
        """What measures see."""
        return self.looks_form.program

    @property
    def state(self) -> list[str]:
        """Names of the parts of the state."""
        return state_names(self.step)

    @cached_property
    def size(self) -> int:
        """Components of the state."""
        return sum(len(self.step.input(name).symbols) for name in self.state)

    @cached_property
    def tangent_step(self) -> DerivedProgram:
        """s, …, δs, δp → s and δs at the end of the step."""
        return self._remember("tangents of steps", self._tangent_step)

    @cached_property
    def reverse_step(self) -> DerivedProgram:
        """s, …, bars of the next state → bars of s and of what varies."""
        ends = [f"{name}{NEXT}" for name in self.state]
        return self._remember(
            "reverse of steps", lambda: reverse(self.step, ends, self._whole_by, only=True)
        )

    @cached_property
    def tangent_looks(self) -> DerivedProgram:
        """s, δs, … → e and y, and their changes."""
        return self._remember(
            "tangents of looks", lambda: along(self.looks, [SEEN, STATE], self._whole_by)
        )

    @cached_property
    def reverse_looks(self) -> DerivedProgram:
        """s, …, weights of e → bars of s and of what varies."""
        return self._remember(
            "reverse of looks", lambda: reverse(self.looks, SEEN, self._whole_by, only=True)
        )

    @cached_property
    def second_step(self) -> DerivedProgram:
        """s, δs, …, δp, bars of the next s and δs → bars of both and of what varies."""
        ends = [f"{name}{NEXT}" for name in self.state]
        ends += [f"{name}_dot" for name in ends]
        return self._remember(
            "reverse of tangents of steps", lambda: self._reverse(self.tangent_step.program, ends)
        )

    @cached_property
    def second_looks(self) -> DerivedProgram:
        """s, δs, …, δp, weights of e and δe → bars of s, δs and of what varies."""
        ends = [SEEN, f"{SEEN}_dot"]
        return self._remember(
            "reverse of tangents of looks", lambda: self._reverse(self.tangent_looks.program, ends)
        )

    def _reverse(self, program: Program, ends: Sequence[str]) -> Program:
        """The reverse of a Program with tangents, by states and tangents, which come first."""
        both = [*self.state, *(f"{name}_dot" for name in self.state)]
        by = {**dict.fromkeys(both), **self.by}
        made = reverse(program, ends, by, only=True)
        weights = [f"{name}_bar" for name in ends]
        last = [NEAR, *weights]
        rows = {row.name: row for row in made.inputs}
        order = [*both, *(k for k in rows if k not in (*both, *last)), *last]
        return replace(made, inputs=tuple(rows[name] for name in order if name in rows))

    @property
    def _whole_by(self) -> ByLabels:
        return {**dict.fromkeys(self.state), **self.by}

    def _remember(self, what: str, make: Callable[[], Program]) -> DerivedProgram:
        key = "; ".join(f"{name}: {labels}" for name, labels in self.by.items())
        digests = self.step_form.digest, self.looks_form.digest
        return remember(lambda: DerivedProgram.of(make()), what, self.model, key, *digests)

    def _tangent_step(self) -> Program:
        ends = [f"{name}{NEXT}" for name in self.state]
        made = along(self.step, ends, self._whole_by)
        rows = {row.name: row for row in made.inputs}
        moves = [f"{name}_dot" for name in (*self.state, *self.by)]
        still = [name for name in rows if name not in (*self.state, *moves)]
        outputs = [made.output(name) for name in (*ends, *(f"{name}_dot" for name in ends))]
        inputs = tuple(rows[name] for name in (*self.state, *still, *moves))
        return condense(replace(made, inputs=inputs, outputs=tuple(outputs)))


def state_names(step: Program) -> list[str]:
    """Names of the parts of the state of a step."""
    ends = (row.name for row in step.outputs if row.name.endswith(NEXT))
    return [name.removesuffix(NEXT) for name in ends]


@derivation()
def step_forms(
    step: DerivedProgram, system: Dynamics, measures: Mapping[str, Measure],
    variables: Sequence[DesignVariable],
) -> StepForms:  # fmt: skip
    """The Programs of a step.

    Args:
        step: of the run.
        system: the dynamics of the model, whose names measures use.
        measures: by name.
        variables: what varies but the duration.
    """
    laws = [EventLaw(system, f"measure '{name}'").node(m.of) for name, m in measures.items()]
    key = "; ".join(f"{name}: {text(node)}" for name, node in zip(measures, laws, strict=True))
    forms = remember(
        lambda: _forms(step.program, system, laws, measures), "steps and what is seen of them",
        system.model, key, step.digest, repr(sorted(step.program.info.items())),
    )  # fmt: skip
    if variables and has_redundant(system):
        _refuse_shared_forces(forms[1].program, measures)
    return StepForms(system.model, *forms, inputs_by(forms[0].program, variables))


def _refuse_shared_forces(looks: Program, measures: Mapping[str, Measure]) -> None:
    """Refuse measures of multipliers of which no equation says how they share a force."""
    for number, name in enumerate(measures):
        if restrict(looks, SEEN, [number]).takes("lam"):
            raise UnsupportedError(
                "it sees forces of loops whose equations repeat others: how these share a force is "
                "left to the iterations of equal steps, and has no derivative",
                element=f"measure '{name}'",
                cure="take integrator='dop853' with method='direct'",
            )


def _forms(
    step: Program, system: Dynamics, laws: Sequence[Node], measures: Mapping[str, Measure]
) -> tuple[DerivedProgram, DerivedProgram]:
    """The step and looks, which take the same parameters."""
    looks = _looks(step, system, laws, measures)
    p = [row.input("p") for row in (step, looks) if row.takes("p")]
    if p:
        both = join_parameters(*p) if len(p) == 2 else p[0]
        step, looks = (_with_input(row, both) for row in (step, looks))
    return DerivedProgram.of(step), DerivedProgram.of(looks)


def _with_input(program: Program, row: Input) -> Program:
    """The Program with an input in place of the one of its name, or behind all others."""
    known = [old.name for old in program.inputs]
    inputs = tuple(row if old.name == row.name else old for old in program.inputs)
    return replace(program, inputs=inputs if row.name in known else (*inputs, row))


# --- what measures see ---------------------------------------------------------------------------


def _looks(
    step: Program, system: Dynamics, laws: Sequence[Node], measures: Mapping[str, Measure]
) -> Program:
    """The expressions of measures, and y of the model, at a state of the step."""
    wanted = set(symbols(laws))
    offered = {s: name for name, s in output_names(system.model)["outputs"].items() if s in wanted}
    seen = derive_outputs(system.model, sorted(offered.values())).program if offered else None
    scheme = Scheme(f"{system.model.name}_looks")
    known = _declare(scheme, step, seen, system.model)
    values: dict[Node, Node] = {}
    if seen is not None:
        found = inline(scheme, seen, _meaning(known, seen.inputs, measures))[OUT]
        own = dict(zip(seen.output(OUT).labels, found, strict=True))
        values = {s: own[name] for s, name in offered.items()}
    parts = state_parts(system.forward)
    nodes = substitute(substitute(laws, _meaning(known, parts, measures)), values)
    scheme.output(SEEN, nodes, (len(nodes),))
    y = [x for row in parts for x in known[row.name].values()]
    scheme.output(STATE, y, (len(y),))
    return condense(scheme.program(**dict(step.info)))


def _declare(
    scheme: Scheme, step: Program, seen: Program | None, model: Mechanism
) -> dict[str, dict[str, Node]]:
    """Declare the inputs of looks; input of a Program of the model -> its values by label."""
    state = state_names(step)
    names = [row.name for row in step.inputs if row.name not in (*state, TIME, "p")]
    rows = {name: step.input(name) for name in (*state, *names)}
    rows[TIME] = Input(TIME, (), (time_symbol(),), None, False, (TIME,), ("s",))
    p = [row.input("p") for row in (step, seen) if row is not None and row.takes("p")]
    if p:
        rows["p"] = join_parameters(*p) if len(p) == 2 else p[0]
    natural = None
    if step.info["formulation"] == GLOBAL:
        natural = relative_program(chart(model, folded=step.info["parameters"] == "folded"))
        rows[NEAR] = natural.input(NEAR)
    for row in rows.values():
        scheme.input(row)
    known = {name: _by_label(row.labels, row.symbols) for name, row in rows.items()}
    if natural is None:
        return known
    found = inline(scheme, natural, bindings(natural, **{k: r.symbols for k, r in rows.items()}))
    return known | {
        row.name: _by_label(row.labels, found[row.name]) for row in natural.outputs
    }  # fmt: skip


def _by_label(labels: Sequence[str], nodes: Sequence[Node]) -> dict[str, Node]:
    """Nodes by label, or by their numbers where they have none."""
    return dict(zip(labels or map(str, range(len(nodes))), nodes, strict=True))


def _meaning(
    known: Mapping[str, Mapping[str, Node]], inputs: Sequence[Input],
    measures: Mapping[str, Measure],
) -> dict[Node, Node]:  # fmt: skip
    """What symbols of other Programs stand for at a state of the step, by their labels."""
    found: dict[Node, Node] = {}
    for row in inputs:
        if row.name == "lam" and row.name not in known:
            raise UnsupportedError(
                "the steps do not find the forces that close loops, which it asks for",
                element=f"measures {', '.join(measures)}",
                cure="take formulation='hybrid', or integrator='dop853'",
            )
        own = known.get(row.name, {})
        labels = _by_label(row.labels, row.symbols)
        found |= {s: own.get(label, ZERO) for label, s in labels.items()}
    return found
