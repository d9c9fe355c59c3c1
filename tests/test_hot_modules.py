"""The commands of an agent's every step load no `typing`; modules that they do not load import it as usual."""

from __future__ import annotations

import pathlib

import pytest

from scripts import hot_modules
from tests.shared import ROOT


@pytest.fixture(scope="module")
def hot() -> frozenset[str]:
    return hot_modules.measure()


@pytest.mark.sandbox
def test_only_modules_of_hot_commands_use_the_constant(hot):
    """`python scripts/hot_modules.py --write` corrects what is listed here."""
    wrong = hot_modules.misspelled(hot)
    assert [path.relative_to(ROOT).as_posix() for path in wrong] == []


@pytest.mark.sandbox
def test_what_is_measured_is_what_the_commands_need(hot):
    expected = {
        "atip.policy.decide",
        "atip.cli.quick",
        "atip.sandbox.bubblewrap.backend",
        "atip.search.index",
    }
    assert expected <= hot
    assert not {
        name for name in hot if name.split(".")[1:2] in (["server"], ["crawler"], ["pages"])
    }


def test_both_mistakes_are_found_and_corrected(tmp_path, monkeypatch):
    monkeypatch.setattr(hot_modules, "SOURCE", tmp_path)
    (tmp_path / "hot.py").write_text(
        "from __future__ import annotations\n\nfrom typing import TYPE_CHECKING, Any\n\nif TYPE_CHECKING:\n    import os\n"
    )
    (tmp_path / "cold.py").write_text(
        "from __future__ import annotations\n\nTYPE_CHECKING = False\nif TYPE_CHECKING:\n    import os\n"
    )
    hot = frozenset({"atip.hot"})
    wrong = hot_modules.misspelled(hot)
    assert [path.name for path in wrong] == ["cold.py", "hot.py"]
    for path in wrong:
        hot_modules.correct(path, hot)
        compile(pathlib.Path(path).read_text(), path, "exec")
    assert hot_modules.misspelled(hot) == []
