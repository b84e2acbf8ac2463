"""CUDA: batch kernels in CUDA C, one thread per system, compiled by NVRTC.

The way: tape (`targets.lowering`) -> order with few live values (`order`) -> text (`writer`,
`source`, `trig`, `tables`) -> machine code (`nvrtc`) -> launch (`driver`, `function`).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kinetree.arguments import check_arguments
from kinetree.program.program import Program
from kinetree.targets.cuda import driver
from kinetree.targets.cuda.function import CudaFunction
from kinetree.targets.cuda.readme import readme
from kinetree.targets.cuda.source import Tuning, source
from kinetree.targets.text.files import write_files

__all__ = ["TARGET", "CudaFunction", "CudaTarget", "Tuning"]

ARCH = "sm_90"
"""What is compiled for where no GPU is present."""


@dataclass(frozen=True, slots=True)
class CudaTarget:
    """Kernels for NVIDIA GPUs."""

    name: str = "cuda"

    def compile(
        self,
        program: Program,
        *,
        dtype: Any = "double",
        arch: str | None = None,
        tuning: Tuning | None = None,
    ) -> CudaFunction:
        """Compile a Program for a GPU; the code can be made, but not called, without one.

        Args:
            program: what to compile.
            dtype: `float` or `double`, by name or NumPy type.
            arch: architecture, such as sm_90; by default that of the GPU that is present.
            tuning: what changes speed and not meaning.
        """
        check_arguments(CudaTarget.compile, locals())
        if arch is None:
            arch = ARCH if driver.library() is None else driver.Device().arch
        made = CudaFunction(program, dtype, tuning or Tuning(), arch)
        made.machine_code()
        return made

    def write(
        self,
        program: Program,
        folder: str | Path,
        *,
        dtype: Any = "double",
        parameters: str = "shared",
        force: bool = False,
    ) -> tuple[Path, ...]:
        """Write NAME.cu and NAME.md, which says how the kernel is called; the paths written.

        Args:
            program: what to write.
            folder: where to.
            dtype: `float` or `double`, by name or NumPy type.
            parameters: `shared` by all systems of a batch, or `each` with its own.
            force: overwrite files that kinetree did not generate, too.
        """
        check_arguments(CudaTarget.write, locals())
        page = source(program, dtype=dtype, parameters=parameters, complete=True)
        texts = {f"{page.name}.cu": page.text, f"{page.name}.md": readme(page, program)}
        return write_files(folder, texts, program.name, force=force)


TARGET = CudaTarget()
