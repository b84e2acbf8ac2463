"""kinetree: one description of a mechanism, its equations of motion, and fast code from them."""

from kinetree import constraints as _constraints
from kinetree import joints as _joints
from kinetree import targets as _targets
from kinetree.analysis.assemble import Assembly, assemble
from kinetree.analysis.partition import Partition, partition
from kinetree.engine import Node, OperationCount
from kinetree.formats.load import load, save
from kinetree.model.system import Model
from kinetree.pipeline import derive
from kinetree.program import Program

__version__ = "0.1.0"

__all__ = [
    "Assembly", "Model", "Node", "OperationCount", "Partition", "Program", "assemble", "derive",
    "load", "partition", "save",
]  # fmt: skip

del _constraints, _joints, _targets
