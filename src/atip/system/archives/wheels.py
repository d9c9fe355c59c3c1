"""Wheels: whether the content of an archive matches its own list, and its scripts have plain names. Pure.

An installer follows RECORD and `entry_points.txt`; a reader of files does not. Where the two would see different things the
wheel is refused (binary distribution format, "The .dist-info directory").
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import re
from typing import TYPE_CHECKING

from atip.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Mapping

_INFO = re.compile(r"([^/]+)\.dist-info/WHEEL")
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._+-]{0,127}")
_UNLISTED = ("RECORD", "RECORD.jws", "RECORD.p7s")
_HASHES = ("sha256", "sha384", "sha512")


def check_wheel(files: Mapping[str, bytes]) -> None:
    """Check the RECORD, the hashes and the script names of a wheel; archives that are not wheels pass.

    Raises:
        FormatError: `archive.wheel`.
    """
    names = [match[1] for name in files if (match := _INFO.fullmatch(name))]
    if not names:
        return
    if len(names) > 1:
        raise _error("it describes two packages")
    info = f"{names[0]}.dist-info"
    record = _read_record(files.get(f"{info}/RECORD"))
    own = {f"{info}/{name}" for name in _UNLISTED}
    if files.keys() - own != record.keys() - own:
        raise _error("its RECORD does not match its files")
    for name, expected in record.items():
        if name not in own and not _matches_hash(files[name], expected):
            raise _error("a file does not match its hash in RECORD")
    for script in _scripts(files, info):
        if not _NAME.fullmatch(script):
            raise _error("a script has a name that is not a plain file name")


def _read_record(record: bytes | None) -> dict[str, str]:
    if record is None:
        raise _error("it has no RECORD")
    rows = [row for row in csv.reader(io.StringIO(record.decode("utf-8", "replace"))) if row]
    names = [row[0] for row in rows]
    if len(names) != len(set(names)) or any(len(row) != 3 for row in rows):
        raise _error("its RECORD is damaged")
    return {row[0]: row[1] for row in rows}


def _matches_hash(data: bytes, expected: str) -> bool:
    algorithm, _, digest = expected.partition("=")
    if algorithm not in _HASHES:
        return False
    actual = base64.urlsafe_b64encode(hashlib.new(algorithm, data).digest()).rstrip(b"=")
    return actual.decode() == digest


def _scripts(files: Mapping[str, bytes], info: str) -> list[str]:
    """Names that an installer would put among the programs."""
    text = files.get(f"{info}/entry_points.txt", b"").decode("utf-8", "replace")
    scripts: list[str] = []
    section = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            section = line.strip("[]").strip()
        elif section in ("console_scripts", "gui_scripts") and line and line[0] not in "#;":
            scripts.append(line.partition("=")[0].strip())
    data = f"{info.removesuffix('.dist-info')}.data/scripts/"
    return scripts + [name.removeprefix(data) for name in files if name.startswith(data)]


def _error(why: str) -> FormatError:
    return FormatError("archive.wheel", f"this wheel is refused: {why}")
