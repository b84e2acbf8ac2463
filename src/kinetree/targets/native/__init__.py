"""Native code through LLVM: `prog.compile()` gives a `Function` to call with arrays.

The way: tape (`targets.lowering`) -> `schedule`, `plan` -> IR text (`ir`, `writer`, `angles`,
`solve`, `batch`) -> object code (`jit`, `cache`) -> `kernels` -> `function`.  Where the digest of
the Program (`targets.digest`) finds object code on disk, the way starts there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from kinetree.arguments import check_arguments, check_choice
from kinetree.errors import UnsupportedError
from kinetree.program.program import Program
from kinetree.targets.digest import digest
from kinetree.targets.native.compile.jit import TIERS
from kinetree.targets.native.compile.kernels import Kernels
from kinetree.targets.native.compile.schedule import schedule
from kinetree.targets.native.function import Function
from kinetree.targets.native.ports import Interface
from kinetree.targets.tape.lowering import Lowered, lower

__all__ = ["Function", "NativeTarget", "native_function"]


@dataclass(frozen=True, slots=True)
class NativeTarget:
    """The embedded default target."""

    name: str = "native"

    def compile(
        self, program: Program, *, strict: bool = False, tier: str = "full", cache: bool = True
    ) -> Function:
        """Compile a Program for this processor.

        Args:
            program: what to compile.
            strict: round every sum and product as it is written, and keep the sign of zero;
                otherwise products and sums may fuse, which is faster and at least as accurate.
            tier: `full` for the fastest code, `quick` to compile at once.
            cache: keep object code on disk and take it from there.
        """
        check_arguments(NativeTarget.compile, locals())
        check_choice("tier", tier, TIERS)
        seen, known = Interface.of(program), digest(program)
        return native_function(seen, known, lambda: program, strict=strict, tier=tier, cache=cache)

    def write(self, program: Program, folder: str | Path) -> tuple[Path, ...]:
        """Native code stays in this process; the C target writes files."""
        del folder
        raise UnsupportedError(
            "the native target writes no files",
            element=f"program '{program.name}'",
            cure="write the target 'c' instead",
        )


def native_function(
    seen: Interface, known: str, program: Callable[[], Program],
    *, strict: bool = False, tier: str = "full", cache: bool = True,
) -> Function:  # fmt: skip
    """The native function of a Program whose digest is known; see `NativeTarget.compile`.

    Args:
        seen: what it takes and gives.
        known: its digest.
        program: gives it, where it has to be compiled.
        strict: as there.
        tier: as there.
        cache: as there.
    """
    inputs, outputs = seen.inputs, seen.outputs
    kernels = Kernels(
        lambda: _tapes(program()),
        tuple(p.size for p in inputs if not p.parameter),
        tuple(p.size for p in outputs),
        tuple(p.size for p in inputs if p.parameter),
        strict,
        tier,
        cache,
        known,
        tuple(p.start + k for p in inputs if not p.parameter for k in p.quaternions),
        tuple((p.start + k, a) for p in inputs if not p.parameter for k, a in p.locks),
    )
    return Function(seen.name, inputs, outputs, kernels)


def _tapes(program: Program) -> Lowered:
    """The tapes of a Program, operations in an order that hides latencies."""
    lowered = lower(program)
    return replace(lowered, body=schedule(lowered.body))
