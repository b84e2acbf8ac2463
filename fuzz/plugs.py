"""Pulled plugs: server, worker or browser of the studio killed while it edits, saves and runs.

Every edit that was acknowledged is there again, with the history before it; the file is the old
one or the new one; runs keep what they had reached, end with their studio, and the next goes on.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fuzz.browser import CHROMIUM, Browser, GoneError
from fuzz.campaign import Campaign
from fuzz.plans import Rng
from fuzz.tally import Tally

if TYPE_CHECKING:
    import httpx

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src"
"""Of the studio that is killed."""
MODEL = ROOT / "examples" / "models" / "slider_crank.yaml"
SIZE = 2
"""Plugs that one attempt pulls, of studios of one file."""
KINDS = ("server", "worker", "worker", "browser")
"""What is killed: first the server."""
LONGEST = 1.2
"""Longest time between the first edit and the kill [s]."""
PATIENCE = 60.0
"""Longest wait for an answer [s]."""
RUN = {"duration": 1e5, "step": 0.1}
"""Longer than anybody waits."""
READY = "typeof kinetreeEdit !== 'undefined' && !!document.body.dataset.checked"
"""Whether a page shows what it edits."""


class Plug:
    """A studio in a process of its own, and a client of it."""

    def __init__(self, file: Path) -> None:
        import httpx

        line = [sys.executable, "-m", "kinetree.cli", "studio", str(file)]
        self.process = subprocess.Popen(
            line, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(SOURCE)}
        )
        assert self.process.stdout is not None
        address = next(row.strip() for row in self.process.stdout if row.startswith("http"))
        self.origin = address.partition("/?")[0]
        self.http: httpx.Client = httpx.Client(
            base_url=self.origin, timeout=PATIENCE, follow_redirects=True
        )
        self.http.get(address).raise_for_status()
        self.left: list[int] = []

    def get(self, path: str, **params: Any) -> Any:
        """What is answered."""
        return self.http.get(path, params=params).raise_for_status().json()

    def post(self, path: str, **said: Any) -> Any:
        """What is answered."""
        return self.http.post(path, json=said).raise_for_status().json()

    def reached(self, run: int) -> float:
        """Time of the last row of a run that can be read [s]; -1 where there is none."""
        answer = self.http.get(f"/api/runs/{run}/signals")
        return float(answer.json()["end"]) if answer.is_success else -1.0

    def workers(self) -> list[int]:
        """Processes that make runs."""
        return [child for child in children(self.process.pid) if "runs.worker" in words(child)]

    def kill(self) -> None:
        """End it, as a plug that is pulled; its runs are left."""
        self.left = self.workers()
        self.process.kill()

    def close(self) -> None:
        """Tidy up what is left of it."""
        self.process.kill()
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()
        self.http.close()


def children(process: int) -> list[int]:
    """Processes that one has started."""
    found = []
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            found += [int(word) for word in task.read_text(encoding="ascii").split()]
        except OSError:
            continue
    return found


def words(process: int) -> str:
    """Command line of a process; nothing of one that is gone."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""


@dataclass
class Ledger:
    """What was acknowledged.

    Attributes:
        past: texts, the first one that of the file, the last one acknowledged last.
        ahead: the text of an edit that may have been made, too.
        allowed: texts that the file may have.
        runs: number of a run -> time that it had reached for sure [s].
    """

    past: list[str]
    ahead: str | None = None
    allowed: set[str] = field(default_factory=set)
    runs: dict[int, float] = field(default_factory=dict)

    def takes(self, text: str) -> bool:
        """Whether a studio may come back with a text, which is then the last one."""
        if self.ahead is not None and text == self.ahead:
            self.past.append(text)
        self.ahead = None
        return text == self.past[-1]


Send = Callable[[list[Any]], Any]


def work(plug: Plug, ledger: Ledger, rng: Rng, send: Send, until: threading.Event) -> None:
    """Edit and save until something is killed; a studio that is gone raises."""
    from kinetree.formats.edits.operations import OPERATIONS

    while not until.is_set():
        move = [["bodies", "slider", "mass"], int(rng.integers(1, 10**6))]
        ledger.ahead = OPERATIONS["set"](ledger.past[-1], *move)
        send(["set", *move])
        ledger.past.append(ledger.ahead)
        ledger.ahead = None
        if rng.random() < 0.3:
            ledger.allowed.add(ledger.past[-1])
            plug.post("/api/document/save")
        for run in list(ledger.runs)[-1:]:
            ledger.runs[run] = max(ledger.runs[run], plug.reached(run))


def edits_of(plug: Plug) -> Send:
    """Edits as a script makes them."""
    state = {"revision": int(plug.get("/api/document")["revision"])}

    def send(operation: list[Any]) -> None:
        base = state["revision"]
        said = plug.post("/api/document/edit", base=base, operations=[operation], label="mass")
        state["revision"] = int(said["revision"])

    return send


