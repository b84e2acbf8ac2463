"""A Program as a list of statements to be, cut into parts that a compiler takes quickly.

Time and memory of a compiler grow faster than linearly with the length of a function, so a long
list is cut; what one part defines and another reads lives in a structure, the rest stays local.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kinetree.engine import NUM, SYM, topological, use_counts
from kinetree.program.program import Assign, Newton, Note, Solve

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kinetree.engine import Node
    from kinetree.program.program import Block

WHOLE = 2000
"""Operations up to which a function stays in one piece."""
PART = 1600
"""Operations per part otherwise."""


@dataclass(frozen=True, slots=True)
class Let:
    """key = expr; the key is a symbol, or the expression itself where it is shared unnamed."""

    key: Node
    expr: Node
    note: Note = field(default_factory=Note)

    @property
    def roots(self) -> tuple[Node, ...]:
        """The expressions that it evaluates."""
        return (self.expr,)

    @property
    def keys(self) -> tuple[Node, ...]:
        """What it defines."""
        return (self.key,)


@dataclass(frozen=True, slots=True)
class System:
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


Statement = Let | System | Out


def statements(blocks: Iterable[Block], results: Iterable[Out]) -> list[Statement]:
    """Blocks and results in order; shared expressions without a name come before their use."""
    plain: list[Statement] = [
        Let(b.target, b.expr, b.note) if isinstance(b, Assign) else System(b) for b in blocks
    ]
    plain += results
    uses = use_counts([root for row in plain for root in row.roots])
    named = {row.expr for row in plain if isinstance(row, Let)}
    seen: set[Node] = set()
    done: list[Statement] = []
    for row in plain:
        for node in topological(row.roots, seen):
            shared = uses[node] > 1 and node.op is not NUM and node.op is not SYM
            if shared and node not in named:
                done.append(Let(node, node))
        done.append(row)
    return done


def is_turn(first: Node, second: Node) -> bool:
    """Whether these are the sine and the cosine of one angle."""
    return first.op.name == "sin" and second.op.name == "cos" and first.args == second.args


def cost(row: Statement) -> int:
    """Rough size of a statement."""
    return max(1, sum(len(node.args) for node in topological(row.roots)))


def cut(rows: list[Statement]) -> list[list[Statement]]:
    """Parts of bounded size; one part where everything is small."""
    costs = [cost(row) for row in rows]
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
    aliases = {row.expr: row.key for part in parts for row in part if isinstance(row, Let)}
    stop = set(home)
    found: set[Node] = set()
    for number, part in enumerate(parts):
        for row in part:
            for node in topological(row.roots):
                key = node if node in stop else aliases.get(node)
                if key is not None and home[key] != number:
                    found.add(key)
    return found
