"""A model file with named parameters: change them at run time, fold them in, write it back."""

from pathlib import Path

import numpy as np

import kinetree as kt

model = kt.load(Path(__file__).parent / "models" / "double_pendulum.yaml")
print(f"{model}\nparameters: {', '.join(model.parameters)}")

inverse = kt.derive(model, "inverse")
labels = inverse.input("p").labels
values = np.array(inverse.input("p").default)
print("run-time parameters:", dict(zip(labels, values.tolist(), strict=True)))

f = inverse.compile()
q = np.array([0.5, 0.2])
still = np.zeros(2)
as_given = f(q=q, qd=still, qdd=still)["tau"]
values[labels.index("m2")] *= 2
heavier = f(q=q, qd=still, qdd=still, p=values)["tau"]
print("holding torques [N.m]:", as_given.round(3), "with twice the lower mass:", heavier.round(3))

folded = kt.derive(model, "inverse", parameters="folded")
print("operations with parameters at run time:", inverse.count().total)
print("operations with parameters folded in:  ", folded.count().total)

kt.save(model, "copy.yaml")
assert kt.load("copy.yaml").content_hash() == model.content_hash()
print("copy.yaml holds the same mechanism")
