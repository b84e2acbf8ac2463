"""HTML: the equations as one page to click through, without network."""

from __future__ import annotations

from kinetree.targets.html.source import cell, sources
from kinetree.targets.text.target import TextTarget

TARGET = TextTarget("html", "HTML", sources, cell)

__all__ = ["TARGET"]
