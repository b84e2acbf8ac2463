"""Rows of the functions of the package itself."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from tests import mechanisms
from tests.acausal.parts import Charging
from tests.analysis import systems
from tests.options.rows import GROWS, QUIET, TOLD, Made, Refused, Rounded, Row, Unseen

import kinetree as kt
from kinetree.analysis.runs.dynamics import LOADED, OPTIONS

MODELS = Path(__file__).resolve().parents[2] / "examples" / "models"


def rich() -> kt.Model:
    """A slider-crank with a wrench, a user state, a named parameter and a spring."""
    model = mechanisms.slider_crank()
    k = model.parameter("k", 3.0, "N/m")
    model.joint_spring("spring", "q3", k, 2.0)
    model.wrench("push", model.bodies["slider"])
    model.state("s", 0.5, lambda x: -x["s"])
    return model


@cache
def closed() -> kt.Model:
    return rich()


@cache
def tree() -> kt.Model:
    model = systems.double_pendulum()
    model.wrench("push", model.bodies[next(reversed(model.bodies))])
    return model


@cache
def driven() -> kt.Model:
    model = mechanisms.slider_crank()
    model.drive("q1", lambda t: 0.5 + t)
    return model


@cache
def run() -> Any:
    return kt.simulate(closed(), 0.02, step=0.01)


@cache
def tree_run() -> Any:
    return kt.simulate(tree(), 0.05, step=0.01)


def stored_certificate(folder: Path) -> Path:
    """A certificate in a folder of its own."""
    return kt.certify(tree(), targets=["native"], states=1).save(folder / "one")[0]


def stored_step(folder: Path) -> Path:
    """Another one."""
    return kt.certify(tree(), "step", targets=["native"], states=1).save(folder / "two")[0]


def other_run(folder: Path) -> Path:
    file = folder / "other.nc"
    kt.save_run(tree_run(), file)
    return file


@cache
def linear() -> kt.Linear:
    return kt.linearise(closed())


@cache
def resting_modes() -> kt.Modes:
    return kt.modes(closed(), kt.equilibrium(closed()))


def other_partition(_: Path) -> kt.Partition:
    return kt.partition(closed(), independent=["q3"])


def stored(folder: Path) -> Path:
    file = folder / "model.yaml"
    if not file.exists():
        kt.save(closed(), file)
    return file


def written(folder: Path, name: str, text: str) -> Path:
    """A file of text."""
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def stored_run(folder: Path) -> Path:
    file = folder / "stored.nc"
    if not file.exists():
        kt.save_run(run(), file)
    return file


STARTED = {"q": {"q1": 0.6}, "qd": {"q1": 1.0}, "x": {"s": 0.9}}
LOADS = {"tau": {"q1": 1.0}, "wrenches": {"push": [0, 0, 0, 1, 0, 0]}, "parameters": {"k": 5.0}}
CHOSEN = {
    "formalism": "virtual_power",
    "loops": "multipliers",
    "partition": Made(lambda _: kt.partition(closed(), independent=["q1"])),
    "independent": ["q1"],
    "base_parameters": Rounded(False, "derive"),
}
ASKED = {"outputs": ["energy.total"], "inputs": ["rod.mass"]}
ASKS = {"outputs": "output", "inputs": "input", "certificate": "target"}
SAYS = {"parameters": "parameter"}
SECONDS = "number whole"
"""Wrong values that are times [s]."""

FUNCTIONS: dict[str, tuple[Row, ...]] = {
    "simulate": (
        Row(
            kt.simulate,
            lambda _: {"model": closed(), "duration": 0.02, "step": 0.01},
            {
                "model": driven(), "duration": 0.03, **STARTED, "t0": 1.0, "method": "RK45",
                "rtol": 1e-3, "atol": 1e-3, "step": 0.005, **LOADS, "events": {"low": "t - 0.01"},
                "max_steps": 1, "max_step": 1e-4, "formulation": "hybrid",
                **QUIET, **CHOSEN,
                **GROWS,
                "continues": Made(lambda _: kt.simulate(closed(), 0.02, step=0.01)),
                "outputs": ["energy.total"], "locate": Refused(True), "at": {"q": {"q1": 0.7}},
            },
            {"t0": SECONDS, "max_step": "infinite", **TOLD,
             "base_parameters": "truth"},
            {**SAYS, "events": "event", "continues": "file"}, OPTIONS,
        ),
        Row(
            kt.simulate,
            lambda _: {"model": closed(), "duration": 0.02, "step": 0.01, "method": "hht"},
            {
                "duration": 0.03, "t0": 1.0, "step": 0.005,
                "tau": {"q1": 1.0}, "wrenches": LOADS["wrenches"], "parameters": {"k": 5.0},
                "formulation": "topological", "method": "trapezoidal",
                "rtol": Refused(1e-3), "atol": Refused(1e-3),
                "max_steps": Refused(7), "max_step": Refused(0.1), "events": {"low": "t - 0.01"},
                "locate": Unseen(True, "nothing happens inside a step"),
                "tolerance": Unseen(1e-5, "one iteration more or less"),
                "limit": Unseen(50, "three iterations suffice"),
                "penalty": 1e5, "projections": 1, "projection": "tangent",
                "tangent": "approximate", "update": "step",
            },
            {"t0": SECONDS, "max_step": "infinite", "locate": "truth"},
            {**SAYS, "events": "event"}, partial=True,
        ),
    ),
    "kinematics": (
        Row(
            kt.kinematics,
            lambda _: {"model": driven(), "duration": 0.02, "step": 0.01},
            {
                "duration": 0.03, "q": {"q2": 2.0, "q3": -0.5}, "t0": 1.0, "step": 0.005,
                "points": ["rod.end"], "parameters": {"rod.end_x": 2.1},
                **QUIET, **GROWS, "model": Refused(tree()),
            },
            {"t0": SECONDS, **TOLD}, {**SAYS, "points": "point"},
        ),
    ),
    "equilibrium": (
        Row(
            kt.equilibrium,
            lambda _: {"model": closed(), "q": [-1.0, -0.8, 2.5]},
            {
                **QUIET,
                "model": Refused(tree()), "at": {"t": 1.0}, "q": {"q1": 1.8}, "locked": ["q1"],
                "x": Rounded({"s": 0.2}, "q"),
                "free": Refused(["k"]), "t": 1.0, **LOADS,
                "formalism": Unseen("virtual_power", "the state of rest is the same"),
                "loops": Refused("multipliers"), "partition": Made(other_partition),
                "independent": ["q3"],
                "base_parameters": Rounded(False, "derive"),
            },
            {"t": SECONDS, "base_parameters": "truth", **TOLD}, {**SAYS, "model": "q"}, LOADED,
        ),
    ),
    "linearise": (
        Row(
            kt.linearise,
            lambda _: {"model": closed()},
            {
                "model": tree(), "at": {"q": {"q1": 0.6}}, "t": 1.0, **LOADS, **CHOSEN, **ASKED,
                "loops": Refused("multipliers"), **QUIET,
            },
            {"t": SECONDS, "base_parameters": "truth", **TOLD}, {**SAYS, **ASKS}, LOADED,
        ),
    ),
    "modes": (
        Row(
            kt.modes,
            lambda _: {"model": closed()},
            {
                "model": tree(), "at": {"q": {"q1": 0.6}}, "t": 1.0, **LOADS, **CHOSEN,
                "loops": Refused("multipliers"), **QUIET,
            },
            {"t": SECONDS, "base_parameters": "truth", **TOLD}, SAYS, LOADED,
        ),
        Row(
            kt.modes,
            lambda _: {"model": linear()},
            {"at": Refused({"q": {"q1": 0.6}}), "tau": Refused({"q1": 1.0}), "t": Refused(1.0)},
            {}, partial=True,
        ),
    ),
    "inverse": (
        Row(
            kt.inverse,
            lambda _: {"model": closed(), "trajectory": run()},
            {
                "model": Refused(tree()), "trajectory": Made(lambda _: run().isel(time=[0, 2])),
                "actuators": ["q3"], "free": Refused(["q1"]), "weights": Refused({"q2": 2.0}),
                "bounds": Unseen({"q2": (-1e3, 1e3)}, "the effort is between them"),
                **QUIET, **GROWS, "wrenches": LOADS["wrenches"],
                "parameters": {"k": 5.0}, "independent": ["q1"], "partition": CHOSEN["partition"],
                "formalism": Refused("newton_euler"), "base_parameters": Refused(False),
            },
            {"base_parameters": "", **TOLD}, {**SAYS, "model": "q"},
            ("independent", "partition", "formalism", "base_parameters"),
        ),
        Row(
            kt.inverse,
            lambda _: {"model": tree(), "trajectory": tree_run()},
            {
                "formalism": "virtual_power", "base_parameters": False,
                "independent": Refused(["a"]),
                "partition": Refused(kt.partition(closed())), "wrenches": LOADS["wrenches"],
                "parameters": {"lower.mass": 3.0}, "actuators": Refused(["a"]),
            },
            {"base_parameters": "truth"}, SAYS, partial=True,
        ),
    ),
    "reactions": (
        Row(
            kt.reactions,
            lambda _: {"model": closed(), "run": run()},
            {
                "model": Refused(tree()), "run": Made(lambda _: run().isel(time=[0, 2])),
                **QUIET, **GROWS,
                "joints": ["q1"], "wrenches": LOADS["wrenches"], "parameters": {"rod.mass": 5.0},
            },
            TOLD, {**SAYS, "joints": "joint", "model": "q"},
        ),
    ),
    "outputs": (
        Row(
            kt.outputs,
            lambda _: {"model": closed(), "run": run(), "names": ["q_q1"]},
            {
                "model": Refused(tree()), "run": Made(lambda _: run().isel(time=[0, 2])),
                **QUIET, **GROWS, "names": ["energy.total"],
            },
            TOLD, {"names": "output", "model": "run"},
        ),
    ),
    "integrate": (
        Row(
            kt.integrate,
            lambda _: {"residual": lambda q, qd, qdd, t: qdd + q, "times": [0.0, 0.1], "q": [1.0]},
            {
                "residual": lambda q, qd, qdd, t: qdd + 2 * q, "times": [0.0, 0.2], "q": [2.0],
                "qd": [1.0], "names": ["swing"],
                "slopes": lambda q, qd, qdd, t: (2 * np.eye(1), np.zeros((1, 1)), np.eye(1)),
                "tolerance": 1e-3, "first": 1e-2, "longest": 1e-3,
                "shortest": Unseen(1e-10, "no step gets there"),
                "absolute": Unseen(1e-3, "no difference is that small"),
            },
            {"longest": "infinite", "q": SECONDS, "qd": SECONDS, "names": "names"}, {},
            ("tolerance", "first", "longest", "shortest", "absolute"),
        ),
    ),
    "assemble": (
        Row(
            kt.assemble,
            lambda _: {"model": closed()},
            {
                "model": driven(), "q": [0.5, -2.0, 2.5], "independent": ["q3"],
                "t": Unseen(1.0, "no law depends on it"), "steps": Refused(1),
                "tolerance": Unseen(9e-3, "the loops close exactly"),
                "parameters": {"rod.end_x": 2.1},
            },
            {"t": SECONDS}, {**SAYS, "steps": "step"},
        ),
    ),
    "partition": (
        Row(
            kt.partition,
            lambda _: {"model": closed()},
            {
                "model": driven(), "q": [0.5, -2.0, 2.5], "independent": ["q1"],
                "t": Unseen(1.0, "no law depends on it"), "parameters": {"rod.end_x": 2.1},
            },
            {"t": SECONDS}, SAYS,
        ),
    ),
    "derive": (
        Row(
            kt.derive,
            lambda _: {"model": closed()},
            {
                "model": driven(), "quantity": "energy", "formalism": "virtual_power",
                "parameters": "folded", "base_parameters": False, "points": Refused(["rod.end"]),
                "partition": CHOSEN["partition"], "loops": "multipliers",
                "known": Refused("tau"), "wanted": Refused(["q"]), "vary": ["gravity_x"],
                "switches": Unseen("held", "no law has a switch"),
            },
            {"base_parameters": "truth"}, {"points": "point", "vary": "parameter"},
        ),
        Row(
            kt.derive,
            lambda _: {"model": tree(), "quantity": "mixed"},
            {"known": "qdd"}, {}, partial=True,
        ),
        Row(
            kt.derive,
            lambda _: {"model": tree(), "quantity": "kinematics"},
            {
                "points": ["lower"], "base_parameters": Refused(False),
                "partition": Refused(kt.partition(closed())), "loops": Refused("projection"),
                "formalism": Refused("virtual_power"),
            },
            {"base_parameters": "truth"}, {"points": "point"}, partial=True,
        ),
        Row(
            kt.derive,
            lambda _: {"model": kt.as_frames(tree()), "quantity": "forward"},
            {
                "points": Refused(["lower"]), "base_parameters": Refused(False),
                "partition": Refused(kt.partition(closed())), "loops": Refused("projection"),
                "formalism": Refused("virtual_power"), "parameters": "folded",
            },
            {"base_parameters": "truth"}, {"points": "point"}, partial=True,
        ),
    ),
    "derive_actuation": (
        Row(
            kt.derive_actuation,
            lambda _: {"model": closed()},
            {
                "model": driven(), "actuators": ["q1", "q2"], "free": Refused(["q1"]),
                "partition": CHOSEN["partition"], "parameters": "folded",
            },
        ),
    ),
    "discretise": (
        Row(
            kt.discretise,
            lambda _: {"model": tree(), "method": "semi_implicit_euler"},
            {
                "model": systems.pendulum(), "method": "newmark", "formulation": Refused("hybrid"),
                "inputs": [tree().velocities[0]], "parameters": "folded",
                "tolerance": Refused(1e-3), "limit": Refused(3),
            },
            more=("tolerance", "limit"),
        ),
    ),
    "layout": (
        Row(
            kt.layout,
            lambda _: {"model": tree(), "engine": "pinocchio"},
            {
                "model": systems.pendulum(), "engine": "mujoco", "joints": ["b", "a"],
                "continuous": ["a"],
            },
        ),
    ),
    "as_frames": (Row(kt.as_frames, lambda _: {"model": tree()}, {"model": Refused(closed())}),),
    "position_matrices": (
        Row(kt.position_matrices, lambda _: {"model": tree()}, {"model": systems.pendulum()}),
    ),
    "read_profile": (
        Row(
            kt.read_profile,
            lambda folder: {"path": written(folder, "a.csv", "0 0\n1 0\n1 1\n")},
            {"path": Made(lambda folder: written(folder, "b.csv", "0 0\n2 0\n")),
             "name": Refused("cam"), "unit": "mm", "flip": True, "smooth": True},
            {"flip": "truth", "smooth": "truth"}, {"path": "file"},
        ),
    ),
    "load": (
        Row(
            kt.load,
            lambda folder: {"path": stored(folder)},
            {"path": str(MODELS / "double_pendulum.yaml"), "floating": Refused(True),
             "laws": Refused({"rope": 0}), "density": Refused(1000.0)},
            {}, {"path": "file"},
        ),
    ),
    "save": (
        Row(
            kt.save,
            lambda folder: {"model": closed(), "path": folder / "saved.yaml"},
            {"model": tree(), "path": Unseen("saved.yml", "nothing is returned")},
            {}, {"path": "file"},
        ),
    ),
    "load_run": (
        Row(kt.load_run, lambda folder: {"path": stored_run(folder)},
            {"path": Made(other_run)}, {}, {"path": "file"}),
    ),
    "save_run": (
        Row(
            kt.save_run,
            lambda folder: {"run": run(), "path": folder / "saved.csv"},
            {"run": tree_run(), "path": Made(lambda folder: folder / "other.csv")},
            {}, {"path": "file"},
        ),
    ),
    "diagram": (
        Row(
            kt.diagram,
            lambda folder: {"model": closed(), "path": folder / "a.svg"},
            {"model": tree(), "path": Made(lambda folder: folder / "b.svg")},
            {}, {"path": "file"},
        ),
    ),
    "plot": (
        Row(
            kt.plot,
            lambda folder: {"run": run(), "signals": ["q.q1"], "path": folder / "a.svg"},
            {
                "run": Made(lambda _: run().isel(time=[0, 2])), "signals": ["qd.q1"], "x": "q.q2",
                "path": Made(lambda folder: folder / "b.svg"), "title": "A title",
            },
            {"title": "word"}, {"path": "file", "signals": "signal", "x": "signal"},
        ),
    ),
    "animate": (
        Row(
            kt.animate,
            lambda folder: {"model": closed(), "path": folder / "a.html"},
            {
                "model": tree(), "run": run(), "path": Made(lambda folder: folder / "b.html"),
                "modes": Made(lambda _: resting_modes()),
                "shapes": Unseen(False, "the model has no shapes"),
                "title": "A title", "live": True, "progress": Refused(True),
            },
            {"title": "word", "shapes": "truth word", "live": "truth"}, {"path": "file"},
        ),
    ),
    "export_modelica": (
        Row(
            kt.export_modelica,
            lambda folder: {"component": Charging(), "path": folder / "a.mo"},
            {"component": Charging(R={"R": 4.0}), "path": Made(lambda folder: folder / "b.mo")},
            {"path": "word"}, {"path": "file"},
        ),
    ),
    "export_fmu": (
        Row(
            kt.export_fmu,
            lambda folder: {"model": closed(), "path": folder / "a.fmu", "binary": False},
            {
                "model": tree(), "path": Made(lambda folder: folder / "b.fmu"), "version": "2.0",
                "points": ["rod.end"], "step": 1e-4, "stop": 3.0, **STARTED, "derivatives": False,
                **ASKED,
                "binary": Unseen(False, "there is a compiler or there is not"),
                "force": Unseen(True, "the file is its own"), "parameters": {"k": 5.0}, **CHOSEN,
                "certificate": ["native"],
            },
            {"force": "truth", "certificate": "truth", "derivatives": "truth", "binary": "truth",
             "path": "word", "base_parameters": "truth"},
            {**SAYS, **ASKS, "path": "file", "points": "point"}, ("parameters", *OPTIONS),
        ),
    ),
    "certify": (
        Row(
            kt.certify,
            lambda _: {"model": closed(), "targets": ["native"], "states": 1},
            {
                "model": tree(), "quantity": "constraints", "targets": ["python"], "states": 2,
                "seed": 3, "progress": Unseen(lambda _: None, "it is told, and no more"),
            },
            {"targets": "none", "progress": "function none", "seed": ""},
        ),
    ),
    "verify": (
        Row(
            kt.verify,
            lambda folder: {"path": stored_certificate(folder)},
            {"path": Made(stored_step), "model": tree()},
        ),
    ),
    "export_c": (
        Row(
            kt.export_c,
            lambda folder: {"model": closed(), "folder": folder / "package"},
            {
                "model": tree(), "folder": Unseen("package", "the files are the same"),
                "points": ["rod.end"], "step": 1e-4, "duration": 3.0, "every": 7, **STARTED,
                "t0": 1.0, "precision": "single", "force": Unseen(True, "the folder is its own"),
                **LOADS, **CHOSEN, **ASKED, "certificate": ["native"],
            },
            {"force": "truth", "base_parameters": "truth", "folder": "word", "t0": SECONDS,
             "certificate": "truth"},
            {**SAYS, **ASKS, "points": "point"}, LOADED,
        ),
    ),
    "write_simulation": (
        Row(
            kt.write_simulation,
            lambda folder: {
                "model": closed(), "folder": folder / "run", "duration": 1.0, "step": 0.01
            },
            {
                "model": tree(), "folder": Unseen("run", "the files are the same"),
                "duration": 2.0, "step": 0.02, "every": 7, **STARTED, "t0": 1.0, **LOADS,
                "points": ["rod.end"], "precision": "single",
                "force": Unseen(True, "the folder is its own"), **CHOSEN, **ASKED,
            },
            {"force": "truth", "base_parameters": "truth", "folder": "word", "t0": SECONDS},
            {**SAYS, **ASKS, "points": "point"},
            ("points", *ASKED, *STARTED, "t0", "precision", "force", *LOADED),
        ),
    ),
    "Event": (
        Row(
            kt.Event,
            lambda _: {"when": "t - 1"},
            {
                "when": "t - 2", "direction": "rising", "stops": True, "then": {"qd_q1": 0.0},
                "every": Refused(1.0), "offset": Refused(0.5), "at": Refused((1.0,)),
            },
            {"when": "word function", "stops": "truth", "then": "mapping named"},
        ),
        Row(
            kt.Event, lambda _: {"every": 1.0}, {"every": 2.0, "offset": 0.5},
            {"offset": "number whole"}, partial=True,
        ),
        Row(kt.Event, lambda _: {"at": (1.0,)}, {"at": (2.0,)}, partial=True),
    ),
    "Live": (
        Row(
            kt.Live,
            lambda _: {},
            {
                "step": 1e-3, "method": "hht", "formulation": "hybrid", "tolerance": 1e-4,
                **STARTED, "parameters": {"k": 5.0}, "sliders": ["k"], "independent": ["q1"],
                "outputs": ["energy.total"],
            },
            # a page knows its model, `Live` does not: names are refused by `animate`
            dict.fromkeys(("q", "qd", "x", "parameters"), "named")
            | {"sliders": "names", "independent": "names", "outputs": "names"},
        ),
    ),
    "Table": (
        Row(
            kt.Table.monotone,
            lambda _: {"knots": [0.0, 1.0, 2.0], "values": [0.0, 1.0, 3.0]},
            {"knots": [0.0, 1.0, 3.0], "values": [0.0, 1.0, 4.0], "name": "t"},
            {"name": "word"},
        ),
    ),
}  # fmt: skip
