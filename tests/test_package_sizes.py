"""Packages show their parts, and a class name means one thing."""

from __future__ import annotations

import ast
import collections

from tests.shared import ROOT

SOURCE = ROOT / "src" / "atip"
MOST_MODULES = 12
"""In one folder, `__init__.py` aside; more are packages of their own."""


def test_no_folder_has_too_many_modules():
    folders = collections.Counter(
        path.parent.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if path.name != "__init__.py"
    )
    assert {name: count for name, count in folders.items() if count > MOST_MODULES} == {}


def test_a_public_class_name_means_one_thing():
    places = collections.defaultdict(list)
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(path.relative_to(SOURCE).as_posix())
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_every_folder_of_modules_is_a_package():
    """A folder without `__init__.py` is found more slowly, and left out by some tools."""
    folders = {path.parent for path in SOURCE.rglob("*.py")}
    assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []
