"""The bars of the help benchmark, read in place; skipped where the data is not."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.shared import ROOT, shared


@pytest.mark.proves("ATIP6-4.10.4-01")
def test_helpbench_bars_are_held(tmp_path) -> None:
    bench = shared("helpbench")
    out = tmp_path / "figures.json"
    adapter = f"{sys.executable} {ROOT / 'benchmarks' / 'adapters' / 'help.py'}"
    command = [sys.executable, str(bench / "score.py"), "--corpus", str(bench / "dev.jsonl.gz")]
    subprocess.run(
        [*command, "--cmd", adapter, "--json", str(out)], check=True, capture_output=True
    )
    result = json.loads(out.read_text("utf-8"))
    figures = result["figures"]["ALL"]
    assert result["bad_answers"] == 0
    assert figures["flag"]["macro_f1"] >= 0.98
    assert figures["takes_value"]["e2e_macro"] >= 0.97
    assert figures["sub"]["macro_f1"] >= 0.97
    assert figures["choices"]["macro_f1"] >= 0.90
    assert figures["args"]["macro_f1"] >= 0.90
    assert figures["flag"]["mentioned_recall"] >= 0.60
