"""Program -> tapes: each distinct Node is evaluated exactly once, sums and products as chains.

The terms of a sum are added in the order in which they become available, so that the recursion's
own value, which comes last, waits for one addition and not for the whole sum.  A running sum keeps
a pending sign, so a sum that starts with negative terms needs no sign change; only a sum without a
single positive term ends with one.  Coefficients +1 and -1 cost nothing, and negative exponents
are collected into one division.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from kinetree.engine import Node
from kinetree.engine.node import Number
from kinetree.program.newton import iteration_outputs
from kinetree.program.passes.dead import dead
from kinetree.program.program import Assign, Block, Input, Newton, Program, Solve
from kinetree.targets.tape.general_lu import Form, arrangement, factor_general
from kinetree.targets.tape.ldl import Factorisation, factor, fits, substitute, subtract_product
from kinetree.targets.tape.sparse_form import sparse_form
from kinetree.targets.tape.tape import ZERO, Iteration, System, Tape

COLUMNS = 2
"""Right-hand sides up to which a factorised system is written out; SIMD lanes win beyond."""
WRITTEN = 400
"""Steps times right-hand sides up to which a small general system is written out."""

Signed = tuple[int, int]
"""An entry of a tape and the sign that its value still has to take."""


@dataclass(frozen=True, slots=True)
class Lowered:
    """The two tapes of a Program.

    Attributes:
        body: variable inputs and preamble results -> outputs, concatenated in order.
        preamble: parameters, concatenated in order -> preamble results that the body reads.
    """

    body: Tape
    preamble: Tape


def lower(program: Program) -> Lowered:
    """The tapes of a Program; the same Program always gives the same tapes."""
    variables = _symbols(i for i in program.inputs if not i.parameter)
    parameters = _symbols(i for i in program.inputs if i.parameter)
    early = _Lowering(len(parameters), 0)
    early.inputs(parameters)
    early.blocks(program.preamble)

    body = _Lowering(len(variables), 0)
    body.inputs(variables)
    body.earlier = early.entry
    body.blocks(program.blocks)
    body.tape.outputs = [body.result(n) for out in program.outputs for n in out.nodes]
    body.tape.sizes = (len(variables), len(body.constants))
    early.tape.outputs = [early.entry[node] for node in body.constants]
    return Lowered(body.tape, early.tape)


def _symbols(inputs: Iterable[Input]) -> list[Node]:
    return [symbol for item in inputs for symbol in item.symbols]


class _Lowering:
    """One tape in the making.

    Attributes:
        entry: Node -> its entry on the tape.
        earlier: the Nodes that the preamble computes; read from its results when used.
        constants: those that were used, in the order of first use.
        factors: matrix -> its factorisation, shared by all systems with that matrix.
    """

    def __init__(self, inputs: int, constants: int) -> None:
        self.tape = Tape((inputs, constants))
        self.entry: dict[Node, int] = {}
        self.earlier: dict[Node, int] = {}
        self.constants: list[Node] = []
        self.factors: dict[tuple[int, ...], Factorisation | None] = {}

    def inputs(self, symbols: list[Node]) -> None:
        """Declare the inputs in order; those never read make no entry that costs anything."""
        for index, symbol in enumerate(symbols):
            self.entry[symbol] = self.tape.leaf("in", index)

    def blocks(self, blocks: Iterable[Block]) -> None:
        """Lower the blocks in order."""
        for block in blocks:
            if isinstance(block, Assign):
                self.entry[block.target] = self.value(block.expr)
            elif isinstance(block, Solve):
                self._solve(block)
            else:
                self._newton(block)

    def result(self, node: Node) -> int:
        """The entry of an output, ZERO for the number 0."""
        return ZERO if _is_zero(node) else self.value(node)

    def value(self, root: Node) -> int:
        """The entry of a Node, its operands first."""
        entry = self.entry
        stack = [root]
        while stack:
            node = stack[-1]
            if node in entry:
                stack.pop()
                continue
            waiting = [arg for arg in node.args if arg not in entry]
            if waiting:
                stack.extend(reversed(waiting))
                continue
            entry[node] = self._emit(node)
            stack.pop()
        return entry[root]

    def _emit(self, node: Node) -> int:
        name = node.op.name
        if name == "add":
            return self._sum(node)
        if name == "mul":
            return self._product(node)
        if name == "num":
            return self.tape.number(float(node.value))
        if name == "sym":
            return self._constant(node)
        operands = [self.entry[arg] for arg in node.args]
        if node.op.lookup is not None:
            return self.tape.look_up(node.op.lookup, *operands)
        return self.tape.emit(name, *operands)

    def _constant(self, symbol: Node) -> int:
        if symbol not in self.earlier:
            message = f"symbol '{symbol.name}' is used before any block assigns it"
            raise ValueError(message)
        self.constants.append(symbol)
        return self.tape.leaf("const", len(self.constants) - 1)

    def _sum(self, node: Node) -> int:
        tape = self.tape
        plus = node.value > 0 or any(c > 0 for c in node.coefs)
        terms = []
        for coef, arg in zip(node.coefs, node.args, strict=True):
            terms.append(self._term(coef, self.entry[arg], plus))
            plus = plus or coef != -1
        if node.value:
            terms.append(_split_sign(tape, node.value, plus))
        terms.sort(key=lambda term: tape.depth[term[0]])
        total = terms[0]
        for term in terms[1:]:
            total = _join(tape, total, term)
        return _settle(tape, total)

    def _term(self, coef: Number, entry: int, plus: bool) -> Signed:
        """coef * entry; its sign kept apart where the sum has a positive term to take it from."""
        if coef in (1, -1):
            return entry, int(coef)
        number, sign = _split_sign(self.tape, coef, plus)
        return self.tape.emit("mul", entry, number), sign

    def _product(self, node: Node) -> int:
        tape = self.tape
        above: list[int] = []
        below: list[int] = []
        for arg, power in zip(node.args, node.coefs, strict=True):
            (above if power > 0 else below).append(_power(tape, self.entry[arg], abs(power)))
        top = _chain(tape, above) if above else tape.number(1.0)
        return tape.emit("div", top, _chain(tape, below)) if below else top

    def _solve(self, block: Solve) -> None:
        """Factorise on the tape where that stays small; each matrix only once."""
        matrix = tuple(self.result(node) for node in block.matrix)
        rhs = tuple(self.result(node) for node in block.rhs)
        if block.symmetric:
            found = self._symmetric(matrix, rhs, (block.n, block.k))
        else:
            found = self._general(matrix, rhs, (block.n, block.k), stiff=block.stiff)
        self.entry.update(zip(block.targets, found, strict=True))

    def _symmetric(
        self, matrix: tuple[int, ...], rhs: tuple[int, ...], shape: tuple[int, int]
    ) -> list[int]:
        """The solution of a system with a symmetric matrix."""
        n, k = shape
        if matrix not in self.factors:
            rows = [list(matrix[i * n : i * n + i + 1]) for i in range(n)]
            self.factors[matrix] = factor(self.tape, rows) if fits(rows) else None
        factors = self.factors[matrix]
        if factors is None:
            return self.tape.parts(System(n, k, matrix, (), rhs))
        return self._substitute(factors, rhs, shape, k <= COLUMNS)

    def _general(
        self,
        matrix: tuple[int, ...],
        rhs: tuple[int, ...],
        shape: tuple[int, int],
        *,
        stiff: bool = False,
    ) -> list[int]:
        """The solution of a system with any matrix, block by block."""
        n, k = shape
        rows = [list(matrix[i * n : (i + 1) * n]) for i in range(n)]
        form = arrangement(rows)
        if form is None:
            return self.tape.parts(System(n, k, matrix, (), rhs))
        if not form.small:
            return self._by_blocks(rows, rhs, form, k, stiff=stiff)
        key = (*matrix, n, stiff)  # not the key of a symmetric matrix with the same entries
        if key not in self.factors:
            self.factors[key] = factor_general(self.tape, rows, form, stiff=stiff)
        factors = self.factors[key]
        assert factors is not None
        few = k <= COLUMNS or k * len(factors.steps) <= WRITTEN
        return self._substitute(factors, rhs, shape, few)

    def _substitute(
        self, factors: Factorisation, rhs: tuple[int, ...], shape: tuple[int, int], written: bool
    ) -> list[int]:
        """The solution of a factorised system, written out or in a loop over its columns."""
        n, k = shape
        if written:
            return substitute(self.tape, factors, rhs, k)
        return self.tape.parts(System(n, k, (), factors.steps, factors.arrange(rhs, k)))

    def _by_blocks(
        self, rows: list[list[int]], rhs: tuple[int, ...], form: Form, k: int, *, stiff: bool
    ) -> list[int]:
        """A system with a block that is too large to be written out."""
        if len(form.diagonal) == 1:
            matrix = tuple(entry for row in rows for entry in row)
            sparse = sparse_form(rows, form.order, k)
            return self.tape.parts(System(len(rows), k, matrix, (), rhs, sparse))
        found: dict[int, list[int]] = {}
        for block in form.diagonal:
            inner = tuple(rows[form.order[i]][j] for i in block for j in block)
            right: list[int] = []
            for row in (form.order[i] for i in block):
                values = list(rhs[row * k : (row + 1) * k])
                for j, known in found.items():
                    values = [
                        subtract_product(self.tape, value, rows[row][j], x)
                        for value, x in zip(values, known, strict=True)
                    ]
                right += values
            solved = self._general(inner, tuple(right), (len(block), k), stiff=stiff)
            for place, i in enumerate(block):
                found[i] = solved[place * k : (place + 1) * k]
        return [entry for i in range(len(rows)) for entry in found[i]]

    def _newton(self, block: Newton) -> None:
        """The step on a tape of its own; what it is given on this one."""
        start, given = (
            tuple(self.result(node) for node in part) for part in (block.start, block.given)
        )
        iteration = Iteration(start, given, _step(block), block.tolerance, block.limit)
        self.entry.update(zip(block.targets, self.tape.parts(iteration), strict=True))


def _step(block: Newton) -> Tape:
    """The tape of one iteration: v, then w -> h, then dv; what only J needs is left out."""
    wanted = iteration_outputs(block)
    program = dead(replace(block.step, outputs=wanted))
    rows = [row for name in ("v", "w") for row in program.inputs if row.name == name]
    lowering = _Lowering(sum(len(row.symbols) for row in rows), 0)
    lowering.inputs(_symbols(rows))
    lowering.blocks(program.blocks)
    lowering.tape.outputs = [lowering.result(node) for out in wanted for node in out.nodes]
    return lowering.tape


def _is_zero(node: Node) -> bool:
    return node.op.name == "num" and node.value == 0


def _join(tape: Tape, left: Signed, right: Signed) -> Signed:
    """The sum of two signed entries in one operation."""
    (x, sx), (y, sy) = left, right
    if sx == sy:
        return tape.emit("add", x, y), sx
    if sx > 0:
        return tape.emit("sub", x, y), 1
    return tape.emit("sub", y, x), 1


def _split_sign(tape: Tape, value: Number, apart: bool) -> Signed:
    """A number, its sign apart where wanted: c and -c then are one literal."""
    sign = -1 if value < 0 and apart else 1
    return tape.number(sign * float(value)), sign


def _settle(tape: Tape, signed: Signed) -> int:
    entry, sign = signed
    return entry if sign > 0 else tape.emit("neg", entry)


def _power(tape: Tape, base: int, power: int) -> int:
    """base**power by squaring and multiplying, from the highest binary digit of power down."""
    value = base
    for digit in bin(power)[3:]:
        value = tape.emit("mul", value, value)
        if digit == "1":
            value = tape.emit("mul", value, base)
    return value


def _chain(tape: Tape, factors: list[int]) -> int:
    """The product of the factors, the latest ones last."""
    factors.sort(key=lambda entry: tape.depth[entry])
    product = factors[0]
    for other in factors[1:]:
        product = tape.emit("mul", product, other)
    return product
