"""A Program as one Python module on NumPy.

NAME(q, …, p)             dictionary of outputs; inputs with values may be left out
NAME_preamble(p)          what depends on the parameters alone, once per parameter set
NAME_prepared(pre, q, …)  the rest, as often as wanted
INPUTS, OUTPUTS           names, shapes, values, labels
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetree.targets.python.helpers import PRELUDE
from kinetree.targets.text.python.spelling import Pythonic, module

if TYPE_CHECKING:
    from kinetree.program.program import Program
    from kinetree.targets.text.source import Source

LANGUAGE = Pythonic()


def source_text(program: Program, prelude: str = PRELUDE) -> tuple[str, str]:
    """(name of the function, text of the module)."""
    name, source, text = module(program, LANGUAGE, prelude, "")
    return name, f"{text}{callers(name, source)}"


def callers(name: str, source: Source) -> str:
    """The functions that others call: they take arrays apart and put results together."""
    rows = source.program.inputs
    outs = source.program.outputs
    lines = []
    texts = ["INPUTS = {"]
    for row in rows:
        values = None if row.default is None else tuple(float(x) for x in row.default)
        texts.append(f"    {row.name!r}: ({row.shape!r}, {values!r}, {row.labels!r}),")
    texts += ["}", "OUTPUTS = {"]
    texts += [f"    {out.name!r}: ({out.shape!r}, {out.labels!r})," for out in outs]
    texts += ["}", "", ""]
    shapes = "(" + "".join(f"({out.name!r}, {out.shape!r}), " for out in outs) + ")"
    calls = [_take(source, row.name) for row in rows]
    heads = [_argument(source, row.name) for row in rows]
    lines += [_define(name, heads, [
        f"return kt_results({source.name}(", *(f"    {call}," for call in calls), f"), {shapes})",
    ])]  # fmt: skip
    if source.constants:
        early = [row.name for row in rows if row.parameter]
        late = [row.name for row in rows if not row.parameter]
        lines += [_define(f"{name}_preamble", [_argument(source, n) for n in early], [
            f"return {source.name}_preamble(", *(f"    {_take(source, n)}," for n in early), ")",
        ])]  # fmt: skip
        lines += [_define(f"{name}_prepared", ["pre", *(_argument(source, n) for n in late)], [
            f"return kt_results({source.name}_prepared(",
            *(f"    {_take(source, n)}," for n in late), f"    pre), {shapes})",
        ])]  # fmt: skip
    return "\n".join([*texts, *lines])


def _argument(source: Source, name: str) -> str:
    row = source.program.input(name)
    return source.ins[name] + ("" if row.default is None else "=None")


def _take(source: Source, name: str) -> str:
    row = source.program.input(name)
    values = "" if row.default is None else f", INPUTS[{name!r}][1]"
    return f"kt_parts({name!r}, {source.ins[name]}, {row.shape!r}{values})"


def _define(name: str, arguments: list[str], lines: list[str]) -> str:
    """A function; arguments with values come last and by name."""
    first = [a for a in arguments if "=" not in a]
    later = [a for a in arguments if "=" in a]
    head = LANGUAGE.wrap_line(f"def {name}({', '.join((*first, *later))}):")
    return "\n".join([*(row[4:] for row in head), *(f"    {line}" for line in lines), "", ""])
