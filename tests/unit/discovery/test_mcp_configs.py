"""Configured MCP servers are listed from every client's file, and nothing of them is leaked or started."""

from __future__ import annotations

import json
import os
import pathlib

import pytest

from atip.discovery.mcp.configs import ConfiguredMcpServer, read_mcp_configs
from atip.discovery.mcp.json_comments import without_comments
from atip.discovery.mcp.secrets import hide_login, hide_secrets
from atip.system.paths import find_places
from atip.toolbox import Toolbox

STDIO = {
    "command": "npx",
    "args": ["-y", "server-files", "/data"],
    "env": {"TOKEN": "s3cr3t-value"},
}


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def put(folder, relative, content):
    path = folder / relative
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return str(path)


def read(home, cwd=None, extra=()):
    return read_mcp_configs(find_places(home=str(home)), str(cwd or home), extra)


@pytest.mark.proves("ATIP1-3.4.1-03")
@pytest.mark.parametrize(
    ("client", "relative", "content"),
    [
        ("claude-code", ".claude.json", {"numStartups": 7, "mcpServers": {"files": STDIO}}),
        (
            "claude-desktop",
            ".config/Claude/claude_desktop_config.json",
            {"mcpServers": {"files": STDIO}},
        ),
        (
            "codex",
            ".codex/config.toml",
            '[mcp_servers.files]\ncommand = "npx"\nargs = ["-y", "server-files", "/data"]\n'
            'env = { TOKEN = "s3cr3t-value" }\n',
        ),
        (
            "gemini-cli",
            ".gemini/settings.json",
            '{// mine\n"mcpServers": {"files": ' + json.dumps(STDIO) + ",},}",
        ),
        ("cursor", ".cursor/mcp.json", {"mcpServers": {"files": STDIO}}),
        (
            "vscode",
            ".config/Code/User/mcp.json",
            '{"servers": {"files": ' + json.dumps(STDIO) + "} /* x */}",
        ),
        ("vscode", ".config/Code/User/settings.json", {"mcp": {"servers": {"files": STDIO}}}),
        ("windsurf", ".codeium/windsurf/mcp_config.json", {"mcpServers": {"files": STDIO}}),
    ],
)
def test_every_client_is_read(home, client, relative, content):
    path = put(home, relative, content)
    found = read(home)
    assert found.problems == ()
    assert found.servers == (
        ConfiguredMcpServer(
            client=client,
            name="files",
            transport="stdio",
            command="npx",
            args=("-y", "server-files", "/data"),
            env=("TOKEN",),
            path=path,
        ),
    )
    assert "s3cr3t-value" not in repr(found)


@pytest.mark.parametrize(
    ("relative", "content"),
    [
        (".mcp.json", {"mcpServers": {"here": STDIO}}),
        (".vscode/mcp.json", {"servers": {"here": STDIO}}),
        (".cursor/mcp.json", {"mcpServers": {"here": STDIO}}),
        (".codex/config.toml", '[mcp_servers.here]\ncommand = "x"\n'),
    ],
)
def test_project_files_are_found_from_below_and_marked(home, relative, content):
    project = home / "work" / "project"
    put(project, relative, content)
    (project / "src").mkdir()
    (server,) = read(home, project / "src").servers
    assert (server.name, server.scope) == ("here", "project")
    assert read(home, home / "work").servers == ()


def test_servers_of_one_project_in_the_users_file_count_there_only(home):
    projects = {str(home / "a"): {"mcpServers": {"a": STDIO}}, str(home / "b"): {"x": 1}}
    put(home, ".claude.json", {"projects": projects})
    for folder in ("a/src", "b", "ab"):
        (home / folder).mkdir(parents=True)
    assert [server.name for server in read(home, home / "a" / "src").servers] == ["a"]
    assert read(home, home / "b").servers == read(home, home / "ab").servers == ()


@pytest.mark.parametrize(
    ("client", "entry", "transport"),
    [
        (".cursor/mcp.json", {"url": "https://x/mcp"}, "http"),
        (".cursor/mcp.json", {"type": "sse", "url": "https://x/sse"}, "sse"),
        (".cursor/mcp.json", {"type": "streamable-http", "url": "https://x"}, "http"),
        (".cursor/mcp.json", {"type": "carrier-pigeon", "url": "https://x"}, "unknown"),
        (".gemini/settings.json", {"httpUrl": "https://x"}, "http"),
        (".gemini/settings.json", {"url": "https://x"}, "sse"),
    ],
)
def test_transport_is_told(home, client, entry, transport):
    put(home, client, {"mcpServers": {"x": entry}})
    assert read(home).servers[0].transport == transport


def test_codex_names_variables_and_disabled_servers(home):
    put(
        home,
        ".codex/config.toml",
        '[mcp_servers.far]\nurl = "https://x"\nbearer_token_env_var = "FAR_TOKEN"\n'
        'env_vars = ["LANG"]\nenabled = false\n'
        '[mcp_servers.far.env_http_headers]\nX-Key = "FAR_KEY"\n',
    )
    (server,) = read(home).servers
    assert server.env == ("LANG", "FAR_TOKEN", "FAR_KEY")
    assert server.enabled is False and server.to_json()["enabled"] is False


def test_configured_files_are_read_by_their_ending(home, tmp_path):
    put(home, "own.json", {"mcpServers": {"own": STDIO}})
    toml = put(tmp_path, "own.toml", '[mcp_servers.more]\ncommand = "x"\n')
    extra = ["~/own.json", toml, "relative.json", "/nowhere.json"]
    servers = read_mcp_configs(find_places(home=str(home)), str(home), extra).servers
    assert [(server.client, server.name) for server in servers] == [
        ("configured", "own"),
        ("configured", "more"),
    ]
    assert [(problem.path, problem.code) for problem in read(home, extra=extra).problems] == [
        ("relative.json", "mcp.relative-path"),
        ("/nowhere.json", "file.unreadable"),
    ]


