"""A process beside the server that derives: it may take long, or all of its memory, or be ended.

It is `python -m kinetree.studio.helper`: it reads requests as lines of JSON, [name, arguments], and
answers each with a line.  What it derived last is kept there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import warnings
from typing import Any

from kinetree.errors import KinetreeError, UnsupportedError
from kinetree.studio.runs.worker import limit_memory, memory_limit, step_back

PATIENCE = 300.0
"""Longest time for an answer [s]."""
LONGEST = 64_000_000
"""Most characters of an answer."""


class HelperProcess:
    """Asks another process, and ends it where it takes too long or is told to."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._turn = threading.Lock()

    def ask(self, name: str, *arguments: Any) -> str:
        """The answer to a request, as JSON.

        Raises:
            KinetreeError: with what the other process says is wrong, or why it ended.
        """
        with self._turn:
            process = self._running()
            assert process.stdin is not None
            assert process.stdout is not None
            watch = threading.Timer(PATIENCE, process.kill)
            watch.daemon = True
            watch.start()
            try:
                process.stdin.write(json.dumps([name, arguments]) + "\n")
                process.stdin.flush()
                line = process.stdout.readline(LONGEST)
            except OSError:
                line = ""
            finally:
                watch.cancel()
        if not line.endswith("\n"):
            self.cancel()
            raise UnsupportedError(
                "it was ended: cancelled, too long, or out of memory", element=name,
                cure="ask for a smaller part, or another formalism",
            )  # fmt: skip
        kind, _, said = line.partition(" ")
        if kind == "error":
            raise KinetreeError(json.loads(said))
        return said

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None or self._process.poll() is not None:
            self._close_pipes()
            line = [sys.executable, "-m", "kinetree.studio.helper", str(memory_limit())]
            self._process = subprocess.Popen(
                line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                text=True, encoding="utf-8",
            )  # fmt: skip
        return self._process

    def cancel(self) -> None:
        """End the process; the next request starts another."""
        process = self._process
        if process is not None:
            process.kill()
            process.wait()

    def close(self) -> None:
        """End it for good."""
        self.cancel()
        self._close_pipes()
        self._process = None

    def _close_pipes(self) -> None:
        for pipe in () if self._process is None else (self._process.stdin, self._process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    continue


def main() -> None:
    """Answer line by line; what others print goes nowhere."""
    from kinetree.studio.panes import equations, handing_on  # noqa: PLC0415  in limited memory

    functions = {**equations.FUNCTIONS, **handing_on.FUNCTIONS}
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        name, arguments = json.loads(line)
        try:
            said = f"answer {functions[name](*arguments).model_dump_json()}"
        except KinetreeError as error:
            said = f"error {json.dumps(str(error))}"
        except MemoryError:
            told = "equations: they do not fit into the memory of the helper; ask for less"
            said = f"error {json.dumps(told)}"
        except RecursionError:
            told = "equations: an expression is nested too deeply; divide it into parts"
            said = f"error {json.dumps(told)}"
        out.write(said + "\n")
        out.flush()


if __name__ == "__main__":
    limit_memory(int(sys.argv[1]))
    step_back()
    main()
