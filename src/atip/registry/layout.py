"""File names of the local store, the lines of its index, and how older layouts map onto them (A16, A17). Pure.

registry.json                       name → hash (§4.3)
tools/sha256-<hex>.json             native metadata
shims/sha256/<hex>.json             shims and inferred metadata
shims/sha256/<hex>.<name>.json      another personality of a multi-call binary
outlines/<hex>[.<name>].json        where each command stands in a document of that name; derived
branches/<hex>.json                 a command of a very large tool with all below it; by the digest of the file itself
"""

from __future__ import annotations

import os

from atip.model.reading import plain_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

INDEX = "registry.json"
INDEX_VERSION = "2"
NATIVE = "native"


def hex_digits(digest: str) -> str:
    """`sha256:…` → the hex digits alone (A13)."""
    return digest.removeprefix("sha256:")


def metadata_name(digest: str, source: str) -> str:
    """Path of the metadata of this binary, relative to the data directory."""
    if source == NATIVE:
        return f"tools/sha256-{hex_digits(digest)}.json"
    return f"shims/sha256/{hex_digits(digest)}.json"


def personality_name(digest: str, name: str) -> str:
    """Path of the metadata of one name of a multi-call binary."""
    return f"shims/sha256/{hex_digits(digest)}.{name}.json"


def branch_name(digest: str) -> str:
    """Path of a branch of a very large document."""
    return f"branches/{hex_digits(digest)}.json"


def outline_name(relative: str) -> str:
    """Path of the outline of a document."""
    return f"outlines/{os.path.basename(relative)}"


def candidates(name: str, entry: dict[str, Any]) -> list[str]:
    """Possible paths of the metadata of an entry, newest layout first. All relative, none escapes."""
    paths = []
    declared = entry.get("metadataPath") or entry.get("shimPath")
    if isinstance(declared, str):
        paths.append(os.path.normpath(declared))
    digest = entry.get("hash")
    if isinstance(digest, str):
        source = str(entry.get("source", ""))
        paths.append(metadata_name(digest, source))
        paths.append(f"tools/{name}-{hex_digits(digest)}.json")
        paths.append(metadata_name(digest, "shim" if source == NATIVE else NATIVE))
    paths += [f"tools/{name}.json", f"shims/{name}.json"]
    # SECURITY: an index entry must not point outside the store.
    return [path for path in paths if not os.path.isabs(path) and not path.startswith("..")]


def named_binary(relative: str) -> str:
    """The digest in a shim's file name; empty for a shim by name."""
    folder, name = os.path.split(relative)
    return f"sha256:{name.split('.')[0].lower()}" if folder == "shims/sha256" else ""


def claimed_binary(document: Any) -> str | None:
    """The digest of the binary that metadata declares."""
    inner = unwrap(document)
    binary = inner.get("binary") if isinstance(inner, dict) else None
    digest = binary.get("hash") if isinstance(binary, dict) else None
    return None if digest is None else f"sha256:{hex_digits(str(digest).lower())}"


def unwrap(document: Any) -> Any:
    """The metadata inside a 0.1 cache record (§3.5.2), or the document itself."""
    if (
        isinstance(document, dict)
        and isinstance(document.get("metadata"), dict)
        and "cachedAt" in document
    ):
        return document["metadata"]
    return document


def migrate_index(index: dict[str, Any], now: str) -> dict[str, Any]:
    """An index of layout 0.1 as layout 2. Entries keep their paths; hashes follow at the next scan."""
    if index.get("version") == INDEX_VERSION:
        return index
    return {**index, "version": INDEX_VERSION, "updated": now}


def empty_index(now: str, version: str) -> dict[str, Any]:
    """The index of a machine without any scan."""
    return {
        "version": INDEX_VERSION,
        "updated": now,
        "agent": {"name": "atip", "version": version},
        "_stamp": 0,
        "tools": {},
    }


_LAST_KEY = b'"tools":{'
_END = b"\n}}\n"


def index_bytes(index: dict[str, Any]) -> bytes:
    """The index as a file: JSON with one tool per line, so that an entry is found without reading the others."""
    import json  # for writers only; readers start without it

    def compact(value: object) -> str:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    head = compact({**{key: index[key] for key in index if key != "tools"}, "tools": {}})
    tools = [f"{compact(name)}:{compact(entry)}" for name, entry in index["tools"].items()]
    return f"{head[:-2]}\n{f',{chr(10)}'.join(tools)}".encode() + (_END if tools else _END[1:])


def find_entry(data: bytes, name: str) -> dict[str, Any] | None:
    """One entry of an index that `index_bytes` wrote. Text in JSON never holds a raw line feed: a line that begins with the name
    is the tool's.

    Raises:
        ValueError: it was written otherwise, or is damaged; read the whole.
    """
    head = data[: data.index(b"\n")]
    if not (head.endswith(_LAST_KEY) and data.endswith(_END)):
        raise ValueError("not an index with one tool per line")
    if plain_json.loads(f"{head.decode()}}}}}").get("version") != INDEX_VERSION:
        raise ValueError("another version")
    key = f"\n{plain_json.dumps(name)}:{{".encode(errors="surrogatepass")
    start = data.find(key)
    if start < 0:
        return None
    line = data[start : data.index(b"\n", start + 1)].decode().rstrip(",")
    entry: dict[str, Any] = plain_json.loads(f"{{{line}}}")[name]
    return entry
