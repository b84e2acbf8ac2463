"""How quick the studio is: median and 95th percentile of server and page, seconds.

Rows of the server are those of a client on the same machine, over HTTP; those of the page are told
by Chromium (studio_page.py).  The load of the machine is told, and what draws the pictures.
"""

from __future__ import annotations

import argparse
import os
import threading
import time

import httpx
import numpy as np

from benchmarks import report
from benchmarks.studio_client import Row, Timing, import_curves, row, studio, times
from benchmarks.studio_page import CHROMIUM, page_rows


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
    with studio("four_bar") as client:
        number, names = import_curves(client)
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
    renderer = "no chromium: the page was left out"
    if CHROMIUM is not None:
        seen, renderer = page_rows(few)
        rows += seen
    load = ", ".join(f"{x:.1f}" for x in os.getloadavg())
    title = f"studio, seconds, {report.processor()}, load {load}, pictures by {renderer}"
    report.show(title, ("what", "at most", "median", "95 %", "CPU of one", "trials"), rows)
    said = {"rows": [list(r) for r in rows], "load": load, "renderer": renderer}
    report.save("studio", said)


if __name__ == "__main__":
    main()
