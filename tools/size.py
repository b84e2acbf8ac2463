"""Report lines, functions and classes per room of the package, and what stands over budget.

Run it with ``make size``; ``--strict`` gives exit code 1 where something stands over budget without
a reason, or where a reason is left whose subject is within budget again.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "kinetree"
FILE_LINES = 400
FUNCTION_LINES = 40
FILE_LINES_IN = {"joints": 80}
ROOM_LINES = {"engine": 2500}
TARGET_LINES = 500
CLASS_ATTRIBUTES = 12
LEVEL_MODULES = 20

# What may stand over budget, and the sentence that says why; a key is the start of one report line.
LARGE = {
    "engine/: ": "one renderer of expressions serves text, LaTeX and, in targets/, MathML",
    "studio/messages.py: ": "the protocol of the studio on one page; other languages follow it",
    "pipeline.py: 4": "the stages on one page, and a line per decision of the user",
    "pipeline.py: derive()": "a line per decision of the user",
    "cli/best_values.py: optimise()": "a line per option of the verb",
    "cli/best_values.py: sensitivity()": "the same",
    "cli/machines.py: excite()": "the same",
    "cli/machines.py: identify()": "the same",
    "cli/sweeps.py: sweep()": "a line per option of the verb",
    "targets/cuda/: ": "a compiler: order, text, sines, NVRTC, driver, calls with arrays",
    "targets/jax/: ": "long Programs as data: a graph of values, their order, loops that fill it",
    "targets/native/: ": "a compiler: plan, SIMD sines, factorisation, batches, cache, calls",
    "targets/tape/: ": "what native code and CUDA share: lowering, systems written out as steps",
    "targets/text/: ": "what ten languages share: names, expressions, functions, files",
}
DATA = {
    "attributes of Linear:": "a result that users read, every fact under its own name",
    "attributes of Partition:": "a result that users read, every fact under its own name",
    "attributes of ProfileData:": "a shape or a file, and one field per option of either",
    "attributes of Document:": "the sections of a model file, one field each",
    "attributes of ClassData:": "the sections of a class in a component file, one field each",
    "attributes of Mechanism:": "the sections of a model file, one table each",
    "attributes of SceneMessage:": "one answer with all layers of a picture",
    "attributes of Path:": "what a method tells at its end, one fact each",
    "attributes of Task:": "what a run of kt.sensitivity is, one decision of the user each",
    "attributes of SimulateOptions:": "a form, one field per option of the verb",
    "attributes of ExciteOptions:": "the same",
    "attributes of RunsOptions:": "the same",
    "attributes of IdentifyOptions:": "the same",
    "attributes of Plan:": "the whole answer of one stage of the compiler, for the next one",
    "attributes of Function:": "what every call would compute anew is kept",
    "attributes of March:": "arrays that native code has addresses of live as long as it runs",
    "attributes of Adaptive:": "arrays that native code has addresses of live as long as it runs",
}
DEFAULTS = {
    "overrides of Style:": "spellings: plain text, replaced where LaTeX and MathML differ",
    "overrides of Latex:": "spellings: powers of sines stand behind the name in articles",
    "overrides of MathML:": "spellings: powers of sines stand behind the name in pages",
    "overrides of Language:": "spellings: what most languages share, replaced where one differs",
    "overrides of LinkFrame:": "a link has its parent's origin and axes unless its joint moves it",
}
UNFINISHED = {
    "attributes of NaturalSpace:": "names, q, qd and qdd are to become one table",
}
REASONS = {**LARGE, **DATA, **DEFAULTS, **UNFINISHED}


@dataclass(frozen=True)
class ClassSize:
    """One class.

    Attributes:
        name: as written after ``class``.
        attributes: how many names stand in it as fields or are assigned to ``self``.
        bases: (name, module it is imported from; empty for the same file) of each base.
        methods: its own methods, without double underscores.
        hooks: those of `methods` that leave the work to subclasses.
    """

    name: str
    attributes: int
    bases: tuple[tuple[str, str], ...]
    methods: frozenset[str]
    hooks: frozenset[str]


@dataclass(frozen=True)
class FileSize:
    """One source file: path below the package, lines, (name, lines) of functions, classes."""

    path: Path
    lines: int
    functions: tuple[tuple[str, int], ...]
    classes: tuple[ClassSize, ...] = ()

    @property
    def room(self) -> str:
        """First folder below the package, or ``.`` for the files at its top."""
        return self.path.parts[0] if len(self.path.parts) > 1 else "."

    @property
    def module(self) -> str:
        """Dotted name, of the room for its ``__init__``."""
        parts = (PACKAGE.name, *self.path.with_suffix("").parts)
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def code_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function without its decorators and its docstring."""
    total = (node.end_lineno or node.lineno) - node.lineno + 1
    first = node.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        total -= (first.end_lineno or first.lineno) - first.lineno + 1
    return total


