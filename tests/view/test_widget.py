"""The script of a cell: it frames the page, sets its time, and tells Python what it shows."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

from kinetree.view.page import BUNDLE

CELL = """
let told = [], sent = [], hear, hooks = {}, time = 0;
const page = { postMessage: (what) => sent.push(what.kinetree) };
globalThis.performance = { now: () => time };
globalThis.window = { addEventListener: (_, act) => (hear = act),
  removeEventListener: () => (hear = null) };
const made = { style: {}, setAttribute() {}, contentWindow: page };
globalThis.document = { createElement: () => made };
const state = { page: "<p>", height: 200, t: 0, playing: true };
const model = { get: (key) => state[key], set: (more) => Object.assign(state, more),
  on: (name, act) => (hooks[name] = act), off: (name) => delete hooks[name],
  save_changes: () => { told.push([state.t, state.playing]); hooks["change:t"](); } };
const shown = [];
const end = widget.render({ model, el: { append: (frame) => shown.push(frame.srcdoc) } });
const say = (now, t, playing, source = page) => {
  time = now;
  hear({ source, data: { kinetree: { t, playing } } });
};
say(300, 0.1, true);
say(310, 0.2, true);   // too soon after the last one
say(600, 0.3, true);
say(610, 0.9, true, {});   // of another frame
hear({ source: page, data: "hello" });
Object.assign(state, { playing: false });
hooks["change:playing"]();
say(620, 0.4, false);
state.t = 1.25;
hooks["change:t"]();
end();
console.log(JSON.stringify({ told, sent, shown, left: [hear, Object.keys(hooks).length] }));
"""
"""A cell whose page plays, is stopped and taken to 1.25 s."""


def test_a_cell_sets_and_hears_the_time_of_its_page() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node on this machine")
    script = BUNDLE.parents[1].joinpath("widget.js").read_text(encoding="utf-8")
    text = script.replace("export default", "const widget =") + CELL
    done = subprocess.run([node, "-e", text], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found["shown"] == ["<p>"]
    assert found["told"] == [[0.1, True], [0.3, True], [0.4, False]]
    assert found["sent"] == [{"playing": False}, {"t": 1.25, "playing": False}]
    assert found["left"] == [None, 0]
