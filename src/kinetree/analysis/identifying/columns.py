"""Columns: what is measured as a linear function of unknown parameters, W(q, qd, qdd) π + known.

| parameter | its column |
|---|---|
| BODY.mass, h_x …, I_yz | of the regressor: ten per body, about its origin and in its frame |
| VELOCITY.armature | qdd |
| VELOCITY.coulomb | tanh(qd/smooth), the law of `joint_friction` |
| VELOCITY.viscous | qd |
| VELOCITY.offset | 1 |

What the model says of all others (bodies that are known, springs, laws) is known and goes to the
other side.  Efforts of a closed system are projected on its independent velocities, qd = R u, so
that forces of loops vanish (theory/identification, eqs. 2 and 3); the wrench on the ground takes
the columns of bodies alone, since no effort inside a joint enters it (eq. 4).

Refs: Gautier1991; Docquier2013 sec. 2.1.3
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.identifying.unrecorded import user_states
from kinetree.arrays import Array
from kinetree.assembly import Partition, partition_at
from kinetree.assembly.loops import Loops, loops
from kinetree.errors import ModelError, PartitionError, unknown
from kinetree.formalism import PARAMETERS
from kinetree.formalism.base_columns import dependencies
from kinetree.model import retract
from kinetree.pipeline import derive

if TYPE_CHECKING:
    from kinetree.model import Mechanism

FRICTION: dict[str, Callable[[Array, Array, float], Array]] = {
    "coulomb": lambda qd, qdd, smooth: np.tanh(qd / smooth),
    "viscous": lambda qd, qdd, smooth: qd,
    "offset": lambda qd, qdd, smooth: np.ones_like(qd),
    "armature": lambda qd, qdd, smooth: qdd,
}
"""Parameter of a joint -> its column, from velocity, acceleration and the speed `smooth`."""
STATES = 4
"""Rows per column at random states, from which dependencies are read."""


@dataclass(frozen=True)
class Unknowns:
    """What is to be found.

    Attributes:
        bodies: whose ten parameters are unknown; all that move where None.
        friction: which of "coulomb", "viscous", "offset" every joint has.
        rotors: whether rotor inertias are unknown.
        smooth: speed over which dry friction grows [rad/s or m/s].
        measured: "tau" or "wrench".
        locked: coordinates that stand still -> their values.
        loads: bodies that are known where `bodies` does not name them.
        absents: those of them that are not carried, one row for every kind of recording.
        motors: velocities that loops are reduced to, where every equation is to be of one motor;
            chosen by the loops where empty.
    """

    bodies: Sequence[str] | None = None
    friction: Sequence[str] = ()
    rotors: bool = False
    smooth: float = 0.02
    measured: str = "tau"
    locked: Mapping[str, float] | None = None
    loads: tuple[str, ...] = ()
    absents: tuple[tuple[str, ...], ...] = ((),)
    motors: tuple[str, ...] = ()


class ParameterColumns:
    """The columns of a model; what depends on others for all motions is left out.

    Attributes:
        model: the mechanism.
        wanted: what is to be found.
        names: of all parameters.
        nominal: their values in the model.
        bodies: whose parameters are unknown.
        program: the regressor.
        places: where the parameters of the open bodies stand in it.
        model_says: efforts, or the wrench, by what is known of the model.
        speeds: over which dry friction grows, where the data told [rad/s or m/s].
    """

    def __init__(self, model: Mechanism, wanted: Unknowns) -> None:
        self.model, self.wanted = model, wanted
        self.speeds: dict[str, float] = {}
        bare = _without_friction(model, wanted)
        wrench = wanted.measured == "wrench"
        program = derive(
            bare, "reaction_regressor" if wrench else "regressor", base_parameters=False
        )
        self.program = program
        labels = list(program.output("pi").labels)
        self.bodies = _open_bodies(labels, wanted.bodies, wanted.loads)
        self.places = [labels.index(f"{b}.{end}") for b in self.bodies for end in PARAMETERS]
        self.model_says = derive(bare, "reaction" if wrench else "inverse")
        self.joint_kinds = () if wrench else (*wanted.friction, *("armature",) * wanted.rotors)
        self.velocities = [] if wrench else self._moving()
        own = [labels[k] for k in self.places]
        self.names = (*own, *(f"{v}.{kind}" for kind in self.joint_kinds for v in self.velocities))
        pi = np.asarray(program.evaluate(**_rest(model))["pi"])
        self._loads = {
            body: ([labels.index(f"{body}.{end}") for end in PARAMETERS], pi)
            for body in wanted.loads
        }
        self.nominal = np.concatenate([pi[self.places], self._nominal_friction()])

    def __repr__(self) -> str:
        return f"Columns of '{self.model.name}': {', '.join(self.names)}"

    def _moving(self) -> list[str]:
        """Velocities that are not locked."""
        still = set(self.wanted.locked or {})
        return [v for joint in self.model.leaders for v in joint.velocities
                if not still & set(joint.coordinates)]  # fmt: skip

    @cached_property
    def function(self) -> Any:
        """The regressor, compiled."""
        return self.program.compile()

    @cached_property
    def _says(self) -> Any:
        """What the model says, compiled."""
        return self.model_says.compile()

    @cached_property
    def loops(self) -> tuple[Loops, Partition] | None:
        """The equations of the loops, and what is independent; none of trees."""
        if not self.model.closures:
            return None
        system = loops(self.model, {})
        from kinetree.assembly import Wish, consistent_coordinates

        q = consistent_coordinates(system, Wish(None))
        if self.wanted.motors:
            try:
                return system, partition_at(system, q.tolist(), self.wanted.motors, 0.0)
            except PartitionError:  # motors that are too few, too many, or at a dead centre
                pass
        return system, partition_at(system, q.tolist(), None, 0.0)

    @property
    def rows(self) -> tuple[str, ...]:
        """Names of the equations."""
        if self.wanted.measured == "wrench":
            from kinetree.results.dataset import PARTS

            return PARTS
        if self.loops is not None:
            return tuple(self.model.velocities[k] for k in self.loops[1].u)
        return tuple(self.velocities)

    @property
    def row_numbers(self) -> list[int]:
        """Numbers of the equations of a tree among the rows of the regressor."""
        if self.wanted.measured == "wrench":
            return list(range(len(self.rows)))
        return [self.model.velocities.index(name) for name in self.velocities]

    def joint_slopes(self, number: int, qd: Array) -> tuple[int, int, Array]:
        """How the column of a parameter of a joint depends on its motion.

        Args:
            number: of the parameter.
            qd: velocities of the model, one row per state.

        Returns:
            0 for a slope by qd or 1 by qdd, the number of the velocity, the slope at every state.
        """
        name, _, kind = self.names[number].rpartition(".")
        v, smooth = self.model.velocities.index(name), self.smooth(name)
        slopes = {
            "coulomb": (1 - np.tanh(qd[:, v] / smooth) ** 2) / smooth,
            "offset": np.zeros(len(qd)),
        }.get(kind, np.ones(len(qd)))
        return int(kind == "armature"), v, slopes

    # --- at states -------------------------------------------------------------------------------

    def table(self, q: Array, qd: Array, qdd: Array, absent: Sequence[str] = ()) -> Array:
        """W: state × equation × parameter; bodies that are absent have no columns there."""
        W = self.function(q=q, qd=qd, qdd=qdd)["Y"][:, :, self.places]
        for k, body in enumerate(self.bodies):
            if body in absent:
                W[:, :, len(PARAMETERS) * k : len(PARAMETERS) * (k + 1)] = 0.0
        friction = np.zeros((len(q), W.shape[1], len(self.names) - W.shape[2]))
        n = 0
        for kind in self.joint_kinds:
            for name in self.velocities:
                k = self.model.velocities.index(name)
                friction[:, k, n] = FRICTION[kind](qd[:, k], qdd[:, k], self.smooth(name))
                n += 1
        return self.reduce(q, np.concatenate([W, friction], axis=2))

    def knowledge(
        self, q: Array, qd: Array, qdd: Array, time: Array, absent: Sequence[str] = ()
    ) -> Array:
        """What the model says of all that is there and not unknown: state × equation."""
        given = {"q": q, "qd": qd, "qdd": qdd, "t": time, "x": user_states(self.model, len(q))}
        says = self.model_says
        whole = np.asarray(self._says(**says.pick_inputs(given))[says.outputs[0].name])
        Y = self.function(q=q, qd=qd, qdd=qdd)["Y"]
        own = Y[:, :, self.places] @ self.nominal[: len(self.places)]
        for body in set(absent).difference(self.bodies):
            at, pi = self._loads[body]
            own += Y[:, :, at] @ pi[at]
        if "armature" in self.joint_kinds:
            at = [self.model.velocities.index(v) for v in self.velocities]
            names = [self.names.index(f"{v}.armature") for v in self.velocities]
            own[:, at] += qdd[:, at] * self.nominal[names]
        return self.reduce(q, whole - own)

    def reduce(self, q: Array, table: Array) -> Array:
        """The rows that count of a table over states: of moving joints, of loops Rᵀ times all."""
        if self.wanted.measured == "wrench":
            return table
        if self.loops is None:
            return table[:, self.row_numbers]
        return np.asarray(np.einsum("nij,ni...->nj...", self.reductions(q), table))

    def reductions(self, q: Array) -> Array:
        """R with qd = R u at closed states: state × velocity × independent velocity (eq. 3)."""
        J, u, v = self._jacobians(q, np.zeros((len(q), self.model.nv)))[0]
        R = np.zeros((len(q), self.model.nv, len(u)))
        R[:, u] = np.eye(len(u))
        R[:, v] = -np.linalg.solve(J[:, :, v], J[:, :, u])
        return R

    def _jacobians(self, q: Array, qd: Array) -> Any:
        """(J, independent, dependent velocities), and Jdqd at states."""
        assert self.loops is not None
        system, found = self.loops
        given = {"q": q, "qd": qd, "t": np.zeros(len(q))}
        out = system.whole.compile()(**system.whole.pick_inputs(given))
        rows = list(found.rows)
        u = list(found.u)
        v = [k for k in range(self.model.nv) if k not in u]
        return (np.asarray(out["J"])[:, rows], u, v), np.asarray(out["Jdqd"])[:, rows]

    # --- base parameters -------------------------------------------------------------------------

    @cached_property
    def base(self) -> tuple[list[int], list[int], Array]:
        """(numbers kept, left out, β): W_left = W_kept β for all motions (eq. 5)."""
        states = self._random_states()
        rows = [self.table(*states, absent) for absent in self.wanted.absents]
        return dependencies(np.concatenate(list(np.concatenate(rows))))

    @property
    def regrouping(self) -> Array:
        """B with base parameters = B π."""
        kept, left, beta = self.base
        B = np.zeros((len(kept), len(self.names)))
        B[:, kept] = np.eye(len(kept))
        B[:, left] = beta
        return B

    def _random_states(self) -> tuple[Array, Array, Array]:
        """States at which no column is zero by chance."""
        model, random = self.model, np.random.default_rng(1)
        count = max(16, STATES * len(self.names) // max(len(self.rows), 1))
        if self.loops is not None:
            return self._closed_states(count, random)
        q = retract(model, model.neutral(), random.normal(size=(count, model.nv)))
        qd, qdd = random.normal(size=(2, count, model.nv))
        still = dict(self.wanted.locked or {})
        for name, value in still.items():
            q[:, model.coordinates.index(name)] = value
        for k, name in enumerate(model.velocities):
            if name not in self.velocities and self.velocities:
                qd[:, k] = qdd[:, k] = 0.0
        return q, qd, qdd

    def _closed_states(self, count: int, random: Any) -> tuple[Array, Array, Array]:
        """Closed states near the initial one, with random rates: qdd = R ud - [0; J_v⁻¹ Jdqd]."""
        from kinetree.assembly import Wish, consistent_coordinates

        assert self.loops is not None
        system, found = self.loops
        first = consistent_coordinates(system, Wish(None))
        rows = []
        for _ in range(100 * count):
            q = retract(self.model, first, 0.3 * random.normal(size=(1, self.model.nv)))[0]
            try:
                rows.append(consistent_coordinates(system, Wish(q)))
            except ModelError:
                continue
            if len(rows) == count:
                break
        q = np.array(rows)
        u, ud = random.normal(size=(2, len(q), len(found.u)))
        R = self.reductions(q)
        qd = np.einsum("nij,nj->ni", R, u)
        (J, _, v), drift = self._jacobians(q, qd)
        qdd = np.einsum("nij,nj->ni", R, ud)
        qdd[:, v] -= np.linalg.solve(J[:, :, v], drift[:, :, None])[:, :, 0]
        return q, qd, qdd

    # --- values of the model -----------------------------------------------------------------

    def smooth(self, velocity: str) -> float:
        """Speed over which dry friction of a joint grows: the model's own, or the usual one."""
        if velocity in self.speeds:
            return self.speeds[velocity]
        found = friction_of(self.model, velocity)
        return self.wanted.smooth if found is None else float(found.scalars["smooth"])

    def _nominal_friction(self) -> Array:
        """Friction and rotor inertias of the model."""
        values = []
        for kind in self.joint_kinds:
            for name in self.velocities:
                found = friction_of(self.model, name)
                if kind == "armature":
                    values.append(_armature(self.model, name))
                else:
                    scalars = {} if found is None else found.scalars
                    values.append(float(scalars.get(kind, 0.0)))
        return np.array(values)


