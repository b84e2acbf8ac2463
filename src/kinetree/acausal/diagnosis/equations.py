"""Diagnosis: which equations compete, which variables lack one, in the words of components.

A maximum matching cuts a page that cannot be solved into three parts (Dulmage and Mendelsohn): rows
that are too many for their columns, columns that are too many for their rows, and the rest.

Refs: DulmageMendelsohn1958
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import TYPE_CHECKING

from kinetree.acausal.physical import say, split_name
from kinetree.engine import SELECT, Node, Rank, compounds, symbols
from kinetree.errors import ModelError
from kinetree.program.sparsity import Pattern, match

if TYPE_CHECKING:
    from kinetree.acausal.connections import Joined
    from kinetree.acausal.incidence import Incidence
    from kinetree.acausal.instances import FlatEquation

MOST = 6
"""Names that a sentence lists."""
LONGEST = 50
"""Characters of an equation that a sentence shows."""


def refuse_singular(page: Incidence, joined: Joined | None = None) -> None:
    """Refuse equations that cannot be solved for the variables, whatever is differentiated.

    Args:
        page: all equations.
        joined: what connections say; open ports and lone parts are looked for in it.
    """
    pattern = [sorted({page.place[c][0] for c in held}) for held in page.holds]
    row_of = match(pattern)
    size = len(page.variables)
    if len(row_of) == len(pattern) == size:
        return
    many, few = excess_rows(pattern, row_of), excess_columns(pattern, row_of, size)
    lacking = [page.variables[c].path for c in few]
    held = dict.fromkeys(page.variables[c].path for k in many for c in pattern[k])
    rows = [page.origin[k] for k in many]
    adrift = [page.variables[c].path for c in few if page.variables[c].role == "across"]
    if any(row.number for row in rows):  # more than balances of flows is too many
        adrift = []
    sentences = []
    if rows and not adrift:
        told = list_names(dict.fromkeys(map(say_equation, rows)))
        one = len(rows) == 1
        told += f" compete{'s' * one} for" if held else f" follow{'s' * one} from the others"
        sentences.append(f"{told} {list_names(held)}" if held else told)
    if adrift:
        sentences.append(f"nothing gives the potentials {list_names(adrift)} a reference")
    elif few:
        verb = "lack" if len(lacking) > 1 else "lacks"
        sentences.append(f"{list_names(lacking)} {verb} an equation")
    involved = [*lacking, *held, *(f"{row.origin}." for row in rows if row.origin)]
    cure = _connect_first(joined, involved) or _cure(rows, adrift=bool(adrift))
    raise ModelError("; ".join(sentences), element=_parts(rows, involved), cure=cure)


def list_names(names: Iterable[str]) -> str:
    """Names in quotes, with commas; only the first of many."""
    listed = list(names)
    more = f" and {len(listed) - MOST} more" if len(listed) > MOST else ""
    return ", ".join(name if " " in name else f"'{name}'" for name in listed[:MOST]) + more


def say_equation(row: FlatEquation) -> str:
    """An equation by its place and its text, as in "equation 4 of 'a' (v - V = 0)"."""
    if not row.number:
        return str(row)
    return f"{row} ({say(row.residual, LONGEST)} = 0)"


def _parts(rows: Sequence[FlatEquation], paths: Sequence[str]) -> str:
    """The parts that are involved: those of the equations, or those of the variables."""
    found = dict.fromkeys(row.origin for row in rows if row.number and row.origin)
    found = found or dict.fromkeys(path.split(".")[0] for path in paths if "." in path)
    if not found:
        return "the whole"
    return f"part{'s' * (len(found) > 1)} {list_names(found)}"


def _connect_first(joined: Joined | None, paths: Sequence[str]) -> str:
    """The cure where an end is open: connect it."""
    for part in joined.lone if joined else ():
        if any(path.startswith(f"{part}.") for path in paths):
            return f"'{part}' is connected to nothing: connect it or take it away"
    for port in joined.open if joined else ():
        owner = f"{port.rpartition('.')[0]}."
        if any(path.startswith((f"{port}.", owner)) for path in paths):
            return f"port '{port}' is open: connect it"
    return ""


def _cure(rows: Sequence[FlatEquation], *, adrift: bool) -> str:
    """What to do: a potential without reference, parts that prescribe the same."""
    if adrift:
        return "connect one of them with a ground or a fixed end"
    parts = dict.fromkeys(row.origin for row in rows if row.number)
    if len(parts) > 1:
        return (f"{list_names(parts)} prescribe the same: put something between them or remove "
                "one")  # fmt: skip
    return "add an equation for each, or take away those that compete"


def refuse_jumps(page: Incidence, modes: Set[Node]) -> None:
    """Refuse derivatives of what jumps: of modes, of switches between two fixed values.

    Args:
        page: after rows were differentiated.
        modes: symbols of what events alone change.
    """
    wanted = {s for s in page.given if s.name.startswith("der(")}
    names = {split_name(mode)[0] for mode in modes}
    held = {s for s in wanted if split_name(s)[0] in names}
    for k, residual in enumerate(page.rows):
        jumps = [s for s in symbols((residual,)) if s in held] if held else []
        if page.grown[k] >= 0 and page.origin[k].number >= 0:
            jumps += [c for c in compounds((residual,)) if c.op is SELECT and _jumps(c)]
        if jumps:
            raise ModelError(
                f"it would have to be differentiated, but {say(jumps[0], LONGEST)} jumps at events",
                element=say_equation(page.origin[k]),
                cure="put something between that stores energy or takes it, such as a resistor",
            )


def _jumps(choice: Node) -> bool:
    """Whether two branches differ by something that stands still."""
    _, a, b = choice.args
    step = a - b
    still = all(s.key[0] == int(Rank.PARAMETER) for s in symbols((step,)))
    return still and not (step.is_number and not step.value)


def excess_rows(pattern: Pattern, row_of: dict[int, int]) -> list[int]:
    """Rows that are too many for the columns that they hold."""
    matched = set(row_of.values())
    rows = [k for k in range(len(pattern)) if k not in matched]
    seen = set(rows)
    for row in rows:  # grows as it is walked
        for column in pattern[row]:
            other = row_of.get(column)
            if other is not None and other not in seen:
                seen.add(other)
                rows.append(other)
    return sorted(seen)


def excess_columns(pattern: Pattern, row_of: dict[int, int], size: int) -> list[int]:
    """Columns that are too many for the rows that hold them."""
    users: list[list[int]] = [[] for _ in range(size)]
    for row, held in enumerate(pattern):
        for column in held:
            users[column].append(row)
    column_of = {row: column for column, row in row_of.items()}
    columns = [c for c in range(size) if c not in row_of]
    seen = set(columns)
    for column in columns:  # grows as it is walked
        for row in users[column]:
            other = column_of.get(row)
            if other is not None and other not in seen:
                seen.add(other)
                columns.append(other)
    return sorted(seen)
