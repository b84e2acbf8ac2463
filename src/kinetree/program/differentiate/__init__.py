"""Derivatives, Program → Program: forward mode, reverse mode; second derivatives compose them."""

from kinetree.program.differentiate.forward import forward, forward_along
from kinetree.program.differentiate.reverse import reverse

__all__ = ["forward", "forward_along", "reverse"]
