"""Files in which a tool keeps its login: part of what its bundle asks for, unless it denies them itself."""

from __future__ import annotations

import pytest

from atip.codecs.climd.sandbox import bundle_confinement
from atip.model.effects import UNKNOWN
from atip.policy.confinement.confine import RunContext, SandboxRequest, plan_confinement
from atip.policy.policy import Policy

BLOCK = {"fs": {"read": ["~/.config/hub/**"], "write": [], "deny": ["~/.ssh/**"]}}


@pytest.mark.proves("AIP29-AUTH-03")
def test_state_paths_are_asked_for_and_a_deny_rule_wins():
    asked = bundle_confinement(BLOCK, state_paths=("~/.local/state/hub", "~/.ssh/hub"))
    assert "~/.local/state/hub/**" in asked.fs_write
    assert "~/.local/state/hub/**" in asked.fs_read
    assert not any(".ssh" in path for path in (*asked.fs_read, *asked.fs_write))
    granted = Policy(layer="user", reads=("~/.local/state/**",), writes=("~/.local/state/**",))
    plan = plan_confinement(
        UNKNOWN,
        (granted,),
        request=SandboxRequest(confinement=asked),
        context=RunContext(cwd="/h/w", home="/h"),
    )
    assert plan.fs_write == ("/h/.local/state/hub/**",)
    assert plan.fs_deny == ("/h/.ssh/**",)
