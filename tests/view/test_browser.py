"""The page in a browser: it draws, and slider, label and picture move together."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from typing import Any

import pytest

import kinetree as kt
from kinetree.view.page import BUNDLE

FLAGS = (
    "--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--window-size=900,600",
    "--virtual-time-budget=500", "--dump-dom",
)  # fmt: skip
PROBE = """<script>
window.addEventListener("load", () => {
  const out = document.createElement("pre");
  out.id = "probe";
  document.body.append(out);
  try {
    out.textContent = JSON.stringify(probe());
  } catch (error) {
    out.textContent = JSON.stringify({ failed: String(error) });
  }
});
function probe() {
  const viewer = window.kinetree;
  const canvas = document.querySelector("canvas");
  const look = (t) => {
    viewer.pause();
    viewer.seek(t);
    const picture = viewer.picture();
    const gl = canvas.getContext("webgl2");
    const pixels = new Uint8Array(4 * canvas.width * canvas.height);
    gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    const colours = new Set(new Uint32Array(pixels.buffer)).size;
    let sum = 0;
    for (let i = 0; i < pixels.length; i++) sum = (31 * sum + pixels[i]) | 0;
    return { colours, sum, clock: document.getElementById("clock").textContent,
      slider: Number(document.querySelector(".time").value), png: picture.slice(0, 22) };
  };
  const point = (kind, x, y) => canvas.dispatchEvent(new PointerEvent(kind, {
    clientX: box.left + x, clientY: box.top + y, bubbles: true }));
  const hover = () => {
    const names = {};
    for (let x = 2; x < box.width; x += 5) {
      for (let y = 2; y < box.height; y += 5) {
        point("pointermove", x, y);
        if (!document.querySelector(".tip").hidden) {
          names[document.querySelector(".tip").textContent] = [x, y];
        }
      }
    }
    return names;
  };
  const box = canvas.getBoundingClientRect();
  const names = hover();
  point("pointerdown", ...names.upper);
  point("pointerup", ...names.upper);
  return { names: Object.keys(names).sort(), frames: [look(0), look(1.5)],
    requests: performance.getEntriesByType("resource").length,
    card: document.querySelector(".card").textContent,
    signals: [...document.querySelectorAll(".signal .name")].map((e) => e.textContent) };
}
</script>
</body>"""


@pytest.fixture(scope="module")
def seen(pendulum: kt.Model, run: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a browser says about a page opened from disk."""
    browser = next((b for name in ("chromium", "google-chrome") if (b := shutil.which(name))), None)
    if browser is None:
        pytest.skip("there is no chromium on this machine")
    if not BUNDLE.is_file():
        pytest.skip("the viewer is not built: run 'make web', which needs node")
    folder = tmp_path_factory.mktemp("page")
    page = kt.animate(pendulum, run, folder / "page.html")
    text = page.read_text(encoding="utf-8")
    page.write_text(PROBE.join(text.rsplit("</body>", 1)), encoding="utf-8")
    address = page.as_uri() + "#plain=1&t=0.3"
    result = _asked([browser, *FLAGS, f"--user-data-dir={folder / 'profile'}", address])
    found = re.search(r'<pre id="probe">(.*?)</pre>', result.stdout)
    assert found, result.stderr[-2000:]
    told: dict[str, Any] = json.loads(html.unescape(found[1]))
    assert "failed" not in told, told["failed"]
    return told


def _asked(command: list[str]) -> subprocess.CompletedProcess[str]:
    """The answer of the browser; its first start on a machine may hang, so it is asked twice."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_the_canvas_is_not_blank(seen: dict[str, Any]) -> None:
    assert all(frame["colours"] > 50 for frame in seen["frames"])
    assert seen["frames"][0]["png"] == "data:image/png;base64,"


def test_picture_label_and_slider_follow_the_time(seen: dict[str, Any]) -> None:
    first, later = seen["frames"]
    assert first["sum"] != later["sum"]
    assert (first["clock"], later["clock"]) == ("0.000 s", "1.500 s")
    assert (first["slider"], later["slider"]) == (0, 1.5)


def test_all_signals_are_offered_and_nothing_is_fetched(seen: dict[str, Any]) -> None:
    names = ["shoulder", "elbow"]
    assert seen["signals"] == [f"{group}.{name}" for group in ("q", "qd") for name in names]
    assert seen["requests"] == 0


def test_bodies_are_named_under_the_pointer_and_tell_their_pose(seen: dict[str, Any]) -> None:
    assert seen["names"] == ["ground", "lower", "upper"]
    assert seen["card"].startswith("upper")
    assert "x y z" in seen["card"]
