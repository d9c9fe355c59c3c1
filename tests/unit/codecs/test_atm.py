"""ATM manifests: made, judged, read, and a tool as a manifest."""

from __future__ import annotations

import json
import typing

import jsonschema
import pytest

import atip
from atip.apis.manifests import fetch_offered, find_manifest, usable
from atip.codecs.apis.atm import decode, manifest_of, token_reduction
from atip.errors import FormatError, NotFoundError
from atip.model.operation import Api, AuthScheme, Operation
from atip.model.shapes.check_atm import check_manifest, checksum_of, savings_text
from atip.model.shapes.schema import schema_of
from tests.packages import package
from tests.simulators.api_server import Reply, api_server

if typing.TYPE_CHECKING:
    import pathlib

PATHS = {"runtime": "./codegen/runtime", "wrappers": "./codegen", "config": "./codegen.config.json"}


def minimal(**changes: typing.Any) -> dict[str, typing.Any]:
    return {
        "specVersion": "1.0.0",
        "codeMode": True,
        "name": "minimal",
        "description": "A manifest",
        "version": "1.0.0",
        "generated": "2026-01-02T03:04:05Z",
        "sources": {"custom": ["example"], "total": 1},
        "tools": {"total": 1, "bySource": {"example": 1}},
        "paths": PATHS,
        "capabilities": ["type-safety"],
        **changes,
    }


def codes(manifest: object, mode: typing.Any = "strict") -> set[str]:
    return {each.code for each in check_manifest(manifest, mode)}


def errors(manifest: object, mode: typing.Any = "strict") -> set[str]:
    return {each.code for each in check_manifest(manifest, mode) if each.severity == "error"}


def apis() -> list[Api]:
    one = Operation(name="get_it", original="getIt", summary="Get it", method="GET", path="/it", security=(("k",),))  # fmt: skip
    return [
        Api(name="Shop", kind="openapi", operations=(one,), schemes=(AuthScheme(name="k", type="bearer", description="Ask us"),)),
        Api(name="shop", kind="mcp", operations=(one.replace(security=()),)),
    ]  # fmt: skip


@pytest.mark.proves("ATM-6.2-01", "ATM-13-01")
def test_required_fields() -> None:
    assert check_manifest(minimal()) == []
    for field in minimal():
        told = minimal()
        del told[field]
        assert errors(told) == {"format.missing-field"}, field


@pytest.mark.proves("ATM-6.2-02", "ATM-7-01", "ATM-7-09")
def test_optional_fields_may_be_absent_and_the_schema_address_is_ignored() -> None:
    assert codes(minimal(**{"$schema": "anything"})) == set()
    assert codes(minimal(language="go")) == set()


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"specVersion": "1.0"}, "format.atm-version"),
        ({"version": "one"}, "format.atm-version"),
        ({"codeMode": False}, "format.atm-code-mode"),
        ({"name": "Upper"}, "format.atm-name"),
        ({"name": "9lives"}, "format.atm-name"),
        ({"name": "x" * 65}, "format.atm-name"),
        ({"description": ""}, "format.atm-description"),
        ({"description": "x" * 501}, "format.atm-description"),
        ({"generated": "yesterday"}, "format.time"),
        ({"paths": {"runtime": "a"}}, "format.missing-field"),
        ({"capabilities": []}, "format.too-few"),
        ({"capabilities": ["a", "a"]}, "format.atm-duplicate"),
        ({"sources": {"total": 0}}, "format.range"),
        ({"tokenReduction": {"reduction": 1.2}}, "format.range"),
        ({"auth": {"sources": {"example": {"types": ["magic"]}}}}, "format.atm-auth"),
    ],
)
@pytest.mark.proves("ATM-7-02", "ATM-7-03", "ATM-7-04", "ATM-7-05", "ATM-7-07", "ATM-7-08", "ATM-7-12", "ATM-9-02")  # fmt: skip
def test_wrong_fields_are_named(change: dict[str, typing.Any], code: str) -> None:
    assert code in errors(minimal(**change))
    if code not in {"format.atm-code-mode"}:
        assert code in codes(minimal(**change), "schema")


@pytest.mark.proves("ATM-7-06")
def test_description_of_several_lines_is_advised_against() -> None:
    found = check_manifest(minimal(description="a\nb"))
    assert [(each.code, each.severity) for each in found] == [("format.multi-line", "warning")]


