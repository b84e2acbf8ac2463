"""The door of the package: what it exports is loaded when it is first used.

The stub beside ``__init__.py`` lists the exports for type checkers; the same lines say here where
each name lives, so that ``import kinetree`` costs next to nothing.  Tables of kinds are filled in
the same way, by the rooms that hold the kinds.

What is exported is guarded: arguments that a function does not have, or lacks, are told in one
sentence.  What a function raises inside goes through as it is.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from functools import wraps
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from kinetree.errors import CallError

R = TypeVar("R")
F = TypeVar("F", bound=Callable[..., Any])
K = TypeVar("K", bound=type)


class Door(ModuleType):
    """A package with exports; a room of the same name as one of them does not hide it."""

    _homes: dict[str, str]
    """Exported name -> the module that holds it, or the package itself for a room."""

    def __getattr__(self, name: str) -> Any:
        """Load an export."""
        home = self._homes.get(name)
        if home is None:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        if home == self.__name__:
            return import_module(f"{home}.{name}")
        value = getattr(import_module(home), name)
        if isinstance(value, FunctionType):
            value = guard(value, self.__name__)
        self.__dict__[name] = value
        return value

    def __setattr__(self, name: str, value: object) -> None:
        """Keep an attribute, unless the import of a room would hide the export of its name."""
        room = isinstance(value, ModuleType)
        if not (room and self._homes.get(name, self.__name__) != self.__name__):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        """What is loaded and what can be."""
        return sorted({*super().__dir__(), *self._homes})


def open_door(package: str, stub: Path) -> None:
    """Let a package load its exports when they are used.

    Args:
        package: its name.
        stub: the file whose ``from … import …`` lines list the exports.
    """
    module = sys.modules[package]
    rows = [row for row in ast.parse(stub.read_bytes()).body if isinstance(row, ast.ImportFrom)]
    homes = {name.name: str(row.module) for row in rows for name in row.names}
    module.__dict__.update(_homes=homes, __all__=sorted(homes))
    module.__class__ = Door


class Registry(MutableMapping[str, R]):
    """Rows by name; the rooms that add them are loaded one by one until a row is found."""

    def __init__(self, *rooms: str) -> None:
        self._rooms, self._rows = rooms, dict[str, R]()

    def _fill(self) -> dict[str, R]:
        for room in self._rooms:
            import_module(room)
        return self._rows

    def __getitem__(self, name: str) -> R:
        for room in self._rooms:
            if name in self._rows:
                break
            import_module(room)
        return self._rows[name]

    def __setitem__(self, name: str, row: R) -> None:
        self._rows[name] = row

    def __delitem__(self, name: str) -> None:
        del self._rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fill())

    def __len__(self) -> int:
        return len(self._fill())


def guard(function: F, room: str = "") -> F:
    """A function that tells in one sentence where it is called with wrong arguments.

    Args:
        function: as it is written.
        room: module in which the guarded one is found, by its name; so it can be pickled.
    """
    inner: Any = function
    while hasattr(inner, "__wrapped__"):
        inner = inner.__wrapped__
    code = inner.__code__

    @wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        try:
            return function(*given, **named)
        except TypeError as error:
            if _entered(error, code):
                raise
            raise call_error(function, given, named) from None

    call.__module__ = room or function.__module__
    return call  # type: ignore[return-value]


def guard_methods(kind: K) -> K:
    """A class whose constructor and public methods, inherited ones too, are guarded."""
    for name in dir(kind):
        held = next(vars(base)[name] for base in kind.__mro__ if name in vars(base))
        if name[0] == "_" and name != "__init__":
            continue
        if isinstance(held, FunctionType):
            setattr(kind, name, guard(held))
        elif isinstance(held, classmethod | staticmethod):
            setattr(kind, name, type(held)(guard(held.__func__)))
    return kind


def guard_room(room: str) -> None:
    """Guard the public functions of a module, or those that a package hands out."""
    names = vars(sys.modules[room])
    for name, value in list(names.items()):
        if isinstance(value, FunctionType) and value.__module__.startswith(room):
            names[name] = guard(value, room)


def call_error(
    function: Callable[..., Any], given: tuple[Any, ...], named: Mapping[str, Any]
) -> CallError:
    """What is wrong with the arguments of a call that Python refuses."""
    from inspect import signature  # noqa: PLC0415 - loading the package costs next to nothing

    from kinetree.errors import CallError, nearest, suggest  # noqa: PLC0415 - likewise

    rows, who = list(signature(function).parameters.values()), function.__name__
    if rows and rows[0].name in ("self", "cls"):
        who = type(given[0]).__name__ if who == "__init__" else who
        rows, given = rows[1:], given[1:]
    placed = [x.name for x in rows if x.kind in (x.POSITIONAL_ONLY, x.POSITIONAL_OR_KEYWORD)]
    by_name = [x.name for x in rows if x.kind is x.KEYWORD_ONLY]
    known = [*placed, *by_name]
    strange = [name for name in named if name not in known]
    needed = [x.name for x in rows if x.name in known and x.default is x.empty]
    lacking = [name for name in needed if name not in (*placed[: len(given)], *named)]
    if strange and not any(x.kind is x.VAR_KEYWORD for x in rows):
        problem = f"there is no argument '{strange[0]}'"
        cure = suggest(strange[0], [name for name in known if name not in named], "argument")
    elif lacking:
        problem, meant = f"'{lacking[0]}' is missing", nearest(lacking[0], strange)
        asked = [*placed, *(f"{name}=…" for name in needed if name in by_name)]
        cure = f"did you mean it by '{meant}'?" if meant else f"call {who}({', '.join(asked)})"
    elif len(given) > len(placed):
        problem = f"it takes {len(placed)} arguments by place, not {len(given)}"
        others = ", ".join(f"{name}=" for name in by_name[:4])
        cure = f"give others by name: {others}" if others else "leave out the last"
    else:
        twice = next((name for name in placed[: len(given)] if name in named), "")
        problem, cure = f"'{twice}' is given twice", "give it by place or by name"
    return CallError(problem, element=who, cure=cure)


def _entered(error: BaseException, code: CodeType) -> bool:
    """Whether an exception comes from inside a function."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code is not code:
        trace = trace.tb_next
    return trace is not None
