"""Every campaign in short: no failure; and each finds a defect that was planted for it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from fuzz import CAMPAIGNS, expressions, grown, report, trees
from fuzz.campaign import Campaign
from fuzz.recursion import Recursion
from fuzz.tally import Tally

SEED = 7
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


PLANTED: dict[str, Callable[[Patch], None]] = {"trees": heavier, "expressions": tilted}
"""Campaign -> what makes kinetree and the reference differ."""


@pytest.mark.parametrize("campaign", CAMPAIGNS.values(), ids=CAMPAIGNS)
def test_a_short_run_finds_nothing(campaign: Campaign) -> None:
    tally = campaign.run(campaign.short, SEED)
    assert not tally.failures, "\n".join(map(str, tally.failures))
    assert tally.made >= campaign.short
    assert tally.compared > 0.9 * tally.made


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_defect_is_found(name: str, monkeypatch: Patch) -> None:
    campaign = CAMPAIGNS[name]
    PLANTED[name](monkeypatch)
    tally = campaign.run(5 * campaign.size, SEED)
    assert tally.failed
    again = campaign.repeat([tally.failures[0].case], SEED)
    assert again.failures[0].what == tally.failures[0].what


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


def test_counts_survive_files_and_add_up() -> None:
    tally = expressions.CAMPAIGN.run(200, SEED)
    data = report.as_data([tally])
    assert Tally.from_data(data["campaigns"][0]) == tally
    assert "| expressions" in report.markdown(data, {})
    whole = Tally("expressions", SEED)
    whole.add(tally)
    whole.add(tally)
    assert whole.total == 2 * tally.total
