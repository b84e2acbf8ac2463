"""Functional mock-up units: a model as one file that other simulators load.

Model Exchange and Co-Simulation in one file, FMI 3.0 or 2.0, with sources and, where a C compiler
is at hand, the binary for this platform.  States are all q, qd and x; those that follow from loops
are put back on the loops at the start, in events, and after every step of Co-Simulation.  In Model
Exchange an event is asked for where they have drifted by more than 100 times the tolerance.
Event indicators are the conditions of the branches in the equations, then those of the model's
events; these change the state, and clocks tick, in both kinds.  In FMI 3.0 clocks are outputs
that the FMU activates by itself.

Refs: Fmi2023
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

from kinetree.analysis.observing.inputs import own_inputs, release_drives
from kinetree.analysis.observing.program import with_positions
from kinetree.analysis.runs.dynamics import OPTIONS, dynamics
from kinetree.arguments import check_arguments, check_choice, check_options, check_positive
from kinetree.assembly import Values
from kinetree.certificate.verify import FOLDER as CERTIFIED
from kinetree.errors import FormatError
from kinetree.export.building import binary as built
from kinetree.export.c_text import PackageCode, call
from kinetree.export.certified import certify_package
from kinetree.export.description import TOOL, Description, build_description, model_description
from kinetree.export.equations import ModelPrograms, adjoint, directional, equations
from kinetree.export.folder import archive, write_archive
from kinetree.export.pace import suited_step
from kinetree.export.variables import FmiNames, variables
from kinetree.model import Components, Mechanism, as_mechanism
from kinetree.targets.c.language import DOUBLE
from kinetree.targets.c.source import files
from kinetree.targets.text.source import Source

VERSIONS = ("3.0", "2.0")
SUFFIX = ".fmu"
STATE = {"t": "&now->t", "y": "now->y", "u": "now->u", "p": "now->p"}
"""How the derivatives read their inputs."""


def export_fmu(  # noqa: PLR0913  one keyword per choice of the user
    model: Mechanism | Components,
    path: str | Path,
    *,
    version: str = "3.0",
    points: Sequence[str] = (),
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    step: float | None = None,
    stop: float = 10.0,
    q: Values = None,
    qd: Values = None,
    x: Values = None,
    derivatives: bool = True,
    binary: bool | None = None,
    force: bool = False,
    certificate: bool | Sequence[str] = False,
    **options: Any,
) -> Path:
    """Write a model as an FMU for Model Exchange and Co-Simulation.

    Args:
        model: the mechanism, closed or not.
        path: the file NAME.fmu, or a folder that gets MODEL.fmu.
        version: of FMI, "3.0" or "2.0".
        points: paths "body" or "body.point" whose positions become outputs [m, ground frame].
        outputs: names of outputs, such as "strut.force" or "chassis.position.z"
            (`kinetree.model.outputs`); by default the model's own.
        inputs: names of what comes from outside: tau_NAME, a wrench or a component of it
            (WRENCH_fz), qdd_NAME of a driven coordinate, a parameter; others are parameters.  By
            default all efforts and wrenches.
        step: longest step of Co-Simulation, by the method of Runge and Kutta [s]; by default a
            millisecond, or less where the fastest motion at the start asks for it.
        stop: end of the usual run, as information for importers [s].
        q: initial coordinates, all in order or some by name; by default the model's.
        qd: initial velocities; by default zero.
        x: initial user states; by default the model's.
        derivatives: whether directional (and in FMI 3.0 adjoint) derivatives are given; they are
            three times the code each.
        binary: False for sources alone, True where a binary is a must; by default there is one
            where this machine has a C compiler, else a warning.
        force: overwrite a file that kinetree did not generate, too.
        certificate: whether it carries a certificate in its folder documentation, of all targets at
            hand or of those named (`kinetree.certify`).
        **options: parameters, values by name in place of the model's; of `derive`: formalism,
            loops, partition; for a closed system also independent, names of the coordinates to be
            kept independent.

    Returns:
        The file written.  The same model gives the same bytes.

    Raises:
        KinetreeError: where the model cannot be derived or the file not be written.
    """
    check_arguments(export_fmu, locals())
    model, inputs = as_mechanism(model), own_inputs(model, inputs)
    check_options("export_fmu", options, ("parameters", *OPTIONS))
    unit = FmuPlan(model.name, model.content_hash(), version, step, stop, derivatives, binary,
                   certificate)  # fmt: skip
    target = _file(Path(path), unit.identifier)
    made = release_drives(model, inputs, 0.0, (q, qd), options.get("parameters"))
    moving = dynamics(made.model, q=made.q, runs=True, **options)
    seen = with_positions(moving.model, outputs, points)
    found = equations(moving, unit.identifier, seen, inputs=inputs, at=(made.q, made.qd, x))
    return unit.write(target, found, force=force)


@dataclass(frozen=True, slots=True)
class FmuPlan:
    """An FMU to be: name and hash of the model, version of FMI, times [s], what is in it."""

    name: str
    model_hash: str
    version: str = "3.0"
    step: float | None = None
    stop: float = 10.0
    derivatives: bool = True
    binary: bool | None = None
    certificate: bool | Sequence[str] = False

    def __post_init__(self) -> None:
        check_arguments(FmuPlan, {name: getattr(self, name) for name in self.__slots__})
        check_choice("version", self.version, VERSIONS, "version of FMI")
        given = {"stop": self.stop} | ({} if self.step is None else {"step": self.step})
        check_positive("a positive time in seconds", **given)

    @property
    def identifier(self) -> str:
        """What names in C begin with."""
        return DOUBLE.rules.stem(self.name)

    def write(self, target: Path, found: ModelPrograms, *, force: bool) -> Path:
        """The file with these equations."""
        step = suited_step(found) if self.step is None else float(self.step)
        code = PackageCode(self.identifier, found, step, watches=True)
        about = Description(
            name=FmiNames().fresh(self.name), identifier=self.identifier, token="",
            version=self.version, tool=f"{TOOL} {version_of('kinetree')}",
            text=f"model hash {self.model_hash}", sources=(), stop=float(self.stop),
            step=step, asked=found.projection is not None or bool(found.conditions),
            derivatives=self.derivatives,
        )  # fmt: skip
        name = about.name if target.stem == self.identifier else ""
        content = _files(code, about, self.binary)
        if self.certificate:
            content |= self._certify(code, content)
        return write_archive(target, archive(content), name, force=force)

    def _certify(self, code: PackageCode, content: dict[str, bytes]) -> dict[str, bytes]:
        """The files of the certificate."""
        more = [directional(code.found, code.name)] if self.derivatives else []
        more += [adjoint(code.found, code.name)] if more and self.version[0] == "3" else []
        told = self.name, self.model_hash
        texts = certify_package(code, *told, content, self.certificate, more).contents()
        return {f"{CERTIFIED}/{name}": text.encode() for name, text in texts.items()}


def _files(code: PackageCode, about: Description, binary: bool | None) -> dict[str, bytes]:
    """What an FMU holds, by path."""
    number = about.version[0]
    texts, words = code.files(), _no_derivatives()
    if about.derivatives:
        texts, words = _with_derivatives(code, texts, adjoints=number == "3")
    rows = variables(code.found, code.step)
    own = f"{code.name}_fmi{number}.c"
    about = replace(about, sources=(own, *(file for file in texts if file.endswith(".c"))))
    token = _token(model_description(about, rows), texts)
    about = replace(about, token=_guid(token))
    words |= {"KT_TOKEN": about.token, "KT_SIGNATURE": f"0x{token[:16]}ULL"}
    texts[f"{code.name}_fmu.h"] = code.fill("fmu.h", words)
    texts[own] = code.fill(f"fmi{number}.c", words)
    files = {"modelDescription.xml": model_description(about, rows).encode()}
    files |= built(code.name, about.version, texts, wanted=binary)
    files |= {f"sources/{file}": text.encode() for file, text in sorted(texts.items())}
    if number == "3":
        files["sources/buildDescription.xml"] = build_description(about).encode()
    return files


def _file(path: Path, name: str) -> Path:
    if path.suffix == SUFFIX and not path.is_dir():
        return path
    if path.suffix and not path.is_dir():
        raise FormatError(
            f"'{path.suffix}' is not a valid suffix of an FMU",
            element=f"file '{path}'",
            cure="use .fmu",
        )
    return path / f"{name}{SUFFIX}"


def _no_derivatives() -> dict[str, str]:
    return {"KT_DIRECTIONAL": "0", "KT_ADJOINT": "0", "KT_DERIVATIVE_INCLUDES": ""}


def _with_derivatives(
    code: PackageCode, texts: dict[str, str], *, adjoints: bool
) -> tuple[dict[str, str], dict[str, str]]:
    """Files and words of a template with the functions of the derivatives."""
    along = Source(directional(code.found, code.name), DOUBLE)
    sources = [along]
    moved = {"dyd": "yd", "dout": "out", "dg": "g"}
    words = {
        **_no_derivatives(),
        "KT_DIRECTIONAL": "1",
        "KT_CALL_DIRECTIONAL": call(along, {**STATE, "seed": "seed"}, moved),
    }
    if adjoints:
        back = Source(adjoint(code.found, code.name), DOUBLE)
        sources.append(back)
        weights = {"yd_bar": "yd", "out_bar": "out", "g_bar": "g"}
        bars = {
            "t_bar": "bars",
            "y_bar": "bars + SEED_Y",
            "u_bar": "bars + SEED_U",
            "p_bar": "bars + SEED_P",
        }
        words["KT_ADJOINT"] = "1"
        words["KT_CALL_ADJOINT"] = call(back, {**STATE, **weights}, bars)
    words["KT_DERIVATIVE_INCLUDES"] = "\n".join(f'#include "{s.name}.h"' for s in sources)
    for source in sources:
        texts = texts | files(source)
    return texts, words


def _guid(token: str) -> str:
    """The first digits of a digest in the form of a GUID."""
    cuts = ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32))
    return "{" + "-".join(token[a:b] for a, b in cuts) + "}"


def _token(description: str, texts: dict[str, str]) -> str:
    """What ties description and code together: a digest of both, the model's hash included."""
    whole = "\n".join([description, *(f"{name}\n{text}" for name, text in sorted(texts.items()))])
    return hashlib.sha256(whole.encode()).hexdigest()
