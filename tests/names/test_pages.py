"""Names stay data on pages: hostile pages in a browser run their own scripts and nothing else."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import hostile
import kinetree as kt
from hostile import CODE, SIGNS, WORDS
from kinetree.targets.html.policy import policy
from kinetree.view.live import script
from kinetree.view.page import BUNDLE, page

TEXTS = (*CODE, *SIGNS[:20], *WORDS[:4], "__proto__", "constructor")
ATTACK = f"<script>globalThis.{hostile.CANARY}=1</script><img src=x onerror={hostile.CANARY}=2>"
FLAGS = (
    "--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--window-size=900,600",
    "--virtual-time-budget=1000", "--dump-dom",
)  # fmt: skip
WATCHER = """<!doctype html><meta charset="utf-8"><body><script>
const names = %s;
const frames = names.map((name) => {
  const frame = document.createElement("iframe");
  frame.src = `${name}#plain=1&play=0`;
  document.body.append(frame);
  return frame;
});
window.addEventListener("load", () => setTimeout(() => {
  const out = document.createElement("pre");
  out.id = "probe";
  out.textContent = JSON.stringify(Object.fromEntries(frames.map((frame, k) => {
    const inner = frame.contentWindow, page = frame.contentDocument;
    return [names[k], { canary: inner.%s ?? null, title: page.title,
      rows: page.querySelectorAll(".eq").length, told: page.getElementById("told")?.textContent,
      viewer: typeof inner.kinetree, live: inner.kinetree?.live?.simulation?.problem ?? null,
      q: Array.from(inner.kinetree?.live?.simulation?.state?.q ?? []).slice(0, 3),
      scripts: page.querySelectorAll("script:not([type])").length }];
  })));
  document.body.append(out);
}, 200));
</script></body>"""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *given: Any) -> None:
        del given


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pages that carry hostile texts, and two that are broken on purpose."""
    made = tmp_path_factory.mktemp("pages")
    for k, program in enumerate(hostile.programs(TEXTS)):
        (path,) = program.write("html", made)
        path.rename(made / f"equations{k}.html")
    (made / "caught.html").write_text(f"<!doctype html><body>{ATTACK}</body>", encoding="utf-8")
    rules = f'<meta http-equiv="Content-Security-Policy" content="{policy(["1"])}">'
    (made / "barred.html").write_text(
        f"<!doctype html><head>{rules}</head><body>{ATTACK}</body>", encoding="utf-8"
    )
    if BUNDLE.is_file():
        model = hostile.model("arm </script><img src=x onerror=canary=1>", TEXTS)
        kt.animate(model, path=made / "still.html", title=f"</title>{ATTACK}\x00\ud800")
        few = hostile.model("m */ </script><script>canary=1</script>", TEXTS[::8])
        few.name = f"m\nglobalThis.{hostile.CANARY}=1;//"
        kt.animate(few, path=made / "live.html", live=True)
    return made


@pytest.fixture(scope="module")
def seen(folder: Path) -> Iterator[dict[str, Any]]:
    """What a browser says about all pages, side by side."""
    browser = next((b for name in ("chromium", "google-chrome") if (b := shutil.which(name))), None)
    if browser is None:
        pytest.skip("there is no chromium on this machine")
    names = sorted(path.name for path in folder.glob("*.html"))
    text = WATCHER % (json.dumps(names), hostile.CANARY)
    (folder / "all.htm").write_text(text, encoding="utf-8")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        address = f"http://127.0.0.1:{server.server_port}/all.htm"
        command = [browser, *FLAGS, f"--user-data-dir={folder / 'profile'}", address]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        found = re.search(r'<pre id="probe">(.*?)</pre>', done.stdout, re.DOTALL)
        assert found, done.stderr[-2000:]
        yield json.loads(html.unescape(found[1]))
    finally:
        server.shutdown()
        server.server_close()


def test_the_watcher_sees_an_attack(seen: dict[str, Any]) -> None:
    assert seen["caught.html"]["canary"] in (1, 2)


def test_the_policy_bars_what_slips_through(seen: dict[str, Any]) -> None:
    assert seen["barred.html"]["canary"] is None
    assert seen["barred.html"]["scripts"] == 1


def test_no_page_runs_a_name(seen: dict[str, Any]) -> None:
    told = {name: row for name, row in seen.items() if name not in ("caught.html", "barred.html")}
    assert len(told) >= 2
    assert all(row["canary"] is None for row in told.values())


def test_pages_of_equations_work(seen: dict[str, Any]) -> None:
    rows = {name: row for name, row in seen.items() if name.startswith("equations")}
    assert all(row["rows"] > 20 and row["scripts"] == 1 for row in rows.values())


def test_pages_of_mechanisms_work(seen: dict[str, Any]) -> None:
    if not BUNDLE.is_file():
        pytest.skip("the viewer is not built: run 'make web', which needs node")
    assert seen["still.html"]["viewer"] == seen["live.html"]["viewer"] == "object"
    assert (seen["still.html"]["scripts"], seen["live.html"]["scripts"]) == (1, 2)
    assert seen["still.html"]["title"].startswith("</title><script>")
    assert seen["live.html"]["live"] == ""
    assert len(seen["live.html"]["q"]) == 3


@pytest.mark.parametrize("text", ["</script>", "<!--<script>", "-->", "]]>", "&amp;", "\u2028"])
def test_scripts_and_data_hold_nothing_that_ends_them(text: str) -> None:
    program = hostile.program(f"live {text}", [text])
    code = script({"step": program})
    assert not re.search(r"</|<!--|<script|-->", code)
    written = page({"title": text, "note": text}, code)
    assert "unsafe-inline" not in re.search(r"script-src ([^;]*)", written)[1]  # type: ignore[index]
    assert written.count("</script>") == 2
