"""Programs killed, disks full and folders read-only while files are written.

    python -m tests.faults COUNT SEED [KIND …]

writes files of every kind twice, A and B, and disturbs the writing of one over the other: COUNT
times by SIGKILL, once at every size of the disk, once in a folder that may not be written.  What is
found must be A or B, byte for byte; an error must be one sentence; and where no one was killed,
nothing else may be there.  A process of its own does it, since it forks.
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SHARES = (0.0, 0.01, 0.5, 0.999)
"""How much of the largest file the full disk takes."""
NOBODY = 65534

Files = dict[str, bytes]
Write = Callable[[Path, int], object]


@dataclass(frozen=True)
class Kind:
    """A way to write files.

    Attributes:
        name: of the kind.
        write: (folder, version) -> anything; writes version 0 or 1 into the folder.
    """

    name: str
    write: Write


def kinds() -> list[Kind]:
    """Every way in which kinetree writes files for users."""
    from tests.analysis.systems import double_pendulum, pendulum

    import kinetree as kt

    models = [pendulum(), double_pendulum()]
    for model in models:
        model.name = "model"
    runs = [kt.simulate(model, 0.3, step=0.01) for model in models]
    programs = [kt.derive(model, "forward") for model in models]

    def cut(folder: Path) -> Path:
        return folder / "new"

    return [
        Kind("model", lambda folder, k: kt.save(models[k], folder / "model.yaml")),
        Kind("netcdf", lambda folder, k: kt.save_run(runs[k], folder / "run.nc")),
        Kind("csv", lambda folder, k: kt.save_run(runs[k], folder / "run.csv")),
        Kind("plot", lambda folder, k: kt.plot(runs[k], ["q"], folder / "run.png")),
        Kind("page", lambda folder, k: kt.animate(models[k], runs[k], folder / "page.html")),
        Kind("fmu", lambda folder, k: kt.export_fmu(models[k], folder / "m.fmu", binary=False)),
        Kind("package", lambda folder, k: kt.export_c(models[k], cut(folder))),
        Kind("c", lambda folder, k: programs[k].write("c", cut(folder))),
        Kind("python", lambda folder, k: programs[k].write("python", cut(folder))),
        Kind("run", lambda folder, k: kt.write_simulation(models[k], cut(folder), 1.0, 1e-2)),
    ]


def found(folder: Path) -> Files:
    """Content of all files of a folder, by name."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def disturb(kind: Kind, count: int, seed: int, folder: Path) -> dict[str, int]:
    """Disturb one kind of file; how often which version was there afterwards."""
    versions = []
    for k in (0, 1):
        kind.write(folder / f"{k}", k)
        versions.append(found(folder / f"{k}"))
    assert versions[0] != versions[1]
    outcomes: Counter[str] = Counter()
    chance = random.Random(f"{seed} {kind.name}")
    for i in range(count):
        place = folder / f"killed{i}"
        kind.write(place, 0) if i % 4 else place.mkdir()
        _child(lambda place=place: _written(kind, place), _bullet(chance, i))
        outcomes[_version(found(place), versions, killed=True)] += 1
    largest = max(map(len, versions[1].values()))
    for share in SHARES:
        burden = _full(int(share * largest))
        outcomes[f"full: {_refused(kind, folder, versions, burden)}"] += 1
    outcomes[f"read-only: {_refused(kind, folder, versions, _nobody)}"] += 1
    return dict(outcomes)


def _written(kind: Kind, place: Path) -> None:
    """Write again and again, until someone puts an end to it."""
    for k in range(1, 1_000_000):
        kind.write(place, k % 2)


def _bullet(chance: random.Random, i: int) -> float | int:
    """When to kill: after a time [s], or at one of the lines that write."""
    return chance.uniform(0.0, 0.1) if i % 2 else chance.randrange(1, 600)


