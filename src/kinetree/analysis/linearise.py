"""Linearisation: small motions about a state, in the independent states, by exact derivatives.

    der(z) = A z + B u,   y = C z + D u,   z = [δ, δqd, δx]

δ are small displacements along the independent velocities, der(q) = N(q) qd, so that a quaternion
counts three.  While a body with a quaternion turns, its displacements turn with it:
der(δ) = δqd + K δ, with K from the angular velocity w and the velocity v of the moving frame:

    der(δ_turn) = δw - w × δ_turn,   der(δ_shift) = δv - v × δ_turn - w × δ_shift

Where all coordinates stay and are projected on the loops, what is changed comes out as another
change of the independent states, z = Z z₀; then A = A₀ Z⁻¹, C = C₀ Z⁻¹.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from kinetree.analysis.given.operating_point import (
    Freedom,
    OperatingPoint,
    arrays,
    carried_values,
    freedom,
    given_parts,
    point,
    treat_loops,
)
from kinetree.analysis.observing.attach import attach
from kinetree.analysis.observing.inputs import (
    Chosen,
    Released,
    choose_inputs,
    motion_entries,
    named_drives,
    outside,
    own_inputs,
    release_drives,
)
from kinetree.analysis.observing.program import OUT, with_positions
from kinetree.analysis.runs.dynamics import LOADED, Dynamics, dynamics
from kinetree.analysis.runs.progress import ProgressCall, Share, sharing
from kinetree.arguments import check_arguments, check_options
from kinetree.arrays import Array
from kinetree.engine import derivation, evaluate
from kinetree.errors import UnsupportedError
from kinetree.model import FORCES, Ball, Components, Float, Mechanism, as_mechanism
from kinetree.program import Program, state_form
from kinetree.program.passes import condense
from kinetree.targets.kept import remember

SLOW, STANDING = "slow", 1e9
"""Argument of tyres: the speed below which slip is regularised; a value without slip [m/s]."""


@dataclass(frozen=True)
class Linear:
    """The linear model der(z) = A z + B u, y = C z + D u about a state.

    Attributes:
        A: n × n.
        B: n × m.
        states: names of z: q_NAME, qd_NAME, x_NAME.
        inputs: names of u: tau_NAME, then WRENCH_tx to WRENCH_fz, or those chosen.
        t: time [s].
        q: coordinates at the state.
        qd: velocities there.
        x: user states there.
        qdd: accelerations there; zero at an equilibrium.
        displacements: nv × n, small displacements of all velocities' directions by z.
        velocities: names of the rows of `displacements`.
        C: k × n, changes of the outputs by z.
        D: k × m, changes of the outputs by u.
        outputs: names of y.
        y: values of the outputs at the state.
        standing: tyres that stand still: their slip takes no part.
    """

    A: Array
    B: Array
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    t: float
    q: Array
    qd: Array
    x: Array
    qdd: Array
    displacements: Array
    velocities: tuple[str, ...]
    C: Array
    D: Array
    outputs: tuple[str, ...] = ()
    y: Array = field(default_factory=lambda: np.zeros(0))
    standing: tuple[str, ...] = ()


def linearise(
    model: Mechanism | Components,
    at: Any = None,
    *,
    t: float = 0.0,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    progress: bool | ProgressCall | None = None,
    **options: Any,
) -> Linear:
    """The linear model of small motions.

    The law of slip has no value at a standstill, and what stands in for it there is a damper of any
    strength.  So about a state of rest tyres carry, but do not resist slip.

    Args:
        model: the mechanism.
        at: none for the initial coordinates at rest, a mapping with any of q, qd, x, t, an
            `Equilibrium` (with its efforts and parameters), a run (its last time) or a point of one
            (``run.isel(time=7)``), with its parameters.
        t: time of laws and drives where `at` gives none [s].
        outputs: names of what C and D tell of, such as "strut.force" (`kinetree.model.outputs`);
            by default the model's own.
        inputs: names of what B and D tell of: tau_NAME, a wrench or a component of it (WRENCH_fz),
            a parameter, or of a driven coordinate qdd_NAME, so that its q and qd are states, or
            q_NAME, qd_NAME and qdd_NAME, each with the others held; they take the place of its law.
            By default all efforts and wrenches, while driven coordinates are held.
        progress: show how far it is; by default on a terminal when it takes long.  A function is
            told the share done, 0 to 1, and ends it by returning True; nothing is kept then.
        **options: tau, wrenches (constant), parameters by name; formalism, loops and
            base_parameters of `derive`; of a closed system partition or independent.
    """
    check_arguments(linearise, locals())
    model, inputs = as_mechanism(model), own_inputs(model, inputs)
    check_options("linearise", options, LOADED)
    options |= {name: x for name, x in carried_values(at).items() if options.get(name) is None}
    options, given = treat_loops(model, options), given_parts(at)
    with sharing(progress, "linearise") as share:
        return _linearise(model, given, float(given.get("t", t)), (outputs, inputs), options, share)


def _linearise(
    model: Mechanism,
    given: Mapping[str, Any],
    t: float,
    chosen: tuple[Sequence[str] | None, Sequence[str] | None],
    options: dict[str, Any],
    share: Share,
) -> Linear:
    """The linear model about a given point with chosen outputs and inputs, stage by stage."""
    outputs, inputs = chosen
    start = given.get("q"), given.get("qd")
    with share.part(0.0, 0.3):
        made = release_drives(model, inputs, t, start, options.get("parameters"))
        system = dynamics(made.model, q=made.q, t=t, **options)
    with share.part(0.3, 0.4):
        where = point(system, {**given, "q": made.q, "qd": made.qd}, t)
        other, standing = let_tyres_stand(made.model) if not where.qd.any() else (made.model, ())
        if standing:
            system = dynamics(other, q=where.q, t=t, **options)
        seen = with_positions(system.model, outputs, ())
        whole = system.forward if seen is None else attach(system.forward, seen.program)
    with share.part(0.4, 0.5):
        free = _with_drives(system, freedom(system), named_drives(made.model, inputs))
        entries = _choose(whole, system, made, inputs)
        motions = _small_motions(system, whole, entries, outputs)
    with share.part(0.5, 1.0):
        given = {**arrays(system, where, motions.forward), **entries.first_values}
        found = _linear(system, where, free, (motions, given))
    return _give_motions(replace(found, standing=standing), made.model.drives)


def _choose(
    whole: Program, system: Dynamics, made: Released, inputs: Sequence[str] | None
) -> Chosen:
    """The inputs; drives that they take the place of accelerate as their laws had it."""
    first = dict(system.loads.fixed)
    if made.qdd:
        first["qdd"] = np.array([made.qdd.get(name, 0.0) for name in whole.input("qdd").labels])
    if inputs is None:
        inputs = [row.name for row in outside(whole) if row.name != "qdd"]
    return choose_inputs(whole, inputs, first, motion_entries(whole, made.model.drives))


def _with_drives(system: Dynamics, free: Freedom, drives: Sequence[str]) -> Freedom:
    """What may change with these driven coordinates, whose accelerations are given."""
    more = {system.model.velocities.index(name) for name in drives}
    return Freedom(tuple(sorted({*free.u, *more})), tuple(sorted({*free.w, *more})))


def _give_motions(linear: Linear, drives: Iterable[str]) -> Linear:
    """Driven coordinates whose q or qd is an input are no states: their columns go to B and D."""
    parts = {n: (f"q_{n}", f"qd_{n}") for n in drives}
    out = [name for pair in parts.values() if {*pair} & {*linear.inputs} for name in pair]
    if not out:
        return linear
    kept = [k for k, name in enumerate(linear.states) if name not in out]
    B, D = linear.B.copy(), linear.D.copy()
    for name in {*out} & {*linear.inputs}:
        state, column = linear.states.index(name), linear.inputs.index(name)
        B[:, column], D[:, column] = linear.A[:, state], linear.C[:, state]
    states = tuple(linear.states[k] for k in kept)
    A, C, spread = linear.A[np.ix_(kept, kept)], linear.C[:, kept], linear.displacements[:, kept]
    return replace(linear, A=A, B=B[kept], C=C, D=D, states=states, displacements=spread)


def let_tyres_stand(model: Mechanism) -> tuple[Mechanism, tuple[str, ...]]:
    """The mechanism whose tyres do not resist slip, and their names."""
    tyres = {name: force for name, force in model.forces.items()
             if SLOW in FORCES[force.kind].options}  # fmt: skip
    other = copy(model)
    other.forces = dict(model.forces)
    for name, force in tyres.items():
        arguments, scalars = ({**part, SLOW: STANDING} for part in (force.arguments, force.scalars))
        other.forces[name] = replace(force, arguments=arguments, scalars=scalars)
    return (other if tyres else model), tuple(tyres)


class SmallMotions(NamedTuple):
    """Forward dynamics with the inputs t, q, qd, x, u, p, and their changes (see `along`)."""

    forward: Program
    changes: Program
    of: tuple[str, ...]
    by: tuple[str, ...]


def _small_motions(
    system: Dynamics, whole: Program, chosen: Chosen, outputs: Sequence[str] | None
) -> SmallMotions:
    """The changes of a Program of the forward dynamics; derived once for equal models."""

    def make() -> SmallMotions:
        forward = _with_inputs(whole, chosen)
        parts = [row.name for row in state_form.state_parts(forward)]
        of = [name for name in ("qdd", "xd", "q_closed", "qd_closed", OUT) if forward.gives(name)]
        by = [*parts, *(["u"] if forward.takes("u") else [])]
        return SmallMotions(forward, forward.along(of, by, tangent=True), tuple(of), tuple(by))

    if system.model.equations is not None:  # those that others sorted may have other names
        return make()
    names = [[entry.name for entry in rows] for rows in (chosen.inputs, chosen.parameters)]
    asked = repr((None if outputs is None else list(outputs), names))
    return remember(make, "small motions", system.model, system.forms.forward.digest, asked)


@derivation()
def _with_inputs(whole: Program, chosen: Chosen) -> Program:
    """Forward dynamics with the inputs t, q, qd, x, u, p."""
    kept = [row for row in whole.inputs if row.name in ("t", *state_form.PARTS)]
    more = [row for row in (chosen.u, chosen.p) if row is not None]
    flat = replace(whole, inputs=(*kept, *more), preamble=(), blocks=whole.all_blocks)
    return condense(flat)


def _linear(
    system: Dynamics, at: OperatingPoint, free: Freedom,
    small: tuple[SmallMotions, Mapping[str, Any]],
) -> Linear:  # fmt: skip
    forward, out = small[0].forward, _derivatives(*small)
    T = _displacements(system, at, out)
    u, w, x = list(free.u), list(free.w), system.changing
    by_x = [f"d{name}_dx" for name in ("qdd", "xd", OUT)]
    out = {**out, **{name: out[name][:, x] for name in by_x if name in out}}
    # der(δ) of all directions by δ, δqd, δx: δqd + K δ
    by_q, by_v = _rate_derivatives(system, out)
    rows = [_row(by_q + _turning(system, at) @ T, by_v, None, free)[u]]
    rows.append(_row(out["dqdd_dq"], out["dqdd_dqd"], out.get("dqdd_dx"), free)[w])
    if "xd" in out:
        rows.append(_row(out["dxd_dq"], out["dxd_dqd"], out["dxd_dx"], free)[x])
    width = len(u) + len(w) + len(x)
    A = np.concatenate([_wide(row, width) for row in rows])
    m = len(forward.input("u").labels) if forward.takes("u") else 0
    B = np.concatenate([_by_inputs(out, name, kept, m) for name, kept in _blocks(u, w, x)])
    spread = np.zeros((system.nv, width))
    spread[:, : len(u)] = T[:, u]
    C, D, labels, y = _of_outputs(forward, out, free, (width, m))
    if system.closed and not system.explicit:
        moved = [_row(T, 0 * by_v, None, free)[u], _row(by_q, by_v, None, free)[w]]
        Z = np.concatenate([*(_wide(row, width) for row in moved), np.eye(width)[width - len(x) :]])
        A, spread, C = (np.linalg.solve(Z.T, part.T).T for part in (A, spread, C))
    return Linear(
        A, B, _state_names(system, free), forward.input("u").labels if m else (),
        at.t, at.q, at.qd, at.x, out["qdd"], spread, tuple(system.model.velocities),
        C, D, labels, y,
    )  # fmt: skip


def _derivatives(motions: SmallMotions, given: Mapping[str, Any]) -> dict[str, Array]:
    """Outputs, and d{of}_d{by} of each by each, one direction beside the other."""
    forward, program, of, by = motions
    sizes = [len(program.input(f"{name}_dot").symbols) for name in by]
    if not sum(sizes):
        raise UnsupportedError(
            "nothing in it can move and nothing acts on it",
            element=f"program '{forward.name}'",
            cure="linearise a model with a joint, a state or an input",
        )
    unit = np.eye(sum(sizes))
    places = np.split(np.arange(len(unit)), np.cumsum(sizes)[:-1])
    changes = {f"{name}_dot": unit[:, at] for name, at in zip(by, places, strict=True)}
    with np.errstate(all="ignore"):
        found = program.evaluate(**given, **changes)
    out = {row.name: _one(found[row.name], row.shape) for row in forward.outputs}
    for name in of:
        columns = np.broadcast_to(found[f"{name}_dot"], (len(unit), *forward.output(name).shape))
        for other, at in zip(by, places, strict=True):
            out[f"d{name}_d{other}"] = columns.T[:, at]
    return out


def _one(values: Array, shape: tuple[int, ...]) -> Array:
    """The value of an output that is the same along all directions."""
    return values if values.ndim == len(shape) else values[0]


def _of_outputs(
    forward: Program, out: Mapping[str, Array], free: Freedom, sizes: tuple[int, int]
) -> tuple[Array, Array, tuple[str, ...], Array]:
    """C, D, names and values of the outputs; no rows where there are none."""
    width, m = sizes
    if not forward.gives(OUT):
        return np.zeros((0, width)), np.zeros((0, m)), (), np.zeros(0)
    labels = forward.output(OUT).labels
    C = _row(out["dout_dq"], out["dout_dqd"], out.get("dout_dx"), free)
    D = _by_inputs(out, OUT, list(range(len(labels))), m)
    return _wide(C, width), D, labels, out[OUT]


def _rate_derivatives(system: Dynamics, out: Mapping[str, Array]) -> tuple[Array, Array]:
    """Derivatives of the consistent velocities by displacements and by velocities."""
    if "dqd_closed_dq" in out:
        return out["dqd_closed_dq"], out["dqd_closed_dqd"]
    return np.zeros((system.nv, system.nv)), np.eye(system.nv)


def _row(by_q: Array, by_v: Array, by_x: Array | None, free: Freedom) -> Array:
    """Derivatives by the independent states side by side."""
    parts = [by_q[:, list(free.u)], by_v[:, list(free.w)]]
    return np.concatenate(parts if by_x is None else [*parts, by_x], axis=1)


def _wide(row: Array, width: int) -> Array:
    return np.concatenate([row, np.zeros((len(row), width - row.shape[1]))], axis=1)


def _blocks(u: list[int], w: list[int], x: list[int]) -> list[tuple[str, list[int]]]:
    """Output whose derivatives by the inputs fill each block of rows."""
    return [("qd_closed", u), ("qdd", w), *([("xd", x)] if x else [])]


def _by_inputs(out: Mapping[str, Array], name: str, kept: list[int], count: int) -> Array:
    """Some rows of the derivatives of an output by the inputs; zeros where there are none."""
    found = out.get(f"d{name}_du")
    return np.zeros((len(kept), count)) if found is None else found[kept]


def _displacements(system: Dynamics, at: OperatingPoint, out: Mapping[str, Array]) -> Array:
    """nv × nv: displacements of all directions by those of the independent ones."""
    if "dq_closed_dq" not in out:
        return np.eye(system.nv)
    row = system.forward.input("q")
    if not row.tangent:
        return out["dq_closed_dq"]
    known = dict(zip(row.symbols, at.q, strict=True))
    flat = evaluate([x for line in row.tangent for x in line], known)
    N = np.array(flat, dtype=float).reshape(system.nq, system.nv)
    return np.asarray(np.linalg.pinv(N) @ out["dq_closed_dq"])


def _turning(system: Dynamics, at: OperatingPoint) -> Array:
    """K: how displacements of bodies with quaternions turn with their frames."""
    K = np.zeros((system.nv, system.nv))
    k = 0
    for joint in system.model.leaders:
        for motion in joint.motions:
            turn, shift = slice(k, k + 3), slice(k + 3, k + 6)
            if isinstance(motion, Ball | Float):
                K[turn, turn] = -_cross(at.qd[turn])
            if isinstance(motion, Float):
                K[shift, turn] = -_cross(at.qd[shift])
                K[shift, shift] = K[turn, turn]
            k += motion.nv
    return K


def _cross(v: Array) -> Array:
    x, y, z = v
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def _state_names(system: Dynamics, free: Freedom) -> tuple[str, ...]:
    names = system.model.velocities
    return (
        *(f"q_{names[k]}" for k in free.u),
        *(f"qd_{names[k]}" for k in free.w),
        *(f"x_{system.states[k]}" for k in system.changing),
    )
