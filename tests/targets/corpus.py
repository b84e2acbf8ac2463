"""Expressions and Programs that every target must agree on with the reference evaluation."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree import engine as en
from kinetree.program import Assign, Input, Note, Output, Program, Solve

if TYPE_CHECKING:
    from numpy.typing import NDArray

X, Y, Z = (en.symbol(name, en.Rank.COORDINATE) for name in ("x", "y", "z"))
"""Inputs of the expressions: anything, between 0.1 and 0.9, beyond 1."""

FEW_KNOTS = en.Table.monotone((-2.5, -1, 0, 0.5, 2.5), (-1, -0.25, 0.5, 0.5, -2), "few")
MANY_KNOTS = en.Table.monotone(
    np.linspace(-6, 7, 27), np.sin(np.linspace(-6, 7, 27)) + 0.3 * np.linspace(-6, 7, 27), "if"
)
"""Tables left and right of the number of knots up to which native code compares one by one."""

EXPRESSIONS: dict[str, en.Node] = {
    "input": X,
    "number": en.number(0.1),
    "zero": en.ZERO,
    "minus": -X,
    "double": 2 * X,
    "third": X / 3,
    "fraction": Fraction(-2, 7) * X + Y,
    "difference": X - Y,
    "minus_sum": -X - Y,
    "minus_first": -X - Y + Z,
    "minus_scaled": -2 * X - 3 * Y,
    "minus_constant": -X - 5,
    "long_sum": X - 2 * Y + 3 * Z - X * Y + X * Z - 7,
    "product": X * Y * Z,
    "minus_product": -X * Y,
    "square": X**2,
    "cube": Y**3,
    "seventh": Z**7,
    "eleventh": (X + Y) ** 11,
    "inverse": 1 / Z,
    "quotient": X / (Y * Z),
    "powers": X**3 / (Y**2 * Z**4),
    "nested": (X + Y) * (Y - Z) / (1 + (X * Y) ** 2),
    "sin": en.sin(X),
    "cos": en.cos(X),
    "sin_of_sum": en.sin(X + Y) * en.cos(X - Z),
    "late_sin": en.sin(en.exp(Y)) + en.cos(en.exp(Y)),
    "late_cos": en.cos(X * Y * Z * X * Y * Z + 1 / Z),
    "tan": en.tan(Y),
    "asin": en.asin(Y),
    "acos": en.acos(Y),
    "atan": en.atan(X),
    "atan2": en.atan2(X, Y),
    "sinh": en.sinh(X),
    "cosh": en.cosh(X),
    "tanh": en.tanh(X),
    "exp": en.exp(X),
    "log": en.log(Z),
    "sqrt": en.sqrt(Z + 1),
    "abs": abs(X),
    "sign": en.sign(X),
    "pow": en.call("pow", Z, Y),
    "select": en.select(X - Y, X * Y, Z + 1),
    "select_number": en.select(X, 1, en.sin(Y)),
    "select_nested": en.select(X, en.select(Y - 0.5, X, -Z), en.select(1 - Z, Y, X * Z)),
    "minimum": en.minimum(X, Y) * en.maximum(X, Z),
    "few_knots": en.table(X, FEW_KNOTS),
    "many_knots": en.table(X * Z, MANY_KNOTS),
    "slopes": sum((en.table(X, t, k) for t in (FEW_KNOTS, MANY_KNOTS) for k in (1, 2, 3)), en.ZERO),
    "two_knots": en.table(X, en.Table((0.0, 0.5), (1.0, 2.0), (2.0, 0.0))),
    "table_of_table": en.table(1 + en.table(X, FEW_KNOTS), FEW_KNOTS),
}


def points(count: int, seed: int = 0) -> dict[str, NDArray[np.float64]]:
    """Values of the inputs of the expressions."""
    rng = np.random.default_rng(seed)
    return {
        "x": rng.uniform(-3, 3, count),
        "y": rng.uniform(0.1, 0.9, count),
        "z": rng.uniform(1.1, 3, count),
    }


def scalars(*names: str) -> tuple[Input, ...]:
    """One input of one component per name."""
    symbols = [en.symbol(name, en.Rank.COORDINATE) for name in names]
    return tuple(Input(s.name, (), (s,)) for s in symbols)


def expressions() -> Program:
    """All expressions as one Program, not condensed: shared parts have no names."""
    outputs = tuple(Output(name, (), (node,)) for name, node in EXPRESSIONS.items())
    return Program("expressions", scalars("x", "y", "z"), (), (), outputs)


def vector(name: str, size: int, **options: Any) -> Input:
    """An input of one axis."""
    symbols = tuple(en.symbol(f"{name}_{i}", en.Rank.COORDINATE) for i in range(size))
    return Input(name, (size,), symbols, **options)


def with_preamble() -> Program:
    """Parameters, a preamble, and a parameter that the body reads itself."""
    q, p = vector("q", 2), vector("p", 3, default=(2.0, 3.0, 5.0), parameter=True,
                                  labels=("rod.mass", "rod.length", "double"))  # fmt: skip
    a, b, t = (en.symbol(name, en.Rank.LOCAL) for name in ("a", "b", "t"))
    m, r, s = p.symbols
    preamble = (Assign(a, m * r**2, Note(step="inertia", unit="kg.m2")), Assign(b, en.sin(a) + s))
    blocks = (Assign(t, a * en.cos(q.symbols[0]) + r, Note(body="rod", eq="*/ eq. (1) /*")),)
    outputs = (
        Output("u", (2,), (t * q.symbols[1], b + t)),
        Output("k", (2, 2), (a, en.ZERO, q.symbols[0], t)),
    )
    return Program("with_preamble", (q, p), preamble, blocks, outputs, {"model_hash": "0123abcd"})


def tree_matrix(a: Input, n: int) -> list[list[en.Node]]:
    """A symmetric positive definite matrix with the zeros of a binary tree."""
    rows = [[en.ZERO] * n for _ in range(n)]
    for i in range(n):
        j = i
        while j > 0:
            j = (j - 1) // 2
            rows[i][j] = rows[j][i] = a.symbols[(3 * i + j) % len(a.symbols)] / (4 + i)
        rows[i][i] = 3 + en.cos(a.symbols[i % len(a.symbols)])
    return rows


def system(n: int, k: int, *, symmetric: bool = True, holes: bool = True) -> Program:
    """A X = B, with structural zeros in A and B, and the solution used afterwards."""
    a, b = vector("a", 5), vector("b", n * k)
    if symmetric:
        rows = tree_matrix(a, n)
    else:
        rows = [
            [a.symbols[(i * 3 + j) % 5] * (1 + (i * j) % 4) + (2 if j == (i + 1) % n else 0)
             for j in range(n)] for i in range(n)
        ]  # fmt: skip
    rhs = tuple(
        en.ZERO if holes and i % 7 == 3 else (s if i % 5 else en.sin(s))
        for i, s in enumerate(b.symbols)
    )
    targets = tuple(en.symbol(f"x_{i}", en.Rank.LOCAL) for i in range(n * k))
    matrix = tuple(entry for row in rows for entry in row)
    block = Solve(targets, matrix, rhs, n, k, symmetric, Note(step="solve"))
    total = en.add(*targets)
    outputs = (
        Output("X", (n, k), targets),
        Output("last", (), (targets[-1] * total,)),
        Output("turned", (k,), tuple(reversed(targets[:k]))),
    )
    return Program(f"system_{n}_{k}", (a, b), (), (block,), outputs)


def chained() -> Program:
    """Two systems with one matrix; the second is made of the solution of the first."""
    n, k = 4, 4
    a, b = vector("a", 5), vector("b", n * k)
    matrix = tuple(entry for row in tree_matrix(a, n) for entry in row)
    first, second = (
        tuple(en.symbol(f"{name}_{i}", en.Rank.LOCAL) for i in range(n * k)) for name in "uv"
    )
    rhs = tuple(s if i % 3 else 2 * s + a.symbols[0] for i, s in enumerate(first))
    blocks = (
        Solve(first, matrix, b.symbols, n, k),
        Solve(second, matrix, rhs, n, k),
    )
    return Program("chained", (a, b), (), blocks, (Output("X", (n, k), second),))


SYSTEMS: dict[str, Program] = {
    program.name + ("" if program.name == "chained" else label): program
    for label, program in [
        ("", system(1, 1)),
        ("", system(3, 1)),
        ("", system(6, 2)),
        ("", system(5, 3)),
        ("", system(7, 11)),
        ("", system(12, 24)),
        ("_general", system(1, 2, symmetric=False)),
        ("_general", system(3, 1, symmetric=False)),
        ("_general", system(5, 9, symmetric=False)),
        ("_general", system(11, 3, symmetric=False)),
        ("", chained()),
    ]
}


def arrays(program: Program, batch: tuple[int, ...] = (), seed: int = 0) -> dict[str, Any]:
    """Random values for the variable inputs of a Program."""
    rng = np.random.default_rng(seed)
    rows = (row for row in program.inputs if not row.parameter)
    return {row.name: rng.uniform(-1, 1, (*batch, *row.shape)) for row in rows}


def pathological_names() -> Program:
    """Names that C cannot use as they stand, and names that become equal."""
    q = Input("double", (2,), tuple(en.symbol(n, en.Rank.COORDINATE) for n in ("a.b", "a-b")))
    p = Input("p", (2,), tuple(en.symbol(n) for n in ("int", "1st")), (1.5, 2.5), True,
              ("int", "1st"))  # fmt: skip
    names = ("sin", "sin_", "kt_sign", "_t", "double", "a_b", "pre", "work")
    inner = [en.symbol(f"{name}", en.Rank.LOCAL) for name in names]
    blocks: list[Assign] = []
    last: en.Node = q.symbols[0] * p.symbols[0] + q.symbols[1] / p.symbols[1]
    for number, target in enumerate(inner):
        blocks.append(Assign(target, en.sin(last) + number))
        last = target * q.symbols[1] + en.sign(target)
    outputs = (Output("sin", (1,), (last,)), Output("p", (), (inner[3] ** 3 + inner[4] ** 5,)))
    return Program("while", (q, p), (), tuple(blocks), outputs)


def long_chain(length: int) -> Program:
    """A Program of many equations, each of which needs earlier ones."""
    q = vector("q", 8)
    blocks: list[Assign] = []
    names = list(q.symbols)
    for i in range(length):
        target = en.symbol(f"v{i}", en.Rank.LOCAL)
        a, b, c = names[-1], names[-1 - i % 7], names[(i * 37) % len(names)]
        expr = a * en.number(0.3) + b * c / (1 + c**2) - en.number(0.5)
        if i % 40 == 0:
            expr = en.sin(q.symbols[i % 8]) + en.cos(q.symbols[(i + 3) % 8]) * expr
        blocks.append(Assign(target, expr, Note(step="q and y stand here, but not in every part")))
        names.append(target)
    return Program("long_chain", (q,), (), tuple(blocks), (
        Output("y", (3,), tuple(names[-3:])), Output("early", (), (names[9],)),
    ))  # fmt: skip
