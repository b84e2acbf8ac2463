"""What follows from a text is made once, whoever asks for it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import wraps
from typing import TypeVar

T = TypeVar("T")


def beside(function: Callable[[str], object]) -> Callable[[str], None]:
    """The same in a thread, for those who wait for nothing: one text at a time, others are left.

    What goes wrong is told to who asks for the result.
    """
    free = threading.Lock()

    def run(text: str) -> None:
        try:
            with suppress(Exception):
                function(text)
        finally:
            free.release()

    def begin(text: str) -> None:
        if free.acquire(blocking=False):
            threading.Thread(target=run, args=(text,), daemon=True).start()

    return begin


def made_once(most: int) -> Callable[[Callable[[str], T]], Callable[[str], T]]:
    """Keep the last results of a function of a text; who asks while one is made waits for it.

    Panes ask for the check of a new text at the same time: made by each of them, all would wait
    longer than for one.

    Args:
        most: results that are kept.
    """

    def wrap(function: Callable[[str], T]) -> Callable[[str], T]:
        kept: OrderedDict[str, Future[T]] = OrderedDict()
        lock = threading.Lock()

        def entry(text: str) -> tuple[Future[T], bool]:
            """The result of a text, and whether it is still to be made."""
            with lock:
                found = kept.pop(text, None)
                made = Future[T]() if found is None else found
                kept[text] = made
                while len(kept) > most:
                    kept.popitem(last=False)
            return made, found is None

        @wraps(function)
        def call(text: str) -> T:
            made, is_new = entry(text)
            if is_new:
                try:
                    made.set_result(function(text))
                except BaseException as error:  # who waits is told, and the next one tries again
                    with lock:
                        kept.pop(text, None)
                    made.set_exception(error)
            return made.result()

        return call

    return wrap
