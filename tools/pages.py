"""Python blocks of documentation pages as programs; ``python tools/pages.py PAGE …`` runs them."""

from __future__ import annotations

import re
import sys
from pathlib import Path

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> str:
    """The Python blocks of a page as one program that keeps the page's line numbers."""
    text = page.read_text(encoding="utf-8")
    lines = [""] * (text.count("\n") + 1)
    for match in BLOCK.finditer(text):
        start = text.count("\n", 0, match.start(1))
        for offset, line in enumerate(match.group(1).splitlines()):
            lines[start + offset] = line
    return "\n".join(lines)


def run(page: Path) -> None:
    """Run the blocks of a page, one after the other, in the folder that is the current one."""
    exec(compile(blocks(page), str(page), "exec"), {"__name__": "__main__"})


if __name__ == "__main__":
    for name in sys.argv[1:]:
        run(Path(name))
