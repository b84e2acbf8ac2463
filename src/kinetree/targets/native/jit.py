"""LLVM by llvmlite: IR text -> object code -> functions in this process.

Objects are made with the small code model (constants beside the code, reached by short
addresses), so they must be linked where code and constants stay together: LLVM's JITLink does that.
"""

from __future__ import annotations

import itertools
import os
import sys
import threading
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from kinetree.targets.native.cache import Cache

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

TIERS = {"quick": 0, "full": 2}
"""Tier -> code generation level: `quick` compiles at once, `full` runs fastest."""
PASSES = ("always_inliner", "instruction_combine")
"""Passes before code generation.  More gain nothing: the tape is condensed already."""
FORMAT = "1"
"""Changes whenever the same IR shall give another object."""

compiling = threading.RLock()
"""Held by whoever makes or links code."""
_numbers = itertools.count()
_held: list[Any] = []


def _before_fork() -> None:
    """Wait until no code is being made: a child that inherits a lock taken would wait for ever."""
    compiling.acquire()
    ffi = sys.modules.get("llvmlite.binding.ffi")
    lock = getattr(getattr(ffi, "lib", None), "_lock", None) or nullcontext()
    lock.__enter__()
    _held.append(lock)


def _after_fork() -> None:
    """In parent and child."""
    _held.pop().__exit__(None, None, None)
    compiling.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork
    )


@cache
def backend() -> Any:
    """LLVM, imported when something is compiled for the first time."""
    with compiling:
        import llvmlite.binding  # noqa: PLC0415  it is large

        llvmlite.binding.initialize_native_target()
        llvmlite.binding.initialize_native_asmprinter()
    return llvmlite.binding


@dataclass(frozen=True, slots=True)
class Host:
    """The processor that code is made for.

    Attributes:
        cpu: LLVM's name of it.
        features: LLVM's list of what it can do.
    """

    cpu: str
    features: str

    @property
    def fused(self) -> bool:
        """Whether it has a fused multiply-add."""
        return not self.cpu_is_x86 or "+fma" in self.features.split(",")

    @property
    def cpu_is_x86(self) -> bool:
        """Whether it is one of the x86 family, where that depends on the model."""
        triple: str = backend().get_default_triple()
        return triple.startswith(("x86_64", "i386", "i686", "amd64"))


@cache
def host() -> Host:
    """The processor that this process runs on."""
    llvm = backend()
    return Host(llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())


def key(text: str, tier: str) -> tuple[str, ...]:
    """What an object depends on."""
    here = host()
    return (text, tier, *_maker(), here.cpu, here.features)


@cache
def _maker() -> tuple[str, ...]:
    """Who makes the objects."""
    llvm = backend()
    release = ".".join(map(str, llvm.llvm_version_info))
    return version("llvmlite"), release, FORMAT, llvm.get_default_triple()


def object_code(text: str, tier: str, store: Cache | None) -> bytes:
    """The object of that IR, from the store where it is known."""
    if store is None:
        return compile_object(text, tier)
    parts = key(text, tier)
    found = store.read(parts)
    if found is None:
        found = compile_object(text, tier)
        store.write(parts, found)
    return found


def compile_object(text: str, tier: str) -> bytes:
    """Compile IR; the bytes of a relocatable object."""
    here, llvm = host(), backend()
    with compiling:
        module = llvm.parse_assembly(text)
        module.verify()
        machine = llvm.Target.from_default_triple().create_target_machine(
            cpu=here.cpu, features=here.features, opt=TIERS[tier], jit=True,
            codemodel="small", reloc="pic",
        )  # fmt: skip
        module.triple = machine.triple
        module.data_layout = str(machine.target_data)
        options = llvm.create_pipeline_tuning_options(speed_level=TIERS[tier])
        builder = llvm.create_pass_builder(machine, options)
        manager = llvm.create_new_module_pass_manager()
        for name in PASSES[:1] if tier == "quick" else PASSES:
            getattr(manager, f"add_{name}_pass")()
        manager.run(module, builder)
        return bytes(machine.emit_object(module))


@dataclass(frozen=True, slots=True)
class Library:
    """Linked code: addresses of its functions; the code lives as long as this object."""

    addresses: Mapping[str, int]
    tracker: Any


@cache
def _linker() -> Any:
    return backend().create_lljit_compiler(None, use_jit_link=True)


def link(code: bytes, names: Iterable[str]) -> Library:
    """Bring an object into this process."""
    names = tuple(names)
    with compiling:
        builder = backend().JITLibraryBuilder().add_object_img(code).add_current_process()
        for name in names:
            builder.export_symbol(name)
        tracker = builder.link(_linker(), f"kinetree.{next(_numbers)}")
    return Library({name: int(tracker[name]) for name in names}, tracker)
