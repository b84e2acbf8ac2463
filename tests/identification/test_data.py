"""Recordings as people have them: numbers from zero, commas, comments, DataFrames."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.approx import FILTERED, assert_close
from tests.identification.arms import arm, motion, recorded

import kinetree as kt
from kinetree.errors import KinetreeError, ModelWarning

HOW: dict[str, Any] = {"friction": ("coulomb", "viscous")}


def rows() -> Any:
    data = recorded(arm(rubs=True), motion())
    return np.column_stack([data[key] for key in ("time", "q", "qd", "tau")])


def names(first: int) -> list[str]:
    return ["time", *(f"{k}{n + first}" for k in ("q", "qd", "tau") for n in range(3))]


def found(data: Any) -> None:
    fit = kt.identify(arm((2.0, 2.0, 2.0)), data, **HOW)
    assert_close(fit.parameters["b1.h_x"], 0.7, FILTERED)
    assert_close(fit.parameters["j2.viscous"], 0.3, 0.01)


WRITTEN: dict[str, tuple[str, str, str]] = {
    "from zero": (",", ",".join(names(0)), ""),
    "blanks": (" ", " ".join(names(1)), ""),
    "a comment": (",", ",".join(names(1)), "# "),
    "tabs": ("\t", "\t".join(names(1)), ""),
}
"""Sign between columns, names, what stands before them."""


@pytest.mark.parametrize("name", WRITTEN)
def test_columns_are_read_from_files(name: str, tmp_path: Path) -> None:
    sign, head, comment = WRITTEN[name]
    file = tmp_path / "run.csv"
    np.savetxt(file, rows(), delimiter=sign, header=head, comments=comment)
    found(file)


def test_decimal_commas_and_tables_of_pandas(tmp_path: Path) -> None:
    lines = [";".join(f"{x:.9f}".replace(".", ",") for x in row) for row in rows()]
    file = tmp_path / "run.csv"
    file.write_text("\n".join([";".join(names(1)), *lines]))
    found(file)
    pandas = import_module("pandas")  # comes with xarray
    found(pandas.DataFrame(rows(), columns=names(1)))


def test_degrees_are_told_by_the_limits_of_joints(tmp_path: Path) -> None:
    data = recorded(arm(), motion())
    small = {"time": data["time"], "q": 0.05 * np.degrees(data["q"]), "tau": data["tau"]}
    kt.save(arm(), tmp_path / "arm.yaml")
    text = (tmp_path / "arm.yaml").read_text()
    limited = text.replace("axis: z", "axis: z\n    limits: {lower: -1.2, upper: 1.2}")
    assert limited != text
    (tmp_path / "limited.yaml").write_text(limited)
    model = kt.load(tmp_path / "limited.yaml")
    with pytest.raises(KinetreeError, match=r"q of 'j0' reaches .* units=\{\"q\": \"deg\"\}"):
        kt.identify(model, small, **HOW)


def test_a_joint_that_was_not_recorded_may_be_locked() -> None:
    data = recorded(arm(), motion())
    short = {"time": data["time"], "q": data["q"][:, :2], "tau": data["tau"]}
    with pytest.raises(KinetreeError, match=r"no column 'q.j2'.*locked=\{\"j2\": 0.0\} if it stan"):
        kt.identify(arm(), short)


def test_instruments_with_the_errors_of_the_recording_are_told() -> None:
    data = recorded(arm(), motion())
    with pytest.warns(ModelWarning, match="instruments: they are the recorded motion itself"):
        kt.identify(arm(), data, "instrumental", instruments=data)
