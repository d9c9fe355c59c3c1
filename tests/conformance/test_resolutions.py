"""Our decisions where the ATIP texts contradict themselves: one test per ID, named in its docstring."""

from __future__ import annotations

import pytest

from atip.model.effects import Effects, Filesystem, join
from atip.model.reading.decode import decode, decode_tool
from atip.model.reading.encode import encode
from atip.model.shapes.check import check_tool
from atip.model.text.digest import find_digest
from atip.model.text.durations import parse_duration
from atip.registry import layout

MINIMAL = {"atip": {"version": "0.6"}, "name": "x", "version": "1", "description": "does things"}
HEX = "0123456789abcdef" * 4


def document(**fields):
    return {**MINIMAL, **fields}


def codes(value, mode="strict", severity=None):
    return [p.code for p in check_tool(value, mode) if severity in (None, p.severity)]


def errors(value, mode="strict"):
    return codes(value, mode, "error")


def with_option(**fields):
    option = {"name": "o", "flags": ["-o"], "type": "string", "description": "an option", **fields}
    return document(globalOptions=[option])


@pytest.mark.proves("ATIP6-2-03", "ATIP6-3.2-06")
def test_only_the_required_fields_are_required():
    assert codes(MINIMAL) == []
    for field in (
        {"homepage": "https://x.org"},
        {"trust": {"source": "native"}},
        {"commands": {}},
        {"authentication": {"required": False}},
        {"patterns": []},
    ):
        assert codes(document(**field)) == []


@pytest.mark.proves("ATIP6-3.2-01", "ATIP6-3.2-02", "ATIP6-3.2-03", "ATIP6-3.2-04")
@pytest.mark.parametrize("field", ["atip", "name", "version", "description"])
def test_each_required_root_field_is_missed(field):
    incomplete = {key: value for key, value in MINIMAL.items() if key != field}
    assert len(errors(incomplete)) == 1


@pytest.mark.proves("ATIP6-3.2.1-04", "ATIP1-3.2.1-04", "ATIP6-3.2.1-01")
def test_protocol_is_a_string_or_an_object():
    """A1"""
    legacy = decode(document(atip="0.1")).tool
    assert legacy.protocol.version == "0.1"
    assert encode(legacy)["atip"] == "0.1"
    assert encode(decode(document(atip="0.6")).tool)["atip"] == {"version": "0.6"}
    assert errors(document(atip={"features": []})) == ["format.missing-field"]


@pytest.mark.proves("ATIP6-12.3-01", "ATIP6-12.3-02", "ATIP6-3.2.1-03")
@pytest.mark.parametrize(
    ("version", "severity"),
    [
        ("0.6", None),
        ("0.6.0", None),
        ("0.7", "warning"),
        ("1.0", "error"),
        ("six", "error"),
        ("0.0", "error"),
    ],
)
def test_newer_minor_versions_warn_and_other_majors_fail(version, severity):
    """A2"""
    problems = check_tool(document(atip={"version": version}), "strict")
    assert [p.severity for p in problems] == ([severity] if severity else [])
    demanding = check_tool(document(atip={"version": "0.6", "minAgentVersion": "0.9"}), "lenient")
    assert [p.code for p in demanding] == ["format.newer-agent"]


@pytest.mark.proves("ATIP6-3.2.1-02", "ATIP6-3.2.1-05", "ATIP6-3.2.1-06")
def test_unknown_features_only_warn():
    """A3"""
    assert codes(document(atip={"version": "0.6", "features": ["future"]})) == ["format.feature"]
    assert errors(document(atip={"version": "0.6", "features": ["future"]})) == []
    known = {
        "partial-discovery": "0.3",
        "interactive-effects": "0.3",
        "trust-v1": "0.4",
        "patterns-v1": "0.4",
        "trust-integrity": "0.5",
        "trust-provenance": "0.5",
    }
    for feature, since in known.items():
        assert codes(document(atip={"version": since, "features": [feature]})) == []
        assert codes(document(atip={"version": "0.2", "features": [feature]})) == [
            "format.feature-since"
        ]


