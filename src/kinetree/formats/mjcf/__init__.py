"""MJCF, the model files of MuJoCo.

| module | holds |
|---|---|
| settings | includes, classes of defaults, units of angles |
| places | positions and orientations of elements |
| geoms | mass, centre of mass and inertia of bodies, given or from their geoms |
| equalities | equality constraints as closures |
| reader | the Model of a file |
| writer | the file of a Model |
"""

from kinetree.formats.mjcf.reader import read
from kinetree.formats.mjcf.writer import write

__all__ = ["read", "write"]
