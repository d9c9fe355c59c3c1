"""RPM repositories of our own making, by the real `rpmbuild` and `createrepo_c`, and hostile packages by hand."""

from __future__ import annotations

import gzip
import pathlib
import shutil
import subprocess

import pytest

SPEC = """Name: {name}
Version: 1.0
Release: 1
Summary: count the words of files
License: MIT
URL: https://example.test/{name}
AutoReqProv: no
{more}
%description
Counts words.
%install
mkdir -p %{{buildroot}}
cp -a {tree}/. %{{buildroot}}/
%post
touch {marker}
%files
/usr
"""


def needs_rpm() -> None:
    for program in ("rpmbuild", "createrepo_c"):
        if not shutil.which(program):
            pytest.skip(f"{program} is not installed")


def make_rpm(
    folder: pathlib.Path, name: str, files: dict[str, bytes], more: str = "", payload: str = "w6.xzdio"
) -> pathlib.Path:  # fmt: skip
    """A package whose scriptlet would touch `folder/ran`; `payload` as rpm writes it: `w9.gzdio`, `w6.xzdio`, `w3.zstdio`."""
    work = folder / f"build-{name}"
    tree = work / "tree"
    for place, data in files.items():
        path = tree / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod(0o755)
    spec = work / f"{name}.spec"
    spec.write_text(SPEC.format(name=name, tree=tree, more=more, marker=folder / "ran"))
    defines = {"_topdir": work, "_binary_payload": payload, "debug_package": "%{nil}"}
    defines["__os_install_post"] = "%{nil}"
    words = [word for key, value in defines.items() for word in ("--define", f"{key} {value}")]
    done = subprocess.run(["rpmbuild", "-bb", *words, str(spec)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (made,) = work.rglob("*.rpm")
    return made


def make_repository(folder: pathlib.Path, rpms: list[pathlib.Path], compress: str = "gz") -> None:
    for one in rpms:
        shutil.copy(one, folder)
    words = ["createrepo_c", "-q", "--general-compress-type", compress, str(folder)]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def cpio(*members: tuple[str, int, bytes], inode: int = 1, links: int = 1) -> bytes:
    """A `newc` archive of (name, mode, data)."""
    out = b""
    for number, (name, mode, data) in enumerate((*members, ("TRAILER!!!", 0, b""))):
        fields = [inode + number, mode, 0, 0, links, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0]
        head = b"070701" + b"".join(b"%08x" % field for field in fields) + name.encode() + b"\0"
        head += b"\0" * (-len(head) % 4)
        out += head + data + b"\0" * (-len(data) % 4)
    return out


def rpm(payload: bytes) -> bytes:
    """The least that has the shape of a package: lead, two empty headers, compressed payload."""
    header = b"\x8e\xad\xe8\x01" + b"\0" * 12
    return b"\xed\xab\xee\xdb" + b"\0" * 92 + header + header + gzip.compress(payload)
