"""Expression strings: grammar, values, errors; nothing is ever run."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.approx import CROSS_ENGINE, IDENTITY, ROUNDING

from kinetree.engine import Table, evaluate, symbol, table, text
from kinetree.engine.ops import FUNCTIONS
from kinetree.errors import ExpressionError
from kinetree.formats.expression import parse

NAMES = {name: symbol(name) for name in ("a", "b", "arm.length", "lead")}
VALUES = {NAMES["a"]: 0.7, NAMES["b"]: 1.3, NAMES["arm.length"]: 2.5, NAMES["lead"]: 0.02}


def value(expression):
    return float(evaluate([parse(expression, NAMES, "x")], VALUES)[0])


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("1", 1),
        ("1e-3", 1e-3),
        (".5 + 2.", 2.5),
        ("a + b*2", 0.7 + 2.6),
        ("(a + b)*2", 4.0),
        ("a - b - 1", 0.7 - 1.3 - 1),
        ("a/b/2", 0.7 / 1.3 / 2),
        ("-a**2", -(0.7**2)),
        ("(-a)**2", 0.49),
        ("2**-1", 0.5),
        ("2**3**2", 512),
        ("a**b", 0.7**1.3),
        ("--a", 0.7),
        ("+-+a", -0.7),
        ("arm.length/2", 1.25),
        ("lead/(2*pi)", 0.02 / (2 * math.pi)),
        ("sin(a)**2 + cos(a)**2", 1),
        ("atan2(a, b)", math.atan2(0.7, 1.3)),
        ("  sqrt ( a )  ", math.sqrt(0.7)),
        ("1/3", 1 / 3),
        ("2**200", 2.0**200),
    ],
)
def test_values(expression, result):
    assert value(expression) == pytest.approx(result, rel=ROUNDING)


def test_every_function_of_the_engine_is_known():
    for op in FUNCTIONS:
        node = parse(f"{op.name}({', '.join(['a', 'b', '2'][: op.arity])})", NAMES, "x")
        assert node is not None


def test_branches():
    assert value("select(a - b, 1, 2)") == 2
    assert value("select(b - a, a, b)") == value("min(a, b)") == 0.7
    assert value("max(a, 2*b)") == 2.6
    node = parse("max(a, b)*min(a, 1)", NAMES, "x")
    assert parse(str(node), NAMES, "x") is node


def test_tables_are_called_by_name():
    curve = Table.monotone([0, 1, 2], [0, 2, 3], name="curve")
    node = parse("2*table_curve(a + b) - table_curve.d1(b)", NAMES, "x", {"curve": curve})
    a, b = NAMES["a"], NAMES["b"]
    assert node is 2 * table(a + b, curve) - table(b, curve, 1)
    assert parse(str(node), NAMES, "x", {"curve": curve}) is node
    for bad, sentence in (
        ("table_curv(a)", "did you mean 'table_curve'"),
        ("table_curve(a, b)", "'table_curve' has 2 arguments; give it 1"),
        ("table_curve", "the function 'table_curve' has no argument"),
    ):
        with pytest.raises(ExpressionError, match=re.escape(sentence)):
            parse(bad, NAMES, "x", {"curve": curve})


SENTENCES = {
    "table_curve(a)": "x: in 'table_curve(a)', the engine does not know the function 'table_curve'",
    "min(a)": "x: in 'min(a)', 'min' has 1 arguments; give it 2.",
    "": "x: in '', a number, a name or a bracket is missing before the end; complete",
    "a +": "x: in 'a +', a number, a name or a bracket is missing before the end; complete",
    "a b": "x: in 'a b', 'b' is not expected; put an operator before it.",
    "(a": "x: in '(a', ')' is missing before the end; add ')'.",
    "a)": "x: in 'a)', ')' is not expected",
    "lenght*2": "x: in 'lenght*2', there is no parameter 'lenght'; ",
    "arm.lenght": "x: in 'arm.lenght', there is no parameter 'arm.lenght'; "
    "did you mean 'arm.length'?",
    "sine(a)": "x: in 'sine(a)', the engine does not know the function 'sine'; did you mean 'sin'?",
    "open(a)": "x: in 'open(a)', the engine does not know the function 'open'; ",
    "sin(a, b)": "x: in 'sin(a, b)', 'sin' has 2 arguments; give it 1.",
    "sin()": "x: in 'sin()', a number, a name or a bracket is missing before ')'",
    "sin + 1": "x: in 'sin + 1', the function 'sin' has no argument; write sin(…).",
    "a; b": "x: ';' cannot stand in the expression 'a; b'; use numbers, parameters",
    "a[0]": "x: '[' cannot stand in the expression 'a[0]'",
    "'a'": "x: ''' cannot stand in the expression",
    "a.__class__": "x: in 'a.__class__', there is no parameter 'a.__class__'",
    "__import__('os')": "x: ",
    "1/0": "x: in '1/0', ",
    "1e999": "x: in '1e999', it has no value (1e999 is too large)",
    "log(0)": "x: in 'log(0)', ",
    "9**9**9**9": "x: in '9**9**9**9', ",
}


@pytest.mark.parametrize("expression", SENTENCES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_bad_expressions_name_the_element_and_the_cure(expression):
    with pytest.raises(ExpressionError) as caught:
        parse(expression, NAMES, "x")
    said = str(caught.value)
    assert said.startswith(SENTENCES[expression])
    assert "\n" not in said


@pytest.mark.parametrize(
    "expression", ["(" * 5000 + "a" + ")" * 5000, "sin(" * 200, "2**" * 500 + "2"]
)
def test_deep_nesting_is_refused_without_a_traceback(expression):
    with pytest.raises(ExpressionError):
        parse(expression, NAMES, "x")


def test_long_texts_are_refused():
    with pytest.raises(
        ExpressionError, match="x: the expression has 20001 characters; use at most"
    ):
        parse("a+" * 10000 + "a", NAMES, "x")


def test_a_long_run_of_signs_is_no_problem():
    assert value("-" * 9000 + "a") == pytest.approx(0.7)


leaves = st.sampled_from(["a", "b", "arm.length", "2", "0.25", "1e-2", "7"])
expressions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        inner.map(lambda s: f"-{s}"),
        inner.map(lambda s: f"sin({s})"),
        inner.map(lambda s: f"{s}**2" if s.isidentifier() else f"({s})**2"),
    ),
    max_leaves=8,
)


@given(expressions)
def test_same_value_as_python(expression):
    known = {"a": 0.7, "b": 1.3, "sin": math.sin}
    python = eval(expression.replace("arm.length", "2.5"), {"__builtins__": {}}, known)
    assert value(expression) == pytest.approx(python, rel=CROSS_ENGINE, abs=CROSS_ENGINE)


@given(expressions)
def test_what_the_engine_writes_is_read_back(expression):
    node = parse(expression, NAMES, "x")
    again = parse(text(node), NAMES, "x")
    ours, theirs = evaluate([node, again], VALUES)
    assert float(ours) == pytest.approx(float(theirs), rel=IDENTITY, abs=IDENTITY)
