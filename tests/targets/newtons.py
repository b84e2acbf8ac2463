"""Programs with Newton blocks, and their meaning as a plain loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kinetree import engine as en
from kinetree.engine.diff import derivative
from kinetree.program import Assign, Input, Newton, Note, Output, Program, Solve
from targets.corpus import vector

Nodes = tuple[en.Node, ...]
Equations = Callable[[Nodes, Nodes], Sequence[en.Node]]
TOLERANCE = 1e-12


def step(equations: Equations, n: int, given: int) -> Program:
    """One iteration of some equations h(v, w) = 0."""
    v = tuple(en.symbol(f"v_{i}", en.Rank.COORDINATE) for i in range(n))
    w = tuple(en.symbol(f"w_{i}", en.Rank.COORDINATE) for i in range(given))
    h = tuple(en.symbol(f"h_{i}", en.Rank.LOCAL) for i in range(n))
    dv = tuple(en.symbol(f"dv_{i}", en.Rank.LOCAL) for i in range(n))
    exprs = equations(v, w)
    J = tuple(derivative(expr, x) for expr in exprs for x in v)
    blocks = (
        *(Assign(a, b) for a, b in zip(h, exprs, strict=True)),
        Solve(dv, J, h, n, 1, symmetric=False),
    )
    inputs = (Input("v", (n,), v), *((Input("w", (given,), w),) if w else ()))
    outputs = (Output("h", (n,), h), Output("dv", (n,), dv), Output("J", (n, n), J))
    return Program("step", inputs, (), blocks, outputs)


def newton(
    stem: str, equations: Equations, start: Nodes, given: Nodes = (), limit: int = 20
) -> Newton:
    """A block whose targets are stem_0, stem_1, …"""
    n = len(start)
    targets = tuple(en.symbol(f"{stem}_{i}", en.Rank.LOCAL) for i in range(n))
    page = step(equations, n, len(given))
    return Newton(targets, start, given, page, TOLERANCE, limit, Note(step="loop closure"))


def kepler_equation(v: Nodes, w: Nodes) -> list[en.Node]:
    """E - e sin E = M."""
    return [v[0] - w[1] * en.sin(v[0]) - w[0]]


def ring(v: Nodes, w: Nodes) -> list[en.Node]:
    """Every unknown with all others: a full Jacobian whose largest entries leave the diagonal."""
    n = len(v)
    return [
        3 * v[(i + 1) % n] + en.sin(v[i] + w[0]) / 2 + en.cos(en.add(*v)) / (2 + i) - w[i % len(w)]
        for i in range(n)
    ]


def kepler(limit: int = 20) -> Program:
    """Kepler's equation, and a function of its solution."""
    m = vector("m", 2)
    block = newton("E", kepler_equation, m.symbols[:1], m.symbols, limit)
    (E,) = block.targets
    outputs = (Output("E", (1,), (E,)), Output("x", (2,), (en.cos(E) - m.symbols[1], en.sin(E))))
    return Program("kepler", (m,), (), (block,), outputs)


def coupled(n: int) -> Program:
    """n coupled equations that start at zero and at sums of inputs."""
    q = vector("q", 3)
    a, b, c = q.symbols
    start = tuple(en.ZERO if i % 2 else a * b / (3 + i) for i in range(n))
    block = newton("u", ring, start, (a + b, en.sin(c), c))
    total = en.add(*block.targets)
    outputs = (Output("u", (n,), block.targets), Output("y", (), (total * a + en.sin(total),)))
    return Program(f"coupled_{n}", (q,), (), (block,), outputs)


def sequence() -> Program:
    """Blocks that feed one another, with a linear system between them and a preamble."""
    q = vector("q", 3)
    p = vector("p", 2, default=(0.3, 1.2), parameter=True)
    k, t = (en.symbol(name, en.Rank.LOCAL) for name in ("k", "t"))
    x = tuple(en.symbol(f"x_{i}", en.Rank.LOCAL) for i in range(9))
    a, b, c = q.symbols
    first = newton("u", ring, (a, b, c), (k, a, b))
    u = first.targets
    matrix = (4 + u[0], a, u[1], b, 5 + u[2], c, a, b, 6 + u[0])
    second = newton("E", kepler_equation, (t,), (t, p.symbols[0] * en.sin(u[1])))
    third = newton(
        "r", lambda v, w: [v[0] * v[0] - w[0]], (en.number(1.0),), (second.targets[0] + 3,)
    )
    free = newton("s", lambda v, w: [v[0] * v[0] - 2], (en.number(1.5),))
    blocks = (
        first,
        Solve(x, matrix, (a, *u, b, c, k, a, b), 3, 3, symmetric=False),
        Assign(t, x[0] + u[2] + k),
        second,
        third,
        free,
    )
    outputs = (
        Output("u", (3,), u),
        Output("all", (4,), (second.targets[0], third.targets[0], free.targets[0], t)),
        Output("E", (2,), (en.cos(second.targets[0]), u[1] * k)),
    )
    preamble = (Assign(k, p.symbols[0] * p.symbols[1]),)
    return Program("sequence", (q, p), preamble, blocks, outputs)


