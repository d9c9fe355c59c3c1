"""A small system of its own, as the files of a container image: a shell, `ls`, `cat`, their libraries, and one program."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

PROGRAMS = ("sh", "ls", "cat")
DEMO = """#!/bin/sh
case $1 in
--version) echo demo 1.3.0 ;;
where) pwd ;;
system) cat /etc/this-image ;;
look) ls -A "$2" ;;
read) cat "$2" ;;
write) echo written > "$2" ;;
esac
"""


def make_root(folder: Path, *, demo: str = DEMO) -> Path:
    """Lay the system out below `folder`; `/bin` and `/lib` are links, as in most images."""
    for name in ("usr/bin", "usr/lib", "usr/lib64", "etc", "tmp", "var/lib/demo"):
        (folder / name).mkdir(parents=True)
    for name in ("bin", "lib", "lib64"):
        (folder / name).symlink_to(f"usr/{name}")
    for name in PROGRAMS:
        real = os.path.realpath(f"/bin/{name}")
        shutil.copy(real, folder / "usr/bin" / name)
        for library in _libraries(real):
            target = (
                folder / "usr" / os.path.realpath(os.path.dirname(library)).removeprefix("/usr/")
            )
            target.mkdir(parents=True, exist_ok=True)
            shutil.copy(os.path.realpath(library), target / os.path.basename(library))
            if os.path.basename(library).startswith("ld-"):
                shutil.copy(
                    os.path.realpath(library), folder / "usr/lib64" / os.path.basename(library)
                )
    (folder / "etc/this-image").write_text("a small system\n")
    (folder / "usr/bin/demo").write_text(demo)
    (folder / "usr/bin/demo").chmod(0o755)
    return folder


def make_tar(root: Path, path: Path) -> Path:
    """The files as an image's export has them."""
    with tarfile.open(path, "w") as archive:
        archive.add(root, arcname=".")
    return path


def _libraries(program: str) -> list[str]:
    said = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    words = (word for line in said.splitlines() for word in line.split())
    return [word for word in words if word.startswith("/")]
