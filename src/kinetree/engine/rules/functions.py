"""Rules of elementary functions: one row each, tried in order by head.

A row rewrites `head(pattern)`; patterns are a small type of their own, never Nodes.
Class *normalise* fixes the normal form (signs move outward); class *reduce* saves operations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from kinetree.engine import node as n
from kinetree.engine.ops import ADD, NUM, OPS, SELECT, Op

Match = Callable[[tuple[n.Node, ...]], tuple[n.Node, ...] | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """head(pattern) -> result.

    Attributes:
        name: what the trace calls it.
        head: name of the function it rewrites.
        pattern: arguments -> matched sub-expressions, or None.
        result: matched sub-expressions -> the new expression.
        example: "before -> after", which is also its test.
        kind: "normalise" or "reduce".
        why: the reason or the condition, where it is not plain.
    """

    name: str
    head: str
    pattern: Match
    result: Callable[..., n.Node]
    example: str
    kind: str = "reduce"
    why: str = ""


def numbers(args: tuple[n.Node, ...]) -> tuple[n.Node, ...] | None:
    """All arguments are numbers."""
    return args if all(a.op is NUM for a in args) else None


def negative(args: tuple[n.Node, ...]) -> tuple[n.Node, ...] | None:
    """-x, where a sum counts as negative when its leading coefficient is."""
    (x,) = args
    if x.op is ADD and x.coefs[0] < 0:
        return (n.scale(-1, x),)
    return None


def of(inner: str) -> Match:
    """inner(x)."""
    op = OPS[inner]

    def match(args: tuple[n.Node, ...]) -> tuple[n.Node, ...] | None:
        return args[0].args if args[0].op is op else None

    return match


def square(args: tuple[n.Node, ...]) -> tuple[n.Node, ...] | None:
    """x**2."""
    (x,) = args
    if x.op is OPS["mul"] and len(x.args) == 1 and x.coefs[0] == 2:
        return x.args
    return None


def simple_power(args: tuple[n.Node, ...]) -> tuple[n.Node, ...] | None:
    """x, exponent: a whole number or half of one."""
    _, exponent = args
    if exponent.op is NUM and isinstance(exponent.value, int | Fraction):
        return args if exponent.value.denominator <= 2 else None
    return None


def known_condition(args: tuple[n.Node, ...]) -> tuple[n.Node, ...] | None:
    """The branch that a number chooses."""
    condition, a, b = args
    return (a if condition.value > 0 else b,) if condition.op is NUM else None


def one_branch(args: tuple[n.Node, ...]) -> tuple[n.Node, ...] | None:
    """Both branches are the same."""
    return args[1:2] if args[1] is args[2] else None


def scaled_condition(args: tuple[n.Node, ...]) -> tuple[n.Node, ...] | None:
    """A positive number times x as the condition."""
    c = args[0]
    if c.op is ADD and len(c.args) == 1 and c.value == 0 and c.coefs[0] > 0:
        return (c.args[0], *args[1:])
    return None


def decided_branch(branch: int) -> Match:
    """A branch that asks the same condition again; what it comes to in its place."""

    def match(args: tuple[n.Node, ...]) -> tuple[n.Node, ...] | None:
        inner = args[branch]
        if inner.op is not SELECT or inner.args[0] is not args[0]:
            return None
        return (*args[:branch], inner.args[branch], *args[branch + 1 :])

    return match


def _odd(head: str) -> Rule:
    return Rule(
        f"{head}-odd", head, negative, lambda x: -n.call(head, x), f"{head}(-x) -> -{head}(x)",
        "normalise", "the sign moves outward and meets others",
    )  # fmt: skip


def _even(head: str) -> Rule:
    return Rule(
        f"{head}-even", head, negative, lambda x: n.call(head, x), f"{head}(-x) -> {head}(x)",
        "normalise",
    )  # fmt: skip


def _abs(x: n.Node) -> n.Node:
    return n.call("abs", x)


def _leg(x: n.Node) -> n.Node:
    """The other leg of a right triangle with hypotenuse 1."""
    return n.sqrt(1 - x * x)


# fmt: off
TABLE: tuple[Rule, ...] = (
    *(_odd(head) for head in ("sin", "tan", "asin", "atan", "sinh", "tanh", "sign")),
    *(_even(head) for head in ("cos", "cosh", "abs")),
    Rule("sin-asin",    "sin",  of("asin"),   lambda x: x,   "sin(asin(x)) -> x"),
    Rule("cos-acos",    "cos",  of("acos"),   lambda x: x,   "cos(acos(x)) -> x"),
    Rule("tan-atan",    "tan",  of("atan"),   lambda x: x,   "tan(atan(x)) -> x"),
    Rule("cos-asin",    "cos",  of("asin"),   _leg,          "cos(asin(x)) -> sqrt(1 - x**2)"),
    Rule("sin-acos",    "sin",  of("acos"),   _leg,          "sin(acos(x)) -> sqrt(1 - x**2)"),
    Rule("exp-log",     "exp",  of("log"),    lambda x: x,   "exp(log(x)) -> x"),
    Rule("log-exp",     "log",  of("exp"),    lambda x: x,   "log(exp(x)) -> x"),
    Rule("sqrt-square", "sqrt", square,       _abs,          "sqrt(x**2) -> abs(x)"),
    Rule("abs-abs",     "abs",  of("abs"),    _abs,          "abs(abs(x)) -> abs(x)"),
    Rule("abs-sqrt",    "abs",  of("sqrt"),   n.sqrt,        "abs(sqrt(x)) -> sqrt(x)"),
    Rule("abs-exp",     "abs",  of("exp"),    n.exp,         "abs(exp(x)) -> exp(x)"),
    Rule("pow-number",  "pow",  simple_power, n.power,       "pow(x, 3) -> x**3"),
    Rule("select-number", "select", known_condition, lambda x: x, "select(2, x, y) -> x"),
    Rule("select-same",   "select", one_branch,      lambda x: x, "select(x, y, y) -> y"),
    Rule("select-scale",  "select", scaled_condition, n.select,
         "select(3*x, a, b) -> select(x, a, b)"),
    Rule("select-first",  "select", decided_branch(1), n.select,
         "select(x, select(x, a, b), y) -> select(x, a, y)"),
    Rule("select-second", "select", decided_branch(2), n.select,
         "select(x, y, select(x, a, b)) -> select(x, y, b)"),
)
# fmt: on

_BY_HEAD: dict[str, tuple[Rule, ...]] = {
    head: tuple(rule for rule in TABLE if rule.head == head) for head in OPS
}


def rewrite(op: Op, args: tuple[n.Node, ...]) -> n.Node | None:
    """What the first matching rule gives, or None where the call is in normal form."""
    folded = n.fold_numbers(op, args)
    if folded is not None:
        return folded
    for rule in _BY_HEAD.get(op.name, ()):
        found = rule.pattern(args)
        if found is not None:
            return rule.result(*found)
    return None


def first_match(op: Op, args: tuple[n.Node, ...]) -> Rule | None:
    """The rule that `rewrite` applies to these arguments."""
    return next((rule for rule in _BY_HEAD[op.name] if rule.pattern(args) is not None), None)
