"""Links: the mechanism as the recursive formalisms see it.

| module | holds |
|---|---|
| linkage | links with constant rotations, joint positions, motions and mass properties |
| motion | elementary motions: their columns, shifts and rotations |
| frames | passage of vectors and tensors between links, named in a scheme |
| vectors | triples and symmetric tensors of Nodes |
| rates | der(q) = N(q) qd |
| regroup, regroup_cost | base parameters, and which regroupings save operations |
| rotors | rotor inertias on joints |
| momenta | first moments of velocity and force of composite bodies |
| passage | small steps that several formalisms take |
"""

from kinetree.formalism.links.frames import Frames
from kinetree.formalism.links.linkage import Linkage
from kinetree.formalism.links.motion import FreeMotion, quaternion_matrix
from kinetree.formalism.links.vectors import skew

__all__ = ["Frames", "FreeMotion", "Linkage", "quaternion_matrix", "skew"]
