"""Remembered approvals: valid for the same bytes, the same words, in the same directory, for a limited time.

Kept in `approvals.json` of the user's configuration, which no confined program can write; listed and taken
back one by one. Destructive calls are never remembered.
"""

from __future__ import annotations

import os

from atip.errors import AtipError, FormatError, NotFoundError, PolicyError
from atip.model.reading.plain_json import loads
from atip.model.value import Value
from atip.system import files
from atip.system.clock import iso, now

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

NAME = "approvals.json"
MAX_BYTES = 1_000_000
DEFAULT_LIFETIME_S = 8 * 3600.0


class Approval(Value):
    """One remembered approval."""

    binding: str
    """Digest of binary, argv, environment, directory and policy; see `consent.bind`."""
    argv: tuple[str, ...]
    cwd: str
    until: float

    @property
    def id(self) -> str:
        """Short name, for revoking it."""
        return self.binding[:12]

    def to_json(self) -> dict[str, object]:
        return {
            "id": self.id,
            "binding": self.binding,
            "argv": list(self.argv),
            "cwd": self.cwd,
            "until": self.until,
            "untilText": iso(self.until),
        }


class Approvals:
    """The file in one configuration folder."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._path = os.path.join(folder, NAME)

    def list(self) -> tuple[Approval, ...]:
        """All that still hold.

        Raises:
            AtipError: `approvals.unsafe-file` when others may write it.
            FormatError: `approvals.unreadable`.
        """
        try:
            data = files.read_bytes(self._path, MAX_BYTES)
        except NotFoundError:
            return ()
        status = os.stat(self._path)
        # SECURITY: a process that can write this file can approve in the user's name.
        if status.st_uid not in (os.geteuid(), 0) or status.st_mode & 0o022:
            raise AtipError(
                "approvals.unsafe-file",
                f"`{self._path}` is writable by other users",
                hint=f"chmod go-w {self._path}",
            )
        moment = now()
        return tuple(approval for approval in _decode(data, self._path) if approval.until > moment)

    def holds(self, binding: str) -> bool:
        """Whether this very call was approved and still is."""
        return any(approval.binding == binding for approval in self.list())

    def remember(
        self,
        binding: str,
        argv: Sequence[str],
        cwd: str,
        *,
        destructive: bool,
        lifetime_s: float = DEFAULT_LIFETIME_S,
    ) -> Approval:
        """Store an approval that the user just gave.

        Raises:
            PolicyError: `approvals.destructive`.
        """
        if destructive:
            raise PolicyError(
                "approvals.destructive",
                "a destructive call needs confirmation every time; it cannot be remembered",
            )
        approval = Approval(binding=binding, argv=tuple(argv), cwd=cwd, until=now() + lifetime_s)
        files.make_private(self._folder)
        with files.locked(self._path + ".lock"):
            self._save(
                [*(earlier for earlier in self.list() if earlier.binding != binding), approval]
            )
        return approval

    def forget(self, name: str) -> bool:
        """Revoke one by its id; False when there is none."""
        files.make_private(self._folder)
        with files.locked(self._path + ".lock"):
            current = self.list()
            left = [approval for approval in current if approval.id != name]
            self._save(left)
        return len(left) < len(current)

    def _save(self, approvals: Sequence[Approval]) -> None:
        document = {"approvals": [approval.to_json() for approval in approvals]}
        import json

        files.write_atomic(self._path, json.dumps(document, indent=1).encode())


def _decode(data: bytes, path: str) -> Sequence[Approval]:
    try:
        return [
            Approval(
                binding=str(row["binding"]),
                argv=tuple(str(word) for word in row["argv"]),
                cwd=str(row["cwd"]),
                until=float(row["until"]),
            )
            for row in loads(data.decode())["approvals"]
        ]
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError("approvals.unreadable", f"`{path}` is not a list of approvals") from error
