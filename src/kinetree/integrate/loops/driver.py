"""The loop of an explicit Runge–Kutta integration as LLVM IR.

One call makes a bounded number of trial steps.  Everything it needs is in the state and the table
of `layout`, so that the caller may look at signals, show progress and go on.

    step control    next h = h · 0.9 · e^-(1/p - 0.75 β) · e_before^β,  β = 0.4/p,  factor 0.2 … 10
    error norm      e² = 1/n Σ (errᵢ / (atolᵢ + rtolᵢ max(|yᵢ|, |y₁ᵢ|)))²

Refs: Hairer1993 sec. II.4
"""

from __future__ import annotations

from kinetree.integrate.loops.changes import next_tick, settle_text
from kinetree.integrate.loops.events import accept_text, events_text, locate_text, turning_text
from kinetree.integrate.loops.halting import halt_text, resolve_text
from kinetree.integrate.loops.layout import FULL, NOT_FINITE, RUNNING, TOO_MANY, TOO_SMALL
from kinetree.integrate.loops.memory import BOTH, Memory
from kinetree.integrate.loops.tableaus import Tableau
from kinetree.targets.native.llvm import DECLARATIONS, INT, PTR, REAL, VEC, Code, Value

ENTRY = "kt_integrate"
SAFETY, LEAST, MOST = 0.9, 0.2, 10.0
"""Factors of the step control."""
DOUBLE = 2.0
"""Largest factor where laws are held on their branches, and no error tells that one was passed."""
RETREAT = 0.25
"""Factor of the step after a trial that was not finite."""
ROUNDING = 16 * 2.0**-52
"""Steps below this share of the time cannot be told from none."""
STRETCH = 1.01
"""A step that would leave less than a hundredth of itself is stretched to the end."""


def driver_text(tableau: Tableau) -> str:
    """IR of `i64 kt_integrate(state, table, budget)` and of all it calls, kernels apart."""
    parts = [
        DECLARATIONS, rates_text(), project_text(), _dense(tableau), _trial(tableau),
        events_text(), locate_text(), turning_text(), halt_text(tableau), resolve_text(tableau),
        settle_text(tableau),
        accept_text(tableau), _main(tableau),
    ]  # fmt: skip
    return "\n".join(parts)


def rates_text(*, recalls: bool = False) -> str:
    """void kt.rates(s, table, t, y, into): one evaluation of the right-hand side."""
    code = Code("kt.rates", "void", (*BOTH, (REAL, "t"), (PTR, "y"), (PTR, "into")))
    memory = Memory(code, recalls=recalls)
    found = memory.evaluate("rates", code.argument("t"), code.argument("y"))
    code.copy(found, code.argument("into"), memory.entry("n"))
    memory.add("evaluations", 1.0)
    code.leave()
    return code.text()


def project_text(*, recalls: bool = False) -> str:
    """void kt.project(s, table, t, y): make y consistent, where it is known how."""
    code = Code("kt.project", "void", (*BOTH, (REAL, "t"), (PTR, "y")))
    memory = Memory(code, recalls=recalls)
    with code.when(memory.entry("project").same(0).negate()):
        found = memory.evaluate("project", code.argument("t"), code.argument("y"))
        code.copy(found, code.argument("y"), memory.entry("n"))
    code.leave()
    return code.text()


def _dense(tableau: Tableau) -> str:
    """void kt.dense(s, table, θ, into): y within the step that was just tried."""
    code = Code("kt.dense", "void", (*BOTH, (REAL, "theta"), (PTR, "into")))
    memory = Memory(code)
    if tableau.extra:
        with code.when(memory.cell("extras").same(0.0)):
            for number, row in enumerate(tableau.extra, tableau.stages + 1):
                _stage(memory, tableau, number, row)
            memory.put("extras", 1.0)
    theta = code.argument("theta")
    rest, h = 1.0 - theta, memory.cell("h_try")
    weights = [
        _nest(code, [row[j] for row in tableau.dense_rows], theta, rest) * h
        for j in range(tableau.rows)
    ]
    memory.combine(code.argument("into"), memory.vector("y"), weights)
    code.leave()
    return code.text()


