"""Exudyn's side of the closed loops: all coordinates of planar bodies, joints with multipliers."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import exudyn
import numpy as np
from exudyn.itemInterface import (
    LoadForceVector,
    MarkerBodyPosition,
    MarkerNodeCoordinate,
    NodePoint2D,
    NodePointGround,
    NodeRigidBody2D,
    ObjectConnectorCoordinate,
    ObjectGround,
    ObjectJointRevolute2D,
    ObjectMassPoint2D,
    ObjectRigidBody2D,
)

Outcome = tuple[float, float, int, float]
ROUNDS = 3
SPARSE = 30
"""Bodies above which sparse matrices are used."""


class Plane:
    """A planar mechanism of uniform bars."""

    def __init__(self) -> None:
        self.container = exudyn.SystemContainer()
        self.mbs = self.container.AddSystem()
        self.ground = self.mbs.AddObject(ObjectGround())
        self.nodes: list[int] = []
        self.pins: list[tuple[Any, Any]] = []

    def on_ground(self, x: float) -> Any:
        """A place on the ground."""
        return self.marker(self.ground, x)

    def marker(self, body: Any, x: float) -> Any:
        """A place on the x axis of a body, from its mass centre."""
        return self.mbs.AddMarker(MarkerBodyPosition(bodyNumber=body, localPosition=[x, 0, 0]))

    def bar(self, start: Any, angle: float, size: tuple[float, float], motion: Any) -> Any:
        """A bar of (length, mass) from a place at an angle, with velocity (vx, vy, rate)."""
        length, mass = size
        centre = [start[0] + length / 2 * math.cos(angle), start[1] + length / 2 * math.sin(angle)]
        node = self.mbs.AddNode(
            NodeRigidBody2D(referenceCoordinates=[*centre, angle], initialVelocities=list(motion))
        )
        body = self.mbs.AddObject(
            ObjectRigidBody2D(
                physicsMass=mass, physicsInertia=mass * length**2 / 12, nodeNumber=node
            )
        )
        self.nodes.append(node)
        self.weigh(body, mass)
        return body

    def weigh(self, body: Any, mass: float) -> None:
        """Gravity along -y."""
        place = self.marker(body, 0.0)
        self.mbs.AddLoad(LoadForceVector(markerNumber=place, loadVector=[0, -9.81 * mass, 0]))

    def pin(self, first: Any, second: Any) -> None:
        """A hinge between two places."""
        self.pins.append((first, second))
        self.mbs.AddObject(ObjectJointRevolute2D(markerNumbers=[first, second]))


def slider_crank() -> Plane:
    """Falls from a crank angle of 1 rad."""
    plane = Plane()
    alpha = -math.asin(math.sin(1.0) / 2)
    still = (0.0, 0.0, 0.0)
    tip = (math.cos(1.0), math.sin(1.0))
    crank = plane.bar((0.0, 0.0), 1.0, (1.0, 1.0), still)
    rod = plane.bar(tip, alpha, (2.0, 2.0), still)
    mbs = plane.mbs
    node = mbs.AddNode(NodePoint2D(referenceCoordinates=[tip[0] + 2 * math.cos(alpha), 0.0]))
    slider = mbs.AddObject(ObjectMassPoint2D(physicsMass=5.0, nodeNumber=node))
    plane.pin(plane.on_ground(0.0), plane.marker(crank, -0.5))
    plane.pin(plane.marker(crank, 0.5), plane.marker(rod, -1.0))
    plane.pin(plane.marker(rod, 1.0), plane.marker(slider, 0.0))
    rail = mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=node, coordinate=1))
    fixed = mbs.AddMarker(
        MarkerNodeCoordinate(nodeNumber=mbs.AddNode(NodePointGround()), coordinate=0)
    )
    mbs.AddObject(ObjectConnectorCoordinate(markerNumbers=[fixed, rail]))
    return plane


def four_bars(n: int) -> Plane:
    """Upright, the tops moving at 1 m/s along x."""
    plane = Plane()
    size = (1.0, 1.0)
    up = [plane.bar((i, 0.0), math.pi / 2, size, (0.5, 0.0, -1.0)) for i in range(n + 1)]
    across = [plane.bar((i, 1.0), 0.0, size, (1.0, 0.0, 0.0)) for i in range(n)]
    for i, bar in enumerate(up):
        plane.pin(plane.on_ground(float(i)), plane.marker(bar, -0.5))
    for i, bar in enumerate(across):
        plane.pin(plane.marker(up[i], 0.5), plane.marker(bar, -0.5))
        plane.pin(plane.marker(bar, 0.5), plane.marker(up[i + 1], 0.5))
    return plane


def once(mechanism: str, until: float, steps: int) -> Outcome:
    """(angle at the end, gap, steps, seconds)."""
    seconds = []
    for _ in range(ROUNDS):
        slider = mechanism == "slider_crank"
        plane = slider_crank() if slider else four_bars(int(mechanism.rpartition("_")[2]))
        plane.mbs.Assemble()
        begin = time.process_time()
        plane.mbs.SolveDynamic(_options(until, steps, len(plane.nodes)))
        seconds.append(time.process_time() - begin)
        if seconds[-1] > 1:
            break
    return _angle(plane), _gap(plane), steps, min(seconds)


def _options(until: float, steps: int, bodies: int) -> Any:
    options = exudyn.SimulationSettings()
    options.timeIntegration.endTime = until
    options.timeIntegration.numberOfSteps = steps
    options.timeIntegration.verboseMode = 0
    options.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    options.timeIntegration.newton.useModifiedNewton = True
    options.timeIntegration.newton.relativeTolerance = 1e-10
    options.timeIntegration.newton.absoluteTolerance = 1e-12
    options.solutionSettings.writeSolutionToFile = False
    options.parallel.numberOfThreads = 1
    if bodies > SPARSE:
        options.linearSolverType = exudyn.LinearSolverType.EigenSparse
    return options


def _angle(plane: Plane) -> float:
    node = plane.nodes[0]
    kind = exudyn.OutputVariableType.Coordinates
    start = plane.mbs.GetNode(node)["referenceCoordinates"][2]
    return float(start + plane.mbs.GetNodeOutput(node, kind)[2])


def _gap(plane: Plane) -> float:
    kind = exudyn.OutputVariableType.Position
    ends = [[plane.mbs.GetMarkerOutput(m, kind) for m in pair] for pair in plane.pins]
    return float(max(np.abs(np.array(a) - np.array(b)).max() for a, b in ends))


def settings(mechanism: str, until: float) -> dict[str, Callable[[], Outcome]]:
    """Steps from coarse to fine."""
    finest = 10 if mechanism == "four_bar_40" else 13
    counts = [round(until * 25 * 2**k) for k in range(finest)]
    return {
        f"generalised alpha, {1e6 * until / n:.0f} us": partial(once, mechanism, until, n)
        for n in counts
    }
