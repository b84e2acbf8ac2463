"""Every target that writes text runs the corpus and agrees with the reference evaluation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from approx import FORMALISM, IDENTITY, assert_close
from kinetree.certificate.runners import CALLS, QUICK, Tool, run_text
from kinetree.errors import UnsupportedError
from targets.cases import assert_cases, case, tool
from targets.registry import ITERATED, REFUSED, RUNS, SINGLE, iterates

STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic"]
SMALL = (
    "expressions", "with_preamble", "while", "system_3_1", "system_12_24", "system_1_2_general",
    "kepler", "sequence", "directed", "pendulum_forward", "forced", "crank", "four_bar",
    "cranks",
)  # fmt: skip
"""Cases in which single precision does not lose more than a few of its seven digits."""


def run(target: str, names: tuple[str, ...], folder: Path, tool: Tool) -> dict[str, Any]:
    trials = [case(name).trial for name in names]
    return dict(zip(names, run_text(target, trials, folder, tool), strict=True))


def c_like(target: str, names: tuple[str, ...], folder: Path, precision: str) -> dict[str, Any]:
    compiler = tool("g++", "g++") if target == "cpp" else tool("gcc", "gcc")
    return run(target, names, folder, Tool(compiler, ("-O0", *STRICT), precision))


def fortran(names: tuple[str, ...], folder: Path, precision: str = "double") -> dict[str, Any]:
    flags = ("-O0", "-Wall", "-Wno-unused-dummy-argument", "-Wno-compare-reals", "-Werror")
    return run("fortran", names, folder, Tool(tool("gfortran", "gfortran"), flags, precision))


@pytest.mark.parametrize("target", ["c", "cpp"])
def test_c_and_cpp(target: str, tmp_path: Path) -> None:
    assert_cases(c_like(target, RUNS[target], tmp_path, "double"), IDENTITY)


@pytest.mark.parametrize("target", ["c", "cpp"])
def test_c_and_cpp_in_single_precision(target: str, tmp_path: Path) -> None:
    assert_cases(c_like(target, SMALL, tmp_path, "single"), SINGLE[target], 1.0)


def test_fortran(tmp_path: Path) -> None:
    assert_cases(fortran(RUNS["fortran"], tmp_path), IDENTITY)


def test_fortran_in_single_precision(tmp_path: Path) -> None:
    found = fortran(SMALL, tmp_path, "single")
    assert_cases(found, SINGLE["fortran"], 1.0)


def test_matlab_in_octave(tmp_path: Path) -> None:
    octave = Tool(tool("octave-cli", "octave"))
    assert_cases(run("matlab", RUNS["matlab"], tmp_path, octave), IDENTITY)


def test_javascript_in_node(tmp_path: Path) -> None:
    node = Tool(tool("node", "nodejs"))
    assert_cases(run("javascript", RUNS["javascript"], tmp_path, node), IDENTITY)


def stacked(name: str) -> dict[str, Any]:
    return case(name).trial.stack()


def split(name: str, found: dict[str, Any]) -> list[dict[str, Any]]:
    return case(name).trial.split(found)


@pytest.mark.parametrize("target", ["native", "python"])
def test_functions_of_batches(target: str) -> None:
    found = {}
    unchecked = {"check": False} if target == "native" else {}  # quaternions of any length
    for name in RUNS[target]:
        function = case(name).program.compile(target=target)
        with np.errstate(invalid="ignore"):
            found[name] = split(name, function(**stacked(name), **unchecked))
            values = function(**case(name).states[0], **unchecked)
        found[name][0] = {key: np.asarray(values[key]) for key in found[name][0]}
    assert_cases(found, IDENTITY)


def test_jax_compiles_batches_of_everything() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed: pip install jax")
    functions = {name: case(name).program.compile(target="jax") for name in RUNS["jax"]}

    def everything(given: dict[str, Any]) -> dict[str, Any]:
        return {name: function(**given[name]) for name, function in functions.items()}

    found = jax.jit(everything, compiler_options=QUICK)({n: stacked(n) for n in functions})
    assert_cases({name: split(name, rows) for name, rows in found.items()}, IDENTITY)


def derivative(name: str, state: dict[str, Any]) -> Any:
    """Exact dqdd/dq of a case, q being independent numbers."""
    program = case(name).program.derivative("qdd", "q", tangent=False)
    return program.evaluate(**state)["dqdd_dq"]


@pytest.mark.parametrize("name", ["talos", "limousine"])
def test_jax_sees_little_of_a_long_program(name: str) -> None:
    """XLA takes seconds for a few hundred operations and minutes for ten thousand."""
    jax = pytest.importorskip("jax", reason="JAX is not installed: pip install jax")
    function = case(name).program.compile(target="jax")
    page = jax.make_jaxpr(function)(**case(name).states[0]).jaxpr
    assert len(page.eqns) < 500
    assert case(name).program.count().total > 8000


@pytest.mark.parametrize("name", ["four_bar", "crank", "pendulum_forward", "arm_forward"])
def test_jax_differentiates_through_iterations(name: str) -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed: pip install jax")
    function = case(name).program.compile(target="jax")
    batch = stacked(name)
    rest = {key: row for key, row in batch.items() if key != "q"}

    def qdd(q: Any, others: dict[str, Any]) -> Any:
        return function(q=q, **others)["qdd"]

    for kind in (jax.jacfwd, jax.jacrev):
        slope = jax.jit(jax.vmap(kind(qdd)), compiler_options=QUICK)
        found = np.asarray(slope(batch["q"], rest))
        for row, state in zip(found, case(name).states, strict=True):
            assert_close(row, derivative(name, state), FORMALISM, f"{kind.__name__} of {name}")


@pytest.mark.parametrize("name", ["four_bar", "crank", "pendulum_forward"])
def test_casadi_differentiates_through_iterations(name: str) -> None:
    casadi = pytest.importorskip("casadi", reason="CasADi is not installed: pip install casadi")
    program = case(name).program
    function = program.compile(target="casadi")
    symbols = [casadi.MX.sym(row.name, max(len(row.symbols), 1)) for row in program.inputs]
    slope = casadi.Function(
        "slope", symbols, [casadi.jacobian(function.call(symbols)[0], symbols[0])]
    )
    for state in case(name).states:
        given = [np.asarray(state.get(row.name, row.default), float) for row in program.inputs]
        assert_close(np.array(slope(*given)), derivative(name, state), FORMALISM, name)


def curvature(e: float, m: float) -> float:
    """d2E/dm2 of Kepler's equation E - e sin E = m."""
    E = case("kepler").program.evaluate(m=[m, e])["E"][0]
    return float(-e * np.sin(E) / (1 - e * np.cos(E)) ** 3)


