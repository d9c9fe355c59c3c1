"""MkDocs: pages from files outside of `docs/`, so that no link of the site leads nowhere.

The README is the start page. Other files of the project that a page links to (changelog, benchmarks, examples, sources) become
pages below `project/`: Markdown as it is, everything else as a listing.
"""

from __future__ import annotations

import os
import pathlib
import posixpath
import re
import typing

from mkdocs.structure.files import File

if typing.TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
_LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)\s]*)?\))")
_COMMENT = re.compile(r"^<!-- [a-z: -]+ -->\n", re.M)
"""Marks for the tests that run the blocks."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the start page and every linked file of the project."""
    files.append(File.generated(config, "index.md", content=(ROOT / "README.md").read_text()))
    pending = [
        DOCS / file.src_uri for file in files.documentation_pages() if file.src_uri != "index.md"
    ]
    pending.append(ROOT / "README.md")
    seen: set[pathlib.Path] = set()
    while pending:
        page = pending.pop()
        for target in _linked(page):
            if target not in seen and not target.is_relative_to(DOCS) and target.is_file():
                seen.add(target)
                files.append(File.generated(config, _place(target), content=_content(target)))
                if target.suffix == ".md":
                    pending.append(target)
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links as they must be on the site; marks of the tests are left out."""
    origin = _origin(page.file.src_uri)

    def replace(match: re.Match[str]) -> str:
        target = _resolve(origin, match.group(2))
        if target is None:
            return match.group()
        if target.is_dir():
            return f"{match.group(1)}{_relative('reference/cli.md', page)}{match.group(3)}"
        place = _place(target)
        return f"{match.group(1)}{_relative(place, page)}{match.group(3)}"

    return _COMMENT.sub("", _LINK.sub(replace, markdown))


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """What readers without a mouse or a screen need: the search has a name, wide tables can be reached by keyboard."""
    output = output.replace('role="dialog">', 'role="dialog" aria-label="Search">')
    return re.sub(r"<table>", '<table tabindex="0">', output)


def _origin(uri: str) -> pathlib.Path:
    """The file that a page was made from."""
    if uri == "index.md":
        return ROOT / "README.md"
    if uri.startswith("project/"):
        return ROOT / uri.removeprefix("project/").removesuffix(".listing.md")
    return DOCS / uri


def _linked(page: pathlib.Path) -> typing.Iterator[pathlib.Path]:
    for match in _LINK.finditer(page.read_text()):
        target = _resolve(page, match.group(2))
        if target is not None:
            yield target


def _resolve(page: pathlib.Path, link: str) -> pathlib.Path | None:
    if "://" in link or link.startswith("mailto:"):
        return None
    target = pathlib.Path(os.path.normpath(page.parent / link))
    return target if target.exists() and target.is_relative_to(ROOT) else None


def _place(target: pathlib.Path) -> str:
    """Where a file stands on the site."""
    if target == ROOT / "README.md":
        return "index.md"
    if target.is_relative_to(DOCS):
        return target.relative_to(DOCS).as_posix()
    name = target.relative_to(ROOT).as_posix()
    return f"project/{name}" if target.suffix == ".md" else f"project/{name}.listing.md"


def _content(target: pathlib.Path) -> str:
    text = target.read_text()
    if target.suffix == ".md":
        return text
    kind = {".py": "python", ".sh": "bash", ".json": "json"}.get(target.suffix, "text")
    return f"# {target.relative_to(ROOT)}\n\n````{kind}\n{text}\n````\n"


def _relative(place: str, page: Page) -> str:
    return posixpath.relpath(place, posixpath.dirname(page.file.src_uri) or ".")
