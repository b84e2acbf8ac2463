"""The 3-D view: one call for all bodies, views, distances, points moved, what moves is seen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
import yaml
from tests.approx import FOUR_DIGITS, SINGLE
from tests.studio.conftest import copy_model
from tests.studio.stories.conftest import picture

import kinetree as kt

if TYPE_CHECKING:
    from tests.studio.stories.conftest import OpenPage
    from tests.studio.stories.pages import StudioPage


def _tick(page: StudioPage, menu: str, *names: str) -> None:
    """Open a menu of the view, change its boxes, close it."""
    summary = page.page.locator(".solid summary", has_text=menu)
    summary.click()
    for name in names:
        page.page.locator(".solid").get_by_label(name, exact=True).click()
    summary.click()


def _press(page: StudioPage, menu: str, button: str) -> None:
    summary = page.page.locator(".solid summary", has_text=menu)
    summary.click()
    page.page.locator(".solid").get_by_role("button", name=button, exact=True).click()
    summary.click()


def test_the_view_shows_what_solids_hide_and_moves_points(
    open_page: OpenPage, tmp_path: Path
) -> None:
    file = copy_model(tmp_path, "quarter_car")
    first = file.read_text(encoding="utf-8")
    page = open_page(file)
    bodies = len(kt.load(file).bodies)
    page.page.wait_for_function("() => window.kinetreeWorld?.count().triangles > 0")
    drawn = page.page.evaluate("() => { const w = kinetreeWorld; w.reveal([], []); w.picture();"
                               " return [w.count().calls, w.links.length] }")  # fmt: skip
    assert drawn[0] - drawn[1] < bodies  # links stretch, each by itself; bodies are one call

    _tick(page, "view", "orthographic")
    _press(page, "view", "left")
    assert page.page.evaluate("() => kinetreeWorld.stage.camera.isOrthographicCamera")
    _tick(page, "view", "orthographic")

    _turn_by_keys(page)
    spots = yaml.safe_load(first)["bodies"]["chassis"]["points"]
    two = ("wishbone", "spring")
    page.page.locator("[data-path='bodies.chassis'] .twist").click()
    page.choose(f"bodies.chassis.points.{two[0]}")
    page.page.locator(f"[data-path='bodies.chassis.points.{two[1]}']").click(modifiers=["Control"])
    told = float(page.page.locator("#distance").inner_text().split(" m")[0])
    apart = np.linalg.norm(np.subtract(spots[two[0]], spots[two[1]]))
    assert told == pytest.approx(apart, rel=FOUR_DIGITS)

    _move_a_point(page, first)
    number = page.finished(page.start("simulate", duration="0.2"))
    _tick(page, "layers", "paths", "reactions")
    page.page.wait_for_function("() => document.body.dataset.efforts !== undefined")
    arrows = page.page.evaluate("() => kinetreeWorld.efforts.map(row => [row.body, ...row.force])")
    with_forces = kt.reactions(kt.load(page.save()), kt.load_run(_file(page, number)))
    known = [with_forces[f"reaction_{kind}"].isel(time=0).values for kind in ("joint", "closure")]
    sizes = np.linalg.norm(np.concatenate(known)[:, 3:], axis=1)  # in whatever frame
    shown = np.linalg.norm(np.array(arrows)[:, 1:], axis=1)
    assert shown == pytest.approx(sizes, abs=SINGLE * sizes.max())
    assert page.page.evaluate("() => kinetreeWorld.tracks.children.length") == 1  # of the chassis
    picture(page, "reactions")
    _keep_a_film(page)

    page.choose("bodies.wheel")
    _press(page, "layers", "fade others")
    faint = "() => kinetreeWorld.bodies.get('chassis').group.children[0].material.opacity"
    assert page.page.evaluate(faint) < 0.5
    _press(page, "layers", "show all")
    assert page.page.evaluate(faint) == 1


def _turn_by_keys(page: StudioPage) -> None:
    """The camera turns, moves and comes nearer by keys; a click on a point selects it."""
    camera = "() => { const c = kinetreeWorld.stage; return [...c.camera.position.toArray(), ...c.controls.target.toArray()] }"  # noqa: E501
    page.press("v")
    places = [np.array(page.page.evaluate(camera))]
    for key in ("ArrowLeft", "ArrowUp", "+", "Shift+ArrowRight"):
        page.press(key)
        places.append(np.array(page.page.evaluate(camera)))
    first, left, up, near, beside = places
    away = [np.linalg.norm(row[:3] - row[3:]) for row in places]
    assert away[:3] == pytest.approx([away[0]] * 3)
    assert left[2] == pytest.approx(first[2])  # about the vertical
    assert up[2] > left[2]
    assert away[3] == pytest.approx(away[0] / 1.2)
    assert beside[:3] - beside[3:] == pytest.approx(near[:3] - near[3:])
    _tick(page, "layers", "points")
    page.press("v", "Home")
    path = "bodies.chassis.points.damper"
    box = page.page.locator(".solid canvas").bounding_box()
    seen = page.page.evaluate("path => kinetreeWorld.seen(path)", path)
    page.page.mouse.click(box["x"] + seen[0], box["y"] + seen[1])
    page.page.locator(f"[role=treeitem][aria-selected=true][data-path='{path}']").or_(
        page.page.locator(".foot", has_text=path)
    ).first.wait_for()
    _tick(page, "layers", "points")


def _keep_a_film(page: StudioPage) -> None:
    """The run that is shown becomes a file that moves."""
    number = len(page.ask("/api/runs")["runs"]) + 1
    _press(page, "keep", "film of the run")
    page.finished(number)
    page.page.locator(".film img").wait_for()
    with page.page.expect_download() as got:
        page.page.get_by_role("button", name="Download film").click()
    film = Path(got.value.path()).read_bytes()
    assert film.startswith(b"GIF8")
    assert film.count(b"\x21\xf9\x04") > 1  # pictures; those that are alike are one
    picture(page, "film")


def _file(page: StudioPage, number: int) -> Path:
    return (
        page.studio.file.parent / ".kinetree" / "runs" / page.studio.file.stem / f"{number}/run.nc"
    )


def _move_a_point(page: StudioPage, first: str) -> None:
    """Drag the arrows of a point: one edit of its line, and the point is where it was dropped."""
    path = "bodies.chassis.points.damper"
    page.choose(path)
    page.page.locator(".solid").get_by_role("button", name="move point").click()
    box = page.page.locator(".solid canvas").bounding_box()
    seen = page.page.evaluate("path => kinetreeWorld.seen(path)", path)
    start = (box["x"] + seen[0], box["y"] + seen[1])
    end = (start[0] + 30, start[1] - 20)
    page.edit(lambda: page.drag(start, end))
    page.page.wait_for_function(
        "() => document.body.dataset.scene === document.body.dataset.revision"
    )
    now = page.page.evaluate("path => kinetreeWorld.seen(path)", path)
    assert np.hypot(*np.subtract(now, np.subtract(end, (box["x"], box["y"])))) < 6
    changed = [row for row in page.text().splitlines() if row not in first.splitlines()]
    assert len(changed) == 1
    assert "damper" in changed[0]
    picture(page, "gizmo")
    page.edit(lambda: page.press("Control+z"))
    assert page.text() == first
    page.page.locator(".solid").get_by_role("button", name="move point").click()


CART = """\
kinetree: 1
name: cart
gravity: [0, 0, -9.81]
bodies:
  cart:
    mass: 1
    inertia: [1, 1, 1]
