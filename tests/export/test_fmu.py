"""FMUs: the validator is silent, importers move them as `simulate` does, derivatives are exact."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.approx import COARSE_RUN, FORMALISM, IDENTITY, ULP, assert_close

import kinetree as kt
import lengths
import mechanisms
from export.models import cascade, example, rich
from kinetree.analysis.observing.program import with_positions
from kinetree.analysis.runs.dynamics import dynamics
from kinetree.errors import KinetreeError, ModelWarning
from kinetree.export import building
from kinetree.export.equations import directional, equations

fmpy = pytest.importorskip("fmpy", reason="needs the package fmpy to load FMUs")
from fmpy.fmi2 import FMU2Slave  # noqa: E402
from fmpy.fmi3 import FMU3Model, FMU3Slave  # noqa: E402
from fmpy.validation import validate_fmu  # noqa: E402

GCC = building.compiler()
compiled = pytest.mark.skipif(GCC is None, reason="needs a C compiler (gcc) on PATH")
pytestmark = pytest.mark.crosscheck

Array = NDArray[np.float64]
AGREE = 1e-6  # two integrators on the same equations
TIGHT: dict[str, Any] = {"rtol": 1e-10, "atol": 1e-12}
KINDS = ("ModelExchange", "CoSimulation")


class Exported:
    """FMUs by model and version, each made once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.models = {
            "slider_crank": (lambda: example("slider_crank"), {"points": ["rod.end"]}),
            "double_pendulum": (lambda: example("double_pendulum"), {}),
            "iltis": (lambda: example("iltis"), {"derivatives": False, "step": 5e-4}),
            "rich": (rich, {"points": ["ball.side"]}),
            "cascade": (cascade, {"derivatives": False}),
        }
        self.made: dict[str, kt.Model] = {}

    def model(self, name: str) -> kt.Model:
        """The model itself."""
        if name not in self.made:
            self.made[name] = self.models[name][0]()
        return self.made[name]

    def __call__(self, name: str, version: str = "3.0") -> str:
        path = self.folder / f"{name}_{version}.fmu"
        if not path.exists():
            options: dict[str, Any] = self.models[name][1]
            kt.export_fmu(self.model(name), path, version=version, **options)
        return str(path)


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Exported:
    return Exported(tmp_path_factory.mktemp("fmu"))


def played(path: str, kind: str, duration: float, rtol: float = 1e-11, **options: Any) -> Any:
    """The run of an FMU in another simulator, 41 times."""
    return fmpy.simulate_fmu(
        path, fmi_type=kind, stop_time=duration, output_interval=duration / 40,
        relative_tolerance=rtol, record_events=False, **options,
    )  # fmt: skip


def assert_same_motion(found: Any, run: Any) -> None:
    """Coordinates, velocities and user states of both runs agree."""
    for part, axis in (("q", "coordinate"), ("qd", "velocity"), ("x", "state")):
        for k, name in enumerate(run[axis].values if part in run else ()):
            column = run[part].values[:, k]
            scale = max(1.0, float(np.abs(column).max()))
            assert_close(found[f"{part}_{name}"], column, AGREE, f"{part} of {name}", scale)


MOTIONS: dict[str, tuple[float, dict[str, float], dict[str, float]]] = {
    "slider_crank": (1.0, {}, {"rod": 0.5}),
    "double_pendulum": (1.0, {}, {}),
    "rich": (1.0, {}, {"wrist_wx": 1.0}),
    "iltis": (0.3, {"speed": 20.0, "bump_left": -0.02, "bump_right": 0.02}, {"x": 20.0}),
}
"""Duration, parameters and start velocities; the Iltis rolls over a bump."""


@compiled
@pytest.mark.parametrize(
    ("name", "version"),
    [("slider_crank", "3.0"), ("slider_crank", "2.0"), ("double_pendulum", "2.0"),
     ("rich", "3.0"), ("rich", "2.0"), pytest.param("iltis", "3.0", marks=pytest.mark.slow)],
)  # fmt: skip
def test_importers_find_the_same_motion(name: str, version: str, exported: Exported) -> None:
    path = exported(name, version)
    assert validate_fmu(path) == []
    duration, values, qd = MOTIONS[name]
    model = exported.model(name)
    run = kt.simulate(model, duration, step=duration / 40, qd=qd, parameters=values, **TIGHT)
    assert run.attrs["termination"] == "finished"
    assert np.count_nonzero(np.ptp(run.q.values, axis=0) > 1e-3) >= min(model.nq, 15)
    given = {**values, **{f"qd_{name}": value for name, value in qd.items()}}
    for kind in KINDS:
        assert_same_motion(played(path, kind, duration, start_values=given), run)


