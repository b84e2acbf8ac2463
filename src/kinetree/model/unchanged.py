"""What is found of a mechanism is kept until one of its parts changes.

Elements are frozen, so that a model changes only where one of its containers holds other objects
than before: its attributes, its mappings by name, and what mappings, lists and arrays there are
inside elements.  These are looked up once; to see that they hold what they held takes microseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache, wraps
from operator import is_
from typing import TYPE_CHECKING, Any, Concatenate, NoReturn, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from kinetree.engine import current
from kinetree.errors import ModelError

if TYPE_CHECKING:
    from kinetree.model.mechanism import Mechanism

M = TypeVar("M", bound="Mechanism")
R = TypeVar("R")
P = ParamSpec("P")

ASIDE = frozenset({"equations", "studies", "runs", "shapes", "layout", "switched_off", "sources"})
"""Attributes that are frozen as a whole, or that no equation and no finding uses."""
ANSWERS = 4
"""Answers of a function that are kept, for other arguments each."""


def while_unchanged(
    find: Callable[Concatenate[M, P], R],
) -> Callable[Concatenate[M, P], R]:
    """The same function of a mechanism, which answers again as long as nothing of it changed.

    Other arguments are plain data that nobody writes to; answers to the last ones are kept.
    What it returns must not be written to, and must not hold the mechanism, which goes when nobody
    else holds it.
    """

    @wraps(find)
    def answer(model: M, /, *args: P.args, **given: P.kwargs) -> R:
        found, asked = _knowledge(model).found.setdefault(find, []), (args, tuple(given.items()))
        for before, kept in found:
            if before == asked:
                answered: R = kept
                return answered
        made = find(model, *args, **given)
        found[ANSWERS - 1 :] = []
        found.insert(0, (asked, made))
        return made

    return answer


@dataclass(frozen=True)
class _Known:
    """What was found of a model while its containers held these objects.

    Attributes:
        empty: containers that held nothing.
        maps: mappings, their keys and their entries.
        rows: lists, sets and arrays of objects, and what they held.
        arrays: others, and their numbers.
        arena: in which Nodes were made.
        found: function -> other arguments, and what it gave.
    """

    empty: list[Any]
    maps: list[tuple[Mapping[Any, Any], list[Any], list[Any]]]
    rows: list[tuple[Any, list[Any]]]
    arrays: list[tuple[Any, Any]]
    arena: Any
    found: dict[Any, list[tuple[Any, Any]]] = field(default_factory=dict)

    @classmethod
    def of(cls, model: Mechanism) -> _Known:
        """A model of which nothing is known yet."""
        boxes = [*_boxes(model)]
        plain = [isinstance(box, np.ndarray) and box.dtype != object for box in boxes]
        arrays = [(box, _numbers(box)) for box, yes in zip(boxes, plain, strict=True) if yes]
        rest = [box for box, yes in zip(boxes, plain, strict=True) if not yes]
        full = [box for box in rest if len(box)]
        maps = [(box, [*box], [*box.values()]) for box in full if isinstance(box, Mapping)]
        rows = [(box, [*box]) for box in full if not isinstance(box, Mapping)]
        return cls([box for box in rest if not len(box)], maps, rows, arrays, current())

    @property
    def holds(self) -> bool:
        """Whether all of them hold the same still, in the same order."""
        if self.arena is not current() or any(self.empty):
            return False
        for box, keys, entries in self.maps:
            same = len(box) == len(keys) and all(map(is_, box, keys))
            if not (same and all(map(is_, box.values(), entries))):
                return False
        for row, entries in self.rows:
            if not (len(row) == len(entries) and all(map(is_, row, entries))):
                return False
        return all(_numbers(box) == held for box, held in self.arrays)


_models: WeakKeyDictionary[Mechanism, _Known] = WeakKeyDictionary()


def _knowledge(model: Mechanism) -> _Known:
    """What is known of a model as it is."""
    found = _models.get(model)
    if found is None or not found.holds:
        found = _models[model] = _Known.of(model)
    return found


def _numbers(array: Any) -> tuple[Any, ...]:
    """The content of an array of numbers."""
    return array.dtype, array.shape, array.tobytes()


def _boxes(model: Mechanism) -> Iterator[Any]:
    """Every container that the model is made of."""
    own = vars(model)
    yield own
    waiting = [value for name, value in own.items() if name not in ASIDE]
    seen: set[int] = set()
    while waiting:
        value = waiting.pop()
        is_box, inside = _kind(value.__class__)
        if inside is None or id(value) in seen:
            continue
        seen.add(id(value))
        waiting += inside(value)
        if is_box:
            yield value


@cache
def _kind(kind: Any) -> tuple[bool, Callable[[Any], Iterable[Any]] | None]:
    """Whether things of a kind are containers; what to look into inside them, none of a leaf."""
    if issubclass(kind, Mapping):
        return True, lambda box: box.values()
    if issubclass(kind, np.ndarray):
        return True, lambda box: box.ravel().tolist() if box.dtype == object else ()
    if issubclass(kind, tuple | list | set):
        return not issubclass(kind, tuple), iter
    names = [row.name for row in fields(kind)] if is_dataclass(kind) else []
    return False, (lambda element: [getattr(element, n) for n in names]) if names else None


class ReadOnly(dict[str, Any]):
    """A mapping of a frozen element, from which others were made: it is not written to.

    Mappings inside it are alike.
    """

    def __init__(self, rows: Mapping[str, Any], element: str) -> None:
        inner = (ReadOnly(x, element) if isinstance(x, dict) else x for x in rows.values())
        super().__init__(zip(rows, inner, strict=True))
        self.element = element

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise ModelError(
            "what it is made of stays as it is, since other data were made from that",
            element=self.element,
            cure="take it out of the model and add it again, or give parameters={…} at run time",
        )

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return ReadOnly, (dict(self), self.element)


def fix_mappings(element: Any, label: str, *names: str) -> None:
    """Make some mappings of a frozen element such that nobody writes to them."""
    for name in names:
        object.__setattr__(element, name, ReadOnly(getattr(element, name), label))
