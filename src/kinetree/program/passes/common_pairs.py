"""Pairs of operands that stand together in several products or sums become one name.

Greedy: the pair with most uses first, until no pair is used twice.  In sums a pair counts up to a
common sign: a - b and b - a are one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from heapq import heapify, heappop, heappush
from itertools import chain

from kinetree.engine import ADD, MUL, Node, Rank, compounds, fold, symbol
from kinetree.engine.node import intern_product, sum_of
from kinetree.program.program import Assign, Block, Note, Program
from kinetree.program.rewrite import above, map_block, map_outputs, merge, same_form, taken_names

LONGEST = 40
"""Operands up to which a sum or product takes part."""

OperandPair = tuple[Node, Node, int]
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
    nodes = compounds(roots)
    table = _Pairs([x for x in nodes if x.op is ADD or x.op is MUL])
    table.run(_Names(program, stem))
    change = Change(table, above(table.consumed, nodes))
    done: list[Block] = []
    for block in blocks:
        new = map_block(block, change)
        done += change.ahead()
        done.append(new)
    return tuple(done), change


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

    Operands that can pair are plain factors of a product and terms of a sum with coefficient ±1.
    Operands that occur in a single sum or product are skipped: no pair with them can recur.
    """

    def __init__(self, nodes: list[Node]) -> None:
        self.operands: dict[Node, dict[Node, int]] = {}
        self.made: dict[Node, OperandPair] = {}
        self.consumed: defaultdict[Node, set[Node]] = defaultdict(set)
        self.where: dict[OperandPair, set[Node]] = {}
        self._first: dict[OperandPair, Node] = {}
        for op, least in ((ADD, -1), (MUL, 1)):
            self._fill([node for node in nodes if node.op is op and len(node.args) > 1], least)
        self._first.clear()

    def _fill(self, group: list[Node], least: int) -> None:
        """Enter all sums, or all products; `least` is the other coefficient besides 1."""
        uses = Counter(chain.from_iterable([node.args for node in group]))
        often = {arg for arg, n in uses.items() if n > 1}
        whole: list[tuple[Node, list[tuple[Node, int]]]] = []
        for node in group:
            rows = zip(node.args, node.coefs, strict=True)
            common = [row for row in rows if row[0] in often and row[1] in (1, least)]
            if node.coefs == (1, 1) and node.value in (0, 1):
                whole.append((node, common))
            elif 1 < len(common) <= LONGEST:
                self._enter(node, common)
        for node, common in whole:  # these are all different: none shares its pair with another
            if len(common) == 2 and self._is_known(node):
                self._enter(node, common)

    def _is_known(self, node: Node) -> bool:
        """Whether the pair that is all of a Node stands in another too."""
        pair = (*node.args, 1 if node.op is ADD else 0)
        return pair in self._first or pair in self.where

    def _enter(self, node: Node, units: list[tuple[Node, int]]) -> None:
        """The operands stand in normal order, and so do those of a pair."""
        self.operands[node] = dict(units)
        where, first, is_sum = self.where, self._first, node.op is ADD
        for i, (a, sign) in enumerate(units):
            for b, other in units[i + 1 :]:
                pair = (a, b, sign * other if is_sum else 0)
                if pair in where:
                    where[pair].add(node)
                elif pair in first:
                    where[pair] = {first[pair], node}
                else:
                    first[pair] = node

    def run(self, names: _Names) -> None:
        """Name pairs, the one with most uses first, until none is used twice."""
        heap = [(-len(at), _order(pair), pair) for pair, at in self.where.items()]
        heapify(heap)
        while heap:
            uses, order, pair = heappop(heap)
            actual = len(self.where.get(pair, ()))
            if actual < 2:
                continue
            if -uses != actual:
                heappush(heap, (-actual, order, pair))
                continue
            for touched, at in self._replace(pair, names.fresh()).items():
                if len(at) > 1:
                    self.where[touched] = at
                    heappush(heap, (-len(at), _order(touched), touched))

    def _replace(self, pair: OperandPair, name: Node) -> dict[OperandPair, set[Node]]:
        """Put the name in place of a pair; the pairs with that name, and where they stand."""
        a, b, _ = pair
        self.made[name] = pair
        touched: dict[OperandPair, set[Node]] = {}
        for node in self.where.pop(pair):
            units = self.operands[node]
            for other in units:
                if other is not a and other is not b:
                    self._leave(_pair(node, a, other, units), node)
                    self._leave(_pair(node, b, other, units), node)
            sign = units[a]
            del units[a], units[b]
            units[name] = sign
            self.consumed[node].update((a, b))
            for other in units:
                if other is not name:
                    touched.setdefault(_pair(node, name, other, units), set()).add(node)
        return touched

    def _leave(self, pair: OperandPair, node: Node) -> None:
        if pair in self.where:
            self.where[pair].discard(node)


def _pair(node: Node, a: Node, b: Node, units: dict[Node, int]) -> OperandPair:
    if b.key < a.key:
        a, b = b, a
    return (a, b, 0) if node.op is MUL else (a, b, units[a] * units[b])


def _order(pair: OperandPair) -> tuple[object, ...]:
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
        return fold(root, self.new, self._change) if root in self.touched else root

    def _change(self, node: Node) -> Node:
        gone = self.table.consumed.get(node)
        if gone is None:
            return same_form(node, [self.new[a] for a in node.args])
        rows = zip(node.args, node.coefs, strict=True)
        kept = [(self.new[a], c) for a, c in rows if a not in gone]
        made = [(a, c) for a, c in self.table.operands[node].items() if a in self.table.made]
        for name, _ in made:
            self._define(name)
        args, weights = zip(*kept, *made, strict=True)
        total = merge(args, weights)
        return intern_product(total) if node.op is MUL else sum_of(node.value, total)

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
                expr = sum_of(0, merge((a, b), (1, pair[2])))
            else:
                expr = intern_product(merge((a, b), (1, 1)))
            self.pending.append(Assign(top, expr, Note(step="shared")))
