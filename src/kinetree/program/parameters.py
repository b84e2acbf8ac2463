"""Parameters of two Programs as one input: what the second needs and the first does not have."""

from __future__ import annotations

from dataclasses import replace

from kinetree.engine import Node, symbols
from kinetree.program.program import Input, Program

PARAMETERS = "p"


def join_parameters(old: Input, new: Input) -> Input:
    """The input p of both, by label; that of the first comes first."""
    assert old.default is not None
    assert new.default is not None
    more = [k for k, label in enumerate(new.labels) if label not in old.labels]
    return replace(
        old,
        shape=(len(old.symbols) + len(more),),
        symbols=(*old.symbols, *(new.symbols[k] for k in more)),
        default=(*old.default, *(new.default[k] for k in more)),
        labels=(*old.labels, *(new.labels[k] for k in more)),
        units=(*old.units, *(new.units[k] for k in more)),
    )


def parameters_of(program: Program) -> Input | None:
    """Its input p; none where it has no parameters."""
    return program.input(PARAMETERS) if program.takes(PARAMETERS) else None


def used_parameters(program: Program) -> frozenset[str]:
    """Names of the parameters that stand in some expression of a Program."""
    row = parameters_of(program)
    if row is None:
        return frozenset()
    used = {*symbols(program.roots())}
    return frozenset(label for label, s in zip(row.labels, row.symbols, strict=True) if s in used)


def parameter_bindings(program: Program, joined: Input | None) -> dict[Node, Node]:
    """Symbols of the parameters of a Program -> those of the joined input, by label."""
    row = parameters_of(program)
    if row is None or joined is None:
        return {}
    own = dict(zip(joined.labels, joined.symbols, strict=True))
    return {s: own[label] for s, label in zip(row.symbols, row.labels, strict=True)}
