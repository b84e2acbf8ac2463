"""What makes pages open and move quickly, as far as it can be counted: requests, bytes, calls."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.studio.conftest import copy_model
from tests.studio.many_bodies import write_many_bodies
from tests.studio.stories.conftest import picture

from kinetree.studio.app import BUNDLE

if TYPE_CHECKING:
    from tests.studio.stories.conftest import OpenPage
    from tests.studio.stories.pages import StudioPage

MOST_BYTES = 500_000
"""Compressed, before something is seen."""
MOST_CALLS, MOST_TRIANGLES = 100, 250_000
REQUESTS = (
    "() => performance.getEntriesByType('resource').map(row => ({path: new URL(row.name).pathname,"
    " by: row.initiatorType, at: row.startTime}))"
)


MADE_WHILE_MOVING = """layers => {
  const world = kinetreeWorld, gl = world.stage.renderer.getContext(), made = [];
  world.reveal(layers, []);
  const move = angle => {
    world.place(world.positions.slice(1).map(at => [1, 0, 0, angle, at.x, at.y, at.z]));
    world.picture();
  };
  move(0.1);
  for (const name of ['createBuffer', 'createTexture', 'createVertexArray', 'createProgram']) {
    const own = gl[name].bind(gl);
    gl[name] = () => (made.push(name), own());
  }
  const triad = document.querySelector('.triad').innerHTML;
  for (let k = 2; k < 5; k++) move(0.1 * k);
  return [made, triad === document.querySelector('.triad').innerHTML] }"""
"""What the graphics card is asked for over three pictures that follow a first one."""


def _count(page: StudioPage) -> dict[str, Any]:
    """Of the picture that is drawn now."""
    found: dict[str, Any] = page.page.evaluate("() => { kinetreeWorld.picture();"
                                               " return kinetreeWorld.count() }")  # fmt: skip
    return found


def test_what_is_seen_first_is_asked_for_at_once(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(copy_model(tmp_path, "slider_crank"))
    page.seen()
    rows = page.page.evaluate(REQUESTS)
    paths = [row["path"] for row in rows]
    assert len(paths) == len(set(paths)) <= 24  # nothing is asked for twice
    with_page = {row["path"] for row in rows if row["by"] in ("link", "script", "other")}
    scripts = {f"/{file.name}" for file in BUNDLE.glob("*.js")}
    assert {"/api/document", "/api/view", "/studio.css"} <= with_page
    assert "/studio.js" in with_page
    assert not {row["path"] for row in rows if row["by"] == "fetch"} & scripts
    paint = page.page.evaluate("() => performance.getEntriesByType('paint')[0].startTime")
    early = [
        row["path"] for row in rows if row["at"] < paint and not row["path"].startswith("/api")
    ]
    sizes = [len(gzip.compress((BUNDLE / path[1:]).read_bytes())) for path in early]
    assert 0 < sum(sizes) < MOST_BYTES


def test_three_hundred_bodies_are_few_calls(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(write_many_bodies(tmp_path / "many.yaml", 300, 40))
    page.seen()
    first = _count(page)
    page.page.evaluate(
        "() => kinetreeWorld.place(kinetreeWorld.positions.slice(1).map((at, k) =>"
        " [1, 0.1 * Math.sin(k), 0, 0, at.x, at.y + 0.1, at.z]))"
    )
    moved = _count(page)
    for found in (first, moved):
        assert 0 < found["calls"] <= MOST_CALLS
        assert 5_000 < found["triangles"] <= MOST_TRIANGLES
    assert not page.page.evaluate("() => kinetreeWorld.stage.renderer.shadowMap.enabled")
    page.page.evaluate("() => kinetreeWorld.refine()")  # as where there is a graphics card
    fine = _count(page)
    assert first["calls"] < fine["calls"] <= MOST_CALLS
    assert fine["triangles"] <= MOST_TRIANGLES
    picture(page, "many_bodies")


def test_a_motion_asks_for_no_new_memory(open_page: OpenPage, tmp_path: Path) -> None:
    """Marks and names of all layers move; nothing of them is made anew."""
    page = open_page(copy_model(tmp_path, "four_bar"))
    page.seen()
    layers = ["closures", "axes", "points", "masses", "names", "frames"]
    made, still = page.page.evaluate(MADE_WHILE_MOVING, layers)
    assert made == []
    assert still
