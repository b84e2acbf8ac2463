"""Contact in the plane: gap and normal against a search along the outline, forces against laws."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq, minimize_scalar
from tests.approx import (
    AT_STATES,
    COARSE_RUN,
    GOLDEN,
    IDENTITY,
    LONG_RUN,
    READ_OFF,
    ROUNDING,
    TRAJECTORY,
)

import kinetree as kt
from kinetree.errors import KinetreeError, ModelError
from kinetree.program.restrict import restrict

Array = np.ndarray
SQUARE = ((0.3, -0.2), (0.3, 0.2), (-0.3, 0.2), (-0.3, -0.2))
ELL = ((0.0, 0.0), (0.6, 0.0), (0.6, 0.2), (0.2, 0.2), (0.2, 0.6), (0.0, 0.6))
SLOT = (
    (-0.5, 0.0),
    (-0.5, -0.6),
    (0.5, -0.6),
    (0.5, 0.0),
    (0.2, 0.0),
    (0.2, -0.3, -1.0),
    (-0.2, -0.3),
    (-0.2, 0.0),
)
EGG = tuple(
    (float(r * np.cos(a)), float(0.8 * r * np.sin(a)))
    for a, r in (
        (a, 0.4 + 0.08 * np.cos(2 * a)) for a in np.linspace(0.3, 2 * np.pi + 0.3, 14)[:-1]
    )
)
HILL = tuple((float(x), float(0.1 * np.cos(4 * x))) for x in np.linspace(1.0, -1.0, 15))


def touching(
    first: dict[str, Any], second: dict[str, Any], kind: str = "plane_linear", **more: Any
) -> kt.Model:
    """A body that moves in the plane beside another that does."""
    model = kt.Model("pair", gravity=(0, -9.81, 0))
    for name in ("a", "b"):
        model.planar(name, model.ground, model.body(name, mass=1.0, inertia=(1, 1, 1)))
    given = {"stiffness": 1e4} if kind in ("plane_linear", "plane_hunt_crossley") else {}
    model.force(
        kind,
        "touch",
        ("a", "b"),
        {"first_profile": first, "second_profile": second, **given, **more},
    )
    return model


def told(model: kt.Model, poses: Array, rates: Array | None = None) -> dict[str, Array]:
    """Outputs of the contact at poses of the first body relative to the second, both moved."""
    turn, shift = 0.7, np.array([0.4, -1.1])
    c, s = np.cos(turn), np.sin(turn)
    q = np.zeros((len(poses), 6))
    q[:, 3:5], q[:, 5] = shift, turn
    q[:, :2] = shift + poses[:, :2] @ np.array([[c, s], [-s, c]])
    q[:, 2] = turn + poses[:, 2]
    program = kt.derive(model, "forces")
    names = [f"touch.{k}" for k in ("gap", "depth", "load", "force", "torque", "power")]
    found = restrict(program, [o.name for o in program.outputs if o.name.startswith(tuple(names))])
    values = {"q": q, "qd": np.zeros_like(q) if rates is None else rates}
    return found.evaluate(**found.pick_inputs(values))


Piece = Callable[[Any], Array]


def outline(data: dict[str, Any]) -> list[Piece]:
    """Pieces of an outline as functions of a share from 0 to 1, in the order it is drawn."""
    if "circle" in data:
        (x, y), r = data["circle"], data["radius"]
        return [_edge((x + r, y, 1.0), (x - r, y)), _edge((x - r, y, 1.0), (x + r, y))]
    closed = data.get("closed", False)
    rows = [(*row, 0.0)[:3] for row in data.get("chain", data.get("spline"))]
    rows = [*rows, rows[0]] if closed else rows
    if "chain" in data:
        return [_edge(a, b[:2]) for a, b in pairwise(rows)]
    P = np.array(rows)[:, :2]
    s = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(P, axis=0).T))])
    curve = CubicSpline(s, P, bc_type="periodic" if closed else "natural")
    return [lambda t, a=a, b=b: curve(a + (b - a) * t) for a, b in pairwise(s)]


def _edge(corner: Any, end: Any) -> Piece:
    a, bulge, b = np.array(corner[:2]), corner[2], np.array(end)
    if not bulge:
        return lambda t: a + np.multiply.outer(t, b - a)
    turn = 4 * np.arctan(bulge)
    d = b - a
    centre = (a + b) / 2 + np.array([-d[1], d[0]]) / (2 * np.tan(turn / 2))
    x, y = a - centre

    def at(t: Any) -> Array:
        c, s = np.cos(turn * np.asarray(t)), np.sin(turn * np.asarray(t))
        return centre + np.stack([c * x - s * y, s * x + c * y], axis=-1)

    return at


def searched(pieces: list[Piece], X: Array) -> tuple[float, Array]:
    """Distance of a point from an outline, and the nearest place."""
    best, place = np.inf, X
    shares = np.linspace(0, 1, 101)
    for piece in pieces:
        far = np.hypot(*(piece(shares) - X).T)
        if far.min() > best + 0.02:
            continue
        k = int(np.argmin(far))
        low, high = shares[max(k - 1, 0)], shares[min(k + 1, 100)]
        found = minimize_scalar(lambda t, f=piece: np.sum((f(t) - X) ** 2), bounds=(low, high),
                                method="bounded", options={"xatol": 1e-12})  # fmt: skip
        t = min((found.x, low, high), key=lambda t, f=piece: np.hypot(*(f(t) - X)))
        if np.hypot(*(piece(t) - X)) < best:
            place = piece(t)
            best = float(np.hypot(*(place - X)))
    return best, place


def is_solid(pieces: list[Piece], X: Array) -> bool:
    """Whether a closed outline drawn counter-clockwise holds a point: it goes round it."""
    ring = np.concatenate([piece(np.linspace(0, 1, 200)) for piece in pieces]) - X
    angle = np.unwrap(np.arctan2(*ring.T[::-1]))
    return abs(angle[-1] - angle[0]) > np.pi


FLOOR = {"chain": ((5.0, 0.0), (-5.0, 0.0))}
FACES = {
    "square": {"chain": SQUARE, "closed": True},
    "ell": {"chain": ELL, "closed": True},
    "slot": {"chain": SLOT, "closed": True},
    "egg": {"spline": EGG, "closed": True},
    "hill": {"spline": HILL},
    "disc": {"circle": (0.1, -0.2), "radius": 0.3},
}


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("radius", [0.0, 0.07])
def test_gap_is_the_distance_that_a_search_finds(face: str, radius: float) -> None:
    at = (0.05, 0.02)
    first = {"circle": at, "radius": radius} if radius else {"point": at}
    random = np.random.default_rng(3)
    poses = random.uniform((-0.8, -0.8, -3), (0.8, 0.8, 3), (60, 3))
    found = told(touching(first, FACES[face]), poses)
    pieces, compared = outline(FACES[face]), 0
    for pose, gap in zip(poses, found["touch.gap"], strict=True):
        c, s = np.cos(pose[2]), np.sin(pose[2])
        X = pose[:2] + np.array([c * at[0] - s * at[1], s * at[0] + c * at[1]])
        distance, place = searched(pieces, X)
        solid = X[1] < place[1] if face == "hill" else is_solid(pieces, X)
        if (solid and distance > 0.05) or (face == "hill" and abs(place[0]) > 0.99):
            continue  # deeper than it counts, or beyond the ends of an open curve
        compared += 1
        assert gap == pytest.approx((-distance if solid else distance) - radius, abs=AT_STATES)
    assert compared > 20


def feet(pieces: list[Piece], X: Array) -> list[tuple[float, Array]]:
    """Of every piece the distance of a point and the nearest place, by the root of its slope."""
    found, h = [], 1e-4
    for piece in pieces:

        def slope(t: float, f: Piece = piece) -> float:
            turn = (8 * (f(t + h) - f(t - h)) - (f(t + 2 * h) - f(t - 2 * h))) / (12 * h)
            return float((f(t) - X) @ turn)

        shares = np.linspace(0, 1, 101)
        k = int(np.argmin(np.hypot(*(piece(shares) - X).T)))
        low, high = shares[max(k - 1, 0)], shares[min(k + 1, 100)]
        t = float(shares[k])
        if slope(low) < 0 < slope(high):
            t = brentq(slope, low, high, xtol=1e-15, rtol=1e-14)
        found.append((float(np.hypot(*(piece(t) - X))), piece(t)))
    return sorted(found, key=lambda row: row[0])


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("radius", [0.0, 0.07])
def test_normal_is_where_a_search_finds_the_nearest_place(face: str, radius: float) -> None:
    """In the frame of the face, by the force, which is k times the depth along the normal."""
    first = {"circle": (0, 0), "radius": radius} if radius else {"point": (0, 0)}
    pieces, near = outline(FACES[face]), []
    for piece in pieces:
        for t in (0.11, 0.37, 0.62, 0.93):
            along = piece(t + 1e-6) - piece(t)
            inward = np.array([-along[1], along[0]]) / np.hypot(*along)
            near.append(piece(t) + inward * (0.012 if not radius else -0.045))
    spots = np.array([(*X, 0.3) for X in near])
    found, compared = told(touching(first, FACES[face]), spots), 0
    for X, force, load in zip(near, found["touch.force"], found["touch.load"], strict=True):
        (distance, place), *others = feet(pieces, X)
        apart = [d for d, other in others if np.hypot(*(other - place)) > 1e-9]
        if min(apart, default=1.0) < max(radius, 2 * distance):
            continue  # it touches there, too
        compared += 1
        n = (X - place if radius else place - X) / distance
        wanted = 1e4 * (radius - distance if radius else distance)
        assert load == pytest.approx(wanted, rel=AT_STATES)
        assert np.abs(force[:2] / load - n).max() < AT_STATES
    assert compared >= min(len(pieces), 4)


def apart(P: Array, Q: Array) -> float:
    """Distance of the corners of one closed polygon from the edges of another."""
    a, d = Q, np.roll(Q, -1, axis=0) - Q
    share = np.clip(np.einsum("pqk,qk->pq", P[:, None] - a, d) / (d**2).sum(axis=1), 0, 1)
    return float(np.linalg.norm(P[:, None] - a - share[..., None] * d, axis=2).min())


def lap(P: Array, Q: Array) -> bool:
    """Whether two polygons overlap, by dense points of either."""
    shares = np.linspace(0, 1, 200)[:, None, None]
    ring = (P + shares * (np.roll(P, -1, axis=0) - P)).reshape(-1, 2)
    turns = np.diff(np.angle((np.vstack([Q, Q[:1]])[:, None] - ring) @ [1, 1j]), axis=0)
    about = ((turns + np.pi) % (2 * np.pi) - np.pi).sum(axis=0)
    return bool((np.abs(about) > np.pi).any())


@pytest.mark.parametrize("face", [SQUARE, ELL], ids=["square", "ell"])
def test_two_chains_are_as_far_apart_as_a_search_over_both_finds(face: Any) -> None:
    """What is nearest is a corner of either and an edge or a corner of the other."""
    shape = ((0.15, 0.1), (-0.15, 0.1), (-0.1, -0.1), (0.0, 0.05), (0.1, -0.1))
    random = np.random.default_rng(8)
    poses = random.uniform((-1.0, -1.0, -3), (1.0, 1.0, 3), (200, 3))
    pair = touching({"chain": shape, "closed": True}, {"chain": face, "closed": True})
    still, compared = np.array(face), 0
    for pose, gap in zip(poses, told(pair, poses)["touch.gap"], strict=True):
        c, s = np.cos(pose[2]), np.sin(pose[2])
        moved = pose[:2] + np.array(shape) @ np.array([[c, s], [-s, c]])
        if lap(moved, still) or lap(still, moved):
            continue
        compared += 1
        assert gap == pytest.approx(min(apart(moved, still), apart(still, moved)), abs=AT_STATES)
    assert compared > 100


def test_bodies_that_move_as_one_are_given_no_power() -> None:
    """Frozen in each other at random places: what acts on one takes what the other gives."""
    random = np.random.default_rng(11)
    poses = random.uniform((-0.5, -0.5, -3), (0.5, 0.5, 3), (200, 3))
    moved = touching({"chain": SQUARE, "closed": True}, FACES["ell"], friction=0.5, damping=20.0)
    turn, (vx, vy), w = 0.7, (0.8, -1.3), 2.1
    c, s = np.cos(turn), np.sin(turn)
    far = poses[:, :2] @ np.array([[c, s], [-s, c]])  # from one frame to the other, in the ground
    rates = np.tile([vx, vy, w, vx, vy, w], (len(poses), 1))
    rates[:, 0] -= w * far[:, 1]
    rates[:, 1] += w * far[:, 0]
    found = told(moved, poses, rates)
    touches = found["touch.load"] > 0
    assert touches.sum() > 40
    assert np.abs(found["touch.power"]).max() < IDENTITY * found["touch.load"].max()


@pytest.mark.parametrize("face", ["square", "ell", "slot"])
@pytest.mark.parametrize("radius", [0.0, 0.02])
def test_gap_is_the_distance_exactly_between_two_regions_too(face: str, radius: float) -> None:
    """On the normals that edges have at their ends, where a corner or arc begins."""
    pieces, spots = outline(FACES[face]), []
    first = {"circle": (0, 0), "radius": radius} if radius else {"point": (0, 0)}
    for piece, end in product(pieces, (0.0, 1.0)):
        x, y = piece(end + 1e-6) - piece(end)
        normal = np.round(np.array([y, -x]) / np.hypot(x, y), 3)
        spots += [piece(end) + far * normal for far in (1e-3, 0.03, 0.25)]
    found = told(touching(first, FACES[face]), np.array([(*X, 0.0) for X in spots]))["touch.gap"]
    signs = [-1 if is_solid(pieces, X) else 1 for X in spots]
    wanted = [s * searched(pieces, X)[0] - radius for s, X in zip(signs, spots, strict=True)]
    assert np.abs(found - wanted).max() < AT_STATES


OVAL = tuple(
    (float(r * np.cos(a)), float(0.9 * r * np.sin(a)))
    for a, r in (
        (a, 0.4 + 0.03 * np.cos(2 * a)) for a in np.linspace(0.3, 2 * np.pi + 0.3, 14)[:-1]
    )
)


def test_a_convex_spline_meets_an_edge_where_a_search_finds_its_lowest_point() -> None:
    oval = {"spline": OVAL, "closed": True}
    random = np.random.default_rng(3)
    poses = random.uniform((-0.8, 0.2, -3), (0.8, 0.8, 3), (40, 3))
    found = told(touching(oval, FLOOR), poses)
    dense = np.concatenate([piece(np.linspace(0, 1, 20001)) for piece in outline(oval)])
    for pose, gap in zip(poses, found["touch.gap"], strict=True):
        heights = pose[1] + np.sin(pose[2]) * dense[:, 0] + np.cos(pose[2]) * dense[:, 1]
        assert gap == pytest.approx(heights.min(), abs=AT_STATES)
    with pytest.raises(KinetreeError, match="'touch': a spline that is not closed, solid and con"):
        told(touching(FACES["hill"], FLOOR), poses)
    with pytest.raises(KinetreeError, match="'touch': a spline meets another spline"):
        told(touching(oval, FACES["hill"]), poses)


def flying(profile: dict[str, Any], wall: dict[str, Any], law: Any, **data: Any) -> kt.Model:
    """A body that moves in the plane without gravity, and a wall on the ground."""
    model = kt.Model("flying", gravity=(0, 0, 0))
    model.planar("p", model.ground, model.body("b", mass=0.3, inertia=(1, 1, 0.01)))
    model.plane_contact("touch", "b", model.ground, profile, wall, law, **data)
    return model


LOSING: dict[str, tuple[dict[str, float], float]] = {
    "hunt_crossley": ({"stiffness": 1e5, "dissipation": 0.4}, 0.4),
    "lankarani_nikravesh": (
        {"stiffness": 1e5, "restitution": 0.8, "impact_speed": 0.7}, 3 * (1 - 0.8**2) / (4 * 0.7)
    ),
    "felt": ({"force": 20.0, "depth": 4e-4, "exponent": 1.8, "dissipation": 0.5}, 0.5),
}  # fmt: skip
"""Law -> its numbers, and a of a force that is some function of the depth times 1 + a δ̇."""


@pytest.mark.parametrize("law", LOSING)
def test_a_ball_comes_back_as_its_law_says(law: str) -> None:
    v, (data, a) = 0.7, LOSING[law]
    model = flying({"circle": (0, 0), "radius": 0.1}, FLOOR, law, **data)
    run = kt.simulate(model, 0.3, q=[0, 0.12, 0], qd=[0, -v, 0], rtol=1e-10, atol=1e-12)

    def taken(speed: float) -> float:  # m v dv = -f(δ) (1 + a v) dδ, integrated from touching
        return speed / a - np.log(1 + a * speed) / a**2

    back = brentq(lambda w: taken(-w) - taken(v), 0.0, v)
    assert run["qd"].values[-1, 1] == pytest.approx(back, abs=TRAJECTORY)


def test_equal_discs_hand_their_speed_on() -> None:
    model = kt.Model("cradle", gravity=(0, 0, 0))
    disc = {"circle": (0, 0), "radius": 0.05}
    for k in range(5):
        model.prismatic(f"x{k}", model.ground, model.body(f"b{k}", mass=0.2), axis="x")
    for k in range(4):
        model.plane_contact(f"c{k}", f"b{k}", f"b{k + 1}", disc, disc, stiffness=1e7)
    at = [k * 0.101 - (0.05 if k == 0 else 0.0) for k in range(5)]
    run = kt.simulate(model, 0.2, q=at, qd=[1.0, 0, 0, 0, 0], rtol=1e-10, atol=1e-12)
    assert run["qd"].values[-1] == pytest.approx([0, 0, 0, 0, 1.0], abs=COARSE_RUN)


def test_a_box_slides_and_stops_where_friction_has_taken_its_energy() -> None:
    mu, v, g = 0.4, 1.5, 9.81
    model = kt.Model("box", gravity=(0, -g, 0))
    model.planar("p", model.ground, model.body("b", mass=2.0, inertia=(1, 1, 0.02)))
    box = {"chain": SQUARE, "closed": True}
    model.plane_contact("touch", "b", model.ground, box, FLOOR, "linear", stiffness=1e6,
                        damping=2e3, friction=mu, slip_speed=1e-4)  # fmt: skip
    sunk = 2.0 * g / (2 * 1e6)  # two corners carry it
    run = kt.simulate(model, 0.6, q=[0, 0.2 - sunk, 0], qd=[v, 0, 0], method="cvode_bdf")
    assert run["q"].values[-1, 0] == pytest.approx(v**2 / (2 * mu * g), rel=READ_OFF)
    assert run["qd"].values[-1] == pytest.approx(np.zeros(3), abs=READ_OFF)


@pytest.mark.parametrize("shape", ["circle", "spline"])
def test_a_roller_on_an_eccentric_cam_lifts_as_the_closed_form_says(shape: str) -> None:
    e, R, r = 0.02, 0.05, 0.015
    turns = np.linspace(0, 2 * np.pi, 73)[:-1]
    cam: dict[str, Any] = {"circle": (e, 0.0), "radius": R}
    if shape == "spline":
        points = [(e + R * np.cos(a), R * np.sin(a)) for a in turns.tolist()]
        cam = {"spline": points, "closed": True}
    model = kt.Model("cam", gravity=(0, -9.81, 0))
    model.revolute("turn", model.ground, model.body("cam", mass=1.0, inertia=(1, 1, 1)), axis="z")
    model.prismatic("lift", model.ground, model.body("roller", mass=1.0), axis="y")
    model.plane_contact("touch", "roller", "cam", {"circle": (0, 0), "radius": r}, cam,
                        stiffness=1e5)  # fmt: skip
    lift = e * np.sin(turns) + np.sqrt((R + r) ** 2 - (e * np.cos(turns)) ** 2)
    gap = restrict(kt.derive(model, "forces"), ["touch.gap"])
    found = gap.evaluate(**gap.pick_inputs({"q": np.stack([turns, lift], axis=1)}))["touch.gap"]
    assert np.abs(found).max() < (IDENTITY if shape == "circle" else LONG_RUN)


def test_a_roller_that_a_cam_lifts_is_pushed_as_its_acceleration_wants() -> None:
    """Load times the share of its normal along the guide = m (g + ÿ), by the closed form of y."""
    e, far, w, m, g = 0.02, 0.065, 5.0, 0.4, 9.81
    model = kt.Model("cam", gravity=(0, -g, 0))
    model.revolute("turn", model.ground, model.body("cam", mass=1.0, inertia=(1, 1, 1)), axis="z")
    model.prismatic("lift", model.ground, model.body("roller", mass=m), axis="y")
    model.drive("turn", lambda t: w * t)
    model.plane_contact("touch", "roller", "cam", {"circle": (0, 0), "radius": 0.015},
                        {"circle": (e, 0), "radius": far - 0.015}, "linear", stiffness=1e6,
                        damping=500.0)  # fmt: skip
    run = kt.simulate(model, 1.5, q={"lift": np.sqrt(far**2 - e**2)}, qd={"lift": e * w},
                      method="cvode_bdf", step=0.01, outputs=["touch.load"])  # fmt: skip
    t = run.time.values
    c, s = np.cos(w * t), np.sin(w * t)
    up = np.sqrt(far**2 - (e * c) ** 2)  # of the normal
    climb = e**2 * w * s * c / up
    speed = e**2 * w**2 * (c**2 - s**2) / up - climb**2 / up
    wanted = m * (g - e * w**2 * s + speed) * far / up
    late = t > 0.1  # it begins without a depth
    assert run["touch.load"].values[late] == pytest.approx(wanted[late], rel=READ_OFF)


@pytest.mark.parametrize("face", ["square", "ell", "slot", "egg"])
def test_forces_never_pull_and_friction_never_gives_power(face: str) -> None:
    random = np.random.default_rng(5)
    poses = random.uniform((-0.6, -0.6, -3), (0.6, 0.6, 3), (200, 3))
    first = {"chain": ((0.1, 0.1, 0.3), (-0.1, 0.1), (-0.05, -0.1), (0.05, -0.1)), "closed": True}
    if face == "egg":
        first = {"circle": (0, 0), "radius": 0.1}
    rates = random.uniform(-1, 1, (200, 6))
    slick, rough = (
        told(touching(first, FACES[face], friction=mu, damping=10.0), poses, rates)
        for mu in (0.0, 0.6)
    )
    assert (slick["touch.load"] >= 0).all()
    assert (slick["touch.load"] > 0).sum() > 20
    power = rough["touch.power"] - slick["touch.power"]
    assert power.max() <= IDENTITY * np.abs(power).max()


@pytest.mark.parametrize("face", FACES)
def test_derivatives_are_those_of_the_complex_step(face: str) -> None:
    model = touching({"circle": (0.02, 0), "radius": 0.1}, FACES[face], "plane_felt", force=50.0,
                     depth=0.02, friction=0.3, dissipation=0.2)  # fmt: skip
    forward = kt.derive(model, "forward")
    random = np.random.default_rng(7)
    q = random.uniform(-0.4, 0.4, (40, 6))
    given = {"q": q, "qd": random.uniform(-1, 1, (40, 6)), "tau": np.zeros((40, 6))}
    values = forward.pick_inputs(given)
    exact = forward.derivative("qdd", ("q",)).evaluate(**values)["dqdd_dq"]
    for k in range(6):
        step = np.zeros(6, dtype=complex)
        step[k] = 1e-30j
        bent = forward.evaluate(**{**values, "q": q + step})["qdd"].imag / 1e-30
        scale = max(1.0, float(np.abs(bent).max()))
        assert np.abs(exact[..., k] - bent).max() < GOLDEN * scale


BAD = {
    "profile crosses itself": {"chain": ((0, 0), (1, 1), (1, 0), (0, 1)), "closed": True},
    "its profile is point and circle": {"circle": (0, 0), "point": (0, 0)},
    "its profile has no shape": {"radius": 1.0},
    "its radius is 0": {"circle": (0, 0), "radius": 0.0},
    "field of a circle": {"circle": (0, 0), "radius": 1.0, "raduis": 2.0},
    "twice in a row": {"chain": ((0, 0), (0, 0), (1, 0))},
    "its profile has 1 corner": {"chain": ((0, 0),)},
    "turns back about its middle": {"spline": ((0, 0), (1, 0), (1, 1), (0.9, 0.1)), "closed": True},
    "never meet each other": {"point": (1, 0)},
}


@pytest.mark.parametrize("said", BAD)
def test_what_makes_no_profile_is_refused_by_name(said: str) -> None:
    with pytest.raises(ModelError, match=f"force 'touch'.*{said}"):
        kt.derive(touching({"point": (0, 0)}, BAD[said]), "forward")


@pytest.mark.parametrize(
    ("word", "value"), [("friction", -0.1), ("slip_speed", 0), ("thickness", -1)]
)
def test_numbers_that_make_no_contact_are_refused_by_name(word: str, value: float) -> None:
    with pytest.raises(ModelError, match=f"force 'touch': its {word} is {value}"):
        touching({"point": (0, 0)}, FACES["square"], **{word: value})


@pytest.mark.parametrize(
    ("law", "said"),
    [(None, "needs its 'law'"), ("hunt_crossley", "needs its 'stiffness'"),
     ("sprung", "there is no law of contacts 'sprung'")],
)  # fmt: skip
def test_a_pair_without_a_law_is_refused_by_name(law: Any, said: str) -> None:
    model = touching({"point": (0, 0)}, FACES["square"])
    with pytest.raises(KinetreeError, match=f"force 'other': .*{said}"):
        model.plane_contact("other", "a", "b", {"point": (0, 0)}, FACES["square"], law)


def test_what_is_larger_than_a_hollow_arc_does_not_touch_its_ground() -> None:
    groove = {"chain": ((1.0, 0.0), (0.05, 0.0, -1.0), (-0.05, 0.0), (-1.0, 0.0))}
    disc = {"circle": (0, 0), "radius": 0.2}
    poses = np.array([[0.0, y, 0.0] for y in (0.3, 0.21, np.sqrt(0.2**2 - 0.05**2))])
    gap = told(touching(disc, groove), poses)["touch.gap"]
    assert gap == pytest.approx(np.hypot(0.05, poses[:, 1]) - 0.2, abs=IDENTITY)


def test_bodies_that_leave_the_plane_are_refused() -> None:
    model = kt.Model("tilted")
    model.revolute("a", model.ground, model.body("b", mass=1.0, inertia=(1, 1, 1)), axis="x")
    model.plane_contact("touch", "b", model.ground, {"point": (0, 0)}, FLOOR, stiffness=1e4)
    with pytest.raises(KinetreeError, match=r"'touch'.*do not stay in one plane"):
        kt.derive(model, "forward")


def test_the_file_keeps_profiles(tmp_path: Path) -> None:
    model = touching({"circle": (0.1, 0.2), "radius": 0.3}, FACES["slot"], friction=0.2)
    kt.save(model, tmp_path / "pair.yaml")
    other = kt.load(tmp_path / "pair.yaml")
    q = np.array([[0.1, 0.02, 0.3]])
    one, two = told(model, q), told(other, q)
    for name in one:
        assert one[name] == pytest.approx(two[name], abs=ROUNDING)


def test_layers_in_a_row_push_by_their_table_and_never_pull() -> None:
    """Each gap by itself: squeezed layers push each other, those that part do nothing."""
    model, disc = kt.Model("layers", gravity=(0, 0, 0)), {"circle": (0, 0), "radius": 0.05}
    depths, loads = [0.0, 0.001, 0.003, 0.01], [0.0, 20.0, 30.0, 200.0]
    soft = model.table("soft", depths, loads)
    for k in range(4):
        model.prismatic(f"x{k}", model.ground, model.body(f"b{k}", mass=0.2), axis="x")
    for k in range(3):
        model.plane_contact(f"c{k}", f"b{k}", f"b{k + 1}", disc, disc,
                            lambda depth: kt.functions.table(depth, soft))  # fmt: skip
    squeezed = np.array([[0.001, 0.003, 0.01], [-0.02, 0.003, -0.001], [-0.1, -0.1, -0.1]])
    q = np.concatenate([np.zeros((3, 1)), np.cumsum(0.1 - squeezed, axis=1)], axis=1)
    program = kt.derive(model, "forces")
    found = program.evaluate(**program.pick_inputs({"q": q, "qd": np.zeros_like(q)}))
    wanted = np.interp(squeezed, depths, loads)  # at the knots, and nothing below zero
    for k in range(3):
        assert found[f"c{k}.load"] == pytest.approx(wanted[:, k], abs=AT_STATES)
        assert found[f"c{k}.force"][:, 0] == pytest.approx(-wanted[:, k], abs=AT_STATES)
