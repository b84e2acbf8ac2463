"""What `generate` writes from a model and not from one Program: FMUs and C packages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kinetree.cli.common import gather_warnings
from kinetree.cli.runs import not_empty
from kinetree.printing import print_json, say, warn, working

if TYPE_CHECKING:
    from kinetree.model import Mechanism


@dataclass(frozen=True)
class ExportOptions:
    """What the options of the command say.

    Attributes:
        out: folder to write into.
        version: of FMI.
        points: paths of points whose positions are outputs.
        step: of the fixed-step method [s]; none for the usual one.
        formalism: as for `derive`; empty for the usual one.
        outputs: names of outputs; none for the model's own.
        inputs: names of inputs; none for all efforts and wrenches.
        certificate: whether it carries a certificate.
    """

    out: Path
    version: str = "3.0"
    points: Sequence[str] = ()
    step: float | None = None
    formalism: str = ""
    outputs: Sequence[str] | None = None
    inputs: Sequence[str] | None = None
    certificate: bool = False

    @property
    def options(self) -> dict[str, Any]:
        """How the equations are derived, and what goes in and comes out."""
        return {
            **not_empty(formalism=self.formalism, outputs=self.outputs, inputs=self.inputs),
            **({} if self.step is None else {"step": self.step}),
        }


def fmu(model: Mechanism, wanted: ExportOptions) -> tuple[Path, ...]:
    """A functional mock-up unit."""
    from kinetree import export_fmu
    from kinetree.targets.c.language import DOUBLE

    file = wanted.out / f"{DOUBLE.rules.stem(model.name)}.fmu"
    path = export_fmu(
        model, file, version=wanted.version, points=wanted.points, force=True,
        certificate=wanted.certificate, **wanted.options,
    )  # fmt: skip
    return (path,)


def c_package(model: Mechanism, wanted: ExportOptions) -> tuple[Path, ...]:
    """Library, program and data sheet in C."""
    from kinetree import export_c

    return export_c(
        model, wanted.out, points=wanted.points, force=True,
        certificate=wanted.certificate, **wanted.options,
    )  # fmt: skip


EXPORTS: dict[str, Callable[[Mechanism, ExportOptions], tuple[Path, ...]]] = {
    "fmu": fmu,
    "c-package": c_package,
}
"""Targets that need a model."""


def export(model: Mechanism, target: str, wanted: ExportOptions, *, as_json: bool) -> None:
    """Write a model and tell what was written."""
    with gather_warnings() as notes, working(show=not as_json) as tell:
        tell(f"writing {target}")
        written = [str(path) for path in EXPORTS[target](model, wanted)]
    if as_json:
        print_json({"files": written, "warnings": notes})
        return
    for note in notes:
        warn(note)
    for path in written:
        say(path)
