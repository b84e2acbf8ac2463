"""Jacobians of large systems: entries that are not zero alone, column by column.

Forward mode already has a derivative per direction that has an effect (`forward`); here what comes
out is a vector of them and where they stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kinetree.engine import ZERO, Node, derivation, symbols
from kinetree.program.differentiate.directions import directions
from kinetree.program.differentiate.forward import write_forward
from kinetree.program.program import Assign, Program

Dependence = frozenset[int]
NOTHING: Dependence = frozenset()


@dataclass(frozen=True)
class SparseDerivative:
    """A square Jacobian in columns.

    Attributes:
        program: its output "d{of}_d{by}" has the entries, one column after another.
        starts: of every column its first entry, then their number.
        rows: of every entry; rising in a column, the diagonal always among them.
    """

    program: Program
    starts: tuple[int, ...]
    rows: tuple[int, ...]


def dependence(program: Program, of: str, by: str, most: int) -> list[Dependence] | None:
    """Which components of an input every component of an output depends on.

    Args:
        program: any.
        of: the output.
        by: the input.
        most: dependences of all values together above which there is no answer.
    """
    known: dict[Node, Dependence] = {
        s: frozenset((k,)) for k, s in enumerate(program.input(by).symbols)
    }
    total = len(known)
    for block in program.all_blocks:
        alone = isinstance(block, Assign)
        found = _union(block.operands, known)
        if not alone:
            total += len(found) * len(block.targets)
        elif found:
            total += len(found)
        if total > most:
            return None
        known.update(dict.fromkeys(block.targets, found) if found else {})
    return [_union((node,), known) for node in program.output(of).nodes]


def _union(nodes: Sequence[Node], known: dict[Node, Dependence]) -> Dependence:
    sets = [known[s] for s in symbols(nodes) if s in known]
    return sets[0] if len(sets) == 1 else NOTHING.union(*sets)


@derivation()
def sparse_derivative(program: Program, of: str, by: str) -> SparseDerivative:
    """d`of`/d`by` of an output and an input of the same size, without its zeros."""
    state = write_forward(program, (of,), directions(program, by))
    entries = [
        (column, row, node)
        for row, slopes in enumerate(state.tangents(program.output(of).nodes, of))
        for column, node in slopes.items()
        if node is not ZERO
    ]
    held = {(column, row) for column, row, _ in entries}
    size = len(program.input(by).symbols)
    entries += [(k, k, ZERO) for k in range(size) if (k, k) not in held]
    entries.sort(key=lambda entry: entry[:2])
    counts = [0] * (size + 1)
    for column, _, _ in entries:
        counts[column + 1] += 1
    starts = [0]
    for count in counts[1:]:
        starts.append(starts[-1] + count)
    state.scheme.output(f"d{of}_d{by}", [node for _, _, node in entries], (len(entries),))
    made = state.page.finish(f"d({of})/d({by})", condensed=True)
    return SparseDerivative(made, tuple(starts), tuple(row for _, row, _ in entries))
