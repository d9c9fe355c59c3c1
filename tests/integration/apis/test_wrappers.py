"""Generated wrappers: Python that type-checks and TypeScript that compiles strictly; `test_wrapper_calls` runs them."""

from __future__ import annotations

import gzip
import json
import pathlib
import shutil
import subprocess
import sys
import typing

import pytest

import atip
from atip.apis.wrappers import python, typescript
from atip.apis.wrappers.writing import files_of
from tests.packages import package
from tests.shared import ROOT, find_shared

TSC = ROOT / ".venv" / "node" / "node_modules" / "typescript" / "bin" / "tsc"
DOCUMENT: dict[str, typing.Any] = {
    "openapi": "3.1.0",
    "info": {"title": "All", "version": "1"},
    "components": {
        "schemas": {
            "Tree": {
                "type": "object",
                "required": ["class"],
                "properties": {
                    "class": {"type": "string"},
                    "list": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}},
                    "x-y z": {"enum": ["a", 1, None]},
                    "either": {"oneOf": [{"type": "string"}, {"type": "null"}]},
                    "map": {"type": "object", "additionalProperties": {"type": "number"}},
                },
            }
        }
    },
    "paths": {
        "/trees/{id}": {
            "put": {
                "operationId": "import",
                "summary": 'Says """ and */ and `${x}`',
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
                    {"name": "type", "in": "query", "schema": {"type": "string", "enum": ["a", "b"]}},
                    {"name": "deep", "in": "query", "style": "deepObject", "schema": {"type": "object"}},
                    {"name": "X-Trace", "in": "header", "schema": {"type": "integer"}},
                ],
                "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Tree"}}}},
                "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Tree"}}}}},
            }
        },
        "/forms": {
            "post": {
                "operationId": "list",
                "requestBody": {"content": {"application/x-www-form-urlencoded": {"schema": {"type": "object"}}}},
            }
        },
    },
}  # fmt: skip


def written(folder: pathlib.Path, language: str, documents: dict[str, typing.Any]) -> pathlib.Path:
    """A folder with everything a project would have."""
    base = folder / "codegen"
    for name, document in documents.items():
        for path, text in files_of(atip.load_api(document, name=name), language).items():
            (base / path).parent.mkdir(parents=True, exist_ok=True)
            (base / path).write_text(text)
    if language == "python":
        (base / "__init__.py").write_text("")
        (base / "runtime.py").write_text(python.runtime_module("../codegen.config.json"))
    else:
        (base / "runtime.ts").write_text(typescript.runtime_module())
        (base / "package.json").write_text('{"type": "module"}')
    return base


def corpus() -> dict[str, typing.Any]:
    """Small real documents beside our own, where they are here."""
    found = {"own": DOCUMENT}
    folder = find_shared("corpora/openapi")
    for name in ("scalar-galaxy-3.1.json.gz", "okta-swagger2.json.gz") if folder else ():
        data = gzip.decompress((folder / name).read_bytes())  # type: ignore[operator]
        found[name.split("-")[0]] = atip.read_api_document(data)
    return found


def test_python_wrappers_type_check_strictly(tmp_path: pathlib.Path) -> None:
    package("mypy")
    written(tmp_path, "python", corpus())
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "-p", "codegen"],
        cwd=tmp_path, capture_output=True, text=True, timeout=240,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]


def compiled(base: pathlib.Path, **options: typing.Any) -> pathlib.Path:
    if not TSC.exists() or not shutil.which("node"):
        pytest.skip("the TypeScript compiler is not installed")
    told = {
        "compilerOptions": {
            "strict": True, "target": "ES2022", "module": "NodeNext", "moduleResolution": "NodeNext",
            "lib": ["ES2022", "DOM"], "types": [], "noUncheckedIndexedAccess": True,
            "exactOptionalPropertyTypes": True, "outDir": "out", **options,
        },
        "include": ["**/*.ts"],
    }  # fmt: skip
    (base / "tsconfig.json").write_text(json.dumps(told))
    done = subprocess.run(
        ["node", TSC, "-p", "."], cwd=base, capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stdout[-2000:]
    return base / "out"


def test_typescript_wrappers_compile_strictly(tmp_path: pathlib.Path) -> None:
    compiled(written(tmp_path, "typescript", corpus()), noEmit=True)
