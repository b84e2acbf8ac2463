"""Closing the loops: the equations as numbers, assembly from rough values, partition."""

from kinetree.assembly.assemble import Assembly, close, free_columns, solved_columns
from kinetree.assembly.consistent_start import (
    MOVED,
    ROUGH,
    Wish,
    changes,
    consistent_coordinates,
    consistent_velocities,
    correct_velocities,
    kept_coordinates,
    moved_coordinates,
    settled_velocities,
)
from kinetree.assembly.loops import Loops, allowed_gaps, closure_equations
from kinetree.assembly.named_values import (
    Values,
    given_values,
    quaternions,
    refuse_gimbal_lock,
    refuse_unset,
    unit_quaternions,
)
from kinetree.assembly.overrides import Parameters, with_values
from kinetree.assembly.partition import Partition, facts, partition_at, refuse_foreign
from kinetree.assembly.singular import depending

__all__ = [
    "MOVED", "ROUGH", "Assembly", "Loops", "Parameters", "Partition", "Values", "Wish",
    "allowed_gaps",
    "changes", "close", "closure_equations", "consistent_coordinates", "consistent_velocities",
    "correct_velocities", "depending", "facts", "free_columns", "given_values", "kept_coordinates",
    "moved_coordinates", "partition_at", "quaternions", "refuse_foreign", "refuse_gimbal_lock",
    "refuse_unset", "settled_velocities", "solved_columns", "unit_quaternions", "with_values",
]  # fmt: skip
