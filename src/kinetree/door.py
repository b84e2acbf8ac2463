"""The door of the package: what it exports is loaded when it is first used.

The stub beside ``__init__.py`` lists the exports for type checkers; the same lines say here where
each name lives, so that ``import kinetree`` costs next to nothing.  Tables of kinds are filled in
the same way, by the rooms that hold the kinds.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, MutableMapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

R = TypeVar("R")


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
        self.__dict__[name] = value = getattr(import_module(home), name)
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
