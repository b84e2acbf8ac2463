"""Names of outputs in the laws of forces: of elements above them in the file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kinetree.errors import FormatError
from kinetree.model import law_symbols, output_names

if TYPE_CHECKING:
    from kinetree.engine import Node
    from kinetree.formats.schema_kinds import ForceSection
    from kinetree.model import Model


class OfferedSoFar(dict[str, "Node"]):
    """Outputs of what a model has by now, found when a law first uses a name of this sort."""

    def __init__(self, model: Model, own: str, forces: Mapping[str, ForceSection]) -> None:
        super().__init__()
        self.model, self.own, self.forces = model, own, forces

    def __contains__(self, name: object) -> bool:
        if not self:
            self.update(law_symbols(output_names(self.model)))
        if super().__contains__(name):
            return True
        teller = str(name).partition(".")[0]
        if teller != name and teller in self.forces and teller not in self.model.forces:
            raise self.too_late(str(name), teller)
        return False

    def too_late(self, name: str, teller: str) -> FormatError:
        """The error of a law that uses what its own or a later element tells."""
        element = f"forces.{self.own}"
        if teller == self.own:
            return FormatError(f"it uses '{name}', its own", element=element, cure="use states")
        if f"{self.own}." in repr(self.forces[teller].model_dump()):
            return FormatError(
                f"'{self.own}' and '{teller}' depend on each other",
                element=element,
                cure="let one of them use states, points or rates instead",
            )
        return FormatError(
            f"it uses '{name}', and '{teller}' stands below it",
            element=element,
            cure=f"put '{teller}' above '{self.own}'",
        )
