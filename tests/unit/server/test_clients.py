"""Entries in other people's files: one place changes, everything else stays, damage is refused."""

from __future__ import annotations

import json
import os
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atip.discovery.mcp.json_comments import without_comments
from atip.errors import AtipError, FormatError
from atip.server.configuration.clients import (
    CLIENTS,
    entry_of,
    find_client,
    plan_change,
    write_change,
)
from atip.server.configuration.json_edit import put_value
from atip.server.configuration.toml_edit import put_table

ENTRY = {"command": "/usr/bin/atip", "args": ["mcp", "serve"]}
JSONC = """\
// settings of mine
{
    "theme": "dark", // keep
    /* servers */
    "mcpServers": {
        "other": {"command": "x", "args": ["a,b", "{"]}, // theirs
    },
    "last": [1, 2, {"a": "}"}],
}
"""
TOML = """\
# mine
model = "o"

[mcp_servers.other]   # theirs
command = "x"
args = ["[not a table]"]

# about tools
[tools]
web = true
"""


@pytest.mark.parametrize("name", CLIENTS)
def test_every_client_gets_an_entry_that_our_own_reader_finds(tmp_path, name):
    from atip.discovery.mcp.configs import read_mcp_configs
    from atip.system.paths import find_places

    client = find_client(name)
    path = tmp_path / client.user
    change = plan_change(client, str(path), entry_of(client, "/usr/bin/atip", ["mcp", "serve"]))
    assert write_change(change) is None
    found = read_mcp_configs(find_places(home=str(tmp_path), cwd=str(tmp_path)), str(tmp_path))
    assert [(server.name, server.command, server.args) for server in found.servers] == [
        ("atip", "/usr/bin/atip", ("mcp", "serve"))
    ]
    assert found.problems == ()
    assert os.stat(path).st_mode & 0o777 == 0o600


def test_comments_spacing_and_other_entries_of_json_stay():
    after = put_value(JSONC, ("mcpServers", "atip"), ENTRY)
    kept = JSONC.splitlines()
    assert [line for line in after.splitlines() if line in kept] == kept
    assert '        "atip": {\n            "command": "/usr/bin/atip",' in after
    value = json.loads(without_comments(after))
    assert list(value["mcpServers"]) == ["other", "atip"]
    again = put_value(after, ("mcpServers", "atip"), {"command": "y"})
    assert json.loads(without_comments(again))["mcpServers"]["atip"] == {"command": "y"}
    assert "// theirs" in again


@pytest.mark.parametrize(
    "text",
    ["", "{}", "{ }\n", '{"a":1}', '{"mcpServers":{}}', '{"mcpServers": {"b": {}}}', '{\n\t"a": 1\n}\n',
     '{"a": 1, // x\n}', '\ufeff{"a": 1}'],
)  # fmt: skip
def test_json_of_any_spelling_takes_the_entry(text):
    after = put_value(text, ("mcpServers", "atip"), ENTRY)
    before = json.loads(without_comments(text.removeprefix("\ufeff")) or "{}")
    value = json.loads(without_comments(after.removeprefix("\ufeff")))
    assert value.pop("mcpServers")["atip"] == ENTRY
    before.pop("mcpServers", None)
    assert value == before


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(
    st.dictionaries(st.text(max_size=6), JSON_VALUES, max_size=4),
    st.sampled_from([None, 0, 2, "\t"]),
)
def test_only_the_entry_differs_in_any_json(document, indent):
    document.pop("mcpServers", None)
    text = json.dumps(document, indent=indent)
    after = json.loads(put_value(text, ("mcpServers", "atip"), ENTRY))
    assert after == {**document, "mcpServers": {"atip": ENTRY}}


def test_comments_and_other_tables_of_toml_stay():
    after = put_table(TOML, ("mcp_servers", "atip"), ENTRY)
    assert after.startswith(TOML)
    assert tomllib.loads(after) == {
        **tomllib.loads(TOML),
        "mcp_servers": {**tomllib.loads(TOML)["mcp_servers"], "atip": ENTRY},
    }
    moved = put_table(
        after + "\n# end\n[more]\nx = 1\n", ("mcp_servers", "atip"), {"command": 'a"b\\'}
    )
    assert tomllib.loads(moved)["mcp_servers"]["atip"] == {"command": 'a"b\\'}
    assert tomllib.loads(moved)["more"] == {"x": 1}
    assert "# end" in moved


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cursor", "{"),
        ("cursor", '{"a": 1, // no comments here\n}'),
        ("cursor", "[]"),
        ("gemini-cli", '{"a": }'),
        ("codex", "a = \n"),
        ("cursor", '{"mcpServers": []}'),
        ("codex", "mcp_servers = 3\n"),
    ],
)
def test_a_damaged_file_is_refused_and_left_alone(tmp_path, name, text):
    path = tmp_path / "file"
    path.write_text(text)
    with pytest.raises(FormatError) as caught:
        plan_change(find_client(name), str(path), ENTRY)
    assert caught.value.code.startswith("config.")
    assert path.read_text() == text


@pytest.mark.parametrize(
    "text", ['mcp_servers = {atip = {command = "x"}}\n', 'mcp_servers.atip.command = "x"\n']
)
def test_a_table_in_another_spelling_is_left_to_the_person(tmp_path, text):
    path = tmp_path / "config.toml"
    path.write_text(text)
    with pytest.raises(FormatError) as caught:
        plan_change(find_client("codex"), str(path), ENTRY)
    assert caught.value.code == "config.elsewhere"


def test_the_old_file_is_kept_its_mode_too_and_links_are_followed(tmp_path):
    real = tmp_path / "dotfiles.json"
    real.write_text('{"mcpServers": {"b": {"command": "b"}}}')
    real.chmod(0o640)
    link = tmp_path / ".cursor"
    link.mkdir()
    (link / "mcp.json").symlink_to(real)
    backup = write_change(plan_change(find_client("cursor"), str(link / "mcp.json"), ENTRY))
    assert backup is not None
    with open(backup) as file:
        assert file.read() == '{"mcpServers": {"b": {"command": "b"}}}'
    assert (link / "mcp.json").is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert set(json.loads(real.read_text())["mcpServers"]) == {"b", "atip"}


def test_a_file_that_changes_meanwhile_is_not_overwritten(tmp_path):
    path = tmp_path / "mcp.json"
    path.write_text("{}")
    change = plan_change(find_client("cursor"), str(path), ENTRY)
    path.write_text('{"a": 1}')
    with pytest.raises(AtipError) as caught:
        write_change(change)
    assert caught.value.code == "config.changed"
    assert path.read_text() == '{"a": 1}'


def test_a_second_time_changes_nothing(tmp_path):
    path = tmp_path / "mcp.json"
    path.write_text("{}")
    write_change(plan_change(find_client("cursor"), str(path), ENTRY))
    again = plan_change(find_client("cursor"), str(path), ENTRY)
    assert not again.changes
    assert write_change(again) is None
