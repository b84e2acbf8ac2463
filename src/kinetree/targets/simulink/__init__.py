"""Simulink: a level-2 S-function in C around the C target."""

from __future__ import annotations

from kinetree.targets.simulink.source import sources
from kinetree.targets.text.target import TextTarget

TARGET = TextTarget("simulink", "Simulink", sources)

__all__ = ["TARGET"]
