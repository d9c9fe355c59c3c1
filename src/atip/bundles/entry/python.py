"""A Python entry for one bundle: its identity as CLI.md states it, and an adapter to start from. Pure text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from atip.bundles.documents.bundle import Bundle

ENTRY = "entry.py"


def entry_skeleton(bundle: Bundle) -> str:
    """`entry.py`; the handle is called `cli`."""
    fields = bundle.manifest.fields
    identity = "".join(
        f"    {name}={str(fields[name])!r},\n"
        for name in ("id", "name", "description", "version", "bin")
        if fields.get(name) is not None
    )
    return (
        '"""Adapters of the bundle; the front matter of CLI.md stays the source of truth."""\n\n'
        "import atip\n\n\n"
        "def parse_output(*, exit_code, stdout, stderr, expected):\n"
        "    if exit_code:\n"
        '        return {"ok": False, "error": {"code": f"exit-{exit_code}", "message": stderr.strip()}}\n'
        '    return {"ok": True, "value": stdout}\n\n\n'
        "cli = atip.define_cli(\n"
        f"{identity}"
        "    parse_output=parse_output,\n"
        ")\n"
    )
