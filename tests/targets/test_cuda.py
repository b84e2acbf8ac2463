"""CUDA: kernels mean what the reference means (run as C++), NVRTC takes them, orders are orders."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.approx import IDENTITY, TRAJECTORY, relative_error

import kinetree as kt
from kinetree.errors import KinetreeError, ShapeError, UnsupportedError
from kinetree.program import Output, Program
from kinetree.targets.cuda import CudaFunction, Tuning, driver, nvrtc, order, trig
from kinetree.targets.cuda import function as calls
from kinetree.targets.cuda.precision import DOUBLE, FLOAT
from kinetree.targets.cuda.source import source
from kinetree.targets.tape.lowering import lower
from targets import cases, corpus, newtons, registry
from targets.cuda_cpu import HOST_CUPY, HostArray, HostKernel, OnCpu

SINGLE = 1e-5
needs_nvrtc = pytest.mark.skipif(
    not nvrtc.available(), reason="NVRTC is not installed: pip install nvidia-cuda-nvrtc"
)
needs_gpu = pytest.mark.skipif(driver.library() is None, reason="no NVIDIA GPU on this machine")


@pytest.fixture(scope="module")
def gxx() -> str:
    path = shutil.which("g++")
    if path is None:
        pytest.skip("g++ is not on PATH: install the package 'g++'")
    return path


def assert_same(found: dict[str, Any], expected: dict[str, Any], limit: float) -> None:
    for name, value in expected.items():
        whole = np.broadcast_to(value, found[name].shape)
        assert relative_error(found[name].astype(float), whole) < limit, name


def rounded(values: dict[str, Any]) -> dict[str, Any]:
    """Values that float can hold."""
    return {name: np.asarray(v, np.float32).astype(float) for name, v in values.items()}


@pytest.mark.parametrize("name", registry.RUNS["cuda"])
def test_the_corpus(name: str, tmp_path: Path, gxx: str) -> None:
    case = cases.case(name)
    parameters = "each" if "p" in case.states[0] else "shared"
    found = OnCpu(case.program, tmp_path, gxx, parameters=parameters)(**case.trial.stack())
    rows = [{key: y[i] for key, y in found.items()} for i in range(len(case.states))]
    cases.assert_cases({name: rows}, IDENTITY)


@pytest.mark.parametrize("name", ["expressions", "system_7_11", "coupled_6", "sequence", "directed",
                                  "arm_forward", "forced", "crank", "four_bar"])  # fmt: skip
def test_single_precision(name: str, tmp_path: Path, gxx: str) -> None:
    case = cases.case(name)
    values = rounded(case.trial.stack())
    found = OnCpu(case.program, tmp_path, gxx, "float")(**values)
    assert_same(found, case.program.evaluate(**values), registry.SINGLE["cuda"])


@pytest.mark.parametrize("program", [corpus.with_preamble(), corpus.pathological_names()],
                         ids=lambda p: p.name)  # fmt: skip
@pytest.mark.parametrize("parameters", ["shared", "each"])
def test_parameters_and_names(program: Program, parameters: str, tmp_path: Path, gxx: str) -> None:
    values = corpus.arrays(program, (6,))
    size = len(program.input("p").symbols)
    batch = (6, size) if parameters == "each" else (size,)
    values["p"] = np.random.default_rng(1).uniform(0.5, 2, batch)
    found = OnCpu(program, tmp_path, gxx, parameters=parameters)(**values)
    assert_same(found, program.evaluate(**values), IDENTITY)


@pytest.mark.parametrize("rule", order.RULES)
def test_every_order_has_each_operation_after_what_it_reads(rule: str) -> None:
    tape = lower(corpus.SYSTEMS["system_7_11"]).body
    page = order.graph(tape, tape.operations())
    found = order.by_rule(page, rule)
    assert sorted(found) == page.work
    place = {entry: k for k, entry in enumerate(found)}
    assert all(place[need] < place[entry] for entry in found for need in page.needs[entry])


def test_the_best_order_keeps_fewer_values_than_the_tape() -> None:
    model = kt.load(Path(__file__).parents[2] / "examples" / "models" / "arm7.urdf")
    tape = lower(kt.derive(model, "forward")).body
    work = tape.operations()
    page = order.graph(tape, work)
    kept = {rule: max(order.live(page, order.by_rule(page, rule))) for rule in order.RULES}
    assert min(kept.values()) < 0.8 * kept["tape"]
    assert sorted(order.order_operations(tape, work, 60)) == work


@pytest.mark.parametrize("dtype", ["double", "float"])
def test_iterations_that_do_not_converge_are_no_numbers(
    dtype: str, tmp_path: Path, gxx: str
) -> None:
    found = OnCpu(newtons.kepler(limit=1), tmp_path, gxx, dtype)(
        m=np.array([[0.1, 0.99], [0.0, 0.5], [np.nan, 0.1]])
    )
    assert np.isnan(found["E"][[0, 2]]).all()
    assert found["E"][1] == 0


def test_waiting_for_one_another_changes_nothing(tmp_path: Path, gxx: str) -> None:
    program = corpus.long_chain(300)
    values = corpus.arrays(program, (3,))
    tuning = Tuning(block=64, resident=4, rule="tape", every=100)
    found = OnCpu(program, tmp_path, gxx, tuning=tuning)
    assert found.page.text.count("__syncthreads();") > 5
    assert "__launch_bounds__(64, 4)" in found.page.text
    assert_same(found(**values), program.evaluate(**values), IDENTITY)


@pytest.mark.parametrize(("dtype", "ulp"), [("double", 2.3e-16), ("float", 1.2e-7)])
def test_sines_of_any_angle(dtype: str, ulp: float, tmp_path: Path, gxx: str) -> None:
    import kinetree.engine as en

    (x,) = corpus.scalars("x")
    nodes = (en.sin(x.symbols[0]), en.cos(x.symbols[0]))
    out = Output("y", (2,), nodes)
    function = OnCpu(Program("angles", (x,), (), (), (out,)), tmp_path, gxx, dtype)
    limit = trig.FLOAT_LIMIT if dtype == "float" else 1.6e9
    rng = np.random.default_rng(0)
    near = [rng.uniform(-s, s, 2000) for s in (1e-3, 1.0, 10.0, 1e3, limit)]
    angles = np.concatenate([*near, [0.0, limit, 2 * limit, -1e12]]).astype(function.dtype)
    found = function(x=angles)["y"].astype(float)
    exact = angles.astype(np.longdouble)
    expected = np.stack([np.sin(exact), np.cos(exact)], axis=1)
    assert np.abs(found - expected).max() < ulp
    assert np.isnan(function(x=np.array([np.inf, np.nan, 2 * trig.FAR]))["y"]).all()


def test_large_constants_travel_by_address() -> None:
    from kinetree import engine as en
    from kinetree.program import Assign

    q, p = corpus.vector("q", 1), corpus.vector("p", 4000, parameter=True)
    k = [en.symbol(f"k_{i}", en.Rank.LOCAL) for i in range(4000)]
    blocks = tuple(Assign(a, b**2) for a, b in zip(k, p.symbols, strict=True))
    program = Program("many", (q, p), blocks, (), (
        Output("y", (), (en.add(*(a * q.symbols[0] ** (i % 3 + 1) for i, a in enumerate(k))),)),
    ))  # fmt: skip
    quick = Tuning(rule="tape")
    assert source(program, tuning=quick).passing == "pointer"
    assert source(program, dtype="float", tuning=quick).passing == "value"


def test_files_are_the_same_every_time_and_say_how_to_call(tmp_path: Path) -> None:
    program = corpus.with_preamble()
    first = [p.read_bytes() for p in program.write("cuda", tmp_path / "a")]
    second = [p.read_bytes() for p in program.write("cuda", tmp_path / "b")]
    assert first == second
    text = (tmp_path / "a" / "with_preamble.md").read_text()
    for word in ("i*count + s", "constants", "rod.mass", "with_preamble_preamble"):
        assert word in text
    (tmp_path / "a" / "with_preamble.cu").write_text("mine")
    with pytest.raises(KinetreeError, match="not generated by kinetree"):
        program.write("cuda", tmp_path / "a")


def test_refusals_are_sentences() -> None:
    program = corpus.expressions()
    with pytest.raises(UnsupportedError, match="'float' or 'double'"):
        source(program, dtype="half")
    with pytest.raises(UnsupportedError, match="shared"):
        source(program, parameters="some")
    with pytest.raises(UnsupportedError, match="no order"):
        source(program, tuning=Tuning(rule="any"))


def test_the_tolerance_of_float_is_that_of_its_rounding() -> None:
    ratio = np.finfo(np.float32).eps / np.finfo(np.float64).eps
    assert FLOAT.tolerance(1e-14) == 1e-14 * ratio
    assert FLOAT.tolerance(1e-11) == FLOAT.loosest
    assert FLOAT.tolerance(1e-3) == 1e-3
    assert DOUBLE.tolerance(1e-14) == 1e-14


@pytest.fixture
def hosted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, gxx: str) -> CudaFunction:
    """A function whose kernels run on the CPU, on arrays that look like those of CuPy."""
    function = CudaFunction(corpus.with_preamble(), "double", Tuning(), "sm_90")

    def kernel(self: CudaFunction, parameters: str, name: str) -> HostKernel:
        return HostKernel(self.source(parameters), name, tmp_path, gxx)

    monkeypatch.setattr(calls, "_cupy", lambda: HOST_CUPY)
    monkeypatch.setattr(CudaFunction, "kernel", kernel)
    return function


@pytest.mark.parametrize("batch", [(), (5,), (2, 3), (0,)])
@pytest.mark.parametrize("each", [False, True])
def test_calls_with_arrays(hosted: CudaFunction, batch: tuple[int, ...], each: bool) -> None:
    program = hosted.program
    values = corpus.arrays(program, batch)
    values["p"] = np.random.default_rng(1).uniform(0.5, 2, (*(batch if each else ()), 3))
    found = hosted(**values)
    expected = program.evaluate(**values)
    assert {name: y.shape for name, y in found.items()} == {"u": (*batch, 2), "k": (*batch, 2, 2)}
    assert_same({name: y.get() for name, y in found.items()}, expected, IDENTITY)


def test_arrays_in_the_order_of_results_are_not_copied(hosted: CudaFunction) -> None:
    q = np.random.default_rng(0).uniform(-1, 1, (2, 7)).view(HostArray).T
    first = hosted(q=q, parameters={"rod.length": 1.5})
    assert first["u"].T.flags.c_contiguous
    expected = hosted.program.evaluate(q=np.asarray(q), p=np.array([2.0, 1.5, 5.0]))
    assert_same({name: y.get() for name, y in first.items()}, expected, IDENTITY)


def test_calls_refuse_with_sentences(hosted: CudaFunction) -> None:
    with pytest.raises(ShapeError, match="expected shape"):
        hosted(q=np.zeros((4, 3)))
    with pytest.raises(ShapeError, match="not given"):
        hosted()
    with pytest.raises(KinetreeError, match="qq"):
        hosted(qq=np.zeros(2))
    with pytest.raises(KinetreeError, match=r"rod\.mas"):
        hosted(q=np.zeros((4, 2)), parameters={"rod.mas": 1.0})
    with pytest.raises(ShapeError, match="batches"):
        hosted(q=np.zeros((4, 2)), p=np.zeros((3, 3)))


@needs_nvrtc
@pytest.mark.parametrize("dtype", ["double", "float"])
@pytest.mark.parametrize("parameters", ["shared", "each"])
def test_nvrtc_compiles(dtype: str, parameters: str) -> None:
    small = (corpus.expressions(), corpus.with_preamble(), newtons.sequence())
    for program in small if parameters == "each" else (corpus.system(16, 2, symmetric=False),):
        page = source(program, dtype=dtype, parameters=parameters)
        code = nvrtc.compile_text(page.text, page.name)
        assert code.image[:4] == b"\x7fELF"
        assert 0 < code.registers <= 255


@needs_nvrtc
def test_a_function_is_compiled_without_a_gpu_and_says_what_running_needs() -> None:
    function = corpus.with_preamble().compile(target="cuda", dtype="float", arch="sm_90")
    assert function.machine_code().arch == "sm_90"
    expected = corpus.with_preamble().compile().preamble_values()
    assert function.constants() == pytest.approx(expected, rel=TRAJECTORY)
    if driver.library() is None:
        with pytest.raises(UnsupportedError, match="CuPy"):
            function(q=np.zeros((2, 2)))


@needs_nvrtc
def test_nvrtc_refuses_with_its_own_words() -> None:
    with pytest.raises(KinetreeError, match="identifier"):
        nvrtc.compile_text("int f() { return missing; }", "wrong")


@needs_gpu
@needs_nvrtc
@pytest.mark.parametrize("dtype", ["double", "float"])
@pytest.mark.parametrize("name", ["with_preamble", "sequence"])
def test_on_a_gpu(name: str, dtype: str) -> None:
    pytest.importorskip("cupy")
    program = {"with_preamble": corpus.with_preamble(), "sequence": newtons.sequence()}[name]
    function = program.compile(target="cuda", dtype=dtype)
    values = rounded(corpus.arrays(program, (50, 3)))
    size = len(program.input("p").symbols)
    for p in (
        np.linspace(0.2, 0.5, size),
        np.random.default_rng(0).uniform(0.2, 0.5, (50, 3, size)),
    ):
        given = rounded({**values, "p": p})
        found = {key: y.get() for key, y in function(**given).items()}
        assert_same(found, program.evaluate(**given), SINGLE if dtype == "float" else IDENTITY)
