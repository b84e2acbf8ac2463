"""A Program as a Python module of SymPy's expressions.

    inputs      name -> symbols
    values      name -> values of its components, for inputs that have some
    equations   list of (symbol, expression), each in terms of inputs and earlier symbols
    outputs     name -> array or expression

Linear systems are written out; the order of rows in elimination with pivoting is chosen by
Piecewise.  An iteration is no expression: Programs that hold one are refused.
"""

from __future__ import annotations

from kinetree.errors import UnsupportedError
from kinetree.program.program import Newton, Program
from kinetree.targets.sympy.helpers import LAST, PRELUDE
from kinetree.targets.text.names import Rules
from kinetree.targets.text.python.spelling import RULES, Pythonic, module

OWN = frozenset(
    {"sp", "Rational", "Piecewise", "Symbol", "inputs", "equations", "outputs", "values"}
)
LANGUAGE = Pythonic(exact=True, named=True, rules=Rules(RULES.reserved | OWN))


def source_text(program: Program) -> tuple[str, str]:
    """(name of the module, its text)."""
    if any(isinstance(block, Newton) for block in program.all_blocks):
        raise UnsupportedError(
            "loops are closed by iteration, which SymPy has no expression for",
            element=f"program '{program.name}'",
            cure="derive 'mass_bias' and 'constraints' instead, or use CasADi or JAX",
        )
    name, _, text = module(program, LANGUAGE, PRELUDE, LAST)
    return name, text
