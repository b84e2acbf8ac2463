"""A Program as MATLAB and Octave functions, one file each.

    [tau, …] = NAME(q, …, p)

Matrices come out as matrices; the last inputs may be left out where they have values.  Where the
Program gives accelerations, NAME_rates(t, y, …) is the right-hand side for ode45 and NAME_run.m a
script that integrates it from rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kinetree.program.program import Program
from kinetree.targets.matlab.language import Matlab
from kinetree.targets.text.about import FIRST_LINE, about
from kinetree.targets.text.language import Role
from kinetree.targets.text.rates import has_rates, rates, rest
from kinetree.targets.text.source import Source, inner
from kinetree.targets.text.values import defaults


def sources(program: Program) -> dict[str, str]:
    """File name -> text; the same Program always gives the same bytes."""
    name, source = inner(program, Matlab())
    texts = {f"{name}.m": _file(program, name, source)}
    if has_rates(program):
        derived = rates(program)
        rate, state = inner(derived, Matlab())
        texts[f"{rate}.m"] = _file(derived, rate, state)
        texts[f"{name}_run.m"] = _script(source, rate, state)
    return texts


def _file(program: Program, name: str, source: Source) -> str:
    """The main function first, which fills in what it is not given; then all that it calls."""
    heads = source.language.remarks([FIRST_LINE, "", *about(source, program.name)])
    rest = [*source.functions, *source.tools()]
    return "\n".join([*heads, *_main(name, source), "", *rest])


def _main(name: str, source: Source) -> Iterator[str]:
    ins = [a.name for a in source.main if a.role is Role.INPUT]
    outs = [a.name for a in source.main if a.role is Role.OUTPUT]
    given = defaults(source)
    rows = [f"function [{', '.join(outs)}] = {name}({', '.join(ins)})"]
    for place, argument in enumerate(ins, 1):
        if argument in given:
            rows += [f"    if nargin < {place}", f"        {_column(argument, given[argument])}"]
            rows.append("    end")
    rows.append(f"    [{', '.join(outs)}] = {source.name}({', '.join(ins)});")
    for argument, out in zip(outs, source.program.outputs, strict=True):
        if len(out.shape) == 2:
            rows.append(f"    {argument} = reshape({argument}, {out.shape[1]}, {out.shape[0]}).';")
    rows.append("end")
    for row in rows:
        yield from Matlab().break_line(row)


def _column(name: str, values: Sequence[float]) -> str:
    return f"{name} = [{'; '.join(repr(x) for x in values)}];"


def _script(source: Source, rate: str, state: Source) -> str:
    given = defaults(state)
    sizes = {a.name: a.size for a in state.main}
    t, y = state.ins["t"], state.ins["y"]
    others = [state.ins[row.name] for row in state.program.inputs if row.name not in ("t", "y")]
    lines = [f"% {FIRST_LINE}", "% Integrates the motion over 1 s from rest and draws it."]
    lines.append(_column(f"{y}_0", rest(source.program)))
    lines += [_column(name, given.get(name, (0.0,) * sizes[name])) for name in others]
    call = ", ".join((t, y, *others))
    lines += [
        "options = odeset('RelTol', 1e-8, 'AbsTol', 1e-10);",
        f"[{t}, {y}] = ode45(@({t}, {y}) {rate}({call}), [0 1], {y}_0, options);",
        f"plot({t}, {y}(:, 1:{len(source.program.input('q').symbols)}));",
        "xlabel('t [s]');",
    ]
    return "\n".join([*(part for line in lines for part in Matlab().break_line(line)), ""])
