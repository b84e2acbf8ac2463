"""A Program as one Fortran module.

    module NAME_module
        subroutine NAME(q, …, p, tau)

beside NAME_preamble and NAME_prepared where there are parameters, as in C, and NAME_p_default with
the values of the model.  Matrices are row-major arrays of one axis.
"""

from __future__ import annotations

from kinetree.errors import unknown
from kinetree.program.program import Program
from kinetree.targets.fortran import helpers
from kinetree.targets.fortran.language import STRUCTURE, Fortran
from kinetree.targets.text.about import FIRST_LINE, about
from kinetree.targets.text.source import Source
from kinetree.targets.text.values import defaults

KINDS = {"double": "real64", "single": "real32"}


def sources(program: Program, precision: str = "double") -> dict[str, str]:
    """File name -> text; the same Program always gives the same bytes."""
    if precision not in KINDS:
        raise unknown("precision", precision, KINDS)
    language = Fortran()
    source = Source(program, language)
    name = source.name
    tools = source.tools()
    types = [text for text in (*tools, *source.functions) if text.startswith(STRUCTURE)]
    code = [text for text in (*tools, *source.functions) if not text.startswith(STRUCTURE)]
    public = [name]
    heads = language.remarks([FIRST_LINE, "", *about(source)])
    heads += [f"module {name}_module", "use, intrinsic :: ieee_arithmetic"]
    heads += [f"use, intrinsic :: iso_fortran_env, only: dp => {KINDS[precision]}"]
    heads += ["implicit none", "private"]
    if source.constants:
        public += [f"{name}_constants", f"{name}_preamble", f"{name}_prepared"]
        types.append(
            language.structure(f"{name}_constants", dict.fromkeys(source.constants.values(), 0))
        )
    values = {f"{name}_{row}_default": numbers for row, numbers in defaults(source).items()}
    heads += [f"public :: {row}" for row in (*public, *values)]
    constants = [helpers.constant(row, numbers, language) for row, numbers in values.items()]
    constants += helpers.arrays(source.printer.tables, language)
    return {
        f"{name}.f90": "\n".join(
            [*heads, "", *constants, *types, "contains", "", *code, f"end module {name}_module", ""]
        )
    }
