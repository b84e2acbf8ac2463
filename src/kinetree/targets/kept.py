"""What was derived is kept: in memory for this process, and on disk where deriving took long.

A result is found by what it was made from: the content of the model, the decisions, and the text of
this package, so that a changed model or a changed formalism never meets an old result.  On disk it
stands beside the object code (`native.cache`), under the same rules.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from kinetree.engine import current
from kinetree.model import derivation_hash
from kinetree.program.packing import pack, unpack
from kinetree.targets.digest import digest
from kinetree.targets.native import native_function
from kinetree.targets.native.cache import default_cache
from kinetree.targets.native.lanes.apart import LanesApart, lanes_apart
from kinetree.targets.native.ports import Interface

if TYPE_CHECKING:
    from kinetree.model import Mechanism
    from kinetree.program import Program
    from kinetree.targets.native.function import Function

T = TypeVar("T")
KeyParts = tuple[int | str, ...]
REMEMBERED = 16
"""Results that stay in memory."""
LARGE = 6
"""Velocities of a model from which it is worth to look for results on disk."""
DOT = "_dot"
"""End of the names of inputs that are changes of others (see `along`)."""
BAR = "_bar"
"""End of the names of weights and of what becomes of them (see `adjoint`)."""
LONG = 0.1
"""Time of deriving from which a result is worth a file [s]."""
# by the arena in which the Nodes of a result live, and its key
_results: OrderedDict[KeyParts, Any] = OrderedDict()
_changing = threading.Lock()


class DerivedProgram:
    """A Program and what is found of it when it is made.

    One that was read from disk stays bytes until its Nodes are asked for: code that is on disk,
    too, needs none of them.

    Attributes:
        digest: of its code.
        operations: of one evaluation.
        interface: what it takes and gives.
    """

    def __init__(
        self, content: Program | bytes, digest: str, operations: int, interface: Interface
    ) -> None:
        self._content = content
        self.digest, self.operations, self.interface = digest, operations, interface

    @classmethod
    def of(cls, program: Program) -> DerivedProgram:
        """The form of a Program."""
        return cls(program, digest(program), program.count().total, Interface.of(program))

    def __reduce__(self) -> tuple[Any, ...]:
        content = self._content
        data = content if isinstance(content, bytes) else pack(content)
        return DerivedProgram, (data, self.digest, self.operations, self.interface)

    @property
    def program(self) -> Program:
        """With the model's own values of parameters."""
        content = self._content
        if isinstance(content, bytes):
            self._content = content = unpack(content)
        return content

    def _give(self) -> Program:
        return self.program

    @cached_property
    def function(self) -> Function:
        """The Program, compiled."""
        return native_function(self.interface, self.digest, self._give)

    @cached_property
    def quick_function(self) -> Function:
        """The same, compiled at once, for what is not called often."""
        return native_function(self.interface, self.digest, self._give, tier="quick")

    @cached_property
    def lanes(self) -> LanesApart:
        """The change of the Program along eight directions, which are in its inputs "…_dot"."""
        names = [port.name for port in self.interface.inputs]
        moves = [name + DOT for name in names if name + DOT in names]
        return lanes_apart(self.interface, self.digest, self._give, moves)

    @cached_property
    def swept(self) -> LanesApart:
        """The way there, with the Program's own outputs, and the sweep back from "…_bar"."""
        seen = self.interface
        bars = [port.name for port in seen.inputs if port.name.endswith(BAR)]
        own = [port.name for port in seen.outputs if not port.name.endswith(BAR)]
        return lanes_apart(seen, self.digest, self._give, bars, own)


def remember(
    make: Callable[[], T], what: str, model: Mechanism, *decisions: str,
    known: Callable[[], object] = lambda: None,
) -> T:  # fmt: skip
    """What `make` gives, made once for equal models and decisions.

    Args:
        make: derives the result: Programs and plain data, nothing that changes later.
        what: kind of result.
        model: that it is derived from.
        decisions: everything else that it depends on.
        known: called where the result is there already, to warn of what `make` would warn of.
    """
    key = (what, model.name, derivation_hash(model), *decisions)
    place: KeyParts = (id(current()), *key)
    with _changing:
        if place in _results:
            _results.move_to_end(place)
    made: T | None = _results.get(place)
    if made is not None:
        known()
        return made
    made = _read_or_make(make, key, known) if model.nv >= LARGE else make()
    with _changing:
        _results[place] = made
        while len(_results) > REMEMBERED:
            _results.popitem(last=False)
    return made


def forget() -> None:
    """Let go of what is in memory."""
    with _changing:
        _results.clear()


def _read_or_make(make: Callable[[], T], key: tuple[str, ...], known: Callable[[], object]) -> T:
    """The result from disk, or made now and written there where that took long."""
    store = default_cache()
    parts = ("derived", sources(), *key)
    data = None if store is None else store.read(parts)
    if data is not None:
        found: T = unpack(data)
        known()
        return found
    began = time.perf_counter()
    made = make()
    if store is not None and time.perf_counter() - began > LONG:
        store.write(parts, pack(made))
    return made


@cache
def sources() -> str:
    """Digest of the text of this package, which decides what is derived."""
    text = sha256()
    for path in sorted(Path(__file__).parents[1].rglob("*.py")):
        text.update(path.read_bytes())
    return text.hexdigest()
