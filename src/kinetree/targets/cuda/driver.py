"""The CUDA driver by ctypes: machine code is loaded and launched, memory is moved, time is taken.

This file needs nothing but Python and the driver's own library, so that machine code made elsewhere
can be run and measured on a machine where nothing else is installed.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from typing import Any

LIBRARIES = ("libcuda.so.1", "nvcuda.dll")
REGISTERS, LOCAL_BYTES = 4, 3
"""Numbers of function attributes in the driver's interface."""
MULTIPROCESSORS, MAJOR, MINOR, CLOCK = 16, 75, 76, 13
"""Numbers of device attributes."""


class DriverError(RuntimeError):
    """The driver is missing or refused something."""


@cache
def library() -> ctypes.CDLL | None:
    """The driver's library, ready for use; None where there is no driver or no GPU."""
    for name in LIBRARIES:
        try:
            found = ctypes.CDLL(name)
        except OSError:
            continue
        count = ctypes.c_int()
        if found.cuInit(0) == 0 and found.cuDeviceGetCount(ctypes.byref(count)) == 0:
            return found if count.value else None
    return None


def _call(name: str, *arguments: Any) -> None:
    found = library()
    if found is None:
        raise DriverError("no CUDA driver with a GPU is present on this machine")
    status = found[name](*arguments)
    if status:
        text = ctypes.c_char_p()
        found.cuGetErrorString(status, ctypes.byref(text))
        said = (text.value or b"unknown error").decode()
        raise DriverError(f"{name}: {said} ({status})")


class Device:
    """The first GPU, with its primary context current in this thread."""

    def __init__(self, number: int = 0) -> None:
        self.handle = ctypes.c_int()
        _call("cuDeviceGet", ctypes.byref(self.handle), number)
        self.context = ctypes.c_void_p()
        _call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), self.handle)
        _call("cuCtxSetCurrent", self.context)

    @property
    def name(self) -> str:
        """What the maker calls it."""
        text = ctypes.create_string_buffer(256)
        _call("cuDeviceGetName", text, 256, self.handle)
        return text.value.decode()

    def attribute(self, number: int) -> int:
        """A number that the driver knows about it."""
        value = ctypes.c_int()
        _call("cuDeviceGetAttribute", ctypes.byref(value), number, self.handle)
        return value.value

    @property
    def arch(self) -> str:
        """Its architecture, such as sm_90."""
        return f"sm_{self.attribute(MAJOR)}{self.attribute(MINOR)}"

    def allocate(self, size: int) -> int:
        """Address of that many bytes."""
        address = ctypes.c_uint64()
        _call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
        return address.value

    def release(self, address: int) -> None:
        """Give memory back."""
        _call("cuMemFree_v2", ctypes.c_uint64(address))

    def upload(self, address: int, host: int, size: int) -> None:
        """Copy bytes from host memory."""
        _call("cuMemcpyHtoD_v2", ctypes.c_uint64(address), ctypes.c_void_p(host),
              ctypes.c_size_t(size))  # fmt: skip

    def download(self, host: int, address: int, size: int) -> None:
        """Copy bytes to host memory."""
        _call("cuMemcpyDtoH_v2", ctypes.c_void_p(host), ctypes.c_uint64(address),
              ctypes.c_size_t(size))  # fmt: skip

    def synchronise(self) -> None:
        """Wait until everything is done."""
        _call("cuCtxSynchronize")


class Module:
    """Machine code, loaded in the current context."""

    def __init__(self, image: bytes) -> None:
        self.handle = ctypes.c_void_p()
        _call("cuModuleLoadData", ctypes.byref(self.handle), image)

    def kernel(self, name: str) -> CudaKernel:
        """A kernel by name."""
        handle = ctypes.c_void_p()
        _call("cuModuleGetFunction", ctypes.byref(handle), self.handle, name.encode())
        return CudaKernel(handle, self)


class CudaKernel:
    """Something to launch."""

    def __init__(self, handle: ctypes.c_void_p, module: Module) -> None:
        self.handle, self.module = handle, module

    def attribute(self, number: int) -> int:
        """A number that the driver knows about it."""
        value = ctypes.c_int()
        _call("cuFuncGetAttribute", ctypes.byref(value), number, self.handle)
        return value.value

    def resident(self, block: int) -> int:
        """Blocks of that many threads that fit on a multiprocessor at once."""
        value = ctypes.c_int()
        _call("cuOccupancyMaxActiveBlocksPerMultiprocessor", ctypes.byref(value), self.handle,
              block, ctypes.c_size_t(0))  # fmt: skip
        return value.value

    def launch(self, count: int, block: int, arguments: Sequence[Any], stream: int = 0) -> None:
        """One thread per system.

        Args:
            count: number of systems, the kernel's first argument.
            block: threads per block.
            arguments: the others: addresses as integers, structures as ctypes objects.
            stream: handle of the stream to launch in.
        """
        held: list[Any] = [ctypes.c_uint32(count)]
        held += [ctypes.c_uint64(a) if isinstance(a, int) else a for a in arguments]
        pointers = (ctypes.c_void_p * len(held))(*(ctypes.addressof(a) for a in held))
        blocks = -(-count // block)
        _call("cuLaunchKernel", self.handle, blocks, 1, 1, block, 1, 1, 0,
              ctypes.c_void_p(stream), pointers, None)  # fmt: skip


class Stopwatch:
    """Time between two moments on the device."""

    def __init__(self) -> None:
        self.events = [ctypes.c_void_p(), ctypes.c_void_p()]
        for event in self.events:
            _call("cuEventCreate", ctypes.byref(event), 0)

    def start(self) -> None:
        """The first moment."""
        _call("cuEventRecord", self.events[0], None)

    def stop(self) -> float:
        """Seconds since the first moment, once all work before this call is done."""
        _call("cuEventRecord", self.events[1], None)
        _call("cuEventSynchronize", self.events[1])
        milliseconds = ctypes.c_float()
        _call("cuEventElapsedTime", ctypes.byref(milliseconds), *self.events)
        return milliseconds.value * 1e-3
