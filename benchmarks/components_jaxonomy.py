"""The ladder in jaxonomy: prints processor seconds to the compiled system, as JSON.

Run by `components.py`, with the interpreter that has jaxonomy: `python components_jaxonomy.py 16`.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any


def compile_ladder(n: int) -> Any:
    """The system of n resistors and capacitors behind a source."""
    from jaxonomy.acausal import AcausalCompiler, AcausalDiagram, EqnEnv, electrical

    env, diagram = EqnEnv(), AcausalDiagram()
    source, ground = electrical.VoltageSource(env, name="v", v=5.0), electrical.Ground(env, "g")
    diagram.connect(source, "n", ground, "p")
    before = (source, "p")
    for k in range(n):
        R = electrical.Resistor(env, name=f"r{k}", R=1e3)
        C = electrical.Capacitor(
            env, name=f"c{k}", C=1e-6, initial_voltage=0.0, initial_voltage_fixed=True
        )
        diagram.connect(*before, R, "p")
        diagram.connect(R, "n", C, "p")
        diagram.connect(C, "n", ground, "p")
        before = (R, "n")
    return AcausalCompiler(env, diagram).generate_acausal_system()


if __name__ == "__main__":
    import jaxonomy.acausal  # noqa: F401  its import is not counted

    began = time.process_time()
    compile_ladder(int(sys.argv[1]))
    print(json.dumps({"sorted": time.process_time() - began}))