def _version(files: Files, versions: Sequence[Files], *, killed: bool) -> str:
    """Which version of each file is there; an assertion that it is one, and whole."""
    if killed:  # what was being written beside cannot be taken back then
        files = {name: data for name, data in files.items() if not _beside(name)}
    told = set()
    for name, data in files.items():
        which = [k for k, version in enumerate(versions) if version.get(name) == data]
        assert which, f"'{name}' holds neither of its contents ({len(data)} bytes)"
        told.update(which if len(which) == 1 else ())
    wholes = [version for version in versions if version.keys() <= files.keys()]
    assert not files or wholes, f"only {sorted(files)} are there"
    return "none" if not files else "mixed" if len(told) > 1 else "new" if 1 in told else "old"


def _beside(name: str) -> bool:
    return any(part.startswith(".") and ".part" in part for part in Path(name).parts)


def _refused(
    kind: Kind, folder: Path, versions: Sequence[Files], burden: Callable[[Path], None]
) -> str:
    """What is there after a write that could not be; the same as before, and one sentence said."""
    for empty in (True, False):
        place = folder / f"refused_{empty}"
        place.mkdir(exist_ok=True)
        if not empty:
            kind.write(place, 0)
        before = found(place)
        said = _child(lambda place=place: (burden(place), kind.write(place, 1)))
        place.chmod(0o755)
        assert said.startswith("KinetreeError: "), f"{kind.name}: {said}"
        assert "\n" not in said, said
        assert "it cannot be written" in said, said
        assert found(place) == before
        assert not [p for p in place.rglob("*") if _beside(p.name)]
    return _version(before, versions, killed=False)


def _full(size: int) -> Callable[[Path], None]:
    """A disk that takes no more than `size` bytes of a file."""

    def burden(_: Path) -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return burden


def _nobody(place: Path) -> None:
    """A folder that this process may not write."""
    for path in [place, *place.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    if os.geteuid() == 0:
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def _child(act: Callable[[], object], bullet: float | int | None = None) -> str:
    """Let a child act, kill it where a bullet is given; what it said at its end."""
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        _act(act, bullet, into)
    os.close(into)
    if isinstance(bullet, float):
        time.sleep(bullet)
        os.kill(child, signal.SIGKILL)
    with os.fdopen(out) as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said


def _act(act: Callable[[], object], bullet: float | int | None, into: int) -> None:
    """What the child does; it never returns."""
    from kinetree.errors import KinetreeError

    said = "nothing"
    try:
        with _shot(bullet) if isinstance(bullet, int) else _unhurt():
            act()
    except KinetreeError as error:
        said = f"KinetreeError: {error}"
    except BaseException as error:
        said = repr(error)
    os.write(into, said.encode())
    os._exit(0)


@contextmanager
def _unhurt() -> Iterator[None]:
    yield


@contextmanager
def _shot(line: int) -> Iterator[None]:
    """Kill this process at the so-manieth line of the module that writes files."""
    left = line

    def watch(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        if not frame.f_code.co_filename.endswith(("kinetree/files.py", "pathlib.py")):
            return None
        if event == "line":
            left -= 1
            if left <= 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return watch

    sys.settrace(watch)
    try:
        yield
    finally:
        sys.settrace(None)


def main(count: int, seed: int, *names: str) -> None:
    """Disturb all kinds, or those named; one line of JSON at the end, kind -> outcomes."""
    told = {}
    for kind in kinds():
        if names and kind.name not in names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            Path(folder).chmod(0o755)
            told[kind.name] = disturb(kind, count, seed, Path(folder))
    print(json.dumps(told))


def disturbed(count: int, seed: int, *names: str) -> dict[str, dict[str, int]]:
    """The same in a process of its own: kind -> outcomes; an AssertionError for lost data."""
    line = [sys.executable, "-m", "tests.faults", str(count), str(seed), *names]
    paths = os.pathsep.join(str(path) for path in (ROOT / "src", ROOT, ROOT / "tests"))
    done = subprocess.run(
        line, cwd=ROOT, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    told: dict[str, dict[str, int]] = json.loads(done.stdout.splitlines()[-1])
    return told


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
