"""Laws: constraints written as expressions, by the chain rule over what they speak of.

A law f of quantities s (coordinates, the place of a point, the time) has

    J = Σ f_s J_s,    ht = f_t,    Jdqd = Σ f_s Jdqd_s + Σ Σ f_sr sdot rdot

where every s brings its own row: a coordinate has J = N (its rates, `rates`), a component of a
place the row of that component.  Expressions are differentiated as they stand; they are short.

Refs: Docquier2013 sec. 2.2, eqs. 7 to 9
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kinetree.engine import ONE, ZERO, Node, add, derivative, number, substitute, symbols, tangent
from kinetree.errors import ModelError
from kinetree.formalism.links.rates import rate_matrix
from kinetree.formalism.loops.conditions import Row
from kinetree.model import time_symbol

if TYPE_CHECKING:
    from kinetree.formalism.links.linkage import Linkage
    from kinetree.formalism.loops.closure_views import Push
    from kinetree.formalism.view import MechanismView

Atoms = dict[Node, Row]
"""Symbol of a law -> the row of what it stands for."""


def coordinate_rows(system: Linkage) -> Atoms:
    """Every coordinate as a row: J = N(q)."""
    N = rate_matrix(system)
    rates: dict[Node, Node] = {}
    columns: dict[Node, dict[int, Node]] = {}
    for i, q in enumerate(system.q):
        columns[q] = {j: x for j, x in enumerate(N[i]) if x is not ZERO} if N else {i: ONE}
        rates[q] = add(*[x * system.qd[j] for j, x in columns[q].items()])
    bias = tangent([rates[q] for q in system.q], rates.get)
    return {q: Row(q, columns[q], b, rate=rates[q]) for q, b in zip(system.q, bias, strict=True)}


def law(expr: Node, atoms: Mapping[Node, Row]) -> Row:
    """The row of a law of some quantities and of the time."""
    t = time_symbol()
    used = [s for s in symbols([expr]) if s in atoms]
    rates = {s: atoms[s].rate for s in used} | {t: ONE}
    slopes = {s: derivative(expr, s) for s in (*used, t)}
    curved = tangent(slopes.values(), rates.get)
    here = {s: atoms[s].h for s in used}
    values = substitute([expr, *slopes.values(), *curved], here)
    h, firsts, seconds = values[0], values[1 : 2 + len(used)], values[2 + len(used) :]
    J: dict[int, Node] = {}
    pushes: list[Push] = []
    bias = [second * rates[s] for s, second in zip(slopes, seconds, strict=True)]
    for s, slope in zip(used, firsts[:-1], strict=True):
        bias.append(slope * atoms[s].Jdqd)
        pushes += [push.scale(slope) for push in atoms[s].pushes]
        for k, x in atoms[s].J.items():
            J[k] = J.get(k, ZERO) + slope * x
    ht = firsts[-1]
    rate = add(ht, *[f * rates[s] for s, f in zip(used, firsts[:-1], strict=True)])
    return Row(h, J, add(*bias), ht, rate, pushes=tuple(pushes))


def rate_law(system: Linkage, expr: Node, atoms: Mapping[Node, Row], element: str) -> Row:
    """The row of a law that is linear in velocities.

    Raises:
        ModelError: naming the velocity in which it is not.
    """
    J = {k: derivative(expr, v) for k, v in enumerate(system.qd)}
    J = {k: x for k, x in J.items() if x is not ZERO}
    for k, x in J.items():
        if not set(system.qd).isdisjoint(symbols([x])):
            raise ModelError(
                f"it is not linear in the velocity '{system.qd[k].name}'",
                element=element,
                cure="write it as A(q, t)·qd + b(q, t)",
            )
    rates = {s: row.rate for s, row in atoms.items()} | {time_symbol(): ONE}
    (bias,) = tangent([expr], rates.get)
    (ht,) = substitute([expr], dict.fromkeys(system.qd, ZERO))
    return Row(ZERO, J, bias, ht)


def fold_parameters(system: MechanismView, expr: Node) -> Node:
    """The law with numbers in place of parameters, where the whole system is made of numbers."""
    if system.table.rows:
        return expr
    values = {row.symbol: number(row.value) for row in system.model.parameters.values()}
    return substitute([expr], values)[0]
