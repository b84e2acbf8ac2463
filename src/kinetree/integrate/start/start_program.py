"""The consistent start as a Program: independent values and parameters in, the whole state out.

    u, ud, tau, p → q, qd, qdd, lam       with h(q, t) = 0,  J qd + ht = 0,  J qdd + Jdqd = 0

It is forward dynamics in the independent coordinates, which closes the loops on its way, with
everything that follows left out of its inputs.  So derivatives are those of the closed mechanism,
and many starts are one call of native code.

Refs: Docquier2013 sec. 2.2.1, eqs. 10 to 17
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kinetree.arguments import check_arguments
from kinetree.assembly import Partition
from kinetree.assembly.partition import partition
from kinetree.engine import ZERO, derivation
from kinetree.errors import UnsupportedError
from kinetree.model import Mechanism
from kinetree.pipeline import derive
from kinetree.program import Input, Program, Scheme
from kinetree.program.inline import inline
from kinetree.program.passes import condense

OUTPUTS = {"q": "q_closed", "qd": "qd_closed", "qdd": "qdd", "lam": "lam", "xd": "xd"}
"""Output -> that of forward dynamics which it is, where there is one."""


@derivation()
def start_program(
    model: Mechanism, *, independent: Sequence[str] = (), parameters: str = "run-time"
) -> Program:
    """A state that obeys the loops at all levels, from what can be chosen.

    Args:
        model: the mechanism, with loops or without.
        independent: names of the velocities to choose; by default those that leave the loops best
            solvable for the others.
        parameters: "run-time" keeps masses and lengths as the input p; "folded" makes them numbers.

    Returns:
        Inputs u (independent coordinates; those of the assembled model by default), ud (independent
        velocities, 0 by default), v (where the search for the other coordinates starts; it chooses
        between the ways in which loops close), tau (0 by default), x, t, wrenches, p; outputs q,
        qd, qdd, with loops lam, with user states xd; NaN where the loops do not close.
    """
    check_arguments(start_program, locals())
    if independent and not model.closures:
        raise UnsupportedError(
            f"model '{model.name}' has no loops, so all its coordinates can be chosen",
            element="independent",
            cure="leave independent= out",
        )
    found = None
    if model.closures or model.drives:
        found = partition(model, independent=tuple(independent) or None)
    forward = derive(model, "forward", parameters=parameters, partition=found)
    scheme = Scheme(f"{model.name}_start")
    given = {s for row in _chosen_inputs(model, forward, found) for s in scheme.input(row)}
    for row in forward.inputs:
        if row.name not in ("q", "qd"):
            zeros = (0.0,) * len(row.symbols)
            given |= {*scheme.input(replace(row, default=zeros) if row.name == "tau" else row)}
    # entries of q and qd that drives and loops give are not read
    unread = {s: ZERO for row in forward.inputs for s in row.symbols if s not in given}
    values = inline(scheme, forward, unread)
    for name, source in OUTPUTS.items():
        if source in values:
            scheme.output(name, values[source], None, forward.output(source).labels)
        elif name in ("q", "qd"):
            scheme.output(name, forward.input(name).symbols, None, forward.input(name).labels)
    return condense(scheme.program()).with_info(**{**forward.info, "quantity": "start"})


def _chosen_inputs(model: Mechanism, forward: Program, found: Partition | None) -> list[Input]:
    """The inputs u, ud and v, those that are not empty."""
    q, qd = forward.input("q"), forward.input("qd")
    first = model.initial() if found is None else found.q
    follow = {*found.dependent} if found is not None else set()
    rolling = {*found.rate_dependent} if found is not None else set()
    driven = {name for name, drive in model.drives.items() if drive.law is not None}
    moves = [k for k, name in enumerate(qd.labels) if name not in follow | driven]
    u: list[int] = []
    v: list[int] = []
    for joint in model.leaders:
        whole = {*joint.velocities} <= follow
        for name in joint.coordinates:
            # a quaternion of which some velocities follow is given, and turned along those
            follows = name in follow if joint.nq == joint.nv else whole
            if name not in driven:
                (v if follows else u).append(q.labels.index(name))
    ud = [k for k in moves if qd.labels[k] not in rolling]
    rows = [
        replace(_part(q, "u", u, moves), default=tuple(first[u].tolist())),
        replace(_part(qd, "ud", ud), default=(0.0,) * len(ud)),
        replace(_part(q, "v", v), default=tuple(first[v].tolist())),
    ]
    return [row for row in rows if row.symbols]


def _part(row: Input, name: str, numbers: Sequence[int], moves: Sequence[int] = ()) -> Input:
    """Some components of an input, which change along some of the velocities."""
    place = {k: i for i, k in enumerate(numbers)}
    N = tuple(tuple(row.tangent[k][l] for l in moves) for k in numbers) if row.tangent else ()
    return Input(
        name,
        (len(numbers),),
        tuple(row.symbols[k] for k in numbers),
        labels=tuple(row.labels[k] for k in numbers),
        units=tuple(row.units[k] for k in numbers) if row.units else (),
        tangent=N if moves else (),
        quaternions=tuple(place[k] for k in row.quaternions if k in place),
        locks=tuple((place[k], angle) for k, angle in row.locks if k in place),
    )
