"""Load a bundle's folder: every document, each inside the folder; tools may not widen the sandbox.

    bundle = load_bundle("examples/bundles/jq")

A manifest is untrusted input: references may not leave the folder, links out of it are refused, sizes are bounded, and
nothing in it is run. Implements AIP-29 "File location", "Inheritance to subcommand tools", "Security considerations".
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from atip.bundles.documents.bundle import Bundle
from atip.bundles.documents.document_memory import DocumentMemory
from atip.bundles.documents.intents import MAX_INTENTS, find_intent_files
from atip.bundles.images import is_image_name
from atip.codecs.climd.codec import MANIFEST, normal, read_documents, templates_of
from atip.codecs.climd.manifest import read_manifest
from atip.codecs.climd.tool import read_tool
from atip.errors import FormatError, NotFoundError
from atip.model.problems import Problem
from atip.system.digests import sha256_hex
from atip.system.files import read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from atip.codecs.climd.document import Document
    from atip.codecs.climd.manifest import CliManifest

MAX_DOCUMENT = 1_000_000
MAX_TOOLS = 2_000
MAX_DEPTH = 8
MAX_FOLDERS = 20_000


def load_bundle(
    path: str, *, workspace: str = "", strict: bool = False, memory_folder: str = ""
) -> Bundle:
    """A bundle by its folder or its CLI.md.

    Args:
        workspace: folder that `./` in the sandbox refers to; empty: the current directory.
        strict: deviations from the text are errors; lenient reading warns of them.
        memory_folder: folder of the document cache; empty: no cache.

    Raises:
        NotFoundError: `bundle.not-found`.
        FormatError: `climd.invalid` with every problem; `sandbox.widened` ones among them.
    """
    folder = os.path.realpath(os.path.dirname(path) if path.endswith(".md") else path)
    if not os.path.isfile(os.path.join(folder, MANIFEST)):
        raise NotFoundError(
            "bundle.not-found",
            f"`{path[:200]}` does not contain {MANIFEST}",
            hint="pass the folder of a bundle; `atip bundle init BIN` creates one",
        )
    files = {MANIFEST: read_bytes(os.path.join(folder, MANIFEST), MAX_DOCUMENT)}
    memory = DocumentMemory(memory_folder, folder) if memory_folder else None
    read = memory.read if memory else read_documents
    documents, problems = read(files, strict=strict)
    _stop(problems, MANIFEST not in documents)
    manifest = read_manifest(documents[MANIFEST].fields)
    more = _companions(folder, manifest, problems, strict)
    others, more_problems = read(more, strict=strict)
    documents.update(others)
    problems += more_problems
    if os.path.basename(folder) != manifest.id:
        text = f"the folder is named `{os.path.basename(folder)[:60]}`, but the bundle id is `{manifest.id}`"
        problems.append(_problem(f"{MANIFEST}$.id", "climd.folder-name", text, "warning"))
    bundle = _assemble(folder, manifest, documents, workspace or os.getcwd())
    problems += [*_widenings(bundle), *_image_problems(bundle)]
    _stop(problems)
    if memory is not None:
        memory.save()
    digests = tuple(sorted((name, sha256_hex(data)) for name, data in {**files, **more}.items()))
    return bundle.replace(problems=tuple(problems), digests=digests)


def _assemble(
    folder: str, manifest: CliManifest, documents: Mapping[str, Document], workspace: str
) -> Bundle:
    templates = templates_of(documents)
    tools = tuple(
        read_tool(words, ref, _fields(documents, ref), templates)
        for words, ref in manifest.commands[:MAX_TOOLS]
    )
    inventory = (
        _fields(documents, manifest.auth.ref) if manifest.auth and manifest.auth.ref else None
    )
    entries = (inventory or {}).get("secrets")
    runner = manifest.runner
    block = _fields(documents, runner) if isinstance(runner, str) else runner
    if isinstance(block, dict) and isinstance(block.get("runner"), dict):
        block = block["runner"]
    return Bundle(
        folder=folder,
        manifest=manifest,
        tools=tools,
        secrets=tuple(entry for entry in entries if isinstance(entry, dict))
        if isinstance(entries, list)
        else (),
        intents=tuple(
            (ref, fields)
            for ref in _intent_refs(folder, manifest)
            if (fields := _fields(documents, ref))
        ),
        runner=block if isinstance(block, dict) else {},
        workspace=os.path.realpath(workspace),
    )


def _intent_refs(folder: str, manifest: CliManifest) -> list[str]:
    """References of CLI.md first, then unlisted files in `intents/`."""
    refs = {normal(ref): ref for ref in (*manifest.intents, *find_intent_files(folder))}
    return list(refs.values())[:MAX_INTENTS]


def _fields(documents: Mapping[str, Document], ref: str | None) -> Mapping[str, object] | None:
    document = documents.get(normal(ref or ""))
    return document.fields if document is not None else None


def _companions(
    folder: str, manifest: CliManifest, problems: list[Problem], strict: bool
) -> dict[str, bytes]:
    """Bytes of every document that the manifest refers to, and of SECRETS.md, RUNNER.md, DRIVER.md beside it."""
    references: dict[str, bool] = {ref: True for _, ref in manifest.commands[:MAX_TOOLS]}
    references.update(dict.fromkeys(manifest.intents, True))
    if manifest.auth and manifest.auth.ref:
        references[manifest.auth.ref] = True
    if isinstance(manifest.runner, str):
        references[manifest.runner] = True
    for ref in find_intent_files(folder):
        references.setdefault(ref, False)
    for name in ("SECRETS.md", "RUNNER.md", "DRIVER.md"):
        references.setdefault(name, False)
    contents: dict[str, bytes] = {}
    for ref, is_named in references.items():
        try:
            path = inside(folder, ref)
        except FormatError as error:
            problems.append(_problem(f"{MANIFEST}$", error.code, error.message))
            continue
        if os.path.isfile(path):
            contents[normal(ref)] = read_bytes(path, MAX_DOCUMENT)
        elif is_named:
            text = f"the document `{ref[:120]}` does not exist"
            severity = "error" if strict else "warning"
            problems.append(_problem(f"{MANIFEST}$", "climd.missing-document", text, severity))
    return contents


def inside(folder: str, ref: str) -> str:
    """The real path of a reference.

    Raises:
        FormatError: `climd.outside` when it leaves the bundle, by `..`, absolutely, or through a link.
    """
    path = os.path.realpath(os.path.join(folder, ref))
    # SECURITY: a bundle must not make a host read (or run) files that are not its own.
    if os.path.isabs(ref) or "\0" in ref or not path.startswith(folder.rstrip("/") + "/"):
        raise FormatError("climd.outside", f"`{ref[:120]}` points outside the bundle")
    return path


def _widenings(bundle: Bundle) -> list[Problem]:
    """Tools that request more than the bundle; refused at load in every mode."""
    problems: list[Problem] = []
    try:
        _ = bundle.requested
    except FormatError:
        return problems  # reported with the manifest; no tool can run then
    for tool in bundle.tools:
        try:
            bundle.requested_by(tool)
        except FormatError as error:
            problems += [
                problem.replace(path=f"{normal(tool.ref)}$.sandbox{problem.path[1:]}")
                for problem in error.problems
            ]
    return problems


def _image_problems(bundle: Bundle) -> list[Problem]:
    if "image" not in bundle.runner or is_image_name(bundle.runner["image"]):
        return []
    text = "not a valid image name"
    return [_problem("RUNNER.md$.image", "climd.runner-image", text)]


def _stop(problems: list[Problem], missing: bool = False) -> None:
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors or missing:
        first = errors[0]
        raise FormatError(
            "climd.invalid", f"{first.path}: {first.message}", problems=problems, hint=first.hint
        )


def find_bundles(root: str) -> Iterator[str]:
    """Folders with a CLI.md below `root`, at any depth up to a bound; a bundle does not contain another bundle."""
    entry_count = 0
    pending = [(os.path.realpath(root), 0)]
    while pending:
        folder, depth = pending.pop()
        if os.path.isfile(os.path.join(folder, MANIFEST)):
            yield folder
            continue
        if depth >= MAX_DEPTH:
            continue
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name, reverse=True)
        except OSError:
            continue
        entry_count += len(entries)
        if entry_count > MAX_FOLDERS:
            return
        pending += [(e.path, depth + 1) for e in entries if e.is_dir(follow_symlinks=False)]


def _problem(path: str, code: str, message: str, severity: str = "error") -> Problem:
    return Problem(path=path, code=code, message=message, severity=severity)  # type: ignore[arg-type]
