"""Parts of a sweep on workers of dask, on this machine or others.

A worker gets the model as its file and derives it once; parts come back as they are ready and are
stored here.  A part whose worker is killed is made by another one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from kinetree.analysis.sweeping.job import SweepJob, make_packed
from kinetree.arguments import show
from kinetree.errors import KinetreeError, ModelError, UnsupportedError

if TYPE_CHECKING:
    import xarray

AHEAD = 2
"""Parts per worker that are asked for at a time: memory does not grow with their number."""
PATIENCE = 10.0
"""Time that a scheduler has to answer [s]."""


def make_by_workers(
    job: SweepJob, numbers: Sequence[int], workers: Any
) -> Iterator[tuple[int, xarray.Dataset]]:
    """Parts as they come, with their numbers.

    Args:
        job: what is swept.
        numbers: of the parts.
        workers: a `distributed.Client`, or the address of a scheduler.
    """
    client, own = _client(workers)
    packed = job.pack()
    try:
        yield from _stream(client, packed, list(numbers))
    finally:
        if own:
            client.close()


def _stream(client: Any, packed: bytes, waiting: list[int]) -> Iterator[tuple[int, xarray.Dataset]]:
    from distributed import as_completed

    model = _Spread(client, packed)
    known: dict[str, int] = {}
    running = as_completed([], with_results=True, raise_errors=False)

    def ask() -> None:
        number = waiting.pop(0)
        future = client.submit(make_packed, model.future(), number, pure=False)
        known[future.key] = number
        running.add(future)

    count = max(1, len(client.scheduler_info()["workers"]))
    while waiting and len(known) < AHEAD * count:
        ask()
    for future, part in running:
        number = known.pop(future.key)
        if future.status == "error":
            raise _failure(future)
        if future.status == "finished":
            yield number, part
        else:  # cancelled: the model went with the workers that held it
            waiting.insert(0, number)
        if waiting:
            ask()


class _Spread:
    """The model on all workers; it is sent anew where everybody who held it has been killed."""

    def __init__(self, client: Any, packed: bytes) -> None:
        self.client, self.packed = client, packed
        self._future = self._send()

    def _send(self) -> Any:
        return self.client.scatter(self.packed, broadcast=True, hash=False)

    def future(self) -> Any:
        if self._future.status in ("cancelled", "lost"):
            self._future = self._send()
        return self._future


def _failure(future: Any) -> Exception:
    error = future.exception()
    if isinstance(error, KinetreeError):
        return error
    return ModelError(
        f"a part could not be made: {type(error).__name__}: {error}",
        element="workers",
        cure="start workers with this version of kinetree and enough memory; parts so far are kept",
    )


def _client(workers: Any) -> tuple[Any, bool]:
    """The client, and whether it was made here."""
    try:
        from distributed import Client
    except ImportError as error:
        raise UnsupportedError(
            "it needs the packages dask and distributed, which are not installed",
            element="workers",
            cure="install kinetree[sweep]",
        ) from error
    if isinstance(workers, Client):
        return workers, False
    if not isinstance(workers, str) or ":" not in workers:
        raise ModelError(
            f"it is {show(workers)}",
            element="workers",
            cure='give a distributed.Client, or the address of a scheduler, "tcp://host:8786"',
        )
    try:
        return Client(workers, timeout=PATIENCE), True
    except (OSError, ValueError) as error:
        raise ModelError(
            f"there is no scheduler at '{workers}'", element="workers", cure="check the address"
        ) from error
