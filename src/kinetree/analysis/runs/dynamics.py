"""Dynamics: the equations of motion of a model, compiled, with its loads and parameter values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from kinetree.analysis.given.loads import Loads, loads
from kinetree.analysis.runs.coordinates.chosen_loops import AUTO, chosen_loops
from kinetree.analysis.runs.forms import Derivation, Forms, forms
from kinetree.analysis.runs.resets import Resets, all_names, breaks_loops, refuse_dependent
from kinetree.analysis.runs.resets import resets as resets_of
from kinetree.arguments import check_arguments
from kinetree.arrays import Array
from kinetree.assembly import (
    Loops,
    Parameters,
    Partition,
    Wish,
    consistent_coordinates,
    partition_at,
    with_values,
)
from kinetree.assembly.loops import loops as loops_of
from kinetree.errors import AssemblyError, PartitionError
from kinetree.integrate.partition_health import Judge, judge
from kinetree.integrate.problem import Changes, Kernel, Native, SparseColumns
from kinetree.model import Mechanism
from kinetree.pipeline import LOOPS
from kinetree.program import Program, state_form
from kinetree.program.events import SIDES

OPTIONS = ("formalism", "loops", "partition", "independent", "base_parameters")
"""Options of `dynamics` that every analysis passes on."""
LOADED = ("tau", "wrenches", "parameters", *OPTIONS)
"""The same where loads and parameter values are passed on, too."""
NONE = np.zeros(0)
LARGE = 5000
"""Operations of a Program for which batches are not worth their compilation."""
IN_RATES = {"qdd", "xd", state_form.MEMORY}  # outputs that rates and states have, too


@dataclass(frozen=True)
class Dynamics:
    """der(y) = f(t, y) of a model; y = [q, qd, x].

    Attributes:
        model: the mechanism.
        forms: its forward dynamics, in the forms that analyses need.
        loads: efforts and wrenches from outside.
        partition: independent and dependent coordinates of a closed system.
        parameters: values by name that differ from the model's.
        kept: coordinates that the user wants independent.
        loops: equations of the loops as numbers; none of a tree.
        jumps: what events change of the motion of a closed system: it is independent.
    """

    model: Mechanism
    forms: Forms
    loads: Loads
    partition: Partition | None = None
    parameters: Mapping[str, float] = field(default_factory=dict)
    kept: tuple[str, ...] = ()
    loops: Loops | None = None
    jumps: Resets = field(default_factory=dict)

    # --- sizes and parts of y --------------------------------------------------------------------

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return self.forms.sizes[0]

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return self.forms.sizes[1]

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the user states, then of the modes of switches."""
        return self.forward.input("x").labels if self.forward.takes("x") else ()

    @property
    def changing(self) -> list[int]:
        """Numbers of the user states that have a rate; the others are modes."""
        known = self.model.states
        return [k for k, name in enumerate(self.states) if name in known and not known[name].held]

    @cached_property
    def memories(self) -> list[int]:
        """Numbers of the components of y that are memories."""
        return state_form.memories(self.forward)

    @property
    def own_size(self) -> int:
        """Number of components of y that are the user's; behind them are modes of switches."""
        return self.nq + self.nv + len(self.model.states)

    @property
    def closed(self) -> bool:
        """Whether loops or drives make coordinates depend on others."""
        return self.forward.gives("q_closed")

    @property
    def explicit(self) -> bool:
        """Whether dependent coordinates are solved for, so that their choice matters."""
        return self.closed and self.forward.info.get("loops") == "explicit"

    @property
    def independent(self) -> tuple[str, ...]:
        """Names of the independent velocities; all of a tree."""
        found = self.partition
        return tuple(self.model.velocities) if found is None else found.independent

    def split(self, y: Array) -> tuple[Array, Array, Array]:
        """q, qd and x of states y; leading axes are kept."""
        a, b = self.nq, self.nq + self.nv
        return y[..., :a], y[..., a:b], y[..., b:]

    def judge(self, t: float) -> Judge:
        """Judges the choice of dependent coordinates in a run from a time [s]."""
        found, names = self.partition, self.model.velocities
        assert found is not None
        dependent = [names.index(name) for name in (*found.dependent, *found.rate_dependent)]
        free = [k for k, name in enumerate(names) if name not in found.driven]
        return judge(self._jacobians, dependent, free, t, found.q)

    def _jacobians(self, t: Array, q: Array) -> Array:
        """J of the equations that are used, one matrix per row of q."""
        assert self.partition is not None
        rows, nv = list(self.partition.rows), self.nv
        if not rows:
            return np.zeros((len(t), 0, nv))
        assert self.loops is not None
        function, rest = self.loops.function, np.zeros(nv)
        given = {"q": q, "t": t, "qd": rest}
        known = [port.name for port in function.inputs if port.name in given]
        J = function.each(**{name: given[name] for name in known})["J"]
        return np.broadcast_to(J, (len(t), *J.shape[1:]))[:, rows]

    def check_parameters(self, parameters: Parameters) -> dict[str, float]:
        """Values by name in place of the model's; unknown names and no numbers are refused."""
        values = dict(parameters or {})
        with_values(self.forms.forward.program, values)
        return values

    # --- functions -------------------------------------------------------------------------------

    @cached_property
    def forward(self) -> Program:
        """Forward dynamics; defaults of p are the values of this analysis."""
        return with_values(self.forms.forward.program, self.parameters)

    @cached_property
    def _rates(self) -> Any:
        return self.forms.rates.function.with_values(self.parameters)

    @property
    def exact_jacobian(self) -> bool:
        """Whether d der(y)/dy is worth its derivation; methods take differences of it otherwise."""
        return self.forms.exact_jacobian

    @cached_property
    def _jacobian(self) -> Any:
        return self.forms.jacobian_function(self.model).with_values(self.parameters)

    @cached_property
    def _projection(self) -> Any:
        found = self.forms.projection
        return None if found is None else found.function.with_values(self.parameters)

    @cached_property
    def _memory(self) -> Any:
        if not self.memories:
            return None
        return self.forms.memory.function.with_values(self.parameters)

    @cached_property
    def _forward(self) -> Any:
        return self.forms.forward.function.with_values(self.parameters)

    def rates(self, t: float, y: Array, **more: Array) -> Array:
        """der(y)."""
        found: Array = self.call(self._rates, t, y, **more)["yd"]
        return found

    def jacobian(self, t: float, y: Array) -> Array:
        """d der(y)/dy, where the loads are constant."""
        matrix = self.jacobian_matrix(t, y)
        found: Array = matrix if self.columns is None else matrix.toarray()
        return found

    def jacobian_matrix(self, t: float, y: Array) -> Any:
        """The same as a matrix of SciPy where it is sparse."""
        found: Array = self.call(self._jacobian, t, y)["dyd_dy"]
        if self.columns is None:
            return found
        from scipy.sparse import csc_matrix

        return csc_matrix((found, self.columns.rows, self.columns.starts), (y.size, y.size))

    @cached_property
    def columns(self) -> SparseColumns | None:
        """Where the entries of a sparse Jacobian stand; none where it is full."""
        found = self.forms.columns
        if found is None:
            return None
        return SparseColumns(np.array(found.starts), np.array(found.rows))

    @property
    def projects(self) -> bool:
        """Whether states may be inconsistent."""
        return self._projection is not None

    def project(self, t: float, y: Array, **more: Array) -> Array:
        """The consistent state: loops closed from the independent part, quaternions normalised."""
        if self._projection is None:
            return y
        found: Array = self.call(self._projection, t, y, **more)[state_form.STATE]
        return found

    def call(self, function: Any, t: float, y: Array, **more: Array) -> dict[str, Array]:
        """Outputs of a compiled function of the same inputs as the rates, and perhaps more."""
        q, qd, _ = self.split(y)
        given = {**self.loads.at(t, q, qd), **more}
        found: dict[str, Array] = function(check=False, t=np.array(float(t)), y=y, **given)
        return found

    def call_each(self, function: Any, t: Array, y: Array) -> dict[str, Array]:
        """The same at many moments, one row each, to the last bit."""
        q, qd, _ = self.split(y)
        found: dict[str, Array] = function.each(t=t, y=y, **self.loads.along(t, q, qd))
        return found

    def project_each(self, t: Array, y: Array) -> Array:
        """Consistent states of many moments, one row each."""
        if self._projection is None or not len(t):
            return y
        return self.call_each(self._projection, t, y)[state_form.STATE]

    def outputs(self, t: Array, y: Array) -> dict[str, Array]:
        """All outputs of the forward dynamics at many states, one row each; tau as applied too."""
        q, qd, x = self.split(y)
        given: dict[str, Array] = {"q": q, "qd": qd, "x": x, "t": t, **self.loads.along(t, q, qd)}
        inputs = self.forward.pick_inputs(given)
        if {row.name for row in self.forward.outputs} <= IN_RATES and self._is_large:
            rates = self.call_each(self._rates, t, y)["yd"]
            found = {"qdd": self.split(rates)[1]}  # their code is compiled already
        elif self._is_large:
            found = self._forward.each(**inputs)
        else:
            found = self._forward(check=False, **inputs)
        return {**found, "tau": np.broadcast_to(given["tau"], (len(t), self.nv))}

    def wrenches(self, t: Array, q: Array, qd: Array) -> dict[str, Array]:
        """External wrenches that act, by name, one row per time [N.m, N]."""
        given = self.loads.along(t, q, qd) if self.loads.acting else {}
        return {name: np.broadcast_to(given[name], (len(t), 6)) for name in self.loads.acting}

    @property
    def _is_large(self) -> bool:
        """Whether code for batches takes longer to compile than the states of a run to evaluate."""
        return self.forms.forward.operations > LARGE

    def native(self, *, jacobian: bool, events: Any, history: bool = False) -> Native | None:
        """The rates as machine code; none where a Python function gives the loads.

        Args:
            jacobian: whether d der(y)/dy is needed too.
            events: what may happen, compiled (`events.Watched`).
            history: whether the method builds on many states, of which memories alone may change.
        """
        if not self.loads.constant:
            return None
        taken, held = ("t", state_form.STATE), self.loads.fixed
        rows = [r for r in self._rates.inputs if not r.parameter and r.name not in taken]
        rest = [np.ravel(self.loads.fixed.get(row.name, row.default)) for row in rows]
        own = (self._jacobian if jacobian else None, self._memory if history else self._projection)
        found = (*own, events.function, events.update, events.pace)
        jacobi, project, watched, update, pace = (None if f is None else _kernel(f) for f in found)
        return Native(
            _kernel(self._rates),
            np.concatenate([*rest, NONE]),
            (self._rates, *found),
            jacobi,
            project,
            watched,
            None if update is None else Changes(update, NONE, NONE, 0.0, NONE),
            self.columns if jacobian else None,
            pace,
            tuple(k for k, row in enumerate(events.conditions) if row.law and SIDES in held),
            bool(self.forward.input("q").quaternions),
        )


