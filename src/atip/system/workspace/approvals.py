"""Approved project files, by digest of path and content: its API configuration, its policy.

Kept in the user's configuration folder, which no confined program can write. The caller computes the digest over the value that is then used.
"""

from __future__ import annotations

import json
import os

from atip.errors import AtipError, NotFoundError
from atip.system import files
from atip.system.clock import now_iso

NAME = "approved-projects.json"
MAX_BYTES = 1_000_000
MAX_KEPT = 500


class ProjectApprovals:
    """The list of one user, in the configuration folder, which no confined program can write."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._path = os.path.join(folder, NAME)

    def holds(self, digest: str) -> bool:
        """
        Raises:
            AtipError: `approvals.unsafe-file`, `approvals.unreadable`.
        """
        return any(row["digest"] == digest for row in self._rows())

    def remember(self, digest: str, path: str) -> None:
        """Store an approval that the user just gave."""
        files.make_private(self._folder)
        with files.locked(self._path + ".lock"):
            rows = [row for row in self._rows() if row["digest"] != digest]
            rows.append({"digest": digest, "path": path, "time": now_iso()})
            files.write_atomic(
                self._path, json.dumps({"approved": rows[-MAX_KEPT:]}, indent=1).encode()
            )

    def _rows(self) -> list[dict[str, str]]:
        try:
            data = files.read_bytes(self._path, MAX_BYTES)
        except NotFoundError:
            return []
        status = os.stat(self._path)
        # SECURITY: a process that can write this file can approve in the user's name.
        if status.st_uid not in (os.geteuid(), 0) or status.st_mode & 0o022:
            raise AtipError(
                "approvals.unsafe-file",
                f"`{self._path}` is writable by other users",
                hint=f"chmod go-w {self._path}",
            )
        try:
            return [
                {key: str(row[key]) for key in ("digest", "path")}
                for row in json.loads(data)["approved"]
            ]
        except (ValueError, KeyError, TypeError) as error:
            raise AtipError(
                "approvals.unreadable", f"`{self._path}` is not a list of approvals"
            ) from error
