"""Mechanics and hydraulics in one system, and as two FMUs that exchange values at intervals.

Table 1 of Docquier, Poncelet, Fisette 2013 has a car on the H2 suspension strongly coupled (one
system) and weakly (two blocks), by an explicit and a stiff integrator; here is that table of
`examples/models/saloon_h2.yaml`, whose data are not theirs, for intervals of exchange of 10 to
0.1 ms.  `split` cuts any model file with cylinders: the mechanics get forces as inputs, the circuit
travels and rates.  What one gives holds for the other until the next exchange.  FMPy steps the
FMUs; they integrate by the method of Runge and Kutta of Co-Simulation.
"""

from __future__ import annotations

import math
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml

import kinetree as kt
from benchmarks import report
from benchmarks.models import ROOT

FILE = ROOT / "examples" / "models" / "saloon_h2.yaml"
FLUID = (
    "fluid", "fluid_volume", "accumulator", "tank", "fluid_line", "fluid_resistance", "orifice",
    "check_valve", "fluid_source",
)  # fmt: skip
INTERVALS = (1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4)
PAPER = {"explicit": ("66 s, 13 754", "38 s, 7946"), "stiff": ("failed", "40 s, 5767")}
"""Simulation time and steps, weakly and strongly coupled, on an Intel Core 2 Duo of 2.53 GHz."""


@dataclass(frozen=True)
class Halves:
    """A model cut at its cylinders.

    Attributes:
        mechanics: inputs NAME_push, forces that push the ends of the cylinders apart [N]; outputs
            NAME_travel and NAME_closing [m, m/s].
        circuit: the other way about.
        cylinders: their names.
    """

    mechanics: dict[str, Any]
    circuit: dict[str, Any]
    cylinders: tuple[str, ...]

    @property
    def pushes(self) -> list[str]:
        """Forces, from the circuit to the mechanics."""
        return [f"{name}_push" for name in self.cylinders]

    @property
    def motions(self) -> list[str]:
        """Travels and rates, from the mechanics to the circuit."""
        return [f"{name}_{what}" for what in ("travel", "closing") for name in self.cylinders]


def split(data: Mapping[str, Any]) -> Halves:
    """The content of a model file, cut at its cylinders."""
    forces = data["forces"]
    names = tuple(name for name, row in forces.items() if row["kind"] == "cylinder")
    given = data.get("parameters", {})
    own = {name: row for name, row in forces.items() if row["kind"] not in (*FLUID, "cylinder")}
    oil = {name: row for name, row in forces.items() if row["kind"] in FLUID}
    sent, seen = {}, {}
    for name in names:
        row = forces[name]
        ends = {"first": row["first"], "second": row["second"]}
        own[name] = {"kind": "link", **ends, "law": f"-{name}_push"}
        sent[f"{name}_travel"] = {"expression": f"{row['length']} - {name}.length", "unit": "m"}
        sent[f"{name}_closing"] = {"expression": f"-{name}.rate", "unit": "m/s"}
        chambers, push = _chambers(name, row)
        oil |= chambers
        seen[f"{name}_push"] = {"expression": push, "unit": "N"}
    oil["outside"] = {"kind": "tank", "fluid": forces[names[0]]["fluid"]}
    oil = {k: oil[k] for k in sorted(oil, key=lambda k: FLUID.index(oil[k]["kind"]))}  # ports first
    pushes = {f"{name}_push": {"value": _start(forces[name]), "unit": "N"} for name in names}
    motions = {f"{n}_{what}": {"value": 0, "unit": unit} for what, unit in
               (("travel", "m"), ("closing", "m/s")) for n in names}  # fmt: skip
    mechanics = {**data, "parameters": {**given, **pushes}, "forces": own, "outputs": sent}
    circuit = {"kinetree": 1, "name": f"{data['name']}_circuit", "bodies": {}, "joints": {},
               "parameters": {**given, **motions}, "forces": oil, "outputs": seen}  # fmt: skip
    return Halves(mechanics, circuit, names)


def _areas(row: Mapping[str, Any]) -> tuple[float, float]:
    """Of the bore, and of it less the rod [m2]."""
    bore, rod = float(row["bore"]), float(row.get("rod", 0.0))
    return math.pi / 4 * bore**2, math.pi / 4 * (bore**2 - rod**2)


def _start(row: Mapping[str, Any]) -> float:
    """The force of a cylinder at the start [N]."""
    (area, ring), out = _areas(row), float(row.get("outside", 1e5))
    cap, rod = (float(row.get(f"{end}_pressure", 1e5)) for end in ("cap", "rod"))
    return cap * area - rod * ring - out * (area - ring)


