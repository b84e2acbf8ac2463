"""A grand piano action against motions computed by an independent program from the same data."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.approx import FOUR_DIGITS, HALF_PERCENT, PERCENT, READ_OFF, TRAJECTORY

import kinetree as kt

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data" / "applications"
ANGLES = ("key", "whippen", "jack", "lever", "hammer")
FINGER = 0.245
"""From the balance point of the key to the finger [m]."""


def action(single: bool = False) -> kt.Model:
    """The action as it is shipped; of a single escapement with the repetition lever locked."""
    model = kt.load(ROOT / "examples" / "models" / "piano_action.yaml")
    if single:
        for name in ("lever_top", "drop", "lever_stop", "lever_spring", "lever_pivot"):
            del model.forces[name]
        model.lock("lever_lock", "lever", 1.0)
    return model


@cache
def rest(single: bool = False, **screws: float) -> tuple[float, ...]:
    """Coordinates of the action at rest."""
    given = {"force": 0.0, **screws}
    run = kt.simulate(action(single), 1.0, parameters=given, method="cvode_bdf")
    return tuple(run.q.values[-1].tolist())


def stroke(force: float, duration: float, step: float) -> Any:
    """The key pressed by a finger."""
    return kt.simulate(
        action(), duration, q=list(rest()), parameters={"force": force}, step=step,
        method="cvode_bdf", rtol=1e-8, outputs=["blow.gap"],
    )  # fmt: skip


def read(name: str) -> Any:
    """Columns of a file of motions."""
    return np.genfromtxt(DATA / f"{name}.csv", delimiter=",", names=True)


def test_the_action_comes_to_rest_where_it_must() -> None:
    expected = (-0.000833, 0.003057, -0.002640, -0.002934, -0.334892)
    assert np.abs(np.array(rest()[:5]) - expected).max() < PERCENT * FOUR_DIGITS


FELTS = {
    "N1": "front", "N2": "back", "N3": "heel", "N4": "jack_top", "N5": "let_off", "N6": "lever_top",
    "N7": "drop", "N10": "blow", "N11": "check", "N12": "rest",
}  # fmt: skip
"""Column of a normal force in the records -> contact; N8 and N9 are stops in joints."""
LOADS = [f"{name}.load" for name in FELTS.values()]


def test_the_forces_at_rest_are_those_computed_independently() -> None:
    expected = {"back": 0.434, "heel": 1.374, "lever_top": 0.917, "rest": 0.006}
    run = kt.simulate(action(), 0.2, q=list(rest()), parameters={"force": 0.0}, step=0.2,
                      method="cvode_bdf", outputs=LOADS)  # fmt: skip
    for name in FELTS.values():
        wanted = expected.get(name, 0.0)
        assert run[f"{name}.load"].values[-1] == pytest.approx(
            wanted, rel=HALF_PERCENT, abs=READ_OFF / 2
        )
    lever, jack = rest()[3], rest()[2]
    for angle, arm, force in ((lever, 0.015, 0.158), (jack, 0.020, 0.219)):
        found = 5 * (-arm * angle / 3e-4) ** 1.8
        assert found == pytest.approx(force, rel=HALF_PERCENT, abs=READ_OFF / 2)


def test_a_stroke_of_four_newtons_moves_all_parts_as_computed_independently() -> None:
    expected = read("piano_stroke_4N")
    run = stroke(4.0, 0.398, 2e-3)
    assert run.time.values == pytest.approx(expected["t"])
    for name in ANGLES:
        wanted = expected[f"{name}_rad"]
        found = run.q.sel(coordinate=name).values
        assert np.abs(found - wanted).max() < PERCENT * np.ptp(wanted), name


BLOWS = {
    0.6: (0.2177, 0.271), 1.0: (0.1051, 0.753), 2.0: (0.0629, 1.367), 4.0: (0.0421, 2.1283),
    8.0: (0.0295, 3.033), 15.0: (0.0220, 4.377), 25.0: (0.0176, 5.619), 40.0: (0.0144, 6.936),
}  # fmt: skip
"""Force of the finger [N] -> time of the blow [s], speed of the hammer [m/s]."""


@pytest.mark.parametrize("force", BLOWS)
def test_one_blow_at_the_speed_that_the_force_gives(force: float) -> None:
    when, speed = BLOWS[force]
    run = stroke(force, 0.3, 2e-5)
    t, gap = run.time.values, run["blow.gap"].values
    hits = np.flatnonzero((gap[1:] < 0) & (gap[:-1] >= 0))
    assert len(hits) == 1, "one blow, exactly"
    k = hits[0]
    q, qd = run.q.sel(coordinate="hammer").values[k], run.qd.sel(velocity="hammer").values[k]
    digit = 5e-5 if force == 4 else 5e-4  # half of the last one given
    assert abs(t[k] - when) < HALF_PERCENT * when + FOUR_DIGITS / 2
    found = qd * (0.130 * np.cos(q) - 0.050 * np.sin(q))
    assert abs(found - speed) < HALF_PERCENT * speed + digit


@pytest.fixture(scope="module")
def slow() -> Any:
    """The key led as in the record, and its front in the rows of the run [m]."""
    expected, model = read("piano_slow_press"), action()
    way = model.table("way", expected["t"], expected["key_rad"])
    model.drive("key", lambda t: kt.functions.table(t, way))
    start = dict(zip(model.coordinates, rest(), strict=True)) | {"key": 0.0}
    t = expected["t"].tolist()
    run = kt.simulate(model, t[-1], q=start, parameters={"force": 0.0}, step=t[1] / 20,
                      method="cvode_bdf", rtol=1e-8, outputs=["blow.gap", *LOADS])  # fmt: skip
    angle = run.q.sel(coordinate="key")
    return run.assign(front=FINGER * np.sin(angle) + 0.022 * (1 - np.cos(angle)))


def test_a_slow_press_lets_off_and_drops_as_computed_independently(slow: Any) -> None:
    expected, rows = read("piano_slow_press"), slow.isel(time=slice(None, None, 20))
    for name in ANGLES[1:]:
        wanted = expected[f"{name}_rad"]
        found = rows.q.sel(coordinate=name).values
        assert np.abs(found - wanted).max() < PERCENT * np.ptp(wanted), name
    off = int(np.argmin(slow["blow.gap"].values))
    touched = {
        name: int(np.argmax(slow[f"{name}.load"].values > 0)) for name in ("let_off", "drop")
    }
    for found, wanted in (
        (slow["blow.gap"][off], 0.00157), (slow.front[off], 0.00876),
        (slow.front[touched["let_off"]], 0.00646), (slow.front[touched["drop"]], 0.00716),
        (slow["blow.gap"][-1], 0.00316),
    ):  # fmt: skip
        assert float(found) == pytest.approx(wanted, rel=HALF_PERCENT)
    for name, degrees in (("whippen", -3.85), ("jack", 7.24), ("lever", 1.63)):
        found = np.degrees(float(slow.q.sel(coordinate=name)[-1]))
        assert found == pytest.approx(degrees, rel=HALF_PERCENT)


def test_a_slow_press_needs_the_forces_computed_independently(slow: Any) -> None:
    """All ten contacts, but for the row in which the key stops: its table has no corner there."""
    expected, rows = read("piano_slow_press"), slow.isel(time=slice(None, None, 20))
    stops = int(np.argmax(expected["key_rad"]))
    for column, name in FELTS.items():
        wanted = expected[column]
        off = np.delete(np.abs(rows[f"{name}.load"].values - wanted), stops)
        assert off.max() <= PERCENT * np.ptp(wanted), name


def test_one_blow_at_every_force_and_the_hammer_caught_14_to_17_mm_below_the_string() -> None:
    model, struck = action(), kt.Event("blow.gap", direction="falling")
    for force in np.geomspace(0.6, 40.0, 14).tolist():
        run = kt.simulate(
            model, 0.245, q=list(rest()), parameters={"force": force}, step=1e-3,
            method="cvode_bdf", outputs=["blow.gap"], events={"blow": struck},
        )  # fmt: skip
        assert len(run["event_time"]) == 1, "one blow, exactly"
        if force < 1:
            continue  # too soft for the check
        late = 1e3 * run["blow.gap"].values[-40:]  # while the key is held
        assert {*np.round(late)} <= {14, 15, 16, 17}, force


def test_tolerances_change_a_stroke_by_less_than_a_thousandth() -> None:
    coarse, fine = (
        kt.simulate(action(), 0.4, q=list(rest()), step=1e-3, method="cvode_bdf", rtol=rtol)
        for rtol in (1e-6, 1e-8)
    )
    for name in (*ANGLES, "string"):
        a, b = (run.q.sel(coordinate=name).values for run in (coarse, fine))
        assert np.abs(a - b).max() < READ_OFF * np.ptp(b), name


def test_what_is_put_in_is_moved_sounded_or_taken_by_felts_and_pivots() -> None:
    model = action()
    felts = [name for name in model.forces if name not in ("finger", "strings")]
    model.state("put_in", rate=lambda outputs: outputs["finger.power"], unit="J")
    model.state(
        "taken", rate=lambda outputs: -sum(outputs[f"{name}.power"] for name in felts), unit="J"
    )
    model.state("sounded", rate=lambda qd: 6.0 * qd["string"] ** 2, unit="J")
    run = kt.simulate(model, 0.4, q=list(rest()), step=2e-3, method="cvode_bdf", rtol=1e-9,
                      atol=1e-11)  # fmt: skip
    energy = kt.derive(model, "energy")
    given = {"q": run.q.values, "qd": run.qd.values, "x": run.x.values}
    found = energy.evaluate(**energy.pick_inputs(given))
    moved = found["kinetic"] + found["potential"]
    put_in, taken, sounded = run.x.values.T
    left = moved - moved[0] - put_in + taken + sounded
    assert put_in[-1] > 0.04  # 4 N along 10 mm
    assert np.abs(left).max() < TRAJECTORY * max(np.ptp(moved), np.abs(run.x.values).max())


def slow_press(**screws: float) -> Any:
    """Hammer below the string while the key is pressed slowly, with the screws turned [m]."""
    model = action()
    model.drive("key", lambda t: 0.021 * (1 - kt.functions.cos(np.pi * t)))
    start = dict(zip(model.coordinates, rest(**screws), strict=True)) | {"key": 0.0}
    run = kt.simulate(model, 1.0, q=start, parameters={"force": 0.0, **screws}, step=1e-3,
                      method="cvode_bdf", outputs=["blow.gap"])  # fmt: skip
    return run["blow.gap"].values


def test_the_screws_of_the_technician_act_as_the_data_say() -> None:
    usual, drop = slow_press(), slow_press(drop_screw=0.0973139 - 0.0003)
    assert usual[-1] == pytest.approx(0.00316, rel=PERCENT)  # after the drop
    assert drop[-1] - usual[-1] == pytest.approx(0.0014, abs=2 * FOUR_DIGITS)
    closer = slow_press(let_off_button=0.0608 + 0.0002)
    assert usual.min() - closer.min() == pytest.approx(0.0011, abs=FOUR_DIGITS)
    higher = slow_press(capstan_height=0.0365)
    assert usual[0] - higher[0] > 0.005  # the capstan sets the distance of the blow
    stiff = slow_press(spring_preload=0.080)
    assert usual[0] - stiff[0] == pytest.approx(0.005, abs=2 * FOUR_DIGITS)  # rests 5 mm too high


@cache
def driven(single: bool) -> kt.Model:
    """The action whose key moves as the parameters `rate` and `low` say."""
    model = action(single)
    rate, low = model.parameter("rate", 5.0), model.parameter("low", 0.001)
    half = (0.010 - low) / 2
    model.drive(
        "key", lambda t: (low + half * (1 - kt.functions.cos(2 * np.pi * rate * t))) / FINGER
    )
    return model


def misses(single: bool, rate: float, low: float, begin: int = 5, **screws: float) -> int:
    """Periods without a blow, of ten after `begin`, of a key driven between `low` and 10 mm."""
    model = driven(single)
    start = dict(zip(model.coordinates, rest(single, **screws), strict=True))
    run = kt.simulate(model, (begin + 11) / rate, q=start | {"key": low / FINGER}, step=2e-4,
                      parameters={"force": 0.0, "rate": rate, "low": low, **screws},
                      method="cvode_bdf", outputs=["blow.gap"])  # fmt: skip
    period = (run.time.values * rate - 0.25).astype(int)
    gap = run["blow.gap"].values
    return sum(bool(gap[period == k].min() > 0) for k in range(begin, begin + 10))


@pytest.mark.parametrize(
    ("single", "rate", "low", "every"),
    [(False, 15, 0.0, True), (False, 16, 0.0, True), (True, 13, 0.0, True), (True, 14, 0.0, False),
     (False, 13, 0.004, True), (False, 15, 0.004, True),
     (True, 6, 0.004, False), (True, 10, 0.004, False), (True, 13, 0.004, False)],
)  # fmt: skip
def test_the_double_escapement_repeats_where_the_single_one_does_not(
    single: bool, rate: float, low: float, every: bool
) -> None:
    assert (misses(single, rate, low) == 0) is every


@pytest.mark.parametrize(
    ("preload", "rate", "every"),
    [(0.030, 6, False), (0.038, 9, False), (0.047, 8, True), (0.047, 13, False), (0.060, 11, True),
     (0.080, 5, False)],
)  # fmt: skip
def test_the_repetition_spring_decides_how_fast_it_repeats_from_six_millimetres(
    preload: float, rate: float, every: bool
) -> None:
    assert (misses(False, rate, 0.006, begin=12, spring_preload=preload) == 0) is every


DAMPER, LIFTS_AT, HEAVY = 0.205, 0.005, 0.060
"""Place of the damper behind the balance point, stroke of the key front that lifts it [m], kg."""
UP, DOWN = {"pedal": 1.0}, {"pedal": 0.0}


def test_the_pedal_holds_the_damper_off_the_string_until_it_is_let_go() -> None:
    weight = HEAVY * 9.81
    for given, string, rail in ((UP, 0.0, weight), (DOWN, weight, 0.0)):
        end = kt.simulate(
            action(), 1.0, q=list(rest(**given)), parameters={"force": 0.0, **given}, step=0.1,
            method="cvode_bdf", outputs=["damps.gap", "damps.load", "holds.load"],
        ).isel(time=-1)  # fmt: skip
        assert end["damps.load"].item() == pytest.approx(string, rel=PERCENT)
        assert end["holds.load"].item() == pytest.approx(rail, rel=PERCENT)
        assert (end["damps.gap"].item() > 0.01) is (given is UP)


def test_the_key_lifts_the_damper_halfway_and_lets_it_down_again() -> None:
    model, names = action(), ["damps.load", "lifts.load"]
    model.drive("key", lambda t: 0.0204 * (1 - kt.functions.cos(np.pi * t)))  # 10 mm and back
    start = dict(zip(model.coordinates, rest(**DOWN), strict=True)) | {"key": 0.0}
    run = kt.simulate(model, 2.0, q=start, parameters={"force": 0.0, **DOWN}, step=2e-3,
                      method="cvode_bdf", outputs=names)  # fmt: skip
    t, key = run.time.values, run.q.sel(coordinate="key").values
    lift, weight = run.q.sel(coordinate="damper").values, HEAVY * 9.81
    sunk = 1e-3 * np.sqrt(weight / 5.0)  # of either felt under the weight
    down = (t > 0.9) & (t < 1.1)
    assert run["lifts.load"].values[down].mean() == pytest.approx(weight, rel=PERCENT)
    assert not run["damps.load"].values[down].any(), "the string is free"
    angle, begins = key[down].mean(), LIFTS_AT / FINGER
    path = DAMPER * (np.sin(angle) - np.sin(begins)) + 0.022 * (np.cos(angle) - np.cos(begins))
    assert lift[down].mean() == pytest.approx(path - sunk, abs=PERCENT * path)
    touches = key[np.argmax(run["lifts.load"].values > 0)] * FINGER
    sagged = (sunk + weight / 3.07e4) * FINGER / DAMPER  # into the felt, with the string
    assert touches == pytest.approx(LIFTS_AT - sagged, abs=PERCENT * LIFTS_AT)
    assert run["lifts.load"].values[-1] == 0
    late = t > 1.8
    assert run["damps.load"].values[late].mean() == pytest.approx(weight, rel=PERCENT)


def test_a_stroke_with_the_damper_is_later_and_slower() -> None:
    run = kt.simulate(action(), 0.1, q=list(rest(**DOWN)), parameters=DOWN, step=1e-4,
                      method="cvode_bdf", outputs=["blow.gap"])  # fmt: skip
    hits = np.flatnonzero(np.diff(np.sign(run["blow.gap"].values)) < 0)
    assert len(hits) == 1
    when, speed = BLOWS[4.0]
    assert when + 5e-4 < run.time.values[hits[0]] < 2 * when
    found = run.qd.sel(velocity="hammer").values[hits[0]] * 0.130
    assert 0.7 * speed < found < 0.98 * speed
