"""Numbers of parts as parameters of a model, under the paths of the parts."""

from __future__ import annotations

from typing import Any

from kinetree.acausal import Component, Physical
from kinetree.acausal.instances import Flat
from kinetree.acausal.physical import dimension, spell
from kinetree.acausal.sort import bound_in_order
from kinetree.arguments import is_finite, show
from kinetree.engine import Node, Rank, evaluate, symbol
from kinetree.errors import ModelError
from kinetree.model import Model, Scalar
from kinetree.model.mechanism import RANK_OF_UNIT
from kinetree.model.parts import Parameter
from kinetree.units import quantity

FOLDED = (0, 1)
"""Numbers that are no parameters, but shorten the equations."""


class Scalars:
    """Reads settings of parts: numbers, texts with units, functions of the component around them.

    Args:
        flat: all instances; parameters that follow from others are added to it.
        model: gets the parameters.
    """

    def __init__(self, flat: Flat, model: Model) -> None:
        self.flat, self.model = flat, model
        self._values = {row.symbol: row.value for row in flat.parameters.values()}
        for node, expr in bound_in_order(flat):
            self._values[node] = float(evaluate((expr,), self._values)[0])

    def vector(self, part: Component, name: str, unit: str) -> tuple[Scalar, ...]:
        """Three numbers of a part."""
        given = getattr(part, name)
        given = given(part.owner or part) if callable(given) else given
        if not isinstance(given, list | tuple) or len(given) != 3:
            raise ModelError(
                f"{name} is {show(given)}",
                element=f"component '{part.path}'",
                cure="give three numbers",
            )
        return tuple(
            self.read(part, f"{name}_{end}", x, unit) for end, x in zip("xyz", given, strict=True)
        )

    def read(self, part: Component, name: str, value: Any, unit: str) -> Scalar:
        """A number that is folded into the equations, or the symbol of a parameter."""
        path = part.path_of(name)
        value = value(part.owner or part) if callable(value) else value
        if isinstance(value, Physical) and not value.node.is_number:
            if value.size not in (None, dimension(unit)):
                raise ModelError(
                    f"it is given {value.node!r} [{spell(value.size or ())}]",
                    element=f"component '{part.path}', {name}",
                    cure=f"give a value in {unit}",
                )
            number = float(evaluate((value.node,), self._values)[0])
            node = self._parameter(path, number, unit)
            self.flat.bound[node] = value.node
            return node
        number = self._number(value, unit, f"component '{part.path}', {name}")
        return number if number in FOLDED else self._parameter(path, number, unit)

    def _parameter(self, path: str, value: float, unit: str) -> Node:
        """A parameter of the model; its path may hold brackets, as those of lists of parts do."""
        node = symbol(path, RANK_OF_UNIT.get(unit, Rank.PARAMETER))
        self.model.parameters[path] = Parameter(path, value, unit, node)
        return node

    def _number(self, value: Any, unit: str, element: str) -> float:
        if isinstance(value, Physical):
            value = value.node.value
        if isinstance(value, str):
            return quantity(value, unit, element)
        if not is_finite(value):
            raise ModelError(
                f"it is {show(value)}", element=element, cure=f"give a finite number [{unit}]"
            )
        return float(value)
