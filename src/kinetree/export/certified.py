"""Certificates of packages: the Programs that they call, and digests of the files they hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kinetree.certificate.certify import certify_programs

if TYPE_CHECKING:
    from kinetree.certificate.certificate import Certificate
    from kinetree.export.c_text import PackageCode
    from kinetree.program import Program


def certify_package(
    code: PackageCode,
    name: str,
    model_hash: str,
    contents: Mapping[str, str | bytes],
    targets: bool | Sequence[str],
    more: Sequence[Program] = (),
) -> Certificate:
    """The certificate of a package.

    Args:
        code: its C code.
        name: of the model.
        model_hash: of the model.
        contents: its files by name.
        targets: names of the targets to compare, True for all at hand.
        more: Programs besides those that a system calls.
    """
    found = code.found
    start = {"y": found.start, "t": found.t0, "u": found.inputs}
    programs = [*(source.program for source in code.sources), *more]
    model = {"name": name, "hash": model_hash}
    names = None if isinstance(targets, bool) else targets
    return certify_programs(programs, start, model=model, targets=names).with_files(contents)