@compiled
@pytest.mark.parametrize("kind", KINDS)
def test_parameters_starts_and_inputs_change_the_motion(kind: str, exported: Exported) -> None:
    model = exported.model("double_pendulum")
    given = {"L1": 1.1, "m2": 0.4}
    start = {"shoulder": -0.3, "elbow": 0.8}
    run = kt.simulate(
        model, 1.0, step=1 / 40, q=start, tau={"elbow": 0.7}, parameters=given, **TIGHT
    )
    usual = kt.simulate(model, 1.0, step=1 / 40, **TIGHT)
    assert np.abs(run.q.values - usual.q.values).max() > 0.1
    values = {**given, "q_shoulder": -0.3, "q_elbow": 0.8, "tau_elbow": 0.7}
    found = played(exported("double_pendulum"), kind, 1.0, start_values=values)
    assert_same_motion(found, run)


@compiled
@pytest.mark.parametrize("kind", KINDS)
def test_loops_are_closed_anew_with_other_parameters(kind: str, exported: Exported) -> None:
    """Of a closed system the independent start values are kept, the others follow."""
    values = {"rod.end_x": 2.3, "q_rod": -1.3}
    found = played(exported("slider_crank"), kind, 0.5, start_values=values)
    model = exported.model("slider_crank")
    run = kt.simulate(
        model, 0.5, step=0.5 / 40, q={"rod": -1.3}, parameters={"rod.end_x": 2.3},
        independent=["rod"], **TIGHT,
    )  # fmt: skip
    assert_same_motion(found, run)
    tip = np.sin(found["q_crank"]) + 2.3 * np.sin(found["q_crank"] + found["q_rod"])
    assert np.abs(tip).max() < AGREE


@compiled
def test_outputs_are_the_positions_of_points_and_the_forces_of_loops(exported: Exported) -> None:
    names = ["rod.end.x", "rod.end.y", "lam_pin.x", "q_slide", "qdd_slide"]
    path = exported("slider_crank")
    found = played(path, "CoSimulation", 0.5, output=names)
    run = kt.simulate(exported.model("slider_crank"), 0.5, step=0.5 / 40, **TIGHT)
    assert_close(found["rod.end.x"], run.q.values[:, 2], AGREE, "end of the rod")
    assert np.abs(found["rod.end.y"]).max() < IDENTITY
    assert_close(found["lam_pin.x"], run.lam.values[:, 0], COARSE_RUN, "force in the pin")
    assert_close(found["qdd_slide"], run.qdd.values[:, 2], COARSE_RUN, "acceleration of the slider")


# --- single calls --------------------------------------------------------------------------------


def opened(
    path: str, folder: Path, kind: Callable[..., Any] = FMU3Model
) -> tuple[Any, dict[str, int]]:
    """An instance that waits for values, and the value references by name."""
    about = fmpy.read_model_description(path)
    token = about.instantiationToken if about.fmiVersion != "2.0" else about.guid
    fmpy.extract(path, str(folder))
    unit = kind(
        guid=token,
        unzipDirectory=str(folder),
        modelIdentifier=about.modelExchange.modelIdentifier,
        instanceName="one",
    )
    unit.instantiate()
    return unit, {v.name: v.valueReference for v in about.modelVariables}


def started(unit: Any, t: float) -> None:
    unit.enterInitializationMode(startTime=t)
    unit.exitInitializationMode()


