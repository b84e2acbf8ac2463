"""Each law of a well-formed Program is seen to be broken."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.program.programs import PARAMETERS, STATE, k, local, m, small, x, y, z

from kinetree import engine as en
from kinetree.program import Assign, Output, Program, Solve
from kinetree.program.verify import BrokenProgramError, problems, verify

u, v = local("u"), local("v")
GOOD = small({"u": x * y, "v": u + local("P")}, {"out": v}, {"P": m * k})


def system(n: int, wide: int, matrix: tuple[en.Node, ...], *, symmetric: bool) -> Solve:
    targets = tuple(local(f"X{i}") for i in range(n * wide))
    return Solve(targets, matrix, (x,) * (n * wide), n, wide, symmetric)


def with_block(block: Assign | Solve) -> Program:
    return replace(GOOD, blocks=(*GOOD.blocks, block))


BROKEN: dict[str, tuple[Program, str]] = {
    "undefined operand": (with_block(Assign(local("t"), local("who"))), "'t' uses 'who' before"),
    "defined too late": (replace(GOOD, blocks=GOOD.blocks[::-1]), "'v' uses 'u' before"),
    "defined twice": (with_block(Assign(u, x)), "'u' is defined twice"),
    "input redefined": (with_block(Assign(x, y)), "'x' is defined twice"),
    "same name, other rank": (with_block(Assign(en.symbol("u"), x)), "'u' is defined twice"),
    "target is no name": (with_block(Assign(x + y, z)), "the target x \\+ y is not a name"),
    "state in the preamble": (
        replace(GOOD, preamble=(*GOOD.preamble, Assign(local("Q"), x * m))),
        "in the preamble, 'Q' uses 'x'",
    ),
    "block in the preamble": (
        replace(GOOD, preamble=(Assign(local("P"), u),)),
        "in the preamble, 'P' uses 'u'",
    ),
    "output of nothing": (
        replace(GOOD, outputs=(Output("out", (1,), (local("who"),)),)),
        "output 'out' uses 'who', which nothing defines",
    ),
    "input shape": (replace(GOOD, inputs=(replace(STATE, shape=(2,)), PARAMETERS)), "3 symbols"),
    "defaults": (
        replace(GOOD, inputs=(STATE, replace(PARAMETERS, default=(1.0,)))),
        "1 default values",
    ),
    "labels": (
        replace(GOOD, inputs=(replace(STATE, labels=("a",)), PARAMETERS)),
        "labels or units missing",
    ),
    "units": (
        replace(GOOD, inputs=(replace(STATE, units=("m",)), PARAMETERS)),
        "labels or units missing",
    ),
    "quaternions": (
        replace(GOOD, inputs=(replace(STATE, quaternions=(0,)), PARAMETERS)),
        "beyond its components",
    ),
    "output shape": (
        replace(GOOD, outputs=(replace(GOOD.outputs[0], shape=(2, 2)),)),
        "but 1 nodes",
    ),
    "output labels": (
        replace(GOOD, outputs=(replace(GOOD.outputs[0], labels=("a", "b")),)),
        "labels missing",
    ),
    "two inputs of a name": (
        replace(GOOD, inputs=(STATE, replace(PARAMETERS, name="s"))),
        "two inputs are called 's'",
    ),
    "two outputs of a name": (
        replace(GOOD, outputs=GOOD.outputs * 2),
        "two outputs are called 'out'",
    ),
    "matrix too small": (with_block(system(2, 1, (x, y, z), symmetric=False)), "entries missing"),
    "unsymmetric": (with_block(system(2, 1, (x, y, z, x), symmetric=True)), "is not symmetric"),
}


def test_a_good_program_passes() -> None:
    assert verify(GOOD) is GOOD
    verify(with_block(system(2, 3, (x, y, y, z), symmetric=True)))
    verify(with_block(system(2, 1, (x, y, z, x), symmetric=False)))


@pytest.mark.parametrize("law", BROKEN)
def test_a_broken_law_is_found_and_named(law: str) -> None:
    program, message = BROKEN[law]
    with pytest.raises(BrokenProgramError, match=message):
        verify(program)
    assert list(problems(program))
