"""What `doctor` proves, and the sandbox on a Python that is not the system's."""

from __future__ import annotations

import os
import sys

import pytest

from atip.model.permissions.confinement import Confinement
from atip.sandbox.bubblewrap import system_view
from atip.sandbox.layers import check_layers
from atip.sandbox.probes.probe import ProbeSandbox
from tests.integration.sandbox.confined import go

pytestmark = pytest.mark.sandbox


def test_every_required_layer_is_proved_here() -> None:
    layers = check_layers()
    assert [layer.name for layer in layers if layer.required and not layer.works] == []
    assert {"bubblewrap", "namespaces", "seccomp", "unprivileged", "noexec"} <= {
        layer.name for layer in layers
    }
    assert all(layer.works or layer.how_to_get for layer in layers)


def test_missing_bubblewrap_is_said_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("atip.sandbox.bubblewrap.namespaces.SEARCH", ())
    broken = [layer for layer in check_layers() if not layer.works and layer.required]
    assert [layer.name for layer in broken] == ["bubblewrap", "namespaces"]
    assert all(layer.how_to_get for layer in broken)


@pytest.mark.skipif(
    os.path.realpath(sys.base_prefix).startswith("/usr"), reason="runs on the system Python"
)
def test_another_python_than_the_systems_serves_as_launcher(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = system_view.Interpreter(
        program=os.path.realpath(sys.executable), tree=os.path.realpath(sys.base_prefix)
    )
    monkeypatch.setattr(system_view, "find_interpreter", lambda: own)
    with ProbeSandbox() as box:
        assert box.run(["/bin/echo", "hi"]).stdout == b"hi\n"
    assert go(Confinement(), "/bin/echo", "hi").out == "hi\n"
    spawning = Confinement(exec_allow=True, exec_spawn=("cat",))
    result = go(spawning, "/bin/bash", "-c", f"{own.program} -c 'print(1)'; cat /etc/hosts")
    assert "localhost" in result.out and result.err, result
