"""Commands by key, by palette and by the menu at the pointer: the same rows, the same edits."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.studio.conftest import copy_model

from kinetree.formats.yaml_file import read

if TYPE_CHECKING:
    from tests.studio.stories.conftest import OpenPage
    from tests.studio.stories.pages import StudioPage


def _menu(page: StudioPage, selector: str, command: str) -> None:
    """Click an element with the other button and choose from the menu there."""
    page.page.locator(selector).first.click(button="right")
    menu = page.page.get_by_role("menu", name="Commands")
    menu.get_by_role("menuitem", name=command).click()
    menu.wait_for(state="detached")


def _visible(page: StudioPage) -> dict[str, bool]:
    rows = "() => [...kinetreeWorld.bodies].map(([name, row]) => [name, row.group.visible])"
    shown = page.page.evaluate(rows)
    return {name: found for name, found in shown if name != "ground"}


def _find(page: StudioPage) -> None:
    """A word that nothing has is told; Escape shows all again, Enter goes to the first."""
    rows = page.page.locator("[role=treeitem]")
    page.press("Control+f")
    page.page.keyboard.type("nobody")
    page.page.get_by_text("nothing has nobody in its name").wait_for()
    page.press("Escape")
    rows.first.wait_for()
    page.page.keyboard.type("slide")
    page.press("Enter")
    page.page.wait_for_selector("[role=treeitem][data-path='bodies.slider'][aria-selected=true]")
    page.press("Control+f", "Escape")


def test_commands_at_the_pointer_by_keys_and_in_the_palette(
    open_page: OpenPage, tmp_path: Path
) -> None:
    page = open_page(copy_model(tmp_path, "slider_crank"))
    first = page.text()
    page.page.wait_for_function("() => document.body.dataset.scene !== undefined")
    _edits_of_an_element(page, first)
    _clipboard(page, first)
    _find(page)

    _brought_into_sight(page)
    page.choose("bodies.rod")
    page.press("h")
    page.page.wait_for_function("() => !kinetreeWorld.bodies.get('rod').group.visible")
    page.press("Shift+h", "i")
    page.page.wait_for_function("() => !kinetreeWorld.bodies.get('crank').group.visible")
    assert _visible(page) == {"crank": False, "rod": True, "slider": False}
    page.command("show all bodies")
    page.page.wait_for_function("() => kinetreeWorld.bodies.get('crank').group.visible")
    page.command("orthographic")
    page.page.wait_for_function("() => kinetreeWorld.stage.camera.isOrthographicCamera")
    with page.page.expect_download() as got:
        page.command("picture of the 3-D")
    assert Path(got.value.path()).read_bytes().startswith(b"\x89PNG")

    page.command("paste elements")  # a browser that refuses to read the clipboard
    page.page.get_by_text("does not let the page read what was copied: press Ctrl+V").wait_for()
    bodies = len(read(page.text()).bodies)
    page.command("keys of one letter")
    page.press("b")
    assert len(read(page.text()).bodies) == bodies
    page.command("keys of one letter")
    page.edit(lambda: page.press("b"))
    assert len(read(page.text()).bodies) == bodies + 1


def test_the_3d_view_has_a_menu_at_the_pointer_and_by_key(
    open_page: OpenPage, tmp_path: Path
) -> None:
    page = open_page(copy_model(tmp_path, "slider_crank"))
    page.page.wait_for_function("() => document.body.dataset.scene !== undefined")
    canvas, mouse = page.page.locator(".solid .canvas"), page.page.mouse
    box = canvas.bounding_box()
    x, y = page.page.evaluate("() => kinetreeWorld.seen('slider')")
    menu = page.page.get_by_role("menu", name="Commands")
    chosen = page.page.locator("[role=treeitem][aria-selected=true]")

    mouse.move(box["x"] + x, box["y"] + y)
    mouse.down(button="right")  # a drag moves the picture, and asks for nothing
    mouse.move(box["x"] + x + 30, box["y"] + y, steps=3)
    mouse.up(button="right")
    assert menu.count() == 0
    page.command("see all of the mechanism")
    mouse.click(box["x"] + x, box["y"] + y, button="right")
    menu.get_by_role("menuitem", name="Hide the selected bodies").click()
    menu.wait_for(state="detached")
    assert chosen.get_attribute("data-path") == "bodies.slider"
    assert _visible(page) == {"crank": True, "rod": True, "slider": False}

    canvas.focus()
    page.press("Shift+F10")
    menu.wait_for()
    labels = menu.get_by_role("menuitem").all_inner_texts()
    assert {"Delete", "Show all bodies again"} <= {label.split("\n")[0] for label in labels}
    menu.get_by_role("menuitem", name="Show all bodies again").click()
    assert all(_visible(page).values())
    assert chosen.get_attribute("data-path") == "bodies.slider"
    assert page.page.evaluate("() => document.activeElement.matches('.solid .canvas')")

    mouse.click(box["x"] + 20, box["y"] + box["height"] - 20, button="right")  # nothing is there
    assert chosen.count() == 0
    menu.get_by_role("menuitem", name="See it from the top").click()
    up = page.page.evaluate("() => kinetreeWorld.stage.camera.getWorldDirection("
                            "kinetreeWorld.positions[0].clone()).toArray()")  # fmt: skip
    assert up[1] < -0.99  # gravity is along -y


def _edits_of_an_element(page: StudioPage, first: str) -> None:
    """Duplicated, put elsewhere in the order, switched off, taken out; then all undone."""
    node = ".react-flow__node[data-id='bodies.rod'] .name"
    page.edit(lambda: _menu(page, node, "Duplicate"))
    assert list(_data(page)["bodies"]) == ["crank", "rod", "slider", "rod2"]
    page.choose("bodies.rod")
    page.edit(lambda: page.press("Alt+ArrowDown"))
    assert list(_data(page)["bodies"]) == ["crank", "slider", "rod", "rod2"]
    page.edit(lambda: page.press("Alt+ArrowUp"))
    page.edit(lambda: page.press("Alt+ArrowUp"))
    assert list(_data(page)["bodies"]) == ["rod", "crank", "slider", "rod2"]
    page.edit(lambda: _menu(page, "[role=treeitem][data-path='closures.pin']", "Switch off"))
    assert _data(page)["closures"]["pin"]["off"] is True
    page.edit(lambda: page.press("o"))
    assert "off" not in _data(page)["closures"]["pin"]
    page.edit(lambda: _menu(page, "[role=treeitem][data-path='bodies.rod2']", "Delete"))
    for _ in range(7):
        page.edit(lambda: page.press("Control+z"))
    assert page.text() == first


def _brought_into_sight(page: StudioPage) -> None:
    """What is chosen in the tree is seen in the diagram, however near that is."""
    for _ in range(3):
        page.page.locator(".react-flow__controls-zoomin").click()
    pane = page.page.locator(".react-flow__pane").bounding_box()
    empty = (pane["x"] + 20, pane["y"] + 80)
    page.drag(empty, (empty[0] + pane["width"] - 60, empty[1] + 200))
    for path in ("bodies.rod", "bodies.crank", "joints.slide"):
        page.choose(path)
        body = {"joints.slide": "bodies.slider"}.get(path, path)
        page.page.wait_for_function(
            "([id, left, top, right, low]) => { const b = document.querySelector("
            "`.react-flow__node[data-id='${id}']`).getBoundingClientRect();"
            " return b.right > left && b.left < right && b.bottom > top && b.top < low }",
            arg=[body, pane["x"], pane["y"], pane["x"] + pane["width"], pane["y"] + pane["height"]],
        )
    page.command("show all")


def _clipboard(page: StudioPage, first: str) -> None:
    """Bodies that are cut come back by pasting, with what connects them."""
    page.choose("bodies.crank")
    for path in ("bodies.rod", "joints.rod"):
        item = page.page.locator(f"[role=treeitem][data-path='{path}']")
        item.click(modifiers=["Control"])
    page.edit(lambda: page.press("Control+c", "Control+v"))
    data = _data(page)
    assert [*data["bodies"]][-2:] == ["crank2", "rod2"]
    assert data["joints"]["rod2"] == {
        **data["joints"]["rod"], "parent": "crank2.tip", "child": "rod2"
    }  # fmt: skip
    page.edit(lambda: page.press("Control+x"))
    assert [*_data(page)["bodies"]] == ["crank", "rod", "slider"]
    page.edit(lambda: page.press("Control+z"))
    page.edit(lambda: page.press("Control+z"))
    assert page.text() == first


def _data(page: StudioPage) -> Any:
    return page.ask("/api/elements")["data"]
