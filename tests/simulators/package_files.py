"""Packages of our own making in the real formats: `.deb` and its archive, wheels, npm archives."""

from __future__ import annotations

import base64
import hashlib
import io
import os
import pathlib
import subprocess
import tarfile
import typing
import zipfile

if typing.TYPE_CHECKING:
    from collections.abc import Mapping

    Files = Mapping[str, bytes | str | tuple[str, int]]

SCRIPT = """#!/bin/sh
# {name}
if [ "$1" = --help ] || [ "$1" = -h ]; then
  cat <<'END'
Usage: {name} [OPTION]... FILE

Count the words of a file.

Options:
  -o, --output FILE   write the result to FILE
  -q, --quiet         print nothing
{more}  -h, --help          show this help
END
  exit 0
fi
if [ "$1" = --version ]; then echo "{name} 1.0.0"; exit 0; fi
echo "$0: missing operand" >&2; exit 1
"""


def script(name: str, more: str = "") -> bytes:
    """A program that prints its help, in the plainest shell."""
    return SCRIPT.format(name=name, more=more).encode()


def make_tar(files: Files, mode: str = "w:gz", prefix: str = "./") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode, format=tarfile.GNU_FORMAT) as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(prefix + name)
            if isinstance(content, str):
                info.type, info.linkname = tarfile.SYMTYPE, content
                archive.addfile(info)
                continue
            info.size = len(content)
            info.mode = 0o755 if "/bin/" in f"/{name}" or content[:4] == b"\x7fELF" else 0o644
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def make_deb(name: str, files: Files, *, scripts: Mapping[str, bytes] | None = None) -> bytes:
    """A Debian package; `scripts` are maintainer scripts, which must never run."""
    control = f"Package: {name}\nVersion: 1.0-1\nArchitecture: amd64\nDescription: {name}\n"
    parts = [
        ("debian-binary", b"2.0\n"),
        ("control.tar.gz", make_tar({"control": control.encode(), **(scripts or {})})),
        ("data.tar.gz", make_tar(files)),
    ]
    out = b"!<arch>\n"
    for part, data in parts:
        out += f"{part:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(data):<10}`\n".encode() + data
        out += b"\n" * (len(data) % 2)
    return out


def system_files() -> dict[str, bytes]:
    """The shell of this machine with its libraries, and `cat`: the smallest system that runs a script."""
    files: dict[str, bytes] = {}
    for program in ("/bin/sh", "/bin/cat"):
        real = os.path.realpath(program)
        listed = subprocess.run(["ldd", real], capture_output=True, text=True, check=True).stdout
        paths = [word for word in listed.split() if word.startswith("/")]
        for path in (program, *paths):
            name = path.lstrip("/")
            name = name if name.startswith("usr/") else f"usr/{name}"
            files[name] = pathlib.Path(path).read_bytes()
    return files


class DebianArchive:
    """A flat archive of packages, and the configuration that makes apt use it and nothing else."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder / "archive"
        self.folder.mkdir(parents=True)
        self._paragraphs: dict[str, str] = {}
        source = folder / "sources.list"
        source.write_text(f"deb [trusted=yes] copy:{self.folder} ./\n")
        self.config = folder / "apt.conf"
        self.config.write_text(
            f'Dir::Etc::SourceList "{source}";\nDir::Etc::SourceParts "/dev/null";\n'
            f'Dir::State::status "{folder / "status"}";\nAPT::Architecture "amd64";\n'
        )
        (folder / "status").write_text("")
        self.add("base", make_deb("base", system_files()), "Essential: yes\n")

    def add(self, name: str, data: bytes, more: str = "", version: str = "1.0-1") -> None:
        """Publish a package; `more` are further fields of its paragraph."""
        file = f"{name}_{version}_amd64.deb"
        (self.folder / file).write_bytes(data)
        self._paragraphs[name] = (
            f"Package: {name}\nVersion: {version}\nArchitecture: amd64\nFilename: ./{file}\n"
            f"Size: {len(data)}\nSHA256: {hashlib.sha256(data).hexdigest()}\nInstalled-Size: 10\n"
            f"Description: count the words of files\n{more}"
        )
        (self.folder / "Packages").write_text("\n".join(self._paragraphs.values()))

    @property
    def environment(self) -> dict[str, str]:
        return {"APT_CONFIG": str(self.config)}


def _urlsafe(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")


def make_wheel(
    folder: pathlib.Path,
    name: str,
    files: Mapping[str, str],
    entry: str,
    version: str = "1.0",
    needs: str = "",
) -> pathlib.Path:
    """A wheel with one console script."""
    needed = f"Requires-Dist: {needs}\n" if needs else ""
    path = folder / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    held = {
        **files,
        f"{info}/entry_points.txt": f"[console_scripts]\n{name} = {entry}\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nSummary: Sort the lines of a file\n{needed}",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    rows = [f"{place},sha256={_urlsafe(text)},{len(text.encode())}" for place, text in held.items()]
    with zipfile.ZipFile(path, "w") as archive:
        for place, text in held.items():
            archive.writestr(place, text)
        archive.writestr(f"{info}/RECORD", "\n".join([*rows, f"{info}/RECORD,,", ""]))
    return path
