"""Connected components: physical systems of any domain, by across and through variables.

Users derive classes from `Component` and `Connector`; `sort` is the page on which the stages stand
that turn them into sorted equations.
"""

from kinetree.acausal.components import Component, Connector, connect, every, initial, reset, when
from kinetree.acausal.declarations import (
    across,
    mode,
    parameter,
    part,
    port,
    setting,
    signal_in,
    signal_out,
    through,
    variable,
)
from kinetree.acausal.physical import Physical, der, time

__all__ = [
    "Component", "Connector", "Physical", "across", "connect", "der", "every", "initial", "mode",
    "parameter", "part", "port", "reset", "setting", "signal_in", "signal_out", "through", "time",
    "variable", "when",
]  # fmt: skip