def attributes(node: ast.ClassDef) -> set[str]:
    """Names of a class that hold its state: annotated fields, and what is assigned to ``self``."""
    fields = {
        field.target.id
        for field in node.body
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and "ClassVar" not in ast.unparse(field.annotation)
    }
    return fields | {
        inner.attr
        for inner in ast.walk(node)
        if isinstance(inner, ast.Attribute)
        and isinstance(inner.ctx, ast.Store)
        and isinstance(inner.value, ast.Name)
        and inner.value.id == "self"
    }


def is_hook(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a method is abstract, or has no body beside words or a refusal."""
    if any(ast.unparse(mark).endswith("abstractmethod") for mark in node.decorator_list):
        return True
    return all(
        isinstance(line, ast.Pass | ast.Raise)
        or (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant))
        for line in node.body
    )


def measure_class(node: ast.ClassDef, imported: dict[str, str]) -> ClassSize:
    """Size of one class; `imported` gives the module that a name of the file comes from."""
    methods = [
        inner
        for inner in node.body
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef)
        and not inner.name.startswith("__")
    ]
    bases = [ast.unparse(base).split("[")[0].rpartition(".")[2] for base in node.bases]
    return ClassSize(
        name=node.name,
        attributes=len(attributes(node)),
        bases=tuple((base, imported.get(base, "")) for base in bases),
        methods=frozenset(method.name for method in methods),
        hooks=frozenset(m.name for m in methods if "Protocol" in bases or is_hook(m)),
    )


def measure(path: Path, base: Path = PACKAGE) -> FileSize:
    """Sizes of one file."""
    text = path.read_text(encoding="utf-8")
    nodes = list(ast.walk(ast.parse(text)))
    imported = {
        name.asname or name.name: node.module or ""
        for node in nodes
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
    return FileSize(
        path=path.relative_to(base),
        lines=len(text.splitlines()),
        functions=tuple(
            (node.name, code_lines(node))
            for node in nodes
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        ),
        classes=tuple(measure_class(n, imported) for n in nodes if isinstance(n, ast.ClassDef)),
    )


def survey(base: Path = PACKAGE) -> list[FileSize]:
    """Sizes of every source file of the package, in path order."""
    return [measure(path, base) for path in sorted(base.rglob("*.py"))]


def over_budget(files: list[FileSize]) -> list[str]:
    """One sentence for each file, function, room, class or level that is over its budget."""
    found = []
    for file in files:
        limit = FILE_LINES_IN.get(file.room, FILE_LINES)
        if file.lines > limit:
            found.append(f"{file.path}: {file.lines} lines, budget {limit}")
        found += [
            f"{file.path}: {name}() has {lines} lines, budget {FUNCTION_LINES}"
            for name, lines in file.functions
            if lines > FUNCTION_LINES
        ]
    for room, limit in ROOM_LINES.items():
        total = sum(file.lines for file in files if file.room == room)
        if total > limit:
            found.append(f"{room}/: {total} lines in all, budget {limit}")
    return [
        *found,
        *_targets_over_budget(files),
        *_classes_over_budget(files),
        *_overrides(files),
        *_levels_over_budget(files),
    ]


def _classes_over_budget(files: list[FileSize]) -> list[str]:
    return [
        f"attributes of {found.name}: {found.attributes}, budget {CLASS_ATTRIBUTES} ({file.path})"
        for file in files
        for found in file.classes
        if found.attributes > CLASS_ATTRIBUTES
    ]


def _levels_over_budget(files: list[FileSize]) -> list[str]:
    """Folders with too many modules side by side; the door, ``__init__``, is not one of them."""
    levels = Counter(file.path.parent for file in files if file.path.name != "__init__.py")
    return [
        f"modules of {level}: {modules}, budget {LEVEL_MODULES}"
        for level, modules in sorted(levels.items())
        if modules > LEVEL_MODULES
    ]


def _overrides(files: list[FileSize]) -> list[str]:
    """Classes with methods that a subclass replaces: hooks are there for that, others are not."""
    owners: dict[str, list[tuple[FileSize, ClassSize]]] = {}
    for file in files:
        for found in file.classes:
            owners.setdefault(found.name, []).append((file, found))
    replaced: dict[tuple[str, Path], list[str]] = {}
    for file in files:
        for found in file.classes:
            for place, base in _ancestors(file, found, owners):
                again = sorted(found.methods & (base.methods - base.hooks))
                rows = replaced.setdefault((base.name, place.path), [])
                rows += [f"{found.name}.{method}" for method in again]
    return [
        f"overrides of {name}: {len(rows)}, budget 0 ({path}: {', '.join(rows)})"
        for (name, path), rows in replaced.items()
        if rows
    ]


def _ancestors(
    file: FileSize, found: ClassSize, owners: dict[str, list[tuple[FileSize, ClassSize]]]
) -> list[tuple[FileSize, ClassSize]]:
    """Bases of a class inside the package with their files, bases of bases included, each once."""
    met = [(file, found)]
    for inside, current in met:  # grows while it is read
        for name, module in current.bases:
            met += [
                row
                for row in owners.get(name, [])
                if (row[0].module == inside.module or (module and row[0].module.startswith(module)))
                and row not in met
            ]
    return met[1:]


def unexplained(found: list[str], reasons: Mapping[str, str]) -> list[str]:
    """Sentences over budget without a reason, and reasons that do not speak of one sentence."""
    known = tuple(reasons)
    said = {key: sum(line.startswith(key) for line in found) for key in known}
    return [line for line in found if not line.startswith(known)] + [
        f"the reason of '{key}' stands for {n} rows: it must be one, or the reason can go"
        for key, n in said.items()
        if n != 1
    ]


def with_reasons(found: list[str], reasons: Mapping[str, str]) -> list[str]:
    """The sentences, each with its reason where there is one."""
    return [
        "; ".join([line, *(reason for key, reason in reasons.items() if line.startswith(key))])
        for line in found
    ]


def _targets_over_budget(files: list[FileSize]) -> list[str]:
    totals: dict[str, int] = {}
    for file in files:
        if file.room == "targets" and len(file.path.parts) > 2:
            totals[file.path.parts[1]] = totals.get(file.path.parts[1], 0) + file.lines
    return [
        f"targets/{name}/: {total} lines in all, budget {TARGET_LINES}"
        for name, total in totals.items()
        if total > TARGET_LINES
    ]


def table(files: list[FileSize]) -> str:
    """Text table: per room the files, lines, functions, and median and longest function."""
    rows = [f"{'room':<12}{'files':>6}{'lines':>8}{'functions':>11}{'median':>8}{'longest':>9}"]
    for room in sorted({file.room for file in files}):
        inside = [file for file in files if file.room == room]
        lengths = [lines for file in inside for _, lines in file.functions] or [0]
        rows.append(
            f"{room:<12}{len(inside):>6}{sum(file.lines for file in inside):>8}"
            f"{len(lengths):>11}{median(lengths):>8.0f}{max(lengths):>9}"
        )
    rows.append(f"{'total':<12}{len(files):>6}{sum(file.lines for file in files):>8}")
    return "\n".join(rows)


def main() -> int:
    """Print the report; 1 when asked to be strict and something over budget has no reason."""
    files = survey()
    found = over_budget(files)
    print(table(files))
    print(
        "\n".join(["", "over budget:", *with_reasons(found, REASONS)])
        if found
        else "\nwithin budget"
    )
    wrong = unexplained(found, REASONS)
    if wrong:
        print("\n".join(["", "shorten, or say why in REASONS of tools/size.py:", *wrong]))
    return int(bool(wrong) and "--strict" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
