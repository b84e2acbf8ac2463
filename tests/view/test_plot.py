"""Curves of a run on paper, with their units; unknown signals name their neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import KinetreeError, UnknownNameError
from kinetree.view import plot as plotting
from kinetree.view.clips import of_run
from kinetree.view.signals import curves

if TYPE_CHECKING:
    from pathlib import Path


def test_names_mean_one_curve_or_a_whole_variable(run: Any) -> None:
    (elbow,) = curves(run, "qd.elbow")
    assert (elbow.unit, elbow.values) == ("rad/s", pytest.approx(run["qd"].values[:, 1]))
    assert [c.name for c in curves(run, "q")] == ["q.shoulder", "q.elbow"]
    assert [c.name for c in curves(run, "elbow")] == ["q.elbow"]


def test_an_unknown_signal_names_its_neighbour(run: Any) -> None:
    with pytest.raises(UnknownNameError, match=r"did you mean 'q\.elbow'"):
        curves(run, "q.elbo")


@pytest.mark.parametrize(
    ("suffix", "head"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?")]
)
def test_every_format_is_written(run: Any, tmp_path: Path, suffix: str, head: bytes) -> None:
    file = kt.plot(run, ["q", "qd.elbow"], tmp_path / "deep" / f"p.{suffix}")
    assert file.read_bytes().startswith(head)
    assert file.stat().st_size > 2000


def test_axes_carry_units_and_one_pane_per_unit(run: Any) -> None:
    shown = [*curves(run, "q"), *curves(run, "qd.elbow")]
    figure = plotting._figure(shown, curves(run, "time")[0], "run")
    above, below = figure.axes
    assert (above.get_ylabel(), below.get_ylabel()) == ("q [rad]", "qd.elbow [rad/s]")
    assert below.get_xlabel() == "t [s]"
    assert len(above.lines) == 2
    assert np.asarray(below.lines[0].get_ydata()) == pytest.approx(run["qd"].values[:, 1])


def test_a_phase_plot_has_a_signal_along_the_abscissa(run: Any) -> None:
    figure = plotting._figure(curves(run, "qd.elbow"), curves(run, "q.elbow")[0], "")
    (pane,) = figure.axes
    assert pane.get_xlabel() == "q.elbow [rad]"
    assert np.asarray(pane.lines[0].get_xdata()) == pytest.approx(run["q"].values[:, 1])


@pytest.mark.parametrize(("signals", "file"), [(["q"], "p.bmp"), ([], "p.png")])
def test_a_mistake_is_a_sentence(run: Any, tmp_path: Path, signals: list[str], file: str) -> None:
    with pytest.raises(KinetreeError, match=r"use \.png|name some"):
        kt.plot(run, signals, tmp_path / file)


def test_without_signals_outputs_are_drawn_or_coordinates(run: Any, tmp_path: Path) -> None:
    assert plotting._usual(run) == ["q"]
    seen = run.assign(load=("time", run["q"].values[:, 0], {"units": "N"}))
    assert plotting._usual(seen) == ["load"]
    for one in (run, seen):
        assert kt.plot(one, tmp_path / "p.svg").stat().st_size > 2000
    assert kt.plot(seen, "load", tmp_path / "p.png").stat().st_size > 2000
    with pytest.raises(KinetreeError, match="no file was named"):
        kt.plot(run, ["q"])
    with pytest.raises(UnknownNameError, match="did you mean 'load'"):
        kt.plot(seen, ["loed"], tmp_path / "p.png")


def test_outputs_are_one_group_of_curves_of_a_page(run: Any) -> None:
    seen = run.assign(
        load=("time", run["q"].values[:, 0], {"units": "N"}),
        rate=("time", run["q"].values[:, 1], {"units": "m/s"}),
    )
    *_, group = of_run(seen).signals
    assert (group.name, group.names, group.units) == ("outputs", ("load", "rate"), ("N", "m/s"))
    assert [g.name for g in of_run(run).signals] == ["q", "qd"]


def test_a_page_begins_with_what_matters(run: Any) -> None:
    assert of_run(run).shown == ["q.shoulder", "q.elbow"]
    still = run.copy(deep=True)
    still["q"].values[:, 0] = 0.3
    assert of_run(still).shown == ["q.elbow"]
    load = ("time", run["q"].values[:, 0], {"units": "N"})
    rate = ("time", run["q"].values[:, 1], {"units": "m/s"})
    assert of_run(run.assign(load=load, rate=rate, pull=load)).shown == ["load", "pull"]


def test_a_page_of_a_closed_system_begins_with_its_independent_coordinate() -> None:
    model = kt.load("examples/models/slider_crank.yaml")
    seen = kt.simulate(model, 0.2)
    assert of_run(seen).shown == [f"q.{seen.attrs['independent']}"]
