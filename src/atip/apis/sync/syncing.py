"""Sync: sources → operations, wrappers, index and manifest on disk; only changes are written.

The order makes a crash harmless: operations and wrappers first, the manifest last, each file replaced as a whole.
The earlier files of a source that cannot be read are left unchanged, and the failure is reported.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from atip.apis.interface import source_of
from atip.apis.sync.incremental import FILE_NAME as STATE
from atip.apis.sync.incremental import SyncState, encode_state, load_state, plan_update
from atip.apis.sync.operations import load_operations
from atip.apis.sync.tokens import figures, path_tokens, raw_tokens
from atip.apis.wrappers import python, typescript
from atip.apis.wrappers.writing import SUFFIXES, files_of, folder_name
from atip.codecs.apis.atm import manifest_of
from atip.codecs.apis.operation_document import encode_api
from atip.codecs.apis.operation_schema import schemas_of
from atip.errors import AtipError, FormatError, NotFoundError
from atip.model.reading.document_pieces import split_document
from atip.model.shapes.check_atm import check_manifest
from atip.model.value import Value
from atip.system.clock import now_iso
from atip.system.files import read_bytes, write_atomic
from atip.system.tokens import find_counter

if TYPE_CHECKING:
    from collections.abc import Callable

    from atip.apis.config import ApiConfig, SourceConfig
    from atip.apis.interface import ApiAccess, LoadedSource
    from atip.apis.sync.incremental import SourceUpdate
    from atip.model.operation import Api
    from atip.model.reading.document_pieces import Pieces

    Progress = Callable[[str, int, int], None]
    """Source, done, total."""

MANIFEST = ".agent-ready.json"
EMPTY = SyncState(digests={}, names={}, parts={}, tokens={}, path_tokens=0, required=False)
MAX_FILE = 64_000_000


class SourceReport(Value):
    """Result of syncing one source."""

    name: str
    kind: str
    operations: int = 0
    written: int = 0
    removed: int = 0
    lost: tuple[str, ...] = ()
    error: AtipError | None = None

    def to_json(self) -> dict[str, Any]:
        document: dict[str, Any] = {
            "name": self.name,
            "kind": self.kind,
            "operations": self.operations,
            "written": self.written,
            "removed": self.removed,
        }
        if self.lost:
            document["lost"] = list(self.lost)
        if self.error is not None:
            document["error"] = self.error.to_json()
        return document


class ApiSyncReport(Value):
    """Result of a sync."""

    manifest: str
    sources: tuple[SourceReport, ...] = ()

    @property
    def is_complete(self) -> bool:
        return all(source.error is None for source in self.sources)


class SyncedSource(Value):
    """One source as it is on disk now, for the manifest."""

    api: Api
    state: SyncState


def sync(
    config: ApiConfig,
    access: ApiAccess,
    *,
    only: tuple[str, ...] = (),
    definitions: bool = False,
    progress: Progress | None = None,
) -> ApiSyncReport:
    """Update the files of every source, then write the manifest.

    Args:
        only: sync these sources; the others stay unchanged.
        definitions: write every tool in full into the manifest; then nothing is left out for speed.

    Raises:
        FormatError: `api.empty` when no source could be read: a manifest needs one (T4).
    """
    reports: list[SourceReport] = []
    sources: list[SyncedSource] = []
    for number, source in enumerate(config.sources):
        if progress is not None:
            progress(source.name, number, len(config.sources))
        synced = _earlier(config, source) if only and source.name not in only else None
        if synced is None:
            try:
                synced, report = _sync(config, source, access, in_full=definitions)
            except AtipError as error:
                reports.append(SourceReport(name=source.name, kind=source.kind, error=error))
                synced = _earlier(config, source)
            else:
                reports.append(report)
        if synced is not None:
            sources.append(synced)
    if not sources:
        first = next((report.error for report in reports if report.error is not None), None)
        if first is not None:
            raise first
        raise FormatError(
            "api.empty",
            "no source is configured, or none could be read",
            hint="see `atip api init`",
        )
    _write_runtimes(config)
    path = _write_manifest(config, sources, definitions=definitions)
    return ApiSyncReport(manifest=path, sources=tuple(reports))


def _earlier(config: ApiConfig, source: SourceConfig) -> SyncedSource | None:
    """A source from the last sync; None when there was none."""
    try:
        api = load_operations(config, source.name)
    except NotFoundError:
        return None
    return SyncedSource(api=api, state=load_state(config, source) or EMPTY)


def _sync(
    config: ApiConfig, source: SourceConfig, access: ApiAccess, *, in_full: bool
) -> tuple[SyncedSource, SourceReport]:
    if source.kind != "openapi":
        return _in_full(config, source, source_of(source.kind).load(source, access), None)
    from atip.apis.sources import openapi

    data = openapi.read(source, access)
    pieces = split_document(data)
    state = None if in_full or pieces is None else load_state(config, source)
    if state is not None and pieces is not None:
        update = plan_update(config, source, pieces, state, find_counter()[1])
        if update is not None:
            return _update(config, source, update)
    return _in_full(config, source, openapi.load_bytes(source, data), pieces)


def _update(
    config: ApiConfig, source: SourceConfig, update: SourceUpdate
) -> tuple[SyncedSource, SourceReport]:
    folder = folder_name(source.name)
    count = sum(
        write_changed(os.path.join(config.output, path), data)
        for path, data in update.files.items()
    )
    removed = 0
    for name in update.removed:
        for language in config.languages:
            path = os.path.join(config.output, folder, f"{name}{SUFFIXES[language]}")
            if os.path.exists(path):
                os.unlink(path)
                removed += 1
    _write_state(config, source, update.state)
    report = SourceReport(
        name=source.name,
        kind=source.kind,
        operations=len(update.api.operations),
        written=count,
        removed=removed,
    )
    return SyncedSource(api=update.api, state=update.state), report


def _in_full(
    config: ApiConfig, source: SourceConfig, loaded: LoadedSource, pieces: Pieces | None
) -> tuple[SyncedSource, SourceReport]:
    api = loaded.api
    schemas = schemas_of(api)
    files: dict[str, bytes] = {}
    for language in config.languages:
        files |= {path: text.encode() for path, text in files_of(api, language).items()}
    folder = folder_name(source.name)
    files[f"{folder}/operations.jsonl"] = encode_api(api, schemas)
    count = sum(
        write_changed(os.path.join(config.output, path), data) for path, data in files.items()
    )
    state = SyncState(
        digests=pieces.digests() if pieces is not None else {},
        names={
            f"{operation.method.lower()} {operation.path}": operation.name
            for operation in api.operations
        },
        parts=dict(schemas.names),
        tokens=raw_tokens(loaded.raw, pieces),
        path_tokens=path_tokens(api, config.languages[0] if config.languages else "python"),
        required=any(
            operation.security and () not in operation.security for operation in api.operations
        ),
        lost=api.lost,
    )
    report = SourceReport(
        name=source.name,
        kind=source.kind,
        operations=len(api.operations),
        written=count,
        removed=_remove_stale(os.path.join(config.output, folder), files),
        lost=api.lost,
    )
    _write_state(config, source, state)
    return SyncedSource(api=api, state=state), report


def _write_state(config: ApiConfig, source: SourceConfig, state: SyncState) -> None:
    path = os.path.join(config.output, folder_name(source.name), STATE)
    write_changed(path, encode_state(config, source, state))


def write_changed(path: str, data: bytes) -> bool:
    """Write a file unless its content is the same. Returns True when it was written."""
    try:
        if os.path.getsize(path) == len(data) and read_bytes(path, MAX_FILE) == data:
            return False
    except OSError:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    write_atomic(path, data, mode=0o644, durable=False)
    return True


def _remove_stale(folder: str, files: dict[str, bytes]) -> int:
    """Remove wrappers of operations that no longer exist. Only generated files are removed."""
    current = {os.path.basename(path) for path in files}
    removed = 0
    for name in os.listdir(folder):
        if name not in current and name.endswith((".py", ".ts")):
            os.unlink(os.path.join(folder, name))
            removed += 1
    return removed


def _write_runtimes(config: ApiConfig) -> None:
    relative = os.path.relpath(os.path.join(config.folder, "codegen.config.json"), config.output)
    texts = {}
    if "python" in config.languages:
        texts["runtime.py"] = python.runtime_module(relative)
        texts["__init__.py"] = ""
    if "typescript" in config.languages:
        texts["runtime.ts"] = typescript.runtime_module()
    for name, text in texts.items():
        write_changed(os.path.join(config.output, name), text.encode())


def _write_manifest(config: ApiConfig, sources: list[SyncedSource], *, definitions: bool) -> str:
    path = os.path.join(config.folder, MANIFEST)
    settings = config.settings
    output = os.path.relpath(config.output, config.folder)
    language = config.languages[0] if config.languages else "python"
    apis: list[Api] = [source.api for source in sources if source.api.operations]
    manifest = manifest_of(
        apis,
        name=str(settings.get("name", "apis")),
        description=str(settings.get("description") or _describe(apis)),
        generated=now_iso(),
        paths={
            "runtime": f"./{output}/runtime",
            "wrappers": f"./{output}",
            "config": "./codegen.config.json",
        },
        language=language,
        tokens=figures([source.state for source in sources]),
        definitions=definitions,
    )
    problems = [problem for problem in check_manifest(manifest) if problem.severity == "error"]
    if problems:
        raise FormatError("api.manifest", "the manifest would not be valid", problems=problems)
    if not _is_unchanged(path, manifest):
        write_atomic(path, _json(manifest), mode=0o644)
    return path


def _is_unchanged(path: str, manifest: dict[str, Any]) -> bool:
    """Whether the file already has the same content: then its time stays, too."""
    from atip.model.reading.reader import read_json

    try:
        old: Any = read_json(read_bytes(path, MAX_FILE))
    except (OSError, AtipError):
        return False
    return bool(old.get("metadata", {}).get("checksum") == manifest["metadata"]["checksum"])


def _describe(apis: list[Api]) -> str:
    return "Tools of " + ", ".join(api.title or api.name for api in apis)


def _json(value: object) -> bytes:
    import json

    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()