def _nest(code: Code, factors: list[float], theta: Value, rest: Value) -> Value:
    """θ(f₀ + (1-θ)(f₁ + θ(f₂ + …)))."""
    found = code.constant(0.0)
    for number, factor in reversed(list(enumerate(factors))):
        found = (found + factor) * (rest if number % 2 else theta)
    return found


def _stage(memory: Memory, tableau: Tableau, number: int, row: tuple[float, ...]) -> None:
    """Evaluate a stage inside the step."""
    code = memory.code
    h = memory.cell("h_try")
    place = memory.vector("stage")
    memory.combine(place, memory.vector("y"), [h * w if w else None for w in row])
    t = memory.cell("t") + h * tableau.c[number]
    code.call("kt.rates", [*memory.both, t, place, memory.derivative(number)])


def _trial(tableau: Tableau) -> str:
    """double kt.trial(s, table): all stages of a step; the norm of its error, 0 where unknown.

    Infinite or not a number when any result is.
    """
    code = Code("kt.trial", REAL, BOTH)
    memory = Memory(code)
    memory.put("extras", 0.0)
    for number, row in enumerate(tableau.a):
        if number:
            _stage(memory, tableau, number, row)
    h, y_new = memory.cell("h_try"), memory.vector("y_new")
    memory.combine(y_new, memory.vector("y"), [h * w if w else None for w in tableau.b])
    last = memory.derivative(tableau.stages)
    code.call("kt.rates", [*memory.both, memory.cell("t_new"), y_new, last])
    code.leave(_norm(memory, tableau))
    return code.text()


def _norm(memory: Memory, tableau: Tableau) -> Value:
    """The norm of the error; a fixed step only asks whether all is finite."""
    code = memory.code
    y, y_new = memory.vector("y"), memory.vector("y_new")
    rtol, atol = memory.vector("rtol"), memory.vector("atol")
    rows = [memory.derivative(j) for j in range(tableau.stages + 1)]

    def part(index: Value, sums: tuple[Value, ...]) -> list[Value]:
        here, there = memory.lanes(y, index), memory.lanes(y_new, index)
        end = memory.lanes(rows[-1], index)
        largest = code.larger(code.unary("fabs", here), code.unary("fabs", there))
        scale = memory.lanes(atol, index) + memory.lanes(rtol, index) * largest
        # zero times infinity is not a number, and so is all that it is added to
        results = [sums[0] + (there * 0.0 + end * 0.0)]
        for weights, before in zip(tableau.errors, sums[1:], strict=True):
            error = memory.weighted_sum(rows, weights, index) / scale
            results.append(before + error * error)
        return results

    zero = code.constant(0.0, VEC)
    sums = code.fold(memory.chunks(), [zero] * (1 + len(tableau.errors)), part)
    probe = code.total(sums[0])
    if not tableau.errors:
        return probe
    norms = [code.total(value) for value in sums[1:]]
    n = code.larger(memory.cell("weighed"), 1.0)
    h = code.unary("fabs", memory.cell("h_try"))
    if len(norms) == 1:
        error = h * code.unary("sqrt", norms[0] / n)
    else:
        below = norms[0] + norms[1] * 0.01
        quotient = norms[0] / code.unary("sqrt", below * n)
        error = h * code.choose(below.same(0.0), 0.0, quotient)
    return code.choose(memory.cell("fixed") > 0.0, 0.0, error) + probe


def _main(tableau: Tableau) -> str:
    """i64 kt_integrate(s, table, budget)."""
    code = Code(ENTRY, INT, (*BOTH, (INT, "budget")))
    memory = Memory(code)

    def attempt(index: Value) -> None:
        del index
        guards(memory)
        _choose_step(memory)
        error = code.call("kt.trial", memory.both, REAL)
        finite = error < float("inf")
        with code.when(finite.negate()):
            _retreat(memory)
        with code.when(finite):
            _judge(memory, tableau, error)

    code.each(code.argument("budget"), attempt)
    code.leave(RUNNING)
    return code.text()


def guards(memory: Memory) -> None:
    """Leave where a table is full or the number of steps is used up."""
    code = memory.code
    events = memory.cell("events") + code.real(memory.entry("all_events"))
    full = events > code.real(memory.entry("event_room"))
    room = memory.entry("step_room")
    rows = memory.cell("rows") >= code.real(room)
    with code.when(full | ((room > 0) & rows)):
        code.leave(FULL)
    with code.when(memory.cell("steps") + memory.cell("rejected") >= memory.cell("most_steps")):
        code.leave(TOO_MANY)


