"""HTML: the equations as one page to click through, without network."""

from __future__ import annotations

from kinetree.targets.html.source import sources
from kinetree.targets.text.target import TextTarget

TARGET = TextTarget("html", "HTML", sources)

__all__ = ["TARGET"]
