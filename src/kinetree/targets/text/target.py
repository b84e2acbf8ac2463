"""The two kinds of targets that write text: those that only do that, and Python modules."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kinetree.arguments import check_arguments
from kinetree.errors import UnsupportedError
from kinetree.program.program import Program
from kinetree.targets.text.files import write_files
from kinetree.targets.text.python.loading import load_module, need


@dataclass(frozen=True, slots=True)
class TextTarget:
    """A target that writes files and offers nothing to call.

    Attributes:
        name: under which Programs ask for it.
        language: its name for people.
        sources: (Program, options) -> file name -> content.
        cell: Program -> what a notebook shows of it, or None where that is too long.
    """

    name: str
    language: str
    sources: Callable[..., Mapping[str, str]]
    cell: Callable[[Program], str | None] = lambda _: None

    @property
    def write_options(self) -> list[str]:
        """What the language offers beside `force`."""
        return list(inspect.signature(self.sources).parameters)[1:]

    def compile(self, program: Program) -> None:
        """These languages are written, not run; the native target needs no compiler."""
        raise UnsupportedError(
            f"the {self.language} target only writes files",
            element=f"program '{program.name}'",
            cure="call compile() without a target for a native function",
        )

    def write(
        self, program: Program, folder: str | Path, *, force: bool = False, **options: Any
    ) -> tuple[Path, ...]:
        """Write the files into a folder, made where it is missing; the paths written.

        Args:
            program: what to write.
            folder: where to.
            force: overwrite files that kinetree did not generate, too.
            options: what the language offers, such as precision="single".
        """
        check_arguments(TextTarget.write, locals())
        check_arguments(self.sources, options)
        return write_files(folder, self.sources(program, **options), program.name, force=force)


@dataclass(frozen=True, slots=True)
class ModuleTarget:
    """A target that writes a Python module and offers what is in it.

    Attributes:
        name: under which Programs ask for it.
        package: what the module imports.
        text: (Program, options) -> (name of what it defines, text of the module).
        offered: (module, name) -> what to call.
        choices: names of the options of `text`.
    """

    name: str
    package: str
    text: Callable[..., tuple[str, str]]
    offered: Callable[[Any, str], Any] = getattr
    choices: tuple[str, ...] = ()

    @property
    def compile_options(self) -> tuple[str, ...]:
        """What the target offers a choice of."""
        return self.choices

    @property
    def write_options(self) -> tuple[str, ...]:
        """What the target offers a choice of, beside `force`."""
        return self.choices

    def compile(self, program: Program, **options: Any) -> Any:
        """What the module offers, made in this process; nothing is written."""
        check_arguments(self.text, options)
        name, text = self.text(program, **options)
        need(self.package)
        return self.offered(load_module(name, text), name)

    def write(
        self, program: Program, folder: str | Path, *, force: bool = False, **options: Any
    ) -> tuple[Path, ...]:
        """Write NAME.py into a folder, made where it is missing; the path written."""
        check_arguments(ModuleTarget.write, locals())
        check_arguments(self.text, options)
        name, text = self.text(program, **options)
        return write_files(folder, {f"{name}.py": text}, program.name, force=force)
