"""The tables that a file looks up: a name each, and a function per derivative that is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from textwrap import wrap

from kinetree.tables import Lookup, Table, weights
from kinetree.targets.text.names import Names, Rules

WIDTH = 96


class Tables:
    """Tables in order of first use.

    Attributes:
        rules: what names may be.
        names: table -> its name in the file, with `kt_` before it.
        rows: the derivatives that are looked up.
    """

    def __init__(self, rules: Rules) -> None:
        self._scope = Names(Rules(folded=rules.folded, longest=rules.longest))
        self.names: dict[Table, str] = {}
        self.rows: dict[Lookup, None] = {}

    def function(self, row: Lookup) -> str:
        """The name of the function that looks a derivative of a table up."""
        self.rows[row] = None
        if row.table not in self.names:
            self.names[row.table] = "kt_" + self._scope.fresh(f"table_{row.table.name}")
        return self.names[row.table] + (f"_d{row.order}" if row.order else "")


def polynomial(
    order: int, coefficient: Callable[[int], str], number: Callable[[float], str]
) -> str:
    """That derivative of the cubic of a piece by Horner, in terms of d = x - its start.

    Args:
        order: of the derivative; a coefficient of it has a factor.
        coefficient: how the coefficient of a power of d is read, 0 to 3.
        number: how a number is spelled.
    """
    terms = [
        coefficient(order + k) if factor == 1 else f"{number(factor)}*{coefficient(order + k)}"
        for k, factor in enumerate(weights(order))
    ]
    value = terms[-1]
    for term in reversed(terms[:-1]):
        value = f"{term} + d*({value})"
    return value


def list_numbers(values: Iterable[float], number: Callable[[float], str]) -> str:
    """Numbers with commas between them."""
    return ", ".join(number(x) for x in values)


def break_lines(text: str, indent: str = "    ") -> str:
    """A long list on several lines."""
    return "\n".join(f"{indent}{line}" for line in wrap(text, WIDTH, break_on_hyphens=False))
