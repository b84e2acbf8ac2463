"""What made the code, so that code on disk is never older than its makers.

Object code found by the digest of a Program depends on everything between the Program and the
object: on the text of these modules, and on the limits that they set.
"""

from __future__ import annotations

import sys
from functools import cache
from hashlib import sha256
from pathlib import Path

TARGETS = __name__.rpartition(".")[0].rpartition(".")[0]
"""The package around this one."""


def fingerprint() -> str:
    """Changes with the code of the modules, and with the numbers that they hold."""
    limits = [
        (name, limit, value)
        for name in _modules()
        if name in sys.modules
        for limit, value in tuple(vars(sys.modules[name]).items())
        if limit.isupper() and isinstance(value, int | float)
    ]
    return sha256(repr((_sources(), limits)).encode()).hexdigest()


@cache
def _modules() -> tuple[str, ...]:
    """Names of the modules, loaded or not; none where there are no files."""
    above = Path(__file__).parents[1]
    places = [path.relative_to(above).with_suffix("").parts for path in _files()]
    return tuple(".".join((TARGETS, *parts)).removesuffix(".__init__") for parts in places)


@cache
def _sources() -> str:
    """Digest of the text of all modules."""
    text = sha256()
    for path in _files():
        text.update(path.read_bytes())
    return text.hexdigest()


def _files() -> list[Path]:
    """The modules that take part: those around this package, of `tape` and inside; no target's."""
    folder = Path(__file__).parent
    above = folder.parent
    return sorted([*above.glob("*.py"), *above.glob("tape/*.py"), *folder.rglob("*.py")])
