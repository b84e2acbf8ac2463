"""Random trees: every quantity against the recursion of this folder, and against Pinocchio.

All joint kinds, followers, massless bodies, arbitrary axes, named parameters; run-time parameters
changed to 0, 1, negative values; interpreted, native, single, batched, in threads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from tests.approx import CROSS_ENGINE, FORMALISM, IDENTITY

import kinetree as kt
from fuzz.campaign import Campaign
from fuzz.plans import Plan, draw_change, draw_plan
from fuzz.recursion import Array, Recursion, dot
from fuzz.tally import Tally
from kinetree.errors import ModelError, UnsupportedError

WAYS = ("newton_euler", "order_n", "virtual_power")
SINGULAR = 1e-10
"""Ratio of eigenvalues below which a mass matrix may be refused as singular."""
REGULAR = 1e-7
"""Ratio of eigenvalues above which accelerations are compared."""
ROWS = 3
"""States per tree."""


class Trial:
    """One tree, its reference and a few states."""

    def __init__(self, plan: Plan, rng: np.random.Generator, tally: Tally) -> None:
        self.plan, self.rng, self.tally = plan, rng, tally
        self.model = plan.build()
        self.own = Recursion(plan, plan.values())
        self.state = self.own.draw(rng, ROWS)
        self.followers = bool(plan.follow)
        self.programs: dict[tuple[str, str | None], kt.Program] = {}

    def derive(self, quantity: str, way: str | None = None, **options: Any) -> kt.Program:
        """A Program, its parameters folded once in a while."""
        treated = "folded" if self.rng.random() < 0.15 else "run-time"
        return kt.derive(self.model, quantity, way, treated, **options)

    def inputs(self, program: kt.Program) -> dict[str, Array]:
        """The states under the names that the Program asks for."""
        return {row.name: self.state[row.name] for row in program.inputs if row.name in self.state}

    def changed(
        self, program: kt.Program, *, regular: bool = False
    ) -> tuple[dict[str, Array], Recursion]:
        """Inputs with other parameters, and the reference with the same.

        With `regular` masses and inertias are mostly left alone, so that M stays regular.
        """
        names = [row.name for row in program.inputs]
        if "p" not in names or self.rng.random() < 0.3:
            return self.inputs(program), self.own
        row = program.input("p")
        assert row.default is not None
        change = draw_change(self.rng, row.labels, row.default)
        if regular and self.rng.random() < 0.8:
            heavy = (".mass", ".inertia_")
            change = {name: x for name, x in change.items() if not any(h in name for h in heavy)}
        p = np.array([change.get(n, x) for n, x in zip(row.labels, row.default, strict=True)])
        return {**self.inputs(program), "p": p}, Recursion(self.plan, self.plan.values(change))


def try_inverse(t: Trial) -> None:
    """Joint forces; the same with base parameters or without."""
    program = t.derive("inverse", base_parameters=bool(t.rng.integers(4)))
    given, own = t.changed(program)
    expected, size = own.inverse(given["q"], given["qd"], given["qdd"])
    t.tally.compare("inverse", program.evaluate(**given)["tau"], expected, FORMALISM, size)


def try_mass_bias(t: Trial) -> None:
    """Mass matrix and bias."""
    program = t.derive("mass_bias", str(t.rng.choice(("newton_euler", "virtual_power"))))
    given, own = t.changed(program)
    out = program.evaluate(**given)
    t.tally.compare("M", out["M"], own.mass_matrix(given["q"]), FORMALISM)
    expected, size = own.inverse(given["q"], given["qd"], np.zeros(own.nv))
    t.tally.compare("c", out["c"], expected, FORMALISM, size)


def try_forward(t: Trial) -> None:
    """Accelerations by each formalism, as the error they leave in M qdd + c = tau."""
    way = str(t.rng.choice(WAYS))
    program = derived_forward(t, way)
    if program is None:
        return
    given, own = t.changed(program, regular=True)
    error = forward_error(own, given, lambda: program.evaluate(**given)["qdd"])
    if error is None:
        t.tally.set_aside("mass matrix not regular for the changed parameters")
    else:
        t.tally.measure(f"forward {way}", error, FORMALISM)


def derived_forward(t: Trial, way: str) -> kt.Program | None:
    """The Program; None where it was refused with a good reason."""
    try:
        return t.derive("forward", way)
    except UnsupportedError:
        if not (t.followers and way == "order_n"):
            raise
        t.tally.set_aside("order_n refuses followers")
    except ModelError as error:
        ratio = regularity(t.own.mass_matrix(t.state["q"][0]))
        if t.tally.expect("refusal of singular M", ratio < SINGULAR, f"{ratio:.1e}: {error}"):
            t.tally.set_aside("mass matrix singular, refused")
    return None


def regularity(M: Array) -> float:
    """Smallest over largest eigenvalue of M with its diagonal scaled to one."""
    d = np.sqrt(np.abs(np.diagonal(M)))
    if not d.all():
        return 0.0
    values = np.linalg.eigvalsh(M / np.outer(d, d))
    return float(values[0] / values[-1])


def forward_error(
    own: Recursion, given: dict[str, Array], qdd: Callable[[], Array]
) -> float | None:
    """max |M qdd + c - tau| over the size of its terms; None where M is not regular."""
    M = own.mass_matrix(given["q"])
    if min(regularity(m) for m in M) < REGULAR:
        return None
    found = qdd()
    gap, size = own.inverse(given["q"], given["qd"], found)
    terms = np.abs(dot(np.abs(M), np.abs(found))).max(initial=0.0)
    terms = max(terms, size, np.abs(given["tau"]).max(initial=0.0))
    return float(np.abs(gap - given["tau"]).max(initial=0.0) / (terms or 1.0))


def try_energy(t: Trial) -> None:
    """Kinetic and potential energy."""
    program = t.derive("energy")
    given, own = t.changed(program)
    out = program.evaluate(**given)
    kinetic, potential = own.energy(given["q"], given["qd"])
    t.tally.compare("kinetic energy", out["kinetic"], kinetic, FORMALISM)
    size = float(np.abs(kinetic).max() + np.abs(potential).max())
    t.tally.compare("potential energy", out["potential"], potential, FORMALISM, size)


def try_kinematics(t: Trial) -> None:
    """Pose, velocity, acceleration and Jacobian of one body."""
    k = int(t.rng.integers(len(t.plan.links)))
    program = t.derive("kinematics", points=[f"b{k}"])
    given, own = t.changed(program)
    out = program.evaluate(**given)
    origin, still = np.zeros(3), np.zeros(own.nv)
    q, qd = given["q"], given["qd"]
    expected = own.point(k, origin, q, qd, given.get("qdd", still))
    expected["jdqd"] = own.point(k, origin, q, qd, still)["acceleration"]
    columns = own.point(k, origin, q[:, None, :], np.eye(own.nv), still)["velocity"]
    expected["jacobian"] = np.swapaxes(columns, -1, -2)
    for name, value in expected.items():
        if f"b{k}.{name}" in out:
            found = out[f"b{k}.{name}"]
            full = np.broadcast_to(value, found.shape)
            size = max(1.0, float(np.abs(full).max(initial=0.0)))
            t.tally.compare(f"kinematics {name}", found, full, FORMALISM, size)


def try_inverse_derivatives(t: Trial) -> None:
    """dtau/dq, dtau/dqd, dtau/dqdd against complex steps of the recursion."""
    program = t.derive("inverse_derivatives")
    given, own = t.changed(program)
    one = {name: x if name == "p" else x[0] for name, x in given.items()}
    out = program.evaluate(**one)
    by_q, by_qd = own.inverse_derivatives(one["q"], one["qd"], one["qdd"])
    size = own.inverse(one["q"], one["qd"], one["qdd"])[1]
    reach = max(size, float(np.abs(by_q).max(initial=0.0)))
    t.tally.compare("dtau/dq", out["dtau_dq"], by_q, FORMALISM, reach)
    reach = max(size, float(np.abs(by_qd).max(initial=0.0)))
    t.tally.compare("dtau/dqd", out["dtau_dqd"], by_qd, FORMALISM, reach)
    t.tally.compare("dtau/dqdd", out["dtau_dqdd"], own.mass_matrix(one["q"]), FORMALISM)


def try_forward_derivatives(t: Trial) -> None:
    """M dqdd = -dtau, with dtau of the recursion at the accelerations found."""
    try:
        program = t.derive("forward_derivatives")
    except ModelError:
        t.tally.set_aside("mass matrix singular, refused")
        return
    given, own = t.changed(program, regular=True)
    one = {name: x if name == "p" else x[0] for name, x in given.items()}
    M = own.mass_matrix(one["q"])
    if regularity(M) < REGULAR:
        t.tally.set_aside("mass matrix not regular for the changed parameters")
        return
    out = program.evaluate(**one)
    by_q, by_qd = own.inverse_derivatives(one["q"], one["qd"], out["qdd"])
    rows = {"dqdd_dq": -by_q, "dqdd_dqd": -by_qd, "dqdd_dtau": np.eye(own.nv)}
    carried = float((np.abs(M) @ np.abs(out["qdd"])).max(initial=0.0))
    for name, expected in rows.items():
        size = float((np.abs(M) @ np.abs(out[name])).max(initial=0.0))
        size = max(size, float(np.abs(by_q).max(initial=0.0)), carried)
        t.tally.compare(name, M @ out[name], expected, 10 * FORMALISM, size)


def try_regressor(t: Trial) -> None:
    """Y times the base parameters are the joint forces."""
    program = t.derive("regressor")
    given, own = t.changed(program)
    out = program.evaluate(**given)
    expected, size = own.inverse(given["q"], given["qd"], given["qdd"])
    found = np.einsum("...ij,...j->...i", out["Y"], out["pi"])
    t.tally.compare("regressor", found, expected, FORMALISM, size)


def try_native(t: Trial) -> None:
    """Native code: single, batch, threads, strict, quick: against the recursion."""
    quantity = str(t.rng.choice(("inverse", "forward")))
    way = "newton_euler" if t.followers else str(t.rng.choice(WAYS[:2]))
    program = derived_forward(t, way) if quantity == "forward" else t.derive("inverse")
    if program is None:
        return
    strict, tier = bool(t.rng.integers(2)), str(t.rng.choice(("full", "quick")))
    function = program.compile(strict=strict, tier=tier, cache=False)
    given, own = t.changed(program, regular=True)
    output = "tau" if quantity == "inverse" else "qdd"
    batch = function(**given)[output]
    if quantity == "inverse":
        expected, size = own.inverse(given["q"], given["qd"], given["qdd"])
        t.tally.compare("native inverse", batch, expected, FORMALISM, size)
    else:
        error = forward_error(own, given, lambda: batch)
        if error is None:
            t.tally.set_aside("mass matrix not regular for the changed parameters")
            return
        t.tally.measure("native forward", error, FORMALISM)
    same_everywhere(t, function, given, output, batch)


def same_everywhere(t: Trial, function: Any, given: Any, output: str, batch: Array) -> None:
    """One by one, in several threads and with parameters per row the values stay."""
    rows = [
        function(**{n: x if n == "p" else x[k] for n, x in given.items()})[output]
        for k in range(ROWS)
    ]
    t.tally.compare("single and batch", np.array(rows), batch, 100 * IDENTITY)
    many = {n: x if n == "p" else np.tile(x, (7, 1)) for n, x in given.items()}
    threads = int(t.rng.integers(1, 6))
    found = function(**many, threads=threads)[output]
    t.tally.compare("threads and batch", found, np.tile(batch, (7, 1)), 100 * IDENTITY)
    if "p" in given:
        each = {**given, "p": np.tile(given["p"], (ROWS, 1))}
        found = function(**each)[output]
        t.tally.compare("parameters per row", found, batch, 100 * IDENTITY)


def try_pinocchio(t: Trial) -> None:
    """Joint forces, mass matrix and accelerations against Pinocchio."""
    from tests.crosscheck.pinocchio_adapter import twin

    if t.followers:
        t.tally.set_aside("followers, which the twin in Pinocchio does not have")
        return
    peer = twin(t.model)
    q, qd, qdd = (t.state[name][0] for name in ("q", "qd", "qdd"))
    _, size = t.own.inverse(q, qd, qdd)
    tau = t.derive("inverse").evaluate(q=q, qd=qd, qdd=qdd)["tau"]
    t.tally.compare("inverse, Pinocchio", tau, peer.inverse(q, qd, qdd), CROSS_ENGINE, size)
    if t.rng.random() < 0.5:
        out = t.derive("mass_bias").evaluate(q=q, qd=qd)
        t.tally.compare("M, Pinocchio", out["M"], peer.mass_matrix(q), CROSS_ENGINE)
    if t.rng.random() < 0.3 and regularity(t.own.mass_matrix(q)) > REGULAR:
        out = t.derive("forward", str(t.rng.choice(WAYS))).evaluate(
            q=q, qd=qd, tau=t.state["tau"][0]
        )
        back, size = t.own.inverse(q, qd, out["qdd"])
        back = peer.inverse(q, qd, out["qdd"])
        t.tally.compare("forward, Pinocchio", back, t.state["tau"][0], CROSS_ENGINE, max(1.0, size))


TRIALS: dict[Callable[[Trial], None], float] = {
    try_inverse: 1.0,
    try_mass_bias: 0.5,
    try_forward: 0.6,
    try_energy: 0.2,
    try_kinematics: 0.25,
    try_inverse_derivatives: 0.15,
    try_forward_derivatives: 0.07,
    try_regressor: 0.1,
    try_native: 0.12,
    try_pinocchio: 0.6,
}
"""What is tried of a tree, and how often."""


def attempt(rng: np.random.Generator, tally: Tally) -> None:
    """One tree."""
    largest = 8 if rng.random() < 0.1 else 4
    trial = Trial(draw_plan(rng, largest), rng, tally)
    for try_one, share in TRIALS.items():
        if rng.random() < share:
            try_one(trial)


CAMPAIGN = Campaign(
    "trees",
    "random trees against an own NumPy recursion and Pinocchio",
    attempt,
    short=30,
    long=10_000,
)
