"""LLVM by llvmlite: IR text -> object code -> functions in this process.

Objects are made with the small code model (constants beside the code, reached by short
addresses), so they must be linked where code and constants stay together: LLVM's JITLink does that.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import cache, wraps
from importlib.metadata import version
from typing import Any, NamedTuple

from kinetree.targets.native.cache import Cache, default_cache
from kinetree.work import note as note_work

TIERS = {"quick": 0, "full": 2}
"""Tier -> code generation level: `quick` compiles at once, `full` runs fastest."""
LONG = 1_000_000
"""Characters of IR from which the first level is taken: straight code is as fast, and compiled in
three quarters of the time (measured at 76 000 lines)."""
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


def load_or_make(
    what: str,
    tier: str,
    names: Sequence[str],
    write: Callable[[], tuple[str, Sizes]],
    store: Cache | None,
) -> tuple[Library, Sizes]:
    """Linked code with the sizes that belong to it, from the store or made anew.

    Args:
        what: tells the object from others of this processor and tier: its IR or a digest.
        tier: how to compile.
        names: of its functions.
        write: gives the IR and the sizes, where they are not in the store.
        store: where objects are kept; what cannot be linked there is replaced.
    """
    parts = key(what, tier)
    found = store.read(parts) if store is not None else None
    if found is not None:
        head, _, code = found.partition(b"\n")
        with suppress(ValueError, TypeError, RuntimeError):  # of the head, of the linker
            return link(code, names), Sizes(*map(int, json.loads(head)))
    note_work("compiling")
    text, sizes = write()
    note_work("compiling")
    code = compile_object(text, tier)
    if store is not None:
        store.write(parts, json.dumps(sizes).encode() + b"\n" + code)
    return link(code, names), sizes


def one_library(make: Callable[..., Library]) -> Callable[..., Library]:
    """Code that all callers share, made by the first of them; it lives as long as the process.

    Threads that ask at once get the same one: addresses in another would be lost with it.
    """
    known: dict[tuple[Any, ...], Library] = {}

    @wraps(make)
    def library(*key: Any) -> Library:
        if key not in known:
            with compiling:
                if key not in known:
                    known[key] = make(*key)
        return known[key]

    return library


def stored_text(text: str, names: Sequence[str]) -> Library:
    """Linked code of that IR, which is the same for all Programs."""
    return load_or_make(text, "full", names, lambda: (text, Sizes()), default_cache())[0]


def compile_object(text: str, tier: str) -> bytes:
    """Compile IR; the bytes of a relocatable object."""
    here, llvm = host(), backend()
    level = min(TIERS[tier], 1) if len(text) > LONG else TIERS[tier]
    with compiling:
        module = llvm.parse_assembly(text)
        module.verify()
        machine = llvm.Target.from_default_triple().create_target_machine(
            cpu=here.cpu, features=here.features, opt=level, jit=True,
            codemodel="small", reloc="pic",
        )  # fmt: skip
        module.triple = machine.triple
        module.data_layout = str(machine.target_data)
        options = llvm.create_pipeline_tuning_options(speed_level=level)
        builder = llvm.create_pass_builder(machine, options)
        manager = llvm.create_new_module_pass_manager()
        for name in PASSES[:1] if tier == "quick" else PASSES:
            getattr(manager, f"add_{name}_pass")()
        manager.run(module, builder)
        return bytes(machine.emit_object(module))


class Sizes(NamedTuple):
    """What has to be known of an object without its tape.

    Attributes:
        constants: results of the preamble.
        work: about how many operations an evaluation takes.
        space: doubles of work space.
    """

    constants: int = 0
    work: int = 0
    space: int = 0


@dataclass(frozen=True, slots=True)
class Library:
    """Linked code: addresses of its functions; the code lives as long as this object."""

    addresses: Mapping[str, int]
    tracker: Any


@cache
def _linker() -> Any:
    return backend().create_lljit_compiler(None, use_jit_link=True)


def link(code: bytes, names: Sequence[str]) -> Library:
    """Bring an object into this process."""
    with compiling:
        builder = backend().JITLibraryBuilder().add_object_img(code).add_current_process()
        for name in names:
            builder.export_symbol(name)
        tracker = builder.link(_linker(), f"kinetree.{next(_numbers)}")
    note_work("compiling", functions=1)
    return Library({name: int(tracker[name]) for name in names}, tracker)
