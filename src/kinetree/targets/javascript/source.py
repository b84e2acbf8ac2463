"""A Program as one ES module and its declarations for TypeScript.

    NAME(q, …, p, tau)        results go into the last arguments; no allocation to speak of
    evaluate({q, …, p})       results in an object of arrays; inputs with values may be left out
    info                      provenance, names, shapes, labels and values of inputs and outputs

beside NAME_preamble(p, pre) and NAME_prepared(q, …, pre, tau) where there are parameters.  Where
the Program gives accelerations, the module NAME_rates holds the rates of the state.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

from kinetree.program.program import Program
from kinetree.targets.javascript.language import JavaScript, data
from kinetree.targets.text.about import FIRST_LINE, about
from kinetree.targets.text.language import Argument, Role
from kinetree.targets.text.rates import has_rates, rates
from kinetree.targets.text.source import Source

VALUES = "ArrayLike<number>"


def sources(program: Program) -> dict[str, str]:
    """File name -> text; the same Program always gives the same bytes."""
    programs = [program, rates(program)] if has_rates(program) else [program]
    texts: dict[str, str] = {}
    for row in programs:
        source = Source(row, JavaScript())
        texts[f"{source.name}.mjs"] = _module(source)
        texts[f"{source.name}.d.mts"] = _types(source)
    return texts


def module(program: Program) -> str:
    """The ES module of a Program alone."""
    return _module(Source(program, JavaScript()))


def _module(source: Source) -> str:
    heads = [*source.language.remarks([FIRST_LINE, "", *about(source)]), ""]
    parts = [*source.tools(), *source.functions, _info(source), _evaluate(source)]
    return "\n".join([*heads, *parts])


def _facts(source: Source) -> dict[str, Any]:
    program = source.program
    return {
        "name": program.name,
        **program.info,
        "inputs": [
            {"name": row.name, "shape": row.shape, "labels": row.labels, "default": row.default}
            for row in program.inputs
        ],
        "outputs": [
            {"name": row.name, "shape": row.shape, "labels": row.labels} for row in program.outputs
        ],
    }


def _info(source: Source) -> str:
    rows = [f"    {data(k)}: {data(v)}," for k, v in _facts(source).items()]
    return "\n".join(["export const info = {", *rows, "};", ""])


def _evaluate(source: Source) -> str:
    ins = []
    spelled = source.language.string
    for i, row in enumerate(source.program.inputs):
        given = f"inputs[{spelled(row.name)}]"
        if row.default is not None:
            given += f" ?? info.inputs[{i}].default"
        ins.append(given if row.shape else f"kt_vector({given})")
    outs = [
        f"        {spelled(out.name)}: new Float64Array({prod(out.shape)}),"
        for out in source.program.outputs
    ]
    names = [f"results[{spelled(out.name)}]" for out in source.program.outputs]
    listed = ",\n".join(f"        {row}" for row in (*ins, *names))
    return "\n".join(
        ['const kt_vector = (x) => (typeof x === "number" ? [x] : x);', "",
         "export function evaluate(inputs) {", "    const results = {", *outs, "    };",
         f"    {source.name}(\n{listed},\n    );", "    return results;", "}", ""]
    )  # fmt: skip


def _types(source: Source) -> str:
    return "\n".join([f"// {FIRST_LINE}", "", *_declarations(source), ""])


def _declarations(source: Source) -> Iterator[str]:
    spelled = source.language.string
    if source.constants:
        yield f"export interface {source.name}_constants {{"
        yield from (f"    {field}: number;" for field in source.constants.values())
        yield "}"
        yield _declare(f"{source.name}_preamble", source.preamble)
        yield _declare(f"{source.name}_prepared", source.prepared_arguments)
    yield _declare(source.name, source.main)
    yield "export interface Inputs {"
    for row in source.program.inputs:
        kind = VALUES if row.shape else f"number | {VALUES}"
        yield f"    {spelled(row.name)}{'' if row.default is None else '?'}: {kind};"
    yield "}"
    yield "export interface Results {"
    yield from (f"    {spelled(out.name)}: Float64Array;" for out in source.program.outputs)
    yield "}"
    yield "export function evaluate(inputs: Inputs): Results;"
    yield "export interface Port {"
    yield "    name: string; shape: number[]; labels: string[]; default?: number[] | null;"
    yield "}"
    yield "export const info: { name: string; inputs: Port[]; outputs: Port[] };"


def _declare(name: str, arguments: tuple[Argument, ...]) -> str:
    kinds = {Role.INPUT: VALUES, Role.OUTPUT: "Float64Array"}
    rows = [
        f"{a.name}: " + kinds.get(a.role, f"Partial<{a.kind}>" if a.role is Role.FILLED else a.kind)
        for a in arguments
    ]
    return f"export function {name}({', '.join(rows)}): void;"
