"""Newton's method: a function for the step, and a bounded loop around it."""

from __future__ import annotations

from dataclasses import replace

from kinetree.program.newton import iteration_outputs
from kinetree.program.passes.dead import dead
from kinetree.program.program import Newton
from kinetree.targets.text.body import Context, FunctionBody
from kinetree.targets.text.language import Argument, Role
from kinetree.targets.text.names import Names
from kinetree.targets.text.statements import Out, statements


class _Step:
    """What a step shares with the functions of its file; its names are its own."""

    def __init__(self, source: Context) -> None:
        self.name = source.name
        self.language = source.language
        self.scope = Names(source.language.rules, source.name, "work", own=source.name)
        self.printer = source.printer
        self.solvers = source.solvers
        self.iteration = source.iteration


def newton_functions(source: Context, name: str, block: Newton) -> list[str]:
    """`name(v, w)`: the solution in place of the start values, preceded by what it calls."""
    wanted = iteration_outputs(block)
    program = dead(replace(block.step, outputs=wanted))
    step = _Step(source)
    element = source.language.element
    inputs = [row for row in program.inputs if row.symbols]
    arrays = {name: step.scope.fresh(name) for name in (*(row.name for row in inputs), "h", "dv")}
    arguments = [Argument(arrays[row.name], len(row.symbols)) for row in inputs]
    arguments += [Argument(arrays[out.name], len(out.nodes), Role.OUTPUT) for out in wanted]
    names = {s: element(arrays[row.name], i) for row in inputs for i, s in enumerate(row.symbols)}
    results = [
        Out(element(arrays[out.name], i), node)
        for out in wanted
        for i, node in enumerate(out.nodes)
    ]
    body = FunctionBody(step, f"{name}_step", tuple(arguments), names, public=False)
    function, texts = body.write(statements(program.blocks, results))
    return [*texts, *source.language.newton(name, block, function)]
