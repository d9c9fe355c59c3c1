"""Rules: which names stay as they are, read from the `**/…` entries of `Confinement.fs_keep`. Pure.

`**/NAME` and `**/FOLDER/NAME` hold at any depth below every writable root. Repositories have a role of their own, since what
lies in one is found by path and by content: `**/.git` seals each repository as a whole; `**/.git/hooks` and the like leave
git its own work, and hold what would run programs.
"""

from __future__ import annotations

from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ANYWHERE = "**/"
REPOSITORY = ".git"
DEPENDENCIES = frozenset(
    (
        *("node_modules", "bower_components", "site-packages", "vendor", "target", "Pods"),
        *(".venv", "venv", ".tox", ".nox"),
    )
)
"""Folders that package managers fill: they are not opened as projects, so only repositories count there."""


class ProtectionRules(Value):
    """Names and repositories that a run must not change."""

    names: frozenset[str] = frozenset()
    below: Mapping[str, frozenset[str]] = {}
    """Name of a folder → names inside of it."""
    sealed: bool = False
    """True: repositories are read-only as a whole."""
    parts: frozenset[str] = frozenset()
    """Of a repository that is not sealed, relative to it: what stays as it is."""

    @property
    def watches(self) -> bool:
        """Whether there is anything to look for."""
        return bool(self.names or self.below or self.sealed or self.parts)

    def names_in(self, folder: str) -> frozenset[str]:
        """Names to keep in a folder of this name, but for repositories."""
        if folder in DEPENDENCIES:
            return frozenset()
        return self.names | self.below.get(folder, frozenset())


def parse_rules(entries: Iterable[str]) -> ProtectionRules:
    """The rules among the entries of `fs_keep`; plain paths are left to `grants`."""
    names: set[str] = set()
    below: dict[str, frozenset[str]] = {}
    parts: set[str] = set()
    for entry in entries:
        if not entry.startswith(ANYWHERE):
            continue
        folder, _, name = entry.removeprefix(ANYWHERE).partition("/")
        if not name:
            names.add(folder)
        elif folder == REPOSITORY:
            parts.add(name)
        else:
            below[folder] = below.get(folder, frozenset()) | {name}
    sealed = REPOSITORY in names
    return ProtectionRules(
        names=frozenset(names - {REPOSITORY}), below=below, sealed=sealed, parts=frozenset(parts)
    )
