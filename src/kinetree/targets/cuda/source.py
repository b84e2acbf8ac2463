"""The .cu file of a Program: helpers, the preamble's kernel where wanted, the kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kinetree.errors import UnsupportedError
from kinetree.program.program import Program
from kinetree.targets.c.language import DOUBLE
from kinetree.targets.cuda import tables, trig
from kinetree.targets.cuda.order import RULES
from kinetree.targets.cuda.precision import Precision, precision
from kinetree.targets.cuda.solver import solver
from kinetree.targets.cuda.writer import CudaWriter, Shared
from kinetree.targets.native.ports import Port, in_ports, out_ports
from kinetree.targets.tape.lowering import Lowered, lower
from kinetree.targets.tape.tape import Iteration, Tape
from kinetree.targets.text.about import FIRST_LINE, provenance
from kinetree.targets.text.c.family import WORDS
from kinetree.targets.text.names import Names, Rules

BY_VALUE = 30000
"""Bytes of constants that travel as an argument, which CUDA limits to 32764 in all."""
TAKEN = """
real count constants n s threadIdx blockIdx blockDim gridDim warpSize dim3 size_t sincos half
"""
RULES_OF_NAMES = Rules(WORDS | frozenset(TAKEN.split()))
MATH = """\
#define kt_abs {fabs}
"""
PARAMETERS = ("shared", "each")


@dataclass(frozen=True, slots=True)
class Tuning:
    """What changes speed and not meaning.

    Attributes:
        block: threads per block.
        resident: blocks that shall fit on a multiprocessor at once; 0 leaves it to the compiler.
        rule: order of the operations, see `order.RULES`, or `best`.
        every: operations after which the threads of a block wait for one another, 0 for never.
    """

    block: int = 128
    resident: int = 0
    rule: str = "best"
    every: int = 0


@dataclass(frozen=True, slots=True)
class CudaSource:
    """A generated file and how its kernels are called.

    Attributes:
        name: of the kernel; that of the preamble has `_preamble` behind it.
        text: of the file.
        kind: precision.
        inputs, outputs: ports; arguments of the kernels in this order.
        constants: how many results of the preamble the kernel takes.
        passing: `value` (a structure), `pointer` (one set for all), `each` (component-major).
        tuning: what it was written for.
        lowered: the tapes.
    """

    name: str
    text: str
    kind: Precision
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    constants: int
    passing: str
    tuning: Tuning
    lowered: Lowered


def source(
    program: Program,
    *,
    dtype: object = "double",
    parameters: str = "shared",
    tuning: Tuning | None = None,
    complete: bool = False,
) -> CudaSource:
    """The file of a Program.

    Args:
        program: what to write.
        dtype: `float` or `double`.
        parameters: `shared` by all systems of a batch, or `each` with its own.
        tuning: what changes speed and not meaning.
        complete: write the kernel of the preamble also where all systems share their parameters.
    """
    tuning = tuning or Tuning()
    _check(parameters, tuning)
    kind = precision(dtype)
    lowered = lower(program)
    size = len(lowered.preamble.outputs)
    passing = "value" if size * kind.bytes <= BY_VALUE else "pointer"
    if parameters == "each":
        passing = "each"
    page = _Page(program, lowered, kind, passing, tuning)
    inputs, outputs = in_ports(program.inputs), out_ports(program.outputs)
    text = page.text(inputs, outputs, complete or passing == "each")
    return CudaSource(page.name, text, kind, inputs, outputs, size, passing, tuning, lowered)


def _check(parameters: str, tuning: Tuning) -> None:
    if parameters not in PARAMETERS:
        raise UnsupportedError(
            f"parameters cannot be '{parameters}'", cure="choose 'shared' or 'each'"
        )
    if tuning.rule not in ("best", *RULES):
        raise UnsupportedError(
            f"there is no order '{tuning.rule}'", cure=f"choose best, {', '.join(RULES)}"
        )


class _Page:
    """One file in the making."""

    def __init__(
        self, program: Program, lowered: Lowered, kind: Precision, passing: str, tuning: Tuning
    ) -> None:
        self.program, self.lowered, self.kind = program, lowered, kind
        self.passing, self.tuning = passing, tuning
        self.name = RULES_OF_NAMES.stem(program.name)
        self.shared = Shared(kind, tuning.rule, tuning.every)
        self.scope = Names(RULES_OF_NAMES, self.name, f"{self.name}_preamble")

    def text(self, inputs: tuple[Port, ...], outputs: tuple[Port, ...], complete: bool) -> str:
        """The whole file."""
        kernels = []
        if complete and self.lowered.preamble.outputs:
            kernels.append(self._preamble(tuple(p for p in inputs if p.parameter)))
        kernels.append(self._kernel(tuple(p for p in inputs if not p.parameter), outputs))
        lookups = [row for tape in _tapes(self.lowered) for row in tape.lookups]
        solvers = [solver(*size) for size in self.shared.solvers]
        math = MATH.format(fabs=self.kind.function("fabs")) if solvers else ""
        trigonometry = trig.definition(self.kind) if self.shared.trig else ""
        division = trig.DIVISION if self.shared.division else ""
        parts = [
            *self._head(),
            math,
            trigonometry,
            division,
            *tables.definitions(lookups, self.kind),
            *solvers,
            *kernels,
        ]
        return "\n".join(part for part in parts if part)

    def _head(self) -> list[str]:
        info = [f"{key}: {value}" for key, value in provenance(self.program).items()]
        about = "\n".join(DOUBLE.remarks([self.program.name, *info]))
        return [DOUBLE.comment(FIRST_LINE), about, f"typedef {self.kind.name} real;\n"]

    def _preamble(self, parameters: tuple[Port, ...]) -> str:
        """One thread per system: its parameters -> its constants."""
        tape = self.lowered.preamble
        rows = _Arguments(self.scope, parameters)
        head = [f"const real *__restrict__ {name}" for name in rows.names]
        head.append("real *__restrict__ constants")
        writer = CudaWriter(Shared(self.kind, "tape"), tape, lambda _, i: rows.element(i))
        wanted: dict[int, list[str]] = {}
        for place, entry in enumerate(tape.outputs):
            wanted.setdefault(entry, []).append(_element("constants", place))
        writer.body(wanted)
        self.shared.solvers.update(writer.shared.solvers)
        self.shared.trig |= writer.shared.trig
        self.shared.division |= writer.shared.division
        return _function(f"{self.name}_preamble", "", head, (*rows.names, "constants"), writer)

    def _kernel(self, inputs: tuple[Port, ...], outputs: tuple[Port, ...]) -> str:
        """One thread per system."""
        tape, size = self.lowered.body, len(self.lowered.preamble.outputs)
        ins, outs = _Arguments(self.scope, inputs), _Arguments(self.scope, outputs)
        head = [f"const real *__restrict__ {name}" for name in ins.names]
        moved = [*ins.names]
        structure = ""
        constant: Callable[[int], str] = "constants[{}]".format
        if size and self.passing == "value":
            structure = f"struct {self.name}_constants {{ real value[{size}]; }};\n\n"
            head.append(f"const __grid_constant__ {self.name}_constants constants")
            constant = "constants.value[{}]".format
        elif size:
            head.append("const real *__restrict__ constants")
        if size and self.passing == "each":
            moved.append("constants")
            constant = lambda i: _element("constants", i)  # noqa: E731  one of three spellings
        head += [f"real *__restrict__ {name}" for name in outs.names]

        def read(code: str, i: int) -> str:
            return ins.element(i) if code == "in" else constant(i)

        writer = CudaWriter(self.shared, tape, read)
        wanted: dict[int, list[str]] = {}
        for place, entry in enumerate(tape.outputs):
            wanted.setdefault(entry, []).append(outs.element(place))
        writer.body(wanted)
        bounds = f"{self.tuning.block}, {self.tuning.resident}"
        if not self.tuning.resident:
            bounds = f"{self.tuning.block}"
        bounds = f"__launch_bounds__({bounds}) "
        return structure + _function(self.name, bounds, head, (*moved, *outs.names), writer)


class _Arguments:
    """Pointers to component-major arrays, one per port."""

    def __init__(self, scope: Names, ports: tuple[Port, ...]) -> None:
        self.names = tuple(scope.fresh(port.name) for port in ports)
        self.places = [
            _element(name, i) for name, port in zip(self.names, ports, strict=True)
            for i in range(port.size)
        ]  # fmt: skip

    def element(self, component: int) -> str:
        """A component by its number among all of them."""
        return self.places[component]


def _element(array: str, component: int) -> str:
    """A component of this thread's system."""
    return f"{array}[{component}*n]" if component else f"{array}[0]"


def _function(
    name: str, bounds: str, head: list[str], moved: tuple[str, ...], writer: CudaWriter
) -> str:
    """A kernel; threads beyond the last system repeat it, which takes no branch."""
    arguments = ",\n    ".join(["const unsigned count", *head])
    start = [
        "    const unsigned long long n = count;",
        "    unsigned s = blockIdx.x*blockDim.x + threadIdx.x;",
        "    s = s < count ? s : count - 1;",
        *(f"    {pointer} += s;" for pointer in moved),
    ]
    lines = "\n".join([*start, *writer.lines])
    return f'extern "C" __global__ void {bounds}\n{name}(\n    {arguments})\n{{\n{lines}\n}}\n'


def _tapes(lowered: Lowered) -> Iterator[Tape]:
    """All tapes of a Program, steps of iterations included."""
    stack = [lowered.preamble, lowered.body]
    while stack:
        tape = stack.pop()
        yield tape
        stack += [s.step for s in tape.systems if isinstance(s, Iteration)]
