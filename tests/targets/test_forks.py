"""Processes made by fork while threads compile and call: no child inherits a lock that is taken."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FORKS = 20
CODE = """
import os, sys, threading, time
import numpy as np
import kinetree as kt, zoo
folder, forks = sys.argv[1], int(sys.argv[2])
os.environ["KINETREE_CACHE"] = "off"
q = np.array([0.3, -0.2, 0.1])
program = kt.derive(zoo.chain(3), "inverse")
call = dict(q=q, qd=q, qdd=q)
expected = program.evaluate(**call)["tau"]
shared = program.compile()
parameters = shared.preamble_values().size and program.input("p").default
done = threading.Event()

def compiling():
    while not done.is_set():
        kt.derive(zoo.chain(4), "forward").compile()

def calling():
    p = np.array(parameters)
    while not done.is_set():
        p = p * (1 + 1e-9)
        shared(**call, p=p)
        shared(q=np.tile(q, (64, 1)), qd=q, qdd=q)

def child():
    own = kt.derive(zoo.chain(3), "inverse").compile(tier="quick")
    for function in (own, shared):
        assert np.allclose(function(**call)["tau"], expected)
        function(**call, p=np.array(parameters) * 2)
        assert np.allclose(function(q=np.tile(q, (64, 1)), qd=q, qdd=q)["tau"], expected)

threads = [threading.Thread(target=work) for work in (compiling, calling)]
for thread in threads:
    thread.start()
children = []
for k in range(forks):
    time.sleep(0.01 * (k % 5))
    number = os.fork()
    if not number:
        try:
            child()
        except BaseException:
            import traceback
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    children.append(number)
    if len(children) == 2:
        assert [os.waitpid(children.pop(), 0)[1] for _ in range(2)] == [0, 0]
done.set()
for thread in threads:
    thread.join()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")
def test_children_forked_while_a_thread_compiles_derive_compile_and_evaluate(
    tmp_path: Path,
) -> None:
    path = os.pathsep.join(part for part in sys.path if part)
    subprocess.run(
        [sys.executable, "-c", CODE, str(tmp_path), str(FORKS)],
        check=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": path},
    )
