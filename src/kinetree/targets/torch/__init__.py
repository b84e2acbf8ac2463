"""PyTorch: one module whose function can be differentiated; leading axes are a batch; doubles."""

from __future__ import annotations

from kinetree.targets.text.target import ModuleTarget
from kinetree.targets.torch.source import source_text

TARGET = ModuleTarget("torch", "torch", source_text)

__all__ = ["TARGET"]
