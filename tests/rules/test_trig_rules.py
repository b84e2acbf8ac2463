"""Identities between terms of a sum: every test is generated from the table."""

from __future__ import annotations

import pytest
from tests.approx import ROUNDING, SUMS
from tests.rules.examples import NAMES, cost, read, sides, sum_as_it_stands, values

from kinetree import engine as en
from kinetree.engine.node import intern_sum
from kinetree.engine.ops import COS, SIN
from kinetree.engine.rules import trig
from kinetree.engine.rules.trig import DOUBLE, PAIRS, PairRule

every_rule = pytest.mark.parametrize("rule", PAIRS, ids=[rule.name for rule in PAIRS])
a, b = NAMES["a"], NAMES["b"]
EXAMPLES = [*(rule.example for rule in PAIRS), DOUBLE]


def left_side(example: str) -> en.Node:
    """The left side as it stands; that of the double angle is one product times two."""
    before, _ = sides(example)
    if example != DOUBLE:
        return sum_as_it_stands(before)
    return intern_sum(0, (read(before.removeprefix("2*")),), (2,))


def only(monkeypatch: pytest.MonkeyPatch, rules: list[PairRule]) -> None:
    """Leave only these rules in force."""
    ops = (SIN, COS)
    table = {(f, g): trig.steps(rules, (f, g)) for f in ops for g in ops}
    monkeypatch.setattr(trig, "_STEPS", table)


@every_rule
def test_example_rewrites_exactly(rule: PairRule) -> None:
    before, after = sides(rule.example)
    left = left_side(rule.example)
    assert en.linear(0, tuple(zip(left.args, left.coefs, strict=True))) is read(after)
    assert read(before) is read(after)


@every_rule
def test_it_is_this_rule_that_rewrites(rule: PairRule, monkeypatch: pytest.MonkeyPatch) -> None:
    before, after = sides(rule.example)
    expected, untouched = read(after), left_side(rule.example)
    only(monkeypatch, [rule])
    assert read(before) is expected
    only(monkeypatch, [other for other in PAIRS if other is not rule])
    assert read(before) is untouched


def test_double_angle_rewrites_exactly() -> None:
    before, after = sides(DOUBLE)
    assert read(before) is read(after)
    assert read(f"x*({before})") is read(f"x*{after}")
    assert read(f"-({before})") is read(f"-{after}")
    product = read(before.removeprefix("2*"))
    assert trig.double_angle(product) is read(after)
    assert trig.double_angle(read("sin(a)*cos(b)")) is None


@pytest.mark.parametrize("example", EXAMPLES)
def test_both_sides_have_the_same_value(example: str) -> None:
    for left, right in values(left_side(example), read(sides(example)[1]), span=4.0):
        assert left == pytest.approx(right, abs=ROUNDING)


@pytest.mark.parametrize("example", EXAMPLES)
def test_cost_decreases(example: str) -> None:
    assert cost(read(sides(example)[1])) < cost(left_side(example))


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize("by", ["a", "b"])
def test_both_sides_have_the_same_derivative(example: str, by: str) -> None:
    left = en.derivative(left_side(example), NAMES[by])
    right = en.derivative(read(sides(example)[1]), NAMES[by])
    for x, y in values(left, right, span=4.0):
        assert x == pytest.approx(y, abs=SUMS)


@every_rule
@pytest.mark.parametrize("cofactor", ["x", "-x", "3*x", "0.1*x*y", "x*(y + 1)", "sin(y)", "1/x"])
def test_terms_that_share_a_cofactor_merge(rule: PairRule, cofactor: str) -> None:
    before, after = sides(rule.example)
    first, sign, second = before.replace(" - ", " + -").partition(" + ")
    del sign
    sign = "-" if second.startswith("-") else "+"
    spread = f"({cofactor})*{first} {sign} ({cofactor})*{second.removeprefix('-')}"
    assert read(spread) is read(f"({cofactor})*{after}")


def test_equal_angles_are_the_special_cases() -> None:
    assert read("cos(a)**2 + sin(a)**2") is en.ONE
    assert read("x*cos(a)**2 + x*sin(a)**2 + y") is read("x + y")
    assert read("cos(a)**2 - sin(a)**2") is read("cos(2*a)")
    assert read("sin(a)**2 - cos(a)**2") is read("-cos(2*a)")
    assert read("sin(a)*cos(a) + cos(a)*sin(a)") is read("sin(2*a)")
    assert read("sin(a)*cos(a) - cos(a)*sin(a)") is en.ZERO


def test_angles_may_be_expressions() -> None:
    angle, other = "(a + 2*b - 1)", "(x*y)"
    merged = f"cos({angle})*cos({other}) - sin({angle})*sin({other})"
    assert read(merged) is read(f"cos({angle} + {other})")
    assert read(f"sin({angle})**2 + cos({angle})**2") is en.ONE
