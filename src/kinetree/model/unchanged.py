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


def while_unchanged(
    find: Callable[Concatenate[M, P], R],
) -> Callable[Concatenate[M, P], R]:
    """The same function of a mechanism, which answers again as long as nothing of it changed.

    Of other arguments, plain data that nobody writes to, the last ones are answered again.
    What it returns must not be written to, and must not hold the mechanism, which goes when nobody
    else holds it.
    """

    @wraps(find)
    def answer(model: M, /, *args: P.args, **given: P.kwargs) -> R:
        found, asked = _known(model).found, (args, tuple(given.items()))
        before = found.get(find)
        if before is not None and before[0] == asked:
            kept: R = before[1]
            return kept
        made = find(model, *args, **given)
        found[find] = asked, made
        return made

    return answer


@dataclass(frozen=True)
class _Known:
    """What was found of a model while its containers held these objects.

    Attributes:
        boxes: containers, and what they held.
        arena: in which Nodes were made.
        found: function -> other arguments, what it gave.
    """

    boxes: list[tuple[Any, Any]]
    arena: Any
    found: dict[Any, tuple[Any, Any]] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        """Whether all of them hold the same still."""
        return self.arena is current() and all(_same(box, held) for box, held in self.boxes)


_models: WeakKeyDictionary[Mechanism, _Known] = WeakKeyDictionary()


def _known(model: Mechanism) -> _Known:
    """What is known of a model as it is."""
    found = _models.get(model)
    if found is None or not found.holds:
        found = _models[model] = _Known([*_boxes(model)], current())
    return found


def _held(box: Any) -> Any:
    """What a container holds; of an array its numbers."""
    if isinstance(box, np.ndarray):
        return box.dtype, box.shape, box.tobytes()
    return [*box, *box.values()] if isinstance(box, Mapping) else [*box]


def _same(box: Any, held: Any) -> bool:
    """Whether a container holds the same objects, in the same order; an array the same numbers."""
    if isinstance(held, tuple):
        return bool(_held(box) == held)
    if not held:
        return not box
    now = _held(box)
    return len(now) == len(held) and all(map(is_, now, held))


def _boxes(model: Mechanism) -> Iterator[tuple[Any, Any]]:
    """Every container that the model is made of, and what it holds, which that keeps alive."""
    own = vars(model)
    yield own, _held(own)
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
            yield value, _held(value)


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
            cure="take it out of the model and add it anew, or give parameters={…} at run time",
        )

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return ReadOnly, (dict(self), self.element)


def fix_mappings(element: Any, label: str, *names: str) -> None:
    """Make some mappings of a frozen element such that nobody writes to them."""
    for name in names:
        object.__setattr__(element, name, ReadOnly(getattr(element, name), label))
