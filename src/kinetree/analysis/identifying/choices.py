"""Choices of a user of `identify`, and what is refused of them before anything is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kinetree.analysis.identifying.data.data_units import unit_names
from kinetree.analysis.identifying.data.recordings import UNKNOWN
from kinetree.analysis.identifying.equations import HeldOut
from kinetree.analysis.identifying.from_motion import refuse_useless
from kinetree.analysis.identifying.unknown_values import SENSORS, coefficient_names
from kinetree.arguments import check_choice, check_positive, is_finite, show
from kinetree.errors import ModelError, UnsupportedError, unknown

METHODS = ("least_squares", "instrumental", "consistent", "output_error")
"""Kinds of estimates."""
FINDS_GAINS = ("least_squares", "consistent")
"""Methods that find gains of motors."""
FINDS_SPEEDS = FINDS_GAINS
"""Methods that find speeds over which dry friction grows."""
SMOOTH = 0.02
"""Speed over which dry friction grows, where nobody says [rad/s or m/s]."""
RUBBING = ("coulomb", "viscous", "offset")
"""Parameters of friction."""


def check_choices(given: Mapping[str, Any], changed: Sequence[str]) -> None:
    """Refuse what no estimate can be made of.

    Args:
        given: the arguments of `identify`.
        changed: names of those that differ from their defaults.
    """
    check_choice("method", given["method"], METHODS)
    check_choice("measured", given["measured"], ("tau", "wrench"))
    for name, words, known in (
        ("friction", given["friction"], RUBBING),
        ("units", given["units"] or (), unit_names(given["model"])),
        ("gains", given["gains"] or (), given["model"].velocities),
        ("locked", given["locked"] or (), given["model"].coordinates),
        ("sensors", given["sensors"], tuple(SENSORS)),
        ("coefficients", given["coefficients"], coefficient_names(given["model"])),
    ):
        for word in words:
            if word not in known:
                raise unknown("name", word, known, name)
    check_positive("a positive number", prior=given["prior"], segment=given["segment"])
    _check_smooth(given)
    _check_gains(given)
    refuse_useless(given, [name for name in changed if given[name]])
    if given["cutoff"]:
        check_positive("a positive frequency in Hz, or 0", cutoff=given["cutoff"])


def _check_smooth(given: Mapping[str, Any]) -> None:
    """Refuse speeds of dry friction that are none, and unknown ones where they are not found."""
    if given["smooth"] != UNKNOWN:
        if isinstance(given["smooth"], str):
            raise unknown("word", given["smooth"], (UNKNOWN,), "smooth")
        check_positive("a positive number", smooth=given["smooth"])
        return
    if given["method"] not in FINDS_SPEEDS or given["measured"] != "tau":
        raise UnsupportedError(
            "it finds no speeds of dry friction",
            element=f"smooth, method '{given['method']}'",
            cure=f"give a number in rad/s or m/s, or take method='{FINDS_SPEEDS[0]}' and efforts",
        )


def what_is_held(held_out: HeldOut, count: int) -> HeldOut:
    """The share or the numbers of recordings that are not fitted.

    Args:
        held_out: what the user gave.
        count: of recordings.

    Raises:
        ModelError: where it leaves nothing to fit, or there is no such recording.
    """
    if isinstance(held_out, int | float):
        if not 0 <= held_out < 1:
            raise ModelError(
                f"it is {held_out:g}", element="held_out", cure="give a share such as 0.3"
            )
        return held_out
    numbers = tuple(np.ravel(np.asarray(held_out)).tolist())
    strange = [number for number in numbers if number not in range(1, count + 1)]
    if strange:
        raise ModelError(
            f"there is no recording {show(strange[0])}",
            element="held_out",
            cure=f"give numbers from 1 to {count}, or a share such as 0.3",
        )
    if len(set(numbers)) == count:
        raise ModelError(
            "no recording is left to fit", element="held_out", cure="hold fewer of them out"
        )
    return numbers


def _check_gains(given: Mapping[str, Any]) -> None:
    """Refuse gains that are no numbers, and unknown ones where a method does not find them."""
    for name, gain in (given["gains"] or {}).items():
        if gain != UNKNOWN and not (is_finite(gain) and gain):
            raise ModelError(
                f"it is {show(gain)}",
                element=f"gains, '{name}'",
                cure=f'give a number in N.m/A, not 0, or "{UNKNOWN}"',
            )
        if gain == UNKNOWN and given["method"] not in FINDS_GAINS:
            raise UnsupportedError(
                "it finds no gains of motors",
                element=f"method '{given['method']}'",
                cure=f"give the gain of '{name}', or take method='{FINDS_GAINS[0]}'",
            )
        if gain == UNKNOWN and given["measured"] != "tau":
            raise UnsupportedError(
                "no effort of a joint enters the wrench on the ground",
                element=f"gains, '{name}'",
                cure="leave gains= out, or measure efforts",
            )
