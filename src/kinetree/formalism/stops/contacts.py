"""Forward dynamics with stops, whatever the formalism and the loops.

Accelerations depend on efforts as qdd = qdd₀ + X f, where column k of X answers to an effort Jᵀ of
a unit force in gap k.  X is the derivative of forward dynamics along these efforts, so it knows the
loops, the locks and the joints that stick, and costs what the recursion costs once more per gap.
With A = J X the forces of the gaps in contact obey

    A f + J qdd₀ + Jdqd + 2κ s(rate) + κ² s(gap) = 0,      s(x) = x³/(x² + δ²)

where κ brings back what errors moved by more than δ: below it nothing is stiff.  The same X gives
the velocities after impulses; joints that stick by friction give way to them, locks do not.

Refs: GlockerPfeiffer1995; Baumgarte1972
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from kinetree.engine import ONE, ZERO, Node, Rank, add, call, mul, select, symbol
from kinetree.errors import ModelError, UnsupportedError
from kinetree.formalism.stops.contact_modes import (
    DRIFT,
    HELD,
    KEEP,
    LEAST,
    SLACK,
    Contact,
    ContactStep,
    solve_active,
)
from kinetree.formalism.stops.pinned import Pinned, pinned_joints
from kinetree.model import Mechanism, dot, state_symbol
from kinetree.program import Assign, Input, Note, Program, Scheme
from kinetree.program.complementarity import HALF
from kinetree.program.inline import bindings, inline
from kinetree.program.parameters import join_parameters, parameter_bindings, parameters_of
from kinetree.program.passes import condense
from kinetree.program.sort_blocks import sort_blocks

AFFINE = ("qdd", "lam", "hold", "grip")
"""Outputs that efforts change in proportion."""
DECIDED = ("modes", "rest", "slip")
"""Outputs of dry friction: what it decides."""
NOTE = Note(step="forces of contacts", eq="GlockerPfeiffer1995")
NodeTuple = tuple[Node, ...]


def with_stops(forward: Program, gaps: Program, model: Mechanism) -> Program:
    """Forward dynamics that stops take part in.

    Args:
        forward: without them.
        gaps: the quantity "gaps" of the same model.
        model: the mechanism.

    Returns:
        The Program with the further outputs gap and contact (forces in the gaps), modes, rest
        (velocities) and slip, by which modes and velocities change (`contact_modes`).
    """
    _refuse(gaps, model)
    page = _Page(forward, gaps, pinned_joints(model))
    page.write()
    return condense(sort_blocks(page.scheme.program(**dict(forward.info))))


def _refuse(gaps: Program, model: Mechanism) -> None:
    """Refuse stops that no force can keep."""
    for force in model.forces.values():
        joint = str(force.arguments.get("joint"))
        if force.kind == "joint_stop" and model.velocity_of(joint) in model.drives:
            raise UnsupportedError(
                f"coordinate '{joint}' is driven, so nothing can stop it",
                element=f"force '{force.name}'",
                cure="remove the drive, or the stop",
            )
        if force.kind == "joint_lock" and force.laws["locked"][0].is_number:
            _refuse_locked(force.arguments["joint"], force.name, model)
    n = gaps.output("J").shape[1]
    for k, label in enumerate(gaps.output("gap").labels):
        if all(x is ZERO for x in gaps.output("J").nodes[k * n : k * n + n]):
            raise ModelError(
                "no coordinate changes its gap",
                element=f"stop '{label}'",
                cure="use q in it, or points that move",
            )


def _refuse_locked(velocity: str, lock: str, model: Mechanism) -> None:
    for force in model.forces.values():
        if force.kind == "joint_stop" and model.velocity_of(force.arguments["joint"]) == velocity:
            raise UnsupportedError(
                f"force '{lock}' locks its joint for ever",
                element=f"force '{force.name}'",
                cure="let a mode lock it, or remove one of them",
            )


@dataclass(frozen=True)
class _Answer:
    """Outputs of forward dynamics at some efforts, and their change by forces in the gaps."""

    outputs: Mapping[str, NodeTuple]
    count: int

    def column(self, name: str, k: int) -> NodeTuple:
        """Change of an output by a unit force in gap k."""
        return self.outputs[f"d{name}_dtau"][k :: self.count]

    def along(self, rows: Sequence[NodeTuple]) -> list[list[Node]]:
        """J X: accelerations of the gaps by unit forces in them."""
        return [[dot(row, self.column("qdd", k)) for k in range(self.count)] for row in rows]


class _Page:
    """Forward dynamics with stops being written."""

    def __init__(self, forward: Program, gaps: Program, pinned: Sequence[Pinned]) -> None:
        self.forward, self.gaps, self.pinned = forward, gaps, pinned
        self.labels = gaps.output("gap").labels
        self.scheme = Scheme(forward.name)
        own, more = parameters_of(forward), parameters_of(gaps)
        self.p = join_parameters(own, more) if own and more else own or more
        for row in _inputs(forward, self.p):
            self.scheme.input(row)
        self.seeds = self._seeds()
        self.friction = forward.output("modes").labels if forward.gives("modes") else ()

    def _seeds(self) -> list[NodeTuple]:
        """J under names that are defined later, once the loops are closed; its numbers as such."""
        n = self.gaps.output("J").shape[1]
        rows = []
        for k in range(len(self.labels)):
            line = self.gaps.output("J").nodes[k * n : k * n + n]
            names = [self.scheme.fresh(f"J_{k + 1}_{j + 1}") for j in range(n)]
            rows.append(
                tuple(
                    x if x.is_number else symbol(name, Rank.LOCAL)
                    for x, name in zip(line, names, strict=True)
                )
            )
        return rows

    def write(self) -> None:
        """Write all outputs."""
        free = self._answer({})
        motion = self._motion(free)
        A = self._let_matrix("A", free.along(self.seeds))
        falling = [
            self.scheme.let(f"fall_{k + 1}", dot(self.seeds[k], free.outputs["qdd"]) + bias)
            for k, bias in enumerate(motion["Jdqd"])
        ]
        force = self._forces(motion, A, falling)
        slack = self._slack(free.outputs["qdd"], motion)
        rows = [
            Contact(
                state_symbol(label), motion["gap"][k], motion["rate"][k],
                motion["restitution"][k], motion["shortest"][k], force[k],
                falling[k] + dot(A[k], force), A[k][k], slack[k], self._borne(label),
            )
            for k, label in enumerate(self.labels)
        ]  # fmt: skip
        self._write_forces(free, motion, force)
        self._write_changes(rows, force, free, A)

    def _forces(
        self, motion: Mapping[str, NodeTuple], A: list[list[Node]], falling: Sequence[Node]
    ) -> list[Node]:
        """Forces of the gaps in contact; 0 in others."""
        kept = [
            a + 2 * KEEP * _beyond(rate) + KEEP**2 * _beyond(gap)
            for a, rate, gap in zip(falling, motion["rate"], motion["gap"], strict=True)
        ]
        held = [
            select(HALF - call("abs", state_symbol(label) - HELD), ONE, ZERO)
            for label in self.labels
        ]
        return solve_active(self.scheme, "contact", A, kept, held)

    def _borne(self, label: str) -> Node:
        """1 where the dry friction of the joint of a stop holds it, else 0."""
        return next((joint.sticks for joint in self.pinned if label in joint.ways), ZERO)

    def _pin(self, rub: dict[str, dict[str, Node]], at: Mapping[str, Node]) -> None:
        """Let friction act towards the stops that joints are in contact with."""
        for joint in self.pinned:
            way, v = joint.way, joint.velocity
            held = call("abs", way) - HALF
            rub["modes"][joint.mode] = select(held, way, rub["modes"][joint.mode])
            rub["slip"][joint.mode] = select(held, -ONE, rub["slip"][joint.mode])
            rub["rest"][v] = select(held, at[v], rub["rest"].get(v, at[v]))

    def _slack(self, qdd: NodeTuple, motion: Mapping[str, NodeTuple]) -> list[Node]:
        """Accelerations of gaps that are as good as none."""
        weight = add(ZERO, *[call("abs", g) for g in motion["gravity"]])
        return [
            SLACK * (_size((*zip(row, qdd, strict=True), (bias, ONE))) + weight) + LEAST
            for row, bias in zip(self.seeds, motion["Jdqd"], strict=True)
        ]

    @property
    def _all(self) -> range:
        return range(len(self.labels))

    def _answer(self, values: Mapping[Node, Node]) -> _Answer:
        """Forward dynamics and its change along the efforts of forces in the gaps."""
        along = tuple(zip(*self.seeds, strict=True))
        inputs = tuple(
            replace(row, tangent=along) if row.name == "tau" else row for row in self.forward.inputs
        )
        of = [name for name in AFFINE if self.forward.gives(name)]
        moved = replace(self.forward, inputs=inputs)
        program = moved.derivative(of, "tau", tangent=True, condensed=False)
        return _Answer(inline(self.scheme, program, values), len(self.labels))

    def _motion(self, free: _Answer) -> Mapping[str, NodeTuple]:
        """The gaps at the consistent state; J gets its names."""
        found, gaps = free.outputs, self.gaps
        q = found.get("q_closed", self.forward.input("q").symbols)
        qd = found.get("qd_closed", self.forward.input("qd").symbols)
        self.qd = qd
        values = bindings(gaps, q=q, qd=qd) | parameter_bindings(gaps, self.p)
        motion = inline(self.scheme, gaps, values)
        names = [s for row in self.seeds for s in row]
        for s, x in zip(names, motion["J"], strict=True):
            if not s.is_number:
                self.scheme.define(Assign(s, x, Note(step="gradient of a gap")))
        return motion

    def _let_matrix(self, stem: str, rows: list[list[Node]]) -> list[list[Node]]:
        """The elements of a symmetric matrix, named."""
        named = [
            [
                self.scheme.let(f"{stem}_{i + 1}_{j + 1}", x, NOTE)
                for j, x in enumerate(row[: i + 1])
            ]
            for i, row in enumerate(rows)
        ]
        return [[named[max(i, j)][min(i, j)] for j in self._all] for i in self._all]

    def _write_forces(
        self, free: _Answer, motion: Mapping[str, NodeTuple], force: Sequence[Node]
    ) -> None:
        """Write what forces change, and what they do not."""
        for out in self.forward.outputs:
            if out.name in DECIDED:
                continue
            nodes = free.outputs[out.name]
            if out.name in AFFINE:
                columns = [free.column(out.name, k) for k in self._all]
                nodes = tuple(
                    x + dot(force, [column[i] for column in columns]) for i, x in enumerate(nodes)
                )
            self.scheme.output(out.name, nodes, out.shape, out.labels)
        self.scheme.output("gap", motion["gap"], None, self.labels)
        self.scheme.output("contact", force, None, self.labels)

    def _write_changes(
        self, rows: list[Contact], force: Sequence[Node], free: _Answer, A: list[list[Node]]
    ) -> None:
        """Write modes, rest and slip, those of dry friction included."""
        names = self.forward.input("qd").labels
        old = {label: state_symbol(label) for label in self.friction}
        at = dict(zip(names, self.qd, strict=True))
        rub = self._rub(force)
        self._pin(rub, at)
        waits = [call("abs", new - old[label]) for label, new in rub["modes"].items()]
        waits += [call("abs", new - at[name]) for name, new in rub["rest"].items()]
        size = _size([pair for row in self.seeds for pair in zip(row, self.qd, strict=True)])
        columns, A = self._give(rows, free, A)
        step = ContactStep(self.scheme, rows, A, size, add(ZERO, *waits))
        jump = [add(ZERO, *[mul(f, c[i]) for f, c in zip(step.impulses, columns, strict=True)])
                for i in range(len(names))]  # fmt: skip
        quiet = HALF - step.busy
        after = {name: v + dv for name, v, dv in zip(names, self.qd, jump, strict=True)}
        after |= {name: select(quiet, new, after[name]) for name, new in rub["rest"].items()}
        hits = step.acts * select(step.struck - HALF, 1, 0)
        modes = {
            label: select(quiet, new, (1 - hits) * old[label])
            for label, new in rub["modes"].items()
        } | dict(zip(self.labels, step.modes(), strict=True))
        slip = rub["slip"] | dict(zip(self.labels, [row.watch() for row in rows], strict=True))
        for title, table in (("modes", modes), ("rest", after), ("slip", slip)):
            self.scheme.output(title, list(table.values()), None, list(table))

    def _give(
        self, rows: Sequence[Contact], free: _Answer, A: list[list[Node]]
    ) -> tuple[list[NodeTuple], list[list[Node]]]:
        """How velocities and gaps answer to impulses; in an impact joints do not stick."""
        columns = [free.column("qdd", k) for k in self._all]
        if not self.friction:
            return columns, A
        loose = self._answer({state_symbol(label): ONE for label in self.friction})
        struck = add(*[row.is_struck for row in rows]) - HALF
        columns = [
            tuple(select(struck, x, y) for x, y in zip(loose.column("qdd", k), own, strict=True))
            for k, own in enumerate(columns)
        ]
        hit = self._let_matrix("Ai", loose.along(self.seeds))
        return columns, [[select(struck, hit[i][j], A[i][j]) for j in self._all] for i in self._all]

    def _rub(self, force: Sequence[Node]) -> dict[str, dict[str, Node]]:
        """What dry friction decides with the forces of contacts, by label."""
        if not self.friction:
            return {name: {} for name in DECIDED}
        tau = self.forward.input("tau").symbols
        loaded = {
            s: add(s, *[mul(f, row[i]) for f, row in zip(force, self.seeds, strict=True)])
            for i, s in enumerate(tau)
        }
        found = inline(self.scheme, self.forward, loaded)
        return {
            name: dict(zip(self.forward.output(name).labels, found[name], strict=True))
            for name in DECIDED
        }


def _inputs(forward: Program, p: Input | None) -> list[Input]:
    """Inputs of forward dynamics, with all parameters."""
    rows = [p if p is not None and row.name == p.name else row for row in forward.inputs]
    return rows if p is None or p in rows else [*rows, p]


def _beyond(x: Node) -> Node:
    """x where it is more than DRIFT; next to nothing below."""
    return x**3 / (x**2 + DRIFT**2)


def _size(pairs: Sequence[tuple[Node, Node]]) -> Node:
    """Σ |a b|."""
    return add(ZERO, *[call("abs", mul(a, b)) for a, b in pairs])
