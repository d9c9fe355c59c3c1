"""Whose shim counts: the user's, signed ones of the system, the project's, the registries', unsigned ones of the system."""

from __future__ import annotations

import json
from contextlib import ExitStack

import pytest

from atip.discovery.files.documents import system_texts
from atip.discovery.files.stubs import Stub
from atip.discovery.sources.source_order import ProbeSubject, find_metadata
from atip.toolbox import Toolbox
from atip.workflows.scan.machine import reading_sources
from atip.workflows.scan.shims import shim_sources
from tests.simulators.registry import RegistrySimulator, digest_for, shim_of

FROB = digest_for("frob")
SUBJECT = ProbeSubject(
    name="frob", path="/bin/frob", real_path="/bin/frob", digest=FROB, stub=Stub()
)


def place(folder, description: str, name: str = f"sha256/{FROB[7:]}") -> bytes:
    path = folder / "shims" / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(shim_of(FROB, description=description)))
    return path.read_bytes()


@pytest.fixture
def box(tmp_path):
    made = Toolbox(home=str(tmp_path / "home"))
    made.host.places = made.places.replace(system=(str(tmp_path / "system"),), project=None)
    return made


def asked(box) -> str | None:
    with ExitStack() as stack:
        sources = [
            *reading_sources(box.host, system_texts(box.places.home))[:2],
            *shim_sources(box.host, stack),
        ]
        found = find_metadata(
            SUBJECT, sources, may_execute=False, merge_knowledge=lambda tool, **_: tool
        )
        return found.tool.description if found else None


@pytest.mark.proves("ATIP1-5.1-02")
def test_unsigned_system_shims_rank_below_registries_and_signed_ones_above(box, tmp_path):
    minisign = pytest.importorskip("minisign")
    pair = minisign.KeyPair.generate()
    simulator = RegistrySimulator()
    simulator.add(shim_of(FROB, description="registry"))
    simulator.put_manifest()
    simulator.publish()
    data = place(tmp_path / "system", "system")
    assert asked(box) == "system"
    config = tmp_path / "home/.config/agent-tools"
    config.mkdir(parents=True)
    with simulator.serve() as server:
        entry = {"name": "r", "url": server.url, "root": simulator.fingerprint}
        write(config / "registries.json", {"registries": [entry]})
        assert asked(box) == "registry"
        bundle = tmp_path / "system/shims/sha256" / f"{FROB[7:]}.json.bundle"
        bundle.write_bytes(bytes(pair.secret_key.sign(data)))
        assert asked(box) == "registry"
        key = {"type": "minisign", "key": bytes(pair.public_key).decode(), "name": "distributor"}
        write(config / "trust.json", {"keys": [key]})
        assert asked(box) == "system"
        bundle.write_bytes(bytes(pair.secret_key.sign(data + b" ")))
        assert asked(box) == "registry"
        place(tmp_path / "home/.local/share/agent-tools", "user")
        assert asked(box) == "user"


def write(path, document) -> None:
    path.write_text(json.dumps(document))
    path.chmod(0o600)


@pytest.mark.proves("ATIP6-13-02")
def test_hand_written_shims_by_name_are_found(box, tmp_path):
    home = tmp_path / "home/.local/share/agent-tools"
    path = home / "shims" / "frob.json"
    path.parent.mkdir(parents=True)
    document = shim_of(FROB, description="by name")
    del document["binary"]
    path.write_text(json.dumps(document))
    assert asked(box) == "by name"


def test_a_copy_of_what_a_registry_said_does_not_answer_for_it(box, tmp_path):
    folder = tmp_path / "home/.local/share/agent-tools"
    path = folder / "shims/sha256" / f"{FROB[7:]}.json"
    path.parent.mkdir(parents=True)
    own = {"x-atip": {"registry": "https://gone.example"}}
    path.write_text(json.dumps(shim_of(FROB, **own)))
    assert asked(box) is None