def test_second_derivatives_of_a_solution_in_jax() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed: pip install jax")
    function = case("kepler").program.compile(target="jax")
    bend = jax.grad(jax.grad(lambda m: function(m=jax.numpy.stack([m, 0.4]))["E"][0]))
    assert_close(float(bend(0.7)), curvature(0.4, 0.7), FORMALISM)


def test_second_derivatives_of_a_solution_in_casadi() -> None:
    casadi = pytest.importorskip("casadi", reason="CasADi is not installed: pip install casadi")
    function = case("kepler").program.compile(target="casadi")
    m = casadi.MX.sym("m", 2)
    bend = casadi.Function("bend", [m], [casadi.hessian(function(m)[0], m)[0][0, 0]])
    assert_close(float(bend([0.7, 0.4])), curvature(0.4, 0.7), FORMALISM)


def test_casadi() -> None:
    pytest.importorskip("casadi", reason="CasADi is not installed: pip install casadi")
    found = {name: CALLS["casadi"](case(name).trial) for name in RUNS["casadi"]}
    assert_cases(found, IDENTITY)


def test_sympy() -> None:
    pytest.importorskip("sympy", reason="SymPy is not installed: pip install sympy")
    found = {name: CALLS["sympy"](case(name).trial) for name in RUNS["sympy"]}
    assert_cases(found, IDENTITY)


@pytest.mark.parametrize("name", ITERATED)
def test_sympy_refuses_iterations(name: str, tmp_path: Path) -> None:
    assert name in REFUSED["sympy"]
    program = case(name).program
    assert iterates(program)
    sentence = f"'{name}'.*iteration.*CasADi"
    with pytest.raises(UnsupportedError, match=sentence):
        program.compile(target="sympy")
    with pytest.raises(UnsupportedError, match=sentence):
        program.write("sympy", tmp_path)
    assert not any(tmp_path.iterdir())


def test_sympy_writes_an_output_in_terms_of_inputs_alone() -> None:
    sympy = pytest.importorskip("sympy", reason="SymPy is not installed: pip install sympy")
    equations = case("pendulum_inverse").program.compile(target="sympy")
    tau = equations.full("tau")
    given = {symbol for row in equations.inputs.values() for symbol in row}
    assert tau.free_symbols <= given
    qdd = equations.inputs["qdd"]
    assert all(sympy.diff(row, qdd[0], 2) == 0 for row in tau)
