"""The compiled kernels of a Program, each made when it is first asked for.

A single evaluation and the preamble are one object; the batch is another; a batch in which the
parameters differ from sample to sample is a third, rarely needed.  What is kept and pickled are the
tapes, so that another process, or another processor, compiles or finds its own code.

An object on disk is found by the digest of its Program, and some sizes stand beside it: where it is
found, no tape is made at all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from kinetree.targets.native.cache import default_cache
from kinetree.targets.native.compile import jit
from kinetree.targets.native.compile.input_tests import Checks, input_tests
from kinetree.targets.native.compile.ir import checked_definition, helpers, kernel
from kinetree.targets.native.compile.jit import Sizes
from kinetree.targets.native.compile.plan import Plan, plan
from kinetree.targets.native.compile.writer import Options
from kinetree.targets.native.fingerprint import fingerprint
from kinetree.targets.native.lanes.batch import batch_definition, block_size
from kinetree.targets.native.lanes.packing import LANES
from kinetree.targets.native.llvm import UNLIKELY

if TYPE_CHECKING:
    from kinetree.program.locks import Locks
    from kinetree.targets.tape.lowering import Lowered

BODY, PREAMBLE, CHECKED, BATCH = "kt_body", "kt_preamble", "kt_checked", "kt_body_batch"


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


@dataclass(frozen=True, slots=True)
class SweepKernel:
    """Eight evaluations of a preamble side by side, and single ones of the body behind them.

    Attributes:
        ahead: address of `void f(x, c, u, w)`: the preamble, eight doubles side by side each.
        behind: address of `void f(x, u, y)`: the body for one of the eight, where u begins at its
            lane.
        size: rows of u.
        work: doubles of work space w.
        libraries: the code.
    """

    ahead: int
    behind: int
    size: int
    work: int
    libraries: tuple[jit.Library, jit.Library]


@dataclass(slots=True)
class Kernels:
    """Compiles on demand.

    Attributes:
        given: the tapes, or what makes them when they are needed.
        inputs, outputs: sizes of the variable inputs and of the outputs, in order.
        parameters: sizes of the parameter inputs, in order.
        strict: keep every rounding.
        tier: `quick` or `full`.
        store: whether objects are kept on disk.
        digest: of the Program; without it objects are found by their IR.
        quaternions: where unit quaternions begin among the variable inputs.
        locks: (place among the variable inputs, angle) of gimbal locks.
    """

    given: Lowered | Callable[[], Lowered]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    parameters: tuple[int, ...]
    strict: bool = False
    tier: str = "full"
    store: bool = True
    digest: str = ""
    quaternions: tuple[int, ...] = ()
    locks: Locks = ()
    _made: dict[str, Any] = field(default_factory=dict)

    def __getstate__(self) -> tuple[Any, ...]:
        return (
            self.tapes, self.inputs, self.outputs, self.parameters, self.strict, self.tier,
            self.store, self.digest, self.quaternions, self.locks,
        )  # fmt: skip

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        names = (
            "given", "inputs", "outputs", "parameters", "strict", "tier", "store", "digest",
            "quaternions", "locks",
        )  # fmt: skip
        for name, value in zip(names, state, strict=True):
            setattr(self, name, value)
        self._made = {}

    @property
    def tapes(self) -> Lowered:
        """What the Program was lowered to; lowered now where it was put off."""
        with jit.compiling:
            if callable(self.given):
                self.given = self.given()
            return self.given

    @property
    def constants(self) -> int:
        """Number of results of the preamble."""
        return self._single()[1].constants

    @property
    def work(self) -> int:
        """About how many operations an evaluation takes."""
        return self._single()[1].work

    def single(self) -> jit.Library:
        """Addresses of one evaluation, bare and checked, and of the preamble."""
        return self._single()[0]

    def _single(self) -> tuple[jit.Library, Sizes]:
        names = (BODY, PREAMBLE, CHECKED)
        made: tuple[jit.Library, Sizes] = self._once(
            "single", lambda: self._link("single", names, self._write_single)
        )
        return made

    def _once(self, label: str, make: Callable[[], Any]) -> Any:
        """What was made under that label; made now where it was not."""
        if label not in self._made:  # so that nobody waits for what others compile
            with jit.compiling:
                if label not in self._made:
                    self._made[label] = make()
        return self._made[label]

    def _write_single(self) -> tuple[str, Sizes]:
        lowered = self.tapes
        sizes = Sizes(constants=len(lowered.preamble.outputs), work=lowered.body.work)
        return self.single_text(), sizes

    def batch(self, constant_lanes: bool = False) -> BatchKernel:
        """The loop over samples; with parameters per sample their preamble results are an input."""
        inputs = (*self.inputs, self.constants) if constant_lanes else self.inputs
        return self._batch("body", inputs, self.outputs, constant_lanes)

    def sweep(self) -> SweepKernel:
        """The preamble for eight inputs at once, then the body for one of them at a time."""

        def write(which: str, options: Options) -> tuple[str, Sizes]:
            made = plan(getattr(self.tapes, which), options.lanes)
            parts = [helpers((made,), options), kernel(made, BODY, options), UNLIKELY]
            text = "\n".join(parts)
            return text, Sizes(constants=self.tapes.body.sizes[1], space=made.workspace)

        def make() -> SweepKernel:
            usual = {"strict": self.strict, "fused": jit.host().fused}
            ways = {"preamble": Options(LANES, **usual), "body": Options(stride=LANES, **usual)}
            (ahead, sizes), (behind, _) = (
                self._link(f"sweep {which}", (BODY,), partial(write, which, how))
                for which, how in ways.items()
            )
            found = ahead.addresses[BODY], behind.addresses[BODY]
            return SweepKernel(*found, sizes.constants, sizes.space, (ahead, behind))

        made: SweepKernel = self._once("sweep", make)
        return made

    def preamble_batch(self) -> BatchKernel:
        """The loop over samples of parameters."""
        return self._batch("preamble", self.parameters, (self.constants,), False)

    def _tests(self, lanes: int) -> Checks:
        """What is tested of the variable inputs, besides that they are finite."""
        return input_tests(self.quaternions, self.locks, lanes)

    def single_text(self) -> str:
        """IR of one evaluation and of the preamble."""
        options = Options(strict=self.strict, fused=jit.host().fused)
        body, preamble = plan(self.tapes.body, 1), plan(self.tapes.preamble, 1)
        parts = [
            helpers((body, preamble), options),
            kernel(body, BODY, options),
            kernel(preamble, PREAMBLE, options),
            checked_definition(CHECKED, BODY, sum(self.inputs), self._tests(1)),
            UNLIKELY,
        ]
        return "\n".join(parts)

    def _batch(
        self, which: str, inputs: tuple[int, ...], outputs: tuple[int, ...], constant_lanes: bool
    ) -> BatchKernel:
        label = f"batch {which} {constant_lanes}"

        def write() -> tuple[str, Sizes]:
            made = plan(getattr(self.tapes, which), LANES)
            text = self._batch_text(made, inputs, outputs, constant_lanes)
            return text, Sizes(space=made.workspace)

        def make() -> BatchKernel:
            library, sizes = self._link(label, (BATCH, BODY), write)
            work = sum(block_size(inputs, outputs)) + sizes.space
            address, body = library.addresses[BATCH], library.addresses[BODY]
            return BatchKernel(address, work, library, body, sizes.space)

        found: BatchKernel = self._once(label, make)
        return found

    def _batch_text(
        self, made: Plan, inputs: tuple[int, ...], outputs: tuple[int, ...], constant_lanes: bool
    ) -> str:
        options = Options(LANES, self.strict, jit.host().fused, constant_lanes)
        parts = [
            helpers((made,), options),
            kernel(made, BODY, options),
            batch_definition(
                BODY,
                inputs,
                outputs,
                constant_lanes=constant_lanes,
                short=made.large,
                checks=self._tests(LANES) if made.tape is self.tapes.body else None,
            ),
            UNLIKELY,
        ]
        return "\n".join(parts)

    def _link(
        self, label: str, names: tuple[str, ...], write: Callable[[], tuple[str, Sizes]]
    ) -> tuple[jit.Library, Sizes]:
        """Code and sizes, from disk or made anew."""
        store = default_cache() if self.store else None
        if self.digest:
            checks = f"{self.quaternions} {self.locks}" if self.locks else f"{self.quaternions}"
            what = f"{self.digest} {label} {self.strict} {checks} {fingerprint()}"
            return jit.load_or_make(what, self.tier, names, write, store)
        written = write()
        return jit.load_or_make(written[0], self.tier, names, lambda: written, store)
