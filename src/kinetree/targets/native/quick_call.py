"""The quick way into native code: one evaluation of arrays that are just right.

What Python does around a native call of a tenth of a microsecond decides how long it takes.  So the
few steps are written out for the inputs and outputs of one function, as its source would be by
hand: looked up, compared, copied into one buffer, called, copied out of another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kinetree.arrays import Array
from kinetree.targets.native.ports import DOUBLE, Port

QuickCall = Callable[..., "dict[str, Array] | None"]
"""(arrays by name, buffers of the thread, address of the constants, check) -> outputs by name.

None where an array is missing, of another kind or of another shape.
"""


def quick_call(
    variables: Sequence[Port], outputs: Sequence[Port], call: Callable[..., bool]
) -> QuickCall:
    """The quick way into a function.

    Args:
        variables: inputs that are not parameters.
        outputs: what comes out.
        call: (x, c, y) -> whether an input needs to be looked at; addresses.
    """
    right = " and ".join(_fits(k, row) for k, row in enumerate(variables))
    views = "".join(f"v{k}, " for k in range(len(variables)))
    lines = ["def quick(arrays, local, constants, check):", "    try:"]
    lines += [f"        a{k} = arrays[n{k}]" for k in range(len(variables))]
    lines += [f"        if not ({right or True}):", "            return None"]
    lines += ["    except (KeyError, AttributeError):", "        return None"]
    lines += [f"    {views}= local['views']"] if variables else []
    lines += [f"    v{k}[...] = a{k}" for k in range(len(variables))]
    lines += ["    x, y = local['at']", "    if call(x, constants, y) and check:"]
    lines += ["        refuse(local['views'])", "    y = local['y'].copy()"]
    lines += [
        f"    return {{{', '.join(_output(k, row, outputs) for k, row in enumerate(outputs))}}}"
    ]

    def refuse(views: Sequence[Array]) -> None:
        for port, view in zip(variables, views, strict=True):
            port.refuse(view)

    known: dict[str, Any] = {"call": call, "double": DOUBLE, "refuse": refuse}
    known |= {f"n{k}": row.name for k, row in enumerate(variables)}
    known |= {f"s{k}": row.shape for k, row in enumerate(variables)}
    known |= {f"o{k}": row.name for k, row in enumerate(outputs)}
    known |= {f"t{k}": row.shape for k, row in enumerate(outputs)}
    exec("\n".join(lines), known)  # numbers alone are written; names are values
    found: QuickCall = known["quick"]
    return found


def _fits(k: int, row: Port) -> str:
    """The condition that an argument is just right; a scalar may be a number of Python."""
    array = f"a{k}.shape == s{k} and a{k}.dtype is double"
    return array if row.shape else f"(type(a{k}) is float or {array})"


def _output(k: int, row: Port, outputs: Sequence[Port]) -> str:
    """One item of the dictionary that is returned."""
    whole = len(outputs) == 1
    part = "y" if whole else f"y[{row.start}:{row.stop}]"
    return f"o{k}: {part}" if len(row.shape) == 1 else f"o{k}: {part}.reshape(t{k})"