@compiled
@pytest.mark.parametrize("name", ["slider_crank", "rich"])
def test_derivatives_are_those_of_the_program(
    name: str, exported: Exported, tmp_path: Path
) -> None:
    system = dynamics(exported.model(name))
    seen = with_positions(system.model, None, exported.models[name][1]["points"])
    found = equations(system, name, seen)
    main = found.main
    rng = np.random.default_rng(4)
    given = {
        "t": np.array(0.3),
        "y": system.project(0.3, found.start + 0.1 * rng.normal(size=len(found.start))),
        "u": rng.normal(size=len(found.labels("u"))),
    }
    results = found.results()
    by = tuple(row.name for row in main.inputs)
    J = main.derivative(results, by, only=True).evaluate(**given)
    rows = [[J[f"d{a}_d{b}"].reshape(len(found.labels(a)), -1) for b in by] for a in results]
    jacobian = np.block(rows)

    unit, refs = opened(exported(name), tmp_path)
    for label, values in (("y", given["y"]), ("u", given["u"])):
        unit.setFloat64([refs[n] for n in found.labels(label)], values.tolist())
    started(unit, 0.3)
    order = list(refs.values())
    ny, nu, n_p = (len(found.labels(x)) for x in ("y", "u", "p"))
    knowns = [*order[: 1 + ny], *order[1 + 2 * ny : 1 + 2 * ny + nu + n_p]]
    unknowns = [*order[1 + ny : 1 + 2 * ny], *order[1 + 2 * ny + nu + n_p : -1]]
    assert (len(unknowns), len(knowns)) == jacobian.shape
    columns = [unit.getDirectionalDerivative(unknowns, [k], [1.0]) for k in knowns]
    assert_close(np.array(columns).T, jacobian, FORMALISM, "columns, one by one")
    seed = rng.normal(size=len(knowns))
    along = unit.getDirectionalDerivative(unknowns, knowns, seed.tolist())
    assert_close(np.array(along), jacobian @ seed, FORMALISM, "one direction in all")
    weights = rng.normal(size=len(unknowns))
    back = unit.getAdjointDerivative(unknowns, knowns, weights.tolist(), len(knowns))
    assert_close(np.array(back), weights @ jacobian, FORMALISM, "adjoint")
    assert unit.getDirectionalDerivative([1], [1], [2.5]) == [2.5]
    unit.freeInstance()


def test_a_direction_costs_little_more_than_the_equations() -> None:
    found = equations(dynamics(example("andrews")), "andrews")
    assert directional(found, "a").count().total < 5 * found.main.count().total


@compiled
@pytest.mark.parametrize("kind", [FMU3Slave, FMU2Slave])
def test_a_state_kept_as_bytes_is_continued_elsewhere(
    kind: type[Any], exported: Exported, tmp_path: Path
) -> None:
    three = kind is FMU3Slave
    path = exported("rich", "3.0" if three else "2.0")

    def instance(number: int) -> tuple[Any, dict[str, int]]:
        unit, refs = opened(path, tmp_path / str(number), kind)
        if not three:
            unit.setupExperiment(startTime=0.0)
        unit.enterInitializationMode()
        unit.exitInitializationMode()
        return unit, refs

    def values(unit: Any) -> list[float]:
        get = unit.getFloat64 if three else unit.getReal
        return [float(x) for x in get(list(range(len(refs))))]

    def go(unit: Any, t: float) -> None:
        for k in range(10):
            unit.doStep(currentCommunicationPoint=t + 0.01 * k, communicationStepSize=0.01)

    first, refs = instance(1)
    set_values = first.setFloat64 if three else first.setReal
    set_values([refs["arm.mass"], refs["gust_fx"]], [2.0, 3.0])
    go(first, 0.0)
    state = first.getFMUState() if three else first.getFMUstate()
    pack = first.serializeFMUState if three else first.serializeFMUstate
    packed = pack(state)
    middle = values(first)
    go(first, 0.1)
    end = values(first)
    assert end != middle

    second, _ = instance(2)
    unpack = second.deserializeFMUState if three else second.deSerializeFMUstate
    put = second.setFMUState if three else second.setFMUstate
    put(unpack(packed))
    assert values(second) == middle
    go(second, 0.1)
    assert values(second) == end
    if three:
        with pytest.raises(Exception, match="fmi3DeserializeFMUState"):
            unpack(packed[:-8])
    (first.setFMUState if three else first.setFMUstate)(state)
    go(first, 0.1)
    assert values(first) == end
    first.reset()
    first.freeInstance()
    second.freeInstance()


@compiled
def test_branches_are_events(exported: Exported, tmp_path: Path) -> None:
    """The indicator is zero where the branch changes."""
    unit, refs = opened(exported("rich"), tmp_path)
    unit.setFloat64([refs["q_swing"]], [0.2])
    started(unit, 0.0)
    assert unit.getFloat64([refs["event[1]"]]) == [pytest.approx(0.0, abs=ULP)]
    about = fmpy.read_model_description(exported("rich"))
    assert about.numberOfEventIndicators == 1
    unit.freeInstance()


