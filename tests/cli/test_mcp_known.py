"""MCP servers of configured clients in `scan` and `list`: known, not started (ATIP 0.1 §3.4.1 step 5)."""

from __future__ import annotations

import json

import pytest

from tests.cli.run import atip


@pytest.mark.proves("ATIP1-3.4.1-90")
def test_configured_servers_are_listed_by_scan_and_list_and_not_started(tmp_path):
    programs = tmp_path / "bin"
    programs.mkdir()
    server = programs / "server"
    server.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n")
    server.chmod(0o755)
    (tmp_path / ".cursor").mkdir()
    entry = {"command": str(server), "args": ["--root", "/srv"], "env": {"TOKEN": "s3cret"}}
    (tmp_path / ".cursor/mcp.json").write_text(json.dumps({"mcpServers": {"files": entry}}))
    env = {"home": tmp_path, "PATH": str(programs)}
    for words in (("scan",), ("scan",), ("list",)):  # the second scan repeats the first
        ran = atip(*words, **env)
        assert ran.code == 0, ran.err
        assert "MCP servers (known, not started):" in ran.out and "files" in ran.out
        (told,) = atip(*words, "--json", **env).document["mcpServers"]
        assert (told["name"], told["client"], told["env"]) == ("files", "cursor", ["TOKEN"])
        assert "s3cret" not in ran.out
    assert not (tmp_path / "started").exists()
    assert "MCP" not in atip("scan", "--path", str(programs), **env).out
