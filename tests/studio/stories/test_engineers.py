"""Engineers at work: hardpoints from a spreadsheet, a long run, comparisons, equations, code."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.approx import IDENTITY, TRAJECTORY
from tests.studio.conftest import copy_model
from tests.studio.stories.conftest import picture

import kinetree as kt

if TYPE_CHECKING:
    from tests.studio.stories.conftest import OpenPage
    from tests.studio.stories.pages import StudioPage


def _paste(page: StudioPage, selector: str, text: str) -> None:
    """A block of a spreadsheet, pasted where the focus is."""
    page.page.locator(selector).focus()
    page.page.evaluate(
        "text => { const data = new DataTransfer(); data.setData('text/plain', text);"
        " document.activeElement.dispatchEvent(new ClipboardEvent('paste',"
        " {clipboardData: data, bubbles: true, cancelable: true})) }",
        text,
    )


def _points(file: Path) -> dict[str, list[float]]:
    model = kt.load(file)
    assert isinstance(model, kt.Model)
    return {
        f"{body.name}.{point.name}": [float(x) for x in point.position]
        for body in model.bodies.values()
        for point in body.points.values()
    }


def blocks_of_a_spreadsheet(page: StudioPage, name: str) -> None:
    """Headings and units in any order, decimal commas; what does not fit is told, and not taken."""
    cell = "table.grid tbody td input >> nth=0"
    for block, wanted in (
        (f"Punkt\tZ [mm]\tX [mm]\n{name}\t250,5\t\n", (None, None, 0.2505)),
        (f"{name};1,5;2 cm", (1.5, 0.02, None)),
    ):
        old = _point(page, name)
        page.edit(lambda block=block: _paste(page, "table.grid tbody th input >> nth=0", block))  # type: ignore[misc]
        new = [old[k] if value is None else value for k, value in enumerate(wanted)]
        assert _point(page, name) == new
        page.edit(lambda: page.press("Control+z"))
    for block, sentence in (
        ("1\t2\n" * 99, "more than the table from here on"),
        ("1\t2\t3\t4", "4 columns of values, and there are 3"),
        ("1 kg\t2", "The unit of '1 kg' in row 1"),
        ("x\tcolour\n1\tred", "There is no column 'colour'"),
    ):
        _paste(page, cell, block)
        page.page.get_by_text(sentence).first.wait_for()


def _point(page: StudioPage, name: str) -> list[float]:
    body, point = name.split(".")
    found = page.ask("/api/elements")["data"]["bodies"][body]["points"][point]
    return list(found["position"] if isinstance(found, dict) else found)


def test_hardpoints(open_page: OpenPage, tmp_path: Path) -> None:
    file = copy_model(tmp_path, "quarter_car")
    page = open_page(file)
    rows = list(_points(file).items())[:10]
    block = "\n".join(
        "\t".join([name, *(repr(round(x + 0.001, 6)) for x in at)]) for name, at in rows
    )
    page.page.locator("#tab-tables").click()
    page.page.get_by_role("button", name="points", exact=True).click()
    before = page.text()
    page.edit(lambda: _paste(page, "table.grid tbody th input >> nth=0", block))
    found = _points(page.save())
    for name, at in rows:
        np.testing.assert_allclose(found[name], np.array(at) + 0.001, atol=IDENTITY)
    page.edit(lambda: page.press("Control+z"))
    assert page.text() == before  # ten rows are one edit
    blocks_of_a_spreadsheet(page, rows[0][0])
    assert page.text() == before
    # the corner on the other side
    corner = [name for name in kt.load(file).bodies if name != "chassis"]
    page.command("mirror bodies")
    for name in corner:
        page.page.locator("dialog").get_by_label(name, exact=True).check()
    page.edit(page.page.get_by_role("button", name="Mirror", exact=True).click)
    assert list(kt.load(page.save()).bodies)[-len(corner) :] == [f"{name}_left" for name in corner]
    # a state of rest as start, then modes
    number = page.finished(page.start("equilibrium"))
    page.page.wait_for_selector(f"body[data-result='{number}']")
    page.edit(page.page.get_by_role("button", name="Take as start").click)
    saved = kt.load(page.save())
    assert isinstance(saved, kt.Model)
    rest = kt.equilibrium(saved)
    np.testing.assert_allclose(saved.initial(), rest.q, atol=TRAJECTORY)
    number = page.finished(page.start("modes"))
    page.page.wait_for_selector(f"body[data-result='{number}']")
    roots = page.page.locator("svg.roots circle title").all_text_contents()
    known = kt.modes(saved, at=rest)
    assert sum(
        f"mode {k + 1}:" in row for row in roots for k in range(len(known.eigenvalues))
    ) == len(roots)
    page.page.get_by_label("animate mode 2").click()
    page.page.wait_for_selector(f"body[data-run='{number}']")
    assert page.page.get_by_label("Mode", exact=True).input_value() == "1"
    first = page.page.locator(".player output").text_content()
    page.page.wait_for_function(
        "t => document.querySelector('.player output').textContent !== t", arg=first
    )
    picture(page, "story6")


def test_a_long_run_is_cancelled(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(copy_model(tmp_path, "limousine"))
    number = page.start("simulate", duration="300", rtol="1e-10")
    page.page.wait_for_selector(f"progress[aria-label='progress of run {number}'][value]")
    page.choose("bodies.chassis")
    page.fill("mass", "2000")  # the model is edited meanwhile
    picture(page, "story7")
    page.page.get_by_role("button", name="Cancel", exact=True).click()
    page.page.wait_for_selector(f"body[data-last='{number} cancelled']")
    time, values = page.curve(number, "q.x")
    assert 0 < time[-1] < 300
    assert np.isfinite(values).all()
    page.page.locator("#plot canvas").wait_for()  # the curves so far are shown
    page.finished(page.start("simulate", duration="0.1", rtol="1e-4"))


def test_comparison(open_page: OpenPage, tmp_path: Path) -> None:
    file = copy_model(tmp_path, "quarter_car")
    page = open_page(file)
    first = page.finished(page.start("simulate", duration="0.5", q="heave=0.02"))
    page.choose("parameters.stiffness")
    page.fill("value", "90000")
    second = page.finished(page.start("simulate", duration="0.5", q="heave=0.02"))
    _keep_settings(page, file)
    time, values = page.curve(first, "q.heave")
    table = "\n".join(
        ["time,body height", *(f"{t},{v + 0.001}" for t, v in zip(time, values, strict=True))]
    )
    page.page.get_by_role("button", name="measured…").click()
    page.page.locator("#measured-file").set_input_files(
        {"name": "rig.csv", "mimeType": "text/csv", "buffer": table.encode()}
    )
    page.page.get_by_label("body height").fill("q.heave")
    page.page.get_by_role("button", name="Show as a run").click()
    third = page.finished(3)
    page.page.locator(f"li[data-run='{first}'] .run-name").click()
    for number in (second, third):
        page.page.locator(f"li[data-run='{number}']").get_by_label("overlay").check()
    page.page.locator(f"li[data-run='{second}']").get_by_label("ghost").check()
    for box in page.page.locator(".signals input[type=checkbox]:checked").all():
        if "q.heave" not in (box.locator("..").text_content() or ""):
            box.uncheck()
    page.page.wait_for_selector(f"body[data-curves='time {first},{second},{third} q.heave']")
    picture(page, "story8")
    page.page.get_by_role("button", name="difference", exact=True).click()
    page.page.wait_for_selector(f"body[data-curves='difference {first},{second},{third} q.heave']")
    told = page.page.locator(".plot .difference").all_text_contents()
    measured = next(line for line in told if f"run {third} −" in line)
    assert float(measured.split("at most ")[1].split(" ")[0]) == pytest.approx(0.001)
    page.page.get_by_role("button", name="compare", exact=True).click()
    page.page.wait_for_selector(f"body[data-compared='{first} {second}']")
    differs = page.page.get_by_label("what differs in the model").text_content()
    assert "stiffness" in differs
    assert "109000" in differs
    assert "90000" in differs
    picture(page, "story8_compare")
    page.page.get_by_role("button", name="compare", exact=True).click()
    page.page.locator(".plot summary").click()
    with page.page.expect_download() as got:
        page.page.get_by_role("button", name="CSV", exact=True).click()
    assert "q.heave" in Path(got.value.path()).read_text(encoding="utf-8").splitlines()[0]
    _best_values_and_back(page, first)


def _best_values_and_back(page: StudioPage, first: int) -> None:
    """Values that were found go into the text; the text of a run can be had back, and its name."""
    options = {"objective": "integral((100*q_heave)**2)", "over": "damping=4000:6000"}
    number = page.start("optimise", duration="0.2", q="heave=0.02", evaluations="4", **options)
    page.page.wait_for_selector(f"body[data-result='{page.finished(number)}']")
    best = page.ask(f"/api/runs/{number}/result")["result"]["parameters"]["damping"]
    page.edit(page.page.get_by_role("button", name="Take these values into the text").click)
    written = page.ask("/api/elements")["data"]["parameters"]["damping"]
    assert float(written["value"]) == pytest.approx(best)
    page.page.get_by_label(f"what run {first} was made from").click()
    assert "heave=0.02" in page.page.get_by_label("settings").inner_text()
    page.page.get_by_label("manifest").get_by_text("model_hash").wait_for()
    page.edit(page.page.get_by_role("button", name="take its text back").click)
    assert page.text() == page.ask(f"/api/runs/{first}/manifest")["text"]
    page.page.locator("#run-title").fill("stiff")
    page.page.locator("#run-title").press("Enter")
    page.page.locator(".run-list").get_by_text(f"{first} stiff").wait_for()


def _keep_settings(page: StudioPage, file: Path) -> None:
    """The settings of the form go into the file, and come back from it."""
    page.page.locator("#run").click()
    page.page.locator("#keep-name").fill("bump")
    page.edit(page.page.get_by_role("button", name="Keep in the file").click)
    page.page.locator("#option-q").fill("heave=7")
    page.page.locator("#kept-settings").select_option("bump")
    assert page.page.locator("#option-q").input_value() == "heave=0.02"
    page.press("Escape")
    model = kt.load(page.save())
    assert isinstance(model, kt.Model)
    kept = {"analysis": "simulate", "options": {"duration": 0.5, "q": "heave=0.02"}}
    assert model.runs == {"bump": kept}
    kt.save(model, file)
    assert file.read_text(encoding="utf-8") == page.text()


def test_equations(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(copy_model(tmp_path, "quarter_car"))
    page.page.locator("[data-path='joints.wishbone'] .step").first.click()
    page.page.locator("#tab-equations").click()
    page.page.wait_for_selector("body[data-equations='joints.wishbone']")
    said = page.ask("/api/equations?element=joints.wishbone&of=forward")
    assert said["owned"] > 0
    shown = page.page.locator("#equation-count").text_content()
    assert shown == f"{said['owned']} own, {said['entered']} it enters, of {said['total']}"
    assert page.page.locator(".equations .rows li").count() == len(said["rows"])
    program = kt.derive(kt.load(page.studio.file), "forward")
    assert said["total"] == len(program.all_blocks)
    name = page.page.locator(".equations .rows [data-n]").first
    name.click()
    word = name.get_attribute("data-name")
    _see_definition(page, word)
    lit = said["elements"][word]
    assert lit
    for path in lit:
        assert page.page.locator(f"[role=treeitem].lit[data-path='{path}']").count() == 1
        assert page.page.locator(f".diagram [data-path='{path}'].lit").count() == 1
    assert set(page.page.evaluate("() => kinetreeWorld.lit")) == set(lit)
    picture(page, "story9")
    # a name of another page of equations is defined, too; then another quantity and formalism
    use = page.page.locator("#definition button.link").first
    follows = use.inner_text()
    use.click()
    _see_definition(page, follows)
    page.page.locator("#quantity").select_option("inverse")
    page.page.locator("#formalism").select_option("virtual_power")
    other = page.ask("/api/equations?element=joints.wishbone&of=inverse&formalism=virtual_power")
    count = f"{other['owned']} own, {other['entered']} it enters, of {other['total']}"
    page.page.locator("#equation-count", has_text=count).wait_for()
    assert "virtual power" in page.page.locator("#equation-share").inner_text()


def _see_definition(page: StudioPage, word: str) -> None:
    """The definition of a name that was clicked is what the Program says."""
    page.page.wait_for_selector(f"body[data-symbol='{word}']")
    known = page.ask(f"/api/symbols?name={word}")
    told = page.page.locator("#definition")
    assert f"used by {len(known['uses']) or 'none'}" in told.inner_text()
    row = known["definition"]
    assert told.locator("math").count() == 1 + (row is not None)
    if row is not None:
        assert row["about"] in told.inner_text()
