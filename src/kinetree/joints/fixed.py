"""Fixed joint: no motion; the child is welded to the parent.

Frames: the child's frame coincides with the frame of the parent point, always.
Coordinates: none. Velocities: none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetree.model import JointKind, Motion


def motions(arguments: Mapping[str, Any], element: str) -> tuple[Motion, ...]:
    """No motion."""
    del arguments, element
    return ()


KIND = JointKind("fixed", motions)
