"""Archives of strangers: what is good is unpacked, everything else is refused whole and leaves nothing."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import os
import random
import tarfile
import zipfile

import pytest

from atip.errors import FormatError
from atip.system.archives.unpack import read_archive, unpack
from tests.simulators.rpm_repository import cpio, rpm


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


def miscounted(data: bytes, count: int) -> bytes:
    end = data.rfind(b"PK\x05\x06")
    told = count.to_bytes(2, "little")
    return data[: end + 8] + told * 2 + data[end + 12 :]


def hidden(outer: bytes, inner: bytes) -> bytes:
    """The first member of `inner` before the directory of `outer`, which does not list it."""
    member = inner[: inner.find(b"PK\x01\x02")]
    start, end = outer.find(b"PK\x01\x02"), outer.rfind(b"PK\x05\x06")
    moved = (start + len(member)).to_bytes(4, "little")
    return outer[:start] + member + outer[start : end + 16] + moved + outer[end + 20 :]


def wheel(
    *,
    record: bool = True,
    content: bytes = b"#!x",
    script: str = "t",
    more: tuple[tuple[str, bytes], ...] = (),
) -> bytes:
    points = f"[console_scripts]\n{script} = t:main\n".encode()
    files = {"t": b"#!x", "a-1.dist-info/WHEEL": b"", "a-1.dist-info/entry_points.txt": points}
    rows = [
        f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}"
        for name, data in files.items()
    ]
    lines = "\n".join([*rows, "a-1.dist-info/RECORD,,", ""]).encode()
    listed = (("a-1.dist-info/RECORD", lines),) if record else ()
    return zipped(*{**files, "t": content}.items(), *more, *listed)


GOOD = {
    "gzip": tar(("tool/bin/t", b"#!x"), ("tool/bin/l", "-> t"), ("tool/h", "=> tool/bin/t")),
    "plain": tar(("./bin/t", b"#!x"), compress=False),
    "wheel": wheel(),
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
    "deb with two data": debian(
        (b"debian-binary", b"2.0\n"),
        (b"data.tar.gz", tar(("a", b"good"))),
        (b"data.tar.xz", tar(("a", b"evil"))),
    ),
    "zip that counts wrong": miscounted(zipped(("a", b"x"), ("b", b"y")), 1),
    "zip with a hidden member": hidden(zipped(("a", b"good")), zipped(("evil", b"evil"))),
    "zip behind something": b"PK" + bytes(50) + zipped(("a", b"x")),
    "zip with something behind": zipped(("a", b"x")) + b"more",
    "wheel without a list": wheel(record=False),
    "wheel with a file more": wheel(more=(("evil.py", b"x"),)),
    "wheel with another file": wheel(content=b"evil"),
    "wheel with a strange script": wheel(script="../../evil"),
    "wheel with a script that is an option": wheel(script="--help"),
    "wheel with two descriptions": wheel(more=(("b-1.dist-info/WHEEL", b""),)),
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


RPM_FILE, RPM_LINK = 0o100755, 0o120777


def test_the_payload_of_an_rpm_package_is_read_and_hard_links_are_copies():
    data = rpm(cpio(("./usr/bin/a", RPM_FILE, b"A"), ("./usr/bin/b", RPM_LINK, b"/usr/bin/a")))
    found = {one.name: one for one in read_archive(data, unix=True)}
    assert (found["usr/bin/a"].data, found["usr/bin/b"].link) == (b"A", "a")


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (rpm(cpio(("../../etc/x", RPM_FILE, b"A"))), "archive.name"),
        (rpm(cpio(("/etc/x", RPM_FILE, b"A"))), "archive.name"),
        (rpm(cpio(("a", RPM_LINK, b"../../../etc"))), "archive.link"),
        (rpm(cpio(("a", RPM_LINK, b"b"), ("a/c", RPM_FILE, b"A"))), "archive.below-member"),
        (rpm(cpio(("a", RPM_FILE, b"A"), ("a", RPM_FILE, b"B"))), "archive.twice"),
        (rpm(cpio(("a", 0o020600, b""))), "archive.kind"),
        (rpm(cpio(*((f"f{n}", RPM_FILE, b"") for n in range(20_001)))), "archive.too-many"),
        (rpm(cpio(("zeros", RPM_FILE, b"\0" * 40_000_000))), "format.too-large"),
        (rpm(cpio(("a", RPM_FILE, b"A"))[:-150]), "archive.damaged"),
        (rpm(b"070701" + b"f" * 200), "archive.damaged"),
        (rpm(b"not cpio at all"), "archive.damaged"),
        (b"\xed\xab\xee\xdb" + b"\0" * 200, "archive.damaged"),
        (b"\xed\xab\xee\xdb" + b"\0" * 92 + b"\x8e\xad\xe8\x01" + b"\xff" * 100, "archive.damaged"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)  # fmt: skip
def test_a_hostile_rpm_package_is_refused_whole(tmp_path, data, code):
    with pytest.raises(FormatError) as refusal:
        unpack(data, str(tmp_path / "out"), unix=True)
    assert refusal.value.code == code
    assert not (tmp_path / "out").exists()
