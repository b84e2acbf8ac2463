"""Four robots of the installed example-robot-data package, stripped to their mechanics."""

from __future__ import annotations

import importlib.util
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

DROPPED_FROM_LINKS = ("visual", "collision")
DROPPED_FROM_JOINTS = ("mimic", "safety_controller", "calibration", "dynamics")
DROPPED_FROM_ROBOT = ("transmission", "gazebo", "sensor", "material")


@dataclass(frozen=True)
class Robot:
    """Where a robot's URDF lies in the package, and whether its base floats."""

    name: str
    path: str
    floating: bool


ROBOTS = {
    robot.name: robot
    for robot in (
        Robot("ur5", "ur_description/urdf/ur5_robot.urdf", False),
        Robot("panda", "panda_description/urdf/panda.urdf", False),
        Robot("anymal", "anymal_b_simple_description/robots/anymal.urdf", True),
        Robot("talos", "talos_data/robots/talos_reduced.urdf", True),
    )
}


def package_folder() -> Path:
    """The folder of robot descriptions inside the installed package."""
    spec = importlib.util.find_spec("pinocchio")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("install the extra 'crosscheck': it brings pin and its robots")
    prefix = next(p for p in Path(spec.origin).parents if p.name == "cmeel.prefix")
    return prefix / "share" / "example-robot-data" / "robots"


def stripped(text: str) -> str:
    """The URDF without shapes, actuators and joint friction: what every engine understands."""
    robot = ET.fromstring(text)
    for tag in DROPPED_FROM_ROBOT:
        for element in robot.findall(tag):
            robot.remove(element)
    for holder, tags in (("link", DROPPED_FROM_LINKS), ("joint", DROPPED_FROM_JOINTS)):
        for parent in robot.findall(holder):
            for tag in tags:
                for element in parent.findall(tag):
                    parent.remove(element)
    return ET.tostring(robot, encoding="unicode")


def urdf_text(name: str) -> str:
    """The stripped URDF of a robot."""
    return stripped((package_folder() / ROBOTS[name].path).read_text())


def write_urdf(name: str, folder: Path) -> Path:
    """Write the stripped URDF into a folder; returns its path."""
    path = folder / f"{name}.urdf"
    path.write_text(urdf_text(name))
    return path
