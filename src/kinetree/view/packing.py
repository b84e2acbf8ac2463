"""Tables of numbers as short text for a page: smooth columns cost about one byte per entry.

A column is offset + scale·k with integers k (2^24 steps over its range), stored as second
differences, which are small where the column is smooth; their bytes are sorted by weight,
compressed and written as base64.  The viewer undoes it in `unpack` of web/scene/src/payload.ts.
"""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np

from kinetree.arrays import Array

STEPS = 1 << 24
"""Number of steps that the range of a column is divided into."""


def pack(table: Any, finest: float = 0.0) -> dict[str, Any]:
    """The table as data for a page.

    Args:
        table: rows × columns of finite numbers.
        finest: step below which differences do not matter, so that rounding errors of a constant
            column are not kept.
    """
    values = np.asarray(table, dtype=float)
    rows, columns = values.shape
    offset = values.min(axis=0) if rows else np.zeros(columns)
    span = values.max(axis=0) - offset if rows else np.zeros(columns)
    scale = np.maximum(span / STEPS, finest)
    scale[scale == 0] = 1.0
    k = np.rint((values - offset) / scale).astype(np.int64).T
    d = np.diff(k, n=2, axis=1, prepend=np.zeros((columns, 2), dtype=np.int64))
    # the first two rows of k are not smooth continuations of zero: they hold value and slope
    zigzag = ((d << 1) ^ (d >> 63)).astype(np.uint32)
    planes = zigzag.reshape(-1).astype("<u4").view(np.uint8).reshape(-1, 4).T
    return {
        "rows": rows,
        "columns": columns,
        "offset": [float(x) for x in offset],
        "scale": [float(x) for x in scale],
        "data": base64.b64encode(zlib.compress(planes.tobytes(), 9)).decode("ascii"),
    }


def unpack(packed: dict[str, Any]) -> Array:
    """The table behind packed data, as the viewer reads it."""
    rows, columns = packed["rows"], packed["columns"]
    raw = np.frombuffer(zlib.decompress(base64.b64decode(packed["data"])), dtype=np.uint8)
    zigzag = np.ascontiguousarray(raw.reshape(4, -1).T).view("<u4").reshape(columns, rows)
    coded = zigzag.astype(np.int64)
    k = np.cumsum(np.cumsum((coded >> 1) ^ -(coded & 1), axis=1), axis=1)
    return np.asarray(np.array(packed["offset"]) + np.array(packed["scale"]) * k.T)
