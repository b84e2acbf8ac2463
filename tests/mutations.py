"""Damaged files: what loading makes of them is a model or one sentence, never a raw exception.

    python -m tests.mutations COUNT SEED

Shipped model files, files of components, robots of every format, meshes and a run are changed at
random, as bytes, as words and as data, and loaded, checked and saved.
"""

from __future__ import annotations

import json
import random
import re
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import kinetree as kt
from kinetree.errors import KinetreeError
from kinetree.formats.yaml_plain import read_plain

ROOT = Path(__file__).resolve().parents[1]
LONGEST = 20.0
"""Processor time [s] that no file of this size may take."""
DERIVED = 20
"""Every so many models are saved and derived, too."""
RUNS = 4
"""How often the run stands among the model files."""
BYTES = (
    b"\0", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\r", b"\t", b"\x1b[2J", b"\xed\xa0\x80", b"%",
    b"&a ", b"*a", b"!!python/name:os.system ", b"<<: ", b"---\n", b"...", b"? ", b"- ", b": ",
    b"{", b"}", b"[", b"]", b"'", b'"', b"|\n", b">\n", b"#", b"<!DOCTYPE a>", b"<a/>", b"</robot>",
    b"&#0;", b"&amp;", b"&x;", b"<![CDATA[", b"<!--", b"[" * 400, b"(" * 400, b"<a>" * 400,
)  # fmt: skip
WORDS = (
    "", "~", "nan", ".nan", "inf", "-.inf", "1e308", "-1e308", "1e-308", "1e400", "-0.0", "0", "1",
    "-1", "9" * 400, "-" + "9" * 5000, "1_0", "0x1f", "0o17", "1.7976931348623157e308", "5e-324",
    "true", "no", "2024-01-01", "12:30", "a" * 300, "ground", "ground.", ".", "a.b", "a.b.c", "é",
    "q", "t", "x", "pi", "1/0", "0**-1", "sin", "sin(", "sin(1,2)", "((((1", "1e5**1e5", "sqrt(-1)",
    "log(0)", "2**0.5", "a b", "\n", "name", "kind", "'", '"', "$(id)", "{}", "[]", "null", "١",
    "1 2 3", "1 2", "1 2 nan", "x y z", "0 0 0", "1e308 1e308 1e308", "fixed", "free", "floating",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    *WORDS, None, True, False, 0, 1, -1, 1e308, -1e308, 5e-324, 10**400, -(10**4000), 0.5, [],
    {}, [1], [1, 2, 3], [[1]], [1e308, 1e308, 1e308], [[1, 0, 0], [0, 1, 0], [0, 0, 1]], {"a": 1},
    ["x", "y"], [None, None, None], [1, 2, 3, 4, 5, 6], [0, 0, 0, 0], {"lower": 1, "upper": -1},
    [True, 1, 1], {"joint": "a", "ratio": 0}, {"": {}}, [[]], ["1", "t", "q_a"], "table_a(1)",
)  # fmt: skip
NUMBER = re.compile(rb"(?<![\w.])-?\d+\.?\d*(?:[eE][-+]?\d+)?")
ATTRIBUTE = re.compile(rb"(?<=[\"'])[^\"'<>]*(?=[\"'])")


FOLDERS = ("examples/models", "examples/components", "tests/data/components", "tests/data/robots")
LARGEST = 8000
"""Bytes of a file that is changed."""
MESHES = (".obj", ".stl", ".dae", ".msh")
HOLDER = (
    "<robot name='r'><link name='l'><collision><geometry><mesh filename='{}'/></geometry>"
    "</collision></link></robot>"
)
"""A robot whose mass is that of a mesh."""
OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1/1 2/2 4/3\nf 1 4 3\nf -3 -2 -1\n"
STL = "solid s\n" + "".join(
    "facet normal 0 0 0\nouter loop\n"
    + "".join(f"vertex {' '.join('01'[k == corner - 1] for k in range(3))}\n" for corner in face)
    + "endloop\nendfacet\n"
    for face in ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))
)
DAE = """<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema">
<asset><unit meter="0.1"/></asset>
<library_geometries><geometry id="g"><mesh>
<source id="s"><float_array>0 0 0 1 0 0 0 1 0 0 0 1</float_array>
<technique_common><accessor stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
<triangles><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 0 1 3 0 3 2 1 2 3</p>
</triangles><polylist><input semantic="VERTEX" source="#v" offset="0"/><vcount>3</vcount>
<p>0 2 1</p></polylist>
</mesh></geometry></library_geometries><library_visual_scenes><visual_scene><node>
<translate>1 0 0</translate><rotate>0 0 1 90</rotate><scale>1 1 2</scale>
<matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix><instance_geometry url="#g"/></node>
</visual_scene></library_visual_scenes></COLLADA>"""


@dataclass(frozen=True)
class Source:
    """A file as shipped."""

    name: str
    suffix: str
    data: bytes


@cache
def sources() -> tuple[Source, ...]:
    """Model files, files of components and robots, meshes, and a run."""
    files = [path for folder in FOLDERS for path in sorted((ROOT / folder).iterdir())]
    known = (".yaml", ".urdf", ".xml", ".sdf", ".mbs")
    models = [
        Source(path.stem, path.suffix, path.read_bytes())
        for path in files
        if path.suffix in known and path.stat().st_size < LARGEST
    ]
    meshes = [
        Source("mesh", suffix, text.encode())
        for suffix, text in zip(MESHES, (OBJ, STL, DAE), strict=False)
    ]
    counts = (4, 0, 0, 4, *np.eye(4, 3, 1, dtype="<f4").ravel().view("<i4").tolist())
    faces = (0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3)
    meshes.append(Source("mesh", ".msh", np.array((*counts, *faces), dtype="<i4").tobytes()))
    with tempfile.TemporaryDirectory() as place:
        model = kt.load(ROOT / "examples" / "models" / "double_pendulum.yaml")
        run = kt.save_run(kt.simulate(model, 0.1, step=0.02), Path(place) / "run.nc")
        return (*models, *meshes, *[Source("run", ".nc", run.read_bytes())] * RUNS)


