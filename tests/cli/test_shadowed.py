"""Another distribution named `atip` that lies over ours: one warning, and the command still works."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.shared import ROOT


def test_another_atip_over_ours_is_reported(tmp_path):
    package = tmp_path / "atip"
    package.mkdir()
    for child in (ROOT / "src" / "atip").iterdir():
        if child.name not in ("__init__.py", "__pycache__"):
            (package / child.name).symlink_to(child)
    (package / "__init__.py").write_text('__version__ = "1.0.0"\n')
    code = "import sys; from atip.cli.main import main; sys.exit(main(['--version']))"
    env = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("atip ")
    assert done.stderr.startswith("warning: another package named `atip` shadows this one")
    assert "pip install --force-reinstall atip-cli" in done.stderr


def test_nothing_is_said_where_ours_is_alone():
    code = "import sys; from atip.cli.main import main; sys.exit(main(['--version']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
