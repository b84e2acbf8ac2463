"""A Program as values that need each other: sums of two products, calls, systems of equations.

Every arithmetic value is y = (a*b + s*c*d)/e with s = +1 or -1, so that all of them, however they
are made up, are one kind of instruction on arrays.  A value has a level: the number of calls and
systems that must be done one after the other before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from kinetree.engine import ADD, MUL, NUM, SYM, Node, topological, use_counts
from kinetree.program.program import Assign, Block, Newton, Solve

FactorKey = tuple[int, int, int]
"""Sign and two values whose product is a term."""


@dataclass(frozen=True, slots=True)
class GraphValue:
    """How a value is found.

    Attributes:
        needs: the values that it is made of: a, b, c, d, e of arithmetic, arguments of a call.
        level: calls and systems before it.
        sign: s of arithmetic; 0 for everything else.
        node: of a call.
        system, place: of a component of the solution of a system.
    """

    needs: tuple[int, ...] = ()
    level: int = 0
    sign: int = 0
    node: Node | None = None
    system: int = -1
    place: int = 0


@dataclass(frozen=True, slots=True)
class GraphSystem:
    """A system of equations: the block, its operands as values, its level."""

    block: Solve | Newton
    needs: tuple[int, ...]
    level: int


@dataclass(slots=True)
class ValueGraph:
    """Values by number; the first ones are numbers and inputs, which nothing has to be done for.

    Attributes:
        values: in an order in which every value comes after those that it needs.
        numbers: number -> its value.
        inputs: the values of all inputs in order.
        found: Node -> its value.
        systems: in order.
    """

    values: list[GraphValue] = field(default_factory=list)
    numbers: dict[float, int] = field(default_factory=dict)
    inputs: list[int] = field(default_factory=list)
    found: dict[Node, int] = field(default_factory=dict)
    systems: list[GraphSystem] = field(default_factory=list)
    folded: set[Node] = field(default_factory=set)

    def number(self, value: float) -> int:
        """The value of a constant, one for all that are equal."""
        if value not in self.numbers:
            self.numbers[value] = self._new(GraphValue())
        return self.numbers[value]

    def read(self, symbols: Iterable[Node]) -> None:
        """Inputs."""
        for symbol in symbols:
            self.found[symbol] = self._new(GraphValue())
            self.inputs.append(self.found[symbol])

    def add(self, blocks: Sequence[Block], results: Sequence[Node]) -> None:
        """All that some results need; products in one sum alone become part of it."""
        roots = [node for block in blocks for node in block.operands] + list(results)
        uses, asked = use_counts(roots), Counter(roots)
        self.folded = {
            arg
            for node in topological(roots)
            if node.op is ADD
            for arg in node.args
            if arg.op is MUL and uses[arg] == 1 and not asked[arg] and min(arg.coefs) > 0
        }
        seen: set[Node] = set()
        for block in blocks:
            self._nodes(block.operands, seen)
            if isinstance(block, Assign):
                self.found[block.target] = self.of(block.expr)
            else:
                self._system(block)
        self._nodes(results, seen)

    def of(self, node: Node) -> int:
        """The value of a Node."""
        if node not in self.found:
            self.found[node] = self._make(node)
        return self.found[node]

    def _nodes(self, roots: Iterable[Node], seen: set[Node]) -> None:
        for node in topological(roots, seen):
            if node.op is not SYM and node not in self.folded:
                self.of(node)

    def _new(self, value: GraphValue) -> int:
        self.values.append(value)
        return len(self.values) - 1

    def _level(self, needs: Iterable[int]) -> int:
        return max((self.values[i].level for i in needs), default=0)

    def _system(self, block: Solve | Newton) -> None:
        needs = tuple(self.of(node) for node in block.operands)
        level = self._level(needs) + 1
        for place, target in enumerate(block.targets):
            value = GraphValue(level=level, system=len(self.systems), place=place)
            self.found[target] = self._new(value)
        self.systems.append(GraphSystem(block, needs, level))

    def _make(self, node: Node) -> int:
        if node.op is NUM:
            return self.number(float(node.value))
        if node.op is ADD:
            return self._sum(node)
        if node.op is MUL:
            return self._quotient(node)
        needs = tuple(self.of(arg) for arg in node.args)
        return self._new(GraphValue(needs, self._level(needs) + 1, node=node))

    def _instruction(self, first: FactorKey, second: FactorKey, below: int | None = None) -> int:
        """(a*b + s*c*d)/e; a minus of the first term is not looked at."""
        sign = 1 if first[0] == second[0] else -1
        over = self.number(1.0) if below is None else below
        needs = (*first[1:], *second[1:], over)
        return self._new(GraphValue(needs, self._level(needs), sign))

    def _nothing(self) -> FactorKey:
        zero = self.number(0.0)
        return 1, zero, zero

    # --- sums ----------------------------------------------------------------------------------

    def _sum(self, node: Node) -> int:
        terms = [self._term(c, a) for c, a in zip(node.coefs, node.args, strict=True)]
        if node.value:
            constant = float(node.value)
            sign = 1 if constant > 0 else -1
            terms.append((sign, self.number(abs(constant)), self.number(1.0)))
        while len(terms) > 1:
            terms.sort(key=lambda term: self._level(term[1:]))
            pairs = [terms[i : i + 2] for i in range(0, len(terms), 2)]
            terms = [self._pair(*pair) if len(pair) > 1 else pair[0] for pair in pairs]
        (sign, a, b) = terms[0]
        one = self.number(1.0)
        if sign > 0 and one in (a, b):
            return a if b == one else b
        return self._instruction(self._nothing(), (sign, a, b))

    def _pair(self, first: FactorKey, second: FactorKey) -> FactorKey:
        """The sum of two terms as a term; a positive one first."""
        if first[0] < second[0]:
            first, second = second, first
        return first[0], self._instruction(first, second), self.number(1.0)

    def _term(self, coefficient: float, node: Node) -> FactorKey:
        sign, size = (1 if coefficient > 0 else -1), abs(float(coefficient))
        if node in self.folded:
            factors = self._factors(node, 1)
            if size != 1:
                factors.append(self.number(size))
            a, b = self._two(factors)
            return sign, a, b
        return sign, self.of(node), self.number(size)

    # --- products ------------------------------------------------------------------------------

    def _factors(self, node: Node, way: int) -> list[int]:
        """The factors above (way = 1) or below (way = -1) the bar."""
        found: list[int] = []
        for arg, power in zip(node.args, node.coefs, strict=True):
            if power * way > 0:
                found += self._powers(self.of(arg), abs(int(power)))
        return found

    def _powers(self, value: int, power: int) -> list[int]:
        """Factors that make up a power, squares of squares among them."""
        found = []
        while power:
            if power % 2:
                found.append(value)
            power //= 2
            if power:
                value = self._product(value, value)
        return found

    def _product(self, a: int, b: int) -> int:
        return self._instruction((1, a, b), self._nothing())

    def _two(self, factors: list[int]) -> tuple[int, int]:
        """Two values with the product of all."""
        factors = factors or [self.number(1.0)]
        while len(factors) > 2:
            factors.sort(key=lambda i: self._level((i,)))
            pairs = [factors[i : i + 2] for i in range(0, len(factors), 2)]
            factors = [self._product(*pair) if len(pair) > 1 else pair[0] for pair in pairs]
        return factors[0], factors[1] if len(factors) > 1 else self.number(1.0)

    def _quotient(self, node: Node) -> int:
        above, below = (self._two(self._factors(node, way)) for way in (1, -1))
        one = self.number(1.0)
        under = below[0] if below[1] == one else self._product(*below)
        return self._instruction((1, *above), self._nothing(), under)
