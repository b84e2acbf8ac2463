"""The Iltis study: its measure, its road, a coarse run of everything, and the page it fills."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benchmarks.iltis import paper, plots, tables
from benchmarks.iltis.__main__ import PAGE, filled
from benchmarks.iltis.road import HARD, height, knots
from benchmarks.iltis.runs import Reference, error, spread
from benchmarks.iltis.study import DATA, Extent, Program, Study
from benchmarks.iltis.sweep import FAMILIES, RANGES, STEPS, Grid, acceptable, of
from tests.approx import CLOSED


def test_error_is_that_of_the_paper() -> None:
    off = np.array([[3.0, 0, 0], [4.0, 0, 2.0]])  # two times, three signals
    assert error(off) == pytest.approx((5 + 0 + 2) / (3 * 2))
    assert spread(off) == pytest.approx(error(off) * np.sqrt(2))


def test_reference_is_compared_over_the_common_time() -> None:
    times = np.linspace(0, 1, 11)
    curve = Reference(times, np.stack([times, times**2, 0 * times], axis=1))
    later = np.array([0.25, 0.75, 1.25])
    off = curve.difference(later, np.zeros((3, 3)))
    assert off == pytest.approx(-np.array([[0.25, 0.0625, 0], [0.75, 0.5625, 0]]))


def test_grid_is_that_of_table_3() -> None:
    counts = {name: len(RANGES[name]) for name in FAMILIES}
    assert counts == {"trapezoidal": 1, "newmark": 51, "hht": 34, "generalised_alpha": 51}
    assert (STEPS[0], STEPS[-1], len(STEPS)) == (0.01, 0.05, 17)
    assert len(Grid().points("newmark")) == 51 * 17


def test_road_goes_up_and_comes_down_by_equal_stairs() -> None:
    x = np.linspace(0, 30, 3001)
    z = height(x)
    assert z[0] == z[-1] == 0
    assert z.max() == pytest.approx(0.64)
    rows = knots()[4:]
    assert np.allclose(rows[1::2, 1] - rows[::2, 1], -0.08)
    assert np.allclose(np.gradient(z, x)[(x > 5.1) & (x < 8.9)], 0.128)  # the ramp is straight


@pytest.fixture(scope="module")
def coarse() -> Study:
    part = Grid(steps=8)
    extent = Extent(("hybrid",), ("trapezoidal",), part, part, batch=0, others=False)
    return Program(extent, lambda text: None).run()


def test_coarse_study_finds_an_acceptable_run(coarse: Study) -> None:
    rows = of(coarse.rows, "hybrid", "trapezoidal")
    assert [row.step for row in rows] == [0.01, 0.03, 0.05]
    best = acceptable(rows)
    assert best
    assert best[0].error < 5e-3
    assert rows[0].error < rows[1].error  # smaller steps are better
    assert of(coarse.rows, "hybrid", road=HARD)
    loops = coarse.facts["formulations"]["hybrid"]["violations"]
    assert max(loops.values()) < CLOSED
    assert 4.5 < max(coarse.facts["peaks"]["1"]) < 5.5  # g


def test_coarse_study_is_written_drawn_and_read(coarse: Study, tmp_path: Path) -> None:
    coarse.save(tmp_path)
    again = Study.load(tmp_path)
    assert len(again.rows) == len(coarse.rows)
    found = tables.everything(again)
    assert found.keys() >= {"table 1", "table 6", "table 7", "robust"}
    assert "| trapezoidal rule |" in found["table 6"]
    page = "before\n<!-- table 6 -->\nold\n<!-- end -->\nafter"
    assert found["table 6"] in filled(page, found)
    drawn = plots.all_pictures(again, tmp_path)
    assert all(5_000 < path.stat().st_size < 120_000 for path in drawn)


def test_page_shows_what_is_stored() -> None:
    study = Study.load(DATA)
    text = PAGE.read_text(encoding="utf-8")
    assert filled(text, tables.everything(study)) == text, (
        "run python -m benchmarks.iltis --from-data"
    )


def test_paper_is_quoted_with_its_own_ratios() -> None:
    best = {name: min(r.seconds for r in rows.values()) for name, rows in paper.BEST.items()}
    factors = {name: round(8 / seconds, 2) for name, seconds in best.items()}
    assert factors == {"hybrid": 32.0, "topological": 14.55, "global": 4.6}  # table 7
