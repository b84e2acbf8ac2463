"""The benchmark models: four robots, serial chains and binary trees, all as URDF text.

One text per model, read by every contender with its own reader.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from tests.crosscheck import robots  # noqa: E402

BUILD = Path(__file__).resolve().parent / ".build"
RESULTS = Path(__file__).resolve().parent / "results"

SIZES = (10, 30, 100, 300)
ROBOTS = tuple(robots.ROBOTS)
SYNTHETIC = tuple(f"{kind}{n}" for kind in ("chain", "tree") for n in SIZES)
NAMES = ROBOTS + SYNTHETIC
AXES = ("0 0 1", "0 1 0", "1 0 0")


def floating(name: str) -> bool:
    """Whether the base of the model floats."""
    return name in robots.ROBOTS and robots.ROBOTS[name].floating


def split(name: str) -> tuple[str, int]:
    """("chain", 100) from "chain100"."""
    kind = name.rstrip("0123456789")
    return kind, int(name[len(kind) :])


def triple(x: np.ndarray) -> str:
    """Three numbers as URDF writes them."""
    return " ".join(f"{e:.6f}" for e in x)


def synthetic_link(i: int, rng: np.random.Generator) -> str:
    """A link with generic centre of mass and full inertia, that of six point masses."""
    mass = rng.uniform(0.5, 1.5)
    points = rng.uniform(-0.15, 0.15, (6, 3))
    points -= points.mean(axis=0)
    inertia = mass / 6 * sum(p @ p * np.eye(3) - np.outer(p, p) for p in points)
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia
    return (
        f'<link name="l{i}"><inertial><origin xyz="{triple(rng.uniform(-0.1, 0.1, 3))}"/>'
        f'<mass value="{mass:.6f}"/><inertia ixx="{xx:.8f}" ixy="{xy:.8f}" ixz="{xz:.8f}" '
        f'iyy="{yy:.8f}" iyz="{yz:.8f}" izz="{zz:.8f}"/></inertial></link>'
    )


def synthetic_joint(i: int, parent: str, rng: np.random.Generator) -> str:
    """A revolute joint with a generic offset; axes cycle z, y, x."""
    return (
        f'<joint name="j{i}" type="revolute"><parent link="{parent}"/><child link="l{i}"/>'
        f'<origin xyz="{triple(rng.uniform(0.05, 0.15, 3))}"/><axis xyz="{AXES[i % 3]}"/>'
        '<limit effort="1e3" velocity="1e3" lower="-3" upper="3"/></joint>'
    )


def synthetic_urdf(kind: str, n: int) -> str:
    """A chain, or a binary tree (joint i on link (i - 1) // 2), of n revolute joints."""
    rng = np.random.default_rng(n)
    rows = [f'<robot name="{kind}{n}">', '<link name="world"/>']
    for i in range(n):
        parent = "world" if i == 0 else f"l{i - 1 if kind == 'chain' else (i - 1) // 2}"
        rows += [synthetic_link(i, rng), synthetic_joint(i, parent, rng)]
    return "\n".join([*rows, "</robot>"])


def urdf_path(name: str) -> Path:
    """The model's URDF file, written under the build folder."""
    BUILD.mkdir(exist_ok=True)
    path = BUILD / f"{name}.urdf"
    text = robots.urdf_text(name) if name in robots.ROBOTS else synthetic_urdf(*split(name))
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
    return path
