"""Host patterns, globs, sandbox blocks and narrowing: the rules, one by one."""

from __future__ import annotations

import pytest

from atip.errors import FormatError
from atip.model.permissions.narrowing import check_narrowing
from atip.model.permissions.sandbox_block import check_sandbox, read_sandbox
from atip.model.text.environment import is_never_passed, runs_code
from atip.model.text.globs import parse_glob
from atip.model.text.hosts import canonical_host, is_public, parse_endpoint, parse_host_pattern

PARENT = {
    "network": {"egress": ["api.example.com", "*.cdn.example.com"]},
    "fs": {"read": ["/w/**", "~/.config/x"], "write": ["/w/out/**"], "deny": ["/w/.env"]},
    "exec": {"allow": True, "spawn": ["git"]},
    "env": {"pass": ["TOKEN"], "set": {"A": "1"}},
    "tty": {"required": False},
}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Example.COM", "example.com"),
        ("example.com.", "example.com"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("example.com..", None),
        ("127.0.0.1", None),
        ("0x7f.1", None),
        ("2130706433", None),
        ("exa mple.com", None),
        ("example.com\x00", None),
        ("ｅxample.com", None),
        ("example。com", None),
        ("-a.com", None),
        ("a" * 64 + ".com", None),
        (".".join(["a" * 60] * 5), None),
        ("xn--0.example", None),
        ("", None),
    ],
)
def test_host_has_one_form_or_none(text: str, name: str | None) -> None:
    assert canonical_host(text) == name


@pytest.mark.proves("AIP29-SANDBOX-12")
@pytest.mark.parametrize(
    "text",
    ["*", "*.com", "**.x.test", "*.co.uk", "a*.x.test", "http://x.test", "x.test/p", "x.test:443",
     "10.0.0.0/8", "10.0.0.1", "::1", "localhost", "*.localhost", "db.internal", "intranet", ""],
)  # fmt: skip
def test_pattern_outside_the_grammar_is_refused(text: str) -> None:
    with pytest.raises(FormatError) as refused:
        parse_host_pattern(text)
    assert refused.value.code == "host.pattern"


def test_wildcard_means_below_and_never_the_name_itself() -> None:
    wide = parse_host_pattern("*.example.com")
    assert wide.matches("a.b.example.com") and not wide.matches("example.com")
    assert not wide.matches("evilexample.com")
    assert wide.covers(parse_host_pattern("*.a.example.com"))
    assert not parse_host_pattern("*.a.example.com").covers(wide)
    assert not parse_host_pattern("a.example.com").covers(wide)


@pytest.mark.parametrize("address", ["127.0.0.1", "10.1.2.3", "100.64.0.1", "169.254.169.254", "::1",
    "fe80::1", "fd00::1", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::", "224.0.0.1", "x"])  # fmt: skip
def test_address_that_is_not_public(address: str) -> None:
    assert not is_public(address)


def test_public_addresses_and_endpoints() -> None:
    assert is_public("93.184.215.14") and is_public("2606:4700::1111")
    assert parse_endpoint("localhost:5432") == ("localhost", 5432)
    assert parse_endpoint("[::1]:80") == ("::1", 80)
    for text in ("localhost", "x:0", "x:99999", "a b:1", ":80"):
        with pytest.raises(FormatError):
            parse_endpoint(text)


@pytest.mark.parametrize(
    ("outer", "inner", "covered"),
    [
        ("/w/**", "/w/src/**", True),
        ("/w/**", "/w", True),
        ("/w/**", "/w/*.txt", True),
        ("/w/**", "/wx/**", False),
        ("/w/**", "/**", False),
        ("/w", "/w/a", False),
        ("/w/*.txt", "/w/a.txt", False),
        ("/w/*.txt", "/w//*.txt", True),
        ("/**", "/etc/passwd", True),
        ("~/x/**", "~/x/y", True),
        ("~/x/**", "/x/y", False),
        ("**/.git/**", "**/.git/hooks/**", False),
    ],
)
def test_glob_covers_only_what_is_certain(outer: str, inner: str, covered: bool) -> None:
    assert parse_glob(outer).surely_covers(parse_glob(inner)) is covered


@pytest.mark.parametrize("text", ["", "relative", "/a/../b", "/a\x00", "a/**", "~user/x", "/a\\b"])
def test_glob_that_is_no_path_is_refused(text: str) -> None:
    with pytest.raises(FormatError):
        parse_glob(text)


@pytest.mark.parametrize(
    "child",
    [
        {"network": {"egress": ["*.example.com"]}},
        {"network": {"ingress": ["http://localhost:1/"]}},
        {"fs": {"read": ["/w/../etc/**"]}},
        {"fs": {"read": ["~/.config/x/**"]}},
        {"fs": {"deny": ["/w/.env2"]}},
        {"exec": {"spawn": ["git", "sh"]}},
        {"env": {"pass": ["TOKEN", "PATH"]}},
        {"env": {"set": {"A": "2"}}},
        {"env": {"set": {"ld_preload": "x"}}},
        {"env": {"set": ["A=1"]}},
        {"tty": {"required": True}},
        {"tty": True},
        {"exec": {"allow": "yes"}},
        {"limits": {}},
        {"fs": {"Read": []}},
        {"fs": None},
        None,
        [],
    ],
)
def test_child_that_widens_or_confuses_is_refused(child: object) -> None:
    assert check_narrowing(PARENT, child)


@pytest.mark.parametrize(
    "child",
    [
        {},
        {"network": {"egress": ["a.cdn.example.com", "API.example.com"]}},
        {"fs": {"write": []}},
        {"fs": {"deny": ["/w/**"]}},
        {"exec": {"allow": False}},
        {"env": {"set": {"NO_COLOR": "1"}}},
    ],
)
def test_child_that_narrows_is_accepted(child: dict[str, object]) -> None:
    assert check_narrowing(PARENT, child) == []


def test_child_of_an_empty_bundle_can_have_nothing() -> None:
    assert check_narrowing({}, {"fs": {"read": ["/x"]}})
    assert check_narrowing({}, {}) == []


def test_absent_parts_of_a_block_allow_nothing() -> None:
    confinement = read_sandbox({"network": {"egress": ["x.test"]}})
    assert (confinement.egress, confinement.fs_read, confinement.exec_allow) == (
        ("x.test",),
        (),
        False,
    )


@pytest.mark.proves("AIP29-SANDBOX-06")
def test_spawn_without_allow_is_a_warning() -> None:
    problems = check_sandbox({"exec": {"allow": False, "spawn": ["git"]}})
    assert [problem.severity for problem in problems] == ["warning"]
    assert read_sandbox({"exec": {"allow": False, "spawn": ["git"]}}).exec_allow is False


def test_unreadable_block_is_refused_with_all_problems() -> None:
    with pytest.raises(FormatError) as refused:
        read_sandbox({"Network": {}, "fs": {"read": "x"}})
    assert len(refused.value.problems) == 2


@pytest.mark.parametrize(
    "name", ["LD_PRELOAD", "GIT_SSH_COMMAND", "BASH_ENV", "https_proxy", "PATH"]
)
def test_variables_that_run_code(name: str) -> None:
    assert runs_code(name) and is_never_passed(name)


def test_ordinary_variables_may_pass() -> None:
    assert not any(map(is_never_passed, ("GH_TOKEN", "HOME", "GIT_AUTHOR_NAME", "KUBECONFIG")))
