"""Measures from texts, as the command line and studies in files have them.

    final(q_y)    at_time(q_y, 0.5)    rms(qdd_seat) + 0.1*peak(q_wheel)    event_time(ground)
    at_event(qd_z, ground)

Words of the table followed by a bracket are measures; what stands around them is a function.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from kinetree.arguments import check_arguments
from kinetree.errors import ModelError, unknown
from kinetree.measures.at_event import at_event
from kinetree.measures.at_time import at_time
from kinetree.measures.event_time import event_time
from kinetree.measures.final import final
from kinetree.measures.function_of import function_of
from kinetree.measures.integral import integral
from kinetree.measures.mean_square import mean_square, rms
from kinetree.measures.measure import Measure
from kinetree.measures.mode import damping, frequency, growth
from kinetree.measures.peak import peak
from kinetree.measures.severity import severity

KINDS: dict[str, Callable[..., Measure]] = {
    row.__name__: row
    for row in (
        final, at_time, integral, mean_square, rms, peak, severity, event_time, at_event, frequency,
        damping, growth,
    )
}  # fmt: skip
"""Kinds that a text may name."""
NUMBERS = {
    "at_time": (None, float),
    "at_event": (None, str),
    "event_time": (None, int),
    "severity": (None, str),
} | dict.fromkeys(("frequency", "damping", "growth"), (int,))
"""What arguments are; None for a text.  Kinds that are not here have one text."""
FUNCTIONS = ("abs", "sign", "minimum", "maximum", "select", "table")
"""Functions of expressions that are none of Python's mathematics."""
CALLED = re.compile(r"(?<![\w.])([A-Za-z_]\w*)\s*\(")
START = re.compile(rf"(?<![\w.])({'|'.join(KINDS)})\s*\(")


def measure(text: str) -> Measure:
    """A measure from a text.

    Args:
        text: such as "final(q_y)", or a function of several: "rms(qdd_x) + 0.1*peak(q_x)".
    """
    check_arguments(measure, locals())
    rest, found, place = "", dict[str, Measure](), 0
    while match := START.search(text, place):
        end = _closing(text, match.end())
        label = f"m{len(found) + 1}"
        found[label] = _one(match[1], text[match.end() : end], text)
        rest += text[place : match.start()] + label
        place = end + 1
    rest += text[place:]
    if not found:
        _refuse_other_kinds(text)
        raise ModelError(
            "it names no kind of measure",
            element=f"measure '{text}'",
            cure=f"write final({text}), or one of {', '.join(KINDS)}",
        )
    return found["m1"] if rest.strip() == "m1" else function_of(rest.strip(), **found)


def _refuse_other_kinds(text: str) -> None:
    """Refuse a word that is followed by a bracket and is neither a kind nor a function."""
    for word in CALLED.findall(text):
        if not hasattr(math, word) and word not in FUNCTIONS:
            raise unknown("kind of measure", word, KINDS, f"measure '{text}'")


def _closing(text: str, first: int) -> int:
    """The place of the bracket that closes the one before."""
    depth = 1
    for k in range(first, len(text)):
        depth += {"(": 1, ")": -1}.get(text[k], 0)
        if depth == 0:
            return k
    raise ModelError("a bracket is not closed", element=f"measure '{text}'", cure="close it")


def _one(kind: str, inside: str, text: str) -> Measure:
    """One measure from what stands in its brackets."""
    kinds: tuple[Any, ...] = NUMBERS.get(kind, (None,))
    words = [inside.strip()]
    if len(kinds) > 1 and kinds[0] is None and "," in inside:
        words = [word.strip() for word in inside.rsplit(",", 1)]
    if kinds[0] is int and not inside.strip():
        words = []
    try:
        given = [word if to is None else to(word) for word, to in zip(words, kinds, strict=False)]
        return KINDS[kind](*given)
    except (ValueError, TypeError):
        raise ModelError(
            f"'{inside}' is not what {kind} takes",
            element=f"measure '{text}'",
            cure=f"see kt.{kind}",
        ) from None
