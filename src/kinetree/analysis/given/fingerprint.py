"""What was asked as plain data, equal where it means the same.

So a journal, or a folder of parts, knows again what it belongs to, in another process as well.
Numbers enter with all their digits, functions by their code and by what they use from outside.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Set
from dataclasses import fields, is_dataclass
from functools import partial
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from kinetree.engine import Node, text
from kinetree.model import Mechanism, derivation_hash
from kinetree.model.values import Speller
from kinetree.tables import Table

FEW = 16
"""Numbers of an array that are told themselves; of more their digest is."""
SIZE = 16
"""Digits of a digest."""
DEEP = 24
"""Levels of data inside data below which only the kind of a thing is told."""


def plain_facts(value: Any) -> Any:
    """A value as data of JSON: equal for values that mean the same, else not."""
    return _Teller().facts(value)


class _Teller:
    """Tells things; those that are met again, perhaps inside themselves, are not told anew."""

    def __init__(self) -> None:
        self.known: dict[int, Any] = {}
        self.depth = 0

    def facts(self, value: Any) -> Any:
        """A value as data of JSON."""
        if value is None or isinstance(value, bool | str):
            return value
        if isinstance(value, int | float | np.number | np.bool_):
            return _number(value)
        for kind, told in KINDS:
            if isinstance(value, kind):
                return told(self, value)
        return self.once(value, _Teller.of_object)

    def once(self, value: Any, told: Callable[[_Teller, Any], Any]) -> Any:
        """The digest of something that may be met again."""
        if id(value) not in self.known:
            self.known[id(value)] = f"{type(value).__name__} inside itself"
            self.depth += 1
            found = told(self, value) if self.depth < DEEP else type(value).__name__
            self.depth -= 1
            self.known[id(value)] = _digest(json.dumps(found).encode())
        return self.known[id(value)]

    def of_mapping(self, value: Mapping[Any, Any]) -> Any:
        rows = {_key(key): self.facts(row) for key, row in value.items()}
        return dict(sorted(rows.items()))

    def of_row(self, value: Any) -> Any:
        rows = [*value]
        if len(rows) > FEW and all(isinstance(x, int | float | np.number) for x in rows):
            return self.of_array(np.array(rows, dtype=float))
        return [self.facts(x) for x in rows]

    def of_array(self, value: Any) -> Any:
        if value.dtype.kind not in "biuf":
            return self.facts(value.tolist())
        whole = np.ascontiguousarray(value, dtype=float)
        if whole.size <= FEW:
            return self.facts(whole.tolist())
        return {"shape": list(whole.shape), "digest": _digest(whole.tobytes())}

    def of_set(self, value: Set[Any]) -> Any:
        return sorted((self.facts(x) for x in value), key=json.dumps)

    def of_function(self, value: FunctionType) -> Any:
        """Code, defaults, and the values of names from outside."""
        code = value.__code__
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        inside = dict(zip(code.co_freevars, cells, strict=True))
        used = {name: value.__globals__[name] for name in _names(code) if name in value.__globals__}
        defaults = value.__defaults__, value.__kwdefaults__
        return [_of_code(code), self.facts(defaults), self.facts({**used, **inside})]

    def of_object(self, value: Any) -> Any:
        """Its kind and what it holds."""
        rows = {row.name: getattr(value, row.name) for row in fields(value)} if (
            is_dataclass(value)
        ) else dict(getattr(value, "__dict__", {}))  # fmt: skip
        return [_of_named(type(value)), self.facts(rows)]


def _number(value: Any) -> Any:
    """1 and 1.0 are one number."""
    number = float(value)
    return number if np.isfinite(number) else repr(number)  # what JSON has no word for


def _key(key: Any) -> str:
    return text(key) if isinstance(key, Node) else str(key)


def _of_node(value: Node) -> Any:
    """The text of an expression, with the tables that it looks up."""
    spell = Speller({})
    spell.one("", value)
    return [text(value), *sorted(spell.tables)]


def _of_code(code: CodeType) -> Any:
    """What a function does, wherever it stands."""
    own = [_of_code(x) if isinstance(x, CodeType) else _constant(x) for x in code.co_consts]
    return [code.co_code.hex(), code.co_names, code.co_varnames, code.co_freevars, own]


def _constant(value: Any) -> str:
    return repr(sorted(value, key=repr)) if isinstance(value, frozenset) else repr(value)


def _names(code: CodeType) -> set[str]:
    """Names that a function and those inside it may look up outside."""
    inside = [_names(x) for x in code.co_consts if isinstance(x, CodeType)]
    return {*code.co_names}.union(*inside)


def _of_named(value: Any) -> str:
    """A module, a class or a function of C by its name."""
    return f"{getattr(value, '__module__', '')}.{value.__name__}"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:SIZE]


KINDS: tuple[tuple[Any, Callable[[_Teller, Any], Any]], ...] = (
    (Node, lambda _, node: _of_node(node)),
    (Table, lambda _, table: table.digest),
    (Mechanism, lambda _, model: derivation_hash(model)),
    (Mapping, _Teller.of_mapping),
    (Set, _Teller.of_set),
    (np.ndarray, _Teller.of_array),
    (list | tuple | range, _Teller.of_row),
    (FunctionType, lambda teller, x: teller.once(x, _Teller.of_function)),
    (MethodType, lambda teller, x: teller.facts([x.__self__, x.__func__])),
    (partial, lambda teller, x: teller.facts([x.func, x.args, x.keywords])),
    (ModuleType | type | BuiltinFunctionType | np.ufunc, lambda _, x: _of_named(x)),
)
"""What is told how, the first that fits."""
