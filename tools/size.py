"""Report lines and functions per room of the package, and what stands over budget.

Run it with ``make size``; ``--strict`` turns anything over budget into exit code 1.
"""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "kinetree"
FILE_LINES = 400
FUNCTION_LINES = 40
FILE_LINES_IN = {"joints": 80}
ROOM_LINES = {"engine": 2500}
TARGET_LINES = 500

# What may stand over budget, and the sentence that says why; a key is the start of a report line.
REASONS = {
    "engine/: ": "one renderer of expressions serves text, LaTeX and, in targets/, MathML",
    "targets/cuda/: ": "a compiler: order, text, sines, NVRTC, driver, calls with arrays",
    "targets/jax/: ": "long Programs as data: a graph of values, their order, loops that fill it",
    "targets/native/: ": "a compiler: plan, SIMD sines, factorisation, batches, cache, calls",
    "targets/text/: ": "what ten languages share: names, expressions, functions, files",
}


@dataclass(frozen=True)
class FileSize:
    """One source file: its path below the package, lines, and (name, lines) of each function."""

    path: Path
    lines: int
    functions: tuple[tuple[str, int], ...]

    @property
    def room(self) -> str:
        """First folder below the package, or ``.`` for the files at its top."""
        return self.path.parts[0] if len(self.path.parts) > 1 else "."


def code_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function without its decorators and its docstring."""
    total = (node.end_lineno or node.lineno) - node.lineno + 1
    first = node.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        total -= (first.end_lineno or first.lineno) - first.lineno + 1
    return total


def measure(path: Path, base: Path = PACKAGE) -> FileSize:
    """Sizes of one file."""
    text = path.read_text(encoding="utf-8")
    functions = tuple(
        (node.name, code_lines(node))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    return FileSize(path.relative_to(base), len(text.splitlines()), functions)


def survey(base: Path = PACKAGE) -> list[FileSize]:
    """Sizes of every source file of the package, in path order."""
    return [measure(path, base) for path in sorted(base.rglob("*.py"))]


def over_budget(files: list[FileSize]) -> list[str]:
    """One sentence for each file, function or room that is larger than its budget."""
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
    return found + _targets_over_budget(files)


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
    """Print the report; 1 when asked to be strict and something is over budget."""
    files = survey()
    found = over_budget(files)
    print(table(files))
    print("\n".join(["", "over budget:", *found]) if found else "\nall within budget")
    return int(bool(found) and "--strict" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
