"""Eight samples to rows of lanes and back, in LLVM IR.

Two components of all eight samples at a time: pairs of neighbouring doubles are read, put side by
side and interleaved, which takes fewer shuffles than a square transposition.  Up to STRAIGHT
components this is straight code, else, or where code has to be short, a loop over stretches of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kinetree.targets.native.llvm import Code
from kinetree.targets.native.values import INT, PTR, REAL, Value, vector

LANES = 8
"""Evaluations side by side."""
STRAIGHT = 48
"""Components up to which packing is written out."""
STRETCH = 8
"""Components per turn of the loop otherwise."""
LINE = 64
"""Bytes to which rows of lanes are aligned."""
ROW, PAIR = vector(REAL, LANES), vector(REAL, 2)
EVEN, ODD = (0, 8, 2, 10, 4, 12, 6, 14), (1, 9, 3, 11, 5, 13, 7, 15)
Stretch = Callable[[Sequence[Value], Value, int, tuple[Value, ...]], tuple[Value, ...]]
"""(samples, rows, number of components, carried) -> carried: straight code for some components."""


def pack_definition(size: int, short: bool) -> str:
    """IR of `kt.pack.SIZE(from, step, to, bad)`: rows of lanes, and a row that tells of infinities.

    Zero times infinity is not a number, so the running sum of all values times zero tells.
    """
    arguments = [(PTR, "from"), (INT, "step"), (PTR, "to"), (ROW, "bad")]
    code = Code(f"kt.pack.{size}", ROW, arguments, "noinline nounwind")
    (seen,) = _move(code, size, short, code.argument("step"), (code.argument("bad"),), _pack)
    code.leave(seen)
    return code.text()


def unpack_definition(size: int, short: bool) -> str:
    """IR of `kt.unpack.SIZE(rows, samples)`: the components of one sample after the other."""
    code = Code(f"kt.unpack.{size}", "void", [(PTR, "to"), (PTR, "from")], "noinline nounwind")
    _move(code, size, short, code.constant(size, INT), (), _unpack)
    code.leave()
    return code.text()


def _move(
    code: Code, size: int, short: bool, step: Value, carried: tuple[Value, ...], stretch: Stretch
) -> tuple[Value, ...]:
    """All components: straight code, or a loop over stretches and the rest."""
    samples, rows = [code.at(code.argument("from"), 0)], code.argument("to")
    for _ in range(LANES - 1):
        samples.append(code.at(samples[-1], step))
    if size <= (STRETCH if short else STRAIGHT):
        return stretch(samples, rows, size, carried)

    def turn(i: Value, now: tuple[Value, ...]) -> tuple[Value, ...]:
        offset = i * STRETCH
        to = code.at(rows, i * (STRETCH * LANES))
        return stretch([code.at(r, offset) for r in samples], to, STRETCH, now)

    turns, rest = divmod(size, STRETCH)
    carried = code.repeat(0, turns, carried, turn)
    offset = turns * STRETCH
    end = code.at(rows, offset * LANES)
    return stretch([code.at(r, offset) for r in samples], end, rest, carried)


def _pack(
    samples: Sequence[Value], to: Value, size: int, carried: tuple[Value, ...]
) -> tuple[Value, ...]:
    """Samples to rows, and the running sum behind them.

    Even and odd components have sums of their own, so that the chain of additions is half as long.
    """
    code = to.code
    assert isinstance(code, Code)
    sums = [*carried, code.constant(0.0, ROW)]
    for component in range(0, size, 2):
        pack = _pack_pair if component + 1 < size else _pack_single
        for k, row in enumerate(pack(code, samples, component)):
            code.store(row, code.at(to, LANES * (component + k)), LINE)
            sums[k] = sums[k] + row * 0.0
    with code.exact():
        return (sums[0] + sums[1],)


def _pack_pair(code: Code, samples: Sequence[Value], component: int) -> list[Value]:
    """Two components of eight samples become two rows."""
    pairs = [code.load(code.at(r, component), PAIR) for r in samples]
    even, odd = (_join(code, pairs[start::2]) for start in (0, 1))
    return [code.shuffle(even, odd, order) for order in (EVEN, ODD)]


def _join(code: Code, pairs: Sequence[Value]) -> Value:
    """Pairs of four samples side by side."""
    a, b = (code.shuffle(pairs[k], pairs[k + 1], range(4)) for k in (0, 2))
    return code.shuffle(a, b, range(8))


def _pack_single(code: Code, samples: Sequence[Value], component: int) -> list[Value]:
    """The last component of an odd number."""
    row = Value(code, ROW, "poison")
    for lane, r in enumerate(samples):
        row = code.with_lane(row, code.load(code.at(r, component)), lane)
    return [row]


def _unpack(
    samples: Sequence[Value], rows: Value, size: int, carried: tuple[Value, ...]
) -> tuple[Value, ...]:
    """Rows to samples."""
    code = rows.code
    assert isinstance(code, Code)
    for component in range(0, size, 2):
        count = min(2, size - component)
        read = [code.load(code.at(rows, LANES * (component + k)), ROW, LINE) for k in range(count)]
        both = (
            [code.shuffle(read[0], read[1], order) for order in (EVEN, ODD)] if count == 2 else read
        )
        for lane, r in enumerate(samples):
            pair = (lane // 2 * 2, lane // 2 * 2 + 1)
            value = code.shuffle(both[lane % 2], None, pair) if count == 2 else code.lane(
                both[0], lane
            )  # fmt: skip
            code.store(value, code.at(r, component))
    return carried
