"""What the package exports, and where it lives; `door` loads each name when it is first used."""

from kinetree import algebra, functions
from kinetree.analysis.equilibrium import Equilibrium, equilibrium
from kinetree.analysis.excite import excite
from kinetree.analysis.identify import identify
from kinetree.analysis.identifying.result import Identification
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
from kinetree.analysis.summarise import summarise
from kinetree.analysis.sweep import load_sweep, sweep
from kinetree.analysis.sweeping.plans import (
    grid,
    latin_hypercube,
    own_plan,
    run_list,
    saltelli,
    sobol,
)
from kinetree.assembly import Assembly, Partition
from kinetree.assembly.assemble import assemble
from kinetree.assembly.partition import partition
from kinetree.certificate.certificate import Certificate
from kinetree.certificate.certify import certify
from kinetree.certificate.verify import verify
from kinetree.engine import Node, OperationCount, Table
from kinetree.errors import KinetreeError
from kinetree.export.fmu import export_fmu
from kinetree.export.modelica import export_modelica
from kinetree.export.package import export_c, write_simulation
from kinetree.formats.layouts import EngineLayout, layout
from kinetree.formats.outlines import read_profile
from kinetree.measures import (
    at_event,
    at_time,
    damping,
    event_time,
    final,
    frequency,
    function_of,
    growth,
    integral,
    mean_square,
    measure,
    misfit,
    peak,
    rms,
    severity,
)
from kinetree.model import FrameModel, Model, as_frames, position_matrices
from kinetree.pipeline import derive, derive_actuation
from kinetree.program import Program
from kinetree.results.files import load_run, save_run
from kinetree.steppers.discrete import discretise
from kinetree.storage.load import load, save
from kinetree.view.diagram.svg import diagram
from kinetree.view.page import Live, animate
from kinetree.view.plot import plot

__version__: str

__all__ = [
    "Assembly", "Certificate", "EngineLayout", "Equilibrium", "Event", "FrameModel",
    "Identification", "KinetreeError", "Linear", "Live", "Model", "Modes", "Node", "OperationCount",
    "Optimum", "Partition", "Program", "Table", "algebra", "animate", "as_frames", "assemble",
    "at_event", "at_time", "certify", "damping", "derive", "derive_actuation", "diagram",
    "discretise", "equilibrium", "event_time", "excite", "export_c", "export_fmu",
    "export_modelica", "final", "frequency", "function_of", "functions", "grid", "growth",
    "identify", "integral", "integrate", "inverse", "kinematics", "latin_hypercube", "layout",
    "linearise", "load", "load_run", "load_sweep", "mean_square", "measure", "misfit", "modes",
    "optimise", "outputs", "own_plan", "partition", "peak", "plot", "position_matrices",
    "reactions", "read_profile", "rms", "run_list", "saltelli", "save", "save_run", "sensitivity",
    "severity", "simulate", "sobol", "summarise", "sweep", "verify", "write_simulation",
]  # fmt: skip