@compiled
def test_drift_from_the_loops_is_answered_by_an_event(exported: Exported, tmp_path: Path) -> None:
    unit, refs = opened(exported("slider_crank"), tmp_path)
    started(unit, 0.0)
    unit.updateDiscreteStates()
    unit.enterContinuousTimeMode()
    assert unit.completedIntegratorStep() == (False, False)
    names = ["q_crank", "q_rod", "q_slide", "qd_crank", "qd_rod", "qd_slide"]
    y = np.array(unit.getFloat64([refs[n] for n in names]))
    off = y + np.array([1e-3, 0, -1e-3, 0, 0, 0])
    unit.setContinuousStates(off.ctypes.data_as(fmpy.fmi3.POINTER(fmpy.fmi3.fmi3Float64)), 6)
    assert unit.completedIntegratorStep() == (True, False)
    unit.enterEventMode()
    again, terminate, _, changed, next_defined, _ = unit.updateDiscreteStates()
    assert (again, terminate, changed, next_defined) == (False, False, True, False)
    assert_close(np.array(unit.getFloat64([refs[n] for n in names])), y, IDENTITY, "closed again")
    unit.freeInstance()


@compiled
def test_wrong_calls_are_refused(exported: Exported, tmp_path: Path) -> None:
    unit, refs = opened(exported("slider_crank"), tmp_path)
    with pytest.raises(Exception, match="fmi3SetFloat64"):
        unit.setFloat64([refs["qdd_crank"]], [0.0])
    with pytest.raises(Exception, match="fmi3GetFloat64"):
        unit.getFloat64([len(refs)])
    with pytest.raises(Exception, match="fmi3EnterContinuousTimeMode"):
        unit.enterContinuousTimeMode()
    unit.freeInstance()


