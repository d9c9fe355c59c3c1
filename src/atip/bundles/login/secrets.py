"""Secrets of bundles: the user's keyring where there is one, else one 0600 file. Never in an argv, never in a log.

    store = SecretStore(config_folder, find=shutil.which)
    store.put("gh@1", "gh/token", "…"); store.get("gh@1", "gh/token")

The keyring is reached through `secret-tool` (libsecret), which reads the value from its standard input. Values are
handed to a program through its environment only, for the variables that SECRETS.md or `persist.env` name.
Implements AIP-19 slots as far as AIP-29 uses them.
"""

from __future__ import annotations

import contextlib
import json
import os
from typing import TYPE_CHECKING

from atip.errors import AtipError, NotFoundError
from atip.model.reading.reader import read_json
from atip.system.files import locked, make_private, read_bytes, write_atomic
from atip.system.programs.processes import kill, spawn, wait

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

FILE = "secrets.json"
MAX_FILE = 4_000_000
MAX_SECRET = 64 * 1024
KEYRING_S = 10.0
SERVICE = "atip-bundle"


class SecretStore:
    """Values by bundle and slot."""

    def __init__(
        self,
        folder: str,
        *,
        find: Callable[[str], str | None] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        """
        Args:
            find: finds the keyring program by name; None: the file is used.
        """
        self._folder = folder
        self._env = os.environ if env is None else env
        tool = find("secret-tool") if find is not None else None
        # without a session bus `secret-tool` would wait for one
        self._tool = tool if self._env.get("DBUS_SESSION_BUS_ADDRESS") else None

    @property
    def kind(self) -> str:
        """`keyring` or `file`."""
        return "keyring" if self._tool else "file"

    def get(self, key: str, slot: str) -> str | None:
        """A value; None: not set."""
        if self._tool:
            code, out = self._keyring(["lookup", *_attributes(key, slot)], b"")
            return out.decode("utf-8", "replace") if code == 0 and out else None
        return self._load().get(key, {}).get(slot)

    def put(self, key: str, slot: str, value: str) -> None:
        """Store a value.

        Raises:
            AtipError: `secret.too-large`, `secret.keyring`, `file.unwritable`.
        """
        if len(value.encode("utf-8", "surrogatepass")) > MAX_SECRET or "\0" in value:
            raise AtipError(
                "secret.too-large",
                f"the value for `{slot[:80]}` is longer than {MAX_SECRET} bytes or contains NUL",
            )
        if self._tool:
            label = f"--label=atip {key} {slot}"
            code, _ = self._keyring(["store", label, *_attributes(key, slot)], value.encode())
            if code != 0:
                raise AtipError(
                    "secret.keyring", f"the keyring refused the value for `{slot[:80]}`"
                )
            return
        with self._locked():
            values = self._load()
            values.setdefault(key, {})[slot] = value
            self._save(values)

    def drop(self, key: str, slot: str | None = None) -> None:
        """Delete one value, or all of a bundle."""
        if self._tool:
            self._keyring(["clear", *_attributes(key, slot)], b"")
            return
        with self._locked():
            values = self._load()
            if slot is None:
                values.pop(key, None)
            else:
                values.get(key, {}).pop(slot, None)
            self._save(values)

    # -- the file --------------------------------------------------------------------------------

    def _path(self) -> str:
        return os.path.join(self._folder, FILE)

    def _locked(self) -> locked:
        make_private(self._folder)
        return locked(os.path.join(self._folder, ".secrets.lock"))

    def _load(self) -> dict[str, dict[str, str]]:
        try:
            status = os.stat(self._path())
            # SECURITY: a file that others can read must not hold secrets, and one that others own is not trusted.
            if status.st_uid != os.geteuid() or status.st_mode & 0o077:
                raise AtipError(
                    "secret.exposed",
                    f"`{self._path()}` is readable by other users or owned by one",
                    hint=f"chmod 600 {self._path()}, then replace the secrets in it",
                )
            document = read_json(read_bytes(self._path(), MAX_FILE))
        except (FileNotFoundError, NotFoundError):
            return {}
        return document if isinstance(document, dict) else {}

    def _save(self, values: Mapping[str, object]) -> None:
        write_atomic(self._path(), json.dumps(values, ensure_ascii=False).encode(), mode=0o600)

    # -- the keyring -----------------------------------------------------------------------------

    def _keyring(self, words: list[str], stdin: bytes) -> tuple[int, bytes]:
        """Run `secret-tool`; the value goes through a pipe, not through the argv."""
        tool = self._tool or ""
        inside, to_child = os.pipe()
        from_child, outside = os.pipe()
        try:
            pid = spawn([tool, *words], self._env, stdin=inside, stdout=outside)
        except OSError as error:
            for handle in (inside, to_child, from_child, outside):
                os.close(handle)
            raise AtipError("secret.keyring", f"`{tool}` could not be started") from error
        os.close(inside)
        os.close(outside)
        with contextlib.suppress(BrokenPipeError):
            os.write(to_child, stdin)
        os.close(to_child)
        out = b""
        while piece := os.read(from_child, 65_536):
            out += piece[: MAX_SECRET - len(out)]
        os.close(from_child)
        code = wait(pid, KEYRING_S)
        if code is None:
            kill(pid)
            wait(pid)
            return 124, b""
        return code, out


def _attributes(key: str, slot: str | None) -> list[str]:
    return ["service", SERVICE, "bundle", key, *(["slot", slot] if slot is not None else [])]


def field_of(value: str, field: str) -> str:
    """One field of a secret with several (OAuth tokens), else the whole value."""
    try:
        document = json.loads(value)
    except ValueError:
        return value
    names = {"accessToken": "access_token", "refreshToken": "refresh_token"}
    if isinstance(document, dict):
        part = document.get(names.get(field, field), document.get("access_token"))
        return str(part) if part is not None else value
    return value
