"""The local store: layout, look-up, migration, damage."""

from __future__ import annotations

import json
import os
import pathlib

import pytest

from atip.errors import AtipError, FormatError, NotFoundError
from atip.model.reading.documents import judge
from atip.registry import layout
from atip.registry.settings import load_settings
from atip.registry.store import Store
from atip.system.paths import find_places
from atip.toolbox import Toolbox

HEX = "ab" * 32
DOCUMENT = {"atip": {"version": "0.6"}, "name": "gh", "version": "2", "description": "GitHub"}


@pytest.fixture
def store(tmp_path):
    return Store(find_places(home=str(tmp_path), cwd=str(tmp_path)))


def entry(**fields):
    return {
        "path": "/usr/bin/gh",
        "hash": f"sha256:{HEX}",
        "source": "native",
        "lastChecked": "2026-01-15T10:30:00Z",
        **fields,
    }


@pytest.mark.proves("ATIP6-4.2-01", "ATIP6-4.2-05", "ATIP1-3.3.1-04")
def test_places_follow_xdg_and_our_own_variable(tmp_path):
    env = {"XDG_DATA_HOME": "/d", "XDG_CONFIG_HOME": "/c", "XDG_CACHE_HOME": "/k"}
    places = find_places(env, cwd="/")
    assert (places.data, places.config, places.cache) == (
        "/d/agent-tools",
        "/c/agent-tools",
        "/k/agent-tools",
    )
    assert find_places({**env, "ATIP_CACHE_DIR": "/mine"}, cwd="/").cache == "/mine"
    home = find_places(home=str(tmp_path), cwd="/")
    assert home.data == f"{tmp_path}/.local/share/agent-tools"
    relative = find_places({"XDG_DATA_HOME": "relative"}, cwd="/")
    assert os.path.isabs(relative.data)


@pytest.mark.proves("ATIP6-4.3-01", "ATIP6-4.3-02", "ATIP6-4.3-03", "ATIP6-4.3-04")
def test_the_index_is_the_one_of_the_text(store):
    store.put({"gh": entry(), "curl": entry(source="shim", shimRegistry="https://atip.dev")})
    index = json.loads(pathlib.Path(f"{store.places.data}/registry.json").read_text())
    assert index["version"] == "2"
    assert set(index["agent"]) == {"name", "version"}
    assert judge(index, kind="registry").problems == ()
    assert "description" not in index["tools"]["gh"]


@pytest.mark.proves("ATIP6-4.2-02", "ATIP6-4.2-03", "ATIP6-4.3-07")
@pytest.mark.parametrize(
    ("source", "name"),
    [("native", f"tools/sha256-{HEX}.json"), ("shim", f"shims/sha256/{HEX}.json")],
)
def test_metadata_is_kept_by_hash(store, source, name):
    digest = store.save_metadata(layout.metadata_name(f"sha256:{HEX}", source), DOCUMENT)
    assert os.path.exists(os.path.join(store.places.data, name))
    found = entry(source=source, **{"x-atip": {"metadataHash": digest}})
    store.put({"gh": found})
    assert store.load_metadata("gh", found) == DOCUMENT


@pytest.mark.proves("ATIP6-4.3-05")
def test_an_unknown_name_yields_nothing(tmp_path):
    box = Toolbox(home=str(tmp_path))
    assert box.find("nothing") is None
    with pytest.raises(NotFoundError) as caught:
        box.get("nothing")
    assert caught.value.code == "tool.not-found"


@pytest.mark.proves("ATIP1-3.3.1-01", "ATIP1-3.3.2-01", "ATIP1-3.3.2-02", "ATIP1-3.5.2-01")
def test_layouts_of_version_01_are_read_and_migrated_on_write(store):
    """A17"""
    data = store.places.data
    os.makedirs(f"{data}/tools")
    os.makedirs(f"{data}/shims")
    record = {
        "tool": "gh",
        "version": "2",
        "atipVersion": "0.1",
        "cachedAt": "2026-01-05T10:30:00Z",
        "expiresAt": "2026-01-12T10:30:00Z",
        "checksum": "sha256:x",
        "metadata": DOCUMENT,
    }
    pathlib.Path(f"{data}/tools/gh.json").write_text(json.dumps(record))
    pathlib.Path(f"{data}/shims/curl.json").write_text(json.dumps({**DOCUMENT, "name": "curl"}))
    old = {
        "version": "0.1",
        "updated": "2026-01-05T10:30:00Z",
        "tools": {
            "gh": {
                "path": "/usr/bin/gh",
                "version": "2",
                "atipVersion": "0.1",
                "source": "native",
                "metadataPath": "./tools/gh.json",
                "lastChecked": "2026-01-05T10:30:00Z",
            },
            "curl": {
                "path": "/usr/bin/curl",
                "version": "8",
                "source": "shim",
                "shimPath": "./shims/curl.json",
                "lastChecked": "2026-01-05T10:30:00Z",
            },
        },
    }
    pathlib.Path(f"{data}/registry.json").write_text(json.dumps(old))
    index = store.load_index()
    assert store.load_metadata("gh", index["tools"]["gh"]) == DOCUMENT
    assert store.load_metadata("curl", index["tools"]["curl"])["name"] == "curl"
    store.put({"x": entry(source="manual")})
    assert json.loads(pathlib.Path(f"{data}/registry.json").read_text())["version"] == "2"
    assert set(store.load_index()["tools"]) == {"gh", "curl", "x"}