@pytest.mark.proves("ATIP6-4.5-01", "ATIP6-4.5-03")
def test_a_shim_takes_its_names_from_the_binary():
    """A4"""
    shim = {
        "atip": {"version": "0.6"},
        "binary": {
            "hash": f"sha256:{HEX}",
            "name": "curl",
            "version": "8.4.0",
            "platform": "darwin-arm64",
        },
        "description": "Transfer data",
    }
    assert errors(shim) == []
    tool = decode(shim).tool
    assert (tool.name, tool.version) == ("curl", "8.4.0")
    written = encode(tool)
    assert (written["name"], written["binary"]["name"]) == ("curl", "curl")


@pytest.mark.proves("ATIP6-4.5-04", "ATIP6-12.3-03")
def test_the_shims_signature_is_never_the_binarys():
    """A5"""
    mine = {"type": "cosign", "identity": "shim"}
    binary = {"type": "cosign", "identity": "binary"}
    tool = decode(document(trust={"integrity": {"signature": binary}})).tool
    assert tool.trust.shim_signature is None
    legacy = document(trust={"signature": mine, "integrity": {"signature": binary}})
    assert decode(legacy).tool.trust.shim_signature.identity == "shim"
    assert codes(legacy) == ["format.deprecated-field"]
    both = document(trust={"signature": binary, "shimIntegrity": {"signature": mine}})
    assert decode(both).tool.trust.shim_signature.identity == "shim"


@pytest.mark.proves("ATIP6-3.3-01", "ATIP6-3.4-01", "ATIP6-3.5-01")
def test_a_missing_description_is_an_error_only_in_strict_mode():
    """A7"""
    bare = {key: value for key, value in MINIMAL.items() if key != "description"}
    assert errors(bare) == ["format.missing-description"]
    assert errors(bare, "lenient") == []
    assert decode(bare).tool.description == "x"
    for field in ("name", "type", "description"):
        argument = {"name": "a", "type": "string", "description": "d"}
        del argument[field]
        assert (
            len(errors(document(commands={"c": {"description": "d", "arguments": [argument]}})))
            == 1
        )
    for field in ("name", "flags", "type", "description"):
        option = with_option()["globalOptions"][0]
        del option[field]
        assert len(errors(document(globalOptions=[option]))) == 1
    assert errors(document(commands={"c": {}})) == ["format.missing-description"]


@pytest.mark.proves("ATIP6-3.6-07", "ATIP6-3.6-08")
@pytest.mark.parametrize(
    ("estimate", "expected"),
    [
        ("free", []),
        ("high", []),
        ("none", ["format.cost-word"]),
        ("variable", ["format.cost-word"]),
        ("huge", ["format.cost-unknown"]),
    ],
)
def test_cost_words_of_both_versions_are_read(estimate, expected):
    """A8"""
    value = document(effects={"cost": {"estimate": estimate, "billable": True}})
    assert codes(value) == expected
    assert errors(value, "lenient") == []
    assert decode(value).tool.effects.cost.billable is True


@pytest.mark.proves("ATIP6-3.6-09")
@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("5s", (5, 5)),
        ("1-5s", (1, 5)),
        ("250ms", (0.25, 0.25)),
        ("2-3h", (7200, 10800)),
        ("instant", (0, 0)),
        ("PT1H30M", (5400, 5400)),
        ("P1D", (86400, 86400)),
        ("soon", None),
        ("5-1s", None),
        ("P", None),
        ("PT", None),
    ],
)
def test_durations_are_read_in_every_form(text, seconds):
    """A9"""
    assert parse_duration(text) == seconds
    value = document(effects={"duration": {"typical": text}})
    expected = "format.duration-unknown" if seconds is None else "format.duration-form"
    assert codes(value) == ([] if text in ("1-5s", "2-3h") else [expected])


def test_single_dash_long_flags_are_flags():
    """A10"""
    assert codes(with_option(flags=["-chdir"])) == []
    assert errors(with_option(flags=["chdir"])) == ["format.flag"]


def test_the_root_command_has_an_empty_name():
    """A11"""
    value = document(commands={"": {"description": "run it"}, "sub": {"description": "another"}})
    assert codes(value) == []
    assert decode(value).tool.find(("",)).description == "run it"


