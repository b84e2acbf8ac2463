"""Rows of Programs, their targets, and steppers."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from tests.options.functions import closed, tree
from tests.options.rows import Refused, Row, Unseen

import kinetree as kt
from kinetree import steppers
from kinetree.integrate import Control, Stepper, start_program
from kinetree.program.program import TARGETS


@cache
def forward() -> kt.Program:
    return kt.derive(tree(), "forward")


@cache
def stepper() -> Stepper:
    return Stepper(closed(), "hybrid", "hht")


@cache
def function() -> Any:
    return forward().compile()


def whole_state(count: int = 0) -> dict[str, Any]:
    lead = (count,) if count else ()
    return {"q": np.full((*lead, 2), 0.3), "qd": np.zeros(2), "tau": np.zeros(2)}


def write(target: str, right: dict[str, Any] | None = None, **more: Any) -> Row:
    """The row of writing a target."""
    base = more.pop("base", {})
    options = {"force": Unseen(True, "the folder is its own"), **(right or {})}
    return Row(
        kt.Program.write,
        lambda _: {"self": forward(), "target": target, "folder": "code", **base},
        {"target": Refused("native"), "folder": Unseen("code", "the same"),
         **options},
        {"folder": "word", "force": "truth", **more.pop("takes", {})}, more=tuple(options), **more,
    )  # fmt: skip


def compiled(target: str, right: dict[str, Any] | None = None, **more: Any) -> Row:
    """The row of compiling for a target, where it offers something to call."""
    options = right or {}
    return Row(
        kt.Program.compile,
        lambda _: {"self": forward(), "target": target},
        {"target": Refused("latex"), **options}, more=tuple(options),
        says={"target": "target"}, **more,
    )  # fmt: skip


BATCH = dict.fromkeys(("q", "qd", "tau"), "array")
"""Two states make a batch."""


def call(**given: Any) -> Any:
    return function()(**given)


TAKES = {"tangent": "truth", "only": "truth", "condensed": "truth"}

PROGRAMS: dict[str, tuple[Row, ...]] = {
    "Program.input": (
        Row(kt.Program.input, lambda _: {"self": forward(), "name": "q"}, {"name": "qd"},
            says={"name": "input"}),
    ),
    "Program.output": (
        Row(kt.Program.output, lambda _: {"self": forward(), "name": "qdd"}, {"name": Refused("q")},
            says={"name": "output"}),
    ),
    "Program.derivative": (
        Row(
            kt.Program.derivative, lambda _: {"self": forward(), "of": "qdd", "by": "q"},
            {"of": Refused("tau"), "by": ["q", "qd"], "only": True,
             "tangent": Unseen(True, "there are no quaternions"), "condensed": False},
            TAKES, {"of": "output", "by": "input"}, ("tangent", "only", "condensed"),
        ),
    ),
    "Program.adjoint": (
        Row(
            kt.Program.adjoint, lambda _: {"self": forward(), "of": "qdd", "by": "q"},
            {"of": Refused("tau"), "by": ["q", "qd"], "only": True,
             "tangent": Unseen(True, "there are no quaternions")},
            TAKES, {"of": "output", "by": "input"}, ("tangent", "only"),
        ),
    ),
    "Program.along": (
        Row(
            kt.Program.along, lambda _: {"self": forward(), "of": "qdd", "by": "q"},
            {"of": Refused("tau"), "by": ["q", "qd"],
             "tangent": Unseen(True, "there are no quaternions")},
            TAKES, {"of": "output", "by": "input"}, ("tangent",),
        ),
    ),
    "Program.evaluate": (
        Row(
            kt.Program.evaluate, lambda _: {"self": forward(), **whole_state()},
            {"q": np.ones(2), "qd": np.ones(2), "tau": np.ones(2),
             "p": np.array([-9.0, 2.0, 0.4]), "push": np.ones(6)},
            more=("q", "qd", "tau", "p", "push"), takes=BATCH,
        ),
    ),
    "Program.compile": (
        compiled(
            "native",
            {"strict": Unseen(True, "an object of its own"), "tier": Unseen("quick", "likewise"),
             "cache": Unseen(False, "likewise")},
            takes={"strict": "truth", "cache": "truth"},
        ),
        compiled("python"),
    ),
    "Program.write": (
        write("c", {"precision": "single", "main": Refused(3)}),
        write("fortran", {"precision": "single"}),
        write("cuda", {"dtype": "float", "parameters": "each"}),
        write("latex", {"full": True}, takes={"full": "truth"}),
        write(
            "fmu",
            {"version": "2.0", "step": 1e-4, "stop": 2.0, "derivatives": False,
             "binary": Unseen(False, "sources alone"), "q": [0.1, 0.2]},
            base={"binary": False},
            takes={"derivatives": "truth", "binary": "truth"},
        ),
        *(write(name) for name in TARGETS
          if name not in ("native", "c", "fortran", "cuda", "latex", "fmu")),
    ),
    "Function": (
        Row(
            call, lambda _: whole_state(),
            {
                "parameters": {"lower.mass": 3.0}, "check": Unseen(False, "the state is sound"),
                "threads": Unseen(1, "one state"), "q": np.ones(2), "qd": np.ones(2),
                "tau": np.ones(2), "p": np.array([-9.0, 2.0, 0.4]), "push": np.ones(6),
            },
            {"check": "truth", **BATCH}, {"parameters": "parameter"},
            ("parameters", "check", "threads", "q", "qd", "tau", "p", "push"),
        ),
    ),
    "step_program": (
        Row(
            steppers.step_program, lambda _: {"model": closed()},
            {
                "model": tree(), "formulation": "topological", "method": "hht",
                "parameters": "folded", "tolerance": 1e-4, "limit": 50, "penalty": 1e5,
                "projections": 1, "projection": "tangent", "tangent": "approximate",
                "update": "step", "independent": Refused(["q1"]),
            },
            more=("tolerance", "limit", "penalty", "projections", "projection", "tangent",
                  "update", "independent"),
        ),
        Row(
            steppers.step_program, lambda _: {"model": tree(), "method": "rk4"},
            {
                "formulation": Refused("tree"), "tolerance": Refused(1e-4), "limit": Refused(50),
                "penalty": Refused(1e5), "projections": Refused(1),
                "projection": Refused("tangent"), "tangent": Refused("approximate"),
                "update": Refused("step"),
            },
            partial=True,
        ),
    ),
    "start_program": (
        Row(
            start_program, lambda _: {"model": closed()},
            {"model": tree(), "independent": ["q1"], "parameters": "folded"},
        ),
    ),
    "Control": (
        Row(
            Control, lambda _: {},
            {"tolerance": 1e-4, "first": 1e-5, "longest": 0.1, "shortest": 1e-9},
            {"longest": "infinite"},
        ),
    ),
    "run": (
        Row(
            Stepper.run, lambda _: {"self": stepper(), "duration": 0.02, "step": 0.01},
            {
                "duration": 0.03, "step": 0.005, "every": 2, "q": [0.5, -2.0, 2.5],
                "qd": [1.0, 0.0, 0.0], "x": [0.9], "t": 1.0, "parameters": {"k": 5.0},
                "inputs": {"tau": [1.0, 0.0, 0.0]}, "series": {"tau": np.ones((2, 3))},
                "progress": Unseen(lambda *_: None, "it is told"),
                "threads": Unseen(1, "one run"), "sink": lambda *_: None,
            },
            {"t": "number whole", "progress": "function", "sink": "function"},
            {"parameters": "parameter", "inputs": "input", "series": "input"},
        ),
    ),
    "run_adaptive": (
        Row(
            Stepper.run_adaptive, lambda _: {"self": stepper(), "times": [0.0, 0.01]},
            {
                "times": [0.0, 0.02], "control": Control(first=1e-3),
                "q": [0.5, -2.0, 2.5], "qd": [1.0, 0.0, 0.0], "x": [0.9],
                "parameters": {"k": 5.0}, "inputs": {"tau": [1.0, 0.0, 0.0]},
                "progress": Unseen(lambda *_: None, "it is told"),
            },
            {"progress": "function"}, {"parameters": "parameter", "inputs": "input"},
        ),
    ),
}  # fmt: skip
