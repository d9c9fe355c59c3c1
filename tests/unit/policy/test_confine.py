"""Planned confinements: the narrowest that manifest, effects and policy leave."""

from __future__ import annotations

from atip.knowledge.words import as_effects, profile
from atip.model.effects import UNKNOWN
from atip.model.permissions.confinement import Confinement
from atip.policy.confinement.confine import RunContext, SandboxRequest, plan_confinement
from atip.policy.policy import Policy

USER = Policy(
    layer="user",
    hosts=("*.example.com",),
    writes=("/w/out/**",),
    reads=("/data/**",),
    env=("LANG",),
)
ASKED = Confinement(
    fs_read=("/w/**", "/data/x/**", "/home/dev/.ssh/**"), fs_write=("/w/out/**", "/w/src/**"),
    egress=("api.example.com", "evil.example"), egress_private=("api.example.com",), tcp=("localhost:5432",),
    exec_allow=True, exec_spawn=("ssh",), env_pass=("LANG", "TOKEN", "LD_PRELOAD"), env_set=(("PATH", "/x"), ("A", "b")), tty=True,
)  # fmt: skip


SCENE = RunContext(cwd="/w")


def plan(
    words: str | None, policies: tuple[Policy, ...] = (USER,), asked: Confinement | None = ASKED
) -> Confinement:
    effects = UNKNOWN if words is None else as_effects(profile(words))
    request = None if asked is None else SandboxRequest(confinement=asked)
    return plan_confinement(effects, policies, request=request, context=SCENE)


def test_requests_are_cut_to_what_policy_grants():
    found = plan(None)
    assert found.fs_read == ("/w/**", "/data/x/**")
    assert found.fs_write == ("/w/out/**",)
    assert found.egress == ("api.example.com",)
    assert found.env_pass == ("LANG",)
    assert found.env_set == (("A", "b"),)


def test_nobody_but_a_person_opens_private_addresses():
    found = plan(None)
    assert (found.egress_private, found.tcp) == ((), ())


def test_effects_take_away_what_a_call_surely_does_not_need():
    found = plan("reads")
    assert (found.egress, found.fs_write, found.exec_allow, found.exec_spawn, found.tty) == (
        (),
        (),
        False,
        (),
        False,
    )
    assert plan("network").egress == ("api.example.com",)
    assert plan("network").fs_read == ()
    assert plan("writes").fs_write == ("/w/out/**",)


def test_without_grants_there_is_nothing():
    found = plan(None, (Policy(layer="user", workspace="read"),))
    assert (found.egress, found.fs_write, found.env_pass) == ((), (), ())
    assert plan(None, (Policy(layer="user", workspace="none"),)).fs_read == ()


def test_layers_only_narrow_and_a_project_grants_nothing_by_itself():
    project = Policy(
        layer="project",
        hosts=("api.example.com", "evil.example"),
        writes=("/w/out/a/**", "/etc/**"),
    )
    found = plan_confinement(UNKNOWN, (USER, project), context=SCENE)
    assert found.egress == ("api.example.com",)
    assert found.fs_write == ("/w/out/a/**",)
    assert plan_confinement(UNKNOWN, (Policy(layer="user"), project), context=SCENE).egress == ()


def test_every_run_is_bounded():
    limits = plan_confinement(UNKNOWN, (USER,), timeout_s=5).limits
    assert limits.wall_s == 5
    assert None not in (
        limits.memory_bytes,
        limits.processes,
        limits.file_bytes,
        limits.output_bytes,
    )


def test_project_cannot_open_a_secret_folder_inside_of_a_grant() -> None:
    from atip.model.effects import Effects, Filesystem
    from atip.model.permissions.confinement import Confinement
    from atip.policy.confinement.confine import RunContext, SandboxRequest, plan_confinement
    from atip.policy.policy import Policy

    user = Policy(layer="user", writes=("/h/**",))
    project = Policy(layer="project", writes=("/h/.ssh/**",))
    request = SandboxRequest(confinement=Confinement(fs_write=("/h/.ssh/**",)), curated=False)
    effects = Effects(filesystem=Filesystem(write=True))
    scene = RunContext(cwd="/h/w", home="/h")
    both = plan_confinement(effects, (user, project), request=request, context=scene)
    assert "/h/.ssh/**" not in both.fs_write
