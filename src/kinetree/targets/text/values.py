"""Default values of inputs, as files list them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kinetree.targets.text.source import Source


def defaults(source: Source) -> dict[str, tuple[float, ...]]:
    """Argument -> its values, for the inputs that have some."""
    return {
        source.ins[row.name]: tuple(float(x) for x in row.default)
        for row in source.program.inputs
        if row.default is not None and row.symbols
    }
