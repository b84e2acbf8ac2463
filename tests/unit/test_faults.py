"""Killed programs, full disks and read-only folders leave the old file or the new one."""

from __future__ import annotations

from tests.faults import disturbed

KINDS = {"model", "netcdf", "csv", "plot", "page", "fmu", "package", "c", "python", "run"}


def test_nothing_is_lost_whatever_stops_a_program() -> None:
    found = disturbed(4, seed=1)
    assert found.keys() == KINDS
    for kind, outcomes in found.items():
        assert outcomes["full: old"] == 4, kind
        assert outcomes["read-only: old"] == 1, kind
        assert sum(outcomes.values()) == 4 + 5, kind