def pull(rng: Rng, plug: Plug, ledger: Ledger, kind: str, tally: Tally) -> None:
    """Work, and kill one of the three at a random moment of that."""
    import httpx

    browser = Browser(plug.origin, dict(plug.http.cookies)) if kind == "browser" else None
    try:
        send = edits_of(plug) if browser is None else edits_by_page(browser)
        if kind == "worker" or rng.random() < 0.5:
            begin_run(rng, plug, ledger)
        done = threading.Event()

        def end() -> None:
            if browser is not None:
                browser.kill()
            elif kind == "server":
                plug.kill()
            else:
                for worker in plug.workers():
                    os.kill(worker, signal.SIGKILL)
            done.set()

        timer = threading.Timer(float(rng.uniform(0, LONGEST)), end)
        timer.start()
        try:
            work(plug, ledger, rng, send, done)
        except (httpx.HTTPError, GoneError) as error:
            bad = httpx.HTTPStatusError if kind == "server" else httpx.HTTPError
            tally.expect("nothing is refused", not isinstance(error, bad), str(error)[:200])
        timer.join()
    finally:
        if browser is not None:
            browser.close()


def begin_run(rng: Rng, plug: Plug, ledger: Ledger) -> None:
    """Start a long run, and mostly wait until it has rows."""
    run = int(plug.post("/api/runs", analysis="simulate", options=RUN)["id"])
    ledger.runs[run] = -1.0
    if rng.random() < 0.7:
        while plug.reached(run) < 0 and plug.get(f"/api/runs/{run}")["state"] == "going":
            time.sleep(0.02)


def edits_by_page(browser: Browser) -> Send:
    """Edits as the page makes them: they are acknowledged when the promise is kept."""
    while not browser.script(READY):
        time.sleep(0.05)

    def send(operation: list[Any]) -> None:
        browser.script(f"kinetreeEdit([{json.dumps(operation)}], 'mass')")

    return send


def ended(plug: Plug, run: int) -> dict[str, Any]:
    """State of a run once it has ended."""
    until = time.monotonic() + PATIENCE
    while (state := plug.get(f"/api/runs/{run}"))["state"] in ("going", "waiting"):
        if time.monotonic() > until:
            break
        time.sleep(0.05)
    return dict(state)


def look(plug: Plug, ledger: Ledger, file: Path, tally: Tally) -> None:
    """What is there after the kill."""
    text = plug.get("/api/document")["text"]
    tally.expect("acknowledged edits", ledger.takes(text), f"the text has {text[:300]!r}")
    on_disk = file.read_text(encoding="utf-8")
    tally.expect("the old file or the new one", on_disk in ledger.allowed, on_disk[:300])
    for run, least in ledger.runs.items():
        told = plug.reached(run)
        tally.expect("runs keep what they had reached", told >= least, f"{told} of {least} s")


def history(plug: Plug, ledger: Ledger, tally: Tally) -> None:
    """All edits undone to the first byte, and made again."""
    for path, wanted in (("undo", ledger.past[-2::-1]), ("redo", ledger.past[1:])):
        for _ in wanted:
            plug.post(f"/api/document/{path}")
        found = plug.get("/api/document")["text"]
        tally.expect(f"{path} of all edits", not wanted or found == wanted[-1], found[:300])


def attempt(rng: Rng, tally: Tally) -> None:
    """Some plugs of studios of one file."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / MODEL.name
        file.write_bytes(MODEL.read_bytes())
        text = file.read_text(encoding="utf-8")
        ledger = Ledger([text], allowed={text})
        plug = Plug(file)
        try:
            for k in range(SIZE):
                kind = KINDS[int(rng.integers(len(KINDS))) if k else 0]
                if kind == "browser" and CHROMIUM is None:
                    tally.set_aside("no browser here")
                    kind = "worker"
                pull(rng, plug, ledger, kind, tally)
                if kind == "server":
                    left = plug.left
                    plug.close()
                    plug = Plug(file)
                    _see_workers_end(left, tally)
                look(plug, ledger, file, tally)
                _see_runs(plug, ledger, kind, tally)
                tally.expect(f"{kind} killed", True)
            history(plug, ledger, tally)
        finally:
            plug.close()


def _see_workers_end(workers: list[int], tally: Tally) -> None:
    """Runs of a studio that is gone do not go on for ever."""
    until = time.monotonic() + PATIENCE
    while any("runs.worker" in words(worker) for worker in workers) and time.monotonic() < until:
        time.sleep(0.05)
    left = [worker for worker in workers if "runs.worker" in words(worker)]
    tally.expect("runs end with their studio", not left)


def _see_runs(plug: Plug, ledger: Ledger, kind: str, tally: Tally) -> None:
    """A killed run says so, those that still go are cancelled, and the next one goes through."""
    for run in ledger.runs:
        if kind != "worker":
            plug.http.delete(f"/api/runs/{run}")
        state = ended(plug, run)
        fine = state["state"] == "cancelled" or "killed" in state["error"]
        tally.expect("killed runs are told", fine, str(state))
    if kind == "worker":
        run = int(plug.post("/api/runs", analysis="partition", options={})["id"])
        state = ended(plug, run)
        tally.expect("the next run goes through", state["state"] == "finished", str(state))


CAMPAIGN = Campaign(
    "plugs",
    "studios whose server, worker or browser is killed while they edit, save and run",
    attempt,
    short=SIZE,
    long=200,
    size=SIZE,
    slices=10,
)
