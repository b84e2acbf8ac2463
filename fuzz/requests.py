"""Malformed requests to a studio while a session goes on in it.

They are drawn from the description of its interface and by hand: wrong host, origin or secret, too
large, too deep, no UTF-8, tricks with paths, garbage on the socket, connections that are left or
never say anything.
"""

from __future__ import annotations

import random
import socket
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from fuzz.campaign import Campaign
from fuzz.plans import Rng
from fuzz.tally import Tally

SIZE = 100
"""Requests to one studio."""
HANGING = 40
"""Connections that never say anything: more than a studio takes."""
OFTEN = 10
"""Requests between two edits of the session."""
SECRET = "a word that nobody is told"
MODEL = Path(__file__).resolve().parents[1] / "examples" / "models" / "double_pendulum.yaml"


def attempt(rng: Rng, tally: Tally) -> None:
    """A studio under siege."""
    from tests.studio.conftest import running_studio

    chance = random.Random(int(rng.integers(2**31)))
    with tempfile.TemporaryDirectory() as place, ExitStack() as stack:
        outside, folder = Path(place) / "secret.yaml", Path(place) / "in"
        outside.write_text(f"name: {SECRET}\n", encoding="utf-8")
        folder.mkdir()
        file = folder / MODEL.name
        file.write_bytes(MODEL.read_bytes())
        studio = stack.enter_context(running_studio(file))
        client = studio.client()
        port = int(studio.origin.rpartition(":")[2])
        for _ in range(HANGING):
            stack.enter_context(socket.create_connection(("127.0.0.1", port)))
        cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
        for k in range(SIZE):
            known = {} if chance.random() < 0.2 else {"Cookie": cookie}
            ask(chance, port, known, tally)
            if k % OFTEN == 0:
                go_on(client, k, tally)
        text = client.get("/api/document").json()["text"]
        last = (SIZE - 1) // OFTEN * OFTEN
        tally.expect("nothing is lost", f"upper: [{last}, 1]" in text, text[-200:])
        left = sorted(path.name for path in folder.iterdir())
        tally.expect("nothing is written", left == [".kinetree", file.name], str(left))
        same = file.read_bytes() == MODEL.read_bytes()
        tally.expect("the file is as it was", same and SECRET in outside.read_text("utf-8"))


def ask(chance: random.Random, port: int, known: dict[str, str], tally: Tally) -> None:
    """One malformed request."""
    from tests.studio.malformed import draw

    request = draw(chance)
    status, answer = request.exchange(port, known)
    told = f"{status} for {str(request)[:300]}"
    tally.expect("no answer of the 500s", status < 500, told)
    tally.expect("no trace of the program", b"Traceback" not in answer, told)
    read = SECRET.encode() in answer or b"root:" in answer
    tally.expect("nothing outside is read", not read, told)


def go_on(client: Any, number: int, tally: Tally) -> None:
    """An edit of the session."""
    base = client.get("/api/document").json()["revision"]
    said = {"base": base, "operations": [["place", "upper", number, 1]], "label": "edit"}
    answer = client.post("/api/document/edit", json=said)
    tally.expect("the session goes on", answer.is_success, answer.text[:200])


CAMPAIGN = Campaign(
    "requests",
    "malformed requests to a studio in which a session goes on",
    attempt,
    short=SIZE,
    long=20_000,
    size=SIZE,
    slices=10,
)
