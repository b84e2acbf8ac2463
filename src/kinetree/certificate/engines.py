"""The same quantity by other engines that are installed: Pinocchio and MuJoCo.

The model goes there as a file that their own readers read (URDF, MJCF), and numbers in the layout
of the engine (`formats.layouts`); so what these files have no word for keeps an engine out.  States
are those of the certificate, with the parameters of the model and without wrenches.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.certificate.certificate import LeftOut
from kinetree.certificate.compare import Expected, deviate, expect
from kinetree.certificate.trials import Trial
from kinetree.errors import KinetreeError, UnsupportedError
from kinetree.formats import urdf_writer
from kinetree.formats.layouts import layout
from kinetree.formats.mjcf import write as write_mjcf
from kinetree.formats.model_numbers import ModelNumbers
from kinetree.model import Model
from kinetree.targets.text.python.loading import need

if TYPE_CHECKING:
    from kinetree.arrays import Array
    from kinetree.certificate.certify import _Work
    from kinetree.model import Mechanism

TOLERANCE = 1e-9
"""Deviation of another engine that is allowed: other recursions in other frames, and numbers of a
file in place of ours."""
QUANTITIES = ("inverse", "forward", "mass_bias")
"""Quantities that engines give."""
HARMLESS = (
    "names of parameters", "output ", "event ", "clock ", "gravity", "wrench ", "damping of ",
    "the one bound ", "the name of ", "shapes",
)  # fmt: skip
"""What files leave out and equations at one state do not need, or what is set afterwards."""
EngineSolve = Callable[[str, "Array", "Array", "Array"], dict[str, Any]]
"""(quantity, q, qd, tau or qdd) -> outputs, in our layout."""


def compare_engines(model: Mechanism, found: Expected, work: _Work) -> None:
    """Compare a quantity with every engine; what is refused is left out, with why."""
    for name, (package, build) in ENGINES.items():
        work.tell(f"engine {name}")
        try:
            solve = _engine(model, found, package, build)
        except (KinetreeError, ValueError, RuntimeError) as error:
            work.left_out.append(LeftOut("engine", name, " ".join(str(error).split())))
            continue
        own = _own_parameters(found)
        quantity = own.trial.program.info["quantity"]
        third = {"inverse": "qdd", "forward": "tau"}.get(quantity, "qd")
        rows = [solve(quantity, s["q"], s["qd"], s[third]) for s in own.trial.states]
        version = getattr(import_module(package), "__version__", "")
        worst = deviate(own, rows)
        work.compare(0, worst, kind="engine", name=name, tool=f"{package} {version}",
                     tolerance=TOLERANCE)  # fmt: skip


def _engine(
    model: Mechanism, found: Expected, package: str, build: Callable[[Model], EngineSolve]
) -> EngineSolve:
    """What an engine makes of a model, or why it makes nothing of it."""
    quantity = found.trial.program.info["quantity"]
    if quantity not in QUANTITIES or not isinstance(model, Model):
        kinds = ", ".join(QUANTITIES)
        raise UnsupportedError(f"it is compared in {kinds} of models of joints and bodies")
    tied = [*model.closures, *model.drives, *model.forces]
    tied += [joint.name for joint in model.joints.values() if joint.follows]
    if tied:
        raise UnsupportedError(f"it is compared in trees of bodies alone, without '{tied[0]}'")
    need(package)
    return build(model)


def _own_parameters(found: Expected) -> Expected:
    """Reference values at the same motions with the model's own parameters."""
    kept = ("q", "qd", "qdd", "tau")
    states = tuple({n: x for n, x in s.items() if n in kept} for s in found.trial.states)
    return expect(Trial(found.trial.program, states), 0)


def _refuse(left: list[str], file: str) -> None:
    """Refuse a model of which a file leaves out something that moves it."""
    lost = [row for row in left if not row.startswith(HARMLESS)]
    if lost:
        raise UnsupportedError(f"{file} has no word for {', '.join(lost)}")


def _mujoco(model: Model) -> EngineSolve:
    """MuJoCo, without contacts, limits, damping and friction, which are data here."""
    mujoco = import_module("mujoco")
    text, left = write_mjcf(model)
    _refuse(left, "MJCF")
    peer, own = mujoco.MjModel.from_xml_string(text), layout(model, "mujoco")
    peer.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    peer.dof_damping[:] = 0.0
    data = mujoco.MjData(peer)

    def inverse(q: Array, qd: Array, qdd: Array) -> Array:
        data.qpos[:], data.qvel[:], data.qacc[:] = own.q(q), own.v(q, qd), own.a(q, qd, qdd)
        mujoco.mj_inverse(peer, data)
        return own.tau_from(q, np.array(data.qfrc_inverse))

    def solve(quantity: str, q: Array, qd: Array, third: Array) -> dict[str, Any]:
        if quantity == "inverse":
            return {"tau": inverse(q, qd, third)}
        data.qpos[:], data.qvel[:] = own.q(q), own.v(q, qd)
        data.qfrc_applied[:] = own.tau(q, third) if quantity == "forward" else 0.0
        mujoco.mj_forward(peer, data)
        if quantity == "forward":
            return {"qdd": own.a_from(q, qd, np.array(data.qacc))}
        M = np.zeros((peer.nv, peer.nv))
        mujoco.mj_fullM(peer, data, M)
        return {"M": own.mass_matrix_from(q, M), "c": inverse(q, qd, np.zeros(model.nv))}

    return solve


def _pinocchio(model: Model) -> EngineSolve:
    """Pinocchio, by its reader of URDF; a free root is given to that."""
    pin = import_module("pinocchio")
    text, left = urdf_writer.write(model)
    floats = [row for row in left if row.endswith("floating=True")]
    _refuse([row for row in left if row not in floats], "URDF")
    roots = (pin.JointModelFreeFlyer(),) if floats else ()
    peer, own = pin.buildModelFromXML(text, *roots), layout(model, "pinocchio")
    peer.gravity.linear = np.array(ModelNumbers(model).gravity())
    data = peer.createData()

    def solve(quantity: str, q: Array, qd: Array, third: Array) -> dict[str, Any]:
        x, v = own.q(q), own.v(q, qd)
        if quantity == "forward":
            return {"qdd": own.a_from(q, qd, pin.aba(peer, data, x, v, own.tau(q, third)))}
        qdd = third if quantity == "inverse" else np.zeros(model.nv)
        tau = own.tau_from(q, pin.rnea(peer, data, x, v, own.a(q, qd, qdd)))
        if quantity == "inverse":
            return {"tau": tau}
        upper = np.triu(pin.crba(peer, data, x))
        return {"M": own.mass_matrix_from(q, upper + np.triu(upper, 1).T), "c": tau}

    return solve


ENGINES: dict[str, tuple[str, Callable[[Model], EngineSolve]]] = {
    "Pinocchio": ("pinocchio", _pinocchio),
    "MuJoCo": ("mujoco", _mujoco),
}
"""Engine -> its package, and what builds the model there."""
