"""Hoisting: what depends on parameters alone is evaluated once per parameter set, in the preamble.

Whole equations move; of the others, parameter factors of a product, parameter terms of a sum and
numeric coefficients of parameter products are cut out and named.
"""

from __future__ import annotations

from dataclasses import replace

from kinetree.engine import ADD, MUL, NUM, SYM, Node, Rank, fold, split_coefficient, symbol
from kinetree.engine.node import Number, intern_product, sum_of
from kinetree.program.program import Assign, Block, Note, Program
from kinetree.program.rewrite import map_block, map_outputs, same_form, taken_names

STEM = "P"
UNITS = {1, -1}


def hoist(program: Program) -> Program:
    """The Program with its parameter-only part in the preamble."""
    rows = [row for row in program.inputs if row.parameter]
    if not rows:
        return program
    state = _Hoist(program)
    blocks: list[Block] = []
    for block in program.blocks:
        new = map_block(block, state.change)
        if isinstance(new, Assign) and state.is_fixed(new.expr):
            state.move(new)
        else:
            blocks.append(new)
    outputs = map_outputs(program, state.outputs)
    return replace(
        program,
        preamble=(*program.preamble, *state.preamble),
        blocks=tuple(blocks),
        outputs=outputs,
    )


class _Hoist:
    """What is fixed by parameters, and the preamble being written."""

    def __init__(self, program: Program) -> None:
        self.fixed: set[Node] = {s for row in program.inputs if row.parameter for s in row.symbols}
        self.fixed |= {t for block in program.preamble for t in block.targets}
        self.taken = taken_names(program)
        self.new: dict[Node, Node] = {}
        self.names: dict[Node, Node] = {}
        self.preamble: list[Block] = []

    def is_fixed(self, node: Node) -> bool:
        return node in self.fixed

    def move(self, block: Assign) -> None:
        """An equation of parameters alone goes to the preamble under its own name."""
        known = self.names.get(block.expr)
        if known is None:
            self.names[block.expr] = block.target
            self.preamble.append(block)
        else:
            self.new[block.target] = known
        self.fixed.add(block.target)

    def name(self, node: Node) -> Node:
        """A preamble name for a fixed expression; itself where it is a number or a name."""
        if node.op is SYM or node.op is NUM:
            return node
        if node.op is ADD and len(node.args) == 1 and node.value == 0 and node.coefs[0] == -1:
            return sum_of(0, {self.name(node.args[0]): -1})
        known = self.names.get(node)
        if known is None:
            known = symbol(self._fresh(), Rank.PARAMETER)
            self.names[node] = known
            self.fixed.add(known)
            self.preamble.append(Assign(known, node, Note(step="parameters alone")))
        return known

    def _fresh(self) -> str:
        k = len(self.preamble) + 1
        while f"{STEM}{k}" in self.taken:
            k += 1
        self.taken.add(f"{STEM}{k}")
        return f"{STEM}{k}"

    def outputs(self, node: Node) -> Node:
        node = self.change(node)
        return self.name(node) if self.is_fixed(node) else node

    def change(self, root: Node) -> Node:
        return fold(root, self.new, self._change)

    def _change(self, node: Node) -> Node:
        if node.op is SYM or node.op is NUM:
            if node.op is NUM:
                self.fixed.add(node)
            return node
        args = [self.new[a] for a in node.args]
        if self.fixed.isdisjoint(args) and (node.op is not ADD or UNITS.issuperset(node.coefs)):
            return same_form(node, args)
        if self.fixed.issuperset(args):
            done = same_form(node, args)
            self.fixed.add(done)
            return done
        if node.op is ADD:
            return self._sum(node, args)
        if node.op is MUL:
            return self._product(node, args)
        return same_form(node, [self.name(a) if a in self.fixed else a for a in args])

    def _sum(self, node: Node, args: list[Node]) -> Node:
        still: dict[Node, Number] = {}
        moving: dict[Node, Number] = {}
        for arg, coef in zip(args, node.coefs, strict=True):
            if arg in self.fixed:
                still[arg] = still.get(arg, 0) + coef
            else:
                term, c = self._scale(arg, coef)
                moving[term] = moving.get(term, 0) + c
        moving = {a: c for a, c in moving.items() if c != 0}
        if not still:
            return sum_of(node.value, moving)
        constant = self.name(sum_of(node.value, {a: c for a, c in still.items() if c != 0}))
        if constant.op is NUM:
            return sum_of(constant.value, moving)
        sign, named = split_coefficient(constant)
        return sum_of(0, {**moving, named: sign})

    def _scale(self, term: Node, coef: Number) -> tuple[Node, Number]:
        """coef·term with the coefficient merged into the term's parameter factor, if it has one."""
        if abs(coef) == 1 or term.op is not MUL:
            return term, coef
        for arg, exp in zip(term.args, term.coefs, strict=True):
            if exp == 1 and arg in self.fixed:
                size, sign = (coef, 1) if coef > 0 else (-coef, -1)
                factor = self.name(sum_of(0, {arg: size}))
                powers = dict(zip(term.args, term.coefs, strict=True))
                del powers[arg]
                powers[factor] = powers.get(factor, 0) + 1
                return intern_product(powers), sign
        return term, coef

    def _product(self, node: Node, args: list[Node]) -> Node:
        still: dict[Node, int] = {}
        moving: dict[Node, int] = {}
        for arg, exp in zip(args, node.coefs, strict=True):
            group = still if arg in self.fixed else moving
            group[arg] = group.get(arg, 0) + exp
        factor = intern_product(still)
        self.fixed.add(factor)
        named = self.name(factor)
        moving[named] = moving.get(named, 0) + 1
        return intern_product(moving)
