"""Secrets in a workspace: found before a run, and hidden from it."""

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
    """Find the secrets in a visible workspace, to hide them from the line.

    Raises:
        FormatError: `run.too-many-secrets`; a workspace whose secrets cannot be hidden is not used.
    """
    if not any(
        entry.startswith(workspace) for entry in (*confinement.fs_write, *confinement.fs_read)
    ):
        return ()
    secrets: list[str] = []
    budget = MAX_LOOKED
    for place, folders, names in os.walk(workspace):
        folders[:] = [name for name in folders if name not in DEPENDENCIES and name != ".git"]
        budget -= len(names)
        secrets += [
            os.path.join(place, name)
            for name in names
            if is_secret(name) and _holds_secret(os.path.join(place, name))
        ]
        if len(secrets) > MAX_MASKED or budget < 0:
            raise FormatError(
                "run.too-many-secrets",
                f"`{workspace}` is too large to search for secrets to hide",
                hint="run the line in a smaller folder",
            )
    return tuple(secrets)


def _holds_secret(path: str) -> bool:
    """Whether a file contains a secret: settings of package managers often do not, and are needed; a link's target is checked itself."""
    if os.path.islink(path) or not os.path.isfile(path):
        return False
    if os.path.basename(path) not in _SETTINGS:
        return True
    with open(path, "rb") as file:
        return _CREDENTIAL.search(file.read(100_000)) is not None
