"""`registry check` finds whatever a client would refuse; each damage by its code."""

from __future__ import annotations

import json

import pytest

from atip.registry import tree
from atip.registry.publish.signing.shim_signing import default_key, key_signer, sign_shims
from atip.trust.expected import Key, TrustPolicy
from tests.unit.registry.publish.source import DAY, RELEASE, Source, digits_of, shim_of


@pytest.fixture
def source(tmp_path):
    made = Source(tmp_path)
    made.add("a")
    made.add("b")
    made.write("patterns/flow.json", {"patterns": shim_of("a")["patterns"]})
    made.write("policy.json", {"policy": {"version": "1"}})
    made.build()
    return made


def put(source, name, content):
    path = source.public / name
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())


def test_good_tree_has_no_problem(source):
    report = source.check()
    assert (report.shims, report.is_signed, report.problems) == (2, True, ())


A, B = tree.shim_path(digits_of("a")), tree.shim_path(digits_of("b"))


@pytest.mark.parametrize(
    ("name", "content", "codes"),
    [
        (A, b"{", {"tuf.mismatch"}),
        (A, shim_of("b"), {"registry.wrong-binary", "tuf.mismatch"}),
        (A, shim_of("a", commands=7), {"tuf.mismatch"}),
        (A, shim_of("a", description="changed"), {"tuf.mismatch"}),
        (A, b"x" * 1_000_001, {"format.too-large", "tuf.mismatch"}),
        (tree.shim_path(digits_of("c")), shim_of("c"), {"registry.unlisted"}),
        (f"{tree.SHIMS}/curl.json", shim_of("a"), {"registry.name", "registry.unlisted"}),
        (f"{tree.SHIMS}/{digits_of('a').upper()}.json", shim_of("a"), {"registry.name"}),
        (f"{A}.bundle", b"{}", {"registry.unlisted"}),
        (f"{tree.shim_path(digits_of('c'))}.bundle", b"{}", {"registry.orphan"}),
        (tree.MANIFEST, {"atip": {"version": "0.6"}}, {"tuf.mismatch"}),
        (tree.CATALOG, {"version": "1", "tools": {}}, {"tuf.mismatch"}),
        (tree.PATTERNS, {"patterns": []}, {"tuf.mismatch"}),
        ("patterns/flow.json", {"patterns": 7}, {"publish.pattern", "tuf.mismatch"}),
        (tree.POLICY, {"policy": {"version": "1", "aproval": {}}}, {"tuf.mismatch"}),
        ("tuf/1.bins-0.json", b"{}", {"tuf.mismatch"}),
        ("tuf/1.snapshot.json", b"{}", {"tuf.mismatch"}),
        ("tuf/1.targets.json", b"{}", {"tuf.mismatch"}),
        ("tuf/timestamp.json", b"{}", {"tuf.invalid"}),
        (tree.FIRST_ROOT, b"{}", {"tuf.root"}),
    ],
)
def test_damage_is_found(source, name, content, codes):
    put(source, name, content)
    assert codes <= set(source.codes())


@pytest.mark.parametrize(
    ("name", "code"),
    [
        (A, "registry.missing"),
        (tree.MANIFEST, "registry.missing"),
        (tree.POLICY, "registry.missing"),
        ("patterns/flow.json", "registry.missing"),
        ("tuf/1.bins-1.json", "tuf.missing"),
        ("tuf/timestamp.json", "tuf.missing"),
        (tree.FIRST_ROOT, "registry.missing"),
    ],
)
def test_missing_file_is_found(source, name, code):
    (source.public / name).unlink()
    assert code in source.codes()


def test_expired_metadata_is_found(source):
    assert source.codes(at=RELEASE + 4 * DAY) == ["tuf.expired"]


def test_catalog_that_lies_is_found(tmp_path):
    source = Source(tmp_path)
    source.add("a")
    source.build(keys=False)
    catalog = json.loads((source.public / tree.CATALOG).read_text())
    catalog["tools"]["tool"]["versions"]["1.0"]["any"] = f"sha256:{digits_of('zzz')}"
    catalog["tools"]["tool"]["versions"]["1.0"]["other"] = f"sha256:{digits_of('a')}"
    catalog["totalShims"] = 7
    put(source, tree.CATALOG, catalog)
    assert source.codes() == ["registry.count", "registry.duplicate", "registry.missing"]


def test_unsigned_tree_is_pointed_out(tmp_path):
    source = Source(tmp_path)
    source.add("a")
    source.build(keys=False)
    report = source.check()
    assert report.is_ok
    assert [problem.code for problem in report.problems] == ["registry.no-tuf"]


def test_signatures_are_checked_against_the_given_keys(tmp_path):
    source = Source(tmp_path)
    source.add("a")
    key = default_key(str(source.keys), inferred=False)
    sign_shims(str(source.folder), key_signer(key))
    source.build()

    def policy(path):
        key = Key(type="cosign", data=path.read_bytes(), name="k")
        return TrustPolicy(keys=(key,), require_signatures=True)

    assert source.codes(policy=policy(source.keys / "shims.pub")) == []
    default_key(str(tmp_path / "other"), inferred=False)
    assert source.codes(policy=policy(tmp_path / "other/shims.pub")) == ["registry.signature"]
    (source.public / f"{A}.bundle").unlink()
    found = source.codes(policy=policy(source.keys / "shims.pub"))
    assert found == ["registry.unsigned", "tuf.mismatch"]


def test_update_is_compared_with_an_older_tree(source, tmp_path):
    old = tmp_path / "old"
    source.public.rename(old)
    commands = {**shim_of("a")["commands"], "drop": {"description": "Drop it", "effects": {}}}
    source.add("a", commands=commands)
    source.add("b", binary={**shim_of("b")["binary"], "version": "9"})
    source.build(at=RELEASE + DAY, keys=False)
    report = source.check(against=str(old))
    assert {problem.code for problem in report.problems} >= {
        "registry.weaker",
        "registry.immutable-changed",
    }


def test_stray_file_is_pointed_out(source):
    put(source, "secrets.txt", b"x")
    report = source.check()
    found = [(problem.code, problem.severity) for problem in report.problems]
    assert ("registry.unexpected", "warning") in found
