"""Flows that are given: by a joint that drives a pump, or by a law.

    pump:          q = D·rate,  effort on the joint = -D (h_second - h_first)
    fluid_source:  q = law(t, q, qd, x, …)

from the first port to the second; D is the displacement per angle [m3/rad], or per way [m2].  A
pump without loss: what it takes from the joint the fluid gets.
"""

from __future__ import annotations

from kinetree.forces.fluid.branches import ENDS, drop, pass_on
from kinetree.model import IN_JOINT, REQUIRED, Action, Belongings, Force, ForceKind, Offer

GIVEN = (Offer("flow", "m3/s"), Offer("drop", "Pa"))


def write_pump(act: Action, force: Force) -> None:
    """The joint displaces; the difference of heads resists it."""
    velocity, D = force.arguments["joint"], act.value("displacement")
    over, rate = drop(act, force), act.qd(velocity)
    effort = D * over
    pass_on(act, force, D * rate)
    act.effort(velocity, effort)
    act.tell(lambda: {"force": effort, "rate": rate, "flow": D * rate, "drop": over})


def write_source(act: Action, force: Force) -> None:
    """What the law says."""
    flow, over = act.let("flow", act.law("law")), drop(act, force)
    pass_on(act, force, flow)
    act.tell(lambda: {"flow": flow, "drop": over})


PUMP = ForceKind(
    "pump",
    write_pump,
    options={**ENDS, "joint": REQUIRED, "displacement": REQUIRED},
    places=0,
    scalars=("displacement",),
    velocities=("joint",),
    units={"displacement": "m3/{q}"},
    outputs=(*IN_JOINT, *GIVEN),
    belongings=Belongings(joins=("first", "second")),
)
SOURCE = ForceKind(
    "fluid_source",
    write_source,
    options={**ENDS, "law": REQUIRED},
    places=0,
    laws=("law",),
    outputs=GIVEN,
    work=(),
    belongings=Belongings(joins=("first", "second")),
)
