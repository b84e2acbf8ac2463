"""Errors that name the element of the model and propose the cure.

Every message is one sentence of the form ``element: problem; cure.``, so that a modelling mistake
reads as mechanics and never as a traceback of the library's inside. Several mistakes found together
travel in one error, one sentence per line (`combine`).
"""

from __future__ import annotations

import contextlib
import difflib
import functools
import re
import sys
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from kinetree.plain import plain


class KinetreeError(Exception):
    """A mistake in what the user gave, never a fault of the library.

    Attributes:
        problem: what is wrong, without the element and the cure.
        element: path of the element, such as ``joint 'elbow'`` or ``bodies.crank.mass``.
        cure: what to do about it.
        parts: the single errors this one gathers; itself when it is a single one.
    """

    def __init__(self, problem: str, *, element: str = "", cure: str = "") -> None:
        self.problem = problem
        self.element = element
        self.cure = cure
        self.parts: tuple[KinetreeError, ...] = (self,)
        super().__init__(sentence(element, problem, cure))


class ModelError(KinetreeError):
    """The mechanism as described cannot be: topology, masses, axes, values."""


class DuplicateNameError(ModelError):
    """Two elements of one kind carry the same name."""


class UnknownNameError(ModelError):
    """A name is used that nothing carries; the nearest known name is proposed."""


class AssemblyError(ModelError):
    """The loops do not close from the start values; the loop with the largest gap is named.

    Attributes:
        nearest: coordinates at which the gaps are smallest, as far as they are known.
    """

    nearest: Any = None


class RunError(ModelError):
    """A run, or a state of rest, is not there for these values; for others it may be."""


class PartitionError(ModelError):
    """The coordinates chosen as independent do not determine the others."""


class FormatError(KinetreeError):
    """A model file cannot be read as it stands."""


class ExpressionError(FormatError):
    """An expression string does not follow the grammar, or uses what it does not know."""


class FileError(KinetreeError):
    """A file cannot be written; what was there before is untouched."""


class ShapeError(KinetreeError):
    """An argument has the wrong kind, shape or value (not a number) for its place."""


class CallError(KinetreeError, TypeError):
    """A function is called with an argument that it does not have, or without one it needs."""


class UnsupportedError(KinetreeError):
    """The element is understood, but what was asked for does not treat it yet."""


class EndedError(KinetreeError):
    """The function that is told how far an analysis is has ended it before it had any result."""


class MissingError(UnsupportedError, AttributeError):
    """A method that models of this sort do not have; what to do in its place is said."""


class ModelWarning(UserWarning):
    """The model can be used, but it is probably not what was meant."""


INSIDE = (str(Path(__file__).parent), contextlib.__file__, functools.__file__)
"""How paths of files begin that are no user's: the package, and what calls it back."""
MANY = 1000
"""Names up to which all are compared with a misspelled one; of more, those that begin alike."""

E = TypeVar("E", bound=KinetreeError)


def sentence(element: str, problem: str, cure: str) -> str:
    """One sentence: element, problem and cure, each left out when empty.

    Names in it print; a problem alone may have several lines, one sentence each.
    """
    head = f"{plain(element)}: " if element else ""
    tail = f"; {plain(cure)}" if cure else ""
    lines = "\n".join(map(plain, problem.split("\n")))
    text = f"{head}{lines}{tail}"
    return text if text.endswith((".", "?", "!")) else text + "."


def warn(text: str) -> None:
    """Warn of a model or run, at the line outside the package that led there.

    What several stages say of one call is one warning in Python's eyes: same text, same line.
    """
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(INSIDE):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, ModelWarning, stacklevel=level)


def combine(errors: Sequence[KinetreeError], kind: type[E]) -> E:
    """One error of type `kind` that carries all `errors`, one sentence per line.

    The classes of the single errors stay visible in ``parts``.
    """
    parts = tuple(part for error in errors for part in error.parts)
    if len(parts) == 1:
        only = parts[0]
        made = kind(only.problem, element=only.element, cure=only.cure)
    else:
        made = kind("\n".join(str(part) for part in parts))
    made.parts = parts
    return made


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name most like `name`, or an empty string when none is near."""
    candidates = list(known)
    name = str(name)
    folded = {candidate.casefold(): candidate for candidate in reversed(candidates)}
    if name.casefold() in folded:
        return folded[name.casefold()]
    if len(candidates) > MANY:  # comparing with each takes too long
        candidates = [known for known in candidates if known[:2] == name[:2]][:MANY]
    found = difflib.get_close_matches(name, candidates, n=1, cutoff=0.5)
    return found[0] if found else ""


def suggest(name: str, known: Iterable[str], what: str = "name") -> str:
    """The cure for a misspelled name: the nearest known one, or the known ones."""
    candidates = list(known)
    best = nearest(name, candidates)
    if best:
        return f"did you mean '{best}'?"
    if not candidates:
        return f"there is no {what} yet"
    shown = ", ".join(f"'{candidate}'" for candidate in candidates[:8])
    more = ", …" if len(candidates) > 8 else ""
    return f"known {plural(what)}: {shown}{more}"


def plural(what: str) -> str:
    """Several of what a noun stands for: "velocities that can be driven", "kinds of joints"."""
    noun, *rest = re.split(r"(?= of | that | with )", what, maxsplit=1)
    nouns = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return nouns + "".join(rest)


def unknown(what: str, name: str, known: Iterable[str], element: str = "") -> UnknownNameError:
    """The error for a `what` (body, joint, point, parameter) called `name` that does not exist."""
    candidates = list(known)
    return UnknownNameError(
        f"there is no {what} '{name}'", element=element, cure=suggest(name, candidates, what)
    )
