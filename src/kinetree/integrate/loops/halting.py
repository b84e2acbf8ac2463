"""The step that ends at an event, as LLVM IR: made once more with the length that it has then.

A place on the dense output is a little off the end of a step of that length, and so are its
derivatives.  Where these are wanted the step is repeated up to the event, and a little further
where its own end is not yet behind the zero.
"""

from __future__ import annotations

from kinetree.integrate.loops.layout import EVENT_VECTORS
from kinetree.integrate.loops.memory import BOTH, Memory
from kinetree.integrate.loops.tableaus import Tableau
from kinetree.targets.native.llvm import INT, Code, Value

RESOLUTION = 2.0**-50
"""Share of the step or of the time by which it goes on behind a zero."""
AHEAD = 1e-4
"""How far ahead conditions are looked at to tell how fast they change, in shares of the step."""
FURTHER = 1.001
"""Factor of the length by which the end of a step misses a zero."""
ATTEMPTS = 8
BEYOND = 2.0
"""Place of what does not happen in the step."""


def halt_text(tableau: Tableau) -> str:
    """void kt.halt(s, table): repeat the step so that it ends at the first terminal event."""
    code = Code("kt.halt", "void", BOTH)
    memory = Memory(code)
    h, first = memory.cell("h_try"), memory.cell("end_of_step")
    width = code.larger(code.unary("fabs", memory.cell("t_new") / h), 1.0) * RESOLUTION

    def attempt(index: Value, carried: tuple[Value, ...]) -> list[Value]:
        del index
        place = carried[0]
        _repeat(memory, h, place)
        missing = _missing(memory, tableau, first)
        further = place + missing * place * FURTHER + width
        return [code.choose(missing > 0.0, further, place), missing]

    start = [first, code.constant(1.0)]
    limit = code.constant(ATTEMPTS, INT)
    found = code.fold(limit, start, attempt, lambda carried: carried[1] > 0.0)
    _move_roots(memory, tableau, first, found[0])
    memory.put("end_of_step", 1.0)
    code.leave()
    return code.text()


def _repeat(memory: Memory, h: Value, place: Value) -> None:
    """The step to a place of it, and the conditions at its end."""
    code = memory.code
    memory.put("h_try", place * h)
    memory.put("t_new", memory.cell("t") + place * h)
    code.call("kt.trial", memory.both, "double")


def _missing(memory: Memory, tableau: Tableau, first: Value) -> Value:
    """How much further the step must go for the events at its end, in shares of it; else 0."""
    code = memory.code
    g = {name: memory.event_vector(tableau.rows, name) for name in EVENT_VECTORS}
    t, h, work = memory.cell("t_new"), memory.cell("h_try"), memory.vector("work")
    code.call("kt.events", [*memory.both, t, memory.vector("y_new"), g["g_new"]])
    memory.combine(work, memory.vector("y_new"), [*[None] * tableau.stages, h * AHEAD])
    code.call("kt.events", [*memory.both, t + h * AHEAD, work, g["g_work"]])

    def one(index: Value, most: tuple[Value, ...]) -> list[Value]:
        rows = ("g_old", "g_new", "g_work", "root", "terminal")
        before, here, ahead, root, ends = (code.load(code.at(g[name], index)) for name in rows)
        short = (ends > 0.0) & (root <= first) & (before * here > 0.0)
        length = here * AHEAD / (here - ahead)  # where the condition has reached zero
        wanted = short & (length > 0.0) & (length < 1.0)
        return [code.choose(wanted, code.larger(length, most[0]), most[0])]

    (found,) = code.fold(memory.entry("event_count"), [code.constant(0.0)], one)
    return found


def _move_roots(memory: Memory, tableau: Tableau, first: Value, place: Value) -> None:
    """Places of events in shares of the step that was made at last."""
    code, roots = memory.code, memory.event_vector(tableau.rows, "root")

    def one(index: Value) -> None:
        at = code.at(roots, index)
        root = code.load(at)
        last = code.choose(root <= first, 1.0, BEYOND)
        code.store(code.choose(root < first, root / place, last), at)

    code.each(memory.entry("event_count"), one)