@pytest.mark.proves("ATIP6-3.3-02", "ATIP6-3.3-03")
def test_commands_are_found_by_path_at_any_depth():
    """A12"""
    leaf = {
        "description": "deep",
        "arguments": [{"name": n, "type": "string", "description": n} for n in ("first", "second")],
        "options": [],
        "effects": {"network": True},
        "examples": ["x a b c d"],
    }
    tree = leaf
    for name in reversed("abcd"):
        tree = {"description": name, "commands": {name: tree}}
    tool = decode(document(commands=tree["commands"])).tool
    found = tool.find(("a", "b", "c", "d"))
    assert [argument.name for argument in found.arguments] == ["first", "second"]
    assert found.effects.network is True
    assert found.examples == ("x a b c d",)
    assert tool.find(("a", "x")) is None
    assert [path for path, _ in tool.walk()] == [
        ("a",),
        ("a", "b"),
        ("a", "b", "c"),
        ("a", "b", "c", "d"),
    ]


def test_one_digest_type_with_one_bare_form():
    """A13, A14"""
    digest = find_digest(f"sha256:{HEX.upper()}")
    assert str(digest) == f"sha256:{HEX}"
    assert layout.hex_digits(str(digest)) == HEX


@pytest.mark.parametrize(
    "text", [f"sha256:{'g' * 64}", "sha256:abcd", HEX, f"md5:{HEX}", "sha256:...", 7, None]
)
def test_what_is_no_digest_is_refused(text):
    """A15"""
    assert find_digest(text) is None
    if isinstance(text, str):
        shim = document(binary={"hash": text})
        assert errors(shim) == ["format.hash"]
        assert errors(shim, "lenient") == []


def test_upper_case_digests_are_normalised():
    """A15"""
    shim = document(binary={"hash": f"sha256:{HEX.upper()}"})
    assert codes(shim) == ["format.hash-case"]
    assert decode(shim).tool.binary.hash == f"sha256:{HEX}"


def test_native_metadata_is_written_by_hash_and_read_by_both_names():
    """A16"""
    entry = {"hash": f"sha256:{HEX}", "source": "native"}
    assert layout.metadata_name(entry["hash"], "native") == f"tools/sha256-{HEX}.json"
    assert f"tools/gh-{HEX}.json" in layout.candidates("gh", entry)


def test_registry_sources_are_not_trust_sources():
    """A18"""
    from atip.model.reading.documents import judge

    entry = {
        "path": "/bin/x",
        "hash": f"sha256:{HEX}",
        "source": "manual",
        "lastChecked": "2026-01-15T10:30:00Z",
    }
    index = {"version": "2", "updated": "2026-01-15T10:30:00Z", "tools": {"x": entry}}
    assert judge(index).problems == ()
    entry["source"] = "community"
    assert [p.code for p in judge(index).problems] == ["format.entry-source"]
    assert errors(document(trust={"source": "manual"})) == ["format.value"]


@pytest.mark.parametrize(("level", "valid"), [(0, True), (4, True), (5, False), (-1, False)])
def test_slsa_levels_go_from_zero_to_four(level, valid):
    """A19"""
    assert (errors(document(trust={"provenance": {"slsaLevel": level}})) == []) is valid


@pytest.mark.parametrize(
    ("checksum", "expected"),
    [
        (f"sha256:{HEX}", []),
        (f"sha512:{HEX * 2}", []),
        (f"md5:{HEX[:32]}", ["format.checksum-algorithm"]),
        ("shake_128:00", ["format.checksum", "format.checksum-algorithm"]),
    ],
)
def test_only_sha2_checksums_can_be_verified(checksum, expected):
    """A22"""
    assert errors(document(trust={"integrity": {"checksum": checksum}})) == expected


def test_an_enum_needs_values():
    """A33"""
    assert errors(with_option(type="enum")) == ["format.enum-missing"]
    assert codes(with_option(type="enum", enum=["a", 2, 0.5])) == []
    assert codes(with_option(type="integer", enum=[1, 2])) == []
    assert errors(with_option(type="boolean", enum=["a"])) == ["format.enum-type"]


