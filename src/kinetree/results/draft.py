"""A Dataset that is being put together: variables, coordinates and attributes, as plain data.

xarray compares all that there is whenever something is added to a Dataset: that takes longer than a
run of a small model.  So analyses gather first, and a Dataset is made once, at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import xarray

    Look = Callable[[xarray.Dataset], xarray.Dataset]

NOTHING: Mapping[str, Any] = MappingProxyType({})


class DraftRow(NamedTuple):
    """A variable: names of its dimensions, values, and what there is to say of it."""

    dims: tuple[str, ...]
    values: Any
    attrs: Mapping[str, Any] = NOTHING


@dataclass(frozen=True)
class Draft:
    """What a Dataset will be made of.

    Attributes:
        variables: by name.
        coords: the same of coordinates; one with the name of its dimension labels that.
        attrs: of the whole.
    """

    variables: Mapping[str, DraftRow] = field(default_factory=dict)
    coords: Mapping[str, DraftRow] = field(default_factory=dict)
    attrs: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, made: xarray.Dataset) -> Draft:
        """What a Dataset is made of."""
        variables, coords = (
            {
                str(name): _column([*map(str, row.dims)], row.values, row.attrs)
                for name, row in rows.items()
            }
            for rows in (made.data_vars, made.coords)
        )
        return cls(variables, coords, made.attrs)

    def __contains__(self, name: str) -> bool:
        return name in self.variables or name in self.coords

    def __getitem__(self, name: str) -> DraftRow:
        return self.variables[name] if name in self.variables else self.coords[name]

    def labels(self, dimension: str) -> list[str]:
        """What the entries of a dimension are called."""
        return [str(name) for name in self.coords[dimension].values]

    def plus(
        self,
        variables: Mapping[str, Sequence[Any]] = NOTHING,
        coords: Mapping[str, Sequence[Any]] = NOTHING,
        attrs: Mapping[str, Any] = NOTHING,
    ) -> Draft:
        """The same with more of it: (dimensions, values, attributes) by name."""
        more = ({name: _column(*row) for name, row in rows.items()} for rows in (variables, coords))
        first, last = more
        return Draft({**self.variables, **first}, {**self.coords, **last}, {**self.attrs, **attrs})

    def without(self, dimension: str) -> Draft:
        """The same without all that has a dimension."""
        variables, coords = (
            {name: row for name, row in rows.items() if dimension not in row.dims}
            for rows in (self.variables, self.coords)
        )
        return Draft(variables, coords, self.attrs)

    def observe(self, look: Look) -> Draft:
        """The same with what a function of the Dataset adds to it."""
        return self if look is as_it_is else Draft.of(look(self.dataset()))

    def dataset(self) -> xarray.Dataset:
        """What there is now, made by xarray."""
        import xarray as xr

        return xr.Dataset(self.variables, self.coords, self.attrs)


def _column(dims: str | Sequence[str], values: Any, attrs: Mapping[str, Any] = NOTHING) -> DraftRow:
    """A variable, with one dimension or several."""
    return DraftRow((dims,) if isinstance(dims, str) else tuple(dims), np.asarray(values), attrs)


def words(values: Sequence[str]) -> Any:
    """Names as an array, which may be empty."""
    return np.array(list(values), dtype=str)


def as_it_is(run: xarray.Dataset) -> xarray.Dataset:
    """A run to which nothing is added."""
    return run
