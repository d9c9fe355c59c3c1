"""A generic name that stands for an alternative has the manual of the alternative."""

from __future__ import annotations

import pathlib

import pytest

from atip.discovery.files import stubs


def test_alternative_is_named_by_its_second_link(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "alternatives"
    folder.mkdir()
    monkeypatch.setattr(stubs, "_ALTERNATIVES", f"{folder}/")
    (tmp_path / "table-new-save").write_text("")
    (folder / "table-save").symlink_to(tmp_path / "table-new-save")
    (tmp_path / "table-save").symlink_to(folder / "table-save")
    (tmp_path / "plain").symlink_to(tmp_path / "table-new-save")
    assert stubs.alternative_of(str(tmp_path / "table-save")) == "table-new-save"
    assert stubs.alternative_of(str(tmp_path / "plain")) == ""
    assert stubs.alternative_of(str(tmp_path / "table-new-save")) == ""
