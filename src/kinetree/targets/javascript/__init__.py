"""JavaScript: an ES module for browsers and Node, and its types for TypeScript."""

from __future__ import annotations

from kinetree.targets.javascript.source import sources
from kinetree.targets.text.target import TextTarget

TARGET = TextTarget("javascript", "JavaScript", sources)

__all__ = ["TARGET"]
