"""Random expressions of all operators: values and derivatives, in the engine and in targets.

Errors are told in roundings: how often the noise that rounding makes in the plain evaluation (see
`grown`).  atan2(±0, x) with x negative or zero depends on the signs of the zeros in NumPy and not
in the engine, which knows one zero: such points are set aside.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from fuzz.campaign import Campaign
from fuzz.grown import (
    COUNT,
    CURVE,
    STEP,
    Array,
    Noise,
    Rng,
    Tree,
    Values,
    draw_points,
    draw_tree,
    node,
    spread,
    symbols,
)
from fuzz.tally import Tally
from kinetree import engine as en
from kinetree.engine.sympy_bridge import to_sympy
from kinetree.errors import ExpressionError
from kinetree.formats.expression import parse
from kinetree.program import Input, Program, Scheme
from kinetree.program.passes import condense

SIZE = 200
"""Expressions of one attempt: they make one Program."""
POINTS = 5
ROUNDINGS = 2000.0
"""Errors above this many roundings are failures."""
ILL = 1e-6
"""Noise relative to the value above which nothing can be said."""
FLAGS = ("-O1", "-std=c99", "-shared", "-fPIC", "-ffp-contract=off")


Reference = tuple[Array, Array, Array]
"""Plain values, their noise, and where they can be told."""


class Batch:
    """Expressions with the values they must have at some points."""

    def __init__(self, rng: Rng, tally: Tally) -> None:
        self.rng, self.tally = rng, tally
        self.points = draw_points(rng, POINTS)
        self.noise = Noise(rng, POINTS)
        self.direction = rng.choice([0.0, 1.0, -0.5, 0.3], COUNT)
        self.names = symbols()
        self.trees: list[Tree] = []
        self.nodes: list[en.Node] = []
        self.values: list[Reference] = []
        self.slopes: list[Reference] = []
        while len(self.nodes) < SIZE:
            self._add(draw_tree(rng, int(rng.integers(1, 16))))

    def _add(self, tree: Tree) -> None:
        """Build one expression; one that the engine refuses must have no value."""
        values = Values(tree, self.points, self.direction, self.noise)
        plain, noise = spread(values.rows.real)
        fine = np.isfinite(plain) & ~(values.extreme | values.wild) & well(plain, noise)
        try:
            found = node(tree, self.names)
        except ExpressionError as error:
            none = values.never or not fine.any()
            self.tally.expect("refusal of what has no value", none, f"{error} {tree}")
            return
        self.tally.set_aside("atan2(±0, not positive)", int((fine & values.half_turn).sum()))
        fine &= ~values.half_turn
        self.tally.set_aside("ill-conditioned or outside the domain", int((~fine).sum()))
        self.trees.append(tree)
        self.nodes.append(found)
        self.values.append((plain, noise, fine))
        along, noise = spread(values.rows.imag / STEP)
        self.slopes.append((along, noise, fine & ~values.kink & well(along, noise)))

    def compare(self, what: str, found: Array, expected: list[Any]) -> None:
        """Compare rows of values, one per expression, with what they must be."""
        for k, (row, (plain, noise, fine)) in enumerate(zip(found, expected, strict=True)):
            if not fine.any():
                continue
            error = np.abs(row - plain)[fine] / np.maximum(noise[fine], np.finfo(float).tiny)
            self.tally.measure(
                what,
                float(error.max()),
                ROUNDINGS,
                lambda: self.told(k, row),  # noqa: B023
            )

    def told(self, k: int, row: Array) -> str:
        """What a failure says of its expression."""
        return f"expression {k} {self.trees[k]} at {self.points.tolist()} is {row.tolist()}"

    def tangents(self) -> list[en.Node]:
        """Derivatives along the direction; one that the engine refuses must not exist."""
        seeds = {s: en.number(float(d)) for s, d in zip(self.names, self.direction, strict=True)}
        found = []
        for k, x in enumerate(self.nodes):
            try:
                found += en.tangent((x,), seeds.get)
            except ExpressionError as error:
                along, noise, fine = self.slopes[k]
                text = f"{error} {self.trees[k]}"
                self.tally.expect("refusal of what has no slope", not fine.any(), text)
                self.slopes[k] = along, noise, np.zeros_like(fine)
                found.append(en.ZERO)
        return found

    def program(self, slopes: list[en.Node]) -> Program:
        """All expressions and their derivatives as one Program."""
        scheme = Scheme("expressions")
        scheme.input(Input("s", (COUNT,), tuple(self.names)))
        scheme.output("y", self.nodes)
        scheme.output("dy", slopes)
        return condense(scheme.program())


def well(plain: Array, noise: Array) -> Array:
    """Where the noise is small enough for a comparison to say something."""
    return np.asarray(noise < ILL * np.maximum(np.abs(plain), 1e-9))


def rows_of(values: list[Any]) -> Array:
    """Values of the engine, expressions by points."""
    return np.stack([np.broadcast_to(np.asarray(v, dtype=float), (POINTS,)) for v in values])


def try_engine(batch: Batch, slopes: list[en.Node]) -> None:
    """The engine's own evaluation."""
    at = dict(zip(batch.names, batch.points, strict=True))
    batch.compare("value", rows_of(en.evaluate(batch.nodes, at)), batch.values)
    batch.compare("derivative", rows_of(en.evaluate(slopes, at)), batch.slopes)


