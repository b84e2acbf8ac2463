"""Parts of a sweep on workers of dask, on this machine or others.

A worker gets the model as its file and derives it once; parts come back as they are ready and are
stored here.  A part whose worker is killed is made by another one;
where none is left, that is told.
"""

from __future__ import annotations

import time
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
ABSENCE = 60.0
"""Time for which there may be no worker, so that those that were killed can be replaced [s]."""
LOOK = 1.0
"""Time between two looks at how many workers there are [s]."""
NAP = 0.01
"""Time between two looks at whether a part has come [s]."""


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

    known: dict[str, int] = {}
    running = as_completed([], loop=client.loop, with_results=True, raise_errors=False)
    count, seen = 1, time.monotonic()
    while waiting or known:
        # parts are asked for where there is no worker, too: some clusters start them on demand
        while waiting and len(known) < AHEAD * max(1, count):
            # every part goes with the model, as no worker that holds it need stay alive
            future = client.submit(make_packed, packed, waiting[0], pure=False)
            known[future.key] = waiting.pop(0)
            running.add(future)
        for future, part in _arrivals(running):
            number = known.pop(future.key)
            if future.status == "error":
                raise _failure(future)
            if future.status == "finished":
                yield number, part
            else:  # cancelled: the scheduler was started anew
                waiting.insert(0, number)
        count = len(_scheduler_info(client).get("workers", ()))
        seen = time.monotonic() if count else seen
        if time.monotonic() - seen > ABSENCE:
            raise _nobody(f"for {ABSENCE:g} s there has been none")


def _arrivals(running: Any) -> list[Any]:
    """What has come, with its futures; empty where nothing does for a while."""
    until = time.monotonic() + LOOK
    while not running.has_ready() and time.monotonic() < until:
        time.sleep(NAP)
    return list(running.next_batch(block=False))


def _scheduler_info(client: Any) -> dict[str, Any]:
    """What the scheduler says of its workers; nothing while it does not answer."""
    if client.status == "closed":  # which it is where the scheduler has not come back
        raise _nobody("their scheduler does not answer any more")
    try:
        return dict(client.scheduler_info())
    except (OSError, TimeoutError):
        return {}


def _nobody(problem: str) -> ModelError:
    return ModelError(
        problem,
        element="workers",
        cure="start some and sweep again, which goes on with the parts in the folder into=",
    )


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
