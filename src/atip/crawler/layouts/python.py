"""Wheels: packages side by side on one search path, and a script for each entry point. Nothing is installed.

The script is byte for byte what `pip` writes for the system's interpreter, so that its digest equals that of an
installed script.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from atip.crawler.layouts.interface import PackagedProgram, PackageLayout
from atip.errors import FormatError
from atip.sandbox.bubblewrap.system_view import find_interpreter
from atip.system.archives.unpack import open_to_sandbox, unpack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from atip.crawler.layouts.interface import LayoutFolders
    from atip.crawler.packages import Package

SYSTEM = "/usr/bin/python3"
MAX_LINE = 4096
_ENTRY = re.compile(r"^\s*([A-Za-z0-9._-]{1,100})\s*=\s*([A-Za-z_][\w.]*)\s*:\s*([A-Za-z_]\w*)")
_SCRIPT = """#!{interpreter}
import sys
from {module} import {function}
if __name__ == '__main__':
    sys.argv[0] = sys.argv[0].removesuffix('.exe')
    sys.exit({function}())
"""


def arrange(package: Package, folders: LayoutFolders) -> PackageLayout:
    """Unpack the wheel and what it needs, and write its scripts.

    Raises:
        FormatError: `archive.*`, `format.*`, `crawl.no-entry-points`.
    """
    interpreter = find_interpreter()
    site = os.path.join(folders.folder, "lib", "python3", "site-packages")
    os.makedirs(site)
    paths = []
    for number, need in enumerate((package.own, *package.needs)):
        folder = os.path.join(folders.folder, "wheels", str(number))
        unpack(folders.blob(need.digest), folder)
        paths.append(folder)
    bin_folder = os.path.join(folders.folder, "bin")
    os.mkdir(bin_folder)
    shebang = SYSTEM if os.path.exists(SYSTEM) else interpreter.program
    programs = [
        *_entry_points(paths[0], bin_folder, shebang),
        *_scripts(paths[0], bin_folder, shebang),
    ]
    if not programs:
        raise FormatError("crawl.no-entry-points", "the wheel declares no console scripts")
    open_to_sandbox(folders.folder)
    visible_paths = (folders.folder, interpreter.tree) if interpreter.tree else (folders.folder,)
    return PackageLayout(
        programs=tuple(programs),
        visible=visible_paths,
        prefixes=(os.path.join(paths[0], "share"), *_data(paths[0])),
        environment={"PYTHONPATH": ":".join(paths), "PYTHONDONTWRITEBYTECODE": "1"},
    )


def _entry_points(wheel: str, folder: str, shebang: str) -> Iterator[PackagedProgram]:
    for name, (module, function) in sorted(read_entry_points(wheel).items()):
        path = os.path.join(folder, name)
        text = _SCRIPT.format(interpreter=shebang, module=module, function=function)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)  # noqa: S103
        yield PackagedProgram(name=name, path=path)


def read_entry_points(wheel: str) -> dict[str, tuple[str, str]]:
    """Name → module and function, from `entry_points.txt` of an unpacked wheel."""
    entry_points: dict[str, tuple[str, str]] = {}
    for entry in sorted(os.listdir(wheel)):
        path = os.path.join(wheel, entry, "entry_points.txt")
        if not entry.endswith(".dist-info") or not os.path.isfile(path):
            continue
        section = ""
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file.read(200_000).splitlines():
                if line.startswith("["):
                    section = line.strip("[] \t")
                elif section == "console_scripts" and (entry_point := _ENTRY.match(line)):
                    entry_points[entry_point[1]] = (entry_point[2], entry_point[3])
    return entry_points


def _scripts(wheel: str, folder: str, shebang: str) -> Iterator[PackagedProgram]:
    """Programs in `NAME.data/scripts` of a wheel: binaries unchanged, scripts with the first line that `pip` writes."""
    for entry in sorted(os.listdir(wheel)):
        scripts = os.path.join(wheel, entry, "scripts")
        if not entry.endswith(".data") or not os.path.isdir(scripts):
            continue
        for name in sorted(os.listdir(scripts)):
            path = os.path.join(scripts, name)
            with open(path, "rb") as file:
                head, rest = file.readline(MAX_LINE), file.read()
            if head.startswith(b"#!python"):
                path = os.path.join(folder, name)
                if os.path.lexists(path):  # an entry point of the same name
                    continue
                with open(path, "xb") as script:
                    script.write(f"#!{shebang}\n".encode() + rest)
            elif not head.startswith(b"\x7fELF"):
                continue
            os.chmod(path, 0o755)  # noqa: S103
            yield PackagedProgram(name=name, path=path)


def _data(wheel: str) -> list[str]:
    """Prefixes of manual pages and completions that a wheel carries (`NAME.data/data`)."""
    entries = [entry for entry in sorted(os.listdir(wheel)) if entry.endswith(".data")]
    return [os.path.join(wheel, entry, "data") for entry in entries]