@pytest.mark.proves("ATM-7-10", "ATM-7-11")
@pytest.mark.parametrize(
    "change",
    [
        {"sources": {"custom": ["example"], "total": 2}},
        {"tools": {"total": 5, "bySource": {"example": 1}}},
        {"tools": {"total": 1, "bySource": {"other": 1}}},
        {"sources": {"custom": ["example"], "mcp": ["example"], "total": 2}},
    ],
)
def test_sums_and_names_must_agree(change: dict[str, typing.Any]) -> None:
    assert errors(minimal(**change)) & {"format.atm-total", "format.atm-source", "format.atm-duplicate"}  # fmt: skip
    assert errors(minimal(**change), "schema") == set()


@pytest.mark.proves("ATM-11-01", "ATM-11-02", "ATM-3-06", "ATM-15.2-02")
def test_extensions_are_allowed_everywhere_and_unknown_fields_do_not_stop_a_reader() -> None:
    extended = minimal(**{"x-id": 1})
    extended["sources"]["x-team"] = "a"
    assert codes(extended) == set()
    odd = minimal()
    odd["sources"]["kind"] = "new"
    assert errors(odd) == {"format.atm-unknown-field"}
    assert errors(odd, "lenient") == set()


@pytest.mark.proves("ATM-12-01", "ATM-12-02", "ATM-12-03")
def test_versions_are_compatible_as_the_text_says() -> None:
    assert errors(minimal(specVersion="1.7.0", newField=1)) == set()
    newer = check_manifest(minimal(specVersion="2.0.0"))
    assert [(each.code, each.severity) for each in newer] == [("format.newer-protocol", "warning")]
    assert errors(minimal(specVersion="1.0.0-draft")) == set()


@pytest.mark.proves("ATM-16-01")
def test_credentials_in_a_manifest_are_an_error_even_when_lenient() -> None:
    told = minimal(auth={"required": False, "sources": {"example": {"types": ["bearer"], "token": "abc"}}})  # fmt: skip
    assert "format.atm-credential" in errors(told, "lenient")


@pytest.mark.proves("ATM-10-02")
def test_checksum_covers_everything_but_the_time_and_itself() -> None:
    told = minimal(metadata={"generatedBy": "x"})
    told["metadata"]["checksum"] = checksum_of(told)
    assert codes(told) == set()
    assert codes({**told, "generated": "2027-01-01T00:00:00Z"}) == set()
    assert errors({**told, "description": "B"}) == {"format.atm-checksum-mismatch"}


@pytest.mark.proves(
    "ATM-3-01", "ATM-3-04", "ATM-7-13", "ATM-7-14", "ATM-9-01", "ATM-15.1-01", "ATM-15.1-02", "ATM-15.1-03",
    "ATM-15.1-04", "ATM-15.1-05", "ATM-10-01",
)  # fmt: skip
def test_manifest_derives_what_can_be_derived() -> None:
    made = manifest_of(
        apis(),
        name="try",
        description="Two sources",
        generated="2026-01-02T03:04:05Z",
        paths=PATHS,
        tokens={"traditional": 1000, "codeMode": 12, "x-method": "m"},
    )
    assert check_manifest(made) == []
    assert made["sources"] == {"mcp": ["mcp-shop"], "openapi": ["shop"], "total": 2}
    assert made["tools"] == {"total": 2, "bySource": {"shop": 1, "mcp-shop": 1}}
    assert made["capabilities"][:3] == ["type-safety", "mcp-servers", "rest-apis"]
    assert made["auth"]["required"] is True
    assert made["auth"]["sources"]["shop"] == {
        "types": ["bearer"], "default": "bearer", "required": True, "instructions": "Ask us",
    }  # fmt: skip
    assert made["tokenReduction"] == {
        "traditional": 1000, "codeMode": 12, "reduction": 0.988, "savings": "98.8%",
    }  # fmt: skip
    assert "toolDefinitions" not in made
    jsonschema.validate(made, schema_of("atm"))


