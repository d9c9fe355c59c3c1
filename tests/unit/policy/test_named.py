"""What a call names is there for it; secrets, the system and the whole machine are not named in passing."""

from __future__ import annotations

import pytest

from atip.knowledge.words import as_effects, profile
from atip.model.effects import UNKNOWN
from atip.model.permissions.confinement import ANY_PROGRAM, Confinement
from atip.policy.command_context import CommandContext, add_marks
from atip.policy.confinement.confine import RunContext, SandboxRequest, plan_confinement
from atip.policy.confinement.granting import host_covers
from atip.policy.places.named import NamedPlaces, named_by
from atip.policy.policy import Policy

USER = Policy(layer="user")
SCENE = RunContext(
    cwd="/h/w", home="/h", own=("/h/.config/agent-tools", "/h/.local/share/agent-tools"),
)  # fmt: skip


def plan(effects=UNKNOWN, *policies: Policy, **options) -> Confinement:
    return plan_confinement(effects, policies or (USER,), **{"context": SCENE, **options})


def hosts(*argv: str) -> tuple[str, ...]:
    return named_by([CommandContext(argv=argv)], home="/h", confirmed=False).hosts


def test_hosts_of_addresses_are_named_with_ports_of_their_own():
    assert hosts("curl", "https://Example.com/a", "http://x.example.org:8080/?q=a://b") == (
        "example.com",
        "x.example.org:8080",
    )
    assert hosts("git", "clone", "https://user:pw@git.example.com/r") == ("git.example.com",)
    assert hosts("t", "--url=https://a.example.com:443/") == ("a.example.com",)


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:80/", "http://127.0.0.1/", "http://2130706433/", "http://[::1]/", "https://metadata/",
        "http://169.254.169.254/latest", "http://printer.local/", "https://*.example.com/", "file:///etc/passwd",
    ],
)  # fmt: skip
def test_this_machine_and_this_network_are_never_named(url):
    assert hosts("curl", url) == ()


@pytest.mark.proves("ATIP6-11-07")
def test_secrets_are_named_only_where_a_person_is_asked():
    subject = CommandContext(
        paths=("/data/in.csv", "~/.ssh/id_rsa", "/h/.bashrc", "/etc/shadow", "/", "/tmp", "/usr/bin/x", "/a/*")
    )  # fmt: skip
    assert named_by([subject], home="/h", confirmed=False).paths == ("/data/in.csv",)
    assert named_by([subject], home="/h", confirmed=True).paths == (
        "/data/in.csv",
        "/h/.ssh/id_rsa",
        "/h/.bashrc",
    )


def test_the_workspace_is_writable_for_what_may_write_and_nothing_else_is():
    assert plan().fs_write == ("/h/w/**",)
    assert plan(as_effects(profile("reads"))).fs_write == ()
    assert plan(as_effects(profile("reads"))).fs_read == ("/h/w/**",)
    assert plan(UNKNOWN, Policy(layer="user", workspace="read")).fs_write == ()
    project = Policy(layer="project", workspace="read")
    assert plan(UNKNOWN, Policy(layer="user", workspace="write"), project).fs_write == ()


@pytest.mark.parametrize(
    ("cwd", "reads", "writes"),
    [("/h", ("/h/**",), ()), ("/", (), ()), ("", (), ()), ("/h/w", ("/h/w/**",), ("/h/w/**",))],
)
def test_a_home_is_no_workspace_and_the_machine_is_none_at_all(cwd, reads, writes):
    found = plan(context=SCENE.replace(cwd=cwd))
    assert (found.fs_read, found.fs_write) == (reads, writes)


def test_own_settings_and_secret_folders_are_cut_out_of_wide_grants():
    wide = Policy(layer="user", reads=("~/**",), writes=("~/**",))
    found = plan(UNKNOWN, wide)
    assert found.fs_write == ("/h/**",)
    assert {"/h/.config/agent-tools", "/h/.local/share/agent-tools", "/h/.ssh", "/h/.gnupg"} <= set(
        found.fs_deny
    )
    request = SandboxRequest(
        confinement=Confinement(fs_read=("~/.ssh/**", "~/.config/agent-tools/**"))
    )
    assert "/h/.ssh/**" not in plan(UNKNOWN, wide, request=request).fs_read


