"""C: spellings, in double or single precision."""

from __future__ import annotations

from kinetree.errors import unknown
from kinetree.targets.text.c_family import CFamily

DOUBLE = CFamily(turns=True)
SINGLE = CFamily(
    real="float", literal="%sf", suffix="f", nan='nanf("")', loosest="fmaxf(%s, 1e-5f)"
)
PRECISIONS = {"double": DOUBLE, "single": SINGLE}


def language(precision: str) -> CFamily:
    """C in a precision, by its name."""
    if precision not in PRECISIONS:
        raise unknown("precision", precision, PRECISIONS)
    return PRECISIONS[precision]
