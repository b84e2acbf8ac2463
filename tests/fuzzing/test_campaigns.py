"""Every campaign in short: no failure; and each finds a defect that was planted for it."""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from fuzz import CAMPAIGNS, expressions, grown, plugs, report, trees
from fuzz import faults as writing
from fuzz.campaign import Campaign
from fuzz.recursion import Recursion
from fuzz.tally import Tally
from tests import concurrency, faults, mutations

import kinetree as kt
from kinetree.errors import FormatError
from kinetree.studio import app as studio
from kinetree.targets.html import source as page_source

SEED = 7
TRIES = 6
"""Attempts in which a planted defect must show."""
Patch = pytest.MonkeyPatch


def heavier(patch: Patch) -> None:
    """The first body of every tree weighs a millionth more in the reference."""
    plain = Recursion.__init__

    def changed(self: Recursion, plan: object, values: dict[str, float]) -> None:
        plain(self, plan, {**values, "b0.mass": values["b0.mass"] * (1 + 1e-6) + 1e-6})  # type: ignore[arg-type]

    patch.setattr(trees.Recursion, "__init__", changed)


def tilted(patch: Patch) -> None:
    """Sines are off by 1e-11 in the reference."""
    patch.setitem(grown.NUMERIC, "sin", lambda x: np.sin(x) * (1 + 1e-11))


def careless(patch: Patch) -> None:
    """Files that cannot be read end in a raw exception."""
    plain = kt.load

    def load(path: Path) -> kt.Model:
        try:
            return plain(path)
        except FormatError as error:
            raise KeyError(str(error)) from None

    patch.setattr(mutations.kt, "load", load)


def gullible(patch: Patch) -> None:
    """Pages take names for markup."""
    patch.setattr(page_source, "markup", str)


def mixed_up(patch: Patch) -> None:
    """What is derived depends on the thread."""
    plain = concurrency.digest
    patch.setattr(concurrency, "digest", lambda p: plain(p) + threading.current_thread().name)


def forgetful(patch: Patch) -> None:
    """Edits are acknowledged before the journal has them."""
    line = '        line = json.dumps(row, ensure_ascii=False).encode() + b"\\n"\n'
    late = f'        if row["kind"] == "edit":\n            return\n{line}'
    folder = another_source("studio/journal.py", line, late)
    patch.setattr(plugs, "SOURCE", folder / "src")
    patch.setattr(plugs, "SIZE", 1)


def talkative(patch: Patch) -> None:
    """Mistakes of who asks are those of the studio."""
    patch.setattr(studio, "tell_mistakes", lambda handler: handler)


def another_source(file: str, old: str, new: str) -> Path:
    """A folder with the sources, one of which is another."""
    folder = Path(tempfile.mkdtemp())
    shutil.copytree(faults.ROOT / "src" / "kinetree", folder / "src" / "kinetree")
    path = folder / "src" / "kinetree" / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    return folder


def hasty(patch: Patch) -> None:
    """Files are written in place."""
    safe = "    with replacing(path, by=by) as part:\n        part.write_bytes(_data(content))\n"
    folders = "    Path(path).parent.mkdir(exist_ok=True)\n"
    quick = folders + "    Path(path).write_bytes(_data(content))\n"
    folder = another_source("files.py", safe, quick)
    (folder / "tests").symlink_to(faults.ROOT / "tests")
    patch.setattr(faults, "ROOT", folder)
    patch.setattr(writing, "KINDS", ("model",))


PLANTED: dict[str, Callable[[Patch], None]] = {
    "trees": heavier,
    "closed": heavier,
    "expressions": tilted,
    "files": careless,
    "names": gullible,
    "threads": mixed_up,
    "faults": hasty,
    "plugs": forgetful,
    "requests": talkative,
}
"""Campaign -> what makes kinetree and the reference differ."""


@pytest.mark.parametrize("campaign", CAMPAIGNS.values(), ids=CAMPAIGNS)
def test_a_short_run_finds_nothing(campaign: Campaign) -> None:
    tally = campaign.run(campaign.short, SEED)
    assert not tally.failures, "\n".join(map(str, tally.failures))
    assert tally.made >= campaign.short
    assert tally.compared > 0.8 * tally.made


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_defect_is_found(name: str, monkeypatch: Patch) -> None:
    campaign = CAMPAIGNS[name]
    PLANTED[name](monkeypatch)
    assert any(campaign.repeat([number], SEED).failed for number in range(TRIES))


def test_every_campaign_has_a_defect_planted() -> None:
    assert set(PLANTED) == set(CAMPAIGNS)


def test_an_exception_is_a_failure_of_its_case_alone() -> None:
    def attempt(rng: np.random.Generator, tally: Tally) -> None:
        tally.compare("number", 1.0, 1.0, 0.0)
        if tally.case == 2:
            raise KeyError("lost")

    tally = Campaign("odd", "fails once", attempt, 5, 5).run(5, SEED)
    assert (tally.made, tally.compared, tally.failed) == (5, 5, 1)
    assert "KeyError" in tally.failures[0].what
    assert "--only 2" in str(tally.failures[0])


def test_a_case_comes_back_alone(monkeypatch: Patch) -> None:
    heavier(monkeypatch)
    tally = trees.CAMPAIGN.run(4, SEED)
    again = trees.CAMPAIGN.repeat([tally.failures[-1].case], SEED)
    assert again.failures[-1] == tally.failures[-1]


def test_counts_survive_files_and_add_up() -> None:
    tally = expressions.CAMPAIGN.run(200, SEED)
    data = report.as_data([tally])
    assert Tally.from_data(data["campaigns"][0]) == tally
    assert "| expressions" in report.markdown(data, {})
    whole = Tally("expressions", SEED)
    whole.add(tally)
    whole.add(tally)
    assert whole.total == 2 * tally.total
