"""The step that ends at an event, as LLVM IR: made once more with the length that it has then.

A place on the dense output is a little off the end of a step of that length, and so are its
derivatives.  Where these are wanted the step is repeated up to the event, and a little further
where its own end is not yet behind the zero.

Where laws are held on their branches no error tells that a condition swings within a step.  So its
values at the ends and at some places inside are asked whether a cubic goes through them: third
differences, with weights of sum 1, must stay below a share of the largest value.
"""

from __future__ import annotations

from math import prod

from kinetree.integrate.loops.layout import EVENT_VECTORS
from kinetree.integrate.loops.memory import BOTH, Memory
from kinetree.integrate.loops.tableaus import Tableau
from kinetree.targets.native.llvm import INT, REAL, Code, Value

RESOLUTION = 2.0**-50
"""Share of the step or of the time by which it goes on behind a zero."""
AHEAD = 1e-4
"""How far ahead conditions are looked at to tell how fast they change, in shares of the step."""
FURTHER = 1.001
"""Factor of the length by which the end of a step misses a zero."""
ATTEMPTS = 8
BEYOND = 2.0
"""Place of what does not happen in the step."""
PROBES = (0.15, 0.4, 0.63, 0.85)
"""Places inside a step at which conditions are looked at, in shares of it: no equal distances, to
which a swing could fit."""
PROBED = tuple(f"probe_{k}" for k in range(1, 1 + len(PROBES)))
ROUGH = 0.2
"""Share of the largest value from which third differences tell a swing: two thirds of a period in a
step; a corner stays below."""
SILENT = 1e-10
"""Values of a condition below which it is rounding."""
OFTEN = 6
"""Times in a row that a step is made shorter for its conditions."""
TOO_LONG = 1e9
"""Norm of the error of a step that is."""


def sketch(memory: Memory, tableau: Tableau, share: float) -> list[Value | None]:
    """Weights of the derivatives for Hermite's cubic at a place of the step: no stage is added."""
    h, rest = memory.cell("h_try"), 1.0 - share
    rows = zip(*tableau.dense_rows[:3], strict=True)
    weights = [share * (a + rest * (b + share * c)) for a, b, c in rows]
    return [h * weight if weight else None for weight in weights]


def _differences() -> list[list[tuple[int, float]]]:
    """Numbers and weights of every four neighbours whose third difference is taken."""
    places = (0.0, *PROBES, 1.0)
    found = []
    for first in range(len(places) - 3):
        rows = range(first, first + 4)
        raw = [1 / prod(places[j] - places[k] for k in rows if k != j) for j in rows]
        size = sum(map(abs, raw))
        found.append([(j, w / size) for j, w in zip(rows, raw, strict=True)])
    return found


def resolve_text(tableau: Tableau) -> str:
    """double kt.resolve(s, table, error): the error, or a large one where conditions swing.

    Where laws are held, the conditions at the places of the step are there behind it.
    """
    code = Code("kt.resolve", REAL, (*BOTH, (REAL, "error")))
    memory, error = Memory(code), code.argument("error")
    with code.when(memory.entry("held").same(0) | (error > 1.0)):
        code.leave(error)
    g = {name: memory.event_vector(tableau.rows, name) for name in EVENT_VECTORS}
    t, h, work = memory.cell("t"), memory.cell("h_try"), memory.vector("work")
    for share, name in zip(PROBES, PROBED, strict=True):
        memory.combine(work, memory.vector("y"), sketch(memory, tableau, share))
        code.call("kt.events", [*memory.both, t + h * share, work, g[name]])
    code.call("kt.events", [*memory.both, memory.cell("t_new"), memory.vector("y_new"), g["g_new"]])

    def swings(index: Value, sums: tuple[Value, ...]) -> list[Value]:
        rows = ("g_old", *PROBED, "g_new")
        v = [code.load(code.at(g[name], index)) for name in rows]
        size, rough = code.constant(SILENT), code.constant(0.0)
        for value in v:
            size = code.larger(size, code.unary("fabs", value))
        for terms in _differences():
            total = code.constant(0.0)
            for j, weight in terms:
                total = total + v[j] * weight
            rough = code.larger(rough, code.unary("fabs", total))
        return [sums[0] + code.choose(rough > size * ROUGH, 1.0, 0.0)]

    (count,) = code.fold(memory.entry("event_count"), [code.constant(0.0)], swings)
    before = memory.cell("shortened")
    again = (count > 0.0) & (before < float(OFTEN)) & (memory.cell("fixed") <= 0.0)
    memory.put("shortened", code.choose(again, before + 1.0, 0.0))
    code.leave(code.choose(again, TOO_LONG, error))
    return code.text()


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


def search_dips(memory: Memory, g: dict[str, Value]) -> None:
    """Cut the step where a condition comes near zero between two of its places, and passes it.

    Through three neighbours a parabola is thought: where it bends by less than the middle one is
    away from zero, the condition keeps its side.  At the ends of the step slopes take the place of
    the third.
    """
    code, places = memory.code, (0.0, *PROBES, 1.0)

    def search(index: Value, row: int, value: Value, *, near: Value, last: int) -> None:
        with code.when(near):
            ends = [code.constant(places[k]) for k in (row, last)]
            place = code.call("kt.turning", [*memory.both, index, value, *ends, g["g_work"]], REAL)
            first = memory.cell("cut")
            memory.put("cut", code.choose(place < first, place, first))

    def one(index: Value) -> None:
        v = [code.load(code.at(g[name], index)) for name in ("g_old", *PROBED, "g_new")]
        later, earlier = (code.load(code.at(g[name], index)) for name in ("later", "earlier"))
        for row, (a, b, c) in enumerate(zip(v, v[1:], v[2:], strict=False)):
            bend = (a + c - b * 2.0) * 0.5
            lowest = ((a - b) * b >= 0.0) & ((c - b) * b >= 0.0) & (b * b < bend * bend)
            near = lowest & (a * b > 0.0) & (c * b > 0.0)
            search(index, row, b, near=near, last=row + 2)
        a, b = v[0], v[1]
        near = ((later - a) * a < 0.0) & ((b - a) * a >= 0.0)
        search(index, 0, a, near=near, last=1)
        a, b = v[-2], v[-1]
        near = ((b - earlier) * b > 0.0) & ((a - b) * b >= 0.0)
        search(index, len(places) - 2, b, near=near, last=len(places) - 1)

    code.each(memory.entry("event_count"), one)
