"""Arguments at the door: each is of the kind that the signature of its function says.

    check_arguments(simulate, locals())

as the first line of a public function refuses a word for a number, a list for a mapping, one name
for a list of names, and not-a-number everywhere, in one sentence that names the argument.  Which
kind an argument has is read from its annotation, so there is one place that says it.
"""

from __future__ import annotations

import inspect
import math
import numbers
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from kinetree.arrays import Array
from kinetree.errors import ShapeError, unknown

WIDTH = 40
"""Characters of a value that a sentence shows."""


@dataclass(frozen=True)
class ArgumentKind:
    """A kind of arguments.

    Attributes:
        phrase: what a sentence asks for: "a finite number".
        fits: whether a value is of the kind.
    """

    phrase: str
    fits: Callable[[Any], bool]


def is_number(value: Any) -> bool:
    """Whether a value is one real number, infinite ones included; truth values are none."""
    if isinstance(value, bool):
        return False
    if isinstance(value, numbers.Real):
        try:
            return not math.isnan(value)
        except OverflowError:  # an integer beyond doubles
            return False
    array = _array(value)
    return array is not None and array.ndim == 0 and not np.isnan(array)


def is_finite(value: Any) -> bool:
    """Whether a value is one finite real number."""
    return is_number(value) and math.isfinite(value)


def is_row(value: Any) -> bool:
    """Whether a value is finite real numbers in order."""
    array = _array(value)
    return array is not None and array.ndim == 1 and bool(np.isfinite(array).all())


def is_array(value: Any) -> bool:
    """Whether a value is finite real numbers, of any shape."""
    array = _array(value)
    return array is not None and bool(np.isfinite(array).all())


def _array(value: Any) -> Any:
    """A value as an array of real numbers; none where it is not one."""
    if isinstance(value, str | bytes | Mapping | set):
        return None
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):
        return None
    return array if array.dtype.kind in "fiu" or not array.size else None


def _is_list(value: Any) -> bool:
    return isinstance(value, Collection) and not isinstance(value, str | bytes | Mapping | set)


def _is_named(value: Any, fits: Callable[[Any], bool]) -> bool:
    """Whether a value is a mapping from names to what fits."""
    if not isinstance(value, Mapping):
        return False
    return all(isinstance(name, str) and fits(item) for name, item in value.items())


def _is_pair(value: Any) -> bool:
    """Whether a value is two numbers, infinite ones included."""
    return _is_list(value) and len(value) == 2 and all(is_number(item) for item in value)


def _is_path(value: Any) -> bool:
    return hasattr(value, "__fspath__")


KINDS: Mapping[str, ArgumentKind] = {
    "Any": ArgumentKind("a value", lambda _: True),
    "None": ArgumentKind("None", lambda value: value is None),
    "float": ArgumentKind("a finite number", is_finite),
    "int": ArgumentKind(
        "a whole number",
        lambda value: isinstance(value, numbers.Integral) and not isinstance(value, bool),
    ),
    "bool": ArgumentKind("True or False", lambda value: isinstance(value, bool | np.bool_)),
    "str": ArgumentKind("a word", lambda value: isinstance(value, str)),
    "Path": ArgumentKind("a path", _is_path),
    "os.PathLike[str]": ArgumentKind("a path", _is_path),
    "Callable": ArgumentKind("a function", callable),
    "Mapping": ArgumentKind("a mapping by name", lambda value: _is_named(value, lambda _: True)),
    "Sequence[str]": ArgumentKind(
        "a list of names",
        lambda value: _is_list(value) and all(isinstance(item, str) for item in value),
    ),
    "Sequence": ArgumentKind("a list", lambda x: _is_list(x) or isinstance(x, np.ndarray)),
    "Sequence[float]": ArgumentKind("a list of finite numbers", is_row),
    "Mapping[str, float]": ArgumentKind(
        "a mapping from names to finite numbers", lambda value: _is_named(value, is_finite)
    ),
    "Rows": ArgumentKind(
        "finite numbers, leading axes for a batch",
        lambda value: is_array(value) and np.ndim(value) > 0,
    ),
    "Mapping[str, Rows]": ArgumentKind(
        "a mapping from names to finite numbers, or arrays of them for a batch",
        lambda value: _is_named(value, is_array),
    ),
    "Mapping[str, tuple[float, float]]": ArgumentKind(
        "a mapping from names to pairs (lowest, highest)", lambda value: _is_named(value, _is_pair)
    ),
}  # fmt: skip
"""Annotation -> kind; the name of a class stands for its instances."""
NUMBER = ArgumentKind("a number", is_number)
"""Of arguments whose default is infinite."""
ALIASES = {
    "Values": "Mapping[str, float] | Sequence[float] | None",
    "Parameters": "Mapping[str, float] | None",
    "BatchValues": "Mapping[str, Rows] | Rows | None",
    "BatchParameters": "Mapping[str, Rows] | None",
    "Mechanism": "Model | FrameModel",
    "Components": "Component",
    "Progress": "Callable",
    "ProgressCall": "Callable",
    "Events": "Mapping[str, Any] | str",
    "ResidualFunction": "Callable",
    "SlopesFunction": "Callable",
    "Scalar": "Any",
    "Where": "Any",
    "Axis": "Any",
    "LawLike": "Any",
    "Expression": "Any",
    "ArrayLike": "Any",
    "Transform": "Any",
    "By": "str | Sequence[str] | Mapping",
}
"""Annotations that stand for others."""


