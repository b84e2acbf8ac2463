"""What analyses take: one model each, from which forms and descriptions come.

A list is written as words with commas, a value as name=number.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from kinetree.analysis.optimising.methods import OPTIMISERS
from kinetree.formalism import QUANTITIES
from kinetree.integrate.methods import METHODS
from kinetree.steppers import FORMULATIONS

LIST = r"^[\w. ,\-]*$"
VALUES = r"^[\w. ,=+\-]*$"
RANGES = r"^[\w. ,=:+\-]*$"
LIMITS = r"^[\w. ,;=<>+\-*/()]*$"
MEASURES = r"^[\w. ,;=+\-*/()]*$"
PLANES = r"^[\w. ,;:=+\-]*$"


def _words(text: str, pattern: str = LIST) -> Any:
    """An option of several words."""
    return Field("", max_length=2000, pattern=pattern, description=text)


def _choice(text: str, choices: Any, default: str | None = None) -> Any:
    """One word of a list, which forms offer; those that run it know more than these."""
    return Field(
        default, pattern=r"^[\w.\-]{1,40}$", description=text,
        json_schema_extra={"choices": list(choices)},
    )  # fmt: skip


def _positive(text: str, default: float | None = None) -> Any:
    return Field(default, gt=0, le=1e12, allow_inf_nan=False, description=text)


class AnalysisOptions(BaseModel):
    """What an analysis takes."""

    model_config = ConfigDict(extra="forbid")


class StartOptions(AnalysisOptions):
    """A state to start from."""

    q: str = _words("start values: coordinate=number, …", VALUES)
    set: str = _words("values of parameters: name=number, …", VALUES)


class SimulateOptions(StartOptions):
    """Of a simulation."""

    duration: float = Field(5.0, gt=0, le=1e6, description="time to simulate [s]")
    step: float | None = Field(
        None, ge=0, le=1e12, allow_inf_nan=False,
        description="time between two rows, and the step of methods in equal steps [s]; 0: rows "
        "are the steps of the method, whose length is a curve",
    )  # fmt: skip
    method: str | None = _choice("of integration", ("auto", *METHODS))
    formulation: str | None = _choice("of equal steps", FORMULATIONS)
    loops: str | None = _choice(
        "how loops are kept closed", ("explicit", "multipliers", "projection")
    )
    rtol: float | None = Field(None, gt=0, lt=1, description="relative error per step")
    atol: float | None = Field(None, gt=0, lt=1, description="absolute error per step")
    max_step: float | None = _positive("longest step [s]")
    qd: str = _words("start velocities: velocity=number, …", VALUES)
    x: str = _words("start values of states: name=number, …", VALUES)
    tau: str = _words("constant efforts: velocity=number, …", VALUES)
    output: str = _words("outputs beside the motion, such as strut.force")
    independent: str = _words("coordinates of a closed system to keep independent")
    stop: str = _words("expressions that end the run where they are 0: t - 2; q_y - 0.1", MEASURES)
    mark_laws: bool = Field(False, description="record where laws change their branch")
    locate: bool = Field(False, description="equal steps end where an event changes the state")
    equilibrium: bool = Field(False, description="find the state of rest first")


class KinematicsOptions(StartOptions):
    """Of a motion that drives give."""

    duration: float = Field(1.0, gt=0, le=1e6, description="time to move [s]")
    step: float | None = _positive("time between two rows [s]")
    point: str = _words("points, body or body.point; all if none")


class RestOptions(StartOptions):
    """Of a state of rest."""

    lock: str = _words("coordinates that efforts hold at rest")
    free: str = _words("parameters to be found")
    x: str = _words("start values of states: name=number, …", VALUES)
    tau: str = _words("constant efforts: velocity=number, …", VALUES)


class StateOptions(StartOptions):
    """Of small motions about a state."""

    qd: str = _words("velocities: velocity=number, …", VALUES)
    lock: str = _words("coordinates that efforts hold at rest")
    equilibrium: bool = Field(False, description="find the state of rest first")


class LineariseOptions(StateOptions):
    """Of a linear model."""

    output: str = _words("outputs, such as strut.force")
    input: str = _words("inputs: tau_NAME, WRENCH_fz, a parameter")


class PartitionOptions(AnalysisOptions):
    """Of the coordinates of closed loops."""

    independent: str = _words("coordinates to keep independent")


class AlongRunOptions(AnalysisOptions):
    """Of what acts along a run."""

    run: int = Field(gt=0, description="number of the run")


class InverseOptions(AlongRunOptions):
    """Of efforts."""

    actuator: str = _words("velocities that are acted on")
    free: str = _words("velocities whose acceleration comes out")
    weight: str = _words("of actuators, where there are too many: name=number, …", VALUES)
    bound: str = _words("of efforts: name=lowest:highest, …", RANGES)
    set: str = _words("values of parameters: name=number, …", VALUES)
    independent: str = _words("coordinates of a closed system to keep independent")


class ReactionOptions(AlongRunOptions):
    """Of what joints transmit."""

    joint: str = _words("joints or closures; all if none")


class OutputOptions(AlongRunOptions):
    """Of outputs along a run."""

    output: str = Field(
        min_length=1, max_length=2000, pattern=LIST, description="such as strut.force"
    )


class RunsOptions(AnalysisOptions):
    """Of the runs of a study."""

    duration: float = Field(
        5.0, gt=0, le=1e6, description="length of the runs [s]; of a place it means nothing"
    )
    q: str = _words("start values: coordinate=number, …", VALUES)
    qd: str = _words("start velocities: velocity=number, …", VALUES)
    x: str = _words("start values of states: name=number, …", VALUES)
    tau: str = _words("constant efforts: velocity=number, …", VALUES)
    set: str = _words("values of parameters: name=number, …", VALUES)
    integrator: str | None = _choice("of the runs", ("auto", *METHODS))
    formulation: str | None = _choice("of equal steps", FORMULATIONS)
    step: float | None = _positive("output interval, or length of equal steps [s]")
    rtol: float | None = Field(None, gt=0, lt=1, description="relative error per step")
    atol: float | None = Field(None, gt=0, lt=1, description="absolute error per step")
    at: str | None = _choice("what is measured: a run, or a place", ("run", "equilibrium", "start"))
    begin: str | None = _choice(
        "runs begin as given, or at the equilibrium of their own parameters",
        ("given", "equilibrium"),
    )
    lock: str = _words("coordinates that efforts hold at equilibria")


class StudyOptions(RunsOptions):
    """Of measures of runs."""

    measures: str = Field(
        min_length=1, max_length=2000, pattern=MEASURES,
        description="name=kind(expression); … with final, peak, rms, …, as kt.measure has them",
    )  # fmt: skip


class SensitivityOptions(StudyOptions):
    """Of derivatives."""

    by: str = Field(
        min_length=1, max_length=2000, pattern=LIST,
        description="what varies: parameters, q0.NAME, qd0.NAME, x0.NAME, tau.NAME, duration",
    )  # fmt: skip
    method: str | None = _choice("tangents or adjoint", ("auto", "direct", "adjoint"))
    equations: str | None = _choice(
        "which ones the direct method differentiates", ("explicit", "semi-explicit")
    )
    order: int = Field(1, ge=1, le=2, description="2: second derivatives, too")
    along: str = _words("of order 2, a direction: name=number, …; all of them if none", VALUES)


class SweepOptions(StudyOptions):
    """Of many variants."""

    over: str = Field(
        min_length=1, max_length=2000, pattern=RANGES, description="name=lowest:highest, …"
    )
    plan: str | None = _choice("how they are spread", ("sobol", "latin_hypercube", "grid"))
    runs: int = Field(32, ge=1, le=10_000, description="number of runs; of a grid, per name")
    seed: int | None = Field(None, ge=0, le=2**31, description="of what is drawn")


class OptimiseOptions(RunsOptions):
    """Of best values."""

    objective: str = Field(
        min_length=1, max_length=500, pattern=MEASURES, description="kind(expression) that is least"
    )
    over: str = Field(
        min_length=1, max_length=2000, pattern=RANGES, description="name=lowest:highest, …"
    )
    subject_to: str = _words("name=kind(expression) <= number; … with <=, >= or ==", LIMITS)
    method: str | None = _choice("of optimisation", ("auto", *OPTIMISERS))
    evaluations: int = Field(100, ge=1, le=100_000, description="most evaluations")
    gradients: str | None = _choice("how they are made", ("auto", "direct", "adjoint"))
    start: str = _words("values to begin with: name=number, …; those of the model if none", VALUES)
    starts: int | None = Field(None, ge=1, le=1000, description="number of starts side by side")
    tolerance: float | None = Field(None, gt=0, lt=1, description="of objective and variables")
    seed: int | None = Field(None, ge=0, le=2**31, description="of what is drawn")


def _limits(text: str) -> Any:
    return _words(f"{text}: name=number, or name=lowest:highest", RANGES)


class ExciteOptions(AnalysisOptions):
    """Of a motion to be measured."""

    duration: float = Field(20.0, gt=0, le=1e6, description="of one period [s]")
    harmonics: int = Field(5, ge=1, le=50, description="of the Fourier series")
    criterion: str | None = _choice("what is made best", ("condition", "determinant"))
    bodies: str = _words("bodies whose parameters are unknown; all if none")
    friction: str = _words("unknown in every joint: coulomb, viscous, offset; or none")
    rotors: bool = Field(False, description="rotor inertias are unknown, too")
    position: str = _limits("bounds of coordinates [rad or m]; those of the model if none")
    speed: str = _limits("highest speeds [rad/s or m/s]")
    acceleration: str = _limits("highest accelerations [rad/s2 or m/s2]")
    effort: str = _limits("highest efforts [N.m or N]")
    locked: str = _words("coordinates that stand still: name=number", VALUES)
    starts: int = Field(2, ge=1, le=100, description="number of first motions")
    seed: int = Field(0, ge=0, le=2**31, description="of their draw")
    step: float | None = _positive("time between two rows [s]")
    measured: str | None = _choice("what is recorded", ("tau", "wrench"))
    deviation: str = _words("of what is measured: name=number, …; equal if none", VALUES)
    clearance: str = _words("points beside planes: point=nx,ny,nz:distance; …", PLANES)
    no_rest: bool = Field(False, description="it may begin and end in motion")


class IdentifyOptions(AlongRunOptions):
    """Of parameters from a recording."""

    method: str | None = _choice("of fitting", ("least_squares", "consistent", "output_error"))
    bodies: str = _words("bodies whose parameters are unknown; all if none")
    friction: str = _words("unknown in every joint: coulomb, viscous, offset; or none")
    rotors: bool = Field(False, description="rotor inertias are unknown, too")
    smooth: str = _words("speed over which dry friction grows [rad/s, m/s], or unknown")
    measured: str | None = _choice("what was recorded", ("tau", "wrench"))
    cutoff: float | None = Field(None, ge=0, le=1e6, description="of the filter [Hz]; 0: none")
    held_out: float | None = Field(None, ge=0, lt=1, description="share that is not fitted")
    prior: float | None = _positive("measurements that the model counts for")
    locked: str = _words("coordinates that stand still: name=number", VALUES)
    gains: str = _words("effort per current: name=number, or name=unknown", VALUES)
    segment: float | None = _positive("of output_error: what is simulated in one go [s]")
    coefficients: str = _words("of output_error: unknown parameters of laws")
    sensors: str = _words("of output_error: unknown gain, offset, delay")


class FilmOptions(AlongRunOptions):
    """Of a film."""

    kind: str | None = _choice("of the file; mp4 needs the extra film", ("gif", "mp4"))


class GenerateOptions(AnalysisOptions):
    """Of code."""

    target: str = Field("c", pattern=r"^[\w\-]{1,30}$", description="language, fmu or c-package")
    of: str | None = _choice("quantity", QUANTITIES)
    formalism: str | None = _choice("by which it is derived; the usual one if none", ())
    by: str = _words("also derivatives by these inputs")
    parameters: str | None = _choice("as inputs or as numbers", ("run-time", "folded"))
    fmi: str | None = _choice("version of an FMU", ("3.0", "2.0"))
    output: str = _words("outputs of an FMU or package, such as strut.force")
    input: str = _words("inputs of an FMU or package")
    step: float | None = _positive("step of an FMU or package [s]")
