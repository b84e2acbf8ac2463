"""Own sine and cosine: at most 2 ulp up to the limit, right beyond it, and no number from none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.approx import ULP

from kinetree import engine as en
from kinetree.engine.node import intern_call
from kinetree.program import Input, Output, Program
from kinetree.targets.native.compile import jit
from kinetree.targets.native.maths import sincos
from targets import corpus

SCALES = [1.0, 20.0, 1e3, 1e5, 1e7, 1.6e9, 1.8e9, 1e12, 1e22, 1e300]


def program(count: int, late: bool = False) -> Program:
    """Sines and cosines of `count` angles, known at the start or only later."""
    q = corpus.vector("q", count)
    angles = [en.call("abs", s) * en.sign(s) if late else s for s in q.symbols]
    sines = tuple(intern_call(en.OPS["sin"], (a,)) for a in angles)
    cosines = tuple(intern_call(en.OPS["cos"], (a,)) for a in angles)
    outputs = (Output("s", (count,), sines), Output("c", (count,), cosines))
    return Program("angles", (q,), (), (), outputs)


WAYS: dict[str, tuple[int, bool]] = {
    "registers": (8, False),
    "memory": (40, False),
    "later": (8, True),
}
"""How the angles come to their functions in a single evaluation."""


@pytest.fixture(scope="module", params=WAYS)
def function(request: pytest.FixtureRequest) -> Any:
    count, late = WAYS[request.param]
    return program(count, late).compile()


def angles(scale: float, count: int) -> Any:
    rng = np.random.default_rng(int(np.log10(scale)))
    even = rng.uniform(-scale, scale, (120, count))
    even[0] = np.arange(count) * np.pi / 2 * max(1.0, np.round(scale / 40))
    even[1] = np.nextafter(even[0], 1e301)
    return even


def ulp(found: Any, expected: Any) -> float:
    return float(np.max(np.abs(found - expected) / np.spacing(np.abs(expected))))


@pytest.mark.parametrize("scale", SCALES)
def test_single(function: Any, scale: float) -> None:
    q = angles(scale, function.sizes["x"])
    found = [function(q=row) for row in q]
    assert ulp(np.array([f["s"] for f in found]), np.sin(q)) <= 2
    assert ulp(np.array([f["c"] for f in found]), np.cos(q)) <= 2


@pytest.mark.parametrize("scale", SCALES)
def test_lanes(function: Any, scale: float) -> None:
    q = angles(scale, function.sizes["x"])
    found = function(q=q)
    assert ulp(found["s"], np.sin(q)) <= 2
    assert ulp(found["c"], np.cos(q)) <= 2


def test_no_number_gives_no_number_in_its_own_lane_only(function: Any) -> None:
    q = np.full((24, function.sizes["x"]), 0.5)
    q[3, 1], q[9, 2], q[17, 0] = np.nan, np.inf, -np.inf
    wrong = ~np.isfinite(q)
    many = function(q=q, check=False)
    single = [function(q=row, check=False) for row in q]
    for found in (many["s"], many["c"], np.array([f["s"] for f in single])):
        assert np.array_equal(np.isnan(found), wrong)
    assert np.all(np.abs(many["s"][~wrong] - np.sin(0.5)) < 1e-16)


def test_a_far_angle_leaves_the_others_alone(function: Any) -> None:
    q = np.linspace(-3, 3, 8 * function.sizes["x"]).reshape(8, -1)
    q[2, 3] = 1e15
    assert ulp(function(q=q)["s"], np.sin(q)) <= 2


def test_without_fused_multiply_add() -> None:
    """The short parts of pi/2 keep their promise, too, where the products are rounded."""
    parts = sincos.SHORT.parts
    assert sum(parts) == np.pi / 2
    text = "\n".join([
        sincos.sincos_definition(1, fused=False),
        "define void @f(ptr %x, ptr %c, ptr %y) {",
        "  %v = load double, ptr %x",
        "  %p = call { double, double } @kt.sincos.1(double %v)",
        "  store { double, double } %p, ptr %y",
        "  ret void",
        "}",
    ])  # fmt: skip
    from kinetree.targets.native.function import SINGLE

    library = jit.link(jit.compile_object(text, "full"), ("f",))
    call = SINGLE(library.addresses["f"])
    x, y = np.zeros(1), np.zeros(2)
    for value in angles(sincos.SHORT.limit, 8).ravel()[8:]:
        x[0] = value
        call(x.ctypes.data, 0, y.ctypes.data)
        assert abs(y[0] - np.sin(value)) <= 4 * np.spacing(1.0)
        assert abs(y[1] - np.cos(value)) <= 4 * np.spacing(1.0)


def test_angles_at_the_end_of_the_inputs_are_not_read_beyond() -> None:
    """Five angles fill one group of lanes and a part of the next; nothing stands behind them."""
    rate, q = corpus.vector("rate", 1), corpus.vector("q", 5)
    outputs = (Output("s", (5,), tuple(en.sin(s) for s in q.symbols)),)
    function = Program("end", (rate, q), (), (), outputs).compile()
    assert "load <4 x double>" in function.kernels.single_text()
    values = np.linspace(0.1, 2, 5)
    assert function(rate=np.zeros(1), q=values)["s"] == pytest.approx(np.sin(values), rel=ULP)


def test_sums_of_angles_are_evaluated_at_the_start() -> None:
    q = corpus.vector("q", 3)
    a, b, c = q.symbols
    nodes = (en.sin(a + b), en.cos(a + b), en.sin(a + b - c))
    function = Program("sums", (q,), (), (), (Output("y", (3,), nodes),)).compile()
    text = function.kernels.single_text()
    assert "kt.sincos.checked" not in text
    assert text.count("@kt.sincos.4(<4 x double> %") == 2  # defined once, called once


def test_one_input_serves_as_angle_and_as_number() -> None:
    q = Input("q", (), (en.symbol("q", en.Rank.COORDINATE),))
    node = q.symbols[0] * en.sin(q.symbols[0])
    function = Program("both", (q,), (), (), (Output("y", (), (node,)),)).compile()
    assert float(function(q=0.7)["y"]) == pytest.approx(0.7 * np.sin(0.7), rel=ULP)