def check_arguments(
    function: Callable[..., Any], given: Mapping[str, Any], element: str = ""
) -> None:
    """Refuse arguments that are not of the kinds their annotations say.

    Args:
        function: what is called, or a class whose fields are given.
        given: values by name; names that are not arguments are left aside.
        element: what the arguments belong to: "body 'crank'".

    Raises:
        ShapeError: naming the first argument that does not fit, and what would.
    """
    for name, kinds in _kinds(function):
        if name in given and not any(kind.fits(given[name]) for kind in kinds):
            phrases = list(dict.fromkeys(kind.phrase for kind in kinds))
            raise ShapeError(
                f"it is {show(given[name])}",
                element=f"{element} {name}" if element else name,
                cure=f"give {' or '.join(phrases)}",
            )


@cache
def _kinds(function: Callable[..., Any]) -> tuple[tuple[str, tuple[ArgumentKind, ...]], ...]:
    """The kinds of every argument that is checked, by name."""
    rows = inspect.signature(function).parameters.values()
    several = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    return tuple(
        (row.name, tuple(_kind(text, row.default) for text in _alternatives(str(row.annotation))))
        for row in rows
        if row.kind not in several and row.annotation is not row.empty
    )


def _alternatives(annotation: str) -> list[str]:
    """The parts of a union, aliases replaced."""
    parts = re.split(r"\s*\|\s*(?![^\[]*\])", annotation)
    return [
        part
        for text in parts
        for part in (_alternatives(ALIASES[text]) if text in ALIASES else [text])
    ]


def _kind(text: str, default: Any) -> ArgumentKind:
    if text == "float" and isinstance(default, float) and math.isinf(default):
        return NUMBER
    if text in KINDS:
        return KINDS[text]
    bare = text.partition("[")[0].rpartition(".")[2]
    if bare in KINDS:
        return KINDS[bare]
    return ArgumentKind(
        f"{'an' if bare[0] in 'AEIOU' else 'a'} {bare}",
        lambda value: any(kind.__name__ == bare for kind in type(value).__mro__),
    )


def show(value: Any) -> str:
    """A value as a sentence shows it, in a few words."""
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}" if value.size != 1 else f"{value}"
    plain = isinstance(value, str | numbers.Number | list | tuple | dict) or value is None
    text = repr(value) if plain else ""
    if plain and len(text) <= WIDTH:
        return text
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def keywords(function: Callable[..., Any]) -> list[str]:
    """Arguments of a function that are given by name alone."""
    rows = inspect.signature(function).parameters.values()
    return [row.name for row in rows if row.kind is inspect.Parameter.KEYWORD_ONLY]


def changed_arguments(
    function: Callable[..., Any], given: Mapping[str, Any], names: Iterable[str]
) -> list[str]:
    """Those of the named arguments whose values are not the defaults."""
    rows = inspect.signature(function).parameters
    return [name for name in names if given[name] != rows[name].default]


def check_arrays(**values: Any) -> None:
    """Refuse values that are not arrays of finite real numbers; None is left to the default."""
    for name, value in values.items():
        if value is not None and not is_array(value):
            raise ShapeError(
                f"it is {show(value)}", element=name, cure="give an array of finite numbers"
            )


def arrays_of_size(size: int, **given: Any) -> list[Array]:
    """Arrays of finite numbers; refused where their last axis has another size."""
    check_arrays(**given)
    found = [np.asarray(value, dtype=float) for value in given.values()]
    for name, value in zip(given, found, strict=True):
        if value.ndim == 0 or value.shape[-1] != size:
            raise ShapeError(
                f"its shape is {value.shape}",
                element=name,
                cure=f"give {size} numbers along the last axis",
            )
    return found


def check_positive(unit: str, **values: float) -> None:
    """Refuse values that are not above zero and finite; `unit` is said: "a positive time [s]"."""
    for name, value in values.items():
        if not (is_finite(value) and value > 0):
            raise ShapeError(f"it is {show(value)}", element=name, cure=f"give {unit}")


def check_choice(name: str, value: Any, known: Iterable[str], what: str = "") -> None:
    """Refuse a word that is not among the known ones of an argument."""
    if not isinstance(value, str) or value not in known:
        raise unknown(what or name, str(value), known, name)


def check_options(function: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Refuse keywords that a function does not know; the nearest known one is proposed."""
    for name in given:
        if name not in known:
            raise unknown("option", name, known, function)
