"""The equations of an estimate, W x = y, of all pieces of all recordings, fitted or held out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from kinetree.analysis.identifying.columns import ParameterColumns
from kinetree.analysis.identifying.filtering import RecordedPiece
from kinetree.arrays import Array
from kinetree.errors import ModelError


@dataclass(frozen=True)
class FitEquations:
    """W x = y in base parameters x.

    Attributes:
        W: time × equation × base parameter.
        y: time × equation.
        Z: the same as W along other motions, for instruments.
        time: [s], starting anew with every recording.
        held: which times are held out of the fit.
        spread: by how much errors of the rows count more than independent ones.
    """

    W: Array
    y: Array
    Z: Array | None
    time: Array
    held: Any
    spread: float

    @property
    def in_fit(self) -> Any:
        """Which times are fitted."""
        return ~self.held

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
    held_out: float,
) -> FitEquations:
    """The equations of pieces.

    Args:
        columns: of the model.
        pieces: of the recordings; the last share of each is held out.
        others: the same pieces with other motions, for instruments; empty for none.
        held_out: this share, from 0 to 1.
    """
    parts = []
    for number, piece in enumerate(pieces):
        W, y = _rows(columns, piece)
        Z = _rows(columns, others[number])[0] if others else W[:0]
        time = piece.time[piece.chosen_rows()]
        end = time[0] + (1 - held_out) * (time[-1] - time[0])
        parts.append((W, y, Z, time, time > end))
    W, y, Z, time, held = (np.concatenate(rows) for rows in zip(*parts, strict=True))
    spread = float(np.mean([piece.spread for piece in pieces]))
    made = FitEquations(W, y, Z if others else None, time, held, spread)
    count = int(made.in_fit.sum()) * W.shape[1]
    if count < 2 * W.shape[2]:
        raise ModelError(
            f"it is too short: {count} equations for {W.shape[2]} parameters",
            element="data",
            cure="record a longer motion, raise cutoff=, or hold less out",
        )
    return made


def _rows(columns: ParameterColumns, piece: RecordedPiece) -> tuple[Array, Array]:
    """W and y of a piece, filtered alike; what was measured is filtered already."""
    motion = (piece.q, piece.qd, piece.qdd)
    W = piece.settle(columns.table(*motion)[:, :, columns.base[0]])
    known = piece.settle(columns.knowledge(*motion, piece.time))
    rows = piece.chosen_rows()
    return W[rows], (columns.reduce(piece.q, piece.y) - known)[rows]
