"""Test what works on this machine, layer by layer, and how to get the rest.

Each check really performs the action: it starts a confined process, tries what must fail, writes and reads
a file. Exit 1 when something that confined execution needs is missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {
    "filesystem": {
        "read": True,
        "write": True,
        "delete": True,
        "paths": ["~/.local/share/agent-tools"],
    },
    "subprocess": True,
}

EXTRAS = {
    # extra: (module that it brings, what it is for)
    "net": ("httpx2", "remote registries"),
    "verify": ("sigstore", "signatures and provenance"),
    "registry": ("obstore", "registries in object stores"),
    "mcp": ("mcp", "serving MCP clients"),
    "api": ("graphql", "APIs and databases"),
    "crawl": ("distributed", "crawling on several machines"),
    "pages": ("jinja2", "the static catalogue of a registry"),
    "tokens": ("rs_bpe", "counting tokens"),
}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--quick", action="store_true", help="leave out the checks that start processes"
    )


def run(options: argparse.Namespace, ctx: Context) -> int:
    checks = [*passive_checks(), _store(ctx)] if options.quick else all_checks(ctx)
    good = all(check["works"] for check in checks if check["needed"])
    if ctx.as_json:
        ctx.emit({"ok": good, "checks": checks})
    else:
        _print(ctx, checks, good)
    return 0 if good else 1


def passive_checks() -> list[dict[str, Any]]:
    """Checks that start and write nothing."""
    return [_python(), *_extras()]


def all_checks(ctx: Context) -> list[dict[str, Any]]:
    """Every check; writes a test file and starts confined processes."""
    return [*passive_checks(), _store(ctx), *_sandbox()]


def _check(
    name: str, works: bool, detail: str, how: str = "", *, needed: bool = True
) -> dict[str, Any]:
    return {
        "name": name,
        "works": works,
        "needed": needed,
        "detail": detail,
        "how": "" if works else how,
    }


def _python() -> dict[str, Any]:
    import sys

    version = ".".join(map(str, sys.version_info[:3]))
    return _check("python", sys.version_info >= (3, 11), version, "install Python 3.11 or newer")


def _store(ctx: Context) -> dict[str, Any]:
    import os

    from atip.errors import AtipError
    from atip.system.files import make_private, read_bytes, write_atomic

    folder = ctx.app.places.data
    path = os.path.join(folder, ".doctor")
    try:
        make_private(folder)
        write_atomic(path, b"ok")
        works = read_bytes(path, 10) == b"ok"
        os.unlink(path)
        ctx.app.store.load_index()
    except AtipError as error:
        return _check("store", False, error.message, error.hint or f"make `{folder}` writable")
    return _check("store", works, folder)


def _extras() -> list[dict[str, Any]]:
    import importlib.util

    checks = []
    for extra, (module, purpose) in EXTRAS.items():
        works = importlib.util.find_spec(module) is not None
        checks.append(
            _check(
                f"extra {extra}", works, purpose, f"pip install 'atip-cli[{extra}]'", needed=False
            )
        )
    return checks


def _sandbox() -> list[dict[str, Any]]:
    from atip.sandbox.layers import check_layers

    return [
        _check(
            f"sandbox {layer.name}",
            layer.works,
            layer.detail,
            layer.how_to_get,
            needed=layer.required,
        )
        for layer in check_layers()
    ]


def _print(ctx: Context, checks: list[dict[str, Any]], good: bool) -> None:
    from atip.cli.output import clean, paint, table, width_of

    marks = {True: paint(ctx, "ok", "green"), False: paint(ctx, "no", "red")}
    names = max(len(check["name"]) for check in checks)
    for check in checks:
        mark = (
            marks[check["works"]] if check["needed"] or check["works"] else paint(ctx, "--", "dim")
        )
        row = (f"{mark}  {check['name']:<{names}}", clean(check["detail"]))
        for line in table([row], indent="", width=width_of(ctx), wrapped=True):
            ctx.print(line)
        if check["how"]:
            ctx.print(f"      {clean(check['how'])}")
    ctx.print(
        "everything needed works"
        if good
        else "something needed is missing: see the lines marked `no`"
    )
