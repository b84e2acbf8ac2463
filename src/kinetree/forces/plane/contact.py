"""Contact of two profiles in a plane: places are the frames in whose x-y planes they lie.

The planes of both frames coincide and stay so.  Every pair of features (`meeting`) that touches
pushes with the normal force F of its law (`normal_laws`) and rubs along its surface (`rubbing`).

| argument | meaning |
|---|---|
| first_profile, second_profile | what the bodies look like (`profiles`), in the two frames [m] |
| friction | coefficient μ |
| slip_speed | sliding speed within which friction grows [m/s], where it does not stick |
| stick_stiffness | of the spring that holds what sticks [N/m]; 0: it creeps, but never sticks |
| stick_time | in which that spring comes to rest [s] |
| thickness | depth behind an edge up to which it counts [m]; by default as far as |
|  | the material reaches without coming to another edge, halved |

Several pairs may touch at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kinetree.engine import ONE, ZERO, Node, add, as_node
from kinetree.errors import ModelError, UnsupportedError, warn
from kinetree.forces.normal_laws import ALL as LAWS
from kinetree.forces.normal_laws import NormalLaw
from kinetree.forces.plane import rubbing
from kinetree.forces.plane.meeting import APART, Meeting, PlanePose
from kinetree.forces.plane.pairing import meetings, pairs, pushing
from kinetree.forces.plane.profiles import Profile, profile
from kinetree.forces.plane.told import PairPush, PlaneTouch, PlaneView, tell
from kinetree.model import (
    AT_POINT,
    AT_POINT_WORK,
    REQUIRED,
    Action,
    Belongings,
    Between,
    Force,
    ForceKind,
    Offer,
    OwnState,
    Vec,
    apply,
    apply_transposed,
    cross,
    matmul,
    minus,
    negative,
    transpose,
)

MANY = 2000
"""Pairs of features above which a contact takes half a minute to derive and to compile."""
OPTIONS: dict[str, Any] = {
    "first_profile": REQUIRED,
    "second_profile": REQUIRED,
    **rubbing.OPTIONS,
    "thickness": None,
}
OUTPUTS = (
    Offer("load", "N"), Offer("depth", "m"), Offer("gap", "m"), Offer("pace", "s"),
    Offer("stored", "J"), Offer("loss", "W"), Offer("sunk", "m"), *AT_POINT,
)  # fmt: skip


def writer(law: NormalLaw) -> Callable[[Action, Force], None]:
    """How a contact by a law is written."""

    def write(act: Action, force: Force) -> None:
        seen = act.between(*force.points)
        view = see(act, seen, f"force '{force.name}'")
        first, second = profiles_of(force)
        found = list(meetings(first, second, view.pose, act.let, f"force '{force.name}'"))
        _refuse_points(found, f"force '{force.name}'")
        wrench = _Wrench(act, force, law, view)
        held = [pair for pair in found if pair.pushes]
        pushes = [wrench.push(pair, number) for number, pair in enumerate(held, 1)]
        _apply(act, force, seen, view, wrench.total())
        touch = PlaneTouch((first, second), view, found, pushes)
        act.tell(lambda: tell(act, force, law, touch, wrench.total()))

    return write


class _Wrench:
    """The sum of the forces of all pairs on the first body, about its place."""

    def __init__(self, act: Action, force: Force, law: NormalLaw, view: PlaneView) -> None:
        self.act, self.force, self.law, self.view = act, force, law, view
        self.parts: list[tuple[Node, Node, Node]] = []

    def push(self, pair: Meeting, number: int) -> PairPush:
        """Add one pair; what acts there."""
        act, (nx, ny) = self.act, pair.n
        u = self.view.velocity(pair.at)
        closing = act.let("closing", -(nx * u[0] + ny * u[1]))
        depth = act.let("inside", pair.where_held(pair.depth, as_node(APART)))
        F = act.let("load", self.law.load(act, self.force, depth, closing))
        sliding = nx * u[1] - ny * u[0]  # along (-n_y, n_x)
        T = rubbing.force(act, self.force, F, sliding, number)
        fx, fy = act.let("fx", F * nx - T * ny), act.let("fy", F * ny + T * nx)
        x, y = pair.at[0] - self.view.pose.x, pair.at[1] - self.view.pose.y
        self.parts.append((fx, fy, x * fy - y * fx))
        return PairPush(depth, closing, F, sliding, T)

    def total(self) -> tuple[Vec, Vec]:
        """Force [N] and torque [N.m]."""
        fx, fy, tz = (add(*(part[k] for part in self.parts)) for k in range(3))
        return (fx, fy, ZERO), (ZERO, ZERO, tz)


def see(act: Action, seen: Between, element: str) -> PlaneView:
    """The first frame as the second one sees it; refused where they do not share a plane."""
    R2 = seen.R_second
    turned = matmul(transpose(R2), seen.R_first)
    if turned[2][2] is not ONE:
        raise UnsupportedError(
            "its frames do not stay in one plane",
            element=element,
            cure="give places whose z axes are parallel, on bodies that turn about these alone",
        )
    p = apply_transposed(R2, negative(seen.d))
    v = apply_transposed(R2, minus(cross(seen.w_second, seen.d), seen.rate))
    w = apply_transposed(R2, minus(seen.w_first, seen.w_second))
    pose = PlanePose(*(act.let(k, x) for k, x in zip(
        ("c", "s", "x", "y"), (turned[0][0], turned[1][0], p[0], p[1]), strict=True)))  # fmt: skip
    return PlaneView(pose, (act.let("vx", v[0]), act.let("vy", v[1])), act.let("w", w[2]))


def _apply(
    act: Action, force: Force, seen: Between, view: PlaneView, wrench: tuple[Vec, Vec]
) -> None:
    """Load both bodies."""
    first, second = force.points
    F, T = wrench
    R = seen.R_second
    act.push(first, apply(R, F), apply(R, T), seen)
    back = (ZERO, ZERO, T[2] + view.pose.x * F[1] - view.pose.y * F[0])
    act.push(second, apply(R, negative(F)), apply(R, negative(back)), seen)


def profiles_of(force: Force) -> tuple[Profile, Profile]:
    """The two profiles of a contact."""
    element = f"force '{force.name}'"
    first, second = (force.arguments[f"{end}_profile"] for end in ("first", "second"))
    deep = force.arguments["thickness"]
    return (
        profile(first, f"{element} first_profile", deep),
        profile(second, f"{element} second_profile", deep),
    )


def sizes(force: Force) -> float:
    """Size of the smaller of the two profiles of a contact, points left out [m]."""
    return min(row.size for row in profiles_of(force) if row.size > 0)


def _refuse_points(found: Sequence[Meeting], element: str) -> None:
    """Refuse points that meet points alone, and what is too large for the hollow around it."""
    if not any(pair.pushes for pair in found):
        raise ModelError(
            "its profiles can never touch: points and corners alone never meet each other, and "
            "what is larger than a hollow does not fit into it",
            element=element,
            cure="give one of the profiles a radius, a rounding or edges, or the hollow more room",
        )


def checker(law: NormalLaw) -> Callable[[Mapping[str, Any], str], None]:
    """What refuses arguments of a contact that make no sense."""

    def check(arguments: Mapping[str, Any], element: str) -> None:
        both = [profile(arguments[f"{end}_profile"], f"{element} {end}_profile")
                for end in ("first", "second")]  # fmt: skip
        deep = arguments["thickness"]
        if deep is not None and (
            isinstance(deep, bool) or not isinstance(deep, int | float) or not deep > 0
        ):
            cure = "give metres, above 0"
            raise ModelError(f"its thickness is {deep!r}", element=element, cure=cure)
        rubbing.check(arguments, element)
        _look_at_pairs((both[0], both[1]), arguments, element)
        if law.check is not None:
            law.check(arguments, element)

    return check


def _look_at_pairs(
    both: tuple[Profile, Profile], arguments: Mapping[str, Any], element: str
) -> None:
    """Refuse springs that would have to go from part to part; warn of pairs that take long."""
    if max(row.repeat for row in both) > 1 and rubbing.sticks(arguments):
        raise UnsupportedError(
            "its friction sticks on a profile that repeats",
            element=element,
            cure="leave stick_stiffness out, or draw all parts",
        )
    count = sum(1 for _ in pairs(*both))
    if count > MANY:
        warn(
            f"{element}: its profiles make {count} pairs of edges, arcs and corners, which take "
            f"about {count / 60:.0f} s to derive and to compile for a run; give one of equal parts "
            "with repeat, arcs in place of many edges, or only what can touch"
        )


def own_states(name: str, arguments: Mapping[str, Any]) -> tuple[OwnState, ...]:
    """The stretch of every pair that may stick [m]; none where nothing does."""
    if not rubbing.sticks(arguments):
        return ()
    first, second = (profile(arguments[f"{end}_profile"], name) for end in ("first", "second"))
    pairs = range(1, pushing(first, second) + 1)
    return tuple(OwnState(rubbing.stretch(name, k), 0.0, "m") for k in pairs)


def _kind(law: NormalLaw) -> ForceKind:
    """The row of the contact by a law."""
    return ForceKind(
        f"plane_{law.name}",
        writer(law),
        options={**OPTIONS, **law.options},
        scalars=(*rubbing.UNITS, *law.scalars),
        laws=law.laws,
        variables=("depth", "rate") if law.laws else (),
        units={**rubbing.UNITS, **law.units},
        check=checker(law),
        outputs=OUTPUTS,
        work=AT_POINT_WORK,
        belongings=Belongings(states=own_states, pace="pace"),
    )


KINDS = tuple(_kind(law) for law in LAWS)