def test_an_entry_cannot_point_outside_the_store(store, tmp_path):
    secret = tmp_path / "secret.json"
    secret.write_text(json.dumps(DOCUMENT))
    for path in (str(secret), "../../../secret.json", "tools/../../../../secret.json"):
        with pytest.raises(NotFoundError):
            store.load_bytes("gh", {"metadataPath": path})


def test_one_flipped_byte_in_any_stored_file_is_noticed(store):
    name = layout.metadata_name(f"sha256:{HEX}", "native")
    digest = store.save_metadata(name, DOCUMENT)
    found = entry(**{"x-atip": {"metadataHash": digest}})
    store.put({"gh": found})
    path = os.path.join(store.places.data, name)
    whole = pathlib.Path(path).read_bytes()
    for position in range(len(whole)):
        pathlib.Path(path).write_bytes(
            whole[:position] + bytes([whole[position] ^ 1]) + whole[position + 1 :]
        )
        with pytest.raises(FormatError) as caught:
            store.load_bytes("gh", found)
        assert caught.value.code == "store.corrupt"
    assert os.listdir(os.path.join(store.places.data, "quarantine"))


@pytest.mark.parametrize("name", [f"{HEX}.json", f"{HEX}.gh.json"])
def test_a_shim_about_another_binary_than_its_name_says_is_quarantined(store, name):
    path = pathlib.Path(store.places.data, "shims/sha256", name)
    path.parent.mkdir(parents=True)
    found = entry(source="shim", metadataPath=f"shims/sha256/{name}")
    path.write_text(json.dumps({**DOCUMENT, "binary": {"hash": f"sha256:{HEX.upper()}"}}))
    assert store.load_metadata("gh", found)["description"] == "GitHub"
    path.write_text(json.dumps({**DOCUMENT, "binary": {"hash": "sha256:" + "cd" * 32}}))
    with pytest.raises(FormatError) as caught:
        store.load_metadata("gh", found)
    assert caught.value.code == "store.wrong-binary"
    assert str(path) in caught.value.message and "binary.hash" in caught.value.hint
    assert [kept.endswith(name) for kept in os.listdir(f"{store.places.data}/quarantine")] == [True]
    with pytest.raises(NotFoundError):
        store.load_metadata("gh", found)


def test_a_shim_by_name_about_another_version_is_left_where_it_is(store):
    path = pathlib.Path(store.places.data, "shims/gh.json")
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({**DOCUMENT, "binary": {"hash": "sha256:" + "cd" * 32}}))
    with pytest.raises(NotFoundError):
        store.load_metadata("gh", entry(source="shim"))
    assert path.exists()


def test_a_damaged_index_is_quarantined_with_a_message(store):
    store.put({"gh": entry()})
    path = f"{store.places.data}/registry.json"
    pathlib.Path(path).write_text('{"version": "2", "tools"')
    with pytest.raises(FormatError) as caught:
        store.load_index()
    assert caught.value.code == "store.corrupt"
    assert "atip scan" in caught.value.hint
    assert store.load_index()["tools"] == {}


@pytest.mark.proves("ATIP1-4-01")
def test_all_agents_of_a_user_see_one_index(store):
    other = Store(store.places)
    store.put({"gh": entry()})
    other.put({"jq": entry()})
    assert set(store.load_index()["tools"]) == set(other.load_index()["tools"]) == {"gh", "jq"}


@pytest.mark.proves("ATIP1-4-02")
def test_an_update_that_cannot_be_renamed_into_place_changes_nothing(store, monkeypatch):
    store.put({"gh": entry()})
    path = pathlib.Path(store.places.data) / "registry.json"
    before = path.read_bytes()

    def refused(source, target):
        assert pathlib.Path(source).parent == pathlib.Path(target).parent
        assert b'"jq"' in pathlib.Path(source).read_bytes()
        raise OSError(5, "input/output error")

    with monkeypatch.context() as patch:
        patch.setattr("atip.system.files.os.replace", refused)
        with pytest.raises(AtipError):
            store.put({"jq": entry()})
    assert path.read_bytes() == before
    assert [one.name for one in path.parent.iterdir() if one.name.startswith(".atip-tmp-")] == []


@pytest.mark.proves("ATIP6-10.1-01", "ATIP1-4-03")
def test_every_write_changes_the_stamp_and_reading_takes_no_lock(store):
    import fcntl

    store.put({"gh": entry()})
    first = store.stamp()
    store.forget(["gh"])
    assert store.stamp() > first
    with open(f"{store.places.data}/.lock") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert store.load_index()["version"] == "2"