def _chambers(name: str, row: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """Chambers of given travel and rate, and the force as an expression."""
    area, ring = _areas(row)
    found: dict[str, Any] = {}
    for end, swept in (("cap", area), ("rod", -ring)):
        port = f"{name}_{end}"
        found[port] = {"kind": "fluid_volume", "fluid": row["fluid"],
                       "volume": f"{row[f'{end}_volume']} - {swept!r}*{name}_travel",
                       "pressure": row.get(f"{end}_pressure", 1e5)}  # fmt: skip
        found[f"{port}_swept"] = {"kind": "fluid_source", "first": "outside", "second": port,
                                  "law": f"{swept!r}*{name}_closing"}  # fmt: skip
    out = row.get("outside", 1e5)
    push = f"{name}_cap.pressure*{area!r} - {name}_rod.pressure*{ring!r} - {out}*{area - ring!r}"
    return found, push


class Unit:
    """An FMU of Co-Simulation that goes forward from where it stands, in its own equal steps."""

    def __init__(self, path: Path, folder: Path, start: Mapping[str, float]) -> None:
        import fmpy

        about = fmpy.read_model_description(str(path))
        fmpy.extract(str(path), str(folder))
        self.references = {row.name: row.valueReference for row in about.modelVariables}
        self.states = about.numberOfContinuousStates
        self.unit: Any = self.kind()(
            guid=about.instantiationToken, unzipDirectory=str(folder),
            modelIdentifier=about.coSimulation.modelIdentifier, instanceName=folder.name,
        )  # fmt: skip
        self.unit.instantiate()
        self.unit.enterInitializationMode()
        self.set(list(start), list(start.values()))
        self.unit.exitInitializationMode()
        self.begin()

    def kind(self) -> Any:
        """What FMPy calls such an FMU."""
        from fmpy.fmi3 import FMU3Slave

        return FMU3Slave

    def begin(self) -> None:
        """Get ready for the first step."""

    def set(self, names: Sequence[str], values: Sequence[float]) -> None:
        """Give inputs or start values."""
        self.unit.setFloat64([self.references[name] for name in names], values)

    def get(self, names: Sequence[str]) -> list[float]:
        """Values of outputs and states."""
        return list(self.unit.getFloat64([self.references[name] for name in names]))

    def step(self, t: float, length: float) -> None:
        """Go forward [s]."""
        self.unit.doStep(currentCommunicationPoint=t, communicationStepSize=length)


class StiffUnit(Unit):
    """An FMU of Model Exchange, integrated by FMPy's CVODE, which begins anew at each exchange."""

    def kind(self) -> Any:
        """What FMPy calls such an FMU."""
        from fmpy.fmi3 import FMU3Model

        return FMU3Model

    def begin(self) -> None:
        """Get ready for the first step; branches of the oil's laws are not located."""
        from fmpy.sundials import CVodeSolver

        unit = self.unit
        unit.updateDiscreteStates()
        unit.enterContinuousTimeMode()
        self.solver = CVodeSolver(
            nx=self.states, nz=0, get_x=unit.getContinuousStates, set_x=unit.setContinuousStates,
            get_dx=unit.getContinuousStateDerivatives, get_z=lambda *_: None,
            get_nominals=unit.getNominalsOfContinuousStates, set_time=unit.setTime, input=None,
            startTime=0.0, relativeTolerance=RTOL, maxNumSteps=100_000,
        )  # fmt: skip

    def step(self, t: float, length: float) -> None:
        """Go forward [s]."""
        self.solver.reset(t)
        self.solver.step(t, t + length)
        self.unit.setTime(t + length)


@dataclass(frozen=True)
class Coupled:
    """Two FMUs made of one model file.

    Attributes:
        halves: what they are made of.
        files: the FMU of the mechanics, and that of the circuit.
    """

    halves: Halves
    files: tuple[Path, Path]

    def run(
        self, duration: float, interval: float, watched: Sequence[str], kind: type[Unit] = Unit
    ) -> tuple[np.ndarray, np.ndarray]:
        """Times and watched values of the mechanics; up to where a value grows beyond bounds.

        Args:
            duration: of the run [s].
            interval: of exchange [s].
            watched: names of variables.
            kind: how the FMUs go forward.
        """
        with self._units(kind) as (mechanics, circuit):
            pushes, motions = self.halves.pushes, self.halves.motions
            rows = [mechanics.get(watched)]
            count = round(duration / interval)
            for k in range(count):
                t = k * interval
                force, motion = circuit.get(pushes), mechanics.get(motions)
                if not np.all(np.abs([*force, *motion]) < HUGE):
                    break
                mechanics.set(pushes, force)
                circuit.set(motions, motion)
                try:
                    mechanics.step(t, interval)
                    circuit.step(t, interval)
                except Exception as error:
                    report.console.print(f"[dim]{error}")
                    break
                rows.append(mechanics.get(watched))
        return interval * np.arange(len(rows)), np.array(rows)

    @contextmanager
    def _units(self, kind: type[Unit]) -> Iterator[tuple[Unit, Unit]]:
        """Both, ready for the first step."""
        folder = Path(tempfile.mkdtemp())
        made = [kind(path, folder / path.stem, {}) for path in self.files]
        try:
            yield made[0], made[1]
        finally:
            for one in made:
                one.unit.terminate()
                one.unit.freeInstance()
            shutil.rmtree(folder)


def coupled(data: Mapping[str, Any], folder: Path, step: float, **start: Any) -> Coupled:
    """The FMUs of a model file with cylinders, written into a folder.

    Args:
        data: content of the file.
        folder: that exists.
        step: longest step inside both FMUs [s].
        start: q and qd of the mechanics.
    """
    halves, files = split(data), []
    rows = (("mechanics", halves.mechanics, halves.pushes, start),
            ("circuit", halves.circuit, halves.motions, {}))  # fmt: skip
    for name, content, inputs, given in rows:
        text = folder / f"{name}.yaml"
        text.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
        files.append(kt.export_fmu(kt.load(text), folder / f"{name}.fmu", inputs=inputs, step=step,
                                   derivatives=False, force=True, **given))  # fmt: skip
    return Coupled(halves, (files[0], files[1]))


def lane_change(duration: float, method: str) -> tuple[Any, float]:
    """The strongly coupled car, and the processor time of its run without its preparation [s]."""
    model, spent = kt.load(FILE), []
    for length in (1e-3, 1e-3, duration):  # the first derives and compiles
        began = time.process_time()
        run = kt.simulate(model, length, qd=START, method=method, rtol=RTOL, step=TOLD)
        spent.append(time.process_time() - began)
    return run, spent[2] - spent[1]


def measure(quick: bool = False) -> dict[str, Any]:
    """The table: steps, processor time, deviation of the roll from the strongly coupled one."""
    warnings.simplefilter("ignore")
    data: dict[str, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    duration, rows = (2.0 if quick else 8.0), []
    for name, method, kind, least in (
        ("explicit", "dopri5", Unit, 0.0), ("stiff", "cvode_bdf", StiffUnit, 1e-3),
    ):  # fmt: skip
        run, seconds = lane_change(duration, method)
        rows.append([f"{name}, strong", None, run.attrs["steps"], seconds, None, None])
        truth = run.q.sel(coordinate="roll")
        with tempfile.TemporaryDirectory() as folder:
            units = coupled(data, Path(folder), STEP, qd=START)
            for interval in INTERVALS[:3] if quick else INTERVALS:
                if interval < least:
                    continue  # begins anew so often that it takes minutes
                began = time.process_time()
                times, found = units.run(duration, interval, ["q_roll"], kind)
                seconds = time.process_time() - began
                same = np.interp(times, truth.time, truth.values)
                away = np.abs(found[:, 0] - same).max() / np.ptp(truth.values)
                whole = len(times) > duration / interval
                inside = math.ceil(interval / STEP - 1e-9)
                steps = (len(times) - 1) * inside if kind is Unit else None
                rows.append([f"{name}, weak", 1e3 * interval, steps, seconds, away,
                             None if whole else float(times[-1])])  # fmt: skip
    heads = ("coupling", "interval ms", "steps", "CPU s", "roll off by", "ends at s")
    report.show("a car on H2: one system, and two FMUs that exchange", heads, rows)
    paper = [[name, *cells] for name, cells in PAPER.items()]
    report.show("the paper's: time, steps", ("integrator", "weak", "strong"), paper)
    return {"rows": rows, "paper": paper}


HUGE = 1e9
"""Forces, travels and rates beyond which a run counts as diverged."""
RTOL, STEP = 1e-5, 2e-4
"""Tolerance of integrators with error control; longest step inside FMUs [s]."""
TOLD = 2e-3
"""Time between rows of the strongly coupled run, between which the roll is a line [s]."""
START = {"x": 10.0, **{f"{corner}_spin": 10.0 / 0.33 for corner in ("FL", "FR", "RL", "RR")}}
"""Velocities of the mechanics: the car rolls freely at 10 m/s."""


if __name__ == "__main__":
    measure("--quick" in sys.argv)
