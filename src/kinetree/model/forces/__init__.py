"""Forces of a mechanism: what they are as data, and what a force kind may ask when it is written.

A force is a row of data; its kind writes it down by asking an `Action` for motions and by pushing
on points or joints.  All vectors are triples of Nodes in a frame that is said; the equations of
motion are M qdd + c = tau, where c holds minus the generalised forces of all force elements.

An element may bring states of its own (`ports`).
"""

from kinetree.model.forces.action import Action
from kinetree.model.forces.elements import (
    ENERGY,
    XYZ,
    Between,
    Force,
    Frame,
    Offer,
    Place,
    State,
    Told,
    Work,
)
from kinetree.model.forces.holding import (
    gripping,
    holding,
    refuse_holding,
    refuse_pushes,
    stop_modes,
    stopping,
)
from kinetree.model.forces.kind import (
    AT_POINT,
    AT_POINT_WORK,
    FORCES,
    IN_JOINT,
    Belongings,
    ForceKind,
    OwnState,
)
from kinetree.model.forces.ports import FLUID, FlowPort, admit, open_ports, port_fluids
from kinetree.model.vectors import NULL, Mat, Vec

__all__ = [
    "AT_POINT", "AT_POINT_WORK", "ENERGY", "FLUID", "FORCES", "IN_JOINT", "NULL", "XYZ", "Action",
    "Belongings", "Between", "FlowPort", "Force", "ForceKind", "Frame", "Mat", "Offer", "OwnState",
    "Place", "State", "Told", "Vec", "Work", "admit", "gripping", "holding", "open_ports",
    "port_fluids", "refuse_holding", "refuse_pushes", "stop_modes", "stopping",
]  # fmt: skip
