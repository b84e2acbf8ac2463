"""Films of runs, what mechanisms meet, and bodies that nobody would see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from PIL import Image
from tests.approx import AT_STATES, READ_OFF

import kinetree as kt
from kinetree.errors import FormatError
from kinetree.view.clips import of_run, standing
from kinetree.view.film.scene import Scene
from kinetree.view.packing import unpack
from kinetree.view.payload import Look, payload
from kinetree.view.signals import as_run

if TYPE_CHECKING:
    from pathlib import Path


def parts(data: dict[str, Any], body: str, kind: str) -> list[dict[str, Any]]:
    rows = next(row for row in data["bodies"] if row["name"] == body)["parts"]
    return [row for row in rows if row["kind"] == kind]


def test_a_film_has_the_frames_of_its_run(pendulum: kt.Model, run: Any, tmp_path: Path) -> None:
    film = kt.animate(pendulum, run.isel(time=slice(0, 21)), tmp_path / "swing.gif")
    with Image.open(film) as picture:
        assert picture.n_frames == 13  # half a second at 25 pictures per second, and the first
        assert picture.info["duration"] == 40
        picture.seek(3)
        assert len(picture.convert("RGB").getcolors(1 << 16) or ()) > 5


def test_films_of_other_kinds_are_refused(pendulum: kt.Model, run: Any, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"\.gif or \.mp4 for a film"):
        kt.animate(pendulum, run, tmp_path / "swing.avi")


def test_shapes_of_a_scene_move_with_their_bodies(pendulum: kt.Model, run: Any) -> None:
    scene = Scene(pendulum, of_run(run))
    first, later = (np.concatenate([s.points for s in scene.shapes(k)]) for k in (0, 20))
    assert np.abs(later.mean(axis=0) - first.mean(axis=0)).max() > 0.01 * scene.data["size"]


def test_a_point_mass_on_a_body_that_carries_another_is_seen() -> None:
    model = kt.Model("double")
    upper, lower = (model.body(name, mass=1.0, com=(0, 0, -0.5)) for name in ("upper", "lower"))
    model.revolute("first", model.ground, upper, axis="y")
    model.revolute("second", upper.point("end", (0, 0, -0.5)), lower, axis="y")
    (ball,) = parts(payload(model, standing(model.initial()), Look()), "upper", "sphere")
    assert ball["at"] == pytest.approx([0, 0, -0.5])


def car(height: Any, way: float) -> tuple[kt.Model, dict[str, Any]]:
    """A wheel that goes along a road, and its page."""
    model = kt.Model("car")
    rider, wheel = model.body("rider", mass=1.0), model.body("wheel", mass=1.0)
    model.prismatic("travel", model.ground, rider, axis="x")
    model.prismatic("lift", rider, wheel, axis="z", initial=0.3)
    model.parameter("bump", 0.1)
    model.tyre("tyre", wheel, model.ground, radius=0.3, stiffness=1e5, spin=False, height=height)
    time = np.linspace(0, 1, 5)
    q = np.stack([way * time, 0.3 + 0 * time], axis=1)
    return model, payload(model, of_run(as_run(model, {"time": time, "q": q})), Look())


def test_a_road_is_drawn_where_the_wheel_passes() -> None:
    def height(x: Any) -> Any:
        return 0.1 * kt.functions.sin(x)

    _, data = car(height, 4.0)
    (road,) = parts(data, "ground", "mesh")
    corners = unpack(road["triangles"]).reshape(-1, 3)
    assert corners[:, 0].min() < 0 < 4 < corners[:, 0].max()
    assert corners[:, 2] == pytest.approx(0.1 * np.sin(corners[:, 0]), abs=READ_OFF)
    normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    assert normal[2] > 0


def test_a_road_that_moves_is_not_drawn() -> None:
    _, data = car(lambda t: 0.1 * t, 4.0)
    assert parts(data, "ground", "mesh") == []


@pytest.mark.parametrize(("way", "follow"), [(0.2, 0), (30.0, 1)])
def test_the_camera_goes_along_on_a_rail(way: float, follow: int) -> None:
    _, data = car(lambda x: 0 * x, way)
    assert data["follow"] == follow


def test_stops_are_blocks_at_the_ends_of_the_range() -> None:
    model = kt.Model("stops")
    slider = model.body("slider", mass=1.0)
    model.prismatic("slide", model.ground, slider, axis="x")
    arm = model.body("arm", mass=1.0, com=(1, 0, 0))
    model.revolute("turn", slider, arm, axis="z")
    model.stop("ends", "slide", lower=-0.5, upper=1.0)
    model.stop("angle", "turn", upper=np.pi / 2)
    data = payload(model, standing(model.initial()), Look())
    low, high = sorted(row["at"][0] for row in parts(data, "ground", "box"))
    assert (low, high) == pytest.approx((-0.5, 1.0), abs=0.15)
    peg = min(parts(data, "slider", "cylinder"), key=lambda row: row["radius"])
    assert peg["at"][1] > AT_STATES
    assert peg["at"][0] < 0  # beyond the arm at a right angle
