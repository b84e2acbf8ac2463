"""Vector algebra for users: vectors, rotations, inertias, homogeneous matrices.

All of them hold numbers or expressions, so the same lines compute a place and derive an equation.
"""

from kinetree.algebra.inertias import Inertia, point_mass
from kinetree.algebra.rotations import Rotation
from kinetree.algebra.transforms import Transform, disp, rot, rotq, rotx, roty, rotz
from kinetree.algebra.vectors import Vector, cross, dot, vector
from kinetree.door import guard_room

__all__ = [
    "Inertia", "Rotation", "Transform", "Vector", "cross", "disp", "dot", "point_mass", "rot",
    "rotq", "rotx", "roty", "rotz", "vector",
]  # fmt: skip

guard_room(__name__)
