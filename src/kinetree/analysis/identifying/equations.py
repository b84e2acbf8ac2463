"""The equations of an estimate, W x = y, of all pieces of all recordings, fitted or held out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from kinetree.analysis.identifying.columns import ParameterColumns
from kinetree.analysis.identifying.filtering import RecordedPiece
from kinetree.analysis.runs.progress import Share
from kinetree.arrays import Array
from kinetree.errors import ModelError

HeldOut = float | Sequence[int]
"""What is not fitted: the last share of every piece, or recordings by their numbers, from 1."""


@dataclass(frozen=True)
class FitEquations:
    """W x = y in base parameters x.

    Attributes:
        W: time × equation × base parameter.
        y: time × equation; where gains are unknown, without the efforts of these.
        measured: efforts that were measured, time × equation.
        G: currents whose gains are unknown, time × equation × gain: y = W x - G k with gains k.
        Z: the same as W along other motions, for instruments.
        time: [s], starting anew with every recording.
        recording: number of the recording of every time, from 1.
        held: which times are held out of the fit.
        spread: by how much errors of the rows count more than independent ones.
    """

    W: Array
    y: Array
    measured: Array
    G: Array
    Z: Array | None
    time: Array
    recording: Array
    held: Any
    spread: float

    @property
    def in_fit(self) -> Any:
        """Which times are fitted."""
        return ~self.held

    def at_gains(self, k: Array) -> FitEquations:
        """The equations with known gains."""
        return replace(self, y=self.y + self.G @ k, G=self.G[:, :, :0])

    @cached_property
    def triangles(self) -> Array:
        """R of every equation over the fitted times, [W y] = Q R: no pass sees the times again."""
        rows = np.concatenate([self.W, self.y[:, :, None]], axis=2)[self.in_fit]
        size = rows.shape[2]
        short = np.zeros((max(0, size - len(rows)), size))
        parts = [np.concatenate([rows[:, k], short]) for k in range(rows.shape[1])]
        return np.array([np.linalg.qr(part, mode="r") for part in parts])

    def weigh(self, sigma: Array) -> tuple[Array, Array]:
        """A, b with |A x - b|² the sum over the fitted times of |W x - y|²/σ²."""
        stacked = (self.triangles / sigma[:, None, None]).reshape(-1, self.triangles.shape[2])
        R = np.linalg.qr(stacked, mode="r")
        return np.asarray(R)[:, :-1], np.asarray(R)[:, -1]

    def deviations(self, x: Array) -> Array:
        """Standard deviation of the errors of every equation over the fitted times (eq. 8)."""
        r = self.triangles @ np.append(-x, 1.0)
        free = self.in_fit.sum() - len(x) / len(r) * self.spread
        sigma = np.sqrt((r**2).sum(axis=1) / max(free, 1.0))
        floor = 1e-12 * np.abs(self.y[self.in_fit]).max(axis=0)
        return np.asarray(np.maximum(sigma, np.maximum(floor, 1e-300)))


def equations(
    columns: ParameterColumns,
    pieces: Sequence[RecordedPiece],
    others: Sequence[RecordedPiece],
    held_out: HeldOut,
    gains: Sequence[str] = (),
    share: Share | None = None,
) -> FitEquations:
    """The equations of pieces.

    Args:
        columns: of the model.
        pieces: of the recordings; the last share of each is held out.
        others: the same pieces with other motions, for instruments; empty for none.
        held_out: this share, from 0 to 1, or numbers of recordings, from 1.
        gains: velocities of the motors whose gains are unknown.
        share: is told how far it is.
    """
    parts = []
    for number, piece in enumerate((share or Share()).parts(pieces)):
        W, y, tau, G = _rows(columns, piece, gains)
        Z = _rows(columns, others[number], gains)[0] if others else W[:0]
        time = piece.time[piece.chosen_rows()]
        held = is_held(held_out, piece.recording, time)
        parts.append((W, y, tau, G, Z, time, np.full(len(time), piece.recording), held))
    columns_of = zip(*parts, strict=True)
    W, y, tau, G, Z, time, recording, held = (np.concatenate(rows) for rows in columns_of)
    spread = float(np.mean([piece.spread for piece in pieces]))
    made = FitEquations(W, y, tau, G, Z if others else None, time, recording, held, spread)
    count = int(made.in_fit.sum()) * W.shape[1]
    unknowns = W.shape[2] + len(gains)
    if count < 2 * unknowns:
        raise ModelError(
            f"it is too short: {count} equations for {unknowns} parameters",
            element="data",
            cure="record a longer motion, raise cutoff=, or hold less out",
        )
    return made


def is_held(held_out: HeldOut, recording: int, time: Array) -> Array:
    """Which times of a piece of a recording are held out of the fit."""
    if isinstance(held_out, Sequence):
        return np.full(len(time), recording in held_out)
    return np.asarray(time > time[0] + (1 - held_out) * (time[-1] - time[0]))


def _rows(
    columns: ParameterColumns, piece: RecordedPiece, gains: Sequence[str]
) -> tuple[Array, Array, Array, Array]:
    """W, y, measured efforts and G of a piece, filtered alike; efforts are filtered already."""
    motion = (piece.q, piece.qd, piece.qdd)
    W = piece.settle(columns.table(*motion, piece.absent)[:, :, columns.base[0]])
    known = piece.settle(columns.knowledge(*motion, piece.time, piece.absent))
    wide = np.zeros((len(piece.q), piece.y.shape[1], len(gains)))
    for k, name in enumerate(gains):
        wide[:, columns.model.velocities.index(name), k] = piece.currents[:, k]
    rows = piece.chosen_rows()
    tau = columns.reduce(piece.q, piece.y)
    return W[rows], (tau - known)[rows], tau[rows], columns.reduce(piece.q, wide)[rows]
