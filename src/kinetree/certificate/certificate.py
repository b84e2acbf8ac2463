"""A certificate: what was compared with what, how far it lies apart, and what was left out.

It carries digests of the model, of the Programs and of every file of code, so that code and
certificate can be shown to belong together (`verify`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from kinetree.errors import FormatError
from kinetree.files import write_folder
from kinetree.plain import json_text

FILE, PAGE = "certificate.json", "certificate.html"
"""Names under which certificates are written."""
FORMAT = 1
"""Number of the format, for later readers."""
MARK = "kinetree certificate"
"""The first word of its file."""


@dataclass(frozen=True)
class Comparison:
    """One evaluation compared with the reference.

    Attributes:
        kind: "formalism", "target" or "engine".
        name: of it.
        program: name of the Program.
        tool: what ran it, with its version.
        deviation: largest deviation over the scale of the output (`compare`); none where a number
            is missing, or where the tool failed.
        output: in which it is.
        state: at which it is; what the tool said where it failed.
        tolerance: largest deviation that is allowed.
        code: digests of the files that were compiled or run, by name.
    """

    kind: str
    name: str
    program: str
    tool: str
    deviation: float | None
    output: str
    state: str
    tolerance: float
    code: dict[str, str] = field(default_factory=dict)

    @property
    def agrees(self) -> bool:
        """Whether the deviation is allowed."""
        return self.deviation is not None and self.deviation <= self.tolerance


@dataclass(frozen=True)
class LeftOut:
    """What was not compared, and why."""

    kind: str
    name: str
    reason: str


@dataclass(frozen=True)
class ProgramFacts:
    """What is known of a Program without running it.

    Attributes:
        name: of the function.
        digest: of the equations.
        info: provenance: quantity, formalism, loops, …
        operations: of one evaluation, an iteration counted once.
        preamble: operations per set of parameters.
        iterations: bounds: unknowns, steps at most, tolerance of the equations.
        stack: bytes of stack that the C function needs at most, estimated; none where no C is made.
        states: labels of the states at which it was compared.
        without: states left out, because nothing has a value there.
        kept: parameters that were not varied, because nothing has a value with others.
    """

    name: str
    digest: str
    info: dict[str, str]
    operations: dict[str, int]
    preamble: dict[str, int]
    iterations: list[dict[str, float]]
    stack: int | None
    states: list[str]
    without: list[str]
    kept: list[str]


@dataclass(frozen=True)
class Certificate:
    """The proof that travels with equations.

    Attributes:
        model: name and content hash of the model; empty where a Program alone is certified.
        recipe: arguments of `certify`, with which the Programs are derived anew.
        parameters: values by name.
        seed: of the random states.
        programs: facts about every Program.
        comparisons: what was compared.
        left_out: what was not, and why.
        versions: of what took part.
        files: digests of the files that it travels with, by name.
    """

    model: dict[str, str]
    recipe: dict[str, Any]
    parameters: dict[str, float]
    seed: int
    programs: list[ProgramFacts]
    comparisons: list[Comparison]
    left_out: list[LeftOut]
    versions: dict[str, str]
    files: dict[str, str] = field(default_factory=dict)

    @property
    def agrees(self) -> bool:
        """Whether every comparison agrees; an empty one proves nothing."""
        return bool(self.comparisons) and all(row.agrees for row in self.comparisons)

    def with_files(self, contents: Mapping[str, str | bytes]) -> Certificate:
        """The certificate of code that is written into these files."""
        return replace(self, files={name: digest_of(text) for name, text in contents.items()})

    def text(self) -> str:
        """The certificate as JSON, its own digest last."""
        data = {MARK: FORMAT, "agrees": self.agrees, **asdict(self)}
        text = json_text(data | {"digest": _own_digest(data)}, indent=1)
        return text.replace("{\n ", "{", 1) + "\n"  # the first line says what it is

    def contents(self) -> dict[str, str]:
        """The two files of a certificate by name: data and a page."""
        from kinetree.certificate.page import certificate_page  # noqa: PLC0415  stands above

        return {FILE: self.text(), PAGE: certificate_page(self)}

    def save(self, folder: str | Path) -> tuple[Path, ...]:
        """Write certificate.json and certificate.html into a folder; the paths written."""
        return write_folder(folder, self.contents())


def digest_of(content: str | bytes) -> str:
    """SHA-256 of a file's content, in hexadecimal."""
    return sha256(content.encode() if isinstance(content, str) else content).hexdigest()


def _own_digest(data: Mapping[str, Any]) -> str:
    """A digest of everything that a certificate says."""
    return digest_of(json.dumps(data, sort_keys=True, ensure_ascii=True))


def parse(text: str, element: str) -> Certificate:
    """The certificate in a text.

    Raises:
        FormatError: where it is not one, or was changed since it was written.
    """
    from pydantic import TypeAdapter  # noqa: PLC0415  a third of a second

    try:
        data = json.loads(text)
        told, number = data.pop("digest"), data.pop(MARK)
        found = TypeAdapter(Certificate).validate_python(
            {name: value for name, value in data.items() if name != "agrees"}
        )
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise FormatError(
            "it is not a certificate of kinetree", element=element, cure="name its JSON file"
        ) from error
    if told != _own_digest({MARK: number, **data}):
        raise FormatError(
            "it was changed since it was written", element=element, cure="certify the model again"
        )
    return found
