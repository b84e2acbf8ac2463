"""What the package exports, and where it lives; `door` loads each name when it is first used."""

from kinetree import algebra, functions
from kinetree.analysis.equilibrium import Equilibrium, equilibrium
from kinetree.analysis.integrate import integrate
from kinetree.analysis.inverse import inverse
from kinetree.analysis.kinematics import kinematics
from kinetree.analysis.linearise import Linear, linearise
from kinetree.analysis.modes import Modes, modes
from kinetree.analysis.optimise import Optimum, optimise
from kinetree.analysis.outputs import outputs
from kinetree.analysis.reactions import reactions
from kinetree.analysis.runs.events import Event
from kinetree.analysis.sensitivity import sensitivity
from kinetree.analysis.simulate import simulate
from kinetree.analysis.sweep import sweep
from kinetree.analysis.sweeping.plans import grid, latin_hypercube, run_list, sobol
from kinetree.assembly import Assembly, Partition
from kinetree.assembly.assemble import assemble
from kinetree.assembly.partition import partition
from kinetree.certificate.certificate import Certificate
from kinetree.certificate.certify import certify
from kinetree.certificate.verify import verify
from kinetree.engine import Node, OperationCount, Table
from kinetree.export.fmu import export_fmu
from kinetree.export.package import export_c, write_simulation
from kinetree.formats.layouts import EngineLayout, layout
from kinetree.formats.load import load, save
from kinetree.measures import (
    at_time,
    damping,
    event_time,
    final,
    frequency,
    growth,
    integral,
    mean_square,
    misfit,
    peak,
    rms,
)
from kinetree.model import FrameModel, Model, as_frames, position_matrices
from kinetree.pipeline import derive, derive_actuation
from kinetree.program import Program
from kinetree.results.files import load_run, save_run
from kinetree.steppers.discrete import discretise
from kinetree.view.diagram.svg import diagram
from kinetree.view.page import Live, animate
from kinetree.view.plot import plot

__version__: str

__all__ = [
    "Assembly", "Certificate", "EngineLayout", "Equilibrium", "Event", "FrameModel", "Linear",
    "Live", "Model", "Modes", "Node", "OperationCount", "Optimum", "Partition", "Program", "Table",
    "algebra", "animate", "as_frames", "assemble", "at_time", "certify", "damping", "derive",
    "derive_actuation", "diagram", "discretise", "equilibrium", "event_time", "export_c",
    "export_fmu", "final", "frequency", "functions", "grid", "growth", "integral", "integrate",
    "inverse", "kinematics", "latin_hypercube", "layout", "linearise", "load", "load_run",
    "mean_square", "misfit", "modes", "optimise", "outputs", "partition", "peak", "plot",
    "position_matrices", "reactions", "rms", "run_list", "save", "save_run", "sensitivity",
    "simulate", "sobol", "sweep", "verify", "write_simulation",
]  # fmt: skip
