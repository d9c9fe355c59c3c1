"""Loading a bundle: companions, depth, references that leave it, tools that ask for more."""

from __future__ import annotations

import pytest

from atip.bundles.documents.loading import find_bundles, load_bundle
from atip.codecs.climd.document import render_document
from atip.errors import FormatError, NotFoundError
from tests.simulators.bundle_host import MANIFEST, make_bundle, write_bundle

SECRETS = {
    "secrets": [
        {
            "slug": "demo-token",
            "name": "Token",
            "description": "For demo.",
            "exposures": [{"kind": "env", "name": "DEMO_TOKEN", "field": "value"}],
        }
    ]
}


@pytest.mark.proves("AIP29-LOCATION-01", "AIP29-AUTH-01", "AIP29-COMPAT-02")
def test_folder_with_all_companions_loads(tmp_path):
    intent = {
        "name": "Show all",
        "id": "demo.show",
        "label": "Show",
        "description": "Shows.",
        "version": "1.0.0",
        "intent": ["show everything"],
        "surfaces": ["chat"],
        "implements": [{"tool": "./tools/list/TOOL.md"}],
    }
    extra = {
        "SECRETS.md": render_document(SECRETS),
        "RUNNER.md": render_document({"engine": "subprocess"}),
        "intents/show/INTENT.md": render_document(intent),
        "README.md": "more",
        "cli.py": "raise SystemExit('never loaded')",
    }
    bundle = make_bundle(
        tmp_path / "demo",
        extra=extra,
        auth={"ref": "./SECRETS.md"},
        runner="./RUNNER.md",
        intents=[{"ref": "./intents/show/INTENT.md"}],
    )
    assert bundle.key == "demo@1"
    assert bundle.exposures() == {"DEMO_TOKEN": ("demo-token", "value")}
    assert bundle.engine == "subprocess"
    assert [ref for ref, _ in bundle.intents] == ["./intents/show/INTENT.md"]
    assert {path for path, _ in bundle.digests} >= {"CLI.md", "SECRETS.md", "tools/list/TOOL.md"}


@pytest.mark.proves("AIP29-LOCATION-03", "AIP29-LOCATION-04")
@pytest.mark.parametrize("place", ["demo", "cloud/demo", "a/b/c/d/demo"])
def test_depth_has_no_meaning(tmp_path, place):
    folder = write_bundle(tmp_path / ".cli" / place)
    found = list(find_bundles(str(tmp_path)))
    assert found == [str(folder)]
    assert load_bundle(found[0]).key == "demo@1"
    assert load_bundle(found[0] + "/CLI.md").tools[0].path == ("list",)


def test_folder_without_a_manifest_is_not_found(tmp_path):
    with pytest.raises(NotFoundError):
        load_bundle(str(tmp_path))


@pytest.mark.proves("AIP29-SECURITY-01")
@pytest.mark.parametrize("ref", ["../other/TOOL.md", "/etc/passwd", "./tools/link/TOOL.md"])
def test_reference_out_of_the_bundle_is_refused(tmp_path, ref):
    outside = tmp_path / "other"
    outside.mkdir()
    (outside / "TOOL.md").write_text("---\na: 1\n---\n")
    folder = write_bundle(tmp_path / "demo", commands={"x": ref})
    (folder / "tools" / "link").symlink_to(outside)
    with pytest.raises(FormatError) as caught:
        load_bundle(str(folder))
    assert "climd.outside" in [problem.code for problem in caught.value.problems]


def test_missing_tool_warns_leniently_and_fails_strictly(tmp_path):
    folder = write_bundle(tmp_path / "demo", commands={"x": "./tools/x/TOOL.md"})
    bundle = load_bundle(str(folder))
    assert [problem.code for problem in bundle.problems] == ["climd.missing-document"]
    assert bundle.tools[0].template == ("x",)
    with pytest.raises(FormatError):
        load_bundle(str(folder), strict=True)


@pytest.mark.proves("AIP29-INHERIT-01", "AIP29-INHERIT-02")
def test_tool_has_the_sandbox_of_its_bundle_or_less(tmp_path):
    sandbox = {**MANIFEST["sandbox"], "fs": {"read": ["./**"], "write": ["./**"]}}
    plain = make_bundle(tmp_path / "demo", sandbox=sandbox)
    assert plain.requested_by(plain.tools[0]) == plain.requested
    tool = {"metadata": {"sandbox": {"fs": {"write": []}}}}
    narrowed = make_bundle(tmp_path / "demo", tool=tool, sandbox=sandbox)
    assert narrowed.requested_by(narrowed.tools[0]).fs_write == ()
    assert narrowed.requested_by(narrowed.tools[0]).fs_read == narrowed.requested.fs_read


@pytest.mark.proves("AIP29-INHERIT-03")
@pytest.mark.parametrize(
    "block",
    [
        {"network": {"egress": ["example.com"]}},
        {"fs": {"write": ["./**"]}},
        {"fs": {"read": ["/etc/**"]}},
        {"exec": {"allow": True}},
        {"env": {"pass": ["TOKEN"]}},
        {"Network": {}},
    ],
)
@pytest.mark.parametrize("place", ["sandbox", "metadata"])
def test_tool_that_asks_for_more_is_refused_at_load(tmp_path, block, place):
    tool = {"sandbox": block} if place == "sandbox" else {"metadata": {"sandbox": block}}
    with pytest.raises(FormatError):
        make_bundle(tmp_path / "demo", tool=tool)


@pytest.mark.proves("AIP29-ARGV-01")
def test_template_may_stand_in_a_driver(tmp_path):
    driver = {
        "name": "d",
        "id": "demo-driver",
        "description": "d",
        "version": "1.0.0",
        "kind": "cli",
        "implements": [
            {
                "tool": "./tools/list/TOOL.md",
                "version": "^1",
                "metadata": {"cli": {"argv": ["ls", "${input.name}"]}},
            }
        ],
    }
    bundle = make_bundle(
        tmp_path / "demo", tool={"runner": {}}, extra={"DRIVER.md": render_document(driver)}
    )
    assert bundle.tools[0].template == ("ls", "${input.name}")


@pytest.mark.proves("AIP29-OPTIONAL-04", "AIP29-COMPAT-03")
@pytest.mark.parametrize(
    ("runner", "engine"),
    [
        (None, "subprocess"),
        ({"engine": "docker", "image": "x"}, "sandbox"),
        ({"engine": "sandbox"}, "sandbox"),
        ({"engine": "in-process"}, "subprocess"),
    ],
)
def test_engine_of_the_bundle_holds_for_every_tool(tmp_path, runner, engine):
    assert make_bundle(tmp_path / "demo", runner=runner).engine == engine


@pytest.mark.proves("AIP29-IDENTITY-01", "AIP29-IDENTITY-02")
def test_majors_of_one_id_are_two_bundles(tmp_path):
    one = make_bundle(tmp_path / "a" / "demo", version="1.9.0")
    two = make_bundle(tmp_path / "b" / "demo", version="2.0.0")
    assert (one.key, two.key) == ("demo@1", "demo@2")


@pytest.mark.proves("AIP29-LOCATION-02")
def test_other_folder_name_is_reported(tmp_path):
    bundle = make_bundle(tmp_path / "elsewhere")
    assert [problem.code for problem in bundle.problems] == ["climd.folder-name"]


def test_unknown_command_names_the_nearest(tmp_path):
    bundle = make_bundle(tmp_path / "demo")
    with pytest.raises(NotFoundError) as caught:
        bundle.get(["lst"])
    assert "list" in caught.value.hint
    assert bundle.get(["demo.list"]).path == ("list",)
