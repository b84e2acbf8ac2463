"""Outputs: what a model can be asked for by name (`names`), and the user's own (`elements`)."""

from kinetree.model.outputs.elements import POINT_QUANTITIES, ModelOutput, Seen
from kinetree.model.outputs.names import Offered, asked_outputs, offers, output_names, signals

__all__ = [
    "POINT_QUANTITIES", "ModelOutput", "Offered", "Seen", "asked_outputs", "offers", "output_names",
    "signals",
]  # fmt: skip
