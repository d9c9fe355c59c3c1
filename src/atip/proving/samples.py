"""Samples: a folder with a file of every common kind, made by code, the same bytes each time. What cases work on.

The folder is shown to every case below an overlay: no case changes it, and none sees what another did.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sqlite3
import struct
import tarfile
import wave
import zipfile
import zlib
from typing import TYPE_CHECKING

from atip.system.programs import processes
from atip.system.programs.clients import ask_client

if TYPE_CHECKING:
    from collections.abc import Iterator

TIME = 1_600_000_000
TEXT = b"".join(b"%d alpha beta line\n" % number for number in range(1, 21))
OTHER = b"1 alpha beta line\nanother line\n"
TEXTS = {
    "text.txt": TEXT,
    "other.txt": OTHER,
    "numbers.txt": b"".join(b"%d\n" % number for number in range(1, 11)),
    "sorted.txt": b"apple 1\nbanana 2\ncherry 3\n",
    "dos.txt": b"one\r\ntwo\r\n",
    "list.txt": b"text.txt\nother.txt\n",
    "data.csv": b"name,age\nada,36\nalan,41\n",
    "data.tsv": b"name\tage\nada\t36\n",
    "data.json": b'{"name": "ada", "list": [1, 2, 3], "inner": {"a": true}}\n',
    "data.yaml": b"name: ada\nlist:\n  - 1\n  - 2\n",
    "data.toml": b'name = "ada"\n\n[inner]\na = 1\n',
    "data.xml": b'<?xml version="1.0"?>\n<root><item id="1">text</item></root>\n',
    "data.ini": b"[section]\nkey = value\n",
    "page.html": b"<!doctype html><html><head><title>t</title></head><body><p>text</p></body></html>\n",
    "style.css": b"p { color: red; }\n",
    "notes.md": b"# Title\n\nSome *text*, a [link](https://www.example.org).\n\n- one\n- two\n",
    "notes.rst": b"Title\n=====\n\nText.\n",
    "notes.pod": b"=head1 NAME\n\nnotes - text\n\n=cut\n",
    "page.1": b".TH PAGE 1\n.SH NAME\npage \\- a page\n.SH DESCRIPTION\nText.\n",
    "script.sh": b"#!/bin/sh\necho hello\n",
    "script.py": b'import sys\n\n\ndef main() -> None:\n    print("hello", sys.argv[1:])\n\n\nmain()\n',
    "test_sample.py": b"def test_one():\n    assert 1 + 1 == 2\n",
    "script.pl": b'print "hello\\n";\n',
    "script.js": b'console.log("hello");\n',
    "script.rb": b'puts "hello"\n',
    "script.lua": b'print("hello")\n',
    "script.awk": b"{ print $1 }\n",
    "script.sed": b"s/alpha/omega/\n",
    "source.c": b'#include <stdio.h>\nint add(int a, int b) { return a + b; }\nint main(void) { printf("%d\\n", add(1, 2)); return 0; }\n',
    "source.cpp": b"int add(int a, int b) { return a + b; }\nint main() { return add(1, -1); }\n",
    "source.go": b"package main\n\nfunc main() { println(1) }\n",
    "source.rs": b'fn main() {\n    println!("hello");\n}\n',
    "Source.java": b'class Source { public static void main(String[] a) { System.out.println("hello"); } }\n',
    "source.s": b".text\n.globl add\nadd:\n  ret\n",
    "Makefile": b"all: out.txt\n\nout.txt: text.txt\n\tcp text.txt out.txt\n\nclean:\n\trm -f out.txt\n",
    "package.json": b'{"name": "sample", "version": "1.0.0", "scripts": {"test": "echo tested"}}\n',
    "messages.po": b'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\nmsgid "one"\nmsgstr "eins"\n',
    "graph.dot": b"digraph { a -> b; b -> c }\n",
    "picture.svg": b'<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"><rect width="4" height="4"/></svg>\n',
    "change.patch": b"--- a/other.txt\n+++ b/other.txt\n@@ -1,2 +1,2 @@\n 1 alpha beta line\n-another line\n+changed line\n",
    "query.sql": b"select name from people;\n",
    "sums.txt": b"",
    "crontab.txt": b"0 0 * * * true\n",
    "template.txt": b"home is $HOME\n",
    "build.ninja": b"rule copy\n  command = cp $in $out\n\nbuild out.txt: copy text.txt\n",
    "script.tcl": b"puts hello\n",
    "source.ll": b"define i32 @main() {\n  ret i32 0\n}\n",
    "entry.ti": b"sample|a terminal,\n\tam, cols#80,\n",
    "package/DEBIAN/control": b"Package: sample\nVersion: 1\nArchitecture: all\nMaintainer: Ada <ada@example.org>\nDescription: sample\n",
    "package/usr/share/sample.txt": b"packed\n",
    "d/inner.txt": b"inner text\n",
    "d/more/deep.txt": b"deep text\n",
    "e/inner.txt": b"other inner text\n",
}
EXECUTABLE = ("script.sh", "script.py", "script.pl")


def make_samples(folder: str) -> str:
    """Fill a new folder; returns its real path. What needs a program that is not here (git, a compiler) is left out."""
    os.makedirs(folder)
    folder = os.path.realpath(folder)
    for name, content in {**TEXTS, **dict(_binaries())}.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
        os.chmod(path, 0o755 if name in EXECUTABLE else 0o644)
    os.makedirs(os.path.join(folder, "empty"))
    os.symlink("text.txt", os.path.join(folder, "link"))
    _database(os.path.join(folder, "data.db"))
    _sums(folder)
    _make_binaries(folder)
    _make_images(folder)
    _repository(os.path.join(folder, "repo"))
    _settle(folder)
    return folder


def _binaries() -> Iterator[tuple[str, bytes]]:
    yield "zipped.txt.gz", gzip.compress(TEXT, mtime=0)
    yield "zipped.txt.bz2", bz2.compress(TEXT)
    yield "zipped.txt.xz", lzma.compress(TEXT)
    yield "zipped.txt.lzma", lzma.compress(TEXT, format=lzma.FORMAT_ALONE)
    yield "image.png", _picture()
    yield "image.ppm", b"P6\n4 4\n255\n" + bytes(48)
    yield "sound.wav", _sound()
    yield "document.pdf", _document()
    yield "archive.tar", _archive("w")
    yield "archive.tar.gz", gzip.compress(_archive("w"), mtime=0)
    yield "archive.zip", _make_zip()
    yield "disk.img", bytes(1 << 20)
    yield "bytes.bin", bytes(range(256)) * 4


def _picture() -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 4, 8, 2, 0, 0, 0))
    rows = zlib.compress((b"\0" + b"\xff\0\0" * 4) * 4)
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def _sound() -> bytes:
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(bytes(1600))
    return buffer.getvalue()


def _document() -> bytes:
    parts = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Contents 4 0 R /Resources << >> >>",
        b"<< /Length 0 >>\nstream\n\nendstream",
    ]
    data, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(data)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(parts) + 1)
    end = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(parts) + 1, start)
    return data + head + table + end


def _archive(mode: str) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:  # type: ignore[call-overload]
        for name in ("packed.txt", "folder/packed2.txt"):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime = len(OTHER), TIME
            archive.addfile(entry, io.BytesIO(OTHER))
    return buffer.getvalue()


def _make_zip() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in ("packed.txt", "folder/packed2.txt"):
            archive.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), OTHER)
    return buffer.getvalue()


def _database(path: str) -> None:
    with sqlite3.connect(path) as database:
        database.execute("create table people (name text, age integer)")
        database.execute("insert into people values ('ada', 36)")
    database.close()


def _sums(folder: str) -> None:
    import hashlib

    with open(os.path.join(folder, "sums.txt"), "w", encoding="ascii") as file:
        file.write(f"{hashlib.sha256(TEXT).hexdigest()}  text.txt\n")


def _make_images(folder: str) -> None:
    """A file system in a file and two more archives, where there are programs that make them."""
    system = ("/usr/sbin", "/sbin", "/usr/bin", "/bin")
    words = {
        "mke2fs": ("-q", "-F", "-U", "12345678-1234-1234-1234-123456789abc", "disk.ext2", "512"),
        "zstd": ("-q", "text.txt", "-o", "zipped.txt.zst"),
        "lz4": ("-q", "text.txt", "zipped.txt.lz4"),
        "dpkg-deb": ("-b", "package", "sample.deb"),
    }
    for name, line in words.items():
        program = processes.find_program(name, system)
        if program:
            ask_client([program, *line], folder=folder, timeout_s=30)


def _make_binaries(folder: str) -> None:
    """A program and an object file, where there is a compiler."""
    compiler = processes.find_program("gcc", ("/usr/bin",))
    if compiler is None:
        return
    for words in (("-o", "program", "source.c"), ("-c", "-o", "object.o", "source.c")):
        ask_client([compiler, "-g0", "-Wl,--build-id=none", *words], folder=folder, timeout_s=30)
    archiver = processes.find_program("ar", ("/usr/bin",))
    if archiver and os.path.exists(os.path.join(folder, "object.o")):
        ask_client([archiver, "rcD", "library.a", "object.o"], folder=folder, timeout_s=30)


_GIT = (
    "init -q -b main .",
    "config user.name Ada",
    "config user.email ada@example.org",
    "add tracked.txt changed.txt folder/file.txt",
    "commit -q -m first",
    "tag v1",
    "branch other",
    "remote add origin https://git.example.org/sample.git",
)


def _repository(folder: str) -> None:
    """A repository with a history, a branch, a tag, a remote, changed and new files."""
    git = processes.find_program("git", ("/usr/bin", "/usr/local/bin"))
    os.makedirs(os.path.join(folder, "folder"))
    for name in ("tracked.txt", "changed.txt", "folder/file.txt"):
        _write(folder, name, TEXT)
    if git is None:
        return
    env = {
        "GIT_AUTHOR_DATE": f"{TIME} +0000",
        "GIT_COMMITTER_DATE": f"{TIME} +0000",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
    }
    words = [f"{name}={value}" for name, value in env.items()]
    for line in _GIT:
        ask_client(["/usr/bin/env", *words, git, *line.split()], folder=folder, timeout_s=30)
    _write(folder, "changed.txt", TEXT + b"one more\n")
    ask_client(
        ["/usr/bin/env", *words, git, "commit", "-q", "-am", "second"], folder=folder, timeout_s=30
    )
    _write(folder, "changed.txt", TEXT + b"not committed\n")
    _write(folder, "new.txt", b"new\n")
    _write(
        folder,
        "fix.patch",
        b"--- a/tracked.txt\n+++ b/tracked.txt\n@@ -1,3 +1,3 @@\n-1 alpha beta line\n+1 changed\n 2 alpha beta line\n 3 alpha beta line\n",
    )


def _write(folder: str, name: str, content: bytes) -> None:
    with open(os.path.join(folder, name), "wb") as file:
        file.write(content)


def _settle(folder: str) -> None:
    """Old times: what a program changes is newer."""
    for parent, names, files in os.walk(folder):
        for name in (*names, *files):
            os.utime(os.path.join(parent, name), (TIME, TIME), follow_symlinks=False)
