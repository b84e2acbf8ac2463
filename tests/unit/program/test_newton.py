"""Newton blocks: values, what is moved out of the loop, and derivatives by the implicit rule."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.approx import IDENTITY, ITERATED, ROUNDING

from kinetree import engine as en
from kinetree.engine import Node
from kinetree.program import Input, Newton, Program, Scheme
from kinetree.program.newton import write_newton
from kinetree.program.passes import condense
from kinetree.program.specialise import specialise
from kinetree.program.verify import verify

SOLVED = 1e-11  # what is left of equations that a block of a Program solves


def kepler() -> Program:
    """E - e sin E = m, started at E = m; the output is cos E·e²."""
    scheme = Scheme("kepler")
    m, e = (en.symbol(name) for name in ("m", "e"))
    scheme.input(Input("m", (), (m,)))
    scheme.input(Input("e", (), (e,)))
    E = en.symbol("E")
    inner = Scheme("step")
    h = inner.let("h", E - e * en.sin(E) - m)
    write_newton(scheme, inner, [(E, m)], [(h, [1 - e * en.cos(E)])])
    scheme.output("y", [en.cos(E) * e**2])
    return verify(condense(scheme.program()))


def four_bar() -> Program:
    """Angles b, c of a planar four-bar with lengths l for the crank angle a."""
    scheme = Scheme("four_bar")
    a, b0, c0, b, c = (en.symbol(name) for name in ("a", "b0", "c0", "b", "c"))
    l = tuple(en.symbol(f"l{k}") for k in range(1, 5))
    scheme.input(Input("a", (), (a,)))
    scheme.input(Input("start", (2,), (b0, c0)))
    scheme.input(Input("l", (4,), l, (1.0, 3.0, 2.5, 3.0), parameter=True))
    inner = Scheme("step")
    rows = [
        (l[0] * en.cos(a) + l[1] * en.cos(b) - l[2] * en.cos(c) - l[3],
         [-l[1] * en.sin(b), l[2] * en.sin(c)]),
        (l[0] * en.sin(a) + l[1] * en.sin(b) - l[2] * en.sin(c),
         [l[1] * en.cos(b), -l[2] * en.cos(c)]),
    ]  # fmt: skip
    write_newton(scheme, inner, [(b, b0), (c, c0)], rows)
    scheme.output("angles", [b, c])
    scheme.output("height", [l[0] * en.sin(a) + l[1] * en.sin(b) / 2])
    return verify(condense(scheme.program()))


def sphere() -> Program:
    """The point of a sphere of radius r that lies below (x, y, z) in the direction of gravity g."""
    scheme = Scheme("sphere")
    start = tuple(en.symbol(name) for name in ("x0", "y0", "z0"))
    g = tuple(en.symbol(f"g{k}") for k in range(3))
    r, *place = (en.symbol(name) for name in ("r", "x", "y", "z"))
    scheme.input(Input("p", (3,), start))
    scheme.input(Input("g", (3,), g))
    scheme.input(Input("r", (), (r,)))
    inner = Scheme("step")
    h = (sum((x**2 for x in place), start=en.ZERO) - r**2) / 2
    J = sum((x * y for x, y in zip(place, g, strict=True)), start=en.ZERO)
    unknowns = list(zip(place, start, strict=True))
    write_newton(scheme, inner, unknowns, [(h, [J])], [[x] for x in g])
    scheme.output("place", place)
    return verify(condense(scheme.program()))


def newtons(program: Program) -> list[Newton]:
    return [block for block in program.blocks if isinstance(block, Newton)]


def test_kepler_is_solved_in_every_lane() -> None:
    m = np.linspace(0.1, 3.0, 7)
    e = 0.3
    y = kepler().evaluate(m=m, e=e)["y"][:, 0]
    E = np.arccos(y / e**2)
    np.testing.assert_allclose(E - e * np.sin(E), m, rtol=0, atol=ITERATED)


def test_no_solution_is_not_a_number_in_that_lane_only() -> None:
    out = four_bar().evaluate(
        a=np.array([1.0, 1.0]),
        start=np.array([0.4, 1.2]),
        l=np.array([[1.0, 3.0, 2.5, 3.0], [1.0, 3.0, 2.5, 30.0]]),
    )["angles"]
    assert np.isfinite(out[0]).all()
    assert np.isnan(out[1]).all()


def test_what_no_iteration_changes_is_outside() -> None:
    (block,) = newtons(four_bar())
    inside = [x for b in block.step.blocks for x in b.operands]
    angles = {x.args[0].name for x in en.topological(inside) if x.op.name in ("sin", "cos")}
    assert angles == {"b", "c"}
    assert len(block.given) == 4, "l2, l3 and the ends of the crank and the ground"


def test_parameters_alone_go_to_the_preamble() -> None:
    scheme = Scheme("root")
    p, x, x0 = (en.symbol(name) for name in ("p", "x", "x0"))
    scheme.input(Input("p", (), (p,), None, parameter=True))
    scheme.input(Input("x0", (), (x0,)))
    write_newton(scheme, Scheme("step"), [(x, x0)], [(x**2 - p**2 - p, [2 * x])])
    scheme.output("x", [x])
    program = verify(condense(scheme.program()))
    assert len(program.preamble) == 1
    assert program.evaluate(p=2.0, x0=1.0)["x"] == pytest.approx(np.sqrt(6.0), abs=IDENTITY)


STATE: dict[str, Any] = {"a": 0.7, "start": np.array([0.5, 1.3])}
LENGTHS = np.array([1.0, 3.0, 2.5, 3.0])


def by_complex_step(program: Program, of: str, name: str, value: Any, **rest: Any) -> np.ndarray:
    value = np.asarray(value, dtype=float)
    columns = []
    for k in range(value.size):
        z = value.astype(complex).ravel()
        z[k] += 1e-30j
        columns.append(program.evaluate(**{name: z.reshape(value.shape)}, **rest)[of].imag / 1e-30)
    return np.stack(columns, axis=-1)


@pytest.mark.parametrize("of", ["angles", "height"])
def test_forward_derivative_is_that_of_the_complex_step(of: str) -> None:
    program = four_bar()
    made = verify(program.derivative(of, ["a", "l", "start"]))
    out = made.evaluate(**STATE)
    want = by_complex_step(program, of, "a", STATE["a"], start=STATE["start"])
    np.testing.assert_allclose(out[f"d{of}_da"], want[:, 0], atol=IDENTITY)
    want = by_complex_step(program, of, "l", LENGTHS, **STATE)
    np.testing.assert_allclose(out[f"d{of}_dl"], want, atol=IDENTITY)
    assert not out[f"d{of}_dstart"].any()


def test_reverse_derivative_is_the_transposed_forward_one() -> None:
    program = four_bar()
    weights = np.array([0.3, -1.1])
    bars = verify(program.adjoint("angles", ["a", "l"])).evaluate(**STATE, angles_bar=weights)
    made = program.derivative("angles", ["a", "l"]).evaluate(**STATE)
    np.testing.assert_allclose(bars["a_bar"], weights @ made["dangles_da"], atol=IDENTITY)
    np.testing.assert_allclose(bars["l_bar"], weights @ made["dangles_dl"], atol=IDENTITY)


def test_second_derivative() -> None:
    first = four_bar().derivative("height", "a", only=True)
    second = verify(first.derivative("dheight_da", "a", only=True)).evaluate(**STATE)
    (name,) = second
    want = by_complex_step(first, "dheight_da", "a", STATE["a"], start=STATE["start"])
    np.testing.assert_allclose(second[name].ravel(), want.ravel(), atol=ITERATED)


def test_a_block_feeds_the_next() -> None:
    scheme = Scheme("two")
    a, x, y = (en.symbol(name) for name in ("a", "x", "y"))
    scheme.input(Input("a", (), (a,)))
    write_newton(scheme, Scheme("one"), [(x, a)], [(x**3 - a, [3 * x**2])])
    write_newton(scheme, Scheme("two"), [(y, x)], [(y**2 + y - x, [2 * y + 1])])
    scheme.output("y", [y])
    program = verify(condense(scheme.program()))
    (value,) = program.evaluate(a=4.0)["y"]
    assert (value**2 + value) ** 3 == pytest.approx(4.0, abs=SOLVED)
    slope = program.derivative("y", "a").evaluate(a=4.0)["dy_da"]
    want = by_complex_step(program, "y", "a", 4.0)
    np.testing.assert_allclose(slope, want[0], atol=IDENTITY)


def test_fixed_values_go_inside() -> None:
    fixed = verify(condense(specialise(kepler(), {"e": {0: 0.2}})))
    np.testing.assert_allclose(
        fixed.evaluate(m=1.3, e=0.0)["y"], kepler().evaluate(m=1.3, e=0.2)["y"], atol=ROUNDING
    )


def test_the_text_shows_the_equations_inside() -> None:
    text = kepler().show()
    assert "newton(n=1" in text
    assert "sin(E)" in text


def test_broken_blocks_are_told() -> None:
    from dataclasses import replace

    from kinetree.program.verify import BrokenProgramError

    program = kepler()
    (block,) = newtons(program)
    wrong: tuple[Node, ...] = ()
    broken = replace(program, blocks=(replace(block, given=wrong), *program.blocks[1:]))
    with pytest.raises(BrokenProgramError, match="values missing"):
        verify(broken)


BELOW: dict[str, Any] = {"p": np.array([0.3, -0.2, 1.7]), "g": np.array([0.1, 0.2, -1.0])}


def test_unknowns_move_along_directions_alone() -> None:
    place = sphere().evaluate(**BELOW, r=1.5)["place"]
    assert np.linalg.norm(place) == pytest.approx(1.5, abs=SOLVED)
    np.testing.assert_allclose(np.cross(place - BELOW["p"], BELOW["g"]), 0.0, atol=IDENTITY)


@pytest.mark.parametrize("by", ["p", "g", "r"])
def test_derivatives_along_directions(by: str) -> None:
    program = sphere()
    start = program.evaluate(**BELOW, r=1.5)["place"]
    given = {"p": start, "g": BELOW["g"], "r": np.asarray(1.5)}
    rest = {k: v for k, v in given.items() if k != by}
    want = by_complex_step(program, "place", by, given[by], **rest)
    got = verify(program.derivative("place", by)).evaluate(**given)[f"dplace_d{by}"]
    np.testing.assert_allclose(got.reshape(want.shape), want, atol=ITERATED)
    weights = np.array([0.7, -0.1, 0.4])
    bars = verify(program.adjoint("place", by)).evaluate(**given, place_bar=weights)[f"{by}_bar"]
    np.testing.assert_allclose(bars.ravel(), weights @ want, atol=ITERATED)
