"""The equations themselves: names, notes, text and LaTeX."""

from pathlib import Path

import kinetree as kt
from kinetree import engine

model = kt.load(Path(__file__).parent / "models" / "double_pendulum.yaml")
program = kt.derive(model, "mass_bias", formalism="newton_euler")

print(program.show())

print("\nfive of them as LaTeX, with their notes:")
for block in program.blocks[-5:]:
    for target, expr in zip(block.targets, block.operands, strict=False):
        print(f"  {engine.latex(target)} = {engine.latex(expr)}   % {block.note}")
