"""The file stays the user's: a difference of the lines meant, and one history over all panes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.studio.conftest import copy_model
from tests.studio.stories.conftest import picture

if TYPE_CHECKING:
    from tests.studio.stories.conftest import OpenPage
    from tests.studio.stories.pages import StudioPage


def _drag_body(page: StudioPage, name: str, dx: float, dy: float) -> None:
    box = page.page.locator(f".react-flow__node[data-id='bodies.{name}']").bounding_box()
    start = (box["x"] + 0.5 * box["width"], box["y"] + 0.4 * box["height"])
    page.drag(start, (start[0] + dx, start[1] + dy))


def _type(page: StudioPage, old: str, new: str) -> None:
    """Find a piece of the text in its editor and type over it."""
    page.page.locator("#tab-text").click()
    editor = page.page.locator(".cm-content")
    editor.wait_for()
    editor.focus()
    page.press("Control+Home", "Control+f")
    page.page.locator(".cm-search input[name=search]").press_sequentially(old)
    page.press("Enter", "Escape")
    page.page.keyboard.insert_text(new)


def test_clean_diff(open_page: OpenPage, tmp_path: Path) -> None:
    file = copy_model(tmp_path, "limousine")
    before = file.read_text(encoding="utf-8")
    page = open_page(file)
    page.choose("bodies.chassis")
    mass = page.page.locator("#field-bodies-chassis-mass").input_value()
    page.fill("mass", "1234.5")
    page.edit(lambda: _drag_body(page, "chassis", 0, 60))
    page.page.locator("#find").fill("FL_upper")
    link, old = "bodies.FL_upper", "FL_upper"
    page.choose(link)
    page.fill(f"name of {old}", f"{old}_new")
    for x in ("1", "2"):  # two more, which are undone
        page.fill(f"name of {old}_new", f"{old}_{x}")
        page.edit(lambda: page.press("Control+z"))
        page.choose(f"{link}_new")
    picture(page, "story3")
    after = page.save().read_text(encoding="utf-8")
    lines, new = before.splitlines(), after.splitlines()
    gone = [line for line in lines if line not in new]
    made = [line for line in new if line not in lines]
    assert f"mass: {mass}" in gone[0]
    assert "mass: 1234.5" in made[0]
    assert all(old in line for line in gone[1:])
    assert all(f"{old}_new" in line for line in made[1 : len(gone)])
    added = [line.strip().partition(":")[0] for line in made[len(gone) :]]
    assert added == ["layout", "diagram", "chassis"]
    assert len(new) == len(lines) + 3


def test_one_history(open_page: OpenPage, tmp_path: Path) -> None:
    file = copy_model(tmp_path, "slider_crank")
    page = open_page(file)
    texts = [page.text()]

    def made(revision: int) -> None:
        del revision
        texts.append(page.text())

    made(page.edit(lambda: _drag_body(page, "slider", 40, 50)))
    page.choose("bodies.rod")
    page.fill("mass", "3")
    made(page.revision)
    page.page.locator("#tab-tables").click()
    cell = page.page.get_by_label("crank.tip x", exact=True)
    cell.fill("1.25")
    made(page.edit(lambda: cell.press("Enter")))
    made(page.edit(lambda: _type(page, "mass: 5", "mass: 4 # ∆ 𝛿")))
    assert len(set(texts)) == 5
    assert "mass: 4 # ∆ 𝛿" in page.page.locator(".cm-content").inner_text()
    picture(page, "story4")
    page.page.locator("#file").click()
    for k in (3, 2):
        page.edit(lambda: page.press("Control+z"))
        assert page.text() == texts[k]
    page.save()
    assert file.read_text(encoding="utf-8") == texts[2]
    page.edit(lambda: page.press("Control+z"))
    page.page.close()
    again = open_page_again(open_page, page, file)
    assert again.text() == texts[1]
    again.edit(lambda: again.press("Control+z"))
    assert again.text() == texts[0]
    for k in (1, 2, 3, 4):
        again.edit(lambda: again.press("Control+Shift+z"))
        assert again.text() == texts[k]


def open_page_again(open_page: OpenPage, page: StudioPage, file: Path) -> StudioPage:
    """The studio ended and begun anew; edits that were not saved are told."""
    page.studio.stop()
    again = open_page(file)
    again.page.get_by_text("unsaved edits of an earlier session").wait_for()
    return again


def test_another_file_is_opened_and_nothing_of_the_first_stays(
    open_page: OpenPage, tmp_path: Path
) -> None:
    file = copy_model(tmp_path, "slider_crank")
    other = copy_model(tmp_path, "four_bar")
    page = open_page(file)
    page.finished(page.start("simulate", duration="0.1"))
    page.page.wait_for_selector("body[data-run='1']")
    page.choose("bodies.rod")
    page.fill("mass", "2.5")
    page.command("open or make a file")
    page.page.locator("dialog").get_by_role("button", name=other.name).click()
    page.page.locator("#file", has_text=other.name).wait_for()
    page.settle(0)
    assert page.text() == other.read_text(encoding="utf-8")
    assert page.page.locator(".player").count() == 0
    assert page.ask("/api/runs")["runs"] == []
    page.command("open or make a file")
    page.page.locator("dialog").get_by_role("button", name=file.name).click()
    page.page.locator("#file", has_text=f"{file.name} ●").wait_for()
    page.settle(1)
    assert "mass: 2.5" in page.text()  # it was not saved, and not lost