@compiled
@pytest.mark.parametrize(
    ("model", "name", "value"),
    [
        (mechanisms.four_bar, "top.end_x", 9.0),
        (lengths.four_bar, "Z", 0.25),
        (lengths.three_cranks, "L3", 1.2),
    ],
    ids=["too long", "out of the plane", "one crank differs"],
)
def test_loops_that_cannot_close_end_the_start(
    model: Any, name: str, value: float, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = kt.export_fmu(model(), tmp_path, derivatives=False)
    unit, refs = opened(str(path), tmp_path / "inside")
    unit.setFloat64([refs[name]], [value])
    unit.enterInitializationMode()
    with pytest.raises(Exception, match="fmi3ExitInitializationMode"):
        unit.exitInitializationMode()
    assert "the loops do not close" in capfd.readouterr().out
    unit.reset()
    started(unit, 0.0)
    unit.freeInstance()


def test_inputs_start_with_their_defaults(tmp_path: Path) -> None:
    """Baumgarte's method is as strong as in a run here; units are its own."""
    path = kt.export_fmu(example("four_bar"), tmp_path, loops="multipliers", binary=False)
    rows = fmpy.read_model_description(str(path)).modelVariables
    found = {v.name: (float(v.start), v.unit) for v in rows if v.causality == "input"}
    row = kt.derive(example("four_bar"), loops="multipliers").input("baumgarte")
    assert row.default is not None
    assert row.default[0] > 0
    assert found["baumgarte_alpha"] == (row.default[0], "1/s")
    assert found["tau_crank"] == (0.0, "N.m")


# --- files ---------------------------------------------------------------------------------------


def test_the_same_model_gives_the_same_bytes(tmp_path: Path) -> None:
    code = (
        "import sys, kinetree as kt;"
        "kt.export_fmu(kt.load(sys.argv[1]), sys.argv[2], binary=sys.argv[3] == 'yes', "
        "derivatives=False)"
    )
    model = Path(__file__).resolve().parents[2] / "examples" / "models" / "double_pendulum.yaml"
    wanted = "yes" if GCC else "no"
    paths = [tmp_path / "one.fmu", tmp_path / "deeper" / "two.fmu"]
    kt.export_fmu(kt.load(model), paths[0], binary=bool(GCC), derivatives=False)
    source = str(Path(kt.__file__).parents[1])
    subprocess.run(
        [sys.executable, "-c", code, str(model), str(paths[1]), wanted],
        check=True, env={"PYTHONHASHSEED": "7", "PYTHONPATH": source, "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert paths[0].read_bytes() == paths[1].read_bytes()
    with zipfile.ZipFile(paths[0]) as zipped:
        assert all(info.date_time == (1980, 1, 1, 0, 0, 0) for info in zipped.infolist())
        texts = b"".join(zipped.read(name) for name in zipped.namelist())
    assert str(tmp_path).encode() not in texts
    assert b"generationDateAndTime" not in texts


@compiled
@pytest.mark.parametrize("version", ["3.0", "2.0"])
@pytest.mark.parametrize("name", ["rich", "cascade"])
def test_sources_compile_without_a_warning(
    name: str, version: str, exported: Exported, tmp_path: Path
) -> None:
    fmpy.extract(exported(name, version), str(tmp_path))
    folder = tmp_path / "sources"
    listed = (folder / "buildDescription.xml" if version == "3.0" else
              tmp_path / "modelDescription.xml").read_text()  # fmt: skip
    files = [path.name for path in folder.glob("*.c")]
    assert files
    assert all(f'name="{name}"' in listed for name in files)
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-c"]
    prefix = f"-DFMI{version[0]}_FUNCTION_PREFIX={name}_"
    subprocess.run([str(GCC), *flags, prefix, *files], cwd=folder, check=True)


@pytest.mark.parametrize("version", ["3.0", "2.0"])
def test_without_a_compiler_sources_are_written_and_told(
    version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    model = example("double_pendulum")
    path = tmp_path / "pendulum.fmu"
    with pytest.warns(ModelWarning, match=r"no C compiler.*sources and no binary.*gcc"):
        kt.export_fmu(model, path, version=version, derivatives=False)
    assert validate_fmu(str(path)) == []
    with zipfile.ZipFile(path) as zipped:
        assert not [name for name in zipped.namelist() if name.startswith("binaries")]
    with pytest.raises(KinetreeError, match="no C compiler"):
        kt.export_fmu(model, path, binary=True)
    kt.export_fmu(model, path, version=version, binary=False)


def test_names_that_trouble_xml_or_c(tmp_path: Path) -> None:
    model = kt.Model('odd "model" <1>')
    arm = model.body('a<&>"', mass=2.0, com=(0, 0, -1), inertia=(1, 1, 1))
    model.revolute("time", model.ground, arm, axis="y", initial=0.3)
    more = model.body("step", mass=1.0, com=(1, 0, -1), inertia=(1, 1, 1))
    model.revolute("é\"'<", arm, more, axis="y")
    path = kt.export_fmu(model, tmp_path, binary=False)
    assert validate_fmu(str(path)) == []
    about = fmpy.read_model_description(str(path))
    assert about.modelExchange.modelIdentifier == path.stem == "odd__model___1_"
    names = [v.name for v in about.modelVariables]
    assert {"q_time", "q_é\"'<", 'a<&>".mass', "step"} <= set(names)
    assert len(set(names)) == len(names)


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    model = example("double_pendulum")
    foreign = tmp_path / "mine.fmu"
    foreign.write_text("mine")
    with pytest.raises(KinetreeError, match=r"not generated by kinetree.*force=True"):
        kt.export_fmu(model, foreign, binary=False)
    assert foreign.read_text() == "mine"
    kt.export_fmu(model, foreign, binary=False, force=True)
    kt.export_fmu(model, foreign, binary=False)
    with pytest.raises(KinetreeError, match="cannot be written"):
        kt.export_fmu(model, foreign / "inner" / "a.fmu", binary=False)
    with pytest.raises(KinetreeError, match="not a valid suffix of an FMU"):
        kt.export_fmu(model, tmp_path / "a.zip")
    with pytest.raises(KinetreeError, match=r"no version of FMI '1\.0'"):
        kt.export_fmu(model, foreign, version="1.0")
    with pytest.raises(KinetreeError, match="positive time"):
        kt.export_fmu(model, foreign, step=0.0)
    with pytest.raises(KinetreeError, match=r"no point 'lower\.hand'"):
        kt.export_fmu(model, foreign, points=["lower.hand"])


@pytest.mark.parametrize("version", ["2.0", "3.0"])
@pytest.mark.parametrize(("effort", "times"), [(0.02, 0), (2.0, 1)])
def test_a_step_that_a_motion_has_outgrown_is_told_once(
    version: str, effort: float, times: int, tmp_path: Path
) -> None:
    path = kt.export_fmu(example("four_bar"), tmp_path / "bar.fmu", version=version, step=1e-3)
    said: list[Any] = []
    fmpy.simulate_fmu(
        str(path), fmi_type="CoSimulation", stop_time=0.8, output_interval=0.02,
        start_values={"tau_crank": effort}, debug_logging=True,
        logger=lambda *given: said.append(given[-1]),
    )  # fmt: skip
    assert sum(b"are long for this motion" in bytes(text) for text in said) == times
