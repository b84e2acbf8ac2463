"""Derivatives, Program → Program: forward mode, reverse mode; second derivatives compose them."""

from kinetree.program.derive.forward import forward
from kinetree.program.derive.reverse import reverse

__all__ = ["forward", "reverse"]
