"""CLI.md bundles (AIP-29): a folder of documents ⇄ Tool.

    decoded = decode({"CLI.md": b"---…", "tools/pr-list/TOOL.md": b"---…"}, origin="gh")

Decoding preserves every document under `x-climd`, so that encoding restores them, comments and unknown keys
included. Writing any other tool makes a bundle with one TOOL.md per command (`write.py`). Losses are
found by decoding the result again. Implements AIP-29; RESOLUTIONS P1, P3, P18, P25.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.codecs.climd.check import check_fields
from atip.codecs.climd.document import kind_of_name, read_document
from atip.codecs.climd.manifest import read_manifest
from atip.codecs.climd.tool import driver_templates, read_tool
from atip.codecs.climd.tree import (
    authentication_of,
    commands_of,
    effects_of_bundle,
    patterns_of,
    phrases_of,
)
from atip.codecs.climd.write import BundleContent, write_bundle
from atip.codecs.interface import Decoded, Encoded, Loss
from atip.codecs.vocabulary import find_changes
from atip.errors import FormatError
from atip.model.problems import Problem, render_path
from atip.model.tool import Binary, Tool, Trust

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.codecs.climd.document import Document

VENDOR_FIELD = "x-climd"
"""Vendor field of a tool that was read from a bundle: its documents as written, by path."""
MANIFEST = "CLI.md"
MAX_FILES = 2_000
_LOSSES = {"missing": "CLI.md has no field for it", "changed": "CLI.md has a different value"}
_PRIVATE = frozenset((VENDOR_FIELD, "x-atip"))


def decode(data: bytes | Mapping[str, Any], *, origin: str = "", strict: bool = False) -> Decoded:
    """Decode the documents of a bundle. Bytes are a CLI.md without its companions.

    Args:
        origin: name of the bundle's folder, which should be its id.
        strict: deviations from the text are errors.

    Raises:
        FormatError: `climd.invalid` with all problems when the documents do not form a bundle.
    """
    files = {MANIFEST: data} if isinstance(data, bytes) else _bytes(data)
    documents, problems = read_documents(files, strict=strict)
    cli = documents.get(MANIFEST)
    errors = [problem for problem in problems if problem.severity == "error"]
    if cli is None or errors:
        reason = errors[0].message if errors else f"{MANIFEST} is missing"
        raise FormatError("climd.invalid", f"not a bundle: {reason}", problems=problems)
    manifest = read_manifest(cli.fields)
    folder = origin.rstrip("/").rpartition("/")[2]
    if folder and folder != manifest.id:
        text = f"the folder is named `{folder[:60]}`, but the bundle id is `{manifest.id}`"
        problems.append(
            Problem(path="CLI.md$.id", code="climd.folder-name", message=text, severity="warning")
        )
    templates = templates_of(documents)
    tools = [
        read_tool(
            path,
            ref,
            tool_document.fields if (tool_document := documents.get(normal(ref))) else None,
            templates,
        )
        for path, ref in manifest.commands
    ]
    tool = Tool(
        name=manifest.bin.rpartition("/")[2],
        title=manifest.name if manifest.name != manifest.bin else None,
        description=manifest.description,
        trust=Trust(source="bundle", verified=False),
        binary=Binary(name=manifest.bin),
        commands=commands_of(manifest, tools),
        authentication=authentication_of(manifest),
        effects=effects_of_bundle(manifest),
        patterns=patterns_of(manifest, documents) or None,
        examples=tuple(cmd for _, cmd in manifest.examples) or None,
        extra={
            VENDOR_FIELD: {path: document.text for path, document in documents.items()},
            "x-atip": {
                "bundle": manifest.key,
                "range": manifest.version_check.range,
                "intents": phrases_of(manifest, documents),
                **({"category": manifest.tags[0]} if manifest.tags else {}),
            },
        },
    )
    return Decoded(
        tool=tool, problems=tuple(problems), losses=tuple(_unread_losses(manifest.fields))
    )


def encode(tool: Tool) -> Encoded:
    """Encode a tool as the texts of a bundle, by path."""
    preserved = tool.extra.get(VENDOR_FIELD)
    files = _reuse_documents(tool, preserved) if isinstance(preserved, dict) else None
    if files is None:
        files = write_bundle(BundleContent(tool=tool))
    back = decode(files).tool
    return Encoded(data=files, losses=tuple(_differences(tool, back)))


def read_documents(
    files: Mapping[str, bytes], *, strict: bool = False
) -> tuple[dict[str, Document], list[Problem]]:
    """Every document that can be read, and every problem with the path of its file."""
    documents: dict[str, Document] = {}
    problems: list[Problem] = []
    for path, data in list(files.items())[:MAX_FILES]:
        kind = kind_of_name(path)
        if kind is None:
            continue
        try:
            document = read_document(data, kind)
        except FormatError as error:
            problems += [problem.replace(path=path + problem.path) for problem in error.problems]
            continue
        documents[normal(path)] = document
        findings = check_fields(kind, document.fields, "strict" if strict else "lenient")
        problems += [finding.replace(path=path + finding.path) for finding in findings]
    return documents, problems


def templates_of(documents: Mapping[str, Document]) -> dict[str, Any]:
    """Argument templates that DRIVER.md files of the bundle bring, by reference."""
    templates: dict[str, Any] = {}
    for document in documents.values():
        if document.kind == "DRIVER":
            templates.update(driver_templates(document.fields))
    return templates


def normal(path: str) -> str:
    """`./tools/x/TOOL.md` → `tools/x/TOOL.md`."""
    return path.removeprefix("./")


def _bytes(data: Mapping[str, Any]) -> dict[str, bytes]:
    return {
        path: content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
        for path, content in data.items()
        if isinstance(content, (str, bytes))
    }


def _unread_losses(fields: Mapping[str, Any]) -> list[Loss]:
    """Losses: fields that a Tool lacks. They stay in the preserved documents."""
    message = "a Tool has no field for it; it stays in the preserved documents"
    names = ("install", "setup", "runner", "output", "requires", "bin_args", "metadata")
    return [Loss(path=render_path((name,)), message=message) for name in names if fields.get(name)]


def _reuse_documents(tool: Tool, preserved: dict[str, Any]) -> dict[str, str] | None:
    """The documents a tool was read from, if they are still those of this tool."""
    files = {path: text for path, text in preserved.items() if isinstance(text, str)}
    try:
        manifest = decode(files).tool
    except FormatError:
        return None
    # SECURITY: a vendor field of a foreign document must not bring commands of another program.
    if manifest.name != tool.name or manifest.commands != tool.commands:
        return None
    if manifest.description == tool.description:
        return files
    from atip.codecs.climd.document import render_document

    old = read_document(files[MANIFEST].encode(), "CLI")
    fields = {**old.fields, "description": tool.description}
    return {**files, MANIFEST: render_document(fields, old.body, old=old)}


def _differences(tool: Tool, back: Tool) -> list[Loss]:
    """Losses: fields of the tool that the bundle, decoded again, lacks."""
    return [
        Loss(path=render_path(place), message=_LOSSES[kind])
        for place, kind in find_changes(tool, back)
        if kind in _LOSSES and not _PRIVATE.intersection(place)
    ]
