"""A tape as two: what is the same in all lanes, and what differs from lane to lane.

Evaluations side by side often share most of their inputs: tangents of one motion along several
directions have its state in common.  What depends on shared inputs alone is then made once, by
itself, and the others read it as they read results of a preamble.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from kinetree.targets.tape.tape import ZERO, Tape


def split(tape: Tape, varying: Collection[int], shown: Sequence[int] = ()) -> tuple[Tape, Tape]:
    """The shared part of a tape, and the rest.

    Args:
        tape: of any operations.
        varying: places among the variable inputs that differ from lane to lane.
        shown: numbers of results that the first tape gives in place of the other, which do not
            differ.

    Returns:
        A tape of the same inputs and preamble results, whose outputs are those shown, and all that
        the other one reads; and one of the same inputs, for which these are the preamble results.
    """
    moving = _moving(tape, varying)
    work = tape.operations()
    early = [tape.outputs[k] for k in shown]
    shared, apart = _Part(tape, {*range(len(tape.code))}), _Part(tape, moving, len(early))
    shared.take(entry for entry in work if entry not in moving)
    apart.take(entry for entry in work if entry in moving)
    late = [entry for k, entry in enumerate(tape.outputs) if k not in {*shown}]
    apart.new.outputs = [apart.name(entry) for entry in late]
    shared.new.outputs = [shared.name(entry) for entry in (*early, *apart.read)]
    shared.new.sizes = tape.sizes
    apart.new.sizes = tape.sizes[0], len(shared.new.outputs)
    return shared.new, apart.new


def _moving(tape: Tape, varying: Collection[int]) -> set[int]:
    """The entries that differ from lane to lane."""
    found: set[int] = set()
    solved: set[int] = set()
    for entry, code in enumerate(tape.code):
        if code == "in":
            moves = tape.a[entry] in varying
        elif code == "part":
            moves = tape.a[entry] in solved
        else:
            moves = any(operand in found for operand in tape.operands(entry))
        if moves:
            found.add(entry)
            if code == "solve":
                solved.add(tape.a[entry])
    return found


class _Part:
    """Some operations of a tape as a tape of their own.

    Attributes:
        new: that tape.
        own: entries that it has; others it reads as constants.
        first: number of the first of these.
        read: these, in the order of first use.
    """

    def __init__(self, tape: Tape, own: set[int], first: int = 0) -> None:
        self.tape, self.new, self.own, self.first = tape, Tape((0, 0)), own, first
        self.new.lookups = list(tape.lookups)
        self.read: list[int] = []
        self._names: dict[int, int] = {ZERO: ZERO}
        self._systems: dict[int, int] = {}

    def name(self, entry: int) -> int:
        """The entry in the new tape."""
        if entry not in self._names:
            self._names[entry] = self._leaf(entry)
        return self._names[entry]

    def _leaf(self, entry: int) -> int:
        tape, new = self.tape, self.new
        code, a, b = tape.code[entry], tape.a[entry], tape.b[entry]
        if code == "num":
            return new.number(tape.numbers[a])
        if entry not in self.own:
            self.read.append(entry)
            return new.leaf("const", self.first + len(self.read) - 1)
        if code == "part":
            return new.leaf(code, self._systems[a], b, tape.depth[entry])
        return new.leaf(code, a, b)

    def take(self, work: Iterable[int]) -> None:
        """Append operations in their order."""
        tape, new = self.tape, self.new
        for entry in work:
            code, a = tape.code[entry], tape.a[entry]
            if code == "solve":
                self._systems[a] = new.solve(tape.systems[a].rename(self.name))
            elif code == "table":
                self._names[entry] = new.emit(code, self.name(a), tape.b[entry])
            else:
                self._names[entry] = new.emit(code, *map(self.name, tape.operands(entry)))
