"""The judge for the browser: our own pure modules with the knowledge pack, and Python compiled to WebAssembly.

Python comes from the npm package `pyodide`; it is taken from a `node_modules` folder when a site is built and never
lies in this project. Nothing is installed here: the caller names the folder.
"""

from __future__ import annotations

import io
import os
import zipfile
from typing import TYPE_CHECKING

from atip.errors import NotFoundError
from atip.model.reading.shim_records import encode_text

if TYPE_CHECKING:
    from collections.abc import Iterator

PYODIDE = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
)
"""Files of the package that a page loads."""
FOLDER = "explain/judge/"
OURS = "atip.zip"
_PACKAGES = ("model", "calls", "policy", "knowledge")
_MODULES = (
    "__init__.py",
    "errors.py",
    "version.py",
    "workflows/__init__.py",
    "workflows/explain_page.py",
    "workflows/judge.py",
    "workflows/lookup.py",
    "pages/__init__.py",
    "pages/badges.py",
    "pages/line_words.py",
)
_RE2 = """\"\"\"The part of RE2 that the judge uses, on the standard engine: only the visitor's own tab can be slowed down.\"\"\"
import re

error = re.error
_REFUSED = re.compile(r"\\(\\?(?:[=!>]|<[=!]|P=)|\\\\[1-9]")


class Options:
    case_sensitive = True


def compile(pattern, options=None):
    if _REFUSED.search(pattern):
        raise error("not to be had in linear time")
    return re.compile(pattern, 0 if options is None or options.case_sensitive else re.I)
"""
"""Compiled packages do not exist in the page. Patterns that RE2 refuses are refused here too."""
_EPOCH = (1980, 1, 1, 0, 0, 0)
_SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def judge_files(node_modules: str) -> dict[str, bytes]:
    """Everything that the page loads to explain a line, by path in the site.

    Raises:
        NotFoundError: `site.no-pyodide`.
    """
    folder = os.path.join(node_modules, "pyodide")
    files = {}
    for name in PYODIDE:
        try:
            with open(os.path.join(folder, name), "rb") as file:
                files[FOLDER + name] = file.read()
        except FileNotFoundError as error:
            raise NotFoundError(
                "site.no-pyodide",
                f"`{folder}` has no `{name}`",
                hint="npm install pyodide, and name its node_modules folder",
            ) from error
    files[FOLDER + OURS] = _pack()
    sizes = {path.removeprefix(FOLDER): len(data) for path, data in files.items()}
    files[f"{FOLDER}files.json"] = encode_text(sizes).encode()
    return files


def _pack() -> bytes:
    """Our modules in one archive; the same bytes for the same source."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("re2.py", _EPOCH), _RE2, zipfile.ZIP_DEFLATED)
        for name in sorted(_names()):
            with open(os.path.join(_SOURCE, name), "rb") as file:
                archive.writestr(
                    zipfile.ZipInfo(f"atip/{name}", _EPOCH), file.read(), zipfile.ZIP_DEFLATED
                )
    return written.getvalue()


def _names() -> Iterator[str]:
    yield from _MODULES
    for package in _PACKAGES:
        for folder, inner, files in os.walk(os.path.join(_SOURCE, package)):
            inner[:] = [name for name in inner if name not in ("__pycache__", "tools", "schemas")]
            for name in files:
                if name.endswith((".py", ".json")):
                    yield os.path.relpath(os.path.join(folder, name), _SOURCE).replace(os.sep, "/")
