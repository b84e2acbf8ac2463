"""Connected components: physical systems of any domain, by across and through variables.

Users derive classes from `Component` and `Connector`; `sort` is the page on which the stages stand
that turn them into sorted equations.
"""

from kinetree.acausal.branches import friction
from kinetree.acausal.components import Component, Connector, connect, initial
from kinetree.acausal.declarations import (
    across,
    mode,
    outer,
    parameter,
    part,
    port,
    setting,
    signal_in,
    signal_out,
    through,
    variable,
)
from kinetree.acausal.hybrid.words import every, reset, sample, stop, when
from kinetree.acausal.physical import Physical, der, pre, time
from kinetree.door import guard_room

__all__ = [
    "Component", "Connector", "Physical", "across", "connect", "der", "every", "friction",
    "initial", "mode", "outer", "parameter", "part", "port", "pre", "reset", "sample", "setting",
    "signal_in", "signal_out", "stop", "through", "time", "variable", "when",
]  # fmt: skip

guard_room(__name__)
