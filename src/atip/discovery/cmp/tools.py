"""CMP tools on this machine: the folders below `~/.cmp/tools` and configured places.

Four levels, each of which reads only its own files (CMP 0.2.0 §5.4): `folders` lists names, `manifests` reads one
small file per tool, `capability` reads the second file of one chosen tool; the fourth is running. Always
read afresh, so a tool that was copied in is there at once. Executes nothing. Implements §3.3, §4.3, §5, §7, §9.
"""

from __future__ import annotations

import contextlib
import os

from atip.codecs.cmp import codec as cmp
from atip.codecs.cmp.document import CmpManifest, Reader
from atip.errors import AtipError, FormatError, NotFoundError
from atip.model.problems import Problem
from atip.model.reading.reader import read_json
from atip.model.value import Value
from atip.system.files import read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from atip.codecs.interface import Decoded

FOLDER = os.path.join(".cmp", "tools")
SYSTEM = "/usr/local/share/cmp/tools"
"""Scanned by routers of 0.1.0; read after the user's own folder."""
HOLDERS = ("cmp", ".cmp")
"""In order of preference (§3.3, §4.3)."""
MAX_BYTES = 1_000_000
MAX_TOOLS = 20_000


class CmpFolder(Value):
    """One tool folder; nothing in it has been read (level 0)."""

    name: str
    path: str


class CmpTool(Value):
    """A folder whose manifest has been read (level 1)."""

    folder: CmpFolder
    manifest: CmpManifest
    problems: tuple[Problem, ...] = ()

    @property
    def key(self) -> str:
        return self.manifest.key


class CmpTools(Value):
    """Every tool found, and what is wrong with the others."""

    tools: tuple[CmpTool, ...]
    problems: tuple[Problem, ...] = ()


def places(home: str, configured: object = ()) -> list[str]:
    """Folders to search: the canonical folder first, then the user's configured ones, then the system's."""
    more = (
        [p for p in configured if isinstance(p, str)]
        if isinstance(configured, (list, tuple))
        else []
    )
    expanded = [os.path.join(home, p[2:]) if p.startswith("~/") else p for p in more]
    return [os.path.join(home, FOLDER), *(p for p in expanded if os.path.isabs(p)), SYSTEM]


def folders(where: Sequence[str]) -> list[CmpFolder]:
    """Level 0: names only, by place and then by name."""
    cmp_folders: list[CmpFolder] = []
    for place in where:
        try:
            with os.scandir(place) as entries:
                names = sorted(entry.name for entry in entries if entry.is_dir())
        except OSError:
            continue
        cmp_folders += [CmpFolder(name=name, path=os.path.join(place, name)) for name in names]
    return cmp_folders[:MAX_TOOLS]


def folder_at(path: str) -> CmpFolder:
    """The tool folder at a path."""
    return CmpFolder(name=os.path.basename(path), path=path)


def manifests(where: Sequence[str]) -> CmpTools:
    """Level 1: one manifest per folder. Equal names in two domains stay apart; of equal keys the first wins."""
    tools: dict[str, CmpTool] = {}
    problems: list[Problem] = []
    for folder in folders(where):
        try:
            tool = read_manifest(folder)
        except AtipError as error:
            problems.append(_problem(folder.path, error.code, error.message))
            continue
        if tool.key in tools:
            message = f"`{tool.key}` is already at {tools[tool.key].folder.path}"
            problems.append(_problem(folder.path, "cmp.twice", message))
        else:
            tools[tool.key] = tool
    return CmpTools(tools=tuple(tools.values()), problems=tuple(problems))


def read_manifest(folder: CmpFolder) -> CmpTool:
    """The manifest of one folder.

    Raises:
        FormatError: `cmp.invalid`.
        NotFoundError: `cmp.no-manifest`.
    """
    _, value = _document(folder, "manifest")
    reader = Reader()
    manifest = reader.manifest(value, folder=folder.name)
    if manifest is None:
        raise FormatError("cmp.invalid", reader.problems[0].message, problems=reader.problems)
    return CmpTool(folder=folder, manifest=manifest, problems=tuple(reader.problems))


