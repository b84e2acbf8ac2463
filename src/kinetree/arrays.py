"""Types of arrays that every room speaks of."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
"""Numbers in double precision, of any shape."""
Flags = NDArray[np.bool_]
"""Truth values, of any shape."""
Integers = NDArray[np.int64]
"""Whole numbers, of any shape."""
StateArrays = dict[str, Array]
"""Arrays of a state by name: q, qd, …"""