def test_variadic_options_are_kept():
    """A34"""
    option = decode(with_option(type="array", variadic=True)).tool.global_options[0]
    assert (option.type, option.variadic) == ("array", True)


@pytest.mark.proves(
    "ATIP1-3.2.1-02",
    "ATIP1-3.2.1-03",
    "ATIP1-3.2.2-01",
    "ATIP1-3.2.2-02",
    "ATIP1-3.2.2-03",
    "ATIP1-3.2.7-01",
)
def test_what_only_version_01_has_is_kept_and_used():
    """A35"""
    method = {"type": "token", "configPath": "~/.x", "scopes": ["repo"]}
    value = document(
        title="The X",
        license="MIT",
        commands={
            "c": {
                "description": "d",
                "authentication": {"required": True, "methods": [method]},
                "deprecated": True,
                "hidden": True,
                "options": [
                    {**with_option()["globalOptions"][0], "exclusive": ["p"], "pattern": "a+"}
                ],
            }
        },
    )
    assert codes(value) == []
    tool = decode(value).tool
    command = tool.find(("c",))
    assert (tool.title, tool.license) == ("The X", "MIT")
    assert command.authentication.methods[0].config_path == "~/.x"
    assert command.authentication.methods[0].scopes == ("repo",)
    assert (command.deprecated, command.hidden, command.options[0].exclusive) == (
        True,
        True,
        ("p",),
    )


@pytest.mark.proves("ATIP6-3.8-01", "ATIP6-3.8-02", "ATIP1-3.2.7-02")
@pytest.mark.parametrize(
    ("kind", "expected"),
    [(k, []) for k in ("token", "oauth", "api-key", "password", "certificate", "none")]
    + [("magic", ["format.auth-kind"])],
)
def test_authentication_types_are_the_union_of_all_versions(kind, expected):
    """A36"""
    method = {"type": kind, "envVar": "X_TOKEN", "setupCommand": "x login", "description": "a way"}
    value = document(
        authentication={"required": True, "methods": [method], "checkCommand": "x status"}
    )
    assert codes(value) == expected
    if not expected:
        auth = decode(value).tool.authentication
        assert (auth.required, auth.methods[0].setup_command) == (True, "x login")


@pytest.mark.proves("ATIP6-12.2-02", "ATIP6-12.2-06", "ATIP1-3.2.1-01", "ATIP1-9-03")
def test_unknown_fields_warn_and_reserved_prefixes_do_not():
    """A37"""
    assert (
        codes(
            document(
                **{
                    "x-acme": 1,
                    "_cached_at": 2,
                    "$schema": "s",
                    "_generated": True,
                    "_source": "help",
                }
            )
        )
        == []
    )
    problems = check_tool(document(globaloptions=[]), "strict")
    assert [(p.code, p.severity) for p in problems] == [("format.unknown-field", "warning")]
    assert "globalOptions" in problems[0].hint
    assert codes(document(**{"x-": 1})) == ["format.vendor-name"]
    kept = encode(decode(document(**{"_generated": True, "$schema": "s", "odd": 1})).tool)
    assert (kept["_generated"], kept["$schema"], kept["odd"]) == (True, "s", 1)


@pytest.mark.proves("ATIP6-12.2-04")
def test_an_extension_never_overrides_a_standard_field():
    from atip.model.effects import raised_by
    from atip.model.reading.decode import decode_effects

    option = with_option(**{"x-atip": {"effects": {"destructive": False, "network": True}}})
    own = decode(option).tool.global_options[0].own
    raised = raised_by(Effects(destructive=True, network=False), decode_effects(own["effects"]))
    assert (raised.destructive, raised.network) == (True, True)