joints:
  cart: {kind: prismatic, parent: ground, child: cart, axis: x}
"""


FRAMES = """() => new Promise(done =>
  requestAnimationFrame(() => requestAnimationFrame(() => done())))"""
"""Until what the player says is drawn, too."""


def _is_seen(page: StudioPage, path: str, t: float) -> bool:
    """Whether a place of the mechanism lies in the picture at a time of the run."""
    page.page.get_by_label("Time", exact=True).fill(str(t))
    page.page.wait_for_function("t => document.querySelector('.player output').innerText"
                                " === `${t.toFixed(3)} s`", arg=t)  # fmt: skip
    page.page.evaluate(FRAMES)
    x, y = page.page.evaluate("path => kinetreeWorld.seen(path)", path)
    box = page.page.locator(".solid canvas").bounding_box()
    return bool(0 < x < box["width"] and 0 < y < box["height"])


def test_what_moves_stays_in_the_picture(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(copy_model(tmp_path, "slider_crank"))
    page.page.wait_for_selector("body[data-scene='0']")
    page.finished(page.start("simulate", duration="3"))
    page.page.wait_for_selector("body[data-run='1']")
    for t in (1.0, 2.0, 3.0):
        assert _is_seen(page, "bodies.crank.points.tip", t), t
        assert _is_seen(page, "bodies.rod.points.end", t), t

    file = tmp_path / "cart.yaml"
    file.write_text(CART, encoding="utf-8")
    page = open_page(file)
    page.page.wait_for_selector("body[data-scene='0']")
    page.finished(page.start("simulate", duration="3", qd="cart=50"))
    page.page.wait_for_selector("body[data-run='1']")
    before = page.page.evaluate("() => kinetreeWorld.seen('cart')")
    assert _is_seen(page, "cart", 2.0)
    assert page.page.evaluate("() => kinetreeWorld.positions[1].x") == pytest.approx(100)
    assert page.page.evaluate("() => kinetreeWorld.seen('cart')") == pytest.approx(before)
    page.command("follow what travels")
    assert not _is_seen(page, "cart", 2.5)
    page.page.get_by_role("button", name="Show the start").click()
    page.page.wait_for_function("() => kinetreeWorld.positions[1].x === 0")
    assert page.page.evaluate("() => kinetreeWorld.seen('cart')") == pytest.approx(before)


NAMES = """() => {
  const world = kinetreeWorld, {camera, host} = world.stage;
  world.reveal(['names'], ['wheel']);
  world.picture();
  return world.names.root.children.map(({position, scale, visible, material}) => {
    const at = position.clone().project(camera);
    const {width, height} = material.map.image;
    return {x: at.x * host.clientWidth / 2, y: at.y * host.clientHeight / 2, far: at.z, visible,
            wide: width / 4, high: height / 4};
  }) }"""
"""Names of all bodies but one, whose letters are drawn four times as large as they are shown."""


def test_names_do_not_cover_each_other(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(copy_model(tmp_path, "quarter_car"))
    page.seen()
    found = page.page.evaluate(NAMES)
    assert len(found) == len(page.ask("/api/elements")["data"]["bodies"]) - 1

    def cover(a: dict[str, float], b: dict[str, float]) -> bool:
        apart = abs(a["x"] - b["x"]) >= (a["wide"] + b["wide"]) / 2
        return not (apart or abs(a["y"] - b["y"]) >= (a["high"] + b["high"]) / 2)

    seen = [row for row in found if row["visible"]]
    left_out = [row for row in found if not row["visible"]]
    assert seen
    assert left_out
    assert not any(cover(a, b) for k, a in enumerate(seen) for b in seen[:k])
    for row in left_out:  # something nearer is there
        assert any(cover(row, other) and other["far"] <= row["far"] for other in seen)
