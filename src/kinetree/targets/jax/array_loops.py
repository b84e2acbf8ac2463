"""A long Program as data: which rows of an array become which others.

What XLA compiles is then a few loops and calls, whatever the length.  Functions, arguments
and results are those of the short form.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from textwrap import wrap

from kinetree.engine import SELECT, Node
from kinetree.program.newton import iteration_outputs
from kinetree.program.passes.dead import dead
from kinetree.program.program import Block, Newton, Program, Solve
from kinetree.targets.jax.graph import ValueGraph
from kinetree.targets.jax.helpers import SHEET_PRELUDE
from kinetree.targets.jax.schedule import Calls, Schedule, SolveStage, Stage, Steps
from kinetree.targets.python.source import LANGUAGE, callers
from kinetree.targets.text.about import FIRST_LINE, about
from kinetree.targets.text.source import Source, inner

WIDTH = 100


def sheet_text(program: Program) -> tuple[str, str]:
    """(name of the function, text of the module)."""
    name, source = inner(program, LANGUAGE)
    heads = [*LANGUAGE.remarks([FIRST_LINE, "", *about(source, program.name)]), ""]
    tables = LANGUAGE.helpers(source.printer)
    body = [*_functions(source), callers(name, source)]
    return name, "\n".join([*heads, SHEET_PRELUDE, "", *tables, *body])


def _functions(source: Source) -> list[str]:
    """The functions between the public ones and the data: preamble, the rest, both."""
    program = source.program
    outs = [out.nodes for out in program.outputs]
    ins = {source.ins[row.name]: row.symbols for row in program.inputs}
    early = {source.ins[row.name] for row in program.inputs if row.parameter}
    if not source.constants:
        return _Sheet(source, source.name, ins).texts(program.blocks, outs)
    fields = tuple(source.constants)
    known = {name: row for name, row in ins.items() if name in early}
    preamble = _Sheet(source, f"{source.name}_preamble", known)
    given = {name: row for name, row in ins.items() if name not in early} | {"pre": fields}
    rest = _Sheet(source, f"{source.name}_prepared", given)
    return [
        *preamble.texts(program.preamble, [fields], single=True),
        *rest.texts(program.blocks, outs),
        source.language.main_function(source),
    ]


@dataclass(slots=True)
class _Sheet:
    """One function, with its data before it.

    Attributes:
        source: of names, and of tables.
        name: of the function.
        arguments: name -> symbols of the rows that come in under it.
    """

    source: Source
    name: str
    arguments: dict[str, tuple[Node, ...]]
    data: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def texts(
        self, blocks: Sequence[Block], results: Sequence[Sequence[Node]], *, single: bool = False
    ) -> list[str]:
        """Data and function; a tuple of results, or the only one."""
        graph = ValueGraph()
        for symbols in self.arguments.values():
            graph.read(symbols)
        graph.add(blocks, [node for row in results for node in row])
        nodes = [[graph.of(node) for node in row] for row in results]
        schedule = Schedule(graph)
        inputs = "".join(f", {name}" for name in self.arguments)
        numbers = self._store("floats", (repr(x) for x in graph.numbers))
        self._say(f"v = kt_begin({schedule.size}, {numbers}{inputs})")
        for stage in schedule.stages:
            self._say(self._stage(stage))
        rows = [f"kt_take(v, {self._ints(schedule.slots[i] for i in row)})" for row in nodes]
        given = rows[0] if single else f"({''.join(f'{row}, ' for row in rows)})"
        self._say(f"return {given}")
        head = f"def {self.name}({', '.join(self.arguments)}):"
        return [*self.before, *self.data, "", "\n".join([head, *self.lines, "", ""])]

    def _say(self, line: str) -> None:
        self.lines += LANGUAGE.wrap_line(line)

    def _store(self, kind: str, words: Iterable[str]) -> str:
        """The name of an array of numbers."""
        name = f"{self.name}_{kind}_{len(self.data) + 1}"
        rows = wrap(" ".join(words), WIDTH, break_long_words=False, break_on_hyphens=False)
        self.data.append("\n".join([f'{name} = kt_{kind}("""', *rows, '""")']))
        return name

    def _ints(self, values: Iterable[int]) -> str:
        return self._store("ints", map(str, values))

    def _stage(self, stage: Stage) -> str:
        if isinstance(stage, Steps):
            numbers = (x for row in stage.rows for column in zip(*row, strict=True) for x in column)
            return f"v = kt_steps(v, {stage.at}, {stage.width}, {self._ints(numbers)})"
        if isinstance(stage, Calls):
            taken = ", ".join(f"kt_take(v, {self._ints(row)})" for row in stage.arguments)
            return f"v = kt_put(v, {stage.at}, {self._function(stage)}({taken}))"
        return self._solve(stage)

    def _function(self, stage: Calls) -> str:
        if stage.op is SELECT:
            return "kt_select"
        if stage.op.lookup is not None:
            return self.source.printer.tables.function(stage.op.lookup)
        return stage.op.name

    def _solve(self, stage: SolveStage) -> str:
        block = stage.system.block
        if isinstance(block, Solve):
            rows = self._ints(_matrix_rows(block, stage.operands))
            return f"v = kt_solve(v, {stage.at}, {block.n}, {block.k}, {rows})"
        step = f"{self.name}_newton_{len(self.before) + 1}"
        self.before += _step(self.source, step, block)
        rows = self._ints(stage.operands)
        limits = f"{block.tolerance!r}, {block.limit}"
        return f"v = kt_newton(v, {stage.at}, {step}, {len(block.targets)}, {rows}, {limits})"


def _matrix_rows(block: Solve, operands: tuple[int, ...]) -> list[int]:
    """The rows of the whole matrix, then of the right-hand sides; symmetric where it is."""
    n = block.n
    matrix, rhs = operands[: n * n], operands[n * n :]
    if block.symmetric:
        matrix = tuple(matrix[max(i, j) * n + min(i, j)] for i in range(n) for j in range(n))
    return [*matrix, *rhs]


def _step(source: Source, name: str, block: Newton) -> list[str]:
    """The function of one step of an iteration."""
    wanted = iteration_outputs(block)
    program = dead(replace(block.step, outputs=wanted))
    symbols = {row.name: row.symbols for row in program.inputs}
    arguments = {"v": symbols["v"], "w": symbols.get("w", ())}
    return _Sheet(source, name, arguments).texts(program.blocks, [out.nodes for out in wanted])
