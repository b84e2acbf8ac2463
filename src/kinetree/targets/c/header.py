"""The .h file: declarations, and what the function is, where it comes from and what it costs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kinetree.targets.text import about
from kinetree.targets.text.names import Names
from kinetree.targets.text.tables import break_lines, list_numbers
from kinetree.targets.text.values import defaults

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
    lines += [line for text in indices(source) for line in (text, "")]
    for argument, values in defaults(source).items():
        lines += [f"/* Values of the model for {argument}. */"]
        lines += [f"extern const {real} {name}_{argument}_default[{len(values)}];", ""]
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


def indices(source: Source) -> Iterator[str]:
    """Enumerations of the places in arrays, NAME_ARRAY_LABEL, where places have labels."""
    rows = [(source.ins[row.name], row.shape, row.labels) for row in source.program.inputs]
    rows += [(source.outs[row.name], row.shape, row.labels) for row in source.program.outputs]
    taken = [f"{argument}_default" for argument in defaults(source)]
    names = Names(source.language.rules, *taken, "constants", "preamble", "prepared")
    for argument, shape, labels in rows:
        if labels and shape == (len(labels),):
            listed = [names.fresh(f"{argument}_{label}") for label in labels]
            text = ",\n".join(f"    {source.name}_{label}" for label in listed)
            yield f"/* Places in {argument}. */\nenum {{\n{text}\n}};"


def default_values(source: Source, language: CFamily) -> Iterator[str]:
    """The values of the model for the inputs that have some."""
    for argument, values in defaults(source).items():
        numbers = break_lines(list_numbers(values, language.number))
        head = f"const {language.real} {source.name}_{argument}_default[{len(values)}]"
        yield f"{head} = {{\n{numbers}\n}};\n"


def describe(source: Source) -> list[str]:
    """What a file says about itself, as one comment."""
    return source.language.remarks(about.about(source))
