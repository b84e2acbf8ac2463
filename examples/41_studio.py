"""The studio from a script: the same interface that its page uses.

A studio is started on a copy of the slider-crank; the script changes a mass, asks whether the model
is right, simulates the text as it stands, fetches a curve, and undoes the change.  Run:

    python examples/41_studio.py
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import HTTPCookieProcessor, Request, build_opener

MODEL = Path(__file__).parent / "models" / "slider_crank.yaml"


class StudioClient:
    """Speaks with a studio; the printed address is exchanged for a cookie."""

    def __init__(self, address: str) -> None:
        self.origin = address.partition("/?")[0]
        self.opener = build_opener(HTTPCookieProcessor())
        self.opener.open(address).close()

    def ask(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """What the studio answers; with a body it is asked to do something."""
        data = None if body is None else json.dumps(body).encode()
        request = Request(self.origin + path, data, {"content-type": "application/json"})
        with self.opener.open(request) as answer:
            return json.load(answer)


def main() -> None:
    """Edit, check, run, fetch, undo."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / MODEL.name
        file.write_bytes(MODEL.read_bytes())
        line = [sys.executable, "-m", "kinetree.cli", "studio", str(file)]
        with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            try:
                use(StudioClient(process.stdout.readline().strip()))
            finally:
                process.terminate()


def use(studio: StudioClient) -> None:
    """What the docstring says."""
    document = studio.ask("/api/document")
    edit = {
        "base": document["revision"],
        "operations": [["set", ["bodies", "slider", "mass"], 8]],
        "label": "a heavier slider",
    }
    changed = studio.ask("/api/document/edit", edit)
    print("revision", changed["revision"], "puts", repr(changed["splice"]["put"]))
    found = studio.ask("/api/check")
    print("findings:", len(found["findings"]), "· mobility:", found["loops"]["mobility"])
    run = studio.ask("/api/runs", {"analysis": "simulate", "options": {"duration": 1, "step": 0.1}})
    while run["state"] == "going":
        time.sleep(0.05)
        run = studio.ask(f"/api/runs/{run['id']}")
    curve = studio.ask(f"/api/runs/{run['id']}/signals?name=q.crank")
    print(run["state"], "· crank at 1 s:", round(curve["curves"]["q.crank"][-1], 6), "rad")
    print("undone:", studio.ask("/api/document/undo", {})["redo"])


if __name__ == "__main__":
    main()
