"""What the words of a form say: measures, limits, ranges, values by name, options of runs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kinetree.errors import FormatError
from kinetree.measures import measure

MEASURE = re.compile(r"\s*(?:(\w+)\s*=\s*)?(\w+\s*\(.*\).*?)\s*\Z")
"""A measure such as travel=peak(q_wheel)."""
LIMIT = re.compile(r"(.*?)\s*(<=|>=|==)\s*(\S+)\s*\Z")
"""A measure with its bound, such as travel=peak(q_wheel) <= 0.08."""
VALUES = {"q": "q", "qd": "qd", "x": "x", "tau": "tau", "set": "parameters"}
"""Fields that are values by name -> what they are called in Python."""
AS_THEY_ARE = ("integrator", "formulation", "step", "rtol", "atol", "at", "begin")
"""Fields of runs that Python has under the same name."""


def measures_of(text: str) -> dict[str, Any]:
    """Measures from a text such as "travel=peak(q_wheel); end=final(q_wheel)".

    Raises:
        FormatError: for what is none.
    """
    made: dict[str, Any] = {}
    for word in filter(str.strip, text.split(";")):
        match = MEASURE.match(word)
        if match is None:
            raise FormatError(
                f"'{word.strip()}' is not a valid measure", element="measures",
                cure="write it as travel=peak(q_wheel)",
            )  # fmt: skip
        made[match[1] or word.strip()] = measure(match[2])
    return made


def limits_of(text: str) -> dict[str, tuple[Any, float | None, float | None]]:
    """Constraints from a text such as "travel=peak(q_wheel) <= 0.08; end=final(q_y) == 0".

    Raises:
        FormatError: for what is none.
    """
    made: dict[str, tuple[Any, float | None, float | None]] = {}
    for word in filter(str.strip, text.split(";")):
        match = LIMIT.match(word)
        try:
            bound = float(match[3]) if match is not None else None
        except ValueError:
            bound = None
        if match is None or bound is None:
            raise FormatError(
                f"'{word.strip()}' is not a valid constraint", element="subject_to",
                cure="write it as travel=peak(q_wheel) <= 0.08",
            )  # fmt: skip
        low = bound if match[2] in (">=", "==") else None
        high = bound if match[2] in ("<=", "==") else None
        for name, row in measures_of(match[1]).items():
            made[name] = (row, low, high)
    return made


def ranges_of(text: str) -> dict[str, tuple[float, float]]:
    """Bounds from a text such as "stiffness=1e4:2e4, mass=1:2".

    Raises:
        FormatError: for what is none.
    """
    made = {}
    for word in list_of(text):
        name, _, ends = word.partition("=")
        low, _, high = ends.partition(":")
        try:
            made[name.strip()] = (float(low), float(high))
        except ValueError:
            raise FormatError(
                f"'{word}' is not a range", element="over", cure="write it as name=lowest:highest"
            ) from None
    return made


def list_of(text: str) -> list[str]:
    """Words between commas."""
    return [word.strip() for word in text.split(",") if word.strip()]


def values_of(text: str, element: str) -> dict[str, float]:
    """Values from a text such as "q1=0.5, q2=1".

    Raises:
        FormatError: for what is no number.
    """
    rows = [word.partition("=") for word in list_of(text)]
    try:
        return {name.strip(): float(value) for name, _, value in rows}
    except ValueError:
        raise FormatError(
            "a value is not a number", element=element, cure="write it as name=number"
        ) from None


def run_options_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Options of runs that a form of a study gave, as `kt.sensitivity` takes them."""
    made = {
        name: values_of(given[field], field) for field, name in VALUES.items() if given.get(field)
    }
    made |= {name: given[name] for name in AS_THEY_ARE if given.get(name) is not None}
    return made | ({"locked": list_of(given["lock"])} if given.get("lock") else {})


def duration_of(given: Mapping[str, Any]) -> float | None:
    """The length of the runs [s]; none where a place is measured."""
    return float(given["duration"]) if given.get("at", "run") == "run" else None
