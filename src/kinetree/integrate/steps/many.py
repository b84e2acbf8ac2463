"""Many runs of a step side by side: eight in the lanes of one call, blocks of eight on threads."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np

from kinetree.arrays import Array
from kinetree.integrate.loops.equal_steps import March, Start
from kinetree.integrate.problem import FINISHED, INTERRUPTED, NOT_SOLVED
from kinetree.integrate.steps.given import Progress
from kinetree.integrate.steps.repartitioned_run import drive_march
from kinetree.integrate.steps.report import Report
from kinetree.targets.native.function import Function, cores
from kinetree.targets.native.lanes.packing import LANES

Many = tuple[Array, Array, list[str]]
"""States of every run, its iterations (all together, most of one step), ends of blocks of lanes."""


def march_many(
    function: Function, size: int, start: Start, progress: Progress | None, threads: int | None
) -> Many:
    """March all blocks of eight, on several threads."""
    count = start.x.shape[1]
    states = np.empty((count, start.steps // start.every + 1, size))
    counts = np.zeros((count, 2))
    firsts = range(0, count, LANES)
    ends = [FINISHED] * len(firsts)
    places = iter(enumerate(firsts))
    lock = threading.Lock()

    def work(tell: Progress | None) -> None:
        while True:
            with lock:
                number, first = next(places, (-1, 0))
            if number < 0:
                return
            block = [min(first + k, count - 1) for k in range(LANES)]
            p = start.p[:, block] if start.p.shape[1] > 1 else start.p
            march = March(function, size, replace(start, x=start.x[:, block], p=p))
            ends[number] = drive_march(march, start.steps, tell)
            used = min(LANES, count - first)
            states[first : first + used] = np.moveaxis(march.states[:, :, :used], 2, 0)
            counts[first : first + used] = march.counts[:, :used].T

    number = min(len(firsts), threads or cores())
    helpers = [threading.Thread(target=work, args=(None,)) for _ in range(number - 1)]
    for helper in helpers:
        helper.start()
    work(progress)
    for helper in helpers:
        helper.join()
    return states, counts, ends


def lane_reports(found: Many, start: Start, wall: float) -> tuple[Report, ...]:
    """How every one of many runs ended; `wall` is the time that one took [s]."""
    states, counts, ends = found
    bad = np.isfinite(states).min(axis=2) == 0
    lost, first = bad.max(axis=1), bad.argmax(axis=1)
    made = np.where(lost, (first - 1) * start.every, start.steps)
    mean = counts[:, 0] / np.maximum(1, made)
    reports = [
        Report(FINISHED, start.t0 + steps * start.h, steps, wall, iterations=each, most=int(most))
        for steps, each, most in zip(made.tolist(), mean.tolist(), counts[:, 1], strict=True)
    ]
    for k in np.flatnonzero(lost):
        end = INTERRUPTED if ends[k // LANES] == INTERRUPTED else NOT_SOLVED
        message = f"lost after t = {reports[k].t:.6g} s"
        reports[k] = replace(reports[k], end=end, message=message)
    return tuple(reports)
