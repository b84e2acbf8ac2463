"""What a notebook shows: a line of text, tables, the equations, the page itself."""

from __future__ import annotations

import sys
from html import unescape
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

import kinetree as kt
from kinetree.errors import ModelWarning, UnsupportedError
from targets import corpus

if TYPE_CHECKING:
    from pathlib import Path

CRANK = "examples/models/slider_crank.yaml"


def test_a_model_is_a_line_and_tables() -> None:
    model = kt.load(CRANK)
    assert repr(model) == "Model('slider_crank', 3 bodies, nq=3, nv=3)"
    text = model._repr_html_()
    ET.fromstring(f"<all>{text}</all>")
    assert all(f"<td>{name}</td>" in text for name in (*model.bodies, *model.joints, "ball"))
    frames = kt.as_frames(kt.load("examples/models/double_pendulum.yaml"))
    assert "<td>elbow</td>" in frames._repr_html_()


def test_names_are_text_in_tables() -> None:
    model = kt.Model("<b>&")
    model.body("<script>", mass=1.0)
    assert "<script>" not in model._repr_html_()


def test_a_program_is_a_line_equations_and_a_page() -> None:
    program = kt.derive(kt.load("examples/models/double_pendulum.yaml"), "inverse")
    count = len(program.blocks)
    said = "q[2], qd[2], qdd[2], p[5] -> tau[2]"
    assert repr(program) == f"Program('double_pendulum_inverse', {said}, {count} equations)"
    tex = program._repr_latex_()
    assert tex is not None
    assert tex.count(r"\begin") == tex.count(r"\end")
    assert tex.count("&=") >= 3
    page = program._repr_html_()
    assert page is not None
    assert "double_pendulum_inverse</h1>" in unescape(page)


def test_a_linear_system_is_written_as_one() -> None:
    program = corpus.system(3, 1)
    assert r"\end{pmatrix} \begin{pmatrix}" in (program._repr_latex_() or "")


def test_long_and_iterated_programs_are_not_typeset() -> None:
    long = kt.derive(kt.load("examples/models/arm7.urdf"), "forward")
    assert long._repr_latex_() is None
    assert long._repr_html_() is not None
    assert kt.derive(kt.load(CRANK), "forward")._repr_latex_() is None


def test_modes_are_a_line_and_a_table() -> None:
    model = kt.load(CRANK)
    with pytest.warns(ModelWarning, match="not an equilibrium"):
        modes = kt.modes(model)
    assert repr(modes) == "Modes(2 modes, 0, 0 Hz)"
    assert modes._repr_html_().count("<tr>") == 3


def test_a_page_shows_itself(pendulum: kt.Model, run: Any, tmp_path: Path, viewer: str) -> None:
    page = kt.animate(pendulum, run, tmp_path / "page.html")
    frame = page._repr_html_()  # type: ignore[attr-defined]
    assert frame.startswith('<iframe sandbox="allow-scripts"')
    assert page.read_text(encoding="utf-8") in unescape(frame)
    assert viewer in unescape(frame)


def test_a_page_is_a_widget_with_the_frame_beside_it(
    pendulum: kt.Model, run: Any, tmp_path: Path, viewer: str
) -> None:
    pytest.importorskip("anywidget", reason="anywidget is not installed: pip install anywidget")
    page = kt.animate(pendulum, run, tmp_path / "page.html")
    widget = page.widget()  # type: ignore[attr-defined]
    state = widget.get_state()
    assert (state["t"], state["playing"], state["height"]) == (0.0, True, 520)
    assert state["page"] == page.read_text(encoding="utf-8")
    assert "export default { render }" in str(state["_esm"])
    assert viewer in state["page"]
    shown = page._repr_mimebundle_(include=None, exclude=None)  # type: ignore[attr-defined]
    assert "application/vnd.jupyter.widget-view+json" in shown
    assert "text/html" not in shown, "_repr_html_ gives it"


def test_without_anywidget_a_page_is_a_frame(
    pendulum: kt.Model, run: Any, tmp_path: Path, viewer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "kinetree.view.widget", raising=False)
    page = kt.animate(pendulum, run, tmp_path / "page.html")
    assert page._repr_mimebundle_() is None  # type: ignore[attr-defined]
    assert viewer in unescape(page._repr_html_())  # type: ignore[attr-defined]
    with pytest.raises(UnsupportedError, match=r"pip install 'kinetree\[notebook\]'"):
        page.widget()  # type: ignore[attr-defined]
