"""A dragged body of the diagram and what ends at it are drawn again, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.studio.conftest import copy_model
from tests.studio.many_bodies import write_many_bodies

if TYPE_CHECKING:
    from tests.studio.stories.conftest import OpenPage
    from tests.studio.stories.pages import StudioPage

COUNT_RENDERS = """
const worked = 1;  // a fiber's flag: its component was called in this commit
const seen = window.rendered = [];
function walk(now, before, id) {
  for (let child = now.child; child; child = child.sibling) {
    const given = child.memoizedProps?.id, own = given?.includes('.') ? given : id;
    const old = child.alternate;
    if (child.tag !== 5 && child.tag !== 6 && (!old || child.flags & worked) && child !== old)
      if (typeof child.type === 'function' || child.type?.type) seen.push(own);
    if (child.child !== (old?.child ?? null)) walk(child, old, own);
  }
}
window.__REACT_DEVTOOLS_GLOBAL_HOOK__ = {
  supportsFiber: true, isDisabled: false, inject: () => 1, checkDCE() {},
  onCommitFiberUnmount() {}, onPostCommitFiberRoot() {}, onScheduleFiberRoot() {},
  onCommitFiberRoot(_, root) { walk(root.current, root.current.alternate, 'page') },
};
"""
"""Before React starts: ids of what it calls components for, from what it tells to its tools."""
WATCH = """() => {
  window.rendered.length = 0;
  window.changed = new Set();
  window.watching = new MutationObserver(rows => rows.forEach(({target}) => {
    const element = target.closest ? target : target.parentElement;
    const owner = element.closest('.react-flow__node, .react-flow__edge');
    window.changed.add(owner?.dataset.id ?? element.getAttribute('class') ?? element.tagName);
  }));
  window.watching.observe(document.body,
    {subtree: true, childList: true, attributes: true, characterData: true}) }"""
FOUND = "() => { window.watching.disconnect(); return [[...window.changed], window.rendered] }"
FRAME = "() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))"


def _middle(page: StudioPage, node: str) -> tuple[float, float]:
    box = page.page.locator(f".react-flow__node[data-id='{node}'] .body").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def _zoom(page: StudioPage) -> float:
    shown = page.page.evaluate("document.querySelector('.react-flow__viewport').style.transform")
    return float(shown.split("scale(")[1].rstrip(")"))


def _ends(page: StudioPage, body: str) -> set[str]:
    """A body and what ends at it."""
    drawing: Any = page.ask("/api/drawing")
    joints = {row["path"] for row in drawing["joints"] if body in (row["parent"], row["child"])}
    ties = {row["path"] for row in drawing["ties"] if body in row["bodies"]}
    return {f"bodies.{body}", *joints, *ties}


def test_a_dragged_body_and_its_lines_alone_are_drawn_again(
    open_page: OpenPage, tmp_path: Path
) -> None:
    page = open_page(write_many_bodies(tmp_path / "many.yaml", 8, 2), script=COUNT_RENDERS)
    body, mouse = "coupler1", page.page.mouse
    wanted = _ends(page, body)
    assert len(wanted) == 3  # its joint and the closure of its loop
    page.still()  # the 3-D view comes last, and is not what is looked at here
    x, y = _middle(page, f"bodies.{body}")
    mouse.move(x, y)
    mouse.down()
    pane = page.page.locator(".react-flow__pane").bounding_box()
    to = (pane["x"] + pane["width"] / 2, pane["y"] + pane["height"] / 2)  # away from the borders

    def move(share: float) -> None:
        mouse.move(x + share * (to[0] - x), y + share * (to[1] - y))
        page.page.evaluate(FRAME)

    move(0.4)
    page.page.locator(".diagram.moving").wait_for()
    page.page.evaluate(WATCH)
    for share in (0.5, 0.6, 0.7, 0.8):
        move(share)
    changed, rendered = page.page.evaluate(FOUND)
    assert set(changed) == set(rendered) == wanted
    held = _middle(page, f"bodies.{body}")
    page.edit(mouse.up)
    assert page.page.locator(".diagram.moving").count() == 0
    left = _middle(page, f"bodies.{body}")
    step = 10 * _zoom(page)  # of the grid on the screen
    assert max(abs(a - b) for a, b in zip(held, left, strict=True)) < step
    layout = page.ask("/api/elements")["data"]["layout"]["diagram"]
    assert list(layout) == [body]


def test_where_all_is_small_bodies_are_taken_and_not_their_anchors(
    open_page: OpenPage, tmp_path: Path
) -> None:
    page = open_page(copy_model(tmp_path, "four_bar"))
    pane = page.page.locator(".react-flow__pane")
    anchors = page.page.locator(".react-flow__handle")
    assert anchors.first.is_visible()
    pane.hover(position={"x": 30, "y": 300})
    while _zoom(page) > 0.1:
        page.page.mouse.wheel(0, 240)
        page.page.evaluate(FRAME)
    assert not anchors.first.is_visible()
    body = page.ask("/api/drawing")["bodies"][-1]["name"]
    x, y = _middle(page, f"bodies.{body}")
    page.edit(lambda: page.drag((x, y), (x + 30, y + 30)))
    assert list(page.ask("/api/elements")["data"]["layout"]["diagram"]) == [body]
