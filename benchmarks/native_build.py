"""Compiles the native timing programs once per source, flags and machine."""

from __future__ import annotations

import hashlib
import platform
import shutil
import subprocess
import time
from pathlib import Path

from tests.crosscheck.robots import package_folder

from benchmarks.models import BUILD

HERE = Path(__file__).resolve().parent / "native"
BOOST = (
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
)
NATIVE = ("-O3", "-march=native")


def compiler(name: str) -> str:
    """Path of a compiler; without it there is nothing to measure."""
    path = shutil.which(name)
    if path is None:
        raise SystemExit(f"{name} is not on PATH: install it (Debian: apt install g++ gcc)")
    return path


def key(sources: list[Path], command: list[str]) -> str:
    """Changes whenever a source, the command line, the compiler or the machine changes."""
    digest = hashlib.sha256("\0".join(command).encode())
    digest.update(subprocess.run([command[0], "--version"], capture_output=True, check=True).stdout)
    digest.update(f"{platform.machine()} {processor_flags()}".encode())
    for source in sources:
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def processor_flags() -> str:
    """What -march=native depends on, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line for line in lines if line.startswith("flags")), platform.processor())


def build(target: str, sources: list[Path], command: list[str], announce: str = "") -> Path:
    """Run the compile command unless a result for the same inputs lies in the build folder."""
    BUILD.mkdir(exist_ok=True)
    path = BUILD / f"{target}-{key(sources, command)}"
    if path.exists():
        return path
    if announce:
        print(announce, flush=True)
    start = time.perf_counter()
    draft = path.with_name(path.name + ".part")
    subprocess.run([*command, "-o", str(draft)], check=True)
    draft.rename(path)
    if announce:
        print(f"  done in {time.perf_counter() - start:.0f} s", flush=True)
    return path


def timing_loops() -> Path:
    """The shared library with the timing loops for functions of this process."""
    sources = [HERE / "loops.c", HERE / "timing.h"]
    command = [compiler("gcc"), "-O2", "-shared", "-fPIC", str(sources[0])]
    return build("loops.so", sources, command)


def pinocchio_driver() -> Path:
    """The program that times Pinocchio, compiled from the headers of the installed wheel."""
    prefix = package_folder().parents[2]
    sources = [HERE / "pinocchio_driver.cpp", HERE / "timing.h"]
    includes = ["-I" + str(prefix / "include"), "-isystem", str(prefix / "include" / "eigen3")]
    command = [compiler("g++"), "-std=c++17", *NATIVE, "-DNDEBUG", "-w", *BOOST, *includes]
    command += [str(sources[0]), f"-L{prefix / 'lib'}", f"-Wl,-rpath,{prefix / 'lib'}"]
    return build(
        "pinocchio_driver", sources, command, "building the Pinocchio driver (about 4 minutes)"
    )
