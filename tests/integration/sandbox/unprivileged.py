"""Start Python as another, unprivileged user, for tests that run as root."""

from __future__ import annotations

import os
import pathlib
import shutil
import sys
import sysconfig

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
UID = 65533


def system_python() -> list[str]:
    """Command that starts a Python of our version as a user without rights.

    The interpreter of the tests may lie in a home directory that such a user cannot enter, so
    the system's is taken, with our packages on its path.
    """
    python = shutil.which(f"python3.{sys.version_info.minor}", path="/usr/bin:/usr/local/bin")
    setpriv = shutil.which("setpriv")
    if python is None or setpriv is None:
        pytest.skip("needs `setpriv` and a system Python of the same version")
    if os.geteuid() != 0:
        return [python]
    drop = [setpriv, f"--reuid={UID}", f"--regid={UID}", "--clear-groups"]
    return [*drop, python]


def environment() -> dict[str, str]:
    """Variables for `system_python`: our packages, and nothing of the caller."""
    packages = sysconfig.get_paths()["purelib"]
    return {
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), packages)),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