@pytest.mark.proves("ATIP6-3.9-01", "ATIP6-3.9-02", "ATIP6-3.9-03", "ATIP6-3.9-04")
def test_undeclared_pattern_variables_are_reported():
    """A38"""
    steps = [{"command": "x {a} {b} {not an identifier}", "description": "do"}]
    pattern = {
        "name": "p",
        "description": "d",
        "steps": steps,
        "tags": ["t"],
        "variables": {"a": {"type": "string", "description": "d"}},
    }
    value = document(patterns=[pattern])
    assert codes(value) == ["format.undeclared-variable"]
    found = decode(value).tool.patterns[0]
    assert (found.steps[0].command, found.tags, found.variables["a"].type) == (
        steps[0]["command"],
        ("t",),
        "string",
    )
    for field in ("name", "description", "steps"):
        assert (
            len(errors(document(patterns=[{k: v for k, v in pattern.items() if k != field}]))) == 1
        )


def test_commands_inherit_effects_by_a_conservative_merge():
    """A42"""
    whole = Effects(network=True, idempotent=True)
    command = Effects(network=False, idempotent=False, filesystem=Filesystem(write=False))
    merged = join(command, whole)
    assert (merged.network, merged.idempotent, merged.filesystem.write) == (True, False, False)
    assert merged.destructive is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("g++", "warning"),
        ("python3.11", "warning"),
        ("7z.exe", "warning"),
        ("a/b", "error"),
        ("", "error"),
    ],
)
def test_names_with_dots_and_pluses_warn(name, expected):
    """A43"""
    assert [p.severity for p in check_tool(document(name=name), "strict")] == [expected]


@pytest.mark.proves("ATIP6-3.5-06")
def test_lower_case_environment_variables_warn():
    """A44"""
    value = with_option(envVar="http_proxy")
    assert (codes(value), errors(value)) == (["format.env-var"], [])
    assert decode(value).tool.global_options[0].env_var == "http_proxy"


def test_other_platforms_warn():
    """A45"""
    value = document(binary={"hash": f"sha256:{HEX}", "platform": "linux-riscv64-musl"})
    assert (codes(value), errors(value)) == (["format.platform"], [])


@pytest.mark.proves("ATIP6-3.2-05")
def test_advice_of_the_schema_only_warns():
    """A46"""
    assert codes(document(filter={"depth": None})) == []
    assert (codes(document(description="x" * 201)), errors(document(description="x" * 201))) == (
        ["format.long-description"],
        [],
    )
    assert codes(document(description="one\ntwo")) == ["format.multi-line"]


def test_paths_are_compared_by_component(tmp_path):
    """A47"""
    from atip.discovery.files.directories import choose_directories

    evil = tmp_path / "bin-evil"
    evil.mkdir(mode=0o777)
    evil.chmod(0o777)
    chosen = choose_directories(["bin", str(evil), "/usr/bin"])
    assert chosen.chosen == ("/usr/bin",)
    assert [skipped.reason for skipped in chosen.skipped] == ["relative", "world-writable"]


@pytest.mark.proves(
    "ATIP6-3.6-06", "ATIP6-3.6-11", "ATIP6-3.2.2-01", "ATIP6-3.2.2-03", "ATIP6-3.2.2-30"
)
def test_vocabularies_are_closed():
    for stdin in ("none", "optional", "required", "password"):
        assert codes(document(effects={"interactive": {"stdin": stdin}})) == []
    assert errors(document(effects={"interactive": {"stdin": "maybe"}})) == ["format.value"]
    for source in ("native", "vendor", "org", "community", "user", "inferred"):
        assert codes(document(trust={"source": source, "verified": True})) == []
    assert errors(document(trust={"source": "nobody"})) == ["format.value"]
    resources = decode(
        document(effects={"creates": ["a"], "modifies": ["b"], "deletes": []})
    ).tool.effects
    assert (resources.creates, resources.modifies, resources.deletes) == (("a",), ("b",), ())
    timed = {"shimIntegrity": {"lastVerified": "yesterday"}}
    assert errors(document(trust=timed)) == ["format.time"]
    timed["shimIntegrity"]["lastVerified"] = "2026-01-15T00:00:00Z"
    assert codes(document(trust=timed)) == []


def test_wrong_types_are_errors_in_every_mode():
    for mode in ("schema", "strict", "lenient"):
        assert errors(document(effects={"network": "yes"}), mode) == ["format.type"]
    assert decode_tool(document(effects={"network": None})).effects.network is None
    assert errors(document(effects={"network": None}), "lenient") == []
