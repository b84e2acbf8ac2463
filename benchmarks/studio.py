"""How quick the server of the studio is: median and 95th percentile of requests, seconds.

Times are those of a client on the same machine, over HTTP; the load of the machine is told.  Rows
of the browser (first paint, frames) are measured by the stories in Chromium, not here.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import numpy as np
import xarray as xr

from benchmarks import report
from benchmarks.models import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

MODELS = ROOT / "examples" / "models"
Row = tuple[str, str, float, float, float | None, int]
"""What, the most that is wanted, median, 95th percentile, processor time, number of trials."""
TICK = os.sysconf("SC_CLK_TCK")


class Client:
    """A studio of a copy of a model, and how it is asked."""

    def __init__(self, model: str, folder: Path) -> None:
        self.file = folder / f"{model}.yaml"
        self.file.write_bytes((MODELS / f"{model}.yaml").read_bytes())
        began = time.perf_counter()
        line = [sys.executable, "-m", "kinetree.cli", "studio", str(self.file)]
        self.process = subprocess.Popen(line, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        assert self.process.stdout is not None
        address = self.process.stdout.readline().strip()
        origin = address.partition("/?")[0]
        self.http = httpx.Client(base_url=origin, timeout=300, follow_redirects=True)
        self.http.get(address).raise_for_status()
        self.started = time.perf_counter() - began

    def get(self, path: str, **params: Any) -> Any:
        """What a request gives."""
        answer = self.http.get(path, params=params)
        answer.raise_for_status()
        return answer.json() if "json" in answer.headers["content-type"] else answer.content

    def edit(self, *operations: Any) -> Any:
        """Change the text."""
        said = {"base": self.revision(), "operations": operations, "label": "edit"}
        return self.http.post("/api/document/edit", json=said).raise_for_status().json()

    def revision(self) -> int:
        """Of the text."""
        return int(self.get("/api/document")["revision"])

    def run(self, analysis: str, **options: Any) -> int:
        """Start an analysis."""
        said = {"analysis": analysis, "options": options}
        return int(self.http.post("/api/runs", json=said).raise_for_status().json()["id"])

    def wait(self, number: int, *words: str) -> str:
        """Until a run is in another state than these."""
        while (state := str(self.get(f"/api/runs/{number}")["state"])) in words:
            time.sleep(0.02)
        return state

    def spent(self) -> float:
        """Processor time of the server so far [s]."""
        row = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8")
        fields = row.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def memory(self) -> float:
        """Of the server [MB]."""
        rows = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8").splitlines()
        return next(float(row.split()[1]) / 1024 for row in rows if row.startswith("VmRSS"))


@contextmanager
def studio(model: str) -> Iterator[Client]:
    """A studio until the end of the block."""
    with tempfile.TemporaryDirectory() as place:
        made = Client(model, Path(place))
        try:
            yield made
        finally:
            made.http.close()
            made.process.terminate()
            made.process.wait()


@dataclass
class Timing:
    """Durations of calls [s], and the processor time of the server for one of them [s]."""

    walls: list[float]
    spent: float | None = None


def times(call: Callable[[], Any], count: int, client: Client | None = None) -> Timing:
    """Durations of calls; with a client, what its server spends on each."""
    found = []
    before = 0.0 if client is None else client.spent()
    for _ in range(count):
        began = time.perf_counter()
        call()
        found.append(time.perf_counter() - began)
    return Timing(found, None if client is None else (client.spent() - before) / count)


def row(what: str, most: str, found: Timing) -> Row:
    """Median and 95th percentile."""
    walls = found.walls
    middle, high = float(np.median(walls)), float(np.quantile(walls, 0.95))
    return what, most, middle, high, found.spent, len(walls)


def starts(count: int) -> list[Row]:
    """From the command to the page."""
    found, spent = [], 0.0
    for _ in range(count):
        with studio("limousine") as client:
            found.append(client.started)
            spent += client.spent() / count
    return [row("kinetree studio to the page being served", "1.5", Timing(found, spent))]


def edits(count: int) -> list[Row]:
    """A number changed, and a closure added and removed, in the Limousine."""
    made = []
    with studio("limousine") as client:
        client.get("/api/check")
        client.get("/api/scene")
        time.sleep(8)  # native code is made beside
        state = {"mass": 1900.0, "revision": client.revision()}

        def number() -> None:
            state["mass"] += 1
            operation = ["set", ["bodies", "chassis", "mass"], state["mass"]]
            said = {"base": state["revision"], "label": "mass", "operations": [operation]}
            client.http.post("/api/document/edit", json=said).raise_for_status()
            client.get("/api/check")
            client.get("/api/scene", since=int(state["revision"]))
            state["revision"] += 1

        made.append(
            row("number changed: findings, loop doctor, scene", "0.1", times(number, count, client))
        )
        quick, whole = Timing([]), Timing([])
        for k in range(max(3, count // 10)):
            point = {"kind": "ball", "first": "chassis", "second": f"RL_bar.new{k}"}
            place = [0.1 + 0.01 * k, 0, 0]
            client.edit(["set", ["bodies", "RL_bar", "points", f"new{k}"], place],
                        ["add", "closures", f"new{k}", point])  # fmt: skip
            quick.walls += times(lambda: client.get("/api/check", quick=1), 1).walls
            part = times(lambda: client.get("/api/check"), 1, client)
            whole.walls += part.walls
            whole.spent = part.spent
            client.http.post("/api/document/undo", json={})
        made.append(row("closure added: findings", "0.1", quick))
        made.append(row("closure added: loop doctor and pose", "0.6", whole))
    return made


def equations(count: int) -> list[Row]:
    """Equations of a clicked joint of the Limousine."""
    with studio("limousine") as client:
        asked = {"element": "joints.FL_carrier"}
        first = times(lambda: client.get("/api/equations", **asked), 1)
        again = times(lambda: client.get("/api/equations", **asked), count)
        named = times(lambda: client.get("/api/symbols", name="FL_wheel.mass"), count)
    return [row("equations of a joint, derived and process started", "-", first),
            row("equations of a joint, once derived", "0.3", again),
            row("a name: definition, uses, bodies", "0.3", named)]  # fmt: skip


def curves(count: int) -> list[Row]:
    """Ten curves of a million points."""
    time_of = np.linspace(0.0, 1000.0, 1_000_000)
    data = {f"s{k}": ("time", np.sin((k + 1) * time_of) + 0.01 * np.sin(1e4 * time_of))
            for k in range(10)}  # fmt: skip
    names = list(data)
    with studio("four_bar") as client:
        xr.Dataset(data, {"time": time_of}).to_netcdf(
            client.file.with_name("many.nc"), engine="h5netcdf"
        )
        said = {"name": "many.nc"}
        number = client.http.post("/api/runs/import", json=said).raise_for_status().json()["id"]
        path = f"/api/runs/{number}/signals.bin"
        first = times(lambda: client.get(path, name=names, pixels=1200), 1)
        chance = np.random.default_rng(1)

        def zoom() -> None:
            start, width = 900 * chance.random(), 10 ** (2 * chance.random())
            client.get(path, name=names, pixels=1200, **{"from": start, "to": start + width})

        again = times(lambda: client.get(path, name=names, pixels=1200), count, client)
        zoomed = times(zoom, count, client)
    return [row("ten curves of 10⁶ points, first", "0.5", first),
            row("ten curves of 10⁶ points, again", "0.5", again),
            row("ten curves of 10⁶ points, zoomed", "0.05", zoomed)]  # fmt: skip


def meanwhile(count: int) -> list[Row]:
    """Requests while a derivation and a run go on, and cancelling."""
    with studio("limousine") as client:
        client.get("/api/check")
        time.sleep(4)
        run = client.run("simulate", duration=600, rtol=1e-10, atol=1e-12)
        done = threading.Event()

        def derive() -> None:
            with httpx.Client(base_url=client.http.base_url, cookies=client.http.cookies,
                              timeout=300) as other:  # fmt: skip
                for formalism in ("order_n", "newton_euler", "virtual_power"):
                    other.get("/api/equations", params={"of": "forward", "formalism": formalism})
            done.set()

        thread = threading.Thread(target=derive)
        thread.start()
        found = Timing([])
        before = client.spent()
        while not done.is_set() or len(found.walls) < count:
            found.walls += times(lambda: client.get("/api/document/history"), 1).walls
            time.sleep(0.005)
        found.spent = (client.spent() - before) / len(found.walls)
        thread.join()
        client.wait(run, "waiting")
        asked = times(lambda: client.http.delete(f"/api/runs/{run}"), 1)
        free = times(lambda: client.wait(run, "going"), 1)
    ninety_nine = float(np.quantile(found.walls, 0.99))
    name = f"requests beside a derivation and a run (99 %: {ninety_nine:.3g} s)"
    return [row(name, "0.02", found), row("cancel acknowledged", "0.1", asked),
            row("worker free after cancel", "2", free)]  # fmt: skip


def growth(edits_made: int, runs: int) -> list[Row]:
    """Memory of the server over many edits and runs [MB]."""
    with studio("quarter_car") as client:
        client.get("/api/check")
        time.sleep(4)
        for k in range(20):
            client.edit(["set", ["bodies", "chassis", "mass"], 400 + k])
            client.get("/api/check")
        before = client.memory()
        for k in range(edits_made):
            client.edit(["set", ["bodies", "chassis", "mass"], 500 + k])
            if k % 10 == 0:
                client.get("/api/check")
                client.get("/api/scene")
        for _ in range(runs):
            number = client.run("partition")
            client.wait(number, "going", "waiting")
        after = client.memory()
    grown = after - before
    return [(f"server after {edits_made} edits and {runs} runs [MB]", "50", grown, grown, None, 1)]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few trials, for a look")
    few = parser.parse_args().quick
    n = 10 if few else 100
    rows: list[Row] = []
    for part in (lambda: starts(2 if few else 8), lambda: edits(n), lambda: equations(n),
                 lambda: curves(n), lambda: meanwhile(5 * n),
                 lambda: growth(100 if few else 1000, 3 if few else 50)):  # fmt: skip
        rows += part()
    load = ", ".join(f"{x:.1f}" for x in os.getloadavg())
    title = f"server of the studio, seconds, {report.processor()}, load {load}"
    report.show(title, ("what", "at most", "median", "95 %", "server's CPU", "trials"), rows)
    report.save("studio", {"rows": [list(r) for r in rows], "load": load})


if __name__ == "__main__":
    main()
