"""Forward dynamics in the forms that analyses need, derived and compiled once for equal models.

A sweep, a batch, a second analysis of the same model find what the first one derived
(`targets.kept`); values of parameters and loads are no part of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from kinetree.analysis.observing.attach import attach_used
from kinetree.assembly import Partition
from kinetree.engine import substitute
from kinetree.integrate.loops.tangent_lanes import LaneForm
from kinetree.model import Mechanism, state_names
from kinetree.pipeline import LOOPS, derive
from kinetree.program import Output, Program, state_form
from kinetree.program.differentiate import SparseDerivative, dependence, sparse_derivative
from kinetree.targets.kept import DerivedProgram, remember

if TYPE_CHECKING:
    from kinetree.targets.native.function import Function

DERIVED = 1_000_000
"""Operations times states up to which Jacobians for stiff methods are derived: half a minute."""
SPARSE = 100
"""States from which Jacobians may be sparse."""
DEPENDENCES = 30
"""States that a value depends on in the mean, up to which they are."""


@dataclass(frozen=True)
class Derivation:
    """How forward dynamics are derived: options of `derive`."""

    formalism: str | None = None
    loops: str = LOOPS
    base_parameters: bool = True
    switches: str = "select"


@dataclass(frozen=True)
class Forms:
    """Forward dynamics of one model.

    Attributes:
        forward: qdd and what comes with it.
        rates: der(y) of t and y = [q, qd, x].
        projection: the consistent y; none where every y is.
    """

    forward: DerivedProgram
    rates: DerivedProgram | LaneForm
    projection: DerivedProgram | LaneForm | None

    @cached_property
    def sizes(self) -> tuple[int, int]:
        """Numbers of coordinates and velocities."""
        q, qd = (self.forward.program.input(name) for name in ("q", "qd"))
        return len(q.symbols), len(qd.symbols)

    @property
    def exact_jacobian(self) -> bool:
        """Whether d der(y)/dy is worth its derivation."""
        return self._size * self.rates.operations <= DERIVED or self.is_sparse

    @cached_property
    def is_sparse(self) -> bool:
        """Whether d der(y)/dy is large, and most of it zero."""
        if self._size < SPARSE:
            return False
        program = self.rates.program
        most = DEPENDENCES * (len(program.all_blocks) + self._size)
        return dependence(program, "yd", state_form.STATE, most) is not None

    @property
    def _size(self) -> int:
        """Components of y."""
        return len(self.rates.program.output("yd").nodes)

    @cached_property
    def results(self) -> dict[str, Any]:
        """What others have made of these equations, by name."""
        return {}

    @cached_property
    def _changes(self) -> dict[str, DerivedProgram]:
        return {}

    def changes(self, of: Sequence[str], by: Mapping[str, Sequence[str] | None]) -> DerivedProgram:
        """Forward dynamics with the changes of outputs along those of inputs (see `along`)."""
        key = repr((of, by))
        if key not in self._changes:
            made = self.forward.program.along(of, by, tangent=True)
            self._changes[key] = DerivedProgram.of(made)
        return self._changes[key]

    @cached_property
    def memory(self) -> DerivedProgram:
        """y with its memories up to date, where there are any."""
        return DerivedProgram.of(state_form.memory(self.forward.program))

    @cached_property
    def jacobian(self) -> DerivedProgram:
        """d der(y)/dy; where it is sparse, the entries of its columns."""
        if self.columns is not None:
            return DerivedProgram.of(self.columns.program)
        return DerivedProgram.of(self.rates.program.derivative("yd", state_form.STATE, only=True))

    def jacobian_function(self, model: Mechanism) -> Function:
        """The same, compiled; derived once for equal models where it is full."""
        if self.columns is not None:  # a large one is called rarely, and takes long to compile
            return self.jacobian.quick_function
        slopes = remember(lambda: self.jacobian, "slopes of rates", model, self.rates.digest)
        return slopes.function

    @cached_property
    def columns(self) -> SparseDerivative | None:
        """The entries of a sparse d der(y)/dy; none where it is full."""
        if not self.is_sparse:
            return None
        return sparse_derivative(self.rates.program, "yd", state_form.STATE)


def forms(model: Mechanism, how: Derivation, partition: Partition | None) -> Forms:
    """The forms of a model's forward dynamics.

    Args:
        model: the mechanism.
        how: they are derived.
        partition: independent and dependent coordinates of a closed system.
    """
    decisions = [repr(how)]
    if partition is not None:
        found = partition
        chosen = (found.equations, found.independent, found.dependent, found.rate_dependent)
        decisions.append(repr(chosen))

    def make() -> Forms:
        forward = derive(
            model, "forward", how.formalism, base_parameters=how.base_parameters,
            partition=partition, loops=how.loops, switches=how.switches,
        )  # fmt: skip
        forward = _with_memories(forward, model)
        made = (forward, state_form.rates(forward), state_form.projection(forward))
        first, rates, last = (None if p is None else DerivedProgram.of(p) for p in made)
        assert first is not None
        assert rates is not None
        return Forms(first, rates, last)

    solved = partition is None or how.loops != LOOPS  # so that the open tree needs its masses
    return remember(
        make, "forward dynamics", model, *decisions,
        known=lambda: model.check(invertible=solved),
    )  # fmt: skip


def _with_memories(forward: Program, model: Mechanism) -> Program:
    """Forward dynamics that tell what memories become, too, where the model has any."""
    laws = {s.name: s.remembered for s in model.states.values() if s.remembered is not None}
    if not laws:
        return forward
    names = state_names(model)
    # closed systems have other symbols for what is a start value of their loops
    own = {
        names[row.name][label]: s
        for row in state_form.state_parts(forward)
        for label, s in zip(row.labels, row.symbols, strict=True)
        if row.name != "x" or label in model.states
    }
    whole, told = attach_used(model, forward, list(laws.values()))
    nodes = tuple(substitute(list(laws.values()), {**own, **told}))
    out = Output(state_form.MEMORY, (len(nodes),), nodes, tuple(laws))
    return replace(whole, outputs=(*whole.outputs, out))