def friction_of(model: Mechanism, velocity: str) -> Any:
    """The joint_friction along a velocity; none where there is none."""
    for force in model.forces.values():
        if force.kind == "joint_friction" and force.arguments["joint"] == velocity:
            return force
    return None


def _without_friction(model: Mechanism, wanted: Unknowns) -> Mechanism:
    """The model without the friction that is to be found."""
    if not set(wanted.friction) & {"coulomb", "viscous"} or wanted.measured == "wrench":
        return model
    made = deepcopy(model)
    for velocity in model.velocities:
        force = friction_of(made, velocity)
        if force is not None:
            del made.forces[force.name]
    return made


def _armature(model: Mechanism, velocity: str) -> float:
    for joint in model.leaders:
        if velocity in joint.velocities and joint.armature:
            return float(joint.armature[list(joint.velocities).index(velocity)])
    return 0.0


def _open_bodies(
    labels: Sequence[str], wanted: Sequence[str] | None, loads: Sequence[str]
) -> list[str]:
    """Bodies whose parameters are unknown; loads are known where nobody asks for them."""
    known = list(dict.fromkeys(x.rpartition(".")[0] for x in labels if not _is_rotor(x)))
    for name in wanted or ():
        if name not in known:
            raise unknown("moving body", name, known, "bodies")
    for name in loads:
        if name not in known:
            raise unknown("moving body", name, known, "carried")
    return [name for name in known if name not in loads] if wanted is None else list(wanted)


def _is_rotor(label: str) -> bool:
    return label.rpartition(".")[2] not in PARAMETERS


def _rest(model: Mechanism) -> dict[str, Array]:
    zero = np.zeros(model.nv)
    return {"q": model.neutral(), "qd": zero, "qdd": zero}
