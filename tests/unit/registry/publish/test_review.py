"""What may be published: community rules, effects that weaken, approvals, signatures."""

from __future__ import annotations

import json

import pytest

from atip.errors import FormatError
from atip.registry.publish.contributions import approve, check_contributions, check_file
from atip.registry.publish.signing.shim_signing import default_key, key_signer, sign_shims
from tests.unit.registry.publish.source import DAY, RELEASE, Source, digits_of, shim_of

WEAKER = {"drop": {"description": "Drop it", "effects": {"destructive": False}}}


@pytest.fixture
def source(tmp_path):
    return Source(tmp_path)


def codes(source, **order):
    with pytest.raises(FormatError) as caught:
        source.build(**order)
    return [problem.code for problem in caught.value.problems]


def weaker_commands():
    return {**shim_of("a")["commands"], **WEAKER}


@pytest.mark.proves("ATIP6-12.4-01")
@pytest.mark.parametrize(
    "trust", [None, {"verified": False}, {"source": "user", "verified": False}]
)
def test_contribution_states_where_it_comes_from(source, trust):
    source.add(trust=trust)
    assert "publish.source" in codes(source)


@pytest.mark.proves("ATIP6-12.4-02")
def test_contribution_is_not_verified_unless_a_person_approved_it(source):
    source.add(trust={"source": "community", "verified": True})
    assert codes(source) == ["publish.verified"]
    source.add(trust={"source": "community"})
    assert codes(source) == ["publish.verified"]
    source.add(trust={"source": "community", "verified": True})
    approve(
        str(source.folder), digits_of("a"), by="ann", at="2026-01-15T00:00:00Z", reason="tested"
    )
    assert source.build().total == 1


@pytest.mark.proves("ATIP6-12.4-03")
def test_contribution_passes_the_schema(source):
    source.add(commands={"get": {"effects": {"network": "yes"}}})
    assert all(code.startswith("format.") for code in codes(source))


@pytest.mark.proves("ATIP6-12.4-05")
def test_missing_patterns_are_advice(source):
    source.add(patterns=None)
    report = source.build()
    assert [problem.code for problem in report.advice] == ["publish.no-patterns"]


def test_private_registry_asks_for_no_community_rules(tmp_path):
    source = Source(tmp_path, kind="private")
    source.add(trust={"source": "org"}, patterns=None)
    assert source.build().advice == ()


@pytest.mark.proves("ATIP6-12.4-04", "ATIP6-4.9-03", "ATIP6-4.4.1-03", "ATIP6-3.2.2-31")
def test_shim_is_published_with_the_bundle_of_an_approved_maintainer(tmp_path):
    source = Source(
        tmp_path, requireSignatures=True, keys=[{"type": "cosign", "file": "maintainer.pub"}]
    )
    path = source.add()
    key = default_key(str(source.keys), inferred=False)
    source.write("maintainer.pub", (source.keys / "shims.pub").read_bytes())
    assert codes(source) == ["registry.unsigned"]
    report = sign_shims(str(source.folder), key_signer(key))
    assert report.signed == (digits_of("a"),)
    assert source.build().total == 1
    bundle = path.with_name(f"{path.name}.bundle")
    published = source.published()
    assert published.with_name(f"{published.name}.bundle").read_bytes() == bundle.read_bytes()
    assert source.codes() == []


def test_signature_of_somebody_else_does_not_count(tmp_path):
    source = Source(
        tmp_path, requireSignatures=True, keys=[{"type": "cosign", "file": "maintainer.pub"}]
    )
    source.add()
    default_key(str(source.keys), inferred=False)
    source.write("maintainer.pub", (source.keys / "shims.pub").read_bytes())
    stranger = default_key(str(tmp_path / "stranger"), inferred=False)
    sign_shims(str(source.folder), key_signer(stranger))
    assert codes(source) == ["registry.signature"]


def test_other_maintainers_make_every_shim_be_judged_again(tmp_path):
    source = Source(tmp_path)
    source.add()
    source.build()
    default_key(str(source.keys), inferred=False)
    source.write("maintainer.pub", (source.keys / "shims.pub").read_bytes())
    settings = {"requireSignatures": True, "keys": [{"type": "cosign", "file": "maintainer.pub"}]}
    source.write("publisher.json", {**source.settings, **settings})
    assert codes(source) == ["registry.unsigned"]


def test_weaker_effects_need_a_person(source):
    source.add()
    source.build()
    source.add(commands=weaker_commands())
    assert codes(source, at=RELEASE + DAY) == ["publish.weaker-effects"]
    approve(str(source.folder), digits_of("a"), by="ann", at="2026-01-16T00:00:00Z")
    assert source.build(at=RELEASE + DAY).changed == 1
    record = json.loads((source.folder / "approvals.json").read_text())["approvals"][0]
    assert (record["hash"], record["by"]) == (f"sha256:{digits_of('a')}", "ann")


def test_approval_holds_for_the_approved_bytes_only(source):
    source.add()
    source.build()
    source.add(commands=weaker_commands())
    approve(str(source.folder), digits_of("a"), by="ann", at="2026-01-16T00:00:00Z")
    source.add(commands=weaker_commands(), description="And something else")
    assert codes(source, at=RELEASE + DAY) == ["publish.weaker-effects"]


def test_stronger_effects_need_nobody(source):
    source.add(commands=weaker_commands())
    source.build()
    source.add()
    assert source.build(at=RELEASE + DAY).changed == 1


def test_inferred_shim_of_a_new_version_that_warns_of_less_is_not_published_unread(source):
    inferred = {"source": "inferred", "verified": False}
    source.add("v1", trust=inferred)
    source.build()
    facts = {"name": "tool", "version": "2.0", "platform": "linux-amd64"}
    binary = {"hash": f"sha256:{digits_of('v2')}", **facts}
    source.add("v2", trust=inferred, binary=binary, commands=weaker_commands())
    assert codes(source, at=RELEASE + DAY) == ["publish.weaker-effects"]
    assert codes(source, at=RELEASE + DAY, judge=False) == ["publish.weaker-effects"]
    approve(str(source.folder), digits_of("v2"), by="ann", at="2026-01-16T00:00:00Z")
    assert source.build(at=RELEASE + DAY).added == 1


@pytest.mark.proves("ATIP6-4.10.4-05")
def test_inferred_becomes_community_only_after_a_person_verified_it(source):
    source.add(trust={"source": "inferred", "verified": False})
    source.build()
    source.add(trust={"source": "community", "verified": False})
    assert codes(source, at=RELEASE + DAY) == ["publish.promoted"]
    approve(str(source.folder), digits_of("a"), by="ann", at="2026-01-16T00:00:00Z")
    assert source.build(at=RELEASE + DAY).changed == 1


def test_damaged_approvals_stop_the_build(source):
    source.add()
    source.write("approvals.json", {"approvals": [{"hash": "sha256:all", "by": "me"}]})
    with pytest.raises(FormatError):
        source.build()


def test_source_and_single_contribution_are_checked_without_building(source):
    path = source.add()
    source.add("b", trust={"source": "user", "verified": False})
    count, problems = check_contributions(str(source.folder), str(source.public))
    assert (count, [problem.code for problem in problems]) == (2, ["publish.source"])
    assert check_file(str(path)) == []
    wrong = source.write("shims/curl.json", shim_of("a"))
    assert [problem.code for problem in check_file(str(wrong))] == ["publish.name"]
    assert not source.public.exists()
