"""Pictures without a browser: a mechanism as flat shapes (`scene`), films of them (`encode`)."""

from kinetree.view.film.encode import FORMATS, write_film
from kinetree.view.film.scene import FlatShape, Scene

__all__ = ["FORMATS", "FlatShape", "Scene", "write_film"]
