"""Profiles, options and fixtures that every test can rely on."""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

import skips

ROOT = Path(__file__).resolve().parent.parent
os.environ.setdefault("KINETREE_CACHE", str(ROOT / ".pytest_cache" / "objects"))
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # or all that tests start would compile all anew

settings.register_profile(
    "ci",
    max_examples=50,
    derandomize=True,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("long", max_examples=2000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite the reviewed files under tests/golden instead of comparing with them",
    )


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect without Python's cycle collector, which then never looks at what stays to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Iterator[None]:
    """Say in the last line what was skipped, and what would bring it."""
    yield
    reports = terminalreporter.stats.get("skipped", [])
    said = skips.line(report.longrepr[2].removeprefix("Skipped: ") for report in reports)
    if said:
        terminalreporter.write_line(said, yellow=True)


@pytest.fixture(scope="session")
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be rewritten in this run."""
    return bool(request.config.getoption("--update-golden"))


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository root."""
    return ROOT


@pytest.fixture(scope="session")
def gcc() -> str:
    """Path of the C compiler; its absence is a failure, never a skip."""
    path = shutil.which("gcc")
    if path is None:
        pytest.fail("gcc is not on PATH: install the package 'gcc' (Debian: apt install gcc)")
    return path
