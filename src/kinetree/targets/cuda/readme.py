"""The page beside a generated kernel: how to compile it, call it, and lay out its arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetree.plain import markdown
from kinetree.targets.text.about import FIRST_LINE, operations

if TYPE_CHECKING:
    from kinetree.program.program import Program
    from kinetree.targets.cuda.source import CudaSource
    from kinetree.targets.native.ports import Port

PREAMBLE = (
    "The kernel `{name}_preamble(count, {parameters}, constants)` makes them from parameters, "
    "{when}; its arrays are component-major, too."
)
ALONE = "what depends on the parameters alone"
PASSING = {
    "value": "is a structure of {size} numbers of type `{real}`, given by value",
    "pointer": "points to {size} numbers of type `{real}` on the device, for all systems",
    "each": "points to {size} × count numbers of type `{real}` on the device, component-major",
}


def readme(page: CudaSource, program: Program) -> str:
    """The text of the page."""
    name, real = page.name, page.kind.name
    variables = [p for p in page.inputs if not p.parameter]
    arguments = ["count", *(p.name for p in variables)]
    arguments += ["constants"] if page.constants else []
    arguments += [p.name for p in page.outputs]
    launch = (
        f"Launch with blocks of at most {page.tuning.block} threads, at least as many threads as "
        f"systems, and the arguments `{', '.join(arguments)}`. `count` is an `unsigned`, the "
        "number of systems, at least 1. Threads beyond the last system repeat it."
    )
    layout = (
        f"Arrays lie on the device, hold `{real}` and are component-major: component i of system s "
        "is element `i*count + s`; components are in row-major order. They may not overlap."
    )
    cost = f"One thread evaluates one system. Operations each: {operations(program.count())}."
    mark = f"<!-- {FIRST_LINE} -->"
    parts = [mark, f"# CUDA kernel `{name}`", cost, _compiling(page), launch, layout]
    if page.constants:
        parameters = ", ".join(p.name for p in page.inputs if p.parameter)
        when = "once per set" if page.passing == "each" else "for all systems with count = 1"
        text = f"`constants` {PASSING[page.passing]}: {ALONE}. {PREAMBLE}"
        parts.append(
            text.format(size=page.constants, real=real, name=name, parameters=parameters, when=when)
        )
    parts.append(
        "\n".join(["| way | array | shape | components |", "|---|---|---|---|", *_rows(page)])
    )
    return "\n\n".join(parts) + "\n"


def _compiling(page: CudaSource) -> str:
    loose = " --prec-div=false --prec-sqrt=false" if page.kind.suffix else ""
    return (
        f"Compile with NVRTC, or with `nvcc -arch=sm_90 -cubin{loose.replace('--', '-')} "
        f"{page.name}.cu`. Fused multiply-adds are meant to stay on."
    )


def _rows(page: CudaSource) -> list[str]:
    ways = [("in", p) for p in page.inputs if not p.parameter]
    ways += [("parameter", p) for p in page.inputs if p.parameter]
    ways += [("out", p) for p in page.outputs]
    return [_row(way, port) for way, port in ways]


def _row(way: str, port: Port) -> str:
    shape = "×".join(str(n) for n in port.shape) or "1"
    labels = markdown(", ".join(port.labels))
    return f"| {way} | {markdown(port.name)} | {shape} | {labels} |"
