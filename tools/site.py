"""What MkDocs adds to the pages in docs: reference, API, examples, and pages that move.

``make docs`` builds the site.  KINETREE_GALLERY=1 also runs the examples of the gallery and puts
the pages that they write beside it, which takes a few minutes.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]
DOCS, EXAMPLES = ROOT / "docs", ROOT / "examples"
SCHEMA = ROOT / "src" / "kinetree" / "formats" / "model.schema.json"
LINK = re.compile(r"\]\((?:\.\./)+examples/(\w+)\.py\)")
SCRIPT = re.compile(r"`python examples/(\w+)\.py build/pictures`")
PICTURE = re.compile(r"!\[(.*?)\]\(pictures/(\w+)\.png\)")
GALLERY = "KINETREE_GALLERY"


def generated() -> dict[str, str]:
    """Path of a page or picture -> its text, for all that is not written by hand."""
    from tools import reference  # noqa: PLC0415  needs the path above

    made = reference.pages() | dict(reference.examples(EXAMPLES))
    return made | {"reference/model.schema.json": SCHEMA.read_text(encoding="utf-8")}


def on_config(config: Any) -> Any:
    """Fill the folders that the navigation names."""
    config.extra["generated"] = generated()
    names = [*config.extra["generated"], *(str(p.relative_to(DOCS)) for p in DOCS.rglob("*.md"))]
    config.nav = [_filled(row, sorted(names)) for row in config.nav]
    return config


def _filled(row: Any, names: list[str]) -> Any:
    """An entry of the navigation; a folder stands for all its pages, index first."""
    if not isinstance(row, dict):
        return row
    ((title, where),) = row.items()
    if not (isinstance(where, str) and where.endswith("/")):
        return row
    inside = [name for name in names if name.startswith(where) and name.endswith(".md")]
    own = [name for name in inside if "/" not in name.removeprefix(where)]
    rows: list[Any] = sorted(own, key=lambda name: (not name.endswith("index.md"), name))
    folders = sorted({name.removeprefix(where).partition("/")[0] for name in {*inside} - {*own}})
    rows += [
        {folder.capitalize(): [name for name in inside if name.startswith(f"{where}{folder}/")]}
        for folder in folders
    ]
    return {title: rows}


def on_files(files: Any, config: Any) -> Any:
    """Add what is generated."""
    from mkdocs.structure.files import File  # noqa: PLC0415  only MkDocs calls this

    for name, text in config.extra["generated"].items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Lead links to scripts to their pages, and pictures of the gallery to pages that move."""
    up = "../" * page.file.src_uri.count("/")
    text = LINK.sub(rf"]({up}examples/\1.md)", markdown)
    if page.file.src_uri == "gallery.md":
        text = SCRIPT.sub(r"[`\1.py`](examples/\1.md)", text)
        text = PICTURE.sub(_moving, text) if os.environ.get(GALLERY) else text
    return text


def _moving(match: re.Match[str]) -> str:
    """A picture of the gallery that leads to its page that moves, where an example writes one."""
    alt, stem = match.groups()
    page = re.compile(rf"\b{stem}\.html")
    if not any(page.search(script.read_text()) for script in EXAMPLES.glob("[12]*.py")):
        return match[0]
    picture = f'<img alt="{alt}" src="pictures/{stem}.png">'
    return f'<a href="moving/{stem}.html" title="see it move">{picture}</a>'


def on_post_build(config: Any) -> None:
    """Run the examples of the gallery, where that is asked for, and list what they wrote."""
    if not os.environ.get(GALLERY):
        return
    folder = Path(config.site_dir) / "moving"
    folder.mkdir(exist_ok=True)
    around = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    for script in sorted(EXAMPLES.glob("[12]*.py")):
        command = (sys.executable, str(script), str(folder))
        subprocess.run(command, cwd=ROOT, env=around, check=True, stdout=subprocess.DEVNULL)
    rows = [f'<li><a href="{p.name}">{p.stem}</a></li>' for p in sorted(folder.glob("*.html"))]
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Pages that move</title>'
    (folder / "index.html").write_text(f"{head}<h1>Pages that move</h1><ul>{''.join(rows)}</ul>")
