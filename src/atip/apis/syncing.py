"""Syncing: sources → operations, wrappers, index and manifest on disk; only what changed is written.

The order makes a crash harmless: operations and wrappers first, the manifest last, each file replaced as a whole.
A source that cannot be read leaves its earlier files alone and is reported; the others go on.
"""

from __future__ import annotations

import os

from atip.apis.interface import source_of
from atip.apis.tokens import measure
from atip.apis.wrappers import python, typescript
from atip.apis.wrappers.writing import files_of, folder_name
from atip.codecs.atm import manifest_of
from atip.codecs.operation_document import encode_api
from atip.codecs.operation_schema import schemas_of
from atip.errors import AtipError, FormatError
from atip.model.check_atm import check_manifest
from atip.model.value import Value
from atip.system.clock import now_iso
from atip.system.files import read_bytes, write_atomic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from atip.apis.config import ApiConfig, SourceConfig
    from atip.apis.interface import Door, Loaded
    from atip.model.operation import Api

    Progress = Callable[[str, int, int], None]
    """Source, done, total."""

MANIFEST = ".agent-ready.json"
MAX_FILE = 64_000_000


class SourceReport(Value):
    """What became of one source."""

    name: str
    kind: str
    operations: int = 0
    written: int = 0
    removed: int = 0
    lost: tuple[str, ...] = ()
    error: AtipError | None = None

    def to_json(self) -> dict[str, Any]:
        told: dict[str, Any] = {
            "name": self.name,
            "kind": self.kind,
            "operations": self.operations,
            "written": self.written,
            "removed": self.removed,
        }
        if self.lost:
            told["lost"] = list(self.lost)
        if self.error is not None:
            told["error"] = self.error.to_json()
        return told


class SyncReport(Value):
    """What a sync did."""

    manifest: str
    sources: tuple[SourceReport, ...] = ()

    @property
    def is_complete(self) -> bool:
        return all(source.error is None for source in self.sources)


def sync(
    config: ApiConfig,
    door: Door,
    *,
    only: tuple[str, ...] = (),
    definitions: bool = False,
    progress: Progress | None = None,
) -> SyncReport:
    """Bring the files of every source up to date, then write the manifest.

    Raises:
        FormatError: `api.empty` when no source could be read: a manifest needs one (T4).
    """
    reports, loaded = [], []
    wanted = [each for each in config.sources if not only or each.name in only]
    for number, source in enumerate(wanted):
        if progress is not None:
            progress(source.name, number, len(wanted))
        try:
            found = source_of(source.kind).load(source, door)
        except AtipError as error:
            reports.append(SourceReport(name=source.name, kind=source.kind, error=error))
            continue
        loaded.append(found)
        reports.append(_write_source(config, source, found))
    if not loaded:
        first = next((each.error for each in reports if each.error is not None), None)
        if first is not None:
            raise first
        raise FormatError("api.empty", "no source is configured", hint="see `atip api init`")
    _write_runtimes(config)
    path = _write_manifest(config, loaded, definitions=definitions)
    return SyncReport(manifest=path, sources=tuple(reports))


def _write_source(config: ApiConfig, source: SourceConfig, found: Loaded) -> SourceReport:
    api = found.api
    files: dict[str, bytes] = {}
    for language in config.languages:
        files |= {path: text.encode() for path, text in files_of(api, language).items()}
    folder = folder_name(source.name)
    files[f"{folder}/operations.jsonl"] = encode_api(api, schemas_of(api))
    written = sum(
        write_changed(os.path.join(config.output, path), data) for path, data in files.items()
    )
    return SourceReport(
        name=source.name,
        kind=source.kind,
        operations=len(api.operations),
        written=written,
        removed=_remove_stale(os.path.join(config.output, folder), files),
        lost=api.lost,
    )


def write_changed(path: str, data: bytes) -> bool:
    """Write a file unless it already holds exactly that. True when it was written."""
    try:
        if os.path.getsize(path) == len(data) and read_bytes(path, MAX_FILE) == data:
            return False
    except OSError:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    write_atomic(path, data, mode=0o644, durable=False)
    return True


def _remove_stale(folder: str, files: dict[str, bytes]) -> int:
    """Wrappers of operations that are gone. Only files that we generate are ever removed."""
    kept = {os.path.basename(path) for path in files}
    removed = 0
    for name in os.listdir(folder):
        if name not in kept and name.endswith((".py", ".ts")):
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


def _write_manifest(config: ApiConfig, loaded: list[Loaded], *, definitions: bool) -> str:
    path = os.path.join(config.folder, MANIFEST)
    told = config.told
    output = os.path.relpath(config.output, config.folder)
    language = config.languages[0] if config.languages else "python"
    apis: list[Api] = [each.api for each in loaded if each.api.operations]
    manifest = manifest_of(
        apis,
        name=str(told.get("name", "apis")),
        description=str(told.get("description") or _described(apis)),
        generated=now_iso(),
        paths={
            "runtime": f"./{output}/runtime",
            "wrappers": f"./{output}",
            "config": "./codegen.config.json",
        },
        language=language,
        tokens=measure(loaded, config, language),
        definitions=definitions,
    )
    problems = [each for each in check_manifest(manifest) if each.severity == "error"]
    if problems:
        raise FormatError("api.manifest", "the manifest would not be valid", problems=problems)
    if not _is_unchanged(path, manifest):
        write_atomic(path, _json(manifest), mode=0o644)
    return path


def _is_unchanged(path: str, manifest: dict[str, Any]) -> bool:
    """Whether the file says the same already: then its time stays, too."""
    from atip.model.reader import read_json

    try:
        old: Any = read_json(read_bytes(path, MAX_FILE))
    except (OSError, AtipError):
        return False
    return bool(old.get("metadata", {}).get("checksum") == manifest["metadata"]["checksum"])


def _described(apis: list[Api]) -> str:
    return "Tools of " + ", ".join(api.title or api.name for api in apis)


def _json(value: object) -> bytes:
    import json

    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()