def _kernel(function: Any) -> Kernel:
    return Kernel(function.address, function.preamble_values())


def dynamics(  # noqa: PLR0913  one argument per decision
    model: Mechanism,
    *,
    q: Any = None,
    t: float = 0.0,
    tau: Any = None,
    wrenches: Mapping[str, Any] | None = None,
    parameters: Mapping[str, float] | None = None,
    independent: Sequence[str] | None = None,
    formalism: str | None = None,
    loops: str = LOOPS,
    partition: Partition | None = None,
    base_parameters: bool = True,
    events: Any = None,
    runs: bool = False,
) -> Dynamics:
    """The dynamics of a model with loads and parameter values.

    Args:
        model: the mechanism.
        q: configuration at which the coordinates of a closed system are sorted into independent
            and dependent ones; by default the model's initial one.
        t: time of laws and drives there [s].
        tau: efforts, see `loads`.
        wrenches: external wrenches, see `loads`.
        parameters: values by name in place of the model's.
        independent: of a closed system, the coordinates to keep independent.
        formalism: as for `derive`.
        loops: likewise; "auto" keeps all coordinates of long loops.
        partition: likewise; not with independent.
        base_parameters: likewise.
        events: that happen beside those of the model; what they change is kept independent.
        runs: whether they are for a run: switches of laws take their branch from modes.
    """
    check_arguments(dynamics, locals())
    model = model.with_varied(parameters or ())
    acting = loads(model, tau, wrenches)
    _refuse_choices(model, independent, partition)
    closed = loops_of(model, parameters) if model.closures or model.drives else None
    jumps = resets_of(model, events) if closed is not None and loops in (LOOPS, AUTO) else {}
    sorted_out, stay = partition, tuple(independent or ())
    if closed is not None and sorted_out is None:
        sorted_out = _sort_out(closed, Wish(q, independent=stay, t=t), jumps)
        _refuse_singular(model, sorted_out)
    if sorted_out is not None:
        refuse_dependent(jumps, sorted_out)
    loops = chosen_loops(model, sorted_out, jumps) if loops == AUTO else loops
    how = Derivation(formalism, loops, base_parameters, "held" if runs else "select")
    found = forms(model, how, sorted_out)
    made = Dynamics(model, found, acting, sorted_out, {}, stay, closed, jumps)
    return replace(made, parameters=made.check_parameters(parameters))


