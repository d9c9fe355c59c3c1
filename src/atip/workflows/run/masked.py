"""Secrets that lie in a workspace: found before a run, and hidden from it."""

from __future__ import annotations

import os

from atip.errors import FormatError
from atip.model.text.regex import late_regex
from atip.policy.places.sensitive import is_secret
from atip.sandbox.protected.rules import DEPENDENCIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from atip.model.permissions.confinement import Confinement

MAX_MASKED = 200
MAX_LOOKED = 50_000
_SETTINGS = frozenset((".npmrc", ".yarnrc", ".yarnrc.yml", "gradle.properties"))
_CREDENTIAL = late_regex(rb"(?i)auth|token|passw|secret|key")


def masked_files(workspace: str, confinement: Confinement) -> tuple[str, ...]:
    """Secrets that lie in a workspace which can be written: the line does not see them.

    Raises:
        FormatError: `run.too-many-secrets`; what cannot be hidden is not shown.
    """
    if not any(
        entry.startswith(workspace) for entry in (*confinement.fs_write, *confinement.fs_read)
    ):
        return ()
    found: list[str] = []
    left = MAX_LOOKED
    for place, folders, names in os.walk(workspace):
        folders[:] = [name for name in folders if name not in DEPENDENCIES and name != ".git"]
        left -= len(names)
        found += [
            os.path.join(place, name)
            for name in names
            if is_secret(name) and _holds_secret(os.path.join(place, name))
        ]
        if len(found) > MAX_MASKED or left < 0:
            raise FormatError(
                "run.too-many-secrets",
                f"`{workspace}` is too large to search for secrets that must be hidden",
                hint="run the line in a smaller folder",
            )
    return tuple(found)


def _holds_secret(path: str) -> bool:
    """Settings of package managers hold a credential only sometimes, and are needed; a link leads to a file that is judged itself."""
    if os.path.islink(path) or not os.path.isfile(path):
        return False
    if os.path.basename(path) not in _SETTINGS:
        return True
    with open(path, "rb") as file:
        return _CREDENTIAL.search(file.read(100_000)) is not None
