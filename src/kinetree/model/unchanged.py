"""What is found of a mechanism is kept until one of its parts changes.

Elements are frozen, so that a model changes only where its attributes and mappings hold other
objects than before.  To see that takes a walk over the mappings, a hundredth of most answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from operator import is_
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from kinetree.model.mechanism import Mechanism

M = TypeVar("M", bound="Mechanism")
R = TypeVar("R")

INNER = ("points", "arguments")
"""Mappings of elements that their owner may fill later."""


def while_unchanged(find: Callable[[M], R]) -> Callable[[M], R]:
    """The same function of a mechanism, which answers again as long as nothing of it changed.

    What it returns must not be written to, and must not hold the mechanism, which goes when nobody
    else holds it.
    """
    kept: WeakKeyDictionary[M, tuple[list[Any], R]] = WeakKeyDictionary()

    @wraps(find)
    def answer(model: M) -> R:
        now = list(_parts(model))
        before = kept.get(model)
        if before is not None and len(before[0]) == len(now) and all(map(is_, before[0], now)):
            return before[1]
        kept[model] = now, find(model)
        return kept[model][1]

    return answer


def _parts(model: Mechanism) -> Iterator[Any]:
    """Every object that the model is made of, itself left out; the list keeps them alive."""
    for attribute, value in vars(model).items():
        yield attribute
        yield from _items(value)


def _items(value: Any) -> Iterator[Any]:
    """An object; of a mapping its keys and entries, with the mappings inside elements."""
    if not isinstance(value, Mapping):
        yield value
        for name in INNER:
            inner = getattr(value, name, None)
            if isinstance(inner, Mapping):
                yield from _items(inner)
        return
    for key, entry in value.items():
        yield key
        yield from _items(entry)
