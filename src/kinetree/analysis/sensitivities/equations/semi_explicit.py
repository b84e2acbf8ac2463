"""The tangent of accelerations from the equations before they are solved.

With Γ(u, u̇, ü, p) = M ü + F, the forces that a motion of the independent coordinates takes, and ü
the solution of Γ = τ, the change of ü along a direction solves

    M ü' = τ' - (∂Γ/∂u u' + ∂Γ/∂u̇ u̇' + ∂Γ/∂p δp)        at constant ü                 Eq. (41)

Γ is inverse dynamics with the loops closed; M are its slopes by ü.  The usual way differentiates
the solved equations ü = f(u, u̇, p), Eq. (42).

Refs: Docquier2013 sec. 3.5.2, eqs. 41, 42
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kinetree.engine import ONE, Node, linear, mul
from kinetree.errors import UnsupportedError
from kinetree.pipeline import derive_actuation
from kinetree.program import Input, Note, Output, Program, Scheme
from kinetree.program.differentiate import along, forward_along
from kinetree.program.inline import bindings, inline
from kinetree.program.parameters import join_parameters, parameter_bindings
from kinetree.program.passes import condense
from kinetree.program.state_form import STATE

if TYPE_CHECKING:
    from kinetree.analysis.runs.dynamics import Dynamics
    from kinetree.analysis.sensitivities.directions import ByLabels

RATES = "yd"
REST = "rest"
"""Output: rates of coordinates, and integrands."""


def semi_explicit(system: Dynamics, rates: Program, by: ByLabels) -> Program:
    """The rates and their change along one direction, Eq. (41).

    Args:
        system: of the model.
        rates: of t, y, …: rates of the state, then integrands.
        by: what varies beside the state.

    Returns:
        The Program with inputs of the changes, as `along` has them, and the output yd_dot.
    """
    _refuse(system)
    nq, nv = system.nq, system.nv
    nodes = rates.output(RATES).nodes
    rest = (*nodes[:nq], *nodes[nq + nv :])
    more = replace(rates, outputs=(*rates.outputs, Output(REST, (len(rest),), rest)))
    known = along(condense(more), REST, {STATE: None, **by})
    needed = derive_actuation(system.model, partition=system.partition)
    scheme, inputs = _declare(known, needed)
    found = inline(scheme, known, parameter_bindings(known, inputs.get("p")))
    changes = _accelerations(scheme, system, (known, needed), (found[RATES], by), inputs)
    slopes = found[f"{REST}_dot"]
    whole = [*slopes[:nq], *changes, *slopes[nq:]]
    scheme.output(RATES, found[RATES], (len(whole),))
    scheme.output(f"{RATES}_dot", whole, (len(whole),))
    return condense(scheme.program(**dict(rates.info)))


def _declare(known: Program, needed: Program) -> tuple[Scheme, dict[str, Input]]:
    """A scheme with the inputs of both, and these by name."""
    scheme = Scheme(f"{known.name}_semi_explicit")
    p = [row.input("p") for row in (known, needed) if row.takes("p")]
    rows = {row.name: row for row in known.inputs}
    if p:
        rows["p"] = join_parameters(*p) if len(p) == 2 else p[0]
    for row in rows.values():
        scheme.input(row)
    return scheme, rows


def _accelerations(
    scheme: Scheme, system: Dynamics, programs: tuple[Program, Program],
    given: tuple[Sequence[Node], ByLabels], inputs: Mapping[str, Input],
) -> list[Node]:  # fmt: skip
    """The changes of all accelerations."""
    (known, needed), (yd, by), nq, nv = programs, given, system.nq, system.nv
    names, u = list(system.model.velocities), list(system.independent)
    moves = [_change(known, needed, nq, by), *(_unit(needed, name) for name in u)]
    dots = [row for row in known.inputs if row.name.endswith("_dot")]
    wide = replace(needed, inputs=(*needed.inputs, *dots))
    slopes = forward_along(wide, ["tau", "qdd"], moves)
    y = inputs[STATE].symbols
    values = bindings(needed, q=y[:nq], qd=y[nq : nq + nv], qdd=yd[nq : nq + nv])
    found = inline(scheme, slopes, {**values, **parameter_bindings(needed, inputs.get("p"))})
    tau, qdd = (_rows(found[f"d{name}_dalong"], 1 + len(u)) for name in ("tau", "qdd"))
    rows = [tau[names.index(name)] for name in u]
    own = dict(zip(by.get("tau") or (), _symbols(inputs, "tau_dot"), strict=True))
    right = [
        [own[name] - row[0] if name in own else -row[0]] for name, row in zip(u, rows, strict=True)
    ]
    note = Note(step="change of the accelerations", eq="Docquier2013 eq. (41)")
    X = scheme.solve("udd_d", [list(row[1:]) for row in rows], right, note=note)
    udd = [row[0] for row in X]
    return [
        linear(0, ((row[0], 1), *((mul(a, b), 1) for a, b in zip(row[1:], udd, strict=True))))
        for row in qdd
    ]


def _change(known: Program, needed: Program, nq: int, by: ByLabels) -> dict[Node, Node]:
    """What changes along the direction: all but accelerations."""
    dot = known.input(f"{STATE}_dot").symbols
    q, qd = (needed.input(name).symbols for name in ("q", "qd"))
    found = {**dict(zip(q, dot, strict=False)), **dict(zip(qd, dot[nq:], strict=False))}
    for name, labels in by.items():
        if not needed.takes(name):
            continue
        row, dots = needed.input(name), known.input(f"{name}_dot").symbols
        own = dict(zip(row.labels or map(str, range(6)), row.symbols, strict=True))
        pairs = zip(labels or own, dots, strict=True)
        found |= {own[label]: s for label, s in pairs if label in own}
    return found


def _unit(needed: Program, name: str) -> dict[Node, Node]:
    """One acceleration alone."""
    row = needed.input("qdd")
    return {row.symbols[row.labels.index(name)]: ONE}


def _symbols(inputs: Mapping[str, Input], name: str) -> Sequence[Node]:
    return inputs[name].symbols if name in inputs else ()


def _rows(nodes: Sequence[Node], width: int) -> list[Sequence[Node]]:
    return [nodes[k : k + width] for k in range(0, len(nodes), width)]


def _refuse(system: Dynamics) -> None:
    """Refuse what inverse dynamics do not know of."""
    model, partition = system.model, system.partition
    rolling = partition is not None and partition.rate_dependent
    kinds = {"user states": system.states, "rolling": rolling}
    for what, found in kinds.items():
        if found:
            raise UnsupportedError(
                f"model '{model.name}' has {what}, which the semi-explicit equations leave out",
                element="equations",
                cure="leave equations= out",
            )
    tau = system.loads.fixed.get("tau")
    held = [] if tau is None else [
        name for name, value in zip(model.velocities, tau, strict=True)
        if value and name not in system.independent
    ]  # fmt: skip
    if held:
        raise UnsupportedError(
            f"the effort at '{held[0]}' acts on a velocity that follows from others",
            element="equations",
            cure="leave equations= out, or independent= with this velocity",
        )
