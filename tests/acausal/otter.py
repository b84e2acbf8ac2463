"""The two libraries of Otter, Elmqvist, Cellier 1996 as plain scalar equations.

Nothing here is recognised as a mechanism: every rotation, position, velocity, acceleration and
force of every cut is a variable of its own, and sorting finds what follows from what.

`mbs.lib` (sec. 4, eqs. 4 to 11) has the prefix `Mbs`, `mbssim.lib` (sec. 6, eqs. 14 to 19) the
prefix `Sim`.  Eq. 17a is read without its second C, as eqs. 15 and 19b have it; 4a, 4b and 4e are
solved for what is outward of the joint (T^b = T^a (bTa)^T, r^b = r^a + T^a ar), for their printed
forms are linear systems of three.  All vectors with a roof are (angular, linear).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from tests.reference import manutec

from kinetree.acausal import (
    Component,
    Connector,
    across,
    connect,
    der,
    mode,
    parameter,
    part,
    port,
    setting,
    signal_in,
    through,
    variable,
)
from kinetree.functions import cos, sin

E = np.eye(3)
PAIRS = [(i, j) for i in range(6) for j in range(i, 6)]
"""Elements of a symmetric matrix."""


def names(stem: str, size: int) -> list[str]:
    return [f"{stem}{k + 1}" for k in range(size)]


def many(make: Any, **sizes: int) -> dict[str, Any]:
    """Declarations NAME1, NAME2, … of every stem."""
    return {name: make() for stem, size in sizes.items() for name in names(stem, size)}


def get(element: Any, stem: str, size: int) -> Any:
    """A vector of variables, or a matrix where the size is 9."""
    found = np.array([getattr(element, name) for name in names(stem, size)], dtype=object)
    return found.reshape(3, 3) if size == 9 else found


def symmetric(element: Any, stem: str) -> Any:
    """A symmetric 6 by 6 matrix of 21 variables."""
    found = np.empty((6, 6), dtype=object)
    for name, (i, j) in zip(names(stem, 21), PAIRS, strict=True):
        found[i, j] = found[j, i] = getattr(element, name)
    return found


def upper(M: Any) -> list[Any]:
    return [M[i, j] for i, j in PAIRS]


def equal(left: Any, right: Any) -> Iterator[Any]:
    """left = right, element by element."""
    for a, b in zip(np.ravel(left), np.ravel(right), strict=True):
        yield a == b


def skew(h: Any) -> Any:
    return np.array([[0, -h[2], h[1]], [h[2], 0, -h[0]], [-h[1], h[0], 0]], dtype=object)


def cross(a: Any, b: Any) -> Any:
    return skew(a) @ b


def twice(T: Any) -> Any:
    """Eq. (5a)"""
    Z = np.zeros((3, 3))
    return np.block([[T, Z], [Z, T]])


KINEMATICS = {"T": 9, "r": 3, "v": 6, "a": 6}
MbsCut = type("MbsCut", (Connector,), many(across, **KINEMATICS) | many(through, f=6))
SimCut = type("SimCut", (Connector,), many(across, **KINEMATICS) | many(through, I=21, b=6))


def inertial(kind: type[Connector]) -> type[Component]:
    """The inertial system: gravity is an acceleration of it upward."""

    class Inertial(Component):
        b, g = port(kind), parameter(9.81)

        def equations(self) -> Iterator[Any]:
            yield from equal(get(self.b, "T", 9), E)
            yield from equal(get(self.b, "r", 3), np.zeros(3))
            yield from equal(get(self.b, "v", 6), np.zeros(6))
            yield from equal(get(self.b, "a", 6), [0, 0, 0, 0, 0, self.g])

    return Inertial


def body_terms(body: Any) -> tuple[Any, Any]:
    """Eqs. (11a) to (11c)"""
    w, rc = get(body.a, "v", 6)[:3], np.array(body.com, dtype=object)
    S = skew(rc)
    about = np.array(body.inertia) - (S @ S) * body.m  # (11c)
    I = np.block([[about, S * body.m], [-S * body.m, E * body.m]])
    b = np.concatenate([cross(w, about @ w), cross(w, cross(w, rc)) * body.m])  # (11b)
    return I, b


class MbsBody(Component):
    a, m, com, inertia = port(MbsCut), parameter(0.0), setting((0, 0, 0)), setting(np.zeros((3, 3)))

    def equations(self) -> Iterator[Any]:
        I, b = body_terms(self)
        yield from equal(get(self.a, "f", 6), I @ get(self.a, "a", 6) + b)  # (10)


class SimBody(Component):
    a, m, com, inertia = port(SimCut), parameter(0.0), setting((0, 0, 0)), setting(np.zeros((3, 3)))

    def equations(self) -> Iterator[Any]:
        I, b = body_terms(self)
        yield from equal(symmetric(self.a, "I")[np.triu_indices(6)], upper(I))  # (14)
        yield from equal(get(self.a, "b", 6), b)


# --- what has two cuts ---------------------------------------------------------------------------

RELATIVE = many(variable, Tba=9, ar=3, av=6, aa=6, br=3, bv=6, ba=6, xi=6)
Relative = type("Relative", (Component,), RELATIVE)


class Moving(Relative):  # type: ignore[misc, valid-type]
    """Partial: the kinematic part of Interact."""

    def kinematics(self) -> Iterator[Any]:
        Ta, Tb, T = get(self.a, "T", 9), get(self.b, "T", 9), get(self, "Tba", 9)
        ar, br = get(self, "ar", 3), get(self, "br", 3)
        yield from equal(Tb, Ta @ T.T)  # (4a)
        yield from equal(get(self.b, "r", 3), get(self.a, "r", 3) + Ta @ ar)  # (4b)
        yield from equal(get(self, "av", 6), twice(T).T @ get(self, "bv", 6))  # (4c)
        yield from equal(get(self, "aa", 6), twice(T).T @ get(self, "ba", 6))  # (4d)
        yield from equal(ar, T.T @ br)  # (4e)
        yield from equal(get(self, "bv", 6), get(self.b, "v", 6) - self.C @ get(self.a, "v", 6))
        w, av = get(self.a, "v", 6)[:3], get(self, "av", 6)
        turning = np.concatenate([cross(w, av[:3]), cross(w, cross(w, ar) + 2 * av[3:])])
        yield from equal(get(self, "xi", 6), twice(T) @ turning)  # (5c)

    @property
    def C(self) -> Any:
        """Eq. (5b)"""
        T = get(self, "Tba", 9)
        return twice(T) @ np.block([[E, np.zeros((3, 3))], [-skew(get(self, "ar", 3)), E]])

    def accelerations(self) -> Iterator[Any]:
        """Eq. (4g)"""
        yield from equal(
            get(self, "ba", 6),
            get(self.b, "a", 6) - self.C @ get(self.a, "a", 6) - get(self, "xi", 6),
        )


class Lock(Component):
    """L of eq. (9), and λ^l, whose equation is that of the joint."""

    L, push = mode(0.0), signal_in()


class Turning(Component):
    """Partial: a revolute joint about n, eq. (6), which may be locked."""

    q, qd = variable(select="prefer"), variable(select="prefer")
    qdd, tau = variable(), signal_in()
    n, lockable = setting((0, 0, 1)), setting(False)

    def setup(self) -> None:
        if self.lockable:
            self.lock = Lock()

    def turn(self) -> Iterator[Any]:
        n = np.array(self.n)
        yield self.qd == der(self.q)
        yield self.qdd == der(self.qd)
        T = np.outer(n, n) + (E - np.outer(n, n)) * cos(self.q) - skew(n) * sin(self.q)
        yield from equal(get(self, "Tba", 9), T)
        yield from equal(get(self, "br", 3), np.zeros(3))
        yield from equal(get(self, "bv", 6), self.phi * self.qd)

    @property
    def phi(self) -> Any:
        return np.array([*self.n, 0, 0, 0])


class Rigid(Component):
    """Partial: a bar to r."""

    place = setting((0, 0, 0))

    def hold(self) -> Iterator[Any]:
        yield from equal(get(self, "Tba", 9), E)
        yield from equal(get(self, "br", 3), self.place)
        yield from equal(get(self, "bv", 6), np.zeros(6))
        yield from equal(get(self, "ba", 6), np.zeros(6))


class MbsInteract(Moving):
    a, b = port(MbsCut), port(MbsCut)

    def interact(self) -> Iterator[Any]:
        yield from self.kinematics()
        yield from self.accelerations()
        yield from equal(get(self.a, "f", 6) + self.C.T @ get(self.b, "f", 6), np.zeros(6))  # (4h)


class MbsRevolute(MbsInteract, Turning):
    def equations(self) -> Iterator[Any]:
        yield from self.interact()
        yield from self.turn()
        yield from equal(get(self, "ba", 6), self.phi * self.qdd)
        held = self.phi @ get(self.b, "f", 6) + self.tau
        if self.lockable:
            L, push = self.lock.L, self.lock.push
            yield held + L * push == 0  # (8a)
            yield L * self.qdd + (1 - L) * push == 0  # (8b)
        else:
            yield held == 0


class MbsBar(MbsInteract, Rigid):
    def equations(self) -> Iterator[Any]:
        yield from self.interact()
        yield from self.hold()


# --- the second library --------------------------------------------------------------------------


Articulated = type("Articulated", (Component,), many(signal_in, U=6, N=21, f=6))


class SimRevolute(Moving, Turning):
    a, b = port(SimCut), port(SimCut)
    own = part(Articulated)
    M, h = variable(), variable()

    def equations(self) -> Iterator[Any]:
        yield from self.kinematics()
        yield from self.turn()
        phi, C = self.phi, self.C
        L = self.lock.L if self.lockable else 0.0
        Ib, bb, eta = symmetric(self.b, "I"), get(self.b, "b", 6), get(self, "xi", 6)
        U, N, f = get(self.own, "U", 6), symmetric(self.own, "N"), get(self.own, "f", 6)
        rest = self.tau + phi @ bb
        yield from equal(U, Ib @ phi)
        yield phi @ U == self.M  # (17b)
        yield self.h == (C.T @ U) @ get(self.a, "a", 6) + U @ eta + rest  # (17a)
        if self.lockable:
            yield self.lock.push == -L * self.h  # (16a)
        yield self.qdd == -(1 - L) * self.h / self.M  # (16b)
        yield from equal(get(self, "ba", 6), phi * self.qdd)
        yield from self.accelerations()  # (16c)
        yield from equal(f, Ib @ get(self.b, "a", 6) + bb)  # (16d)
        yield from equal(upper(N), upper(Ib - np.outer(U, U) * ((1 - L) / self.M)))  # (19c)
        yield from equal(upper(symmetric(self.a, "I")), upper(-(C.T @ N @ C)))  # (19a)
        inner = bb + N @ eta - U * ((1 - L) * rest / self.M)
        yield from equal(get(self.a, "b", 6), -(C.T @ inner))  # (19b)


class SimBar(Moving, Rigid):
    a, b = port(SimCut), port(SimCut)

    def equations(self) -> Iterator[Any]:
        yield from self.kinematics()
        yield from self.hold()
        yield from self.accelerations()
        C, Ib = self.C, symmetric(self.b, "I")
        yield from equal(upper(symmetric(self.a, "I")), upper(-(C.T @ Ib @ C)))  # (19a)
        inner = get(self.b, "b", 6) + Ib @ get(self, "xi", 6)
        yield from equal(get(self.a, "b", 6), -(C.T @ inner))  # (19b)


# --- the robot of sec. 7 -------------------------------------------------------------------------

ROWS = manutec.read("manutec_r3")["original_1993"]["bodies"]
AXES = {"x": (1, 0, 0), "z": (0, 0, 1)}


def tensor(row: dict[str, Any]) -> Any:
    found = np.diag([row["Ixx"], row["Iyy"], row["Izz"]])
    found[0, 2] = found[2, 0] = row["Ixz"]
    return found


class MbsR3(Component):
    """The listing of sec. 7: i to r1 to r2 to b3 to r3 to r4 to b5 to r5 to r6 to bL."""

    lockable = setting(False)
    kinds = setting((inertial(MbsCut), MbsRevolute, MbsBar, MbsBody))
    u1, u2, u3, u4, u5, u6 = (signal_in() for _ in range(6))

    def setup(self) -> None:
        world, joint, bar, body = self.kinds
        self.i = world()
        self.r = [joint(n=AXES[row["axis"]], lockable=self.lockable) for row in ROWS]
        self.b3, self.b5 = bar(place=(0, 0, 0.5)), bar(place=(0, 0, 0.73))
        self.bL = bar(place=(0.1, -0.1, 0.25))
        self.m = [body(m=row["m"], com=tuple(row["com"]), inertia=tensor(row)) for row in ROWS[:-1]]
        self.load = body(m=15.0)

    def equations(self) -> Iterator[Any]:
        r = self.r
        chain = [r[0], r[1], self.b3, r[2], r[3], self.b5, r[4], r[5], self.bL]
        at = self.i.b
        for one in chain:
            yield connect(at, one.a)
            at = one.b
        for joint, body in zip(r, self.m, strict=False):
            yield connect(joint.b, body.a)
        yield connect(self.bL.b, self.load.a)
        for joint, u in zip(r, (self.u1, self.u2, self.u3, self.u4, self.u5, self.u6), strict=True):
            yield connect(joint.tau, u)


class SimR3(MbsR3):
    """The same of the second library."""

    kinds = setting((inertial(SimCut), SimRevolute, SimBar, SimBody))
