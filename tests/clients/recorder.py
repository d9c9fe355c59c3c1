"""Records what a client really sends to its hook: a program in the place of ours that keeps a copy and passes everything on.

    python -m tests.clients.recorder CLIENT…

writes `conformance/hooks/recorded/CLIENT.jsonl`, one line for each call with what was answered; folders of the run are replaced by `/home/u`.
"""

from __future__ import annotations

import json
import pathlib
import sys
import tempfile
import typing

from atip.cli.guard.installation.installing import trusted_hash
from tests.clients.drivers import DRIVERS, Driver
from tests.clients.world import ROOT, World
from tests.simulators.models.script import ToolCall

if typing.TYPE_CHECKING:
    from collections.abc import Sequence

FOLDER = ROOT / "conformance/hooks/recorded"
HOME = "/home/u"
OWN = pathlib.Path(sys.executable).parent / "atip"
MODES = {
    "claude-code": ("default", "bypassPermissions"),
    "codex": ("exec, danger-full-access", "untrusted"),
    "gemini-cli": ("yolo",),
    "opencode": ("build, auto",),
}
MCP = {
    "claude-code": "mcp__atip__{}",
    "codex": "mcp__atip/{}",
    "gemini-cli": "mcp_atip_{}",
    "opencode": "atip_{}",
}
"""How each client names the tools of our server."""
_PROGRAM = """#!{python}
import json, subprocess, sys
given = sys.stdin.buffer.read()
done = subprocess.run(["{atip}", *sys.argv[1:]], input=given, stdout=subprocess.PIPE)
with open("{root}/calls.jsonl", "a") as file:
    file.write(json.dumps({{"in": given.decode(), "out": done.stdout.decode()}}) + "\\n")
sys.stdout.buffer.write(done.stdout)
sys.exit(done.returncode)
"""


def steps_of(name: str, work: str) -> list[str | ToolCall]:
    """One call of each tool that is judged."""
    readme, new = f"{work}/README.md", f"{work}/new.txt"
    other: dict[str, list[ToolCall]] = {
        "claude-code": [
            ToolCall("Read", {"file_path": readme}),
            ToolCall("Write", {"file_path": new, "content": "x"}),
            ToolCall("Edit", {"file_path": new, "old_string": "x", "new_string": "y"}),
            ToolCall("WebFetch", {"url": "https://example.com/a", "prompt": "title"}),
        ],
        "codex": [],
        "gemini-cli": [
            ToolCall("read_file", {"file_path": readme}),
            ToolCall("grep_search", {"pattern": "hello"}),
            ToolCall("write_file", {"file_path": new, "content": "x"}),
            ToolCall("replace", {"file_path": new, "instruction": "x", "old_string": "x", "new_string": "y"}),
            ToolCall("web_fetch", {"prompt": "the title of https://example.com/a"}),
        ],
        "opencode": [
            ToolCall("read", {"filePath": readme}),
            ToolCall("grep", {"pattern": "hello"}),
            ToolCall("glob", {"pattern": "*.md"}),
            ToolCall("write", {"filePath": new, "content": "x"}),
            ToolCall("edit", {"filePath": new, "oldString": "x", "newString": "y"}),
            ToolCall("webfetch", {"url": "https://example.com/a", "format": "text"}),
        ],
    }  # fmt: skip
    mcp = ToolCall(MCP[name].format("find"), {"query": "list files"})
    return ["git status --short", "git push origin HEAD", *other[name], mcp]


def record(driver: Driver, root: pathlib.Path, modes: Sequence[str]) -> list[dict[str, typing.Any]]:
    """What the hook got on standard input, in order, and what it said."""
    world = World(root, driver.own_state)
    world.atip("mcp", "config", driver.name, "--write")
    world.atip("guard", "install", driver.name)
    recorder = root / "atip"
    recorder.write_text(_PROGRAM.format(python=sys.executable, root=root, atip=OWN))
    recorder.chmod(0o755)
    _put_between(world, str(recorder))
    for mode in modes:
        driver.run(world, driver.script(steps_of(driver.name, str(world.work))), mode)
    text = (root / "calls.jsonl").read_text()
    for path, name in (
        (str(world.home), HOME),
        (str(root), "/run"),
        (str(world.home).replace("/", "-"), HOME.replace("/", "-")),
        (str(OWN), "/usr/bin/atip"),
        (sys.executable, "/usr/bin/python3"),
    ):
        text = text.replace(path, name)
    found = [json.loads(line) for line in text.splitlines()]
    return [
        {"input": json.loads(each["in"]), "says": said(json.loads(each["out"]))} for each in found
    ]


def said(answer: dict[str, typing.Any]) -> str:
    """The decision in a client's own words, as one word."""
    block = answer.get("hookSpecificOutput", {})
    behavior = block.get("decision", {}).get("behavior")
    word = answer.get("decision") or block.get("permissionDecision") or behavior or "none"
    assert isinstance(word, str)
    return word


def _put_between(world: World, recorder: str) -> None:
    """Call the recorder instead; Codex trusts hooks by their hash, so that changes with it."""
    for path in [*world.home.rglob("*.json"), *world.home.rglob("*.js")]:
        text = path.read_text()
        if f"{OWN} guard" in text or f'"{OWN}", "guard"' in text:
            hashes = _hashes(path) if path.name == "hooks.json" else {}
            path.write_text(
                text.replace(f"{OWN} guard", f"{recorder} guard")
                .replace(f'"{OWN}", "guard"', f'"{recorder}", "guard"')
            )  # fmt: skip
            config = world.home / ".codex/config.toml"
            for event, old in hashes.items():
                config.write_text(config.read_text().replace(old, _hashes(path)[event]))


def _hashes(path: pathlib.Path) -> dict[str, str]:
    hooks = json.loads(path.read_text())["hooks"]
    return {
        event: trusted_hash(event, group["matcher"], group["hooks"][0])
        for event, (group,) in hooks.items()
    }


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[1:] or DRIVERS:
        with tempfile.TemporaryDirectory() as folder:
            found = record(DRIVERS[name], pathlib.Path(folder), MODES[name])
        (FOLDER / f"{name}.jsonl").write_text("".join(json.dumps(each) + "\n" for each in found))


if __name__ == "__main__":
    main()
