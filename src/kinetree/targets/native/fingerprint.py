"""What made the code, so that code on disk is never older than its makers.

Object code found by the digest of a Program depends on everything between the Program and the
object: on the text of these modules, and on the limits that they set.
"""

from __future__ import annotations

import sys
from functools import cache
from hashlib import sha256
from pathlib import Path

NATIVE = __name__.rpartition(".")[0]
TARGETS = NATIVE.rpartition(".")[0]
OWN = (TARGETS, f"{TARGETS}.tape", NATIVE)
"""Packages whose modules take part, with the rooms inside NATIVE; other targets do not."""


def fingerprint() -> str:
    """Changes with the code of the modules, and with the numbers that they hold."""
    limits = [
        (module, name, value)
        for module in _modules()
        for name, value in tuple(vars(sys.modules[module]).items())
        if name.isupper() and isinstance(value, int | float)
    ]
    return sha256(repr((_sources(), limits)).encode()).hexdigest()


def _modules() -> list[str]:
    return sorted(
        name
        for name in tuple(sys.modules)  # other threads may import meanwhile
        if name.rpartition(".")[0] in OWN or name.startswith(f"{NATIVE}.")
    )


@cache
def _sources() -> str:
    """Digest of the text of all modules, loaded or not; of none where there are no files."""
    folder = Path(__file__).parent
    text = sha256()
    above = folder.parent
    for path in sorted([*above.glob("*.py"), *above.glob("tape/*.py"), *folder.rglob("*.py")]):
        text.update(path.read_bytes())
    return text.hexdigest()
