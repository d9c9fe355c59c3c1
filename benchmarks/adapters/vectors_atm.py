"""ATM conformance data: manifests and configurations against the public schemas beside them, and a source document.

`vectors.py atm DIR`. For each manifest our verdict in schema mode must equal that of the public schema, also
for small changes of it; each configuration must be read; each OpenAPI document must become a manifest that the
public schema accepts.
"""

from __future__ import annotations

import copy
import json
import typing

import jsonschema

import atip
from atip.apis.config import decode_config
from atip.codecs.apis.atm import manifest_of
from atip.errors import FormatError

if typing.TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator

PATHS = {"runtime": "./codegen/runtime", "wrappers": "./codegen", "config": "./codegen.config.json"}


def cases(folder: pathlib.Path) -> Iterator[tuple[str, bool]]:
    """Name and whether we were right."""
    schema = json.loads((folder / "atm.schema.json").read_text())
    judge = jsonschema.Draft7Validator(schema)
    for path in sorted(folder.rglob("*agent-ready*.json")):
        told = json.loads(path.read_text())
        yield path.name, _same(judge, told)
        for name, changed in _changes(told):
            yield f"{path.name} {name}", _same(judge, changed)
    for path in sorted((folder / "configs").glob("*.json")):
        yield f"configs/{path.name}", _is_read(json.loads(path.read_text()))
    for path in sorted(folder.glob("*.openapi.json")):
        api = atip.load_api(atip.read_api_document(path.read_bytes()), name=path.name.split(".")[0])
        made = manifest_of(
            [api], name="made", description="made", generated="2026-01-01T00:00:00Z", paths=PATHS, definitions=True
        )  # fmt: skip
        # T1: our `x-` fields are allowed by the text where the schema forgets them
        for listed in made["toolDefinitions"].values():
            for each in listed:
                each.get("metadata", {}).pop("x-original-name", None)
        yield path.name, not list(judge.iter_errors(made)) and bool(api.operations)


def _same(judge: typing.Any, told: typing.Any) -> bool:
    from atip.model.reading.documents import judge as judged

    return judged(told, kind="atm", mode="schema").is_valid == (not list(judge.iter_errors(told)))


def _is_read(told: typing.Any) -> bool:
    try:
        return bool(decode_config(told, ".").sources)
    except FormatError:
        return False


def _changes(told: dict[str, typing.Any]) -> Iterator[tuple[str, dict[str, typing.Any]]]:
    for key in told:
        changed = copy.deepcopy(told)
        del changed[key]
        yield f"without {key}", changed
        yield f"{key} null", {**copy.deepcopy(told), key: None}
        yield f"{key} number", {**copy.deepcopy(told), key: 7}
