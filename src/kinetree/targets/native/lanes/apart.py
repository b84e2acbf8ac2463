"""A Program in lanes of which some inputs alone differ from lane to lane.

    void shared(x, c, u)         what the other inputs decide, once for all lanes
    void apart(x, u, y, w)       the rest, eight doubles side by side each

A derivative along eight directions costs one evaluation of everything that knows nothing of them,
and eight of what does, which is a small part of it.  The bars of a reverse sweep are apart in the
same way from the values on the way there, which are made for eight steps of a run at once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import cache

from kinetree.arrays import Array
from kinetree.program.program import Program
from kinetree.targets.native.compile.kernels import (
    PREAMBLE,
    BatchKernel,
    Kernels,
    SweepKernel,
)
from kinetree.targets.native.compile.schedule import schedule
from kinetree.targets.native.function import Function
from kinetree.targets.native.ports import Interface, Port
from kinetree.targets.tape.lowering import Lowered, lower
from kinetree.targets.tape.split import split
from kinetree.targets.tape.tape import Tape


@dataclass(frozen=True)
class LanesApart:
    """The two functions of a Program.

    Attributes:
        given: its inputs, and what its parameters give.
        kernels: of the two functions, the shared one as the preamble of the other.
        outputs: what comes out of the second one, in order.
        shown: how many results of the first one, at its front, are outputs of the Program.
    """

    given: Function
    kernels: Kernels
    outputs: tuple[Port, ...]
    shown: int = 0

    def with_values(self, parameters: Mapping[str, float]) -> LanesApart:
        """The same with other values of parameters, by name."""
        return replace(self, given=self.given.with_values(parameters))

    @property
    def once(self) -> int:
        """Address of the shared function of inputs x, constants c, results u."""
        return self.kernels.single().addresses[PREAMBLE]

    @property
    def once_size(self) -> int:
        """Doubles of its results u."""
        return self.kernels.constants

    @property
    def sweep(self) -> SweepKernel:
        """The shared function for eight inputs at once, and the rest for one of them at a time."""
        return self.kernels.sweep()

    @property
    def apart(self) -> BatchKernel:
        """What is evaluated in lanes; its constants are u."""
        return self.kernels.batch()

    def constants(self, p: Array | None = None) -> Array:
        """What parameters give: c of the shared function."""
        return self.given.preamble_values(p)


def lanes_apart(
    seen: Interface,
    known: str,
    program: Callable[[], Program],
    varying: Collection[str],
    shown: Collection[str] = (),
) -> LanesApart:
    """The two functions of a Program whose digest is known.

    Args:
        seen: what it takes and gives.
        known: its digest.
        program: gives it, where it has to be compiled.
        varying: names of the inputs that differ from lane to lane.
        shown: names of outputs that do not, and come out of the shared function.
    """
    inputs, whole = seen.inputs, seen.outputs
    early = [k for row in whole if row.name in shown for k in range(row.start, row.stop)]
    outputs = seen.outputs_without(shown)
    own = tuple(port for port in inputs if not port.parameter)
    sizes = tuple(port.size for port in own)
    parameters = tuple(port.size for port in inputs if port.parameter)
    places = {k for port in own if port.name in varying for k in range(port.start, port.stop)}

    @cache
    def tapes() -> tuple[Lowered, Lowered]:
        made = lower(program())
        shared, apart = split(made.body, places, early)
        nothing = Tape(made.body.sizes)
        return Lowered(nothing, made.preamble), Lowered(schedule(apart), schedule(shared))

    name = f"{known} apart by {sorted(varying)}{f' but {sorted(shown)}' if shown else ''}"
    results = tuple(port.size for port in outputs)
    first = Kernels(lambda: tapes()[0], sizes, (), parameters, digest=f"{known} preamble")
    both = Kernels(lambda: tapes()[1], sizes, results, parameters, digest=name)
    return LanesApart(Function(seen.name, inputs, (), first), both, outputs, len(early))
