"""Matrices: mechanisms given by position matrices.

| module | holds |
|---|---|
| placement | bodies with their position matrices and mass properties as Nodes |
| named_derivatives | expressions broken into named equations, each differentiated where it stands |
| transform_kinematics | velocities and accelerations along a product of transforms |
| kinematics | motion of bodies |
| forces | force elements on bodies |
| dalembert | the equations of motion from them, by virtual power |
| quantities | the table of quantities |
"""

from kinetree.formalism.matrices.placement import Placement
from kinetree.formalism.matrices.quantities import DERIVATIVES, FORMALISM, PLACED, derive_placed

__all__ = [
    "DERIVATIVES", "FORMALISM", "PLACED", "Placement", "derive_placed",
]  # fmt: skip
