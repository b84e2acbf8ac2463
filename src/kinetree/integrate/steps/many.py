"""Many runs of a step side by side: eight in the lanes of one call, blocks of eight on threads."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np

from kinetree.arrays import Array
from kinetree.integrate.loops.equal_steps import March, Start
from kinetree.integrate.problem import FINISHED, INTERRUPTED, NOT_SOLVED
from kinetree.integrate.steps.given import Progress, cores
from kinetree.integrate.steps.repartitioned_run import drive_march
from kinetree.integrate.steps.report import Report
from kinetree.targets.native.function import Function
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


def lane_report(states: Array, counts: Array, start: Start, end: str, wall: float) -> Report:
    """How one run of many ended."""
    bad = np.flatnonzero(~np.isfinite(states).all(axis=1))
    row = int(bad[0]) - 1 if bad.size else start.steps // start.every
    made = row * start.every if bad.size else start.steps
    t = start.t0 + made * start.h
    total, most = counts
    told = Report(FINISHED, t, made, wall, iterations=total / max(1, made), most=int(most))
    if not bad.size:
        return told
    end = end if end == INTERRUPTED else NOT_SOLVED
    return replace(told, end=end, message=f"lost after t = {t:.6g} s")


__all__ = ["Many", "lane_report", "march_many"]
