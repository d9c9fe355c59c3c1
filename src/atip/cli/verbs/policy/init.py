"""Write an initial policy file: for the current project, or with `--user` for yourself. An existing file is not replaced.

A project's file gets rules for its test commands, with examples that `atip policy test` checks. It allows nothing before
`atip policy approve`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {"filesystem": {"read": True, "write": True, "delete": False}, "network": False}
EXAMPLES = ("atip policy init", "atip policy init --user --preset workspace")
_SUGGESTED = {
    "package.json": ("npm test", "npm publish"),
    "pyproject.toml": ("python -m pytest *", "python -m http.server"),
    "Cargo.toml": ("cargo test", "cargo publish"),
    "go.mod": ("go test ./...", "go run ."),
    "Makefile": ("make test", "make deploy"),
}
"""File → a line that tests the project, and one that the rule must not match."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--user", action="store_true", help="your own policy, not the project's")
    parser.add_argument("--preset", default="", help="preset to start from; default: `cautious`")


def run(options: argparse.Namespace, ctx: Context) -> int:
    import json
    import os

    from atip.errors import UsageError
    from atip.policy.presets import DEFAULT, check_preset
    from atip.policy.reading import read_policy
    from atip.system import files

    preset = check_preset(options.preset or DEFAULT)
    folder = ctx.app.places.config if options.user else os.path.join(os.getcwd(), ".agent-tools")
    path = os.path.join(folder, "policy.json")
    if os.path.lexists(path):
        raise UsageError(
            "policy.exists",
            f"`{path}` already exists",
            hint="`atip policy show` prints the policies in force",
        )
    body: dict[str, Any] = {"version": "1"}
    if options.user or options.preset:
        body["preset"] = preset
    body["rules"] = [] if options.user else _rules(os.getcwd())
    data = (json.dumps({"policy": body}, indent=2) + "\n").encode()
    read_policy(data, layer="project", origin=path)
    if options.user:
        files.make_private(folder)
    else:
        os.makedirs(folder, exist_ok=True)
    files.write_atomic(path, data)
    if ctx.as_json:
        ctx.emit({"path": path, "rules": len(body["rules"])})
        return 0
    ctx.print(f"{path}: written, with {len(body['rules'])} rules")
    if body["rules"]:
        ctx.note(
            "`atip policy test` checks the examples; `atip policy approve` activates the rules"
        )
    return 0


def _rules(folder: str) -> list[dict[str, Any]]:
    import os

    rules: list[dict[str, Any]] = []
    for name, (line, other) in _SUGGESTED.items():
        if os.path.isfile(os.path.join(folder, name)):
            rules.append(
                {
                    "name": f"tests of {name}",
                    "decision": "allow",
                    "words": line.split(),
                    "match": [line.removesuffix(" *")],
                    "not_match": [other],
                }
            )
    return rules
