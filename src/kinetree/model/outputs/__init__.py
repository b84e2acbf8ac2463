"""Outputs: what a model can be asked for by name (`names`), and the user's own (`elements`)."""

from kinetree.model.outputs.elements import POINT_QUANTITIES, ModelOutput, Seen
from kinetree.model.outputs.heard import heard_outputs, with_outputs, write_own
from kinetree.model.outputs.names import (
    Offered,
    Offers,
    asked_outputs,
    offered_units,
    offers,
    output_names,
    signals,
)
from kinetree.model.outputs.variables import (
    VARIABLES,
    Components,
    InnerMechanism,
    SolvedStart,
    SortedEquations,
    as_mechanism,
    split_known,
)

__all__ = [
    "POINT_QUANTITIES", "VARIABLES", "Components", "InnerMechanism", "ModelOutput", "Offered",
    "Offers", "Seen", "SolvedStart", "SortedEquations", "as_mechanism", "asked_outputs",
    "heard_outputs", "offered_units", "offers", "output_names", "signals", "split_known",
    "with_outputs", "write_own",
]  # fmt: skip
