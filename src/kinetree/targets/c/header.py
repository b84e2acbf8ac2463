"""The .h file: declarations, and what the function is, where it comes from and what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetree.targets.text import about

if TYPE_CHECKING:
    from kinetree.targets.text.c.family import CFamily
    from kinetree.targets.text.source import Source

FIRST_LINE = f"/* {about.FIRST_LINE} */"


def header_text(source: Source, language: CFamily) -> str:
    """The header of a Program's functions."""
    name, real = source.name, language.real
    guard = f"{name.upper()}_H"
    lines = [FIRST_LINE, *describe(source), f"#ifndef {guard}", f"#define {guard}", ""]
    lines += ["#ifdef __cplusplus", 'extern "C" {', "#endif", ""]
    if source.constants:
        fields = [f"    {real} {field};" for field in source.constants.values()]
        lines += [
            "/* What depends on the parameters alone. */",
            f"typedef struct {name}_constants {{",
            *fields,
            f"}} {name}_constants;", "",
            "/* Once per parameter set. */",
            f"{language.declare(f'void {name}_preamble', source.preamble)};", "",
            "/* As often as wanted, with what the preamble left. */",
            f"{language.declare(f'void {name}_prepared', source.prepared_arguments)};", "",
            "/* Both together. */",
        ]  # fmt: skip
    lines += [f"{language.declare(f'void {name}', source.main)};", ""]
    return "\n".join([*lines, "#ifdef __cplusplus", "}", "#endif", "", "#endif", ""])


def describe(source: Source) -> list[str]:
    """What a file says about itself, as one comment."""
    return source.language.remarks(about.about(source))
