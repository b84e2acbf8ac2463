"""A page that simulates by itself: generated JavaScript of one time step, of loops and of poses.

Programs are embedded: "step" makes one time step, "start" closes the loops and gives
velocities and accelerations that obey them, "frames" places the bodies; with events "conditions"
and "update", which take effect at the ends of steps; "pull" gives velocities of bodies, by which a
hand pulls at them.  The script live.js runs them.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.given.batches import RunGiven
from kinetree.analysis.observing.program import Observed, with_positions
from kinetree.analysis.runs.dynamics import dynamics
from kinetree.analysis.runs.events import conditions_program, effects, update_program
from kinetree.analysis.runs.jumps.pace import pace_names
from kinetree.analysis.simulate import simulate
from kinetree.arguments import check_arguments, check_choice, check_positive
from kinetree.arrays import Array
from kinetree.assembly import Partition, Values
from kinetree.assembly.partition import partition
from kinetree.errors import KinetreeError, ShapeError, UnsupportedError, unknown
from kinetree.integrate.start.beginning import Beginning
from kinetree.integrate.start.initial import Initial
from kinetree.model import Mechanism, happenings, refuse_holding, refuse_memories
from kinetree.pipeline import derive
from kinetree.program.passes import condense
from kinetree.steppers import FAMILIES, FORMULATIONS, step_program
from kinetree.steppers.step import EXPLICIT
from kinetree.targets.javascript.source import module
from kinetree.view.controls import controls, widen
from kinetree.view.poses import pose_program, velocity_program

if TYPE_CHECKING:
    import xarray

    from kinetree.program import Program

SCRIPT = Path(__file__).parent / "live.js"
QUICK, SHORT, LONG = 5_000, 0.001, 0.004
"""Operations of a step up to which it is made every millisecond [s], and the step of others [s]."""
LOOK, FRAMES = 4.0, 200
"""Time [s] that is computed beforehand to see how much room the motion takes, and its frames."""
TOUCHING = 0.0005
"""Step of models whose profiles touch: stiff, and over in a few milliseconds [s]."""
NARROW = 100.0
"""Condition number above which a coordinate is not offered to pose a mechanism."""


@dataclass(frozen=True)
class Live:
    """How a page simulates.

    Attributes:
        step: [s]; by default 1 ms, 4 ms where a step is costly, 0.5 ms where profiles touch.
        method: of equal steps: "trapezoidal", "generalised_alpha", "rk4", …
        formulation: of closed systems: "hybrid", "topological"; by default the usual one.
        tolerance: error of the accelerations that Newton's method leaves [rad/s2 or m/s2].
        q: coordinates to start from, all in order or some by name; by default the model's.
        qd: velocities, likewise; by default zero.
        x: user states, likewise.
        parameters: values by name in place of the model's.
        sliders: parameters to change on the page; by default those that the model declares, those
            of its forces, gravity and masses, ten at most.
        independent: of a closed system: the coordinates to pose it with.
        outputs: names of what is drawn beside the motion, such as "strut.force"
            (`kinetree.model.outputs`); by default the model's own.
    """

    step: float | None = None
    method: str = "trapezoidal"
    formulation: str | None = None
    tolerance: float = 1e-6
    q: Values = None
    qd: Values = None
    x: Values = None
    parameters: Mapping[str, float] | None = None
    sliders: Sequence[str] | None = None
    independent: Sequence[str] | None = None
    outputs: Sequence[str] | None = None

    def __post_init__(self) -> None:
        check_arguments(type(self), vars(self))
        check_choice("method", self.method, FAMILIES)
        if self.formulation is not None:
            check_choice("formulation", self.formulation, (EXPLICIT, *FORMULATIONS))
        check_positive("a positive number", tolerance=self.tolerance)
        if self.step is not None:
            check_positive("a positive time in seconds", step=self.step)

    def begin(self) -> RunGiven:
        """What a run begins with."""
        return RunGiven(self.q, self.qd, self.x, parameters=self.parameters)


@dataclass(frozen=True)
class Engine:
    """What a live page carries beside its picture.

    Attributes:
        script: text of the programs and of what runs them.
        data: start values, names, controls.
        preview: a run that shows how much room the motion takes; none where it fails.
    """

    script: str
    data: dict[str, Any]
    preview: xarray.Dataset | None


def engine(model: Mechanism, how: Live, size: float, *, pulled: bool = False) -> Engine:
    """Derive and write everything that a page needs to simulate.

    Args:
        model: the mechanism.
        how: as wished.
        size: extent of the mechanism [m], for the range of sliders.
        pulled: whether somebody may pull at bodies.
    """
    if model.nv == 0:
        raise UnsupportedError(
            "nothing can move", element=f"live page of model '{model.name}'",
            cure="add a joint with a coordinate, or leave live= out",
        )  # fmt: skip
    _refuse_held(model)
    model = model.with_varied((*(how.parameters or ()), *(how.sliders or ())))
    start = _start(model, how)
    found = _choose_partition(model, how, start["q"])
    step = step_program(model, how.formulation, how.method, tolerance=how.tolerance)
    programs = {
        "step": step,
        "start": derive(model, "forward", partition=found),
        "frames": condense(pose_program(model, folded=False)),
    }
    if pulled:
        programs["pull"] = condense(velocity_program(model))
    events, happen = _happenings(model, start["q"], found)
    programs |= events
    seen = with_positions(model, how.outputs, ())
    if seen is not None:
        programs["outputs"] = seen.program
    length = how.step or _usual_step(model, step)
    if not 0 < length < np.inf:
        raise ShapeError(
            f"{length} s is not a valid step", element="live step", cure="give one above 0"
        )
    data = {
        "step": length,
        **{name: values.tolist() for name, values in start.items()},
        "parameters": _values(programs.values(), how.parameters),
        "bodies": list(model.bodies),
        "loops": list(model.closures),
        "signals": _signals(model, seen),
        "happenings": happen,
    }
    preview = _preview(model, how, length)
    data["controls"] = widen(controls(model, data, (found, how.sliders, size)), preview)
    return Engine(script(programs), data, preview)


def _usual_step(model: Mechanism, step: Program) -> float:
    """The length of a step where none is given [s]."""
    if pace_names(model):
        return TOUCHING
    return SHORT if step.count().total < QUICK else LONG


def _refuse_held(model: Mechanism) -> None:
    """Refuse what a page in equal steps would pass over: memories, what sticks, what is hit."""
    element, cure = f"live page of model '{model.name}'", "show a run of it: kt.animate(model, run)"
    refuse_memories(model, element, cure)
    refuse_holding(model, element, cure)


def _happenings(
    model: Mechanism, q: Array, found: Partition | None
) -> tuple[dict[str, Program], list[dict[str, Any]]]:
    """Programs of the events of a model, and what the page needs to know of each."""
    if not happenings(model):
        return {}, []
    forward, rows = effects(dynamics(model, q=q, partition=found))
    programs = {"update": update_program(forward, rows)} if rows else {}
    if any(row.node is not None for row in rows):
        programs["conditions"] = conditions_program(forward, rows)
    data = [
        {
            "name": row.watch.name, "way": row.watch.direction, "stops": row.event.stops,
            "timed": row.node is None, "every": row.event.every, "offset": row.event.offset,
            "at": list(row.event.at),
        }
        for row in rows
    ]  # fmt: skip
    return programs, data


def script(programs: Mapping[str, Program]) -> str:
    """The programs and what runs them as one script, which defines kinetreeLive."""
    parts = [f"{name}: (() => {{\n{_inner(program)}}})()," for name, program in programs.items()]
    runner = SCRIPT.read_text(encoding="utf-8")
    text = "\n".join(
        ["globalThis.kinetreeLive = (() => {", "const programs = {", *parts, "};", runner,
         "return { programs, Simulation };", "})();"]
    )  # fmt: skip
    return text.replace("</", "<\\/")


def _inner(program: Program) -> str:
    """A module as the body of a function that returns what it exports; comments left out."""
    text = re.sub(r"^\s*//.*\n", "", module(program), flags=re.MULTILINE)
    text = re.sub(r"^ +", "", text, flags=re.MULTILINE)
    return re.sub(r"^export ", "", text, flags=re.MULTILINE) + "return { evaluate, info };\n"


def _start(model: Mechanism, how: Live) -> dict[str, Array]:
    """q, qd and x to start from, as `simulate` starts: made to obey the loops."""
    states = np.array([state.initial for state in model.states.values()])
    begin = Beginning(
        how.q, how.qd, how.x, parameters=how.parameters or {},
        independent=tuple(how.independent or ()),
    )  # fmt: skip
    found = Initial(model).state(begin)
    return {"q": found["q"], "qd": found["qd"], "x": found.get("x", states)}


def _choose_partition(model: Mechanism, how: Live, q: Array) -> Partition | None:
    """The partition of a closed system, by preference with a joint on the ground independent."""
    if not (model.closures or model.drives):
        return None
    given: dict[str, Any] = {"q": q.tolist(), "parameters": how.parameters}
    usual = partition(model, independent=how.independent, **given)
    if how.independent is not None or usual.mobility != 1:
        return usual
    for joint in model.body_joints:
        if joint.parent.body is model.ground and joint.nq == 1 and not joint.follows:
            try:
                other = partition(model, independent=joint.velocities, **given)
            except KinetreeError:
                continue
            if other.condition < NARROW and not other.singular:
                return other
    return usual


def _values(programs: Iterable[Program], given: Mapping[str, float] | None) -> dict[str, float]:
    """Parameters that the programs take, the given ones in place of the model's."""
    values: dict[str, float] = {}
    for program in programs:
        for row in program.inputs:
            if row.name == "p" and row.default is not None:
                values |= dict(zip(row.labels, row.default, strict=True))
    for name, value in (given or {}).items():
        if name not in values:
            raise unknown("parameter", name, list(values), "live parameters")
        values[name] = float(value)
    return values


def _signals(model: Mechanism, seen: Observed | None) -> list[dict[str, Any]]:
    """What is recorded: coordinates, velocities, user states, outputs."""
    units = {
        "q": [u for joint in model.leaders for u in joint.q_units],
        "qd": [u for joint in model.leaders for u in joint.v_units],
        "x": [state.unit for state in model.states.values()],
        "outputs": list(seen.units) if seen else [],
    }
    names = {
        "q": model.coordinates, "qd": model.velocities, "x": tuple(model.states),
        "outputs": seen.labels if seen else (),
    }  # fmt: skip
    return [
        {"name": name, "names": list(names[name]), "units": rows}
        for name, rows in units.items()
        if rows
    ]


def _preview(model: Mechanism, how: Live, length: float) -> xarray.Dataset | None:
    """A short run by the same method; none where it cannot be made."""
    count = max(1, round(LOOK / length))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            run = simulate(
                model, count * length, q=how.q, qd=how.qd, x=how.x, parameters=how.parameters,
                step=length, progress=False, formulation=how.formulation, method=how.method,
                outputs=(), locate=True, tolerance=how.tolerance,
            )  # fmt: skip
        except KinetreeError:
            return None
    return run.isel(time=slice(None, None, max(1, count // FRAMES)))
