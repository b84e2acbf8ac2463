"""A page is complete in itself and carries the run that it was made of."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests import mechanisms
from tests.approx import AT_STATES, RUN, TRAJECTORY

import kinetree as kt
from kinetree.errors import KinetreeError, UnsupportedError
from kinetree.view import page as pages
from kinetree.view.clips import FRAMES, PHASES, mode_label, of_modes, of_run, thin
from kinetree.view.packing import unpack
from kinetree.view.payload import Look, payload

if TYPE_CHECKING:
    from pathlib import Path

DATA = re.compile(r'<script type="application/json" id="kinetree-data">(.*?)</script>', re.DOTALL)
OUTSIDE = re.compile(r"""(?:src|href)\s*=\s*["']?\s*(?:https?:)?//|url\(\s*["']?https?:""")


def carried(text: str) -> dict[str, Any]:
    found = DATA.search(text)
    assert found
    data: dict[str, Any] = json.loads(found[1])
    return data


def test_a_page_needs_nothing_from_outside(
    pendulum: kt.Model, run: Any, tmp_path: Path, viewer: str
) -> None:
    file = kt.animate(pendulum, run, tmp_path / "new" / "page.html")
    text = file.read_text(encoding="utf-8")
    markup = text.replace(viewer, "")
    assert not OUTSIDE.search(markup)
    assert not re.search(r"https?://", markup)
    assert "default-src 'none'" in markup
    assert "</script" not in viewer


def test_a_page_carries_the_curves_of_its_run(pendulum: kt.Model, run: Any) -> None:
    data = carried(pages.page(payload(pendulum, of_run(run), Look()), ""))
    groups = {row["name"]: row for row in data["signals"]}
    assert groups["q"]["names"] == list(pendulum.coordinates)
    assert groups["qd"]["units"] == ["rad/s", "rad/s"]
    assert unpack(groups["qd"]["data"]) == pytest.approx(run["qd"].values, abs=TRAJECTORY)
    assert data["clips"][0]["times"] == pytest.approx(run["time"].values, abs=RUN)


def test_a_title_is_text_and_never_markup(pendulum: kt.Model, run: Any) -> None:
    title = "</script><b>A & B"
    text = pages.page(payload(pendulum, of_run(run), Look(title)), "")
    assert carried(text)["title"] == title
    assert "<b>" not in text
    assert text.count("</script") == 2


def test_without_a_run_the_assembled_mechanism_stands() -> None:
    model = mechanisms.slider_crank()
    data = payload(model, pages.footage(model, None, None), Look())
    slider = unpack(data["poses"]).reshape(1, 3, 7)[0, 2, 4:]
    end = kt.assemble(model).q[2]
    assert slider == pytest.approx([end, 0, 0])


def test_a_long_run_is_thinned_evenly_in_time() -> None:
    time = np.concatenate([np.linspace(0, 1, 9000), np.linspace(1.001, 10, 3000)])
    kept = thin(time, FRAMES)
    assert len(kept) <= FRAMES
    assert (kept[0], kept[-1]) == (0, len(time) - 1)
    assert np.diff(time[kept]).max() < 2.1 * 10 / FRAMES


def test_frames_without_a_value_are_left_out(pendulum: kt.Model) -> None:
    from kinetree.view.signals import as_run

    q = np.zeros((4, 2))
    q[2] = np.nan
    footage = of_run(as_run(pendulum, {"time": np.arange(4.0), "q": q}))
    assert footage.clips[0]["times"] == [0, 1, 3]


def test_a_mode_swings_along_its_shape_about_the_equilibrium(pendulum: kt.Model) -> None:
    found = kt.modes(pendulum, at=kt.equilibrium(pendulum))
    footage = of_modes(pendulum, found, 1.0)
    assert len(footage.clips) == 2
    first = footage.q[:PHASES] - found.linear.q
    assert footage.q[0] == pytest.approx(footage.q[PHASES - 1])
    assert first.sum(axis=0) - first[0] == pytest.approx([0, 0], abs=AT_STATES)
    share = first[:, 1] * found.shapes[0, 0].real - first[:, 0] * found.shapes[0, 1].real
    assert share == pytest.approx(np.zeros(PHASES), abs=AT_STATES)
    assert f"{found.frequencies[0]:.4g} Hz" in footage.clips[0]["label"]
    assert np.abs(first).max() > 0.01


@pytest.mark.parametrize(
    ("value", "label"),
    [
        (-0.3 + 4j, "1: 0.6366 Hz, damping 7.48 %"),
        (0 + 2j, "1: 0.3183 Hz, damping 0 %"),
        (-2 + 0j, "1: decays within 0.5 s"),
        (4 + 0j, "1: grows within 0.25 s"),
        (0j, "1: rigid motion"),
    ],
)
def test_modes_are_listed_by_frequency_and_damping(value: complex, label: str) -> None:
    assert mode_label(1, value)[0] == label


def test_a_missing_viewer_is_a_sentence_with_the_cure(
    pendulum: kt.Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "BUNDLE", tmp_path / "none.js")
    with pytest.raises(UnsupportedError, match="make web"):
        kt.animate(pendulum, path=tmp_path / "page.html")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"path": "page.txt"}, "name it .html"),
        ({"run": {"time": [0]}}, "it is not a valid run"),
        ({"run": {"time": [0, 1], "q": [[0, 0, 0]]}}, "shape"),
        ({"run": {}, "live": True}, "both given"),
        ({"modes": 1}, "give a Modes"),
    ],
)
def test_a_mistake_is_a_sentence(
    pendulum: kt.Model, arguments: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "bundle", lambda: "")
    with pytest.raises(KinetreeError, match=said):
        kt.animate(pendulum, **arguments)


def test_a_run_of_another_model_is_refused(run: Any) -> None:
    with pytest.raises(KinetreeError, match="slider_crank"):
        pages.footage(mechanisms.slider_crank(), run, None)
