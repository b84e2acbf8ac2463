"""Verbs about motion: simulate, kinematics, equilibrium, linearise, modes."""

from __future__ import annotations

import math
from typing import Annotated

import typer

from kinetree.cli.common import AsJson, ModelFile, app, read
from kinetree.cli.runs import (
    Atol,
    Continues,
    Duration,
    FormulationOption,
    Given,
    IndependentOption,
    Inputs,
    Interval,
    Lock,
    MarkLaws,
    OutOption,
    Outputs,
    ProgressFile,
    Rest,
    Rtol,
    Set,
    StartQ,
    StartQd,
    StartX,
    Stop,
    Tau,
    TextOut,
    early_end,
    event_option,
    finish,
    first_state,
    growing,
    model_warnings,
    not_empty,
    operating_state,
    parameter_option,
    parse,
    progress_option,
    report_run,
    round_rows,
    start_options,
)
from kinetree.printing import TableRow, print_table

Locate = Annotated[
    bool,
    typer.Option("--locate", help="Equal steps: a step ends where an event changes the state."),
]


@app.command()
def simulate(
    file: ModelFile,
    duration: Duration = 10.0,
    method: Annotated[str, typer.Option(help="dop853, cvode_bdf, BDF, rk4, hht, …")] = "auto",
    q: StartQ = None,
    qd: StartQd = None,
    x: StartX = None,
    tau: Tau = None,
    values: Set = None,
    stop: Stop = None,
    output: Outputs = None,
    mark_laws: MarkLaws = False,
    independent: IndependentOption = None,
    loops: Annotated[str, typer.Option(help="explicit, multipliers or projection.")] = "",
    formulation: FormulationOption = "",
    locate: Locate = False,
    step: Interval = None,
    max_step: Annotated[float, typer.Option(help=r"Longest step of the method \[s].")] = math.inf,
    rtol: Rtol = 1e-8,
    atol: Atol = 1e-10,
    continues: Continues = None,
    rest: Rest = False,
    lock: Lock = None,
    out: OutOption = None,
    as_json: AsJson = False,
) -> None:
    """Simulate the motion from a start; write it to a file, .nc while it goes."""
    from kinetree import simulate as run

    model, _ = read(file)
    given = {"independent": independent, "formulation": formulation, "locate": locate}
    with model_warnings(as_json) as notes:
        found = run(
            model, duration, method=method, qd=parse(qd), tau=parse(tau), parameters=parse(values),
            events=event_option(stop, mark_laws), step=step, rtol=rtol, atol=atol,
            **not_empty(loops=loops, **given), max_step=max_step, continues=continues,
            file=growing(out), progress=False if as_json else None, outputs=output or None,
            **first_state(model, (q, x, tau, values), lock, rest=rest),
        )  # fmt: skip
    report_run(model, found, out, as_json, notes)
    raise typer.Exit(bool(early_end(found)))


@app.command()
def kinematics(
    file: ModelFile,
    duration: Duration = 1.0,
    q: StartQ = None,
    values: Set = None,
    step: Interval = None,
    point: Annotated[Given, typer.Option("--point", help="Path body or body.point.")] = None,
    out: OutOption = None,
    progress: ProgressFile = None,
    as_json: AsJson = False,
) -> None:
    """Move a driven mechanism; positions, velocities and accelerations over time."""
    from kinetree import kinematics as run

    model, _ = read(file)
    with model_warnings(as_json) as notes:
        found = run(
            model, duration, q=parse(q), step=step, points=point, parameters=parse(values),
            progress=progress_option(progress, as_json), file=growing(out),
        )  # fmt: skip
    report_run(model, found, out, as_json, notes)
    raise typer.Exit(bool(early_end(found)))


@app.command()
def equilibrium(
    file: ModelFile,
    q: StartQ = None,
    x: StartX = None,
    lock: Lock = None,
    free: Annotated[Given, typer.Option("--free", help="Parameter to be found.")] = None,
    tau: Tau = None,
    values: Set = None,
    out: TextOut = None,
    progress: ProgressFile = None,
    as_json: AsJson = False,
) -> None:
    """Find a state of rest near the start values."""
    from kinetree import equilibrium as run

    model, _ = read(file)
    with model_warnings(as_json) as notes:
        found = run(
            model, q=parse(q), x=parse(x), locked=lock or (), free=free or (),
            tau=parse(tau), parameters=parse(values), progress=progress_option(progress, as_json),
        )  # fmt: skip
    rows: list[TableRow] = [
        {"what": f"{kind}_{name}", "value": float(value)}
        for kind, pairs in (
            ("q", zip(model.coordinates, found.q, strict=True)),
            ("x", zip(getattr(model, "states", {}), found.x, strict=True)),
            ("p", found.p.items()),
            ("effort", found.efforts.items()),
            ("lam", found.lam.items()),
        )
        for name, value in pairs
    ]
    data = {row["what"]: row["value"] for row in rows}
    answer = {"model": model.name, "residual": found.residual, "steps": found.steps, **data}
    finish(answer, out, as_json, notes)
    if not as_json:
        print_table(f"{model.name} at rest, residual {found.residual:.1e}", round_rows(rows))


@app.command()
def linearise(
    file: ModelFile,
    q: StartQ = None,
    qd: StartQd = None,
    values: Set = None,
    rest: Rest = False,
    lock: Lock = None,
    output: Outputs = None,
    inputs: Inputs = None,
    out: TextOut = None,
    progress: ProgressFile = None,
    as_json: AsJson = False,
) -> None:
    """Linear model of small motions: A, B, C and D in the independent states."""
    from kinetree import linearise as run

    model, _ = read(file)
    with model_warnings(as_json) as notes:
        at = operating_state(model, (q, qd), values, lock) if rest else start_options(q, qd, lock)
        chosen = not_empty(outputs=output, inputs=inputs)
        chosen["progress"] = progress_option(progress, as_json)
        found = run(model, at, **parameter_option(values), **chosen)
    tables = ("A", "B", "C", "D", "q", "qdd", "y")
    answer = {
        "model": model.name, "states": found.states, "inputs": found.inputs,
        "outputs": found.outputs, **{name: getattr(found, name).tolist() for name in tables},
    }  # fmt: skip
    finish(answer, out, as_json, notes)
    if not as_json:
        rows = [
            {"state": name, **dict(zip(found.states, line.tolist(), strict=True))}
            for name, line in zip(found.states, found.A, strict=True)
        ]
        print_table(f"{model.name}: A", round_rows(rows))


@app.command()
def modes(
    file: ModelFile,
    q: StartQ = None,
    qd: StartQd = None,
    values: Set = None,
    rest: Rest = False,
    lock: Lock = None,
    out: TextOut = None,
    progress: ProgressFile = None,
    as_json: AsJson = False,
) -> None:
    """Frequencies, damping and shapes of small motions."""
    from kinetree import modes as run

    model, _ = read(file)
    with model_warnings(as_json) as notes:
        at = operating_state(model, (q, qd), values, lock) if rest else start_options(q, qd, lock)
        told = progress_option(progress, as_json)
        found = run(model, at, progress=told, **parameter_option(values))
    shapes = [
        {
            name: [float(value.real), float(value.imag)]
            for name, value in zip(found.velocities, shape, strict=True)
        }
        for shape in found.shapes
    ]
    rows = found.rows()
    table = [{**row, "shape": shape} for row, shape in zip(rows, shapes, strict=True)]
    finish({"model": model.name, "q": found.linear.q.tolist(), "modes": table}, out, as_json, notes)
    if not as_json:
        print_table(f"{model.name}: modes, frequencies as damped", round_rows(rows))
