"""Draw the house from its code: rooms as boxes on their floors, imports as arrows, sizes as areas.

Run it with ``make house``; it writes docs/pictures/house.svg.  Floors are those of the import
contract in pyproject.toml, top floor first: an arrow that went up would be a breach of it.  Arrows
to what everybody uses (errors, files, types) are left out.
"""

from __future__ import annotations

import ast
import math
import re
import sys
import tomllib
from collections import Counter
from dataclasses import dataclass
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "kinetree"
PICTURE = ROOT / "docs" / "pictures" / "house.svg"
WIDTH, FLOOR, GAP, MARGIN = 1100, 62, 26, 20
"""Width of the picture, height of a floor, distance between floors, margin [px]."""
LEAST = 112
"""Width of the smallest room [px]."""
STAGGER = 170
"""How far rooms that have a floor for themselves stand left and right of the middle [px]."""
EVERYBODYS = {"arrays", "errors", "files", "plain", "printing", "tables"}
INK, PAPER, WALL, SOFT = "#1f2933", "#ffffff", "#3b6ea5", "#e8f0f8"


@dataclass(frozen=True)
class Room:
    """One room: its name, files, lines, and its inner rooms with their lines."""

    name: str
    files: int
    lines: int
    inner: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Box:
    """Where a room stands."""

    room: Room
    x: float
    y: float
    width: float

    @property
    def middle(self) -> float:
        """Abscissa of its middle."""
        return self.x + self.width / 2


def floors() -> list[list[str]]:
    """Names of the rooms, floor by floor from the top, as the import contract has them."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (layers,) = (
        row["layers"]
        for row in contracts["tool"]["importlinter"]["contracts"]
        if row["containers"] == ["kinetree"]
    )
    return [re.findall(r"\w+", layer) for layer in layers]


def room(name: str) -> Room:
    """A room as the code has it: a folder, or a file at the top of the package."""
    folder = PACKAGE / name
    paths = sorted(folder.rglob("*.py")) if folder.is_dir() else [folder.with_suffix(".py")]
    inner = Counter[str]()
    for path in paths:
        below = path.relative_to(PACKAGE).parts
        if len(below) > 2:
            inner[below[1]] += lines(path)
    return Room(name, len(paths), sum(map(lines, paths)), tuple(sorted(inner.items())))


def lines(path: Path) -> int:
    """Lines of a file."""
    return path.read_text(encoding="utf-8").count("\n")


def passages() -> Counter[tuple[str, str]]:
    """(room, room it imports from) -> number of import statements."""
    found = Counter[tuple[str, str]]()
    for path in PACKAGE.rglob("*.py"):
        own = path.relative_to(PACKAGE).with_suffix("").parts[0]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("kinetree."):
                other = str(node.module).split(".")[1]
                if own not in {other, "__init__"} and other not in EVERYBODYS:
                    found[own, other] += 1
    return found


def arrange(rows: list[list[Room]]) -> dict[str, Box]:
    """Boxes floor by floor; width grows with the square root of the lines."""
    boxes = {}
    for level, row in enumerate(rows):
        sizes = [max(LEAST, 3.4 * math.sqrt(room.lines)) for room in row]
        free = WIDTH - 2 * MARGIN - sum(sizes)
        aside = STAGGER * (-1) ** level if len(row) == 1 else 0
        x = MARGIN + free / (len(row) + 1) + aside
        for room, size in zip(row, sizes, strict=True):
            boxes[room.name] = Box(room, x, MARGIN + level * (FLOOR + GAP), size)
            x += size + free / (len(row) + 1)
    return boxes


def draw(boxes: dict[str, Box], arrows: Counter[tuple[str, str]]) -> str:
    """The picture as SVG text."""
    height = max(box.y for box in boxes.values()) + FLOOR + MARGIN
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" '
            f'font-family="system-ui, sans-serif" fill="{INK}">'
        ),
        f'<rect width="{WIDTH}" height="{height:.0f}" fill="{PAPER}"/>',
    ]
    parts += [
        _arrow(boxes[a], boxes[b], count)
        for (a, b), count in sorted(arrows.items())
        if a in boxes and b in boxes
    ]
    parts += [_box(box) for box in boxes.values()]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _arrow(a: Box, b: Box, count: int) -> str:
    """A passage downward, the wider the more imports go through it."""
    x0, y0, x1, y1 = a.middle, a.y + FLOOR, b.middle, b.y
    bend = 0.45 * (y1 - y0)
    path = (
        f"M{x0:.0f} {y0:.0f} C{x0:.0f} {y0 + bend:.0f} {x1:.0f} {y1 - bend:.0f} {x1:.0f} {y1:.0f}"
    )
    width = 0.5 + 0.9 * math.log10(count) * 2
    title = f"{a.room.name} imports from {b.room.name} {count} times"
    return (
        f'<path d="{path}" fill="none" stroke="{WALL}" stroke-opacity="0.28" '
        f'stroke-width="{width:.1f}"><title>{escape(title)}</title></path>'
    )


def _box(box: Box) -> str:
    room, x, y = box.room, box.x, box.y
    text = [
        (
            f'<rect x="{x:.0f}" y="{y:.0f}" width="{box.width:.0f}" height="{FLOOR}" rx="5" '
            f'fill="{SOFT}" stroke="{WALL}"/>'
        ),
        (
            f'<text x="{box.middle:.0f}" y="{y + 18:.0f}" text-anchor="middle" font-size="14" '
            f'font-weight="600">{escape(room.name)}</text>'
        ),
        (
            f'<text x="{box.middle:.0f}" y="{y + 32:.0f}" text-anchor="middle" font-size="10">'
            f"{room.files} file{'s' * (room.files > 1)}, {room.lines} lines</text>"
        ),
    ]
    for number, row in enumerate(_wrapped([name for name, _ in room.inner], box.width)):
        text.append(
            f'<text x="{box.middle:.0f}" y="{y + 44 + 11 * number:.0f}" text-anchor="middle" '
            f'font-size="9" fill="{WALL}">{escape(row)}</text>'
        )
    return "\n".join(text)


def _wrapped(names: list[str], width: float, most: int = 2) -> list[str]:
    """Names in lines that fit a width, at most so many lines."""
    rows: list[str] = []
    for name in names:
        if rows and (len(rows[-1]) + len(name) + 3) * 4.8 < width:
            rows[-1] += f" · {name}"
        else:
            rows.append(name)
    return rows if len(rows) <= most else [*rows[: most - 1], f"{rows[most - 1]} …"]


def picture() -> str:
    """The house of today."""
    rows = [[room(name) for name in floor] for floor in floors()]
    return draw(arrange(rows), passages())


def main() -> int:
    """Write the picture."""
    PICTURE.write_text(picture(), encoding="utf-8")
    print(f"wrote {PICTURE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
