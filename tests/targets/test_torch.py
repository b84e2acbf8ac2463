"""PyTorch runs the corpus in batches, and differentiates and maps through iterations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from approx import FORMALISM, IDENTITY, assert_close
from targets.cases import assert_cases, case
from targets.registry import RUNS
from targets.test_texts import curvature, derivative, split, stacked

pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script:DeprecationWarning")
torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")


def test_functions_of_batches() -> None:
    found = {}
    for name in RUNS["torch"]:
        function = case(name).program.compile(target="torch")
        with torch.no_grad():
            values = function(**stacked(name))
        found[name] = split(name, {key: row.numpy() for key, row in values.items()})
    assert_cases(found, IDENTITY)


@pytest.mark.parametrize("kind", ["jacfwd", "jacrev"])
@pytest.mark.parametrize("name", ["four_bar", "crank", "forced", "arm_forward"])
def test_derivatives_of_a_mapped_function(name: str, kind: str) -> None:
    function = case(name).program.compile(target="torch")
    batch = {key: torch.tensor(row) for key, row in stacked(name).items()}
    rest = {key: row for key, row in batch.items() if key != "q"}

    def qdd(q: Any, others: dict[str, Any]) -> Any:
        return function(q=q, **others)["qdd"]

    found = torch.func.vmap(getattr(torch.func, kind)(qdd))(batch["q"], rest).detach().numpy()
    for row, state in zip(found, case(name).states, strict=True):
        assert_close(row, derivative(name, state), FORMALISM, f"{kind} of {name}")


def test_autograd_goes_through_a_batch() -> None:
    function = case("four_bar").program.compile(target="torch")
    batch = {key: torch.tensor(row) for key, row in stacked("four_bar").items()}
    batch["q"].requires_grad_()
    (slope,) = torch.autograd.grad(function(**batch)["qdd"].sum(), batch["q"])
    for row, state in zip(slope.numpy(), case("four_bar").states, strict=True):
        assert_close(row, derivative("four_bar", state).sum(axis=0), FORMALISM)


def test_second_derivatives_of_a_solution() -> None:
    function = case("kepler").program.compile(target="torch")
    m = torch.tensor(0.7, dtype=float, requires_grad=True)
    E = function(m=torch.stack([m, torch.tensor(0.4, dtype=float)]))["E"][0]
    (first,) = torch.autograd.grad(E, m, create_graph=True)
    (second,) = torch.autograd.grad(first, m)
    assert_close(np.array(second.item()), np.array(curvature(0.4, 0.7)), FORMALISM)
