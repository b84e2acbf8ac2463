"""How what varies moves the state that the first step begins with.

The state of a step has accelerations and multipliers beside coordinates and velocities: all are
expressions of the consistent start and of parameters, as measures are, and are differentiated as
these are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kinetree.analysis.observing.attach import attach
from kinetree.analysis.sensitivities.expressions import Expressions
from kinetree.analysis.sensitivities.looks import look
from kinetree.analysis.sensitivities.reverse import Reverse
from kinetree.analysis.sensitivities.start import pull_start, tangent_start
from kinetree.analysis.sensitivities.tangent import tangent
from kinetree.arrays import Array
from kinetree.engine import ZERO, Node
from kinetree.formalism.natural import chart
from kinetree.program import Program
from kinetree.program.state_form import consistent_state
from kinetree.steppers.step import GLOBAL

if TYPE_CHECKING:
    from kinetree.analysis.sensitivities.stepping.step_run import StepRun
    from kinetree.analysis.sensitivities.task import Task
    from kinetree.analysis.sensitivities.variables import DesignVariable
    from kinetree.integrate import Stepper

SAME = {"a": "qdd", "y": "xd"}
"""Parts of the state that begin as others."""


def tangents_at_start(run: StepRun, variables: Sequence[DesignVariable]) -> Array:
    """Changes of the state of the first step: component × variable."""
    task = run.task
    made = tangent(task.system, start_expressions(run.task, run.stepper), variables)
    moved = task.start_slopes(variables)
    Y = tangent_start(made, variables, task.start, task.t0, task.given, moved)
    return look(made, task.t0, Y).de


def pull_to_start(run: StepRun, bars: Array) -> Array:
    """What bars of the state of the first step say of every variable but the duration."""
    task, reverse = run.task, start_reverse(run.task, run.stepper)
    found = reverse.call(reverse.of_looks, task.t0, task.start, bars)
    moved = task.start_slopes(task.directions)
    start = pull_start(reverse, task.start, task.t0, task.given, found.y, moved)
    whole: Array = reverse.of_variables(found.p) + start
    return whole


def start_reverse(task: Task, stepper: Stepper) -> Reverse:
    """The reverse of the state of the first step by the consistent start and what varies."""
    seen = start_expressions(task, stepper)
    return Reverse(tangent(task.system, seen, ()), task.directions, seen.key, once=True)


def start_expressions(task: Task, stepper: Stepper) -> Expressions:
    """The state of the first step in the terms of forward dynamics.

    Of the multipliers those that close loops are there, since measures may see them; of others, by
    which coordinates of a step are tied, the iterations alone begin with them, and a step does not
    end differently for it.
    """
    forward = task.system.forms.forward.program
    parts = _parts(forward)
    if stepper.program.info["formulation"] == GLOBAL:
        whole = attach(forward, chart(task.model).there)
        natural = {name: whole.output(f"natural_{name}").nodes for name in ("q", "qd", "qdd")}
        forward, parts = replace(whole, outputs=forward.outputs), parts | natural
    nodes: list[Node] = []
    for name, size in stepper.state.items():
        found = list(parts.get(SAME.get(name, name), ()))[:size]
        if name == "lam":
            found = _multipliers(forward, stepper.program.input(name).labels)
        nodes += found + [ZERO] * (size - len(found))
    return Expressions(forward, tuple(nodes), (), (None,) * len(nodes))


def _multipliers(forward: Program, labels: Sequence[str]) -> list[Node]:
    """Those of forward dynamics by the equations they belong to; zero of others."""
    known: dict[str, Node] = {}
    if forward.gives("lam"):
        row = forward.output("lam")
        known = dict(zip(row.labels, row.nodes, strict=True))
    return [known.get(label, ZERO) for label in labels]


def _parts(forward: Program) -> dict[str, Sequence[Node]]:
    """Parts of the state of a step at the consistent state of forward dynamics."""
    y = consistent_state(forward)
    nq, nv = (len(forward.input(name).symbols) for name in ("q", "qd"))
    return {
        "q": y[:nq], "qd": y[nq : nq + nv], "x": y[nq + nv :],
        "qdd": forward.output("qdd").nodes,
        "xd": forward.output("xd").nodes if forward.gives("xd") else (),
    }  # fmt: skip
