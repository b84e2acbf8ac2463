"""Pages of the reference: one per joint, closure, force and tyre, from the tables of their rooms.

Meaning and equations are the docstring of the kind's module, fields and units those of its row and
of `formats.field_texts`, the picture is drawn from a model with one such element, whose lines of a
model file stand beside it.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kinetree as kt
from kinetree import constraints, forces, joints
from kinetree.formats.field_texts import field_text, field_unit
from kinetree.model import REQUIRED, ElementKind, ForceKind, Mechanism
from tools.elements import example
from tools.sketch import sketch

ROOMS = {"joints": joints, "closures": constraints, "forces": forces}
HEADS = {
    "joints": "Joints between two bodies: `model.KIND(name, parent, child, …)`.",
    "closures": "Closures of loops, couplings, laws of coordinates: `model.close_KIND(name, …)`.",
    "forces": "Forces, frictions, stops, contacts and tyres.",
}


def pages() -> dict[str, str]:
    """Path of a page -> its Markdown; pictures (.svg) among them."""
    made = {"reference/index.md": _index(), "reference/studio_analyses.md": analyses(), **api()}
    for room, module in ROOMS.items():
        for kind in module.ALL:
            model = example(kind)
            place = f"reference/{room}/{kind.name}"
            made[f"{place}.svg"] = sketch(model)
            made[f"{place}.md"] = _page(kind, model)
    return made


def analyses() -> str:
    """The page of the studio's analyses, from the table that its forms come from."""
    from kinetree.studio.runs.analyses import ANALYSES  # noqa: PLC0415  needs pydantic

    parts = ["# Analyses of the studio", "What `POST /api/runs` takes, and the forms show."]
    for row in ANALYSES.values():
        schema = row.options.model_json_schema()
        lines = ["| option | default | meaning |", "|---|---|---|"]
        for name, field in schema["properties"].items():
            default = "required" if name in schema.get("required", ()) else field.get("default")
            shown = "" if default in (None, "") else f"`{str(default).lower()}`"
            words = f": {', '.join(field['choices'])}" if field.get("choices") else ""
            text = f"{field['description']}{words}".replace("|", r"\|")
            lines.append(f"| `{name}` | {shown} | {text} |")
        parts += [f"## {row.name}", row.text[:1].upper() + row.text[1:] + ".", "\n".join(lines)]
    return "\n\n".join(parts) + "\n"


def _index() -> str:
    lines = ["# Reference", "", "The fields of model files are also a"]
    lines += ["[JSON schema](model.schema.json), which editors take to complete and to check;"]
    lines += ["[analyses of the studio](studio_analyses.md) with their options.", ""]
    for room, module in ROOMS.items():
        lines += [
            f"## {room.capitalize()}",
            "",
            HEADS[room],
            "",
            "| kind | what it is |",
            "|---|---|",
        ]
        for kind in module.ALL:
            lines.append(f"| [{kind.name}]({room}/{kind.name}.md) | {_first(kind)} |")
        lines.append("")
    return "\n".join(lines)


def _module(kind: ElementKind) -> Any:
    """The module that holds a kind: the one that its functions come from, if it names the kind."""
    room = next(module for module in ROOMS.values() if kind in module.ALL)
    names = [name for name in sys.modules if name.startswith(f"{room.__name__}.")]
    for name in sorted(names):
        if any(value is kind for value in vars(sys.modules[name]).values()):
            return sys.modules[name]
    writer = kind.write if isinstance(kind, ForceKind) else None
    return inspect.getmodule(writer) or room


def _first(kind: ElementKind) -> str:
    head = (_module(kind).__doc__ or "").partition("\n\n")[0]
    return " ".join(head.split()).replace("|", r"\|")


def markdown(doc: str) -> str:
    """A docstring as Markdown: words before a colon stand out, indented equations stay as set."""
    text = re.sub(r"^(\w+): ", r"**\1**: ", inspect.cleandoc(doc), flags=re.MULTILINE)
    text = re.sub(r"(?<=[^\n])\n(?=\*\*)", "  \n", text)
    return text.replace("``", "`")


def _page(kind: ElementKind, model: Mechanism) -> str:
    title = f"# {kind.name}"
    picture = f"![{kind.name}]({kind.name}.svg)"
    parts = [title, picture, markdown(_module(kind).__doc__ or ""), "## Fields", _fields(kind)]
    if isinstance(kind, ForceKind) and kind.outputs:
        parts += ["## Outputs", _outputs(kind)]
    parts += ["## In a model file", f"```yaml\n{yaml_lines(kind, model)}```"]
    return "\n\n".join(parts) + "\n"


def _fields(kind: ElementKind) -> str:
    lines = ["| field | default | unit | meaning |", "|---|---|---|---|"]
    places = kind.labels or (("points",) if kind.places < 0 else ())
    lines += [f"| `{label}` | | | {field_text(kind, label)} |" for label in places]
    for name, default in kind.options.items():
        shown = "" if default is REQUIRED else f"`{_plain(default)}`"
        lines.append(
            f"| `{name}` | {shown} | {field_unit(kind, name)} | {field_text(kind, name)} |"
        )
    return "\n".join(lines)


def _plain(value: Any) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_plain, value)) + "]"
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def _outputs(kind: ForceKind) -> str:
    lines = ["| output | unit |", "|---|---|"]
    for row in kind.outputs:
        ends = ", ".join(
            f"`NAME.{row.name}{f'.{part}' if part else ''}`" for part in row.parts or ("",)
        )
        lines.append(f"| {ends} | {_joint_words(row.unit)} |")
    return "\n".join(lines)


def _joint_words(unit: str) -> str:
    return unit.replace("{effort}", "N.m or N").replace("{q}", "rad or m")


def yaml_lines(kind: ElementKind, model: Mechanism) -> str:
    """The lines of a model file that hold the element of the example."""
    text = model_text(model)
    section = {"joint": "joints", "closure": "closures", "force": "forces"}[kind.noun]
    rows = text[text.index(f"{section}:") :].splitlines()
    found = [rows[0]]
    take = False
    for row in rows[1:]:
        if row and not row.startswith(" "):
            break
        if re.match(r"  \S", row):
            take = row.startswith("  new:")
        found += [row] if take else []
    return "\n".join(found) + "\n"


def model_text(model: Mechanism) -> str:
    """The model file of a model."""
    import tempfile  # noqa: PLC0415  only here

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.yaml"
        kt.save(model, file)
        return file.read_text(encoding="utf-8")


def api() -> dict[str, str]:
    """Pages of everything that the package exports, from the docstrings."""
    homes: dict[str, str] = kt._homes  # type: ignore[attr-defined]
    lines = ["# API", "", "| name | what it is |", "|---|---|"]
    made = {}
    for name in kt.__all__:
        thing = getattr(kt, name)
        first = (inspect.getdoc(thing) or "").partition("\n")[0].replace("|", r"\|")
        path = f"{homes[name]}.{name}"
        lines.append(f"| [{name}]({name}.md) | {first} |")
        made[f"api/{name}.md"] = f"# {name}\n\n::: {path}\n"
    made["api/index.md"] = "\n".join(lines) + "\n"
    return made


def examples(folder: Path) -> Iterator[tuple[str, str]]:
    """A page per example: its text."""
    for script in sorted(folder.glob("*.py")):
        text = script.read_text(encoding="utf-8")
        yield f"examples/{script.stem}.md", f"# {script.stem}\n\n```python\n{text}```\n"
