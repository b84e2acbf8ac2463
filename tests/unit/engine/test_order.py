"""Order of operands: multibody priority, then name (Docquier2013 eqs. 30 and 31)."""

from __future__ import annotations

from itertools import permutations

import pytest

from kinetree import engine as en
from kinetree.engine import Rank

m = en.symbol("mi", Rank.MASS)
d = en.symbol("dij", Rank.LENGTH)
F = en.symbol("Fextj", Rank.FORCE)
qd = en.symbol("qdi", Rank.VELOCITY)
a, b, c, e = (en.symbol(name) for name in "abcd")


def ordered(*nodes: en.Node) -> list[en.Node]:
    return sorted(nodes, key=lambda x: x.key)


def test_eq_30() -> None:
    """4 < m_i < d_ij < F_ext_j < qd_i < b·c < (a − d)."""
    printed = [en.number(4), m, d, F, qd, b * c, a - e]
    for given in permutations(printed, len(printed)):
        assert ordered(*given) == printed


def test_eq_31() -> None:
    """K_ii < m_i; 2 < 3; d_ii + d_ij < d_ii + d_jk."""
    K_ii, m_i = en.symbol("Kii"), en.symbol("mi")
    dii, dij, djk = (en.symbol(name, Rank.LENGTH) for name in ("dii", "dij", "djk"))
    for first, second in ((K_ii, m_i), (en.number(2), en.number(3)), (dii + dij, dii + djk)):
        assert ordered(second, first) == [first, second]


def test_operands_stand_in_that_order() -> None:
    product = (a - e) * qd * F * d * m * 4
    assert str(product) == "4*mi*dij*Fextj*qdi*(a - d)"
    total = b * c + qd + F + d + m + 4
    assert str(total) == "4 + mi + dij + Fextj + qdi + b*c"


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (en.exp(-a), en.exp(-2 * a)),
        (1 / a, 1 / a**2),
        (en.exp(a - b), en.exp(a - 2 * b)),
        (en.atan2(-1, a), en.atan2(-2, a)),
        (en.exp(a - 1), en.exp(a - 2)),
        (en.exp(2 * a), en.exp(2.5 * a)),
    ],
)
def test_no_two_expressions_share_a_place(left: en.Node, right: en.Node) -> None:
    assert left.key != right.key
    assert left + right is right + left
    assert left * right is right * left


def test_names_beyond_the_label_are_told_apart() -> None:
    stem = "very_long_name_of_a_body_that_goes_on_and_on_until_" * 2
    rows = [en.sin(en.symbol(f"{stem}{k}")) for k in range(20)]
    assert len({row.key for row in rows}) == 20
    assert en.add(*rows) is en.add(*reversed(rows))


def test_rank_and_name_make_a_symbol() -> None:
    assert en.symbol("a") is a
    assert en.symbol("a", Rank.MASS) is not a