def try_reverse(batch: Batch) -> None:
    """Derivatives by each symbol, swept backwards."""
    at = dict(zip(batch.names, batch.points, strict=True))
    along = dict(zip(batch.names, batch.direction, strict=True))
    chosen = [k for k in range(50) if batch.slopes[k][2].any()]
    total = []
    for k in chosen:
        found = en.partials(batch.nodes[k])
        parts = zip(en.evaluate(found.values(), at), found, strict=True)
        total.append(sum((along[s] * x for x, s in parts if along[s]), np.zeros(POINTS)))
    batch.compare("derivative, reverse", rows_of(total), [batch.slopes[k] for k in chosen])


def try_text(batch: Batch) -> None:
    """Written as text and read again by the grammar of model files."""
    at = dict(zip(batch.names, batch.points, strict=True))
    names = {s.name: s for s in batch.names}
    read = [parse(en.text(x), names, "fuzz", {"curve": CURVE}) for x in batch.nodes[:50]]
    batch.compare("text and back", rows_of(en.evaluate(read, at)), batch.values[:50])


def try_native(batch: Batch, program: Program) -> None:
    """Native code."""
    strict = bool(batch.rng.integers(2))
    function = program.compile(
        strict=strict, tier=str(batch.rng.choice(["quick", "full"])), cache=False
    )
    out = function(s=np.ascontiguousarray(batch.points.T), check=False)
    batch.compare("native value", out["y"].T, batch.values)
    batch.compare("native derivative", out["dy"].T, batch.slopes)


def try_python(batch: Batch, program: Program) -> None:
    """The Python target."""
    out = program.compile("python")(s=batch.points.T)
    batch.compare("Python value", out["y"].T, batch.values)
    batch.compare("Python derivative", out["dy"].T, batch.slopes)


def try_c(batch: Batch, program: Program) -> None:
    """The C target, compiled by gcc."""
    gcc = shutil.which("gcc")
    if gcc is None:
        batch.tally.set_aside("no gcc")
        return
    with tempfile.TemporaryDirectory() as folder:
        files = program.write("c", folder)
        code = next(path for path in files if path.suffix == ".c")
        library = Path(folder) / "expressions.so"
        subprocess.run([gcc, *FLAGS, code, "-o", library, "-lm"], check=True)
        call = ctypes.CDLL(str(library))["expressions"]
        call.restype = None
        y, dy = np.zeros((2, POINTS, SIZE))
        for k, s in enumerate(np.ascontiguousarray(batch.points.T)):
            call(*(x.ctypes.data_as(ctypes.c_void_p) for x in (s, y[k], dy[k])))
    batch.compare("C value", y.T, batch.values)
    batch.compare("C derivative", dy.T, batch.slopes)


def try_sympy(batch: Batch) -> None:
    """A few expressions through SymPy, at the first point."""
    found, expected = [], []
    for k in range(3):
        plain, noise, fine = batch.values[k]
        if not fine[0]:
            continue
        at = dict(zip((f"s{i}" for i in range(COUNT)), batch.points[:, 0], strict=True))
        expr = to_sympy(batch.nodes[k])
        try:
            value = expr.evalf(25, subs={s: at[s.name] for s in expr.free_symbols}, maxn=200)
        except TypeError:  # a condition with a complex number, in a branch that is not taken
            value = None
        if value is not None and value.is_real:
            found.append(np.array([float(value)]))
            expected.append((plain[:1], noise[:1], fine[:1]))
        else:
            batch.tally.set_aside("SymPy gives no real number")
    batch.compare("SymPy value", np.array(found), expected)


def attempt(rng: Rng, tally: Tally) -> None:
    """One batch of expressions."""
    arena = en.current()
    mark = arena.mark()
    batch = Batch(rng, tally)
    slopes = batch.tangents()
    try_engine(batch, slopes)
    shares = rng.random(6)
    if shares[0] < 0.3:
        try_reverse(batch)
    if shares[1] < 0.3:
        try_text(batch)
    if shares[2] < 0.15:
        try_sympy(batch)
    if min(shares[3:]) < 0.3:
        program = batch.program(slopes)
        if shares[3] < 0.25:
            try_native(batch, program)
        if shares[4] < 0.15:
            try_python(batch, program)
        if shares[5] < 0.02:
            try_c(batch, program)
    arena.release(mark)


CAMPAIGN = Campaign(
    "expressions",
    "random expressions against plain NumPy, complex steps and SymPy; errors in roundings",
    attempt,
    short=1_000,
    long=1_000_000,
    size=SIZE,
    slices=50,
)