def _sort_out(closed: Loops, wish: Wish, jumps: Resets) -> Partition:
    """The partition where the loops close, with what the user names or what events change kept."""
    place = consistent_coordinates(closed, wish).tolist()
    kept = wish.independent or all_names(jumps)
    try:
        return partition_at(closed, place, kept or None, wish.t)
    except (AssemblyError, PartitionError) as error:
        raise error if wish.independent or not jumps else breaks_loops(jumps) from error


def _refuse_choices(
    model: Mechanism, independent: Sequence[str] | None, partition: Partition | None
) -> None:
    """Refuse independent coordinates where there is nothing to choose."""
    if independent is None:
        return
    if partition is not None:
        raise PartitionError(
            "the partition says already which coordinates are independent",
            element="independent",
            cure="give one of independent= and partition=",
        )
    if not (model.closures or model.drives):
        raise PartitionError(
            f"all coordinates of model '{model.name}' are independent: it has no loops",
            element="independent",
            cure="leave independent= out",
        )


def _refuse_singular(model: Mechanism, found: Partition) -> None:
    """Refuse a start at which equations are lost that count as soon as it moves."""
    if found.singular:
        raise PartitionError(
            f"equation {next(iter(found.redundant))} depends on others at this configuration, "
            "and only there: it is singular",
            element=f"model '{model.name}'",
            cure="start beside it, for example with one coordinate changed by 0.01",
        )
