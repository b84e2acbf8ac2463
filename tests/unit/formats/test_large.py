"""Large files are read in time proportional to their size, and checked likewise."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

import kinetree as kt
from kinetree.errors import FormatError
from kinetree.formats import urdf, yaml_file
from kinetree.formats.build import MOST_MISTAKES
from kinetree.formats.yaml_plain import MOST_COPIES


def yaml_chain(n: int) -> str:
    """A chain of n bodies, about 240 bytes each."""
    bodies = "".join(
        f"  b{i}:\n    mass: 1.5\n    com: [0.1, 0.2, 0.3]\n"
        f"    inertia: [0.01, 0.02, 0.025, 0.001, 0.002, 0.003]\n"
        f"    points: {{tip: [1.0, 0.0, 0.5]}}\n"
        for i in range(n)
    )
    joints = "".join(
        f"  j{i}: {{kind: revolute, parent: {f'b{i - 1}.tip' if i else 'ground'}, child: b{i}}}\n"
        for i in range(n)
    )
    return f"name: chain\nbodies:\n{bodies}joints:\n{joints}"


def urdf_chain(n: int) -> bytes:
    """A chain of n links, about 170 bytes each."""
    links = "".join(
        f"<link name='l{i}'><inertial><mass value='1'/></inertial></link>\n" for i in range(n)
    )
    joints = "".join(
        f"<joint name='j{i}' type='revolute'><parent link='l{i - 1}'/><child link='l{i}'/>"
        f"<origin xyz='1 0 0'/></joint>\n"
        for i in range(1, n)
    )
    return f"<robot name='chain'>{links}{joints}</robot>".encode()


def spent(act: Callable[[], object]) -> float:
    """Processor time [s]."""
    start = time.process_time()
    act()
    return time.process_time() - start


def grows_less_than(factor: float, times: Callable[[], tuple[float, float]]) -> None:
    """Something four times as large takes so many times as long; sixteen if it were quadratic.

    Other work on the machine may spoil a trial, but not three.
    """
    trials = (times() for _ in range(3))
    assert any(large < factor * small for small, large in trials)


@pytest.mark.parametrize(
    "act",
    [
        lambda n: yaml_file.read(yaml_chain(n)),
        lambda n: urdf.read(urdf_chain(n)),
    ],
    ids=["yaml", "urdf"],
)
def test_twice_the_file_takes_twice_the_time(act: Callable[[int], object]) -> None:
    act(100)
    grows_less_than(8, lambda: (spent(lambda: act(750)), spent(lambda: act(3000))))


def test_a_long_chain_is_checked_in_proportional_time() -> None:
    def check(n: int) -> float:
        model = urdf.read(urdf_chain(n))
        return spent(lambda: (model.findings(), model.tree()))

    grows_less_than(8, lambda: (check(500), check(2000)))


def test_a_mistake_at_the_end_of_a_large_file_costs_no_second_reading(tmp_path: Path) -> None:
    path = tmp_path / "chain.yaml"
    path.write_text(yaml_chain(1000) + "  last: {kind: revolute, parent: b9, child: b99999}\n")
    with pytest.raises(FormatError, match=r"joint 'last' child, line 6004: there is no body"):
        kt.load(path)


def test_aliases_are_copies_and_counted() -> None:
    text = "name: a\nx: &x {mass: 1}\nbodies: {a: *x, b: {<<: *x, com: [1, 0, 0]}}\n"
    found = yaml_file.parse_yaml(text, "t")["bodies"]
    assert found == {"a": {"mass": 1}, "b": {"com": [1, 0, 0], "mass": 1}}
    long = "a: &a [" + "1, " * 1000 + "1]\n"
    many = "b: [" + "*a , " * (MOST_COPIES // 1000) + "*a ]\n"
    with pytest.raises(FormatError, match="its aliases unfold without end"):
        yaml_file.parse_yaml(long + many, "t")


@pytest.mark.parametrize(
    "act",
    [
        lambda: yaml_file.read(yaml_chain(3000).replace("child: b", "child: c")),
        lambda: urdf.read(urdf_chain(3000).replace(b"<child", b"<chald")),
    ],
    ids=["yaml", "urdf"],
)
def test_a_file_full_of_mistakes_is_given_up_soon(act: Callable[[], object]) -> None:
    start = time.process_time()
    with pytest.raises(FormatError) as caught:
        act()
    assert len(caught.value.parts) == MOST_MISTAKES
    assert time.process_time() - start < 5.0