def test_a_secret_folder_is_there_if_a_person_granted_it_and_own_settings_never():
    named = Policy(layer="user", reads=("~/.ssh/**", "~/.config/agent-tools/**"))
    found = plan(UNKNOWN, named)
    assert "/h/.ssh/**" in found.fs_read
    assert "/h/.config/agent-tools/**" not in found.fs_read
    assert found.fs_deny == ()


def test_what_runs_later_stays_as_it_is_unless_the_call_is_about_it():
    kept = plan().fs_keep
    assert "**/.git" in kept and "**/.envrc" in kept and "**/.github/workflows" in kept
    own = plan(context=SCENE.replace(repository=True, changed=(".git/config",))).fs_keep
    assert "**/.git/hooks" in own and not {"**/.git", "**/.git/config"} & {*own}
    assert plan(as_effects(profile("reads"))).fs_keep == ()
    assert plan(add_marks(UNKNOWN, "protected")).fs_keep == ()


def test_named_hosts_and_paths_are_cut_by_the_organisation():
    named = NamedPlaces(paths=("/data/a", "/other/b"), hosts=("a.example.com", "b.example.org"))
    boss = Policy(layer="organisation", hosts=("*.example.com",), reads=("/data/**",))
    found = plan(UNKNOWN, boss, USER, named=named)
    assert found.egress == ("*.example.com", "a.example.com")
    assert "/data/a" in found.fs_read
    assert "/other/b" not in found.fs_read
    offline = plan(as_effects(profile("reads")), named=named)
    assert offline.egress == ()


def test_private_addresses_and_raw_ports_come_from_a_persons_grant_alone():
    user = Policy(
        layer="user",
        hosts=("db.example.com",),
        private=("db.example.com",),
        tcp=("localhost:5432",),
    )
    request = SandboxRequest(
        confinement=Confinement(
            egress_private=("x",), tcp=("localhost:22",), egress=("db.example.com",)
        )
    )
    found = plan(UNKNOWN, user, request=request)
    assert (found.egress_private, found.tcp) == (("db.example.com",), ("localhost:5432",))
    quiet = plan(as_effects(profile("reads")), user)
    assert (quiet.egress, quiet.egress_private, quiet.tcp) == ((), (), ())
    project = Policy(layer="project", tcp=("localhost:22",))
    assert plan(UNKNOWN, USER, project).tcp == ()


def test_nobody_knows_the_tool_it_may_start_system_programs_a_list_stays_exact():
    assert plan().exec_spawn == (ANY_PROGRAM,)
    assert plan(as_effects(profile("reads"))).exec_allow is False
    claimed = SandboxRequest(
        confinement=Confinement(exec_allow=True, exec_spawn=("git", ANY_PROGRAM))
    )
    assert plan(UNKNOWN, request=claimed).exec_spawn == ("git",)
    assert plan(as_effects(profile("reads")), request=claimed).exec_spawn == ()
    curated = claimed.replace(curated=True)
    assert plan(as_effects(profile("reads")), request=curated).exec_spawn == ("git",)
    forks = SandboxRequest(confinement=Confinement(exec_allow=True))
    assert (plan(UNKNOWN, request=forks).exec_allow, plan(UNKNOWN, request=forks).exec_spawn) == (
        True,
        (),
    )
    off = SandboxRequest(
        confinement=Confinement(exec_allow=False, exec_spawn=("git",)), curated=True
    )
    assert plan(UNKNOWN, request=off).exec_allow is False


def test_a_port_of_its_own_is_met_word_for_word():
    assert host_covers("*.example.com", "a.example.com")
    assert host_covers("example.com", "example.com:443")
    assert host_covers("example.com:8443", "example.com:8443")
    for limit, wanted in (
        ("example.com", "example.com:8443"), ("example.com:8443", "example.com"), ("*.example.com", "a.example.com:22"),
    ):  # fmt: skip
        assert not host_covers(limit, wanted)
