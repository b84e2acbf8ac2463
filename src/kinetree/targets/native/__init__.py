"""Native code through LLVM: `prog.compile()` gives a `Function` to call with arrays.

The way: tape (`targets.lowering`) -> `schedule`, `plan` -> IR text (`ir`, `writer`, `angles`,
`solve`, `batch`) -> object code (`jit`, `cache`) -> `kernels` -> `function`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kinetree.errors import UnsupportedError
from kinetree.targets.lowering import lower
from kinetree.targets.native.function import Function
from kinetree.targets.native.jit import TIERS
from kinetree.targets.native.kernels import Kernels
from kinetree.targets.native.ports import in_ports, out_ports
from kinetree.targets.native.schedule import schedule

if TYPE_CHECKING:
    from pathlib import Path

    from kinetree.program.program import Program

__all__ = ["Function", "NativeTarget"]


@dataclass(frozen=True, slots=True)
class NativeTarget:
    """The embedded default target."""

    name: str = "native"

    def compile(
        self,
        program: Program,
        *,
        strict: bool = False,
        tier: str = "full",
        cache: bool = True,
    ) -> Function:
        """Compile a Program for this processor.

        Args:
            program: what to compile.
            strict: keep every rounding, so that results repeat bit by bit on other processors;
                otherwise products and sums may fuse, which is faster and at least as accurate.
            tier: `full` for the fastest code, `quick` to compile at once.
            cache: keep object code on disk and take it from there.
        """
        if tier not in TIERS:
            choice = " or ".join(f"'{name}'" for name in TIERS)
            raise UnsupportedError(f"there is no tier '{tier}'", cure=f"choose {choice}")
        inputs, outputs = in_ports(program.inputs), out_ports(program.outputs)
        lowered = lower(program)
        kernels = Kernels(
            replace(lowered, body=schedule(lowered.body)),
            tuple(p.size for p in inputs if not p.parameter),
            tuple(p.size for p in outputs),
            tuple(p.size for p in inputs if p.parameter),
            strict,
            tier,
            cache,
        )
        return Function(program.name, inputs, outputs, kernels)

    def write(self, program: Program, folder: str | Path) -> tuple[Path, ...]:
        """Native code stays in this process; the C target writes files."""
        del folder
        raise UnsupportedError(
            "the native target writes no files",
            element=f"program '{program.name}'",
            cure="write the target 'c' instead",
        )