def separate(n: int) -> Program:
    """Many equations of their own: more angles than fit into registers."""
    q = vector("q", 2)

    def equations(v: Nodes, w: Nodes) -> list[en.Node]:
        return [2 * x + en.sin(x) - w[0] - i * w[1] / n for i, x in enumerate(v)]

    block = newton("u", equations, q.symbols[:1] * n, q.symbols)
    return Program(f"separate_{n}", (q,), (), (block,), (Output("u", (n,), block.targets),))


def early() -> Program:
    """A block that depends on parameters alone, in the preamble."""
    q = vector("q", 1)
    p = vector("p", 2, default=(0.3, 0.6), parameter=True)
    block = newton("E", kepler_equation, p.symbols[:1], p.symbols)
    (E,) = block.targets
    outputs = (Output("y", (2,), (E * q.symbols[0], en.sin(E) + q.symbols[0])),)
    return Program("early", (q, p), (block,), (), outputs)


def directed() -> Program:
    """One equation for two unknowns, which move towards the origin or away from it alone."""
    q = vector("q", 3)
    v = tuple(en.symbol(f"v_{i}", en.Rank.COORDINATE) for i in range(2))
    w, x = en.symbol("w", en.Rank.COORDINATE), en.symbol("x", en.Rank.LOCAL)
    square = v[0] * v[0] + v[1] * v[1]
    J = 2 * square
    page = Program("step", (Input("v", (2,), v), Input("w", (1,), (w,))), (), (
        Solve((x,), (J,), (square - w,), 1, 1, symmetric=False),
    ), (
        Output("h", (1,), (square - w,)), Output("dv", (2,), (v[0] * x, v[1] * x)),
        Output("J", (1, 1), (J,)), Output("D", (2, 1), v),
    ))  # fmt: skip
    targets = tuple(en.symbol(f"r_{i}", en.Rank.LOCAL) for i in range(2))
    a, b, c = q.symbols
    block = Newton(targets, (2 + a, b), (3 + c,), page, TOLERANCE, 20)
    return Program("directed", (q,), (), (block,), (Output("r", (2,), targets),))


def far() -> Program:
    """An angle of a thousand radians: its rounding, times a long lever, is above the tolerance."""
    q = vector("q", 2)
    a, b = q.symbols
    block = newton("E", lambda v, w: [1000 * (en.sin(v[0]) - w[0] / 2)], (1000 + a / 8,), (b / 4,))
    (v,) = block.step.input("v").symbols
    (h,) = block.step.output("h").nodes
    allowed = en.number(1e-12) * en.call("abs", v)
    tested = Output("tested", (1,), (en.select(allowed - en.call("abs", h), en.ZERO, h),))
    page = replace(block.step, outputs=(*block.step.outputs, tested))
    block = replace(block, step=page)
    return Program("far", (q,), (), (block,), (Output("E", (1,), block.targets),))


COUPLED = tuple(coupled(n) for n in (2, 3, 6, 16))
ALL = (kepler(), *COUPLED, separate(18), sequence(), early(), directed(), far())
PROGRAMS = {p.name: p for p in ALL}


def reference(program: Program, arrays: dict[str, Any]) -> dict[str, Any]:
    """One evaluation by the definition: blocks in order, Newton as a loop in NumPy."""
    values: dict[en.Node, Any] = {}
    for row in program.inputs:
        given = np.ravel(arrays.get(row.name, row.default))
        values.update(zip(row.symbols, given, strict=True))
    for block in (*program.preamble, *program.blocks):
        numbers = [float(x) for x in en.evaluate(block.operands, values)]
        if isinstance(block, Assign):
            found = numbers
        elif isinstance(block, Solve):
            A = np.reshape(numbers[: block.n**2], (block.n, block.n))
            found = list(
                np.ravel(np.linalg.solve(A, np.reshape(numbers[block.n**2 :], (block.n, -1))))
            )
        else:
            found = list(_solution(block, np.array(numbers)))
        values.update(zip(block.targets, found, strict=True))
    return {
        out.name: np.array([float(x) for x in en.evaluate(out.nodes, values)]).reshape(out.shape)
        for out in program.outputs
    }


def _solution(block: Newton, numbers: Any) -> Any:
    n = len(block.targets)
    v, w = numbers[:n].copy(), numbers[n:]
    for _ in range(block.limit + 1):
        found = reference(block.step, {"v": v, "w": w})
        if np.abs(found.get("tested", found["h"])).max() <= block.tolerance:
            return v
        v = v - found.get("D", np.eye(n)) @ np.linalg.solve(found["J"], found["h"])
    return np.full(n, np.nan)