@pytest.mark.proves("ATIP6-4.2-06")
def test_settings_are_closed_and_must_be_ours(tmp_path):
    places = find_places(home=str(tmp_path), cwd=str(tmp_path))
    os.makedirs(places.config)
    assert load_settings(places, "config") == {}
    path = f"{places.config}/config.json"
    pathlib.Path(path).write_text('{"denny": ["rm"]}')
    with pytest.raises(FormatError) as caught:
        load_settings(places, "config")
    assert caught.value.code == "format.closed-field"
    assert "deny" in caught.value.hint
    pathlib.Path(path).write_text('{"deny": ["rm"]}')
    assert load_settings(places, "config") == {"deny": ["rm"]}
    os.chmod(path, 0o666)
    with pytest.raises(AtipError) as unsafe:
        load_settings(places, "config")
    assert unsafe.value.code == "settings.unsafe-file"
    registries = {"registries": [{"name": "n", "url": "https://x.org"}]}
    pathlib.Path(f"{places.config}/registries.json").write_text(json.dumps(registries))
    assert load_settings(places, "registries") == registries


def large(source: str) -> dict:
    operations = {f"op{number}": {"description": "Do it"} for number in range(40)}
    commands = {f"s{n}": {"description": "One", "commands": operations} for n in range(30)}
    return {**DOCUMENT, "trust": {"source": source}, "commands": {**commands, "x": {}}}


@pytest.mark.proves("ATIP6-3.1.1-16")
def test_of_a_large_tool_the_overview_is_kept_and_each_branch_apart(store):
    document = large("inferred")
    relative = layout.metadata_name(HEX, "inferred")
    digest = store.save_metadata(relative, document)
    known = entry(source="inferred", **{"x-atip": {"metadataHash": digest}})
    kept = pathlib.Path(store.places.data, relative)
    overview = json.loads(kept.read_text())
    assert overview["partial"] and overview["totalCommands"] == 30 * 40 + 1
    assert store.load_metadata("gh", known) == document
    part = store.load_metadata("gh", known, ["s3", "op1"])
    assert part["commands"]["s3"] == document["commands"]["s3"]
    assert "commands" not in part["commands"]["s4"]
    # Without the proof that these are our bytes, no file that they name is read.
    unproven = store.load_metadata("gh", entry(source="inferred"))
    assert unproven["partial"] and "commands" not in unproven["commands"]["s3"]


def test_a_damaged_branch_is_noticed_and_a_missing_one_too(store):
    relative = layout.metadata_name(HEX, "inferred")
    digest = store.save_metadata(relative, large("inferred"))
    known = entry(source="inferred", **{"x-atip": {"metadataHash": digest}})
    (branch,) = pathlib.Path(store.places.data, "branches").iterdir()  # all alike: one file
    branch.write_bytes(branch.read_bytes().replace(b"Do it", b"do it"))
    with pytest.raises(FormatError) as damaged:
        store.load_metadata("gh", known, ["s3"])
    assert damaged.value.code == "store.corrupt" and not branch.exists()
    with pytest.raises(NotFoundError):
        store.load_metadata("gh", known, ["s3"])


@pytest.mark.parametrize("source", ["native", "community", "org"])
def test_what_somebody_else_wrote_stays_one_document(store, source):
    relative = layout.metadata_name(HEX, "shim")
    store.save_metadata(relative, large(source))
    assert json.loads(pathlib.Path(store.places.data, relative).read_text()) == large(source)
    assert not os.path.exists(os.path.join(store.places.data, "branches"))


NAMES = ["gh", "g", "gh:{", 'a"b', "tools", "version", "ünï", "x\\n", "h"]


def test_one_entry_is_found_as_in_the_whole_index(store):
    nested = {name: {"path": "/x", "tools": {"gh": {"path": "/wrong"}}} for name in NAMES}
    entries = {name: {**entry(), "note": f'\n"{name}":{{', "x-atip": nested} for name in NAMES[1:]}
    store.put(entries)
    whole = store.load_index()["tools"]
    assert whole == entries
    assert {name: store.find(name) for name in NAMES} == {name: whole.get(name) for name in NAMES}


def test_an_index_of_no_tools_is_read_by_name_too(store):
    store.put({"gh": entry()})
    store.forget(["gh"])
    assert store.find("gh") is None
    assert store.load_index()["tools"] == {}


@pytest.mark.parametrize("indent", [None, 0, 2])
def test_an_index_that_another_agent_wrote_is_read_as_a_whole(store, indent):
    store.put({"gh": entry(), "jq": {**entry(), "x-other": {"gh": {"path": "/wrong"}}}})
    path = pathlib.Path(store.places.data, "registry.json")
    index = json.loads(path.read_text())
    path.write_text(
        json.dumps({"tools": dict(reversed(index["tools"].items())), **index}, indent=indent)
    )
    assert store.find("gh") == entry()
    assert store.find("no-such") is None


def test_a_damaged_line_is_quarantined_when_it_is_looked_up(store):
    store.put({"gh": entry()})
    path = pathlib.Path(store.places.data, "registry.json")
    path.write_bytes(path.read_bytes().replace(b'"gh":{', b'"gh":{{'))
    with pytest.raises(FormatError) as caught:
        store.find("gh")
    assert caught.value.code == "store.corrupt"
