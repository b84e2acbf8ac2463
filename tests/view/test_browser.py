"""The page in a browser: it draws, and slider, label and picture move together."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.approx import AT_STATES, SINGLE, TRAJECTORY

import kinetree as kt
from kinetree.targets.html.policy import source
from kinetree.view.page import BUNDLE

FLAGS = (
    "--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--window-size=900,600",
    "--virtual-time-budget=500", "--dump-dom",
)  # fmt: skip
POST = {"kind": "frustum", "radius": 0.3, "top": 0.1, "length": 0.4, "position": [0, 0, 0.2]}
WIRE = {"kind": "line", "points": [[0, 0, 0.4], [0, 0, 0.5], [0.6, 0, 0.5]], "radius": 0.02}
FRAME = """<script>
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
%s
</script>
</body>"""
PROBE = """
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
  const made = viewer.bodies[0].children[0].geometry;
  const ground = Array.from(made.getAttribute("position").array);
  const box = canvas.getBoundingClientRect();
  const names = hover();
  point("pointerdown", ...names.upper);
  point("pointerup", ...names.upper);
  return { names: Object.keys(names).sort(), frames: [look(0), look(1.5)],
    requests: performance.getEntriesByType("resource").length, ground,
    card: document.querySelector(".card").textContent,
    signals: [...document.querySelectorAll(".signal .name")].map((e) => e.textContent) };
}"""
FAR = """
function probe() {
  const viewer = window.kinetree;
  const canvas = document.querySelector("canvas");
  return [0, 1].map((t) => {
    viewer.pause();
    viewer.seek(t);
    viewer.picture();
    const gl = canvas.getContext("webgl2");
    const pixels = new Uint8Array(4 * canvas.width * canvas.height);
    gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    let red = 0;
    for (let i = 0; i < pixels.length; i += 4) {
      red += pixels[i] > 2 * (pixels[i + 1] + pixels[i + 2]);
    }
    return red;
  });
}"""
LIVE = """
function probe() {
  const viewer = window.kinetree;
  const { live } = viewer;
  viewer.pause();
  live.reset();
  const slide = (name, value) => {
    const range = document.querySelector(`[data-control="${name}"]`);
    range.value = String(value);
    range.dispatchEvent(new Event("input"));
  };
  const look = () => ({
    q: Array.from(live.simulation.state.q), t: live.simulation.t,
    clock: document.getElementById("clock").textContent,
    told: document.querySelector(".told").textContent,
    shown: Number(document.querySelector('[data-control="q.crank"]').value),
    picture: viewer.picture().length, points: live.times.length,
  });
  const first = look();
  slide("q.crank", 0.4);
  const posed = look();
  viewer.play();
  for (let k = 0; k < 12; k++) live.run(0.05);
  const ran = look();
  slide("p.base", 0.75);
  document.querySelector('[title^="back to the start"]').click();
  const torn = look();
  slide("q.crank", 3.0);
  const kept = live.simulation.start.q[0];
  slide("p.base", 0.4);
  document.querySelector('[title^="back to the start"]').click();
  return { first, posed, ran, torn, kept, again: look(), playing: live.playing,
    requests: performance.getEntriesByType("resource").length };
}"""


@pytest.fixture(scope="module")
def seen(run: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a browser says about the page of a run, with a post and a wire on the ground."""
    pendulum = kt.load("examples/models/double_pendulum.yaml")
    pendulum.shapes = {"ground": [POST, WIRE]}
    return _seen(tmp_path_factory.mktemp("page"), PROBE, "t=0.3", model=pendulum, run=run)


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a browser says about a page that simulates a four-bar."""
    model = kt.load("examples/models/four_bar.yaml")
    return _seen(tmp_path_factory.mktemp("live"), LIVE, "play=0", model=model, live=True)


def _seen(folder: Path, probe: str, wish: str, **given: Any) -> dict[str, Any]:
    """What a probe finds on a page opened from disk."""
    browser = next((b for name in ("chromium", "google-chrome") if (b := shutil.which(name))), None)
    if browser is None:
        pytest.skip("there is no chromium on this machine")
    if not BUNDLE.is_file():
        pytest.skip("the viewer is not built: run 'make web', which needs node")
    page = kt.animate(path=folder / "page.html", **given)
    text = page.read_text(encoding="utf-8")
    frame = FRAME % probe
    own = frame[len("<script>") : frame.index("</script>")]
    text = text.replace("script-src ", f"script-src {source(own)} ", 1)
    page.write_text(frame.join(text.rsplit("</body>", 1)), encoding="utf-8")
    address = page.as_uri() + f"#plain=1&{wish}"
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


def test_frusta_and_lines_are_drawn(seen: dict[str, Any]) -> None:
    x, y, z = np.array(seen["ground"]).reshape(-1, 3).T
    for height, radius in ((0.0, 0.3), (0.4, 0.1)):
        rim = np.hypot(x, y)[np.abs(z - height) < SINGLE]
        assert rim.max() == pytest.approx(radius, abs=SINGLE)
    assert (x.max(), z.max()) == (pytest.approx(0.62), pytest.approx(0.52, abs=SINGLE))


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


def test_what_moves_far_away_is_still_drawn(tmp_path: Path) -> None:
    model = kt.Model("away", gravity=(0, 0, 0))
    model.free("p", model.ground, model.body("cart", mass=1.0, inertia=(1, 1, 1)))
    model.shapes = {"cart": [{"kind": "box", "size": [1, 1, 1], "colour": "#ff0000"}]}
    run = kt.simulate(model, 1.0, qd=[0, 0, 0, 60.0, 0, 0], step=0.01)
    near, far = _seen(tmp_path, FAR, "t=0", model=model, run=run)
    assert near > 500
    assert far == pytest.approx(near, rel=0.5)


def test_a_slider_poses_the_mechanism(lived: dict[str, Any]) -> None:
    first, posed = lived["first"], lived["posed"]
    model = kt.load("examples/models/four_bar.yaml")
    wanted = kt.assemble(model, [0.4, *first["q"][1:]], independent=["crank"]).q
    assert np.allclose(posed["q"], wanted, atol=AT_STATES)
    assert posed["shown"] == pytest.approx(0.4)
    assert posed["picture"] != first["picture"]
    assert posed["t"] == 0


def test_the_page_simulates_from_there(lived: dict[str, Any]) -> None:
    posed, ran = lived["posed"], lived["ran"]
    steps = round(ran["t"] / 0.001)
    assert steps > 5
    model = kt.load("examples/models/four_bar.yaml")
    run = kt.simulate(model, ran["t"], q=posed["q"], method="trapezoidal", step=0.001)
    assert np.allclose(ran["q"], run.q.values[-1], atol=TRAJECTORY)
    assert (
        abs(np.exp(1j * ran["shown"]) - np.exp(1j * ran["q"][0])) < AT_STATES
    )  # up to whole turns
    assert ran["clock"] == f"{ran['t']:.2f} s"
    assert ran["points"] > posed["points"]
    assert lived["requests"] == 0


def test_a_loop_that_cannot_close_is_told_on_the_page(lived: dict[str, Any]) -> None:
    assert "Loop 'pin' does not close" in lived["torn"]["told"]
    assert lived["kept"] == pytest.approx(0.4)  # a pose that cannot be does not become the start
    assert lived["again"]["told"] == ""
    assert lived["again"]["t"] == 0