def _choose_step(memory: Memory) -> None:
    """End of the step: as controlled, or on the grid of a fixed step; never past the end."""
    code = memory.code
    t, h = memory.cell("t"), memory.cell("h")
    tick, end = next_tick(memory), memory.cell("end")
    end = code.choose(tick < end, tick, end)
    fixed = memory.cell("fixed") > 0.0
    on_grid = memory.cell("t0") + (memory.cell("steps") + 1.0) * h
    target = code.choose(fixed, on_grid, t + h)
    reach = code.choose(fixed, on_grid + h * 1e-9, t + h * STRETCH)
    past = reach >= end
    t_new = code.choose(past, end, target)
    memory.put("t_new", t_new)
    memory.put("h_try", code.choose(past | fixed, t_new - t, h))


def _retreat(memory: Memory) -> None:
    """After a trial that was not finite: a much smaller step, or the end of the run."""
    code = memory.code
    h = memory.cell("h_try") * RETREAT
    stuck = _is_lost(memory, h) | (memory.cell("fixed") > 0.0)
    with code.when(stuck):
        code.leave(NOT_FINITE)
    memory.put("h", h)
    memory.put("rejected_before", 1.0)
    memory.add("rejected", 1.0)


def pace(memory: Memory, y: Value) -> Value:
    """The longest step from the new time and a state; infinite where nothing bounds it."""
    code = memory.code
    memory.put("pace", float("inf"))
    with code.when(memory.entry("pace").same(0).negate()):
        memory.put("pace", code.load(memory.evaluate("pace", memory.cell("t_new"), y)))
    return memory.cell("pace")


def _is_lost(memory: Memory, h: Value) -> Value:
    """Whether a step is lost in the rounding of the time."""
    code = memory.code
    least = code.unary("fabs", memory.cell("t")) * ROUNDING
    return code.unary("fabs", h) <= code.larger(least, 1e-290)


def _judge(memory: Memory, tableau: Tableau, error: Value) -> None:
    """Accept or reject a step, and choose the next."""
    code = memory.code
    error = code.call("kt.resolve", [*memory.both, error], REAL)
    if tableau.errors:
        with code.when((memory.cell("fixed") > 0.0).negate()):
            _control(memory, tableau, error)
    with code.when(error <= 1.0):
        status = code.call("kt.accept", memory.both, INT)
        with code.when(status.same(RUNNING).negate()):
            code.leave(status)


def _control(memory: Memory, tableau: Tableau, error: Value) -> None:
    """The size of the next step."""
    code = memory.code
    power = 1.0 / tableau.error_order
    beta = 0.4 * power
    exponent = code.constant(0.75 * beta - power)
    plain = code.call("pow", [code.larger(error, 1e-12), exponent], REAL) * SAFETY
    before, h_try = memory.cell("rejected_before") > 0.0, memory.cell("h_try")
    fair = error <= 1.0
    with code.when(fair.negate()):
        h = h_try * code.larger(plain, LEAST)
        with code.when(_is_lost(memory, h)):
            code.leave(TOO_SMALL)
        memory.put("h", h)
        memory.put("rejected_before", 1.0)
        memory.add("rejected", 1.0)
    with code.when(fair):
        past = code.call("pow", [memory.cell("error_before"), code.constant(beta)], REAL)
        factor = code.larger(plain * past, LEAST)
        most = code.choose(memory.entry("held") > 0, DOUBLE, MOST)
        most = code.choose(before, 1.0, most)
        h = h_try * code.choose(factor > most, most, factor)
        cut = h_try < memory.cell("h")  # by a tick or the end, not by the error
        h = code.choose(cut, code.larger(h, memory.cell("h")), h)
        memory.put("h", h)
        for limit in (memory.cell("h_most"), pace(memory, memory.vector("y_new"))):
            h = memory.cell("h")
            memory.put("h", code.choose(h > limit, limit, h))
        memory.put("error_before", code.larger(error, 1e-4))
        memory.put("rejected_before", 0.0)
