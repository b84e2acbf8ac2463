"""Friction of a pair of a contact: force T along its surface, of load F and sliding speed u.

Without `stick_stiffness` it is a function of the sliding speed, which creeps under any load,

    T = -μ F tanh(u/s)

With it a spring k and a damper k τ, stretched by z, stand in a row with a slider that gives way at
μ F.  With the speed at which the slider gives way, w = u - zd,

    T = -min(max(k (z + τ u), -μ F), μ F),    zd = -(T/k + z)/τ

so that below μ F the slider holds (w = 0, zd = u), and a body at rest stays where it is.  Every
pair that pushes has a z of its own, the state NAME_stick_NUMBER.  Whatever the load does,

    T u = -d/dt(k z²/2) - k τ zd² - |T w|

so friction gives back at most what the spring has stored, and nothing where F is zero: z fades
then within the time τ.

Refs: CundallStrack1979; own derivation
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetree.engine import ZERO, Node, maximum, minimum, tanh
from kinetree.errors import ModelError
from kinetree.model import Action, Force

OPTIONS: dict[str, Any] = {
    "friction": 0,
    "slip_speed": 0.005,
    "stick_stiffness": 0,
    "stick_time": 1e-3,
}
UNITS = {"friction": "1", "slip_speed": "m/s", "stick_stiffness": "N/m", "stick_time": "s"}


def sticks(arguments: Mapping[str, Any]) -> bool:
    """Whether a contact with these arguments has springs along its surface."""
    stiff = arguments["stick_stiffness"]
    return isinstance(stiff, Node) or stiff != 0


def stretch(name: str, number: int) -> str:
    """Name of the state z of a pair of the contact called `name`."""
    return f"{name}_stick_{number}"


def force(act: Action, element: Force, load: Node, sliding: Node, number: int) -> Node:
    """T of one pair [N], along the direction in which it slides [m/s]."""
    mu, held = act.value("friction"), sticks(element.arguments)
    if mu is ZERO and not held:
        return ZERO
    most = act.let("most", mu * load)
    if not held:
        return act.let("rub", -most * tanh(sliding / act.value("slip_speed")))
    name = stretch(element.name, number)
    k, tau, z = act.value("stick_stiffness"), act.value("stick_time"), act.state(name)
    T = act.let("rub", maximum(-most, minimum(most, -k * (z + tau * sliding))))
    act.give_rate(name, act.let("slack", -(T / k + z) / tau))
    return T


def spring_energy(act: Action, element: Force, T: Node, number: int) -> tuple[Node, Node]:
    """Energy of the spring of a pair that sticks [J], and its rate [W]."""
    if not sticks(element.arguments):
        return ZERO, ZERO
    z = act.state(stretch(element.name, number))
    k, tau = act.value("stick_stiffness"), act.value("stick_time")
    return k * z * z / 2, -z * (T + k * z) / tau


def check(arguments: Mapping[str, Any], element: str) -> None:
    """Refuse what would stick without friction; signs are looked at for all forces alike."""
    friction = arguments["friction"]
    if sticks(arguments) and isinstance(friction, int | float) and friction == 0:
        raise ModelError(
            "it has a stick_stiffness, but no friction", element=element,
            cure="give a coefficient of friction above 0",
        )  # fmt: skip
