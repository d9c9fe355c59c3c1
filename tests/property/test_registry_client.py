"""Whatever a registry sends, the client answers with one of our errors or with a shim that is about the right binary."""

from __future__ import annotations

import json
import tempfile
import time
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from atip.errors import AtipError
from atip.registry import tree
from atip.registry.remote.remote import RemoteRegistry
from atip.registry.remote.session_options import RegistrySessionOptions
from atip.registry.remote.sources import RegistrySource
from atip.system.network.http import Response
from atip.system.paths import find_places
from tests.simulators.registry import RegistrySimulator, digest_for, shim_of

FROB = digest_for("frob")
QUIET = settings(
    max_examples=150, deadline=None, suppress_health_check=list(HealthCheck), database=None
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.text(max_size=20), st.just(FROB),
        st.sampled_from(["{hash}", "/../{hash}", "https://evil.example/{hash}", "", "../../x"]),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)),
    max_leaves=5,
)  # fmt: skip


class Served(RemoteRegistry):
    """A registry whose files come straight from a dictionary; everything else is real."""

    def __init__(self, files: dict[str, bytes], source: RegistrySource, home: str) -> None:
        super().__init__(source, find_places(home=home), RegistrySessionOptions(now=time.time()))
        self.asked: list[str] = []

        def get(path: str, max_bytes: int, headers: object = None) -> Response | None:
            self.asked.append(path)
            data = files.get(path)
            if data is None or len(data) > max_bytes:
                return None
            return Response(url=f"{source.url}/{path}", status=200, headers={}, body=data)

        self.fetcher.get = get  # type: ignore[method-assign, assignment]


def paths_of(value: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [here]
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()  # fmt: skip
    for key, inner in items:
        found += paths_of(inner, (*here, key))
    return found


def changed(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    copy = dict(document) if isinstance(document, dict) else list(document)
    copy[path[0]] = changed(document[path[0]], path[1:], value)
    return copy


def base(tuf: bool) -> RegistrySimulator:
    simulator = RegistrySimulator(tuf=tuf)
    simulator.add(shim_of(FROB))
    simulator.put_manifest()
    simulator.put_catalog()
    simulator.publish()
    return simulator


PLAIN, SIGNED = base(False), base(True)


def look(files: dict[str, bytes], source: RegistrySource) -> list[str]:
    with tempfile.TemporaryDirectory() as home, Served(files, source, home) as registry:
        for digest in (FROB, digest_for("other")):
            try:
                found = registry.find(digest)
            except AtipError:
                continue
            assert found is None or found.tool.binary.hash.lower() == digest == FROB
        return registry.asked


@QUIET
@given(data=st.data(), lookup=st.sampled_from(["hash", "catalog"]))
def test_a_field_of_any_document_may_be_anything(data, lookup):
    name = data.draw(st.sampled_from([tree.MANIFEST, tree.CATALOG, tree.shim_path(FROB)]))
    document = json.loads(PLAIN.files[name])
    path = data.draw(st.sampled_from(paths_of(document)))
    files = {**PLAIN.files, name: json.dumps(changed(document, path, data.draw(VALUES))).encode()}
    asked = look(files, RegistrySource(name="r", url="https://r.example", lookup=lookup))
    assert not any(path.startswith((".", "/")) and path != tree.MANIFEST for path in asked)
    assert not any(".." in path.split("/") or "://" in path for path in asked)


@QUIET
@given(data=st.data())
def test_a_byte_of_any_signed_file_may_be_anything(data):
    name = data.draw(st.sampled_from(sorted(SIGNED.files)))
    content = bytearray(SIGNED.files[name])
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    files = {**SIGNED.files, name: bytes(content)}
    look(files, RegistrySource(name="r", url="https://r.example", root=SIGNED.fingerprint, lookup="bins"))  # fmt: skip


@QUIET
@given(data=st.data())
def test_a_field_of_the_index_may_be_anything_even_when_it_is_signed(data):
    """A publisher that lost its mind: metadata whose signatures are right."""
    simulator = base(True)
    name = data.draw(st.sampled_from(["bins-0", "bins-1", "targets"]))
    path = tree.metadata_path(name, 1)
    document = json.loads(simulator.files[path])["signed"]
    where = data.draw(st.sampled_from([path for path in paths_of(document) if path]))
    document = changed(document, where, data.draw(VALUES))
    simulator.files[path] = resigned(simulator, document, "bins" if "bins" in name else "targets")
    from tuf.api.metadata import MetaFile

    simulator._meta[f"{name}.json"] = MetaFile.from_data(1, simulator.files[path], ["sha256"])
    simulator.publish_snapshot()
    simulator.publish_timestamp()
    look(simulator.files, RegistrySource(name="r", url="https://r.example", root=simulator.fingerprint, lookup="bins"))  # fmt: skip


def resigned(simulator: RegistrySimulator, document: dict[str, Any], role: str) -> bytes:
    from securesystemslib.formats import encode_canonical

    try:
        text = encode_canonical(document)
    except Exception:
        text = ""
    signature = simulator.keys[role].sign((text or "").encode())
    return json.dumps({"signatures": [signature.to_dict()], "signed": document}).encode()
