"""Derivatives, Program → Program: forward mode, reverse mode; second derivatives compose them."""

from kinetree.program.differentiate.along import along
from kinetree.program.differentiate.forward import forward, forward_along
from kinetree.program.differentiate.reverse import reverse

__all__ = ["along", "forward", "forward_along", "reverse"]