def capability(folder: CmpFolder, *, strict: bool = False) -> Decoded:
    """Level 2: one chosen tool, whole.

    Raises:
        FormatError: `cmp.invalid` with all problems.
        NotFoundError: `cmp.no-manifest`, `cmp.no-capability`.
    """
    first, manifest = _document(folder, "manifest")
    second, document = _document(folder, "capability")
    documents: dict[str, Any] = {"manifest": manifest, "capability": document}
    with contextlib.suppress(NotFoundError):
        documents["examples"] = _document(folder, "examples")[1]
    decoded = cmp.decode(documents, origin=folder.name, strict=strict)
    if first != second:
        message = f"the manifest is in `{first}/`, the capability in `{second}/`"
        split = Problem(path="$", code="cmp.split", message=message, severity="warning")
        return decoded.replace(problems=(*decoded.problems, split))
    return decoded


def find_tool(where: Sequence[str], name: str) -> CmpTool:
    """A tool by `domain/name`, by name, or by folder.

    Raises:
        NotFoundError: `cmp.not-found`.
        FormatError: `cmp.ambiguous` when a name is in several domains.
    """
    tools = manifests(where).tools
    exact = [tool for tool in tools if tool.key == name]
    matches = exact or [tool for tool in tools if name in (tool.manifest.name, tool.folder.name)]
    if len(matches) > 1:
        keys = ", ".join(tool.key for tool in matches)
        raise FormatError(
            "cmp.ambiguous", f"`{name[:80]}` is in several domains", hint=f"one of {keys}"
        )
    if not matches:
        raise NotFoundError(
            "cmp.not-found", f"no CMP tool `{name[:80]}`", hint="run `atip cmp list`"
        )
    return matches[0]


def find_program(tool: CmpTool, path: str) -> str | None:
    """The executable: in the tool's own `bin/`, else on the PATH (§9.1)."""
    import shutil

    program = tool.manifest.program
    if os.sep in program:
        return None
    bundled = os.path.join(tool.folder.path, "bin", program)
    if os.path.isfile(bundled) and os.access(bundled, os.X_OK):
        return bundled
    return shutil.which(program, path=path)


def missing_domains(tool: CmpTool, tools: Sequence[CmpTool]) -> list[str]:
    """Domains that the tool requires and nothing here provides (§3.1)."""
    available = {other.manifest.domain for other in tools if other.key != tool.key}
    return [domain for domain in tool.manifest.requires or () if domain not in available]


def stamp_of(folder: CmpFolder) -> str:
    """Changes when a document of the tool changes; reads none."""
    marks = []
    for document in ("manifest", "capability", "examples"):
        for holder in HOLDERS:
            try:
                status = os.stat(f"{folder.path}/{holder}/{document}.json")
            except OSError:
                continue
            marks.append(
                f"{status.st_ino}:{status.st_size}:{status.st_mtime_ns}:{status.st_ctime_ns}"
            )
            break
    return " ".join(marks)


def _document(folder: CmpFolder, name: str) -> tuple[str, object]:
    """(holder, content) of a document of the tool, from the preferred place that has it."""
    for holder in HOLDERS:
        path = os.path.join(folder.path, holder, f"{name}.json")
        try:
            return holder, read_json(read_bytes(path, MAX_BYTES))
        except NotFoundError:
            continue
    raise NotFoundError(
        f"cmp.no-{name}",
        f"`{folder.name}` has no `{name}.json` in `cmp/` or `.cmp/`",
        hint="see docs/formats/cmp.md",
    )


def _problem(path: str, code: str, message: str) -> Problem:
    return Problem(path=path, code=code, message=message, severity="warning")
