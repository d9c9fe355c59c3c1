"""State of an installed bundle: path and digest of its program, what the user granted, what was reviewed.

One folder per `id@major` below the user's data folder: `state.json`, the setup ledgers, the login state. Programs that
an install creates are elsewhere (`programs`), since no sandbox shows the data folder. Writes are atomic. Implements AIP-29 "Stable identity".
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
from typing import TYPE_CHECKING, Any

from atip.bundles.images import find_runtime, image_of
from atip.errors import AtipError, NotFoundError
from atip.model.effects import NO_EXTRA
from atip.model.reading.reader import read_json
from atip.model.value import Value
from atip.system.files import locked, make_private, read_bytes, write_atomic

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.bundles.documents.bundle import Bundle

MAX_STATE = 4_000_000
PREFIX = "prefix-"
_KEY = re.compile(r"[a-z0-9][a-z0-9-]{0,63}@\d{1,9}\Z")


class BundleProgram(Value):
    """The program of a bundle, and what it needs to start."""

    binary: str
    digest: str | None = None
    """Expected digest of its bytes; None: not recorded yet."""
    visible: tuple[str, ...] = ()
    """Folders that it needs to see."""
    root: str = ""
    """Folder that is `/` for it; empty: this host's."""


class Installation(Value):
    """An install that passed its version check."""

    key: str
    folder: str
    """The bundle's folder at that time."""
    binary: str
    digest: str
    """`sha256:…` of the program; what runs later must be the same bytes."""
    version: str
    method: str
    """`present` for a program that was there already."""
    prefix: str = ""
    """Folder created for the install; empty: the program is elsewhere."""
    visible: tuple[str, ...] = ()
    """Folders that the program needs to see to start."""
    root: str = ""
    """Folder that is `/` of the image; empty: this host's system."""
    image: str = ""
    """Name and digest of that image."""
    documents: Mapping[str, str] = NO_EXTRA  # type: ignore[assignment]
    """SHA-256 of the documents that the user saw."""
    manifest: Mapping[str, Any] = NO_EXTRA
    """Front matter that the user saw, for the review of changes."""
    granted: Mapping[str, Any] = NO_EXTRA
    """The sandbox block that the user granted."""
    at: str = ""

    @property
    def program(self) -> BundleProgram:
        return BundleProgram(
            binary=self.binary, digest=self.digest, visible=self.visible, root=self.root
        )


class BundleStore:
    """State of all bundles of one user."""

    def __init__(self, data_folder: str, programs: str) -> None:
        self.root = os.path.join(data_folder, "bundles")
        self.programs = programs

    def folder(self, key: str) -> str:
        """Folder with the state of one bundle.

        Raises:
            AtipError: `bundle.key`: the key is not an `id@major`.
        """
        # SECURITY: the key comes from a manifest; it must not be able to name another folder.
        if not _KEY.match(key):
            raise AtipError("bundle.key", f"`{key[:80]}` is not a bundle key")
        return os.path.join(self.root, key)

    def list_keys(self) -> list[str]:
        """Bundles with state, sorted."""
        with contextlib.suppress(OSError):
            return sorted(name for name in os.listdir(self.root) if _KEY.match(name))
        return []

    def find(self, key: str) -> Installation | None:
        """Record of an install; None: not installed."""
        document = self.load(key, "state.json")
        if document is None:
            return None
        fields = {name: document[name] for name in Installation._fields if name in document}  # type: ignore[attr-defined]
        fields["visible"] = tuple(fields.get("visible", ()))
        try:
            return Installation(**fields)
        except TypeError as error:
            raise AtipError(
                "bundle.state",
                f"the saved state of `{key}` is incomplete; install the bundle again",
            ) from error

    def get(self, key: str) -> Installation:
        """Like `find`.

        Raises:
            NotFoundError: `bundle.not-installed`.
        """
        installed = self.find(key)
        if installed is None:
            raise NotFoundError(
                "bundle.not-installed",
                f"`{key}` is not installed",
                hint="run `atip bundle install FOLDER`; it asks before it changes anything",
            )
        return installed

    def save(self, installed: Installation) -> None:
        fields = {name: getattr(installed, name) for name in Installation._fields}  # type: ignore[attr-defined]
        self.store(installed.key, "state.json", {**fields, "visible": list(installed.visible)})

    def load(self, key: str, name: str) -> dict[str, Any] | None:
        """One JSON file of a bundle's state; None: the file does not exist."""
        try:
            data = read_bytes(os.path.join(self.folder(key), name), MAX_STATE)
        except NotFoundError:
            return None
        document = read_json(data)
        return document if isinstance(document, dict) else None

    def store(self, key: str, name: str, document: Mapping[str, Any]) -> None:
        folder = self.folder(key)
        make_private(self.root)
        make_private(folder)
        with locked(os.path.join(folder, ".lock")):
            data = json.dumps(document, ensure_ascii=False, indent=1).encode()
            write_atomic(os.path.join(folder, name), data)

    def installing(self, key: str) -> locked:
        """Lock to hold while a bundle is installed."""
        make_private(self.root)
        make_private(self.folder(key))
        return locked(os.path.join(self.folder(key), ".install.lock"))

    def new_prefix(self, key: str) -> str:
        """Create a new folder for an install; `drop_prefixes` removes what no state refers to."""
        self.folder(key)
        path = os.path.join(self.programs, key, f"{PREFIX}{os.urandom(6).hex()}")
        make_private(path)
        return path

    def drop_prefixes(self, key: str, *, keep: str = "") -> None:
        """Remove every prefix but `keep`: failed attempts, replaced installs, leftovers of a killed process."""
        self.folder(key)
        folder = os.path.join(self.programs, key)
        with contextlib.suppress(OSError):
            for name in os.listdir(folder):
                path = os.path.join(folder, name)
                if name.startswith(PREFIX) and path != keep:
                    shutil.rmtree(path, ignore_errors=True)
            if not keep:
                os.rmdir(folder)

    def remove(self, key: str) -> bool:
        """Remove a bundle's state and what was installed only for it; whether it existed."""
        self.drop_prefixes(key)
        folder = self.folder(key)
        if not os.path.isdir(folder):
            return False
        shutil.rmtree(folder)
        return True


def find_installed(store: BundleStore, bundle: Bundle) -> Installation | None:
    """The install of a bundle, complete and on the system that the bundle requires; None otherwise."""
    installed = store.find(bundle.key)
    if installed is None or not os.path.exists(installed.binary):
        return None
    # SECURITY: an install on the host's system, or on another image, never replaces the required one.
    return installed if installed.image.partition(" ")[0] == image_of(bundle) else None


def get_installed(store: BundleStore, bundle: Bundle) -> Installation:
    """The install of a bundle.

    Raises:
        NotFoundError: `bundle.not-installed`.
        AtipError: `runner.no-runtime`, where it could not be installed either.
    """
    installed = find_installed(store, bundle)
    if installed is None:
        if image_of(bundle):
            find_runtime(shutil.which)
        raise NotFoundError(
            "bundle.not-installed",
            f"`{bundle.key}` is not installed",
            hint=f"run `atip bundle install {bundle.folder}`; it asks before it changes anything",
        )
    return installed
