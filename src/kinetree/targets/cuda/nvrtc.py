"""CUDA C -> machine code by NVRTC, NVIDIA's compiler library; no GPU and no toolkit is needed.

The library is taken from the wheel nvidia-cuda-nvrtc, or from wherever the system finds it.
"""

from __future__ import annotations

import ctypes
import importlib.util
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from kinetree.errors import KinetreeError, UnsupportedError
from kinetree.targets.native.cache import default_cache

SYSTEM = ("libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12")
CURE = "install the extra 'cuda': pip install kinetree[cuda]"


@dataclass(frozen=True, slots=True)
class Compiled:
    """Machine code of one file.

    Attributes:
        image: the cubin.
        log: what the compiler said.
        arch: architecture it is for.
    """

    image: bytes
    log: str
    arch: str

    @property
    def registers(self) -> int:
        """Registers of 32 bits per thread, of the last kernel."""
        return _last(r"Used (\d+) registers", self.log)

    @property
    def spilled_bytes(self) -> int:
        """Bytes per thread that do not fit registers and are stored (of all kernels)."""
        return sum(int(x) for x in re.findall(r"(\d+) bytes spill stores", self.log))

    @property
    def stack(self) -> int:
        """Bytes of local memory per thread, of the last kernel."""
        return _last(r"(\d+) bytes stack frame", self.log)


def _last(pattern: str, text: str) -> int:
    found = re.findall(pattern, text)
    return int(found[-1]) if found else 0


def available() -> bool:
    """Whether NVRTC is there."""
    return _library() is not None


@cache
def _library() -> ctypes.CDLL | None:
    for path in (*_wheels(), *map(Path, SYSTEM)):
        try:
            for part in path.parent.glob("libnvrtc-builtins.so*"):
                ctypes.CDLL(str(part))  # found by name later, wherever it lies
            return ctypes.CDLL(str(path))
        except OSError:
            continue
    return None


def _wheels() -> list[Path]:
    """The library inside an installed wheel: nvidia/cu13/lib or nvidia/cuda_nvrtc/lib."""
    try:
        spec = importlib.util.find_spec("nvidia")
    except (ImportError, ValueError):
        return []
    folders = [] if spec is None else list(spec.submodule_search_locations or ())
    found = [path for folder in folders for path in Path(folder).glob("*/lib/libnvrtc.so*")]
    return sorted(found, reverse=True)


def compile_text(
    text: str, name: str, *, arch: str = "sm_90", options: tuple[str, ...] = (), cache: bool = True
) -> Compiled:
    """Compile a file, or find what was made of it before.

    Args:
        text: of the file.
        name: of the file, for messages.
        arch: real architecture, such as sm_90 for Hopper.
        options: more options of NVRTC.
        cache: keep machine code on disk and take it from there.
    """
    library = _library()
    if library is None:
        raise UnsupportedError("CUDA kernels need the compiler library NVRTC", cure=CURE)
    given = (f"--gpu-architecture={arch}", "--std=c++17", "--ptxas-options=-v", *options)
    store = default_cache() if cache else None
    parts = ("cuda", _version(library), *given, text)
    kept = store.read(parts) if store else None
    if kept is None:
        log, image = _compile(library, text, name, given)
        if store:
            store.write(parts, len(log).to_bytes(8, "little") + log + image)
    else:
        end = 8 + int.from_bytes(kept[:8], "little")
        log, image = kept[8:end], kept[end:]
    return Compiled(image, log.decode(errors="replace"), arch)


def _version(library: ctypes.CDLL) -> str:
    major, minor = ctypes.c_int(), ctypes.c_int()
    library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    return f"{major.value}.{minor.value}"


def _compile(
    library: ctypes.CDLL, text: str, name: str, given: tuple[str, ...]
) -> tuple[bytes, bytes]:
    """(what the compiler said, machine code)."""
    program = ctypes.c_void_p()
    library.nvrtcCreateProgram(
        ctypes.byref(program), text.encode(), f"{name}.cu".encode(), 0, None, None
    )
    array = (ctypes.c_char_p * len(given))(*(option.encode() for option in given))
    try:
        status = library.nvrtcCompileProgram(program, len(given), array)
        log = _text(library, program, "ProgramLog").strip(b"\0")
        if status:
            said = log.decode(errors="replace")[:2000]
            raise KinetreeError(f"NVRTC refused it: {said}", element=f"kernel '{name}'")
        return log, _text(library, program, "CUBIN")
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))


def _text(library: ctypes.CDLL, program: ctypes.c_void_p, what: str) -> bytes:
    size = ctypes.c_size_t()
    library[f"nvrtcGet{what}Size"](program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    library[f"nvrtcGet{what}"](program, buffer)
    return buffer.raw
