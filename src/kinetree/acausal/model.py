"""Components as a model: states, parameters, events, and the Program of their sorted equations.

What comes out is a `Model` with equations of its own, so every analysis, target and export that
knows models knows connected components.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from kinetree.acausal.branches import write_modes
from kinetree.acausal.choice import StateChoice, guard
from kinetree.acausal.components import Component
from kinetree.acausal.diagnosis.singular import name_singular
from kinetree.acausal.hybrid.clocks import add_happenings
from kinetree.acausal.instances import FlatVariable
from kinetree.acausal.physical import join_name, say, split_name
from kinetree.acausal.sort import (
    SortedComponent,
    bound_in_order,
    sort_component,
    start_with,
)
from kinetree.acausal.write import GUESS, guess_symbol, write_blocks
from kinetree.engine import ONE, ZERO, Node, Rank, derivation, substitute, symbol, symbols
from kinetree.model import (
    VARIABLES,
    InnerMechanism,
    Model,
    SolvedStart,
    SortedEquations,
    time_symbol,
)
from kinetree.model.forces import State
from kinetree.model.outputs.variables import CLOCK
from kinetree.model.parts import Parameter
from kinetree.program import Assign, Input, Note, Output, Program, Scheme
from kinetree.program.sort_blocks import sort_blocks
from kinetree.targets.digest import digest

TAKEN = frozenset(
    ("q", "qd", "qdd", "tau", "x", "lam", "time", "event_name", "event_time", "event_y")
)
"""Names of arrays of a run."""
LABEL = 60
"""Characters of a condition that its label shows."""


def model_of(whole: Component, known: Sequence[str] | None = None) -> Model:
    """The model of connected components.

    Args:
        whole: the component.
        known: paths of variables that come from outside; by default its inputs.
    """
    return write_model(sort_component(whole, known))


@derivation()
def write_model(
    found: SortedComponent, others: dict[tuple[int, ...], Model] | None = None
) -> Model:
    """The model of sorted equations.

    Args:
        found: the sorted component.
        others: models of the same with other states; this one is added.
    """
    model = Model(found.flat.name, gravity=(0, 0, 0))
    for row in found.flat.parameters.values():
        model.parameters[row.name] = Parameter(row.name, row.value, row.unit, row.symbol)
    modes = {row.symbol: row for row in found.flat.variables.values() if row.role == "mode"}
    for node, value in found.outside.items():
        if node is not time_symbol() and node not in modes:
            path, order = split_name(node)
            unit = "" if order else found.flat.variables[path].unit
            name = join_name(path, order)
            model.parameters[name] = Parameter(name, value, unit, node)
    page, values = found.page, found.beginning.values
    for column in found.run_columns:
        name = found.column_name(column)
        unit = page.variables[page.place[column][0]].unit if not page.place[column][1] else ""
        model.states[name] = State(name, values[page.columns[column]], None, unit)
    if not found.run_columns:
        model.states[CLOCK] = State(CLOCK, unit="s")
    program, guesses = _write(found, model, [*modes, *found.branches.conditions])
    model.states |= {name: State(name, value) for name, value in guesses.items()}
    model.states |= _held_states(found, list(modes.values()))
    rows = [row for row in found.flat.variables.values() if row.role != "hidden"]
    x, labels = program.input("x"), program.output(VARIABLES).labels
    names = {row.path: label for row, label in zip(rows, labels, strict=True)}
    add_happenings(model, found, dict(zip(x.symbols, x.labels, strict=True)), names)
    results = tuple(row.path for row in rows if row.role == "out" and "." not in row.path)
    outside = [n for n in found.outside if n is not time_symbol() and n not in modes]
    inputs = tuple(join_name(*split_name(n)) for n in outside)
    units = tuple(row.unit for row in rows)
    known = {} if others is None else others
    known[found.states.states] = model
    follows = len(found.run_columns) > len(found.states.states)
    choice = StateChoice(found, known) if follows else None
    rest = (choice, partial(name_singular, found), _inside(found, names), _solved_start(found))
    model.equations = SortedEquations(program, units, inputs, results, digest(program), *rest)
    return model


def _inside(found: SortedComponent, names: dict[str, str]) -> tuple[InnerMechanism, ...]:
    """The mechanisms that were recognised, with coordinates in terms of variables of a run."""
    made = []
    for motion in found.flat.motions:
        known = {
            s: symbol(names[path], Rank.FORCE)
            for s in symbols(motion.q)
            if (path := split_name(s)[0]) in names
        }
        made.append(InnerMechanism(motion.model, motion.path, tuple(substitute(motion.q, known))))
    return tuple(made)


def _solved_start(found: SortedComponent) -> SolvedStart | None:
    """Where a run begins, where that follows from equations."""
    if not found.beginning.solved:
        return None
    return SolvedStart(tuple(found.state_names()), partial(_begin, found))


def _begin(found: SortedComponent, parameters: Mapping[str, float]) -> dict[str, float]:
    """Where states, starts of iterations and modes begin with other values of parameters."""
    values, page = start_with(found, parameters).values, found.page
    begun = {found.column_name(c): values[page.columns[c]] for c in range(len(page.columns))}
    begun |= {f"{name}.{GUESS}": value for name, value in begun.items()}
    begun |= {split_name(mode)[0]: values[mode] for mode in found.branches.conditions}
    return begun


def _write(
    found: SortedComponent, model: Model, modes: list[Node]
) -> tuple[Program, dict[str, float]]:
    """The Program, and start values of iterations by the name of their state.

    States are those of the equations, then starts of iterations, then modes.
    """
    page, values = found.page, found.beginning.values
    scheme = _bound_parameters(found, f"{model.name}_forward")
    written = write_blocks(scheme, page, found.blocks, values)
    columns = found.run_columns
    own = {c: page.columns[c] for c in found.states.states}
    states = [own[c] if c in own else guess_symbol(page.columns[c]) for c in columns]
    rates = [page.columns[page.higher[c]] for c in columns]
    if len(columns) > len(own):
        valid = scheme.let("valid", guard(page, found.states), Note(step="choice of states"))
        rates = [rate + valid for rate in rates]
    if not columns:  # runs want something that moves
        states, rates = [symbol(f"x_{CLOCK}", Rank.COORDINATE)], [ONE]
    labels = list(model.states)
    settling = write_modes(scheme, found.flat.frictions, found.reduced.meaning)
    body = scheme.program()
    free = {node: c for node, c in written.guesses.items() if c not in columns}
    guesses = {f"{found.column_name(c)}.{GUESS}": c for c in free.values()}
    inputs = _inputs(model, [*states, *free], [*labels, *guesses])
    shown = (row.symbol for row in found.flat.variables.values() if row.role != "hidden")
    variables = tuple(map(found.reduced.meanings.node, shown))
    outputs = (
        Output("qdd", (0,), ()),
        Output("xd", (len(rates),), tuple(rates), tuple(labels)),
        Output(VARIABLES, (len(variables),), variables, _labels(found)),
    )
    program = replace(body, inputs=inputs, outputs=outputs)
    if len(columns) > len(own):
        closed = tuple(page.columns[c] for c in columns)
        out = Output("x_closed", (len(closed),), closed, tuple(labels))
        program = replace(program, outputs=(*outputs, out))
    if guesses:
        solved = tuple(page.columns[c] for c in guesses.values())
        program = _renew(program, solved, (*labels, *guesses))
    if modes:
        program = _with_held(program, modes)
    program = _with_conditions(program, tuple(found.branches.conditions.values()), settling)
    return program, {name: values[page.columns[c]] for name, c in guesses.items()}


def _bound_parameters(found: SortedComponent, name: str) -> Scheme:
    """A scheme that begins with the parameters that follow from others."""
    scheme = Scheme(name)
    for node, expr in bound_in_order(found.flat):
        scheme.define(Assign(node, expr, Note(step="parameter")))
    return scheme


def _held_states(found: SortedComponent, modes: list[FlatVariable]) -> dict[str, State]:
    """Modes that resets change, then those of switches."""
    rows = [State(row.path, row.start or 0.0, unit=row.unit, held=True) for row in modes]
    switches = [(split_name(mode)[0], mode) for mode in found.branches.conditions]
    rows += [State(name, found.beginning.values[m], held=True) for name, m in switches]
    return {row.name: row for row in rows}


def _with_conditions(
    program: Program, conditions: tuple[Node, ...], settling: tuple[Output, ...]
) -> Program:
    """The Program that tells where its switches and frictions change, too."""
    labels = tuple(f"{say(node, LABEL)} > 0" for node in conditions)
    out = Output("switches", (len(conditions),), conditions, labels, Note(step="events"))
    made = (out, *settling) if conditions else settling
    return replace(program, outputs=(*program.outputs, *made))


def _with_held(program: Program, modes: list[Node]) -> Program:
    """The Program with modes behind its states; their rates are zero."""
    x, xd = program.input("x"), program.output("xd")
    names = tuple(split_name(node)[0] for node in modes)
    size = (len(x.symbols) + len(modes),)
    wide = replace(
        x, shape=size, symbols=(*x.symbols, *modes), labels=(*x.labels, *names),
        units=(*x.units, *("",) * len(modes)),
    )  # fmt: skip
    rates = replace(
        xd, shape=size, nodes=(*xd.nodes, *(ZERO,) * len(modes)), labels=(*xd.labels, *names)
    )
    inputs = tuple(wide if row.name == "x" else row for row in program.inputs)
    outputs = tuple(rates if out.name == "xd" else out for out in program.outputs)
    return replace(program, inputs=inputs, outputs=outputs)


def _labels(found: SortedComponent) -> tuple[str, ...]:
    """Names of the variables; the class stands before those that arrays of a run have."""
    name = found.flat.name
    rows = (row.path for row in found.flat.variables.values() if row.role != "hidden")
    return tuple(f"{name}.{path}" if path in TAKEN else path for path in rows)


def _inputs(model: Model, nodes: list[Node], names: list[str]) -> tuple[Input, ...]:
    """Inputs of forward dynamics: nothing moves as a mechanism does, all is in x."""
    rows = [Input(name, (0,), ()) for name in ("q", "qd", "tau")]
    rows.append(Input("t", (), (time_symbol(),), None, False, ("t",), ("s",)))
    table = list(model.parameters.values())
    if table:
        rows.append(
            Input(
                "p", (len(table),), tuple(r.symbol for r in table), tuple(r.value for r in table),
                True, tuple(r.name for r in table), tuple(r.unit for r in table),
            )
        )  # fmt: skip
    units = tuple(row.unit for row in model.states.values())
    units += ("",) * (len(nodes) - len(units))
    rows.append(Input("x", (len(nodes),), tuple(nodes), None, False, tuple(names), units))
    return tuple(rows)


def _renew(program: Program, solved: tuple[Node, ...], labels: tuple[str, ...]) -> Program:
    """Iterations begin from states that move as their solutions do, and are renewed by these.

    der(v) of a solution v follows from those of the states, by the derivative of its block.
    """
    x, xd = program.input("x"), program.output("xd")
    moving = len(xd.nodes)
    seeds = tuple(symbol(f"seed[{k}]", Rank.FORCE) for k in range(moving))
    time = program.input("t").symbols[0]
    z = Input("z", (moving + 1,), (*x.symbols[:moving], time), None, False, (), (),
              tuple((seed,) for seed in (*seeds, ONE)))  # fmt: skip
    rest = tuple(row for row in program.inputs if row.name not in ("x", "t"))
    guess = Input("guess", (len(solved),), x.symbols[moving:])
    along = replace(
        program,
        inputs=(*rest, z, guess),
        outputs=(*program.outputs, Output("v", (len(solved),), solved)),
    ).derivative("v", "z", tangent=True)
    speeds = next(out for out in along.outputs if out.name.startswith("dv"))
    marks = tuple(
        Assign(seed, rate, Note(step="rate of a state"))
        for seed, rate in zip(seeds, along.output("xd").nodes, strict=True)
    )
    whole = replace(along, inputs=program.inputs, preamble=(), blocks=(*along.all_blocks, *marks))
    size = (len(labels),)
    rates = (*along.output("xd").nodes, *speeds.nodes)
    before = along.output("x_closed").nodes if along.gives("x_closed") else x.symbols[:moving]
    closed = (*before, *along.output("v").nodes)
    outputs = (
        along.output("qdd"),
        Output("xd", size, rates, labels),
        along.output(VARIABLES),
        Output("x_closed", size, closed, labels),
    )
    return sort_blocks(replace(whole, outputs=outputs))
