"""A Program as a Python module that makes a CasADi Function.

    NAME        the Function: one argument per input, one result per output, under their names;
                inputs with values may be left out, the others must be given
    DEFAULTS    values of inputs that have some

Without iterations it is made of SX alone.  A Newton block stands between SX functions as a bounded
loop in MX that is left as soon as it is done.
"""

from __future__ import annotations

import re

from kinetree.program.program import Program
from kinetree.targets.casadi.helpers import LAST, PRELUDE
from kinetree.targets.text.names import Names, Rules
from kinetree.targets.text.python.spelling import Pythonic, module

LANGUAGE = Pythonic()
TAKEN = ("null", "jac", "hess")
"""Names that CasADi keeps for itself."""


def source_text(program: Program) -> tuple[str, str]:
    """(name of the Function, text of the module)."""
    ins, outs = _apart(program)
    words = {"LABEL": label(program.name), "IN_NAMES": repr(ins), "OUT_NAMES": repr(outs)}
    name, _, text = module(program, LANGUAGE, PRELUDE, LAST, words)
    return name, text


def _apart(program: Program) -> tuple[list[str], list[str]]:
    """Names of inputs and of outputs; CasADi allows none of them twice."""
    scope = Names(Rules())
    ins = [scope.fresh(label(row.name)) for row in program.inputs]
    names = (label(out.name) for out in program.outputs)
    return ins, [scope.fresh(f"{name}_out" if name in ins else name) for name in names]


def label(name: str) -> str:
    """A name as CasADi allows them: letters and digits, single underscores."""
    plain = re.sub(r"_+", "_", LANGUAGE.rules.identifier(name)).strip("_") or "v"
    return f"{plain}_v" if plain in TAKEN else plain
