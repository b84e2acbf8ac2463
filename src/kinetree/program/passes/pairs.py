"""Pairs of operands that stand together in several products or sums become one name.

Greedy: the pair with most uses first, until no pair is used twice.  In sums a pair counts up to a
common sign: a - b and b - a are one.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from heapq import heapify, heappop, heappush

from kinetree.engine import ADD, MUL, Node, Rank, symbol, topological
from kinetree.engine.node import collected, intern_product
from kinetree.program.program import Assign, Block, Note, Program
from kinetree.program.rewrite import map_block, map_outputs, same_form

LONGEST = 40
"""Operands up to which a sum or product takes part."""

Pair = tuple[Node, Node, int]
"""Two operands in normal order and, for a sum, their relative sign; 0 for a product."""


def extract_pairs(program: Program) -> Program:
    """The Program with common pairs of operands named."""
    if program.preamble:
        program = replace(program, preamble=_extract(program, program.preamble, "v")[0])
    blocks, change = _extract(program, program.blocks, "u", outputs=True)
    return replace(program, blocks=blocks, outputs=map_outputs(program, change))


def _extract(
    program: Program, blocks: tuple[Block, ...], stem: str, *, outputs: bool = False
) -> tuple[tuple[Block, ...], Change]:
    roots = [x for b in blocks for x in b.operands]
    if outputs:
        roots += [x for out in program.outputs for x in out.nodes]
    table = _Pairs([x for x in topological(roots) if x.op is ADD or x.op is MUL])
    table.run(_Names(program, stem))
    change = Change(table)
    done: list[Block] = []
    for block in blocks:
        new = map_block(block, change)
        done += change.ahead()
        done.append(new)
    return tuple(done), change


class _Names:
    def __init__(self, program: Program, stem: str) -> None:
        self.taken = {t.name for b in (*program.preamble, *program.blocks) for t in b.targets}
        self.taken |= {s.name for row in program.inputs for s in row.symbols}
        self.stem, self.k = stem, 0

    def fresh(self) -> Node:
        self.k += 1
        while f"{self.stem}{self.k}" in self.taken:
            self.k += 1
        return symbol(f"{self.stem}{self.k}", Rank.LOCAL)


class _Pairs:
    """Operands of every sum and product, and where each pair of them stands."""

    def __init__(self, nodes: list[Node]) -> None:
        self.operands: dict[Node, dict[Node, int]] = {}
        self.where: defaultdict[Pair, set[Node]] = defaultdict(set)
        self.made: dict[Node, Pair] = {}
        self.changed: set[Node] = set()
        for node in nodes:
            units = _units(node)
            if 2 <= len(units) <= LONGEST:
                self.operands[node] = units
                self._enter(node, list(units))

    def _enter(self, node: Node, atoms: list[Node]) -> None:
        units = self.operands[node]
        for i, a in enumerate(atoms):
            for b in atoms[i + 1 :]:
                self.where[_pair(node, a, b, units)].add(node)

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
        for node in sorted(self.where[pair], key=lambda x: x.key):
            units = self.operands[node]
            for other in units:
                if other is not a and other is not b:
                    self.where[_pair(node, a, other, units)].discard(node)
                    self.where[_pair(node, b, other, units)].discard(node)
            sign = units[a]
            del units[a], units[b]
            units[name] = sign
            self.changed.add(node)
            for other in units:
                if other is not name:
                    new = _pair(node, name, other, units)
                    self.where[new].add(node)
                    touched.add(new)
        del self.where[pair]
        return touched


def _units(node: Node) -> dict[Node, int]:
    """Operands that can pair: plain factors of a product, terms with coefficient ±1 of a sum."""
    size = 1 if node.op is MUL else None
    return {
        a: c
        for a, c in zip(node.args, node.coefs, strict=True)
        if (c == size if size else abs(c) == 1)
    }


def _pair(node: Node, a: Node, b: Node, units: dict[Node, int]) -> Pair:
    if b.key < a.key:
        a, b = b, a
    return (a, b, 0) if node.op is MUL else (a, b, units[a] * units[b])


def _order(pair: Pair) -> tuple[object, ...]:
    return (pair[0].key, pair[1].key, pair[2])


class Change:
    """The rewriting that names the extracted pairs, each before its first use."""

    def __init__(self, table: _Pairs) -> None:
        self.table = table
        self.new: dict[Node, Node] = {}
        self.pending: list[Block] = []
        self.defined: set[Node] = set()

    def ahead(self) -> list[Block]:
        """Names that became due since the last call."""
        due, self.pending = self.pending, []
        return due

    def __call__(self, root: Node) -> Node:
        for node in topological((root,)):
            if node not in self.new:
                self.new[node] = self._changed(node)
        return self.new[root]

    def _changed(self, node: Node) -> Node:
        if node not in self.table.changed:
            return same_form(node, [self.new[a] for a in node.args])
        units = self.table.operands[node]
        original = _units(node)
        rest = [(a, c) for a, c in zip(node.args, node.coefs, strict=True) if a not in original]
        for name in units:
            self._define(name)
        parts = [(self.new.get(a, a), c) for a, c in (*units.items(), *rest)]
        return _rebuilt(node, parts)

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
            expr = intern_product({a: 1, b: 1}) if pair[2] == 0 else collected(0, {a: 1, b: pair[2]})
            self.pending.append(Assign(top, expr, Note(step="shared")))


def _rebuilt(node: Node, parts: list[tuple[Node, int]]) -> Node:
    total: dict[Node, int] = {}
    for part, weight in parts:
        total[part] = total.get(part, 0) + weight
    kept = {a: c for a, c in total.items() if c != 0}
    return intern_product(kept) if node.op is MUL else collected(node.value, kept)
