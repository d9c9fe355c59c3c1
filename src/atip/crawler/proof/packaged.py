"""Curated tools that are not installed: laid out from their Debian package, over this machine's system, and proved there."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from atip.crawler.depot import Depot
from atip.crawler.layouts.layers import entries, load_layer, merged_path
from atip.crawler.packages import Package, Refusal
from atip.crawler.proof.campaign import PLACES, ProofTarget, installed_targets
from atip.crawler.sources import open_source
from atip.crawler.sources.interface import CrawlRequest, SourceContext
from atip.errors import AtipError
from atip.knowledge.reading import aliases, names
from atip.proving.operands import load_recipes
from atip.system.files import make_private
from atip.system.programs.clients import ask_client
from atip.system.programs.processes import find_program

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from atip.crawler.packages import PackageFile

PROGRAMS = ("usr/bin", "usr/sbin", "usr/games", "bin", "sbin")
BATCH = 30
MAX_NEEDS = 40
MAX_BYTES = 40_000_000
MODULES = "usr/lib/python3/dist-packages"
MAX_COMPILE_S = 300.0


def package_targets(folder: str, only: set[str]) -> Iterator[ProofTarget]:
    """Fetch and lay out, some packages at a time, while those before them are proved."""
    local_names = {target.name for target in installed_targets()}
    missing = {*names(), *aliases()} - local_names
    if only:
        missing &= only
    roots = _PackageRoots(os.path.join(folder, "packages"))
    recipes = load_recipes()
    offers = sorted(
        roots.offers(missing).items(),
        key=lambda target: (not target[1] & set(recipes), roots.weight(target[0])),
    )
    for start in range(0, len(offers), BATCH):
        yield from roots.lay_out(offers[start : start + BATCH], missing)


class _PackageRoots:
    """Unpacked packages, one root for each, and the index that they come from."""

    def __init__(self, folder: str) -> None:
        make_private(folder)
        self._folder = os.path.realpath(folder)
        self._source = open_source(
            "apt", SourceContext(folder=os.path.join(folder, "sources"), settings={})
        )
        self._depot = Depot(os.path.join(folder, "depot"))
        self._installed = _installed_packages()

    def offers(self, programs: set[str]) -> dict[str, set[str]]:
        """Package → names that it is likely to hold: a package of the same name, or one that we know it by."""
        index = self._source.index()  # type: ignore[attr-defined]
        packages: dict[str, set[str]] = {}
        for name in programs:
            package = PACKAGES.get(name, name)
            if package in index.packages:
                packages.setdefault(package, set()).add(name)
        return packages

    def weight(self, package: str) -> int:
        """Bytes when unpacked, without what it needs: small ones first."""
        index = self._source.index()  # type: ignore[attr-defined]
        return int(index.packages[package].installed)

    def lay_out(
        self, offers: Iterable[tuple[str, set[str]]], programs: set[str]
    ) -> Iterator[ProofTarget]:
        packages = [
            candidate
            for candidate in self._source.discover(
                [
                    CrawlRequest(source="apt", name=name, settings={"package": name})
                    for name, _ in offers
                ]
            )
            if isinstance(candidate, Package) and self._is_sane(candidate)
        ]
        missing = {
            part.digest: part
            for package in packages
            for part in (package.own, *self._needs(package))
            if self._depot.find_blob(part.digest) is None
        }
        for refusal in self._source.fetch(list(missing.values()), self._keep):
            assert isinstance(refusal, Refusal)
        for package in packages:
            try:
                yield from self._targets(package, programs)
            except (AtipError, OSError):
                continue

    def _keep(self, artifact: PackageFile, data: bytes) -> None:
        self._depot.put_blob(artifact.digest, data)

    def _needs(self, package: Package) -> list[PackageFile]:
        """Dependencies that are not installed on this machine."""
        return [
            need for need in package.needs if need.locator.partition("=")[0] not in self._installed
        ]

    def _is_sane(self, package: Package) -> bool:
        needs = self._needs(package)
        size = package.own.size + sum(need.size for need in needs)
        return len(needs) <= MAX_NEEDS and size <= MAX_BYTES

    def _targets(self, package: Package, programs: set[str]) -> Iterator[ProofTarget]:
        root = os.path.join(self._folder, "roots", package.name)
        cache = os.path.join(self._folder, "layers")
        parts = (*self._needs(package), package.own)
        layers = [load_layer(part, cache, self._blob) for part in parts]
        if not os.path.isdir(root):
            # under another name until it is whole: an interrupted run must not find a part of it
            part = f"{root}.part"
            shutil.rmtree(part, ignore_errors=True)
            for layer in layers:
                _place(layer, part)
            _compile_modules(part)
            os.rename(part, root)
        for folder in PROGRAMS:
            place = os.path.join(root, merged_path(folder + "/x")[:-2])
            for name in sorted(os.listdir(place)) if os.path.isdir(place) else ():
                path = os.path.join(place, name)
                if name in programs and os.path.isfile(path) and os.access(path, os.X_OK):
                    programs.discard(name)
                    yield ProofTarget(name=name, path=path, source=f"apt:{package.name}", root=root)

    def _blob(self, digest: str) -> bytes:
        data = self._depot.find_blob(digest)
        if data is None:
            raise AtipError("crawl.not-fetched", f"{digest[:19]}… is not in the depot")
        return data


def _place(layer: str, root: str) -> None:
    """Files of a layer into the root, later ones over earlier ones; links stay as they are, below the root."""
    for name, entry in entries(layer):
        path = os.path.join(root, merged_path(name))
        os.makedirs(os.path.dirname(path), mode=0o755, exist_ok=True)
        if os.path.lexists(path):
            os.unlink(path)
        if entry.is_symlink():
            os.symlink(os.readlink(entry.path), path)
        else:
            os.link(entry.path, path)


def _compile_modules(root: str) -> None:
    """Byte code of Python modules, as an installation writes it; without it every start compiles them again. Nothing of them runs."""
    python = find_program("python3", PLACES)
    if python is None or not os.path.isdir(os.path.join(root, MODULES)):
        return
    ask_client(
        [python, "-I", "-m", "compileall", "-q", "-s", root, "-p", "/", MODULES],
        folder=root,
        timeout_s=MAX_COMPILE_S,
    )


def _installed_packages() -> set[str]:
    answer = ask_client(["dpkg-query", "-W", "-f", "${Package}\n"], folder="/", timeout_s=60)
    return set(answer.stdout.decode("utf-8", "replace").split())


PACKAGES = {
    "7z": "7zip", "7za": "p7zip-full", "rg": "ripgrep", "fd": "fd-find", "ag": "silversearcher-ag", "dot": "graphviz",
    "dig": "bind9-dnsutils", "nslookup": "bind9-dnsutils", "host": "bind9-host", "pdfinfo": "poppler-utils",
    "pdftotext": "poppler-utils", "pdfunite": "poppler-utils", "pdfsig": "poppler-utils", "convert": "imagemagick",
    "rsvg-convert": "librsvg2-bin", "ifne": "moreutils", "chronic": "moreutils", "sponge": "moreutils", "ts": "moreutils",
    "vidir": "moreutils", "trash-put": "trash-cli", "trash-list": "trash-cli", "trash-empty": "trash-cli",
    "trash-restore": "trash-cli", "trash-rm": "trash-cli", "ansible": "ansible-core", "ansible-doc": "ansible-core",
    "ansible-vault": "ansible-core", "ansible-playbook": "ansible-core", "ansible-galaxy": "ansible-core",
    "ansible-inventory": "ansible-core", "ansible-config": "ansible-core", "mksquashfs": "squashfs-tools",
    "unsquashfs": "squashfs-tools", "hg": "mercurial", "svn": "subversion", "gs": "ghostscript", "exiftool": "libimage-exiftool-perl",
    "xmllint": "libxml2-utils", "nc": "netcat-openbsd", "tesseract": "tesseract-ocr", "cwebp": "webp", "qemu-img": "qemu-utils",
    "lsusb": "usbutils", "lspci": "pciutils", "ping": "iputils-ping", "redis-cli": "redis-tools", "mysql": "mariadb-client",
    "mysqldump": "mariadb-client", "mysqladmin": "mariadb-client", "crontab": "cron", "http": "httpie", "iostat": "sysstat",
    "sar": "sysstat", "pidstat": "sysstat", "metaflac": "flac", "bq": "", "mkvmerge": "mkvtoolnix", "ldapmodify": "ldap-utils",
    "age-keygen": "age", "notify-send": "libnotify-bin", "xclip": "xclip", "cal": "ncal", "chpst": "runit", "smbstatus": "samba",
    "ntpdate": "ntpsec-ntpdate", "telnet": "inetutils-telnet", "unar": "unar", "latexmk": "latexmk", "opam": "opam",
    "zpool": "zfsutils-linux", "rst2html": "docutils", "csvlook": "csvkit", "csvcut": "csvkit", "uuidgen": "uuid-runtime",
    "lzip": "lzip", "pbzip2": "pbzip2", "killall": "psmisc", "mkfs.vfat": "dosfstools", "mkfs.fat": "dosfstools",
    "fsck.vfat": "dosfstools", "mkfs.xfs": "xfsprogs", "xfs_db": "xfsprogs", "xfs_repair": "xfsprogs", "mkfs.btrfs": "btrfs-progs",
    "btrfs": "btrfs-progs", "lvs": "lvm2", "lvcreate": "lvm2", "lvremove": "lvm2", "lvreduce": "lvm2", "pvcreate": "lvm2", "pvscan": "lvm2",
    "vgs": "lvm2", "pvs": "lvm2", "sgdisk": "gdisk", "cgdisk": "gdisk", "fdisk": "fdisk", "sfdisk": "fdisk", "cfdisk": "fdisk",
    "rsync": "rsync", "javac": "openjdk-17-jdk-headless", "ruby": "ruby", "gem": "ruby", "bundle": "bundler", "php": "php-cli",
    "lua": "lua5.4", "tshark": "tshark", "pandoc": "pandoc", "mediainfo": "mediainfo", "delta": "git-delta", "gcloud": "",
}  # fmt: skip
"""Name of a tool → its package, where they differ."""