@pytest.mark.proves("ATM-8-01", "ATM-8-02", "ATM-8-03", "ATM-8-04")
def test_definitions_tell_every_tool_in_full() -> None:
    made = manifest_of(
        apis()[:1], name="t", description="d", generated="2026-01-02T03:04:05Z", paths=PATHS, definitions=True
    )  # fmt: skip
    assert check_manifest(made) == []
    assert made["toolDefinitions"]["shop"] == [
        {
            "name": "get_it",
            "description": "Get it",
            "inputSchema": {"type": "object", "properties": {}, "additionalProperties": False},
            "metadata": {
                "requiresAuth": True, "httpMethod": "GET", "httpPath": "/it", "x-original-name": "getIt",
            },
        }
    ]  # fmt: skip


def test_nothing_saved_is_not_told() -> None:
    assert token_reduction({"traditional": 10, "codeMode": 10}) is None
    assert token_reduction({"traditional": 10, "codeMode": 90}) is None


@pytest.mark.parametrize(("share", "text"), [(0.9879, "98.8%"), (0.9, "90.0%"), (0.9999, "99.99%"), (1.0, "100.0%")])  # fmt: skip
def test_savings_are_rounded_but_never_to_everything(share: float, text: str) -> None:
    assert savings_text(share) == text


@pytest.mark.proves("ATM-3-05", "ATM-14-01")
def test_validate_knows_a_manifest_by_its_content() -> None:
    assert atip.validate(minimal()) == []
    assert {each.code for each in atip.validate(minimal(codeMode=False))} == {"format.atm-code-mode"}  # fmt: skip


def test_tool_becomes_a_manifest_with_definitions_and_back() -> None:
    tool = atip.load(
        {
            "atip": "0.6",
            "name": "pen",
            "version": "1",
            "description": "Writes",
            "commands": {"write": {"description": "Write", "options": [{"name": "size", "flags": ["--size"], "type": "integer", "description": "how big"}]}},
        }
    )  # fmt: skip
    made = atip.convert(tool, to="atm").data
    assert [each for each in check_manifest(made) if each.severity == "error"] == []
    assert made["toolDefinitions"]["pen"][0]["name"] == "write"
    back = decode(made).tool
    assert back.commands is not None
    assert [option.name for option in back.commands["pen"].commands["write"].options] == ["size"]  # type: ignore[index, union-attr]


def test_manifest_that_only_counts_cannot_become_a_tool() -> None:
    with pytest.raises(FormatError) as caught:
        decode(minimal())
    assert caught.value.code == "atm.no-definitions"


@pytest.mark.proves("ATM-5.1-01", "ATM-5.3-01")
def test_manifest_is_found_in_the_order_of_the_text(tmp_path: pathlib.Path) -> None:
    with pytest.raises(NotFoundError):
        find_manifest(str(tmp_path))
    for name in ("shop.agent-ready.json", "agent-ready.json", ".agent-ready.json"):
        (tmp_path / name).write_text("{}")
        assert find_manifest(str(tmp_path)) == str(tmp_path / name)
    assert find_manifest(str(tmp_path / "shop.agent-ready.json")).endswith("shop.agent-ready.json")


@pytest.mark.proves("ATM-5.2-01", "ATM-15.2-01", "ATM-15.2-03", "ATM-16-03")
def test_manifest_of_a_web_api_is_judged_before_it_is_used() -> None:
    package("httpcore2")
    from atip.system.network.http_addresses import Access

    with api_server() as server:
        access = Access(private=(server.base,))
        server.answer = lambda _request: Reply(body=minimal())
        assert usable(fetch_offered(server.base, access=access)[1])["name"] == "minimal"
        assert server.requests[-1].target == "/.well-known/agent-ready.json"
        server.answer = lambda _request: Reply(body=minimal(codeMode=False))
        with pytest.raises(FormatError) as caught:
            usable(fetch_offered(server.base, access=access)[1])
        assert caught.value.code == "atm.invalid"
        server.answer = lambda _request: Reply(status=404, body={})
        with pytest.raises(NotFoundError):
            fetch_offered(server.base, access=access)
    assert usable(minimal(), "type-safety")
    with pytest.raises(FormatError) as caught:
        usable(minimal(), "graphql-apis")
    assert caught.value.code == "atm.capability"


def test_published_schema_accepts_what_we_make() -> None:
    made = manifest_of(apis(), name="t", description="d", generated="2026-01-02T03:04:05Z", paths=PATHS)  # fmt: skip
    jsonschema.validate(json.loads(json.dumps(made)), schema_of("atm"))
