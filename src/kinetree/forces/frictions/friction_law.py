"""Friction along any speed that a law names, linear in the velocities.

    speed = Σ J_k(q, t) qd_k + s(q, t)

It acts by J_k times its force along every velocity k.  Force times speed is a power: [N] and [m/s],
or [N.m] and [rad/s] where angles are counted.
"""

from __future__ import annotations

from kinetree.engine import ZERO, Node, derivative, symbols
from kinetree.errors import ModelError
from kinetree.forces.frictions.bounds import OPTIONS, check, read_bounds
from kinetree.model import REQUIRED, Action, Force, ForceKind, Offer


def write(act: Action, force: Force) -> None:
    """What the mode says, and efforts against the speed."""
    speed, mode = act.law("speed"), force.arguments["mode"]
    smooth = -act.value("viscous") * speed
    effort = act.grip(mode, speed, *read_bounds(act)) + smooth
    for velocity, share in _shares(act, force).items():
        act.effort(velocity, share * effort)
    act.tell(lambda: {"force": act.gripping_force(mode) + smooth, "rate": speed})


def _shares(act: Action, force: Force) -> dict[str, Node]:
    """Velocity -> its share in the speed."""
    element, law = f"force '{force.name}'", act.profile("speed")
    velocities = {act.qd(name): name for name in act.velocities}
    shares = {name: derivative(law, qd) for qd, name in velocities.items()}
    if any(not velocities.keys().isdisjoint(symbols([share])) for share in shares.values()):
        raise ModelError(
            "its speed is not a sum of velocities", element=element, cure="give one linear in qd"
        )
    found = {name: share for name, share in shares.items() if share is not ZERO}
    if not found:
        raise ModelError(
            "its speed has no velocity in it", element=element, cure="give an expression of qd"
        )
    return found


KIND = ForceKind(
    "friction_law",
    write,
    options={"speed": REQUIRED, **OPTIONS},
    scalars=("static", "viscous"),
    laws=("speed", "force"),
    places=0,
    units={"static": "1", "viscous": "N.s/m"},
    check=check,
    holds=True,
    grips=True,
    outputs=(Offer("force", "N"), Offer("rate", "m/s")),
)
