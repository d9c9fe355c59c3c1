"""Confinement: nothing is allowed by default, and what is given is shown."""

from __future__ import annotations

from atip.model.permissions.confinement import PROBE, Confinement, Limits


def test_default_allows_nothing() -> None:
    assert Confinement().to_json() == {
        "network": {"egress": [], "ingress": []},
        "fs": {"read": [], "write": [], "deny": []},
        "exec": {"allow": False, "spawn": []},
        "env": {"pass": [], "set": {}},
        "tty": {"required": False},
        "limits": {},
    }


def test_probe_has_the_limits_of_the_specification() -> None:
    limits = PROBE.limits
    assert (limits.wall_s, limits.output_bytes, limits.processes) == (2.0, 1_000_000, 64)
    assert (PROBE.egress, PROBE.fs_read, PROBE.fs_write, PROBE.tty) == ((), (), (), False)


def test_zero_is_a_limit_and_none_is_not() -> None:
    assert Limits(processes=0).to_json() == {"processes": 0}


def test_grants_of_a_person_are_shown_apart() -> None:
    shown = Confinement(egress=("db.test",), egress_private=("db.test",), tcp=("db.test:5432",))
    assert shown.to_json()["network"] == {
        "egress": ["db.test"],
        "ingress": [],
        "private": ["db.test"],
        "tcp": ["db.test:5432"],
    }
