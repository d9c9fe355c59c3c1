"""CMP 0.2.0: a tool as manifest, capability and examples in one mapping (the files of its `cmp/` folder).

Decoding builds commands with effects from the templates and preserves the documents, so that encoding
restores them. Encoding any other tool makes an adapter with generated patterns; losses are found
by decoding the result again. Implements CMP 0.2.0 §3, §4, §7, §9.
"""

from __future__ import annotations

import re

from atip.calls.templates.cmp import split_template
from atip.codecs.cmp.document import MAX_SUMMARY, CmpManifest, Reader
from atip.codecs.cmp.tree import commands_of
from atip.codecs.cmp.write import write_intents
from atip.codecs.interface import Decoded, Encoded, Loss
from atip.codecs.providers.safety import clean_text
from atip.errors import FormatError
from atip.model.problems import Problem, render_path
from atip.model.reading.reader import read_json
from atip.model.text.names import why_unsafe
from atip.model.tool import Binary, Tool, Trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

VENDOR_FIELD = "x-cmp"
"""Vendor field of a tool that was read from CMP: its documents as written."""
BUDGET = 47
"""Tokens of a manifest we write, by our estimate: fewer than 50 by the usual tokenizers (§3.4) …"""
FRAME = 21
"""… of which field names and punctuation take this many."""
LEAST_SUMMARY = 12
"""Minimum characters of a summary, whatever the names cost."""
_LOSSES = {
    "missing": "CMP has no field for it",
    "changed": "CMP keeps only part of the value",
    "added": "an unknown effect is written as the cautious value",
}
_VERSION = re.compile(r"\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?\Z")
_UNSAFE = re.compile(r"[^A-Za-z0-9._+-]+")
_PIECES = re.compile(r"[A-Za-z]+|[0-9]+|[^A-Za-z0-9\s]")
_NUMBERS = re.compile(r"(\d+)(?:\.(\d+))?(?:\.(\d+))?")


def decode(data: bytes | dict[str, Any], *, origin: str = "", strict: bool = False) -> Decoded:
    """Decode CMP documents.

    Args:
        origin: name of the tool's folder, for the check of C3 and where the name is missing.
        strict: broken MUSTs are errors.

    Raises:
        FormatError: `cmp.invalid` with all problems when the documents do not describe a tool.
    """
    document = read_json(data) if isinstance(data, bytes) else data
    reader = Reader(strict=strict)
    if not isinstance(document, dict):
        document = {}
    manifest = reader.manifest(document.get("manifest"), folder=origin.rpartition("/")[2])
    intents = reader.intents(document.get("capability"))
    examples = reader.examples(document.get("examples"))
    errors = [problem for problem in reader.problems if problem.severity == "error"]
    if manifest is None or (errors and (strict or not intents)):
        raise FormatError(
            "cmp.invalid", f"not a CMP tool: {errors[0].message}", problems=reader.problems
        )
    if any(problem.code == "cmp.newer-spec" for problem in errors):
        raise FormatError("cmp.newer-spec", errors[-1].message, problems=reader.problems)
    raw = document["capability"]["intents"]
    declared_intents = [
        item for item in raw if isinstance(item, dict) and isinstance(item.get("command"), str)
    ]
    tree = commands_of(manifest, intents, declared_intents)
    preserved = {
        key: document[key] for key in ("manifest", "capability", "examples") if key in document
    }
    tool = Tool(
        name=manifest.name,
        version=manifest.version,
        description=manifest.summary,
        binary=Binary(name=manifest.program) if manifest.program != manifest.name else None,
        trust=Trust(source="cmp", verified=False),
        commands=tree.commands or None,
        arguments=tree.arguments or None,
        options=tree.options or None,
        effects=tree.effects,
        patterns=tree.patterns or None,
        examples=tuple(str(example["intent"]) for example in examples) or None,
        extra={
            VENDOR_FIELD: preserved,
            "x-atip": {"intents": tree.intents, "category": manifest.domain},
        },
    )
    return Decoded(
        tool=tool, problems=tuple(reader.problems), losses=_unread_losses(raw, declared_intents)
    )


def _unread_losses(raw: list[Any], intents: list[Any]) -> tuple[Loss, ...]:
    if len(raw) == len(intents):
        return ()
    return (
        Loss(
            path="$.capability.intents",
            message=f"skipped {len(raw) - len(intents)} unusable intents",
        ),
    )


