"""Synced operations: read one by name from the file beside the wrappers, or list them all."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from atip.apis.effects import effects_of
from atip.apis.wrappers.writing import folder_name
from atip.codecs.apis.operation_document import decode_header, decode_operation, read_line
from atip.errors import NotFoundError, UsageError
from atip.model.effects import join
from atip.model.shapes.shape import closest
from atip.system.files import read_bytes

if TYPE_CHECKING:
    from atip.apis.config import ApiConfig
    from atip.model.operation import Api, Operation

FILE_NAME = "operations.jsonl"
MAX_BYTES = 256_000_000


def split_target(target: str) -> tuple[str, str]:
    """`SOURCE.OPERATION` in its two parts.

    Raises:
        UsageError: `api.target`.
    """
    source, dot, name = target.partition(".")
    if not dot or not source or not name:
        raise UsageError(
            "api.target",
            f"`{target}` is not SOURCE.OPERATION",
            hint="list them: `atip api list`, `atip api list SOURCE`",
        )
    return source, name


def operations_path(config: ApiConfig, source: str) -> str:
    """Path of the operations file of a source."""
    return os.path.join(config.output, folder_name(source), FILE_NAME)


def find_operation(
    config: ApiConfig, source: str, name: str
) -> tuple[Api, Operation, dict[str, Any]]:
    """Header, operation and its line as written.

    Raises:
        NotFoundError: `api.unknown-source`, `api.not-synced`, `api.unknown-operation`.
    """
    data = _read(config, source)
    header = decode_header(json.loads(data[: data.index(b"\n")]))
    document = read_line(data, name)
    if document is None:
        names = [line["name"] for line in _lines(data)]
        close = closest(name, names)
        raise NotFoundError(
            "api.unknown-operation",
            f"`{source}` has no operation `{name}`",
            hint=f"did you mean `{close}`?" if close else f"see `atip api list {source}`",
        )
    operation = decode_operation(document)
    # SECURITY: the file is in the project; its effects may raise the danger of a call, never lower it
    derived = effects_of(operation, local=header.kind == "mcp")
    return header, operation.replace(effects=join(operation.effects, derived)), document


def load_operations(config: ApiConfig, source: str) -> Api:
    """The synced operations of one source."""
    data = _read(config, source)
    header = json.loads(data[: data.index(b"\n")])
    return decode_header(header, map(decode_operation, _lines(data)))


def _lines(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.split(b"\n") if line.startswith(b'{"name":')]


def _read(config: ApiConfig, source: str) -> bytes:
    config.get(source)
    path = operations_path(config, source)
    if not os.path.exists(path):
        raise NotFoundError(
            "api.not-synced", f"`{source}` is not synced yet", hint="run `atip api sync`"
        )
    return read_bytes(path, MAX_BYTES)