@pytest.mark.parametrize(
    ("relative", "content", "code"),
    [
        (".cursor/mcp.json", "{", "format.syntax"),
        (".cursor/mcp.json", '{"mcpServers": {}, "mcpServers": {}}', "format.duplicate-key"),
        (".cursor/mcp.json", '{"mcpServers": {} /* no comments here */}', "format.syntax"),
        (".cursor/mcp.json", '{"a": ' + "[" * 100 + "]" * 100 + "}", "format.too-deep"),
        (".cursor/mcp.json", '{"mcpServers": [1]}', "mcp.table"),
        (".cursor/mcp.json", '{"mcpServers": {"x": {"args": []}}}', "mcp.entry"),
        (".cursor/mcp.json", '{"mcpServers": {"x": {"command": 1}}}', "mcp.entry"),
        (".cursor/mcp.json", '{"mcpServers": {"x": {"command": "c", "args": [1]}}}', "mcp.entry"),
        (".cursor/mcp.json", '{"mcpServers": {"\\u001b[2J": {"command": "c"}}}', "mcp.entry"),
        (".codex/config.toml", "[mcp_servers", "format.syntax"),
        (".codex/config.toml", "a = " + "[" * 5000 + "]" * 5000, "format.too-deep"),
    ],
)
def test_damaged_file_is_reported_and_the_others_are_read(home, relative, content, code):
    path = put(home, relative, content)
    put(home, ".claude.json", {"mcpServers": {"files": STDIO}})
    found = read(home)
    assert [server.name for server in found.servers] == ["files"]
    assert [(problem.path, problem.code) for problem in found.problems] == [(path, code)]


def test_pipe_or_device_under_the_name_is_not_opened(home):
    (home / "project").mkdir()
    os.mkfifo(home / "project" / ".mcp.json")
    (home / ".cursor").mkdir()
    (home / ".cursor" / "mcp.json").symlink_to("/dev/zero")
    found = read(home, home / "project")
    assert [problem.code for problem in found.problems] == ["mcp.not-a-file"] * 2


def test_files_are_never_rewritten(home):
    path = put(home, ".claude.json", {"mcpServers": {"files": STDIO}})
    before = (os.stat(path).st_mtime_ns, pathlib.Path(path).read_bytes())
    read(home)
    assert (os.stat(path).st_mtime_ns, pathlib.Path(path).read_bytes()) == before


def test_what_is_shown_holds_no_secret(home):
    entry = {
        "command": "npx",
        "args": ["mcp-remote", "https://me:pw@x.example/mcp?key=abc", "--api-key", "k123"],
    }
    put(home, ".cursor/mcp.json", {"mcpServers": {"far": entry}})
    shown = read(home).servers[0].to_json()
    assert shown["args"] == ["mcp-remote", "https://x.example/mcp?…", "--api-key", "…"]


@pytest.mark.parametrize(
    ("args", "shown"),
    [
        (["--port", "80", "-y"], ["--port", "80", "-y"]),
        (["--token=abc", "run"], ["--token=…", "run"]),
        (["--header", "Authorization: Bearer abc"], ["--header", "Authorization: …"]),
        (["-e", "API_KEY=abc"], ["-e", "API_KEY=…"]),
        (["ghp_0123456789abcdef0123"], ["…"]),
        (["a1" * 20], ["…"]),
        (["@modelcontextprotocol/server-everything"], ["@modelcontextprotocol/server-everything"]),
        (["/home/me/projects/2024/a-rather-long-path-to-a-server"],) * 2,
    ],
)
def test_secrets_in_arguments_are_hidden(args, shown):
    assert hide_secrets(args) == shown


def test_secrets_in_addresses_are_hidden():
    assert hide_login("https://x/mcp") == "https://x/mcp"
    assert hide_login("https://x/" + "a1" * 16 + "/mcp#t") == "https://x/…/mcp?…"
    assert hide_login("https://[") == "…"


def test_comments_go_and_strings_stay():
    text = '{"a": "// no /* x */ ,]", // yes\n "b": [1, 2, /* two\nlines */ ], "c\\"": 1,}'
    assert json.loads(without_comments(text)) == {"a": "// no /* x */ ,]", "b": [1, 2], 'c"': 1}
    assert without_comments(text).count("\n") == text.count("\n")
    assert without_comments('{"open') == '{"open'


def test_toolbox_and_list_show_them_only_when_there_are_any(home, monkeypatch, capsys):
    from atip.cli.main import main

    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "ATIP_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(home)
    assert main(["list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"tools": []}
    put(home, ".cursor/mcp.json", {"mcpServers": {"files": STDIO}})
    put(home, ".claude.json", "{")
    own = put(home, "own.json", {"mcpServers": {"own": STDIO}})
    put(home, ".config/agent-tools/config.json", {"mcpConfigs": [own]})
    os.chmod(home / ".config/agent-tools/config.json", 0o600)
    assert main(["list", "--json"]) == 0
    output = json.loads(capsys.readouterr().out)
    assert [server["name"] for server in output["mcpServers"]] == ["files", "own"]
    assert [problem["code"] for problem in output["mcpProblems"]] == ["format.syntax"]
    assert len(Toolbox(home=str(home)).mcp_servers().servers) == 2
