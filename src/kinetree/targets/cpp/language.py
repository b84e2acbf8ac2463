"""C++: the spellings of C with the type of numbers as a template argument."""

from __future__ import annotations

from kinetree.targets.text.c.family import WORDS, CFamily
from kinetree.targets.text.names import Rules

LIMITS = "std::numeric_limits<Real>"
CPP = CFamily(
    real="Real",
    literal="Real(%s)",
    before="template <class Real>\n",
    private="inline ",
    parameter="<Real>",
    loosest=f"std::max(%s, Real(100)*{LIMITS}::epsilon())",
    nan=f"{LIMITS}::quiet_NaN()",
    rules=Rules(WORDS | {"Real", "std", "max", "kinetree"}),
)
"""Tolerances of iterations are at least a hundred units of the precision."""
