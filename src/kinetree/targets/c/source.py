"""A Program as one .c and one .h file.

    void NAME(const double q[…], …, const double p[…], double tau[…]);

Where there are parameters two more functions stand beside it: NAME_preamble(p, &pre), once per
parameter set, and NAME_prepared(q, …, &pre, tau), as often as wanted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetree.targets.c import header
from kinetree.targets.c.language import DOUBLE, MACHINES, language
from kinetree.targets.text.source import Source

if TYPE_CHECKING:
    from kinetree.program.program import Program
    from kinetree.targets.text.c.family import CFamily


def sources(program: Program, precision: str = "double") -> dict[str, str]:
    """File name -> text; the same Program always gives the same bytes.

    Args:
        program: what to write.
        precision: "double" or "single".
    """
    spelled = language(precision)
    return files(Source(program, spelled), spelled)


def files(source: Source, spelled: CFamily = DOUBLE) -> dict[str, str]:
    """File name -> text of the functions of a Program."""
    heads = [header.FIRST_LINE, "", f'#include "{source.name}.h"', "", "#include <math.h>", ""]
    values = header.default_values(source, spelled)
    code = "\n".join([*heads, MACHINES, *values, *source.tools(), *source.functions])
    return {f"{source.name}.c": code, f"{source.name}.h": header.header_text(source, spelled)}
