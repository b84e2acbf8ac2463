"""Natural coordinates: points and unit vectors that links share, tied by constant distances.

| module | holds |
|---|---|
| links, combinations | which points and vectors a link has, and what depends on them linearly |
| bodies | constant mass matrices |
| coordinates | the coordinates and velocities of a whole mechanism |
| constraints, constraint_rows, angle_ties, closures, rolling | equations between them |
| rotors, forces, equations | what acts, and the equations of motion |
| conversion, model_map | from joint coordinates and back |
| order | an order of elimination that keeps matrices sparse |
"""

from kinetree.formalism.natural.coordinates import LINK
from kinetree.formalism.natural.model_map import Chart, chart

__all__ = ["LINK", "Chart", "chart"]
