"""kinetree: one description of a mechanism, its equations of motion, and fast code from them."""

from pathlib import Path as _Path

from kinetree.door import open_door as _open_door

__version__ = "0.1.0"
_open_door(__name__, _Path(__file__).with_suffix(".pyi"))
