"""A Program as a list of statements to be, cut into parts that a compiler takes quickly.

Time and memory of a compiler grow faster than linearly with the length of a function, so a long
list is cut; what one part defines and another reads lives in a structure, the rest stays local.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from kinetree.engine import NUM, SYM, Node, topological, use_counts
from kinetree.program.program import Assign, Block, Newton, Note, Solve

WHOLE = 2000
"""Operations up to which a function stays in one piece."""
PART = 1600
"""Operations per part otherwise."""
DEEPEST = 64
"""Operations inside one another that stand in one expression; compilers and interpreters give up
at some two hundred brackets."""


@dataclass(frozen=True, slots=True)
class LetStatement:
    """key = expr; the key is a symbol, or the expression itself where it is shared unnamed.

    Attributes:
        key: what is defined.
        expr: what it is.
        note: where it comes from.
        deep: whether it stands alone only because what it stands in would be nested too deeply.
    """

    key: Node
    expr: Node
    note: Note = field(default_factory=Note)
    deep: bool = False

    @property
    def roots(self) -> tuple[Node, ...]:
        """The expressions that it evaluates."""
        return (self.expr,)

    @property
    def keys(self) -> tuple[Node, ...]:
        """What it defines."""
        return (self.key,)


@dataclass(frozen=True, slots=True)
class SystemStatement:
    """A system of equations, linear or not."""

    block: Solve | Newton

    @property
    def roots(self) -> tuple[Node, ...]:
        """The expressions that it evaluates."""
        return self.block.operands

    @property
    def keys(self) -> tuple[Node, ...]:
        """What it defines."""
        return self.block.targets


@dataclass(frozen=True, slots=True)
class Out:
    """array[position] = expr, or c->field = expr."""

    place: str
    expr: Node
    label: str = ""

    @property
    def roots(self) -> tuple[Node, ...]:
        """The expressions that it evaluates."""
        return (self.expr,)

    @property
    def keys(self) -> tuple[Node, ...]:
        """It defines nothing that is read."""
        return ()


Statement = LetStatement | SystemStatement | Out


def statements(blocks: Iterable[Block], results: Iterable[Out]) -> list[Statement]:
    """Blocks and results in order; shared expressions without a name come before their use.

    So do parts of expressions that would be nested too deeply.
    """
    plain: list[Statement] = [
        LetStatement(b.target, b.expr, b.note) if isinstance(b, Assign) else SystemStatement(b)
        for b in blocks
    ]
    plain += results
    uses = use_counts([root for row in plain for root in row.roots])
    named = {row.expr for row in plain if isinstance(row, LetStatement)}
    levels: dict[Node, int] = {}
    seen: set[Node] = set()
    done: list[Statement] = []
    for row in plain:
        for node in topological(row.roots, seen):
            if node.op is NUM or node.op is SYM:
                continue
            level = 1 + max(levels.get(arg, 0) for arg in node.args)
            shared = uses[node] > 1 and node not in named
            if shared or level > DEEPEST:
                done.append(LetStatement(node, node, deep=not shared))
                level = 0
            levels[node] = level
        done.append(row)
        if isinstance(row, LetStatement):
            levels[row.expr] = 0
    return done


def is_turn(first: Node, second: Node) -> bool:
    """Whether these are the sine and the cosine of one angle."""
    return first.op.name == "sin" and second.op.name == "cos" and first.args == second.args


def deep_keys(rows: Iterable[Statement]) -> set[Node]:
    """What stands alone only because of its depth."""
    return {row.key for row in rows if isinstance(row, LetStatement) and row.deep}


def reached_nodes(row: Statement, apart: set[Node]) -> Iterator[Node]:
    """The Nodes of a statement; of those that stand `apart` nothing but themselves."""
    seen: set[Node] = set()
    stack = list(row.roots)
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        yield node
        if node not in apart or node in row.keys:
            stack += node.args


def cost(row: Statement, apart: set[Node]) -> int:
    """Rough size of a statement, without what stands `apart`."""
    own = [n for n in reached_nodes(row, apart) if n not in apart or n in row.keys]
    return max(1, sum(len(node.args) for node in own))


def cut(rows: list[Statement]) -> list[list[Statement]]:
    """Parts of bounded size; one part where everything is small."""
    apart = deep_keys(rows)
    costs = [cost(row, apart) for row in rows]
    if sum(costs) <= WHOLE:
        return [rows]
    parts: list[list[Statement]] = [[]]
    size = 0
    for row, price in zip(rows, costs, strict=True):
        if size + price > PART and parts[-1]:
            parts.append([])
            size = 0
        parts[-1].append(row)
        size += price
    return parts


def crossing(parts: list[list[Statement]]) -> set[Node]:
    """Keys that another part reads than the one that defines them."""
    home = {key: i for i, part in enumerate(parts) for row in part for key in row.keys}
    aliases = {row.expr: row.key for part in parts for row in part if isinstance(row, LetStatement)}
    stop = set(home)
    apart = deep_keys(row for part in parts for row in part)
    found: set[Node] = set()
    for number, part in enumerate(parts):
        for row in part:
            for node in reached_nodes(row, apart):
                key = node if node in stop else aliases.get(node)
                if key is not None and home[key] != number:
                    found.add(key)
    return found
