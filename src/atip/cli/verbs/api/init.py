"""Find API documents, MCP configurations and databases in a project, and write `codegen.config.json`.

Reads only; the configuration is printed, and written with `--write` (an existing one is never replaced).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {"filesystem": {"read": True, "write": True}}
EXAMPLES = ("atip api init", "atip api init --write ./service")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", nargs="?", default=".", metavar="FOLDER", help="project")
    parser.add_argument("--write", action="store_true", help="write the file")


def run(options: argparse.Namespace, ctx: Context) -> int:
    import os

    from atip.apis.config import FILE_NAME, encode_config
    from atip.apis.projects import find_sources
    from atip.errors import UsageError
    from atip.system.files import write_atomic

    config = find_sources(options.folder, dict(os.environ))
    path = os.path.join(options.folder, FILE_NAME)
    if options.write:
        if os.path.exists(path):
            raise UsageError("api.config-exists", f"`{path}` already exists", hint="edit the file")
        write_atomic(path, encode_config(config), mode=0o644)
    if ctx.as_json:
        ctx.emit({"path": path, "written": options.write, "config": config})
        return 0
    ctx.print_document(encode_config(config).decode().rstrip())
    ctx.note(f"written to {path}" if options.write else "`--write` writes it; then `atip api sync`")
    return 0
