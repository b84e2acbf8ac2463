"""The equations that travel: der(y), outputs, events and what they change, projection, derivatives.

    der(y), out, g = equations(t, y, u, p)

y = [q, qd, x] are all coordinates, velocities and user states, u all efforts and wrenches, p the
parameters.  A closed system keeps all q and qd as states: the equations close the loops from the
independent ones by Newton's method, the others are its start values, so der(y) depends on nothing
but its arguments and errors of the dependent states do not grow.  The projection puts these back on
the loops.  Conditions of events are the last of g; what events change is a Program of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from kinetree.analysis.given.initial_state import initial_state
from kinetree.analysis.given.loads import Loads
from kinetree.analysis.observing.attach import attach
from kinetree.analysis.observing.inputs import Chosen, choose_inputs
from kinetree.analysis.observing.program import OUT, Observed
from kinetree.analysis.runs.dynamics import Dynamics
from kinetree.analysis.runs.events import WatchRow, changes, effects
from kinetree.arrays import Array
from kinetree.assembly import Values
from kinetree.engine import Node, Rank, derivation, symbol
from kinetree.errors import UnsupportedError
from kinetree.program import Block, Input, Output, Program, state_form
from kinetree.program.events import crossings
from kinetree.program.passes import condense, dead

ARGUMENTS = ("t", state_form.STATE, "u", "p")
"""Inputs of every Program here; u and p are absent where the model has none."""
RESULTS = ("yd", "out", "g")
"""Outputs of the equations; the last two are absent where there are none."""


FORCES = ("lam", "hold", "grip", "contact")
"""Forces that are always outputs: of loops, of locks and dry friction, of stops."""


@dataclass(frozen=True)
class ModelPrograms:
    """The Programs of a model, all of t, y, u, p, and the state to start from.

    Attributes:
        main: outputs yd, out, g.
        projection: output y, the consistent state; none where every y is consistent.
        start: consistent initial y.
        inputs: initial u.
        t0: time at which it is consistent [s].
        tied: names of the states that follow from others; the start values of these are guesses.
        units: of the outputs.
        update: of `fired`, too, a mark per event; output y after these events, not projected; none
            where there are no events.
        happenings: these events, conditions first: the last of g are theirs.
        held: names of the states that only events change.
        memories: numbers of the states that the projection brings up to date after every step.
        sampled: name of each state that is found at ticks -> name of its clock.
    """

    main: Program
    projection: Program | None
    start: Array
    inputs: tuple[float, ...] = ()
    t0: float = 0.0
    tied: frozenset[str] = frozenset()
    units: tuple[str, ...] = ()
    update: Program | None = None
    happenings: tuple[WatchRow, ...] = ()
    held: frozenset[str] = frozenset()
    memories: tuple[int, ...] = ()
    sampled: Mapping[str, str] = field(default_factory=dict)

    @property
    def moving(self) -> list[int]:
        """Numbers of the states that have rates."""
        return [k for k, label in enumerate(self.labels("y")) if label not in self.held]

    @property
    def conditions(self) -> tuple[WatchRow, ...]:
        """The events that happen where a condition passes zero."""
        return tuple(row for row in self.happenings if row.node is not None)

    @property
    def clocks(self) -> tuple[WatchRow, ...]:
        """The events at given times."""
        return tuple(row for row in self.happenings if row.node is None)

    def row(self, name: str) -> Input | None:
        """An input of the equations; none where there is no such."""
        return next((row for row in self.main.inputs if row.name == name), None)

    def labels(self, name: str) -> tuple[str, ...]:
        """Names of the components of an input or output; empty where it is absent."""
        rows: tuple[Input | Output, ...] = (*self.main.inputs, *self.main.outputs)
        return next((row.labels for row in rows if row.name == name), ())

    def results(self) -> tuple[str, ...]:
        """Names of the outputs that are there."""
        return tuple(out.name for out in self.main.outputs)


def equations(  # noqa: PLR0913  one argument per decision
    dynamics: Dynamics,
    name: str,
    seen: Observed | None = None,
    *,
    inputs: Sequence[str] | None = None,
    at: tuple[Values, Values, Values] = (None, None, None),
    t0: float = 0.0,
    events: bool = True,
) -> ModelPrograms:
    """The Programs of a model.

    Args:
        dynamics: its equations of motion.
        name: what names of Programs begin with.
        seen: outputs beside the forces that close loops.
        inputs: names of the inputs; by default all efforts and wrenches.
        at: q, qd, x to start from, all or by name; by default the model's.
        t0: time at which it starts [s].
        events: whether the conditions of branches are outputs, too; those of events always are.
    """
    forward, rows = effects(dynamics)
    whole = forward if seen is None else attach(forward, seen.program)
    chosen = choose_inputs(whole, inputs, _constant(dynamics.loads))
    main, projection = programs(whole, name, chosen, rows, events=events)
    start = initial_state(dynamics, t0, *at)
    update = _update(forward, main, name, rows) if rows else None
    tied, units = _tied_states(dynamics), output_units(forward, seen)
    states = {f"x_{name}": row for name, row in dynamics.model.states.items()}
    held = frozenset(name for name, row in states.items() if row.held)
    sampled = {name: row.clock for name, row in states.items() if row.clock}
    return ModelPrograms(
        main, projection, start, chosen.values, t0, tied, units, update, rows, held,
        tuple(dynamics.memories), sampled,
    )  # fmt: skip


@derivation()
def programs(
    forward: Program,
    name: str,
    chosen: Chosen,
    rows: Sequence[WatchRow] = (),
    *,
    events: bool = True,
) -> tuple[Program, Program | None]:
    """The Programs of the equations and of the projection, from those of forward dynamics.

    Args:
        forward: forward dynamics, with outputs as `out`.
        name: what names of Programs begin with.
        chosen: what comes from outside.
        rows: events that change something.
        events: whether the conditions of branches are outputs, too.
    """
    whole = _write(forward, chosen)
    found = crossings(dead(whole))
    branches = found.nodes if events else ()
    happen = [row for row in rows if row.node is not None]
    names = [*range(1, len(branches) + 1), *(row.watch.name for row in happen)]
    if names:
        nodes = (*branches, *(row.node for row in happen if row.node is not None))
        labels = tuple(f"event[{name}]" for name in names)
        g = replace(found, name="g", shape=(len(nodes),), nodes=nodes, labels=labels)
        whole = replace(whole, outputs=(*whole.outputs, g))
    main = condense(replace(whole, name=f"{name}_equations"))
    projection = state_form.projection(forward)
    if projection is not None:
        projection = replace(projection, inputs=main.inputs, name=f"{name}_projection")
    return main, projection


@derivation()
def _update(forward: Program, main: Program, name: str, rows: Sequence[WatchRow]) -> Program:
    """The Program of the state after events."""
    fired, out = changes(forward, rows)
    inputs = (*main.inputs, fired)
    return condense(replace(forward, name=f"{name}_update", inputs=inputs, outputs=(out,)))


def output_units(forward: Program, seen: Observed | None = None) -> tuple[str, ...]:
    """Units of the outputs: unknown ones of forces, then of the others."""
    count = sum(len(forward.output(name).nodes) for name in FORCES if forward.gives(name))
    return ("",) * count + (() if seen is None else seen.units)


def _constant(loads: Loads) -> Mapping[str, Array]:
    """The loads of an analysis, refused where they change during a run."""
    if not loads.constant:
        raise UnsupportedError(
            "a Python function gives them, which C cannot call",
            element="tau or wrenches",
            cure="write it as a law of the model: joint_law, external or force_law",
        )
    return loads.fixed


def _tied_states(dynamics: Dynamics) -> frozenset[str]:
    """Names of the states that follow from others."""
    found, model = dynamics.partition, dynamics.model
    if found is None:
        return frozenset(_renewed_states(dynamics.forward))
    tied, slow = set(model.velocities), set(model.velocities)
    if dynamics.explicit:
        tied = {*found.dependent, *found.driven}
        slow = {*tied, *found.rate_dependent}
    # components of quaternions carry no name of a velocity
    moved = [q for q in model.coordinates if q in tied or q not in model.velocities]
    return frozenset([f"q_{name}" for name in moved] + [f"qd_{name}" for name in slow])


def _renewed_states(forward: Program) -> list[str]:
    """Names of the states from which iterations begin."""
    if not forward.gives("x_closed"):
        return []
    x = forward.input("x")
    rows = zip(x.labels, x.symbols, forward.output("x_closed").nodes, strict=False)
    return [f"x_{label}" for label, old, new in rows if old is not new]


def _write(forward: Program, chosen: Chosen) -> Program:
    """der(y) and the outputs in one Program, not condensed."""
    yd = state_form.state_rates(forward)
    inputs = _inputs(forward, chosen)
    nodes: list[Node] = []
    labels: list[str] = []
    for name in FORCES:
        if forward.gives(name):
            nodes += forward.output(name).nodes
            labels += [f"{name}_{label}" for label in forward.output(name).labels]
    if forward.gives(OUT):
        nodes += forward.output(OUT).nodes
        labels += forward.output(OUT).labels
    outputs = (
        Output("yd", (len(yd),), yd, tuple(f"der({label})" for label in inputs[1].labels)),
        Output("out", (len(nodes),), tuple(nodes), tuple(labels)),
    )
    kept = tuple(out for out in outputs if out.nodes)
    blocks = forward.all_blocks
    return replace(forward, inputs=tuple(inputs), preamble=(), blocks=blocks, outputs=kept)


def _inputs(forward: Program, chosen: Chosen) -> list[Input]:
    """t, y, u, p from the inputs of forward dynamics."""
    time, state, *_ = state_form.state_inputs(forward)
    state = replace(state, units=state_form.state_units(forward))
    return [time, state, *(row for row in (chosen.u, chosen.p) if row is not None)]


# --- derivatives ---------------------------------------------------------------------------------


def directional(found: ModelPrograms, name: str) -> Program:
    """The Program of the change of all results along one direction in t, y, u, p.

    Inputs are those of the equations and seed, the direction, in their order; outputs are dyd, dout
    and dg.  One direction costs a small multiple of the equations however many components it has.
    """
    main = found.main
    labels = [label for row in main.inputs for label in (row.labels or ("",) * len(row.symbols))]
    symbols = tuple(s for row in main.inputs for s in row.symbols)
    seeds = tuple(symbol(f"seed[{k}]", Rank.FORCE) for k in range(len(symbols)))
    size = (len(symbols),)
    along = tuple((seed,) for seed in seeds)
    z = Input("z", size, symbols, None, False, tuple(labels), (), along)
    seed = Input("seed", size, seeds, None, False, tuple(labels))
    blocks: tuple[Block, ...] = main.all_blocks
    flat = replace(main, inputs=(z, seed), preamble=(), blocks=blocks)
    moved = flat.derivative(found.results(), "z", tangent=True, only=True)
    outputs = tuple(
        replace(out, name=f"d{row.name}", shape=row.shape, labels=row.labels)
        for out, row in zip(moved.outputs, main.outputs, strict=True)
    )
    return condense(
        replace(
            moved,
            name=f"{name}_directional",
            inputs=(*main.inputs, seed),
            preamble=(),
            blocks=moved.all_blocks,
            outputs=outputs,
        )
    )


def adjoint(found: ModelPrograms, name: str) -> Program:
    """The Program of the change of a weighted sum of all results by t, y, u and p.

    Inputs are those of the equations and weights yd_bar, out_bar, g_bar; outputs are t_bar, y_bar,
    u_bar and p_bar.
    """
    by = tuple(row.name for row in found.main.inputs)
    bars = found.main.adjoint(found.results(), by, only=True)
    return replace(bars, name=f"{name}_adjoint")
