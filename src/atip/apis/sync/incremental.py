"""Incremental sync: compares a document piece by piece with the last sync, and regenerates only affected operations.

The state is stored beside the wrappers and may be deleted at any time: then everything is regenerated. Any mismatch –
another version of ours, other languages, a changed top of the document, a name collision – causes a full sync.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from atip.apis.effects import with_effects
from atip.apis.wrappers.module import signature, summary
from atip.apis.wrappers.writing import LANGUAGES, MAX_INDEX_LINE, SUFFIXES, folder_name
from atip.codecs.apis.openapi import decode_api
from atip.codecs.apis.operation_document import encode_header, encode_operation, line_of
from atip.codecs.apis.operation_schema import Schemas
from atip.errors import AtipError
from atip.model.operation import Api, Operation
from atip.model.text.identifiers import slug
from atip.model.value import Value
from atip.system.files import read_bytes
from atip.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.apis.config import ApiConfig, SourceConfig
    from atip.model.reading.document_pieces import Pieces

FILE_NAME = "state.json"
FORMAT = 1
MAX_BYTES = 64_000_000


class SyncState(Value):
    """The state of the last sync of a source."""

    digests: Mapping[str, str]
    names: Mapping[str, str]
    """`get /path` → name of the operation."""
    parts: Mapping[str, str]
    """Reference → name of the shared schema."""
    tokens: Mapping[str, int]
    """Path or reference → tokens of the piece."""
    path_tokens: int
    """Tokens that a call of the median operation needs."""
    required: bool
    """Whether any operation needs authentication."""
    lost: tuple[str, ...] = ()


class SourceUpdate(Value):
    """The files to write, the files to remove, and the state afterwards."""

    api: Api
    """Header and as many operations as there are, without their content."""
    files: Mapping[str, bytes]
    removed: tuple[str, ...]
    state: SyncState


def load_state(config: ApiConfig, source: SourceConfig) -> SyncState | None:
    """Load the state of an earlier sync; None: missing or outdated, sync in full."""
    path = os.path.join(config.output, folder_name(source.name), FILE_NAME)
    try:
        document = json.loads(read_bytes(path, MAX_BYTES))
    except (OSError, ValueError, AtipError):
        return None
    expected = [FORMAT, __version__, list(config.languages), dict(source.settings)]
    if not isinstance(document, dict) or document.pop("for", None) != expected:
        return None
    try:
        return SyncState(**{**document, "lost": tuple(document.get("lost", ()))})
    except TypeError:
        return None


def encode_state(config: ApiConfig, source: SourceConfig, state: SyncState) -> bytes:
    """The file of a state."""
    document: dict[str, Any] = {
        "for": [FORMAT, __version__, list(config.languages), dict(source.settings)],
        "digests": dict(state.digests),
        "names": dict(state.names),
        "parts": dict(state.parts),
        "tokens": dict(state.tokens),
        "path_tokens": state.path_tokens,
        "required": state.required,
        "lost": list(state.lost),
    }
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()


def plan_update(
    config: ApiConfig, source: SourceConfig, pieces: Pieces, state: SyncState, count: Any
) -> SourceUpdate | None:
    """Plan the files to write for a changed document; None: sync in full.

    Args:
        count: tokens of a text.
    """
    digests = pieces.digests()
    changed = {key for key, digest in digests.items() if state.digests.get(key) != digest}
    missing = state.digests.keys() - digests.keys()
    if "" in changed or any(key.startswith("#") for key in missing):
        return None
    touched = pieces.touched(changed) if changed else set()
    names_left = {
        key: name for key, name in state.names.items() if key.partition(" ")[2] not in missing
    }
    api = with_effects(decode_api(pieces.document(touched), name=source.name, names=names_left))
    if api.lost != () or state.lost != () or _collides(api, names_left):
        return None
    names = {
        **{key: name for key, name in names_left.items() if key.partition(" ")[2] not in touched},
        **{
            f"{operation.method.lower()} {operation.path}": operation.name
            for operation in api.operations
        },
    }
    schemas = Schemas(api.definitions, api.dialect, state.parts)
    files = _files(config, source, api, schemas, set(state.names.values()) - set(names.values()))
    if files is None:
        return None
    removed = set(state.names.values()) - set(names.values())
    if names.keys() != state.names.keys():
        files |= _indexes(config, source, api, list(names.values()))
    tokens = {key: value for key, value in state.tokens.items() if key in digests}
    tokens |= {key: count(text) for key, text in texts_of(pieces, changed).items()}
    after = state.replace(digests=digests, names=names, parts=dict(schemas.names), tokens=tokens)
    stub = Operation(name="", original="", security=(("",),) if state.required else ())
    return SourceUpdate(
        api=api.replace(operations=(stub,) * len(names)),
        files=files,
        removed=tuple(sorted(removed)),
        state=after,
    )


def texts_of(pieces: Pieces, selected: set[str] | None = None) -> dict[str, str]:
    """Pieces as a model would read them, minified, with their key."""
    texts = {}
    for path, data in pieces.paths.items():
        if selected is None or path in selected:
            texts[path] = _minify(path, data)
    for table, parts in pieces.tables.items():
        for name, data in parts.items():
            key = f"#/{table}/{name}"
            if selected is None or key in selected:
                texts[key] = _minify(name, data)
    return texts


def _minify(key: str, data: bytes) -> str:
    return json.dumps({key: json.loads(data)}, ensure_ascii=False, separators=(",", ":"))


def _collides(api: Api, names: Mapping[str, str]) -> bool:
    """Whether a full sync might give a new operation's name to another one."""
    used_names = set(names.values())
    return any(
        f"{operation.method.lower()} {operation.path}" not in names
        and (slug(operation.original) in used_names or operation.name != slug(operation.original))
        for operation in api.operations
    )


