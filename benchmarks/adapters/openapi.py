"""Adapter: `openapi.py FILE…` – operations found, wrapped and lost per API document.

Files may be JSON or YAML, gzipped or not. Wrapped means: the operation has a name of its own, a schema of its
arguments, a Python and a TypeScript wrapper. Last line: `lost=N collisions=N`; exit 0 only if both are 0.
"""

from __future__ import annotations

import gzip
import pathlib
import sys

import atip

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")


def main(files: list[str]) -> int:
    lost = collisions = 0
    for name in files:
        path = pathlib.Path(name)
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        document = atip.read_api_document(data)
        api = atip.load_api(document, name=path.name.split(".")[0])
        wrapped = atip.wrap_api(api, "python"), atip.wrap_api(api, "typescript")
        found = _operations(document)
        names = [operation.name for operation in api.operations]
        reached = {(operation.method.lower(), operation.path) for operation in api.operations}
        missing = [each for each in found if each not in reached]
        missing += [each for each in names if any(each not in files for files in wrapped)]
        lost += len(missing)
        collisions += len(names) - len(set(names))
        print(f"{path.name}: found={len(found)} wrapped={len(names)} lost={len(missing)}")
        for each in missing[:10]:
            print(f"  lost {each}")
    print(f"lost={lost} collisions={collisions}")
    return 0 if not lost and not collisions else 1


def _operations(document: object) -> list[tuple[str, str]]:
    """Counted without our reader: every method below every path."""
    assert isinstance(document, dict)
    found = []
    for path, item in document.get("paths", {}).items():
        found += [(method, path) for method in METHODS if isinstance(item.get(method), dict)]
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
