"""Rows: how a public function is called, and what each of its keywords may be."""

from __future__ import annotations

import hashlib
import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

import kinetree as kt
from kinetree.model import Body, Joint, Mechanism
from kinetree.targets.digest import digest

WRONG: dict[str, Any] = {
    "word": "nonsense",
    "number": -3.5,
    "whole": -7,
    "nan": float("nan"),
    "infinite": float("inf"),
    "truth": True,
    "list": [{"nonsense": 1}],
    "names": ["nonsense"],
    "mapping": {"nonsense": "words"},
    "named": {"nonsense": 1.0},
    "array": np.ones((2, 2)),
    "function": lambda nonsense: nonsense,
    "object": object(),
    "none": None,
}
"""Values that hardly any keyword takes; where one does, its row says so."""


@dataclass(frozen=True)
class Unseen:
    """A keyword whose right value leaves no trace in the answer, and why."""

    value: Any
    why: str


QUIET = {"progress": Unseen(False, "it shows on a terminal")}
GROWS = {"file": Unseen("run.nc", "the same run comes from the file")}
TOLD = {"progress": "truth function"}
"""The keyword that analyses which take long have in common: right and wrong values."""


@dataclass(frozen=True)
class Rounded:
    """A keyword whose right value changes the answer by rounding at most, and where it is seen."""

    value: Any
    seen: str


@dataclass(frozen=True)
class Refused:
    """A value that is right elsewhere and is refused in this case, by name."""

    value: Any


@dataclass(frozen=True)
class Made:
    """A right value that needs the folder of the test."""

    of: Callable[[Path], Any]


@dataclass(frozen=True)
class Row:
    """A public function.

    Attributes:
        call: what is called.
        base: keywords of a call that works, made anew for every call.
        right: keyword -> a value that changes the answer, `Unseen` or `Refused`.
        takes: keyword -> names of those `WRONG` values that it takes, in words.
        says: keyword -> what the sentence of a refusal calls it, where not by its name.
        more: keywords that go through **options.
        element: what sentences call the thing that is made.
        partial: only the keywords of `right` are looked at.
    """

    call: Callable[..., Any]
    base: Callable[[Path], dict[str, Any]]
    right: Mapping[str, Any] = field(default_factory=dict)
    takes: Mapping[str, str] = field(default_factory=dict)
    says: Mapping[str, str] = field(default_factory=dict)
    more: tuple[str, ...] = ()
    element: str = ""
    partial: bool = False

    @property
    def keywords(self) -> list[str]:
        """All keywords, from the signature."""
        if self.partial:
            return list(self.right)
        rows = inspect.signature(self.call).parameters.values()
        several = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
        own = [row.name for row in rows if row.kind not in several and row.name != "self"]
        return [*own, *self.more]

    @property
    def open(self) -> bool:
        """Whether keywords go through."""
        rows = inspect.signature(self.call).parameters.values()
        return any(row.kind is inspect.Parameter.VAR_KEYWORD for row in rows)

    def default(self, keyword: str) -> Any:
        """The default of a keyword; none where it goes through."""
        row = inspect.signature(self.call).parameters.get(keyword)
        return None if row is None else row.default

    def answer(self, folder: Path, /, **changes: Any) -> Any:
        """What the call gives, as something to compare."""
        given = {**self.base(folder), **changes}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return seen(self.call(**given), given)


def seen(answer: Any, given: Mapping[str, Any] | None = None) -> Any:
    """An answer as something to compare; a model that was changed counts as part of it."""
    changed = [v.content_hash() for v in (given or {}).values() if isinstance(v, Mechanism)]
    return [*changed, *_seen(answer)]


def _seen(answer: Any) -> Iterator[Any]:
    if isinstance(answer, Path):
        yield answer.name
        whole = sorted(answer.iterdir()) if answer.is_dir() else [answer]
        yield from (hashlib.sha256(path.read_bytes()).hexdigest() for path in whole)
    elif hasattr(answer, "data_vars"):
        yield from (repr((str(name), answer[name].values.tolist())) for name in answer.variables)
        yield repr(sorted((k, str(v)) for k, v in answer.attrs.items() if "wall" not in k))
    elif isinstance(answer, kt.Program):
        yield digest(answer), repr(sorted(answer.info.items()))
    elif isinstance(answer, Body | Joint):
        yield answer.name
    else:
        parts = _parts(answer)
        yield (
            str(answer.tolist() if isinstance(answer, np.ndarray) else answer) if not parts else ""
        )
        for part in parts:
            yield from _seen(part)


def _parts(answer: Any) -> list[Any]:
    """What a list, a mapping, a model or a record is made of."""
    if isinstance(answer, list | tuple):
        return list(answer)
    if isinstance(answer, Mapping):
        return [part for item in answer.items() for part in item]
    if isinstance(answer, Mechanism):
        return [answer.content_hash()]
    if is_dataclass(answer) and not isinstance(answer, type):  # points and bodies know each other
        return [
            getattr(answer, row.name) for row in fields(answer) if row.name not in ("body", "wall")
        ]
    return []


def wrong_values(row: Row, keyword: str) -> dict[str, Any]:
    """Those of the usual wrong values that a keyword must refuse."""
    taken = row.takes.get(keyword, "").split()
    if row.default(keyword) is None:
        taken.append("none")
    return {name: value for name, value in WRONG.items() if name not in taken}