def mutated(source: Source, chance: random.Random) -> bytes:
    """One to four changes of a file."""
    data = source.data
    ways: list[Callable[[bytes, random.Random], bytes]] = [changed_bytes]
    if source.suffix not in (".nc", ".msh"):
        ways += [changed_words, changed_words]
    if source.suffix == ".yaml" and chance.random() < 0.6:
        return changed_data(data, chance)
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        data = chance.choice(ways)(data, chance)
    return data


def changed_bytes(data: bytes, chance: random.Random) -> bytes:
    """Cut, flipped, doubled, dropped or inserted bytes, or another encoding."""
    i = chance.randrange(len(data) + 1)
    j = min(len(data), i + chance.choice((1, 4, 30, 300)))
    kind = chance.randrange(8)
    if kind == 0:
        return data[:i]
    if kind == 1:
        return data[:i] + data[j:]
    if kind == 2:
        return data[:j] + data[i:]
    if kind == 3:
        return (
            data[:i]
            + bytes([b ^ 1 << chance.randrange(8) for b in data[i : i + 1]])
            + data[i + 1 :]
        )
    if kind == 4:
        return data[:i] + chance.randbytes(j - i) + data[j:]
    if kind == 5 and chance.random() < 0.1:
        codec = chance.choice(("utf-16", "utf-32", "utf-8-sig", "utf-7"))
        return data.decode("utf-8", "replace").encode(codec)
    return data[:i] + chance.choice(BYTES) + data[i:]


def changed_words(data: bytes, chance: random.Random) -> bytes:
    """Another number, or another value between quotation marks."""
    found = list(chance.choice((NUMBER, ATTRIBUTE)).finditer(data))
    if not found:
        return data
    match = chance.choice(found)
    word = chance.choice(WORDS).encode()
    return data[: match.start()] + word + data[match.end() :]


def changed_data(data: bytes, chance: random.Random) -> bytes:
    """Entries of the data dropped, renamed, doubled or given other values; JSON is YAML."""
    tree = read_plain(data.decode(), "t").data
    for _ in range(chance.choice((1, 1, 1, 2, 5))):
        _change(tree, chance)
    return json.dumps(tree, ensure_ascii=chance.random() < 0.5).encode("utf-8", "replace")


def _change(tree: Any, chance: random.Random) -> None:
    """Change one entry, somewhere."""
    at = tree
    while True:
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        if not keys:
            return
        key = chance.choice(keys)
        if not isinstance(at[key], dict | list) or not at[key] or chance.random() < 0.2:
            break
        at = at[key]
    kind = chance.randrange(6)
    if kind == 0:
        del at[key]
    elif kind == 1 and isinstance(at, dict):
        at[str(chance.choice(VALUES))[:500]] = at.pop(key)
    elif kind == 2 and isinstance(at, list):
        at.append(at[key])
    elif kind == 3:
        at[key] = {str(key): at[key]} if chance.random() < 0.5 else [at[key]]
    else:
        at[key] = deepcopy(chance.choice(VALUES))


def attempt(path: Path, *, derive: bool = False) -> str:
    """Load and check a file, perhaps save and derive it: what it is, or what was raised."""
    try:
        if path.suffix == ".nc":
            kt.load_run(path)
            return "run"
        if path.suffix in MESHES:
            holder = path.with_name("holder.urdf")
            holder.write_text(HOLDER.format(path.name), encoding="utf-8")
            kt.load(holder, density=1000.0)
            return "mesh"
        model = kt.load(path)
        if hasattr(model, "as_mechanism"):
            return _attempt_component(model, path, derive=derive)
        model.findings()
        model.content_hash()
        if derive:
            kt.save(model, path.with_suffix(".saved.yaml"))
            kt.derive(model, "inverse")
        return "model"
    except KinetreeError as error:
        return type(error).__name__ if str(error).strip() else "an error without a word"


def _attempt_component(component: Any, path: Path, *, derive: bool) -> str:
    """Sort a component, perhaps save it and let it move."""
    component.report()
    if derive:
        kt.save(component, path.with_suffix(".saved.yaml"))
        kt.simulate(component, 0.01)
    return "component"


def damaged(count: int, seed: int) -> Counter[str]:
    """Damage files and attempt them; how often which outcome came.

    Raises:
        AssertionError: with the file's bytes for a raw exception, or for one that takes too long.
    """
    chance = random.Random(seed)
    outcomes: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for k in range(count):
            source = chance.choice(sources())
            path = Path(folder) / f"damaged{source.suffix}"
            path.write_bytes(mutated(source, chance))
            start = time.process_time()
            try:
                outcomes[attempt(path, derive=k % DERIVED == 0)] += 1
            except Exception as error:
                raise AssertionError(_report(source, path, error)) from error
            took = time.process_time() - start
            assert took < LONGEST, f"{source.name}: {took:.1f} s for {path.read_bytes()[:2000]!r}"
    return outcomes


def _report(source: Source, path: Path, error: Exception) -> str:
    where = traceback.extract_tb(error.__traceback__)[-1]
    return (
        f"{source.name}{source.suffix}: {type(error).__name__} ({error}) at {where.filename}:"
        f"{where.lineno} for {path.read_bytes()!r}"
    )


if __name__ == "__main__":
    print(dict(damaged(int(sys.argv[1]), int(sys.argv[2]))))
