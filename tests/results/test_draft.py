"""Datasets are put together as plain data, and made once."""

from __future__ import annotations

import numpy as np
import xarray as xr

from kinetree.results.draft import Draft, as_it_is, words


def _draft() -> Draft:
    return Draft().plus(
        {"q": (("time", "coordinate"), np.eye(2), {"units": "rad"}), "n": ("time", [1.0, 2.0])},
        {"time": ("time", np.array([0.0, 1.0])), "coordinate": ("coordinate", words(["a", "b"]))},
        {"model": "arm"},
    )


def test_a_draft_is_the_dataset_that_xarray_would_make_step_by_step() -> None:
    step = xr.Dataset(coords={"time": [0.0, 1.0], "coordinate": ["a", "b"]}, attrs={"model": "arm"})
    step["q"] = (("time", "coordinate"), np.eye(2), {"units": "rad"})
    step["n"] = ("time", [1.0, 2.0])
    assert _draft().dataset().identical(step)
    back = Draft.of(step)
    assert back.dataset().identical(step)
    assert back.labels("coordinate") == ["a", "b"]
    assert "q" in back
    assert "time" in back


def test_what_has_a_dimension_goes_with_it() -> None:
    rest = _draft().without("coordinate")
    assert [*rest.variables] == ["n"]
    assert [*rest.coords] == ["time"]
    assert rest.attrs == {"model": "arm"}


def test_a_draft_stays_as_it_is() -> None:
    first = _draft()
    more = first.plus(attrs={"end": 1.0}).observe(lambda run: run.assign(twice=2 * run.n))
    assert first.observe(as_it_is) is first
    assert "twice" not in first
    assert "end" not in first.attrs
    assert more["twice"].values.tolist() == [2.0, 4.0]
    assert more.attrs == {"model": "arm", "end": 1.0}
