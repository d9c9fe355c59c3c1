"""Archives of strangers: what is good is unpacked, everything else is refused whole and leaves nothing."""

from __future__ import annotations

import gzip
import io
import os
import random
import tarfile
import zipfile

import pytest

from atip.errors import FormatError
from atip.system.unpack import read_archive, unpack


def tar(*members: tuple[str, bytes | str | int], compress: bool = True) -> bytes:
    """Members as (name, content), (name, `-> target` of a link), (name, `=> file` of a hard link), (name, kind)."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.mode = 0o755
            if isinstance(content, bytes):
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
                continue
            if isinstance(content, int):
                info.type = bytes([content])
            else:
                arrow, info.linkname = content.split(" ", 1)
                info.type = tarfile.SYMTYPE if arrow == "->" else tarfile.LNKTYPE
            archive.addfile(info)
    return gzip.compress(out.getvalue()) if compress else out.getvalue()


def zipped(*members: tuple[str, bytes], mode: int = 0o100755) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members:
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            archive.writestr(info, content)
    return out.getvalue()


def debian(*members: tuple[bytes, bytes]) -> bytes:
    data = b"!<arch>\n"
    for name, content in members:
        data += name.ljust(16) + b"0".ljust(12) + b"0".ljust(6) + b"0".ljust(6) + b"100644".ljust(8)
        data += str(len(content)).encode().ljust(10) + b"`\n" + content + b"\n" * (len(content) % 2)
    return data


GOOD = {
    "gzip": tar(("tool/bin/t", b"#!x"), ("tool/bin/l", "-> t"), ("tool/h", "=> tool/bin/t")),
    "plain": tar(("./bin/t", b"#!x"), compress=False),
    "zip": zipped(("bin/t", b"#!x"), ("bin/", b"")),
    "deb": debian(
        (b"debian-binary", b"2.0\n"),
        (b"control.tar.gz", tar(("./postinst", b"#!/bin/sh\ntouch /tmp/deb-ran\n"))),
        (b"data.tar.gz", tar(("./usr/bin/t", b"#!x"))),
    ),
}
BAD = {
    "dotdot": tar(("../evil", b"x")),
    "deep dotdot": tar(("a/../../evil", b"x")),
    "absolute": tar(("/tmp/evil", b"x")),
    "link out": tar(("l", "-> ../x")),
    "absolute link": tar(("l", "-> /etc/passwd")),
    "below a link": tar(("d", "-> e"), ("d/x", b"x")),
    "over a link": tar(("d", "-> e"), ("d", b"x")),
    "hard link out": tar(("h", "=> ../../etc/passwd")),
    "device": tar(("d", tarfile.BLKTYPE[0])),
    "fifo": tar(("p", tarfile.FIFOTYPE[0])),
    "twice": tar(("x", b"1"), ("x", b"2")),
    "case": tar(("Bin", b"1"), ("bin", b"2")),
    "control": tar(("a\x1b[2Jb", b"x")),
    "line": tar(("a\nb", b"x")),
    "bidi": tar(("\u202etxt.exe", b"x")),
    "backslash": zipped(("..\\evil", b"x")),
    "drive": zipped(("C:/evil", b"x")),
    "zip link": zipped(("l", b"/etc"), mode=0o120777),
    "zip dotdot": zipped(("../evil", b"x")),
    "zip dotdot folder": zipped(("../evil/", b"")),
    "empty": gzip.compress(b""),
    "no archive": b"hello",
    "nothing": b"",
    "truncated": tar(("x", bytes(50_000)))[:-40],
    "bomb": tar(("z", bytes(40_000_000))),
    "deb without data": debian((b"debian-binary", b"2.0\n")),
    "deb cut": debian((b"data.tar.gz", b"x" * 30))[:-8],
}


@pytest.mark.parametrize("kind", GOOD)
def test_good_archives_are_unpacked(kind, tmp_path):
    unpack(GOOD[kind], str(tmp_path / "out"))
    (found,) = [path for path in (tmp_path / "out").rglob("t") if not path.is_symlink()]
    assert found.read_bytes() == b"#!x"
    assert os.access(found, os.X_OK)
    assert not list((tmp_path / "out").rglob("postinst"))


def test_links_inside_stay_links_and_hard_links_become_copies(tmp_path):
    unpack(GOOD["gzip"], str(tmp_path / "out"))
    assert os.readlink(tmp_path / "out/tool/bin/l") == "t"
    assert (tmp_path / "out/tool/h").read_bytes() == b"#!x"
    assert (tmp_path / "out/tool/h").stat().st_nlink == 1


@pytest.mark.parametrize("kind", BAD)
def test_bad_archives_are_refused_and_leave_nothing(kind, tmp_path):
    with pytest.raises(FormatError):
        unpack(BAD[kind], str(tmp_path / "a/out"))
    assert list(tmp_path.iterdir()) == []


def test_a_zip_that_claims_more_than_the_limit_is_not_even_read():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("z", bytes(40_000_000))
    with pytest.raises(FormatError) as refused:
        read_archive(out.getvalue())
    assert refused.value.code == "format.too-large"


def test_only_an_empty_folder_is_filled(tmp_path):
    (tmp_path / "x").write_text("mine")
    with pytest.raises(FormatError) as refused:
        unpack(GOOD["gzip"], str(tmp_path))
    assert refused.value.code == "archive.target"


def damage(seed: int) -> bytes:
    rng = random.Random(seed)
    name = rng.choice([*GOOD, "plain", "zip"])
    data = bytearray(GOOD[name])
    for _ in range(rng.randrange(1, 6)):
        place = rng.randrange(len(data))
        if rng.random() < 0.7:
            data[place] = rng.randrange(256)
        else:
            del data[place : place + rng.randrange(1, 40)]
    return bytes(data)


def damaged_archives(count: int) -> None:
    for seed in range(count):
        try:
            read_archive(damage(seed))
        except FormatError:
            continue


def test_damaged_archives_are_refused_or_read_and_nothing_else_happens():
    damaged_archives(400)


@pytest.mark.soak
def test_many_damaged_archives_are_refused_or_read_and_nothing_else_happens():
    damaged_archives(50_000)
