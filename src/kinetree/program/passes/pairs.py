"""Pairs of operands that stand together in several products or sums become one name.

Greedy: the pair with most uses first, until no pair is used twice.  In sums a pair counts up to a
common sign: a - b and b - a are one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container
from dataclasses import replace
from heapq import heapify, heappop, heappush

from kinetree.engine import ADD, MUL, Node, Op, Rank, fold, symbol, topological
from kinetree.engine.node import collected, intern_product
from kinetree.program.program import Assign, Block, Note, Program
from kinetree.program.rewrite import map_block, map_outputs, merged, same_form, taken_names

LONGEST = 40
"""Operands up to which a sum or product takes part."""

Pair = tuple[Node, Node, int]
"""Two operands in normal order and, for a sum, their relative sign; 0 for a product."""


def extract_pairs(program: Program) -> Program:
    """The Program with common pairs of operands named."""
    if program.preamble:
        program = replace(program, preamble=_extract(program, program.preamble, "v")[0])
    blocks, change = _extract(program, program.blocks, "u", outputs=True)
    outputs = map_outputs(program, change)
    return replace(program, blocks=(*blocks, *change.ahead()), outputs=outputs)


def _extract(
    program: Program, blocks: tuple[Block, ...], stem: str, *, outputs: bool = False
) -> tuple[tuple[Block, ...], Change]:
    roots = [x for b in blocks for x in b.operands]
    if outputs:
        roots += [x for out in program.outputs for x in out.nodes]
    nodes = [x for x in topological(roots) if x.args]
    table = _Pairs([x for x in nodes if x.op is ADD or x.op is MUL])
    table.run(_Names(program, stem))
    change = Change(table, _above(table.consumed, nodes))
    done: list[Block] = []
    for block in blocks:
        new = map_block(block, change)
        done += change.ahead()
        done.append(new)
    return tuple(done), change


def _above(changed: Container[Node], nodes: list[Node]) -> set[Node]:
    """The changed ones among the Nodes, and every Node that holds one."""
    above: set[Node] = set()
    for node in nodes:
        if node in changed or not above.isdisjoint(node.args):
            above.add(node)
    return above


class _Names:
    def __init__(self, program: Program, stem: str) -> None:
        self.taken = taken_names(program)
        self.stem, self.k = stem, 0

    def fresh(self) -> Node:
        self.k += 1
        while f"{self.stem}{self.k}" in self.taken:
            self.k += 1
        return symbol(f"{self.stem}{self.k}", Rank.LOCAL)


class _Pairs:
    """Operands of every sum and product, and where each pair of them stands.

    An operand that stands in one sum (or product) only is left aside: no pair with it is common.
    """

    def __init__(self, nodes: list[Node]) -> None:
        self.operands: dict[Node, dict[Node, int]] = {}
        self.where: defaultdict[Pair, set[Node]] = defaultdict(set)
        self.made: dict[Node, Pair] = {}
        self.consumed: defaultdict[Node, set[Node]] = defaultdict(set)
        often = _often(nodes)
        for node in nodes:
            uses = often[node.op]
            common = {a: c for a, c in _units(node) if uses[a] > 1}
            if 1 < len(common) <= LONGEST:
                self.operands[node] = common
                self._enter(node, list(common.items()))

    def _enter(self, node: Node, units: list[tuple[Node, int]]) -> None:
        """The operands stand in normal order, and so do those of a pair."""
        where, is_sum = self.where, node.op is ADD
        for i, (a, sign) in enumerate(units):
            for b, other in units[i + 1 :]:
                where[a, b, sign * other if is_sum else 0].add(node)

    def run(self, names: _Names) -> None:
        heap = [(-len(at), _order(pair), pair) for pair, at in self.where.items() if len(at) > 1]
        heapify(heap)
        while heap:
            uses, order, pair = heappop(heap)
            actual = len(self.where[pair])
            if actual < 2:
                continue
            if -uses != actual:
                heappush(heap, (-actual, order, pair))
                continue
            for touched in self._replace(pair, names.fresh()):
                if len(self.where[touched]) > 1:
                    heappush(heap, (-len(self.where[touched]), _order(touched), touched))

    def _replace(self, pair: Pair, name: Node) -> set[Pair]:
        a, b, _ = pair
        self.made[name] = pair
        touched: set[Pair] = set()
        for node in self.where.pop(pair):
            units = self.operands[node]
            for other in units:
                if other is not a and other is not b:
                    self.where[_pair(node, a, other, units)].discard(node)
                    self.where[_pair(node, b, other, units)].discard(node)
            sign = units[a]
            del units[a], units[b]
            units[name] = sign
            self.consumed[node].update((a, b))
            for other in units:
                if other is not name:
                    new = _pair(node, name, other, units)
                    self.where[new].add(node)
                    touched.add(new)
        return touched


def _often(nodes: list[Node]) -> dict[Op, dict[Node, int]]:
    """How many sums, and how many products, each operand stands in."""
    often: dict[Op, dict[Node, int]] = {ADD: {}, MUL: {}}
    for node in nodes:
        uses = often[node.op]
        for arg in node.args:
            uses[arg] = uses[arg] + 1 if arg in uses else 1
    return often


def _units(node: Node) -> list[tuple[Node, int]]:
    """Operands that can pair: plain factors of a product, terms with coefficient ±1 of a sum."""
    least = 1 if node.op is MUL else -1
    rows = zip(node.args, node.coefs, strict=True)
    return [row for row in rows if row[1] == 1 or row[1] == least]


def _pair(node: Node, a: Node, b: Node, units: dict[Node, int]) -> Pair:
    if b.key < a.key:
        a, b = b, a
    return (a, b, 0) if node.op is MUL else (a, b, units[a] * units[b])


def _order(pair: Pair) -> tuple[object, ...]:
    return (pair[0].key, pair[1].key, pair[2])


class Change:
    """The rewriting that names the extracted pairs, each before its first use."""

    def __init__(self, table: _Pairs, touched: set[Node]) -> None:
        self.table = table
        self.touched = touched
        self.new: dict[Node, Node] = {}
        self.pending: list[Block] = []
        self.defined: set[Node] = set()

    def ahead(self) -> list[Block]:
        """Names that became due since the last call."""
        due, self.pending = self.pending, []
        return due

    def __call__(self, root: Node) -> Node:
        """The expression with pairs named."""
        return fold(root, self.new, self._changed) if root in self.touched else root

    def _changed(self, node: Node) -> Node:
        gone = self.table.consumed.get(node)
        if gone is None:
            return same_form(node, [self.new[a] for a in node.args])
        rows = zip(node.args, node.coefs, strict=True)
        kept = [(self.new[a], c) for a, c in rows if a not in gone]
        made = [(a, c) for a, c in self.table.operands[node].items() if a in self.table.made]
        for name, _ in made:
            self._define(name)
        args, weights = zip(*kept, *made, strict=True)
        total = merged(args, weights)
        return intern_product(total) if node.op is MUL else collected(node.value, total)

    def _define(self, name: Node) -> None:
        stack = [name]
        while stack:
            top = stack[-1]
            pair = self.table.made.get(top)
            if pair is None or top in self.defined:
                stack.pop()
                continue
            missing = [x for x in pair[:2] if x in self.table.made and x not in self.defined]
            if missing:
                stack += missing
                continue
            stack.pop()
            self.defined.add(top)
            a, b = (self.new.get(x, x) for x in pair[:2])
            if pair[2]:
                expr = collected(0, merged((a, b), (1, pair[2])))
            else:
                expr = intern_product(merged((a, b), (1, 1)))
            self.pending.append(Assign(top, expr, Note(step="shared")))
