"""Rules of elementary functions: every test is generated from the table."""

from __future__ import annotations

import pytest
from tests.approx import CROSS_ENGINE, IDENTITY
from tests.rules.examples import NAMES, call_as_it_stands, cost, read, sides, values

from kinetree import engine as en
from kinetree.engine.ops import OPS
from kinetree.engine.rules import functions
from kinetree.engine.rules.functions import TABLE, Rule

every_rule = pytest.mark.parametrize("rule", TABLE, ids=[rule.name for rule in TABLE])


def test_names_are_unique_and_heads_are_known() -> None:
    assert len({rule.name for rule in TABLE}) == len(TABLE)
    assert all(rule.head in OPS for rule in TABLE)
    assert {rule.kind for rule in TABLE} <= {"normalise", "reduce"}


@every_rule
def test_example_rewrites_exactly_and_by_this_rule(rule: Rule) -> None:
    before, after = sides(rule.example)
    left = call_as_it_stands(before)
    found = rule.pattern(left.args)
    assert found is not None
    assert rule.result(*found) is read(after)
    assert read(before) is read(after)


@every_rule
def test_no_earlier_rule_takes_the_example(rule: Rule) -> None:
    left = call_as_it_stands(sides(rule.example)[0])
    assert functions.first_match(left.op, left.args) is rule


@every_rule
def test_both_sides_have_the_same_value(rule: Rule) -> None:
    before, after = sides(rule.example)
    for left, right in values(call_as_it_stands(before), read(after)):
        assert left == pytest.approx(right, rel=IDENTITY, abs=IDENTITY)


@every_rule
def test_cost_contract_of_the_class(rule: Rule) -> None:
    before, after = sides(rule.example)
    left, right = cost(call_as_it_stands(before)), cost(read(after))
    assert right < left if rule.kind == "reduce" else right <= left


@every_rule
def test_both_sides_have_the_same_derivative(rule: Rule) -> None:
    before, after = sides(rule.example)
    x = NAMES["x"]
    left = en.derivative(call_as_it_stands(before), x)
    right = en.derivative(read(after), x)
    for a, b in values(left, right, span=0.9):
        assert a == pytest.approx(b, rel=CROSS_ENGINE, abs=CROSS_ENGINE)