def encode(tool: Tool) -> Encoded:
    """Encode a tool as `{"manifest", "capability"}`, plus `examples` if it was read from CMP."""
    preserved = tool.extra.get(VENDOR_FIELD)
    documents = _reuse_documents(tool, preserved) if isinstance(preserved, dict) else None
    if documents is None:
        manifest = _manifest(tool)
        documents = {
            "manifest": manifest,
            "capability": {"intents": write_intents(tool, manifest.get("wraps", tool.name))},
        }
    back = decode(documents).tool
    return Encoded(data=documents, losses=tuple(_differences(tool, back)))


def _reuse_documents(tool: Tool, preserved: dict[str, Any]) -> dict[str, Any] | None:
    """The documents a tool was read from, if they are still those of this tool."""
    manifest, capability = preserved.get("manifest"), preserved.get("capability")
    if not isinstance(manifest, dict) or not isinstance(capability, dict):
        return None
    reader = Reader()
    read = reader.manifest(manifest)
    if read is None or tool.name not in (read.name, read.key) or not _is_own(read, capability):
        # SECURITY: a vendor field of a foreign document must not bring commands of another program.
        return None
    documents = {"manifest": {**manifest, "summary": tool.description, "version": tool.version}}
    if tool.description == read.summary and tool.version == read.version:
        documents["manifest"] = manifest
    documents["capability"] = capability
    if "examples" in preserved:
        documents["examples"] = preserved["examples"]
    return documents


def _is_own(manifest: CmpManifest, capability: dict[str, Any]) -> bool:
    for intent in capability.get("intents") or ():
        command = intent.get("command") if isinstance(intent, dict) else None
        try:
            words = split_template(command) if isinstance(command, str) else ()
        except FormatError:
            continue
        if words and words[0].rpartition("/")[2] != manifest.program.rpartition("/")[2]:
            return False
    return True


def _manifest(tool: Tool) -> dict[str, Any]:
    program = tool.binary.name if tool.binary and tool.binary.name else tool.name
    category = tool.own.get("category")
    manifest: dict[str, Any] = {
        "adapter": True,
        "wraps": program,
        "domain": _safe(category if isinstance(category, str) else "") or "tools",
        "name": _safe(tool.name) or "tool",
        "summary": "",
        "version": _version(tool.version),
    }
    fields = ("wraps", "domain", "name", "version")
    max_tokens = BUDGET - FRAME - sum(estimated_tokens(str(manifest[field])) for field in fields)
    summary = " ".join(clean_text(tool.description).split()) or tool.name
    manifest["summary"] = _cut(summary, max_tokens)
    return manifest


def _safe(text: str) -> str:
    """A name that is safe as a key and as a folder; empty if no character is safe."""
    name = _UNSAFE.sub("-", text.rpartition("/")[2])[:60].strip("-.")
    return "" if why_unsafe(name) else name


def estimated_tokens(text: str) -> int:
    """Estimate the tokens of a text without a tokenizer; overestimates rather than underestimates."""
    total = 0
    for word in _PIECES.findall(text):
        if word.isascii() and word.isalpha():
            total += 1 + (len(word) - 1) // (5 if word[1:].islower() else 2)
        elif word.isascii() and word.isdigit():
            total += 1 + (len(word) - 1) // 3
        else:
            total += len(word.encode("utf-8", "replace"))
    return total


def _cut(text: str, max_tokens: int) -> str:
    """Cut a text to `max_tokens`, but keep at least LEAST_SUMMARY characters."""
    if estimated_tokens(text) <= max_tokens and len(text) <= MAX_SUMMARY:
        return text
    prefix = text[: MAX_SUMMARY - 1]
    while len(prefix) > LEAST_SUMMARY and estimated_tokens(prefix) > max_tokens - 1:
        prefix = prefix.rpartition(" ")[0] if " " in prefix[LEAST_SUMMARY:] else prefix[:-1]
    return prefix.rstrip(" ,;:.-") + "…"


def _version(text: str) -> str:
    """A semantic version (C15): as it is, or the numbers in it, or 0.0.0."""
    if _VERSION.match(text):
        return text
    match = _NUMBERS.search(text)
    return ".".join(str(int(part or 0)) for part in match.groups()) if match else "0.0.0"


def _differences(tool: Tool, back: Tool) -> list[Loss]:
    """Losses: fields of the tool that the documents, decoded again, lack."""
    from atip.codecs.vocabulary import find_changes

    return [
        Loss(path=render_path(place), message=_LOSSES[kind])
        for place, kind in find_changes(tool, back)
        if kind != "added" or "effects" in place[:-1]
    ]


def problems_of(
    document: dict[str, Any], *, folder: str = "", strict: bool = True
) -> list[Problem]:
    """List every problem of the documents of a tool."""
    reader = Reader(strict=strict)
    reader.manifest(document.get("manifest"), folder=folder)
    reader.intents(document.get("capability"))
    reader.examples(document.get("examples"))
    return reader.problems
