"""Volume, centroid and moments of what triangles enclose, as sums over simplices.

A simplex of k corners v_i and measure w has, with s = Σ v_i,

    ∫ x = w s / k,   ∫ x xᵀ = w / (k (k + 1)) (Σ v_i v_iᵀ + s sᵀ)

| way | simplices |
|---|---|
| exact | tetrahedra from the origin, with their sign: any closed mesh whose faces look outwards |
| convex | the same of the convex hull |
| legacy | tetrahedra from the middle without their sign: exact where it sees all faces |
| shell | the triangles themselves |
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinetree.arrays import Array

WAYS = ("exact", "convex", "legacy", "shell")


class Integrals(NamedTuple):
    """Volume [m3] (area of a shell), centroid, and inertia about it of density 1, 3 × 3."""

    volume: float
    centroid: Array
    inertia: Array


def integrate_mesh(corners: Array, way: str = "exact") -> Integrals:
    """The integrals of a mesh.

    Args:
        corners: of every triangle, n × 3 × 3 [m].
        way: one of `WAYS`.
    """
    areas = np.linalg.norm(np.cross(*_edges(corners)), axis=1) / 2
    if way == "shell":
        return _about_centroid(*_sum(corners, areas))
    if way != "legacy":
        closed = hull(corners.reshape(-1, 3)) if way == "convex" else corners
        return _about_centroid(*_sum(*_tetrahedra(closed, np.zeros(3))))
    solids, volumes = _tetrahedra(corners, areas @ corners.mean(axis=1) / areas.sum())
    volume, first, _ = _sum(solids, np.abs(volumes))
    centre = first / volume
    solids, volumes = _tetrahedra(corners, centre)
    volume, _, second = _sum(solids - centre, np.abs(volumes))
    return Integrals(volume, centre, _inertia(second))


def hull(points: Array) -> Array:
    """Triangles of the convex hull of points, outwards; none where all lie in one plane."""
    from scipy.spatial import ConvexHull, QhullError  # noqa: PLC0415  SciPy is loaded when it is used

    try:
        found = ConvexHull(points)
    except (QhullError, ValueError):
        return np.empty((0, 3, 3))
    corners = points[found.simplices]
    outwards = np.einsum("na,na->n", np.cross(*_edges(corners)), found.equations[:, :3]) > 0
    return np.asarray(np.where(outwards[:, None, None], corners, corners[:, ::-1]))


def _edges(corners: Array) -> tuple[Array, Array]:
    return corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]


def _tetrahedra(corners: Array, apex: Array) -> tuple[Array, Array]:
    """Corners of the tetrahedra over triangles, and their volumes with sign."""
    first = np.broadcast_to(apex, (len(corners), 1, 3))
    return np.concatenate([first, corners], axis=1), np.linalg.det(corners - apex) / 6


def _sum(solids: Array, measures: Array) -> tuple[float, Array, Array]:
    """∫ 1, ∫ x and ∫ x xᵀ over simplices."""
    k = solids.shape[1]
    s = solids.sum(axis=1)
    products = np.einsum("nka,nkb->nab", solids, solids) + s[:, :, None] * s[:, None, :]
    second = np.tensordot(measures, products, 1) / (k * (k + 1))
    return float(measures.sum()), measures @ s / k, second


def _about_centroid(volume: float, first: Array, second: Array) -> Integrals:
    centre = first / volume if volume else np.zeros(3)
    return Integrals(volume, centre, _inertia(second - volume * np.outer(centre, centre)))


def _inertia(second: Array) -> Array:
    """Moments of inertia from ∫ x xᵀ."""
    return np.asarray(np.trace(second) * np.eye(3) - second)
