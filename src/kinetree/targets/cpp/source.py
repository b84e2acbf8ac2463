"""A Program as one C++ header.

    template <class Real>
    void NAME(const Real q[…], …, const Real p[…], Real tau[…]);

beside NAME_preamble and NAME_prepared where there are parameters, as in C, and NAME_p_default with
the values of the model.  Everything else stands in a namespace of its own.
"""

from __future__ import annotations

from kinetree.program.program import Program
from kinetree.targets.c.header import FIRST_LINE, describe
from kinetree.targets.cpp.language import CPP
from kinetree.targets.text.c.family import CALLS
from kinetree.targets.text.source import Source
from kinetree.targets.text.tables import break_lines, list_numbers
from kinetree.targets.text.values import defaults


def sources(program: Program) -> dict[str, str]:
    """File name -> text; the same Program always gives the same bytes."""
    source = Source(program, CPP)
    name = source.name
    guard, room = f"{name.upper()}_HPP", f"kinetree_{name}"
    lines = [FIRST_LINE, *describe(source), f"#ifndef {guard}", f"#define {guard}", ""]
    lines += ["#include <algorithm>", "#include <cmath>", "#include <limits>", ""]
    lines += [f"namespace {room} {{", "", *(f"using std::{f};" for f in (*CALLS, "fabs")), ""]
    public = [name]
    for argument, values in defaults(source).items():
        public.append(f"{name}_{argument}_default")
        lines.append(f"static constexpr double {public[-1]}[{len(values)}] = {{")
        lines += [break_lines(list_numbers(values, repr)), "};", ""]
    if source.constants:
        public += [f"{name}_constants", f"{name}_preamble", f"{name}_prepared"]
        fields = [f"    Real {field};" for field in source.constants.values()]
        lines.append(CPP.record(f"{name}_constants", fields))
    lines += [*source.tools(), *source.functions]
    lines += [f"}}  // namespace {room}", "", *(f"using {room}::{row};" for row in public)]
    return {f"{name}.hpp": "\n".join([*lines, "", "#endif", ""])}
