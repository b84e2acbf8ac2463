"""Random closed mechanisms: accelerations against an exact solution of the whole system.

    M qdd + c = tau + Jᵀ lam,   J qdd + Jdqd = 0

with M and c of MuJoCo (where it has the joints) and of the recursion of this folder, J and Jdqd of
closures written anew (`ties`).  Loops are solved explicitly, kept by multipliers and projected.
With changed run-time parameters the outcome must close the changed loops and solve their
equations, or be no number at all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from tests import zoo
from tests.approx import ILL_CONDITIONED
from tests.crosscheck.mujoco_adapter import KINDS as SPOKEN
from tests.crosscheck.mujoco_adapter import twin

import kinetree as kt
from fuzz.campaign import Campaign
from fuzz.plans import Plan, Rng, draw_change, draw_gravity, draw_rotors
from fuzz.recursion import STEP, Array, Recursion
from fuzz.tally import Tally
from fuzz.ties import KINDS, Tie, draw_tie

WAYS = ("explicit", "multipliers", "projection")
CLEAR = 1e-3
"""Singular values of J, rows scaled to 1, above which equations are told apart."""
NOTHING = 1e-9
"""Singular values below which equations repeat others."""
CHANGES = 3
"""Sets of changed parameters per mechanism."""
WEIGHTS = (".com_", "gravity_")
"""Parameters of which no loop depends, and whose values leave M regular in the free directions."""
CLOSED = 1e-8
"""Largest h and g of what counts as closed [m, rad, m/s]."""


@dataclass
class Mechanism:
    """A tree, what closes it, and a state that obeys."""

    plan: Plan
    ties: list[Tie]
    own: Recursion
    state: dict[str, Array]
    model: kt.Model

    def inputs(self) -> dict[str, Array]:
        """The state as a Program takes it."""
        return {name: self.state[name] for name in ("q", "qd", "tau")}

    def with_values(self, own: Recursion) -> Mechanism:
        """The same with other values of the parameters."""
        return replace(self, own=own)

    def equations(self, q: Array, qd: Array) -> tuple[Array, Array]:
        """h and g of all closures."""
        rows = [tie.equations(self.own, q, qd) for tie in self.ties]
        shape = np.broadcast_shapes(q.shape[:-1], qd.shape[:-1])
        h, g = (
            [np.broadcast_to(x, (*shape, x.shape[-1])) for x in xs]
            for xs in zip(*rows, strict=True)
        )
        return np.concatenate(h, -1), np.concatenate(g, -1)

    def jacobian(self, q: Array) -> Array:
        """J, equations by velocities."""
        nv = self.own.nv
        many = np.broadcast_to(q, (nv, q.size))
        return self.equations(many, np.eye(nv))[1].T

    def drift(self, q: Array, qd: Array) -> Array:
        """Jdqd: g along the motion while qd stays, by complex step."""
        along = q + 1j * STEP * (self.own.rates(q) @ qd)
        return np.imag(self.equations(along, qd)[1]) / STEP


# --- drawing ------------------------------------------------------------------------------------

PLANAR = ("ball", "revolute", "rod", "line", "solid", "coupling", "planar", "surface", "universal")
"""Kinds for mechanisms in a plane: most of their equations repeat others there."""


def draw_links(rng: Rng, flat: bool) -> list[zoo.Link]:
    """A tree: in a plane with parallel axes, or anywhere."""
    count = int(rng.integers(3, 6)) if flat else int(rng.integers(4, 8))
    if not flat:
        kinds = SPOKEN if rng.random() < 0.8 else zoo.KINDS
        rows = [str(rng.choice(kinds)) for _ in range(count)]
        rows = [k if k != "fixed" or rng.random() < 0.3 else "revolute" for k in rows]
        return [
            zoo.random_link(rng, k, int(rng.integers(-1, i)), bool(rng.integers(2)))
            for i, k in enumerate(rows)
        ]
    links = []
    for i in range(count):
        kind = str(rng.choice(("revolute", "revolute", "revolute", "prismatic")))
        link = zoo.random_link(rng, kind, int(rng.integers(-1, i)), aligned=True)
        axis: zoo.Vector = (0, 0, 1) if kind == "revolute" else ((1, 0, 0), (0, 1, 0))[i % 2]
        links.append(replace(link, axis=axis, position=zoo.vector((*rng.uniform(-1, 1, 2), 0))))
    return links


def draw(rng: Rng) -> Mechanism | None:
    """A mechanism at a closed configuration, None where it cannot move."""
    flat = bool(rng.random() < 0.4)
    links = tuple(draw_links(rng, flat))
    plan = Plan(links, draw_gravity(rng), armature=draw_rotors(rng, links))
    own = Recursion(plan, plan.values())
    state = {name: x[0] for name, x in own.draw(rng, 1).items()}
    usable = [k for k in (PLANAR if flat else KINDS) if k not in {"coupling", "law", "rate"}]
    if sum(f.kind in {"turn", "shift", "twist"} for f in own.frames) > 1:
        usable = list(PLANAR if flat else KINDS)
    count = int(rng.choice([1, 1, 2, 2, 3]))
    ties = [draw_tie(rng, f"c{k}", own, state["q"], usable) for k in range(count)]
    if rng.random() < 0.15:
        ties.append(replace(ties[0], name=f"c{count}"))
    plan = replace(plan, initial=initial(plan, own, state["q"]))
    model = plan.build()
    for tie in ties:
        tie.add(model)
    made = Mechanism(plan, ties, own, state, model)
    free = nullspace(made.jacobian(state["q"]))[0]
    if not free.shape[1]:
        return None
    state["qd"] = free @ rng.uniform(-1, 1, free.shape[1])
    return made


def initial(plan: Plan, own: Recursion, q: Array) -> dict[int, Any]:
    """Start values of every joint."""
    found, at = {}, 0
    model = plan.build()
    for i, joint in enumerate(model.joints.values()):
        if joint.nq:
            found[i] = [float(x) for x in q[at : at + joint.nq]]
            at += joint.nq
    assert at == own.nq
    return found


# --- the exact solution -------------------------------------------------------------------------


def nullspace(J: Array) -> tuple[Array, Array]:
    """Directions that J leaves free, and the singular values of J with its rows scaled to 1."""
    size = np.linalg.norm(J, axis=1, keepdims=True)
    _, s, vt = np.linalg.svd(J / np.where(size > NOTHING, size, 1.0))
    rank = int((s > NOTHING).sum())
    return vt[rank:].T, s


def clear(J: Array) -> bool:
    """Whether it is plain which equations repeat others."""
    s = nullspace(J)[1]
    return not ((s > NOTHING) & (s < CLEAR)).any()


def solve(M: Array, c: Array, tau: Array, J: Array, drift: Array) -> Array:
    """qdd of the whole system; equations may repeat others.

    The least motion that satisfies J qdd = -Jdqd, and in the free directions Z the rest:
    Zᵀ M Z z = Zᵀ (tau - c - M qdd0).
    """
    Z, _ = nullspace(J)
    least = np.linalg.lstsq(J, -drift, rcond=NOTHING)[0]
    rest = np.linalg.solve(Z.T @ M @ Z, Z.T @ (tau - c - M @ least)) if Z.shape[1] else np.zeros(0)
    return np.asarray(least + Z @ rest)


def accelerations(m: Mechanism, q: Array, qd: Array) -> tuple[Array, float]:
    """qdd by the recursion, and the size of what was added up for it."""
    M, c = m.own.mass_matrix(q), m.own.bias(q, qd)
    qdd = solve(M, c, m.state["tau"], m.jacobian(q), m.drift(q, qd))
    return qdd, float(max(1.0, np.abs(qdd).max(), np.abs(m.drift(q, qd)).max(initial=0.0)))


# --- the attempt --------------------------------------------------------------------------------


def attempt(rng: Rng, tally: Tally) -> None:
    """One mechanism."""
    m = draw(rng)
    if m is None:
        tally.set_aside("cannot move")
        return
    q, qd = m.state["q"], m.state["qd"]
    J = m.jacobian(q)
    h, g = m.equations(q, qd)
    assert np.abs(h).max(initial=0.0) < NOTHING
    assert np.abs(g).max(initial=0.0) < NOTHING
    if not clear(J):
        tally.set_aside("close to a singular configuration")
        return
    found = sorted_out(m, tally)
    if found is None:
        return
    redundant = nullspace(J)[0].shape[1] > m.own.nv - len(J)
    tally.set_aside("with redundant equations (compared)", int(redundant))
    expected, size = accelerations(m, q, qd)
    peer = expected_by_mujoco(m, tally, J, size, expected)
    way = str(rng.choice(WAYS))
    formalism = str(rng.choice(("newton_euler", "order_n", "virtual_power")))
    program = kt.derive(m.model, "forward", formalism, partition=found, loops=way)
    out = program.evaluate(**m.inputs())
    tally.compare(f"qdd {way}", out["qdd"], expected, ILL_CONDITIONED, size)
    if peer is not None:
        tally.compare(f"qdd {way}, MuJoCo", out["qdd"], peer, ILL_CONDITIONED, size)
    tally.compare("q closed", out["q_closed"], q, ILL_CONDITIONED, 1.0)
    tally.compare("qd closed", out["qd_closed"], qd, ILL_CONDITIONED, 1.0)
    if rng.random() < 0.4:
        native = program.compile(cache=False)(**m.inputs())
        tally.compare(f"qdd {way}, native", native["qdd"], expected, ILL_CONDITIONED, size)
    if way != "multipliers" and "p" in [row.name for row in program.inputs]:
        for _ in range(CHANGES):
            try_changed(m, rng, tally, program)


def try_changed(m: Mechanism, rng: Rng, tally: Tally, program: kt.Program) -> None:
    """Other run-time parameters: the changed loops are closed and solved, or there is no number."""
    row = program.input("p")
    assert row.default is not None
    change = draw_some(rng, row.labels, row.default)
    p = np.array([change.get(n, x) for n, x in zip(row.labels, row.default, strict=True)])
    out = program.evaluate(**m.inputs(), p=p)
    told = f"{sorted(change.items())} of {[(t.name, t.kind) for t in m.ties]}"
    if not np.isfinite(out["qdd"]).all():
        tally.set_aside("no number for changed parameters")
        weights = all(any(part in name for part in WEIGHTS) for name in change)
        tally.expect("a number where no length changed", not weights, told)
        return
    other = m.with_values(Recursion(m.plan, {**m.plan.values(change), **change}))
    q, qd = out["q_closed"], out["qd_closed"]
    h, g = other.equations(q, qd)
    gap = float(np.abs(np.concatenate([h, g])).max(initial=0.0))
    fine = tally.measure("loops closed, changed parameters", gap, CLOSED, lambda: told)
    if not fine or not clear(other.jacobian(q)):
        return
    if np.linalg.eigvalsh(other.own.mass_matrix(q))[0] < CLEAR:
        tally.set_aside("mass matrix not regular for the changed parameters")
        return
    expected, size = accelerations(other, q, qd)
    tally.compare("qdd, changed parameters", out["qdd"], expected, ILL_CONDITIONED, size)


def draw_some(rng: Rng, labels: Any, defaults: Any) -> dict[str, float]:
    """Few parameters with quite other values, or with values nearby."""
    if rng.random() < 0.5:
        chosen = rng.choice(len(labels), min(len(labels), int(rng.integers(1, 4))), replace=False)
        return {labels[k]: float(defaults[k] * rng.uniform(0.97, 1.03)) for k in chosen}
    some = draw_change(rng, labels, defaults)
    names = list(some)
    return {names[k]: some[names[k]] for k in rng.permutation(len(names))[:2]}


def sorted_out(m: Mechanism, tally: Tally) -> kt.Partition | None:
    """The partition at the state; None where it is refused for a singular configuration."""
    found = kt.partition(m.model)
    moved = float(np.abs(found.q - m.state["q"]).max())
    tally.measure("assembly from closed values", moved, CLOSED)
    return found


def expected_by_mujoco(
    m: Mechanism, tally: Tally, J: Array, size: float, own: Array
) -> Array | None:
    """qdd with M and c of MuJoCo, None where it has no such joint."""
    kinds = {link.kind for link in m.plan.links}
    if not kinds <= set(SPOKEN):
        tally.set_aside("joints that MuJoCo does not have (own recursion alone)")
        return None
    peer = twin(m.model)
    q, qd = m.state["q"], m.state["qd"]
    qdd = solve(peer.mass_matrix(q), peer.bias(q, qd), m.state["tau"], J, m.drift(q, qd))
    tally.compare("MuJoCo and the recursion", own, qdd, ILL_CONDITIONED, size)
    return qdd


CAMPAIGN = Campaign(
    "closed",
    "random closed mechanisms against exact solutions with MuJoCo's matrices",
    attempt,
    short=12,
    long=2_000,
    slices=40,
)
