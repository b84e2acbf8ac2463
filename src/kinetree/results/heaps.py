"""Global heaps of HDF5 files, looked at before the library reads them.

A heap holds texts and lists of dimensions, object behind object, each with its size.  The library
follows these sizes without looking: where damage has made one zero, it never comes to the end.
"""

from __future__ import annotations

import struct
from pathlib import Path

HEAD = b"GCOL\x01\x00\x00\x00"
"""How a heap begins: signature, version, three zeros; its size follows."""
WINDOW = 1 << 24
"""Bytes at both ends of a file that are searched: heaps are made with the variables, not rows."""
SIZE = 16
"""Bytes before the first object of a heap, and before the content of an object."""


def has_endless_heap(path: Path) -> bool:
    """Whether a file has a heap whose objects lead nowhere."""
    with path.open("rb") as file:
        whole = file.seek(0, 2)
        for start in sorted({0, max(0, whole - WINDOW)}):
            file.seek(start)
            if _has_endless_heap(file.read(WINDOW)):
                return True
    return False


def _has_endless_heap(data: bytes) -> bool:
    at = data.find(HEAD)
    while at >= 0:
        if _is_endless(data, at):
            return True
        at = data.find(HEAD, at + 1)
    return False


def _is_endless(data: bytes, start: int) -> bool:
    """Whether the objects of the heap that begins here do not lead to its end."""
    if start + SIZE > len(data):
        return False
    end = min(start + struct.unpack_from("<Q", data, start + 8)[0], len(data))
    at = start + SIZE
    while at + SIZE <= end:
        index, size = struct.unpack_from("<H6xQ", data, at)
        # object 0 is the space that is left, its head included; others are filled up to 8 bytes
        step = (size if index == 0 else SIZE + (size + 7) // 8 * 8) % 2**64
        if step == 0:
            return True
        at += step
    return False
