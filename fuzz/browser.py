"""A browser that may be killed: Chromium in a process group of its own, asked over a socket."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from typing import Any

FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         "--remote-debugging-port=0", "--no-first-run"]  # fmt: skip
CHROMIUM = next((b for name in ("chromium", "google-chrome") if (b := shutil.which(name))), None)
PATIENCE = 60.0
"""Longest wait for an answer [s]."""
SAID = "DevTools listening on "


class GoneError(Exception):
    """The browser is not there any more."""


class Browser:
    """Chromium with one page."""

    def __init__(self, origin: str, cookies: dict[str, str]) -> None:
        """Open a page.

        Args:
            origin: its address.
            cookies: that it has.
        """
        from websockets.sync.client import connect

        assert CHROMIUM is not None
        self._folder = tempfile.mkdtemp()
        line = [CHROMIUM, *FLAGS, f"--user-data-dir={self._folder}", "about:blank"]
        self.process = subprocess.Popen(
            line, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
            start_new_session=True,
        )  # fmt: skip
        assert self.process.stderr is not None
        address = next(row for row in self.process.stderr if row.startswith(SAID))
        self._wire = connect(address.removeprefix(SAID).strip(), max_size=None, proxy=None)
        self._number, self._session = 0, ""
        page = self.ask("Target.createTarget", url="about:blank")["targetId"]
        found = self.ask("Target.attachToTarget", targetId=page, flatten=True)
        self._session = str(found["sessionId"])
        rows = [{"name": k, "value": v, "url": origin} for k, v in cookies.items()]
        self.ask("Network.setCookies", cookies=rows)
        self.ask("Page.navigate", url=origin)

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """What the browser answers.

        Raises:
            GoneError: where it is not there any more.
        """
        from websockets.exceptions import ConnectionClosed

        self._number += 1
        said = {"id": self._number, "method": method, "params": params}
        if self._session:
            said["sessionId"] = self._session
        try:
            self._wire.send(json.dumps(said))
            while (row := json.loads(self._wire.recv(timeout=PATIENCE))).get("id") != self._number:
                pass
        except (ConnectionClosed, OSError) as error:
            raise GoneError(str(error)) from None
        found: dict[str, Any] = row.get("result", {})
        return found

    def script(self, text: str) -> Any:
        """The value of a script, awaited."""
        said = self.ask("Runtime.evaluate", expression=text, awaitPromise=True, returnByValue=True)
        return said.get("result", {}).get("value")

    def kill(self) -> None:
        """End all its processes at once, as a plug that is pulled."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def close(self) -> None:
        """End it, and take its folder away."""
        self.kill()
        self.process.wait()
        if self.process.stderr is not None:
            self.process.stderr.close()
        try:
            self._wire.close()
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)