def _files(
    config: ApiConfig, source: SourceConfig, api: Api, schemas: Schemas, removed: set[str]
) -> dict[str, bytes] | None:
    folder = folder_name(source.name)
    files: dict[str, bytes] = {}
    for language in config.languages:
        writer = LANGUAGES[language]
        for operation in api.operations:
            text = writer.operation_module(api, operation, schemas)
            files[f"{folder}/{operation.name}{SUFFIXES[language]}"] = text.encode()
    try:
        lines = _patch_operations(config, folder, api, schemas, removed)
        index = _patch_index(config, folder, api, removed)
    except (OSError, AtipError):
        return None
    return {**files, f"{folder}/operations.jsonl": lines, f"{folder}/index.txt": index}


def _patch_operations(
    config: ApiConfig, folder: str, api: Api, schemas: Schemas, removed: set[str]
) -> bytes:
    data = read_bytes(os.path.join(config.output, folder, "operations.jsonl"), MAX_BYTES * 4)
    part_names: list[str] = []
    new_lines = {
        f'{{"name":"{operation.name}"': line_of(encode_operation(operation, schemas, part_names))
        for operation in api.operations
    }
    parts = {
        f'{{"part":{json.dumps(name, ensure_ascii=False)}': line_of(
            {"part": name, "schema": schema}
        )
        for name, schema in schemas.parts(part_names).items()
    }
    removed_prefixes = {f'{{"name":"{name}"' for name in removed}
    lines = [line_of(encode_header(api))]
    tail: list[bytes] = []
    for line in data.split(b"\n")[1:]:
        if not line:
            continue
        key = line[: line.index(b",")].decode()
        if key in removed_prefixes:
            continue
        place = tail if line.startswith(b'{"part"') else lines
        place.append(new_lines.pop(key, b"") or parts.pop(key, b"") or line + b"\n")
    return b"".join([*lines, *new_lines.values(), *tail, *parts.values()])


def _patch_index(config: ApiConfig, folder: str, api: Api, removed: set[str]) -> bytes:
    text = read_bytes(os.path.join(config.output, folder, "index.txt"), MAX_BYTES).decode()
    new_lines = {
        operation.name: f"{signature(operation)} – {summary(operation)}"[:MAX_INDEX_LINE]
        for operation in api.operations
    }
    lines = []
    for line in text.splitlines():
        name = line.partition("(")[0]
        if name not in removed:
            lines.append(new_lines.pop(name, line))
    return "".join(f"{line}\n" for line in [*lines, *new_lines.values()]).encode()


def _indexes(
    config: ApiConfig, source: SourceConfig, api: Api, names: list[str]
) -> dict[str, bytes]:
    all_operations = api.replace(
        operations=tuple(Operation(name=name, original=name) for name in names)
    )
    files = {}
    for language in config.languages:
        index = "__init__.py" if language == "python" else "index.ts"
        files[f"{folder_name(source.name)}/{index}"] = (
            LANGUAGES[language].index_module(all_operations).encode()
        )
    return files
