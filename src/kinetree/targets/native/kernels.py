"""The compiled kernels of a Program, each made when it is first asked for.

A single evaluation and the preamble are one object; the batch is another; a batch in which the
parameters differ from sample to sample is a third, rarely needed.  What is kept and pickled are the
tapes, so that another process, or another processor, compiles or finds its own code.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kinetree.targets.native import jit
from kinetree.targets.native.batch import batch_definition, block_size
from kinetree.targets.native.cache import default_cache
from kinetree.targets.native.ir import UNLIKELY, checked_definition, helpers, kernel
from kinetree.targets.native.packing import LANES
from kinetree.targets.native.plan import Plan, plan
from kinetree.targets.native.writer import Options

if TYPE_CHECKING:
    from kinetree.targets.lowering import Lowered
    from kinetree.targets.tape import Tape

BODY, PREAMBLE, CHECKED = "kt_body", "kt_preamble", "kt_checked"


@dataclass(frozen=True, slots=True)
class BatchKernel:
    """A loop over blocks of samples.

    Attributes:
        address: of the loop.
        work: doubles of work space that it needs.
        library: the code.
        body: address of `void f(x, c, y, w)` for one block, eight doubles side by side each.
        body_work: doubles of work space w of one block.
    """

    address: int
    work: int
    library: jit.Library
    body: int
    body_work: int


@dataclass(slots=True)
class Kernels:
    """Compiles on demand.

    Attributes:
        lowered: the tapes.
        inputs, outputs: sizes of the variable inputs and of the outputs, in order.
        parameters: sizes of the parameter inputs, in order.
        strict: keep every rounding.
        tier: `quick` or `full`.
        store: whether objects are kept on disk.
    """

    lowered: Lowered
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    parameters: tuple[int, ...]
    strict: bool = False
    tier: str = "full"
    store: bool = True
    _made: dict[str, Any] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __getstate__(self) -> tuple[Any, ...]:
        return (
            self.lowered, self.inputs, self.outputs, self.parameters, self.strict, self.tier,
            self.store,
        )  # fmt: skip

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        names = ("lowered", "inputs", "outputs", "parameters", "strict", "tier", "store")
        for name, value in zip(names, state, strict=True):
            setattr(self, name, value)
        self._made = {}
        self._lock = threading.Lock()

    def single(self) -> jit.Library:
        """Addresses of one evaluation, bare and checked, and of the preamble."""
        with self._lock:
            if "single" not in self._made:
                self._made["single"] = self._link(self.single_text(), (BODY, PREAMBLE, CHECKED))
            made: jit.Library = self._made["single"]
            return made

    def batch(self, constant_lanes: bool = False) -> BatchKernel:
        """The loop over samples; with parameters per sample their preamble results are an input."""
        inputs = self.inputs
        if constant_lanes:
            inputs = (*inputs, len(self.lowered.preamble.outputs))
        return self._batch(self.lowered.body, inputs, self.outputs, constant_lanes)

    def preamble_batch(self) -> BatchKernel:
        """The loop over samples of parameters."""
        outputs = (len(self.lowered.preamble.outputs),)
        return self._batch(self.lowered.preamble, self.parameters, outputs, False)

    def single_text(self) -> str:
        """IR of one evaluation and of the preamble."""
        options = Options(strict=self.strict, fused=jit.host().fused)
        body, preamble = plan(self.lowered.body, 1), plan(self.lowered.preamble, 1)
        parts = [
            helpers((body, preamble), options),
            kernel(body, BODY, options),
            kernel(preamble, PREAMBLE, options),
            checked_definition(CHECKED, BODY, sum(self.inputs)),
            UNLIKELY,
        ]
        return "\n".join(parts)

    def _batch(
        self, tape: Tape, inputs: tuple[int, ...], outputs: tuple[int, ...], constant_lanes: bool
    ) -> BatchKernel:
        label = f"batch {tape is self.lowered.body} {constant_lanes}"
        with self._lock:
            if label not in self._made:
                made = plan(tape, LANES)
                text = self._batch_text(made, inputs, outputs, constant_lanes)
                library = self._link(text, (f"{BODY}.batch", BODY))
                work = sum(block_size(inputs, outputs)) + made.workspace
                address = library.addresses[f"{BODY}.batch"]
                body = library.addresses[BODY]
                self._made[label] = BatchKernel(address, work, library, body, made.workspace)
            found: BatchKernel = self._made[label]
            return found

    def _batch_text(
        self, made: Plan, inputs: tuple[int, ...], outputs: tuple[int, ...], constant_lanes: bool
    ) -> str:
        options = Options(LANES, self.strict, jit.host().fused, constant_lanes)
        parts = [
            helpers((made,), options),
            kernel(made, BODY, options),
            batch_definition(
                BODY, inputs, outputs, constant_lanes=constant_lanes, short=made.large
            ),
            UNLIKELY,
        ]
        return "\n".join(parts)

    def _link(self, text: str, names: tuple[str, ...]) -> jit.Library:
        store = default_cache() if self.store else None
        return jit.link(jit.object_code(text, self.tier, store), names)
