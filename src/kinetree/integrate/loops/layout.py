"""Where everything stands in the memory of a native integration.

All that changes lives in one array of doubles, the state: scalars, vectors of the size of y,
vectors with one component per event.  What does not change stands in a table of 64-bit integers:
addresses and sizes.
"""

from __future__ import annotations

from dataclasses import dataclass

from kinetree.targets.native.llvm import LANES

CELLS = (
    "t", "h", "t_new", "h_try", "t0", "end", "h_most", "fixed", "error_before", "rejected_before",
    "steps", "rejected", "evaluations", "most_steps", "cursor", "rows", "events", "extras",
    "end_of_step", "cut", "terminal_hit", "bad_t", "bad_index", "flag", "stalled", "tick",
    "final_hit", "instant", "crowd", "crowd_t", "pace", "halts", "weighed", "moved",
    "shortened",
)  # fmt: skip
"""Scalars of the state: times and steps in seconds, counters as whole numbers.

error_before: norm of the error of the last accepted step; cursor: next row of the window; rows,
events: rows used in the tables of steps and events; extras: whether the extra stages of this step
are evaluated; end_of_step: share of the step up to the first terminal event; cut: the
same up to a place at which a condition is behind zero for a while; bad_t, bad_index: where a
derivative is not a number; flag: answer of a library; stalled: steps in a row in which the time did
not change; tick: next row of the table of ticks; crowd, crowd_t: events within an instant, and when
it began; pace: longest step from here that passes over nothing brief; halts: whether steps end at
events themselves; weighed: components whose errors count; moved: norm of what a projection changes
from which on rates behind it are evaluated anew; shortened: how often in a row a step was made
shorter for its conditions."""
HEADER = -(-len(CELLS) // LANES) * LANES
VECTORS = ("y", "y_new", "stage", "work", "rtol", "atol")
"""Vectors of the state before the derivatives of the stages."""
EVENT_VECTORS = (
    "g_old", "g_new", "g_work", "root", "sense", "terminal", "g_hit", "later", "earlier",
    "probe_1", "probe_2", "probe_3", "probe_4",
)  # fmt: skip
"""Vectors with one component per event.  sense: +1 rising, -1 falling, 0 both; later, earlier:
values a little after the beginning of the step and a little before its end; g_hit: at an event;
probe_1 …: at places inside the step."""

PARTS = ("", "_c", "_x", "_y")
KERNELS = ("rates", "project", "event", "jacobian", "update", "pace")
TABLE = (
    "n", "padded", "padded_events", "event_count", "event_table", "event_room", "times",
    "time_count", "values", "turn", "step_table", "step_room", "cvode", "cvode_y", "cvode_work",
    "cvode_step", "cvode_stop", "cvode_between", "cvode_roots", "vector_data", "matrix_data",
    "roots_found", "all_events", "fired", "final", "sticking", "modes", "ticks", "tick_events",
    "memories", "memory_count", "held",
    "sparse_count", "sparse_rows", "sparse_starts", "sparse_row_bytes", "sparse_start_bytes",
    "matrix_rows", "matrix_starts",
    *(f"{kernel}{part}" for kernel in KERNELS for part in PARTS),
)  # fmt: skip
"""Entries of the table.

Of every kernel: its address (0 where there is none), addresses of its c, x = [t, y, …] and y.
Names in _table are addresses of rows (event: number, t, y; step: t, y), in _room how many rows fit.
fired, final, sticking: addresses of one number per event, those at given times included; modes: of
one per condition, the component of y that says on which side of zero it is, or -1; ticks:
address of rows of a time and a mark per event at given times, of which there are tick_events;
memories: address of memory_count numbers of components of y; held: how many conditions laws are
held by.  sparse_rows, sparse_starts: where the entries of a sparse Jacobian stand, as the library
has them; matrix_rows, matrix_starts: its functions for the places of these.
Output times and values are windows of time_count rows; turn is called where they are full.
"""

RUNNING, DONE, NOT_FINITE, TOO_MANY, TOO_SMALL, FULL, TERMINAL, FAILED, CHATTERING = range(9)
"""What a slice ends with: budget used, end reached, not-a-number, too many steps, step too small, a
table is full, a terminal event, another failure, events that follow each other too fast."""


def pad(size: int) -> int:
    """The size, filled up to whole vectors."""
    return -(-size // LANES) * LANES


@dataclass(frozen=True, slots=True)
class Layout:
    """Places in the state for n components, a number of events and rows of derivatives."""

    n: int
    events: int
    rows: int

    @property
    def size(self) -> int:
        """Length of the state."""
        vectors = (len(VECTORS) + self.rows) * pad(self.n)
        return HEADER + vectors + len(EVENT_VECTORS) * pad(self.events)

    def cell(self, name: str) -> int:
        """Place of a scalar."""
        return CELLS.index(name)

    def vector(self, name: str) -> slice:
        """Places of a vector of the size of y."""
        start = HEADER + VECTORS.index(name) * pad(self.n)
        return slice(start, start + self.n)

    def derivative(self, row: int) -> slice:
        """Places of a row of derivatives."""
        start = HEADER + (len(VECTORS) + row) * pad(self.n)
        return slice(start, start + self.n)

    def event_vector(self, name: str) -> slice:
        """Places of a vector with one component per event."""
        start = HEADER + (len(VECTORS) + self.rows) * pad(self.n)
        start += EVENT_VECTORS.index(name) * pad(self.events)
        return slice(start, start + self.events)
