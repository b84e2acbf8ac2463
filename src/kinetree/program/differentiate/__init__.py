"""Derivatives, Program → Program: forward mode, reverse mode; second derivatives compose them."""

from kinetree.program.differentiate.along import along
from kinetree.program.differentiate.forward import forward, forward_along
from kinetree.program.differentiate.reverse import reverse
from kinetree.program.differentiate.sparse import SparseDerivative, dependence, sparse_derivative

__all__ = [
    "SparseDerivative", "along", "dependence", "forward", "forward_along", "reverse",
    "sparse_derivative",
]  # fmt: skip
