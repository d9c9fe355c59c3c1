"""Laws of planned confinements: one more project layer, a tool's request, or calmer effects never give more."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from atip.model.effects import Effects, Filesystem
from atip.model.permissions.confinement import ANY_PROGRAM, Confinement
from atip.policy.confinement.confine import RunContext, SandboxRequest, plan_confinement
from atip.policy.confinement.granting import host_covers, path_covers
from atip.policy.places.named import NamedPlaces
from atip.policy.policy import Policy

SCENE = RunContext(cwd="/h/w", home="/h", own=("/h/.config/agent-tools",))
PATHS = (
    "/h/w/**", "/h/w/out/**", "/h/**", "/h/.ssh/**", "/h/.config/agent-tools/**", "/data/**", "/data/a", "~/x/**",
)  # fmt: skip
HOSTS = ("a.example.com", "*.example.com", "b.example.org", "a.example.com:8443")
FACT = st.sampled_from((True, False, None))


def some(values: tuple[str, ...]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(values), max_size=3, unique=True).map(tuple)


def policies(layer: str) -> st.SearchStrategy[Policy]:
    return st.builds(
        Policy,
        layer=st.just(layer),
        reads=some(PATHS),
        writes=some(PATHS),
        hosts=some(HOSTS),
        env=some(("A", "B")),
        tcp=some(("localhost:1", "db.example.com:2")),
        workspace=st.sampled_from(("write", "read", "none", None)),
    )


EFFECTS = st.builds(
    lambda read, write, delete, network, spawn: Effects(
        filesystem=Filesystem(read=read, write=write, delete=delete),
        network=network,
        subprocess=spawn,
    ),
    FACT, FACT, FACT, FACT, FACT,
)  # fmt: skip
ASKED = st.one_of(
    st.none(),
    st.builds(
        lambda reads, writes, hosts, spawn, curated: SandboxRequest(
            confinement=Confinement(
                fs_read=reads, fs_write=writes, egress=hosts, exec_allow=True, exec_spawn=spawn,
                env_pass=("A", "LD_PRELOAD"), tcp=("localhost:9",), egress_private=("x.example.com",),
            ),
            curated=curated,
        ),
        some(PATHS), some(PATHS), some(HOSTS), some(("git", "sh", ANY_PROGRAM)), st.booleans(),
    ),
)  # fmt: skip
NAMED = st.builds(NamedPlaces, paths=some(("/data/a", "/h/x/b")), hosts=some(HOSTS[:1]))


def within(narrow: Confinement, wide: Confinement) -> bool:
    def covered(entries, others, covers) -> bool:
        return all(any(covers(other, entry) for other in others) for entry in entries)

    return (
        covered(narrow.fs_read, (*wide.fs_read, *wide.fs_write), path_covers)
        and covered(narrow.fs_write, wide.fs_write, path_covers)
        and covered(narrow.egress, wide.egress, host_covers)
        and set(narrow.tcp) <= set(wide.tcp)
        and set(narrow.env_pass) <= set(wide.env_pass)
        and set(narrow.exec_spawn) <= set(wide.exec_spawn)
    )


@settings(max_examples=300, deadline=None)
@given(policies("user"), policies("project"), EFFECTS, ASKED, NAMED)
def test_a_project_only_takes_away(user, project, effects, request, named):
    alone = plan_confinement(effects, (user,), request=request, named=named, context=SCENE)
    both = plan_confinement(effects, (user, project), request=request, named=named, context=SCENE)
    assert within(both, alone)


@settings(max_examples=300, deadline=None)
@given(policies("user"), EFFECTS, ASKED, NAMED)
def test_own_settings_are_never_there_and_a_manifest_opens_nothing_by_itself(
    user, effects, request, named
):
    found = plan_confinement(effects, (user,), request=request, named=named, context=SCENE)
    for entry in (*found.fs_read, *found.fs_write):
        assert not entry.startswith("/h/.config/agent-tools")
        if path_covers(entry, "/h/.config/agent-tools/policy.json"):
            assert "/h/.config/agent-tools" in found.fs_deny
    assert set(found.tcp) <= set(user.tcp)
    assert found.egress_private == ()
    assert "LD_PRELOAD" not in found.env_pass
    if request is not None:
        assert ANY_PROGRAM not in found.exec_spawn


@settings(max_examples=200, deadline=None)
@given(policies("user"), EFFECTS, ASKED, NAMED)
def test_a_fact_that_is_known_absent_gives_nothing_for_it(user, effects, request, named):
    calm = effects.replace(
        filesystem=Filesystem(read=False, write=False, delete=False), network=False
    )
    found = plan_confinement(calm, (user,), request=request, named=named, context=SCENE)
    assert (found.fs_read, found.fs_write, found.egress, found.tcp) == ((), (), (), ())
    assert (
        within(
            found, plan_confinement(effects, (user,), request=request, named=named, context=SCENE)
        )
        or effects.subprocess is False
    )
