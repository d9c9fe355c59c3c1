"""Interface of an install method: a plan. Nothing here runs anything; `installing.py` does, after confirmation.

Each method is a file with one function, `plan(entry, site) -> InstallPlan`. A plan that cannot work here gives the reason and a
hint. Commands are argvs; package names are checked so that none can be an option, an address or a file.
Implements AIP-29 "Install methods".
"""

from __future__ import annotations

import importlib
import re
from typing import TYPE_CHECKING

from atip.bundles.requirements import HostMachine, why_not_here
from atip.errors import FormatError
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from atip.codecs.climd.manifest import InstallEntry

MANAGERS = ("brew", "apt", "dnf", "pacman", "choco", "scoop", "npm", "pip", "cargo", "go")
METHODS = (*MANAGERS, "curl", "download", "vendored")
"""Each is a module: a package manager in `managers`, another way in this package."""
_PACKAGE = re.compile(r"[A-Za-z0-9@][A-Za-z0-9@._+/=<>~^!,\[\]-]{0,213}\Z")


class Site(Value):
    """Target of an install."""

    bin: str
    prefix: str
    """New folder of ours; removed when the install fails."""
    folder: str
    """Of the bundle."""
    host: HostMachine
    home: str
    is_root: bool
    find: Callable[[str], str | None]
    """Program name → path on this machine."""


class Action(Value):
    """One step of a plan."""

    kind: str
    """`run` (a package manager), `fetch` (a file, by its hash), `unpack` (one file of what was fetched), `script`
    (what was fetched, confined), `use` (a file that is there), `image` (the files of a container image)."""
    argv: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    needs_root: bool = False
    url: str = ""
    sha256: str = ""
    member: str = ""
    path: str = ""

    def render(self) -> str:
        """The complete step as text for a person."""
        if self.kind == "run":
            words = (*(f"{name}={value}" for name, value in self.env), *self.argv)
            return " ".join(words) + ("   (as root)" if self.needs_root else "")
        if self.kind == "fetch":
            return f"fetch {self.url} with SHA-256 {self.sha256}"
        if self.kind == "unpack":
            return f"extract {self.member} from it"
        if self.kind == "script":
            return "run it with sh, confined to its own folder"
        if self.kind == "image":
            which = f" ({self.sha256})" if self.sha256 else ""
            return f"unpack the image {self.argv[1]}{which} by {self.argv[0]}"
        return f"use {self.path}"


class InstallPlan(Value):
    """Steps that install one entry; with `why_not` it cannot be installed here."""

    method: str
    actions: tuple[Action, ...] = ()
    binaries: tuple[str, ...] = ()
    """Expected paths of the program, best first; empty: found on the search path."""
    visible: tuple[str, ...] = ()
    """Folders that the program needs to see to start."""
    root: str = ""
    """Folder that is `/` for the program; empty: this host's system."""
    notes: tuple[str, ...] = ()
    why_not: str = ""
    hint: str = ""

    @property
    def is_possible(self) -> bool:
        return not self.why_not

    @property
    def needs_root(self) -> bool:
        return any(action.needs_root for action in self.actions)

    def to_json(self) -> dict[str, object]:
        return {
            "method": self.method,
            "possible": self.is_possible,
            "reason": self.why_not or None,
            "hint": self.hint or None,
            "steps": [action.render() for action in self.actions],
            "root": self.needs_root,
            "notes": list(self.notes),
        }


def plan_all(entries: Iterable[InstallEntry], site: Site) -> list[InstallPlan]:
    """A plan for every entry, in the order of the bundle."""
    return [plan_entry(entry, site) for entry in entries]


def plan_entry(entry: InstallEntry, site: Site) -> InstallPlan:
    """The plan of one entry."""
    if entry.method not in METHODS:
        status = "experimental" if entry.experimental else "unknown"
        return refused_plan(entry.method or "?", f"the method is {status}; the entry is skipped")
    reason = why_not_here(entry.method, site.host)
    if reason:
        return refused_plan(entry.method, reason)
    place = f"managers.{entry.method}" if entry.method in MANAGERS else entry.method
    module = importlib.import_module(f"atip.bundles.install.{place}")
    try:
        plan: InstallPlan = module.plan(entry, site)
    except FormatError as error:
        return refused_plan(entry.method, error.message, error.hint)
    if entry.experimental:
        return plan.replace(notes=(*plan.notes, "the bundle marks this method as experimental"))
    return plan


def refused_plan(method: str, reason: str, hint: str = "") -> InstallPlan:
    return InstallPlan(method=method, why_not=reason, hint=hint)


def package_of(entry: InstallEntry, *, forbidden: str = "") -> str:
    """The package name, checked.

    Raises:
        FormatError: `install.package`.
    """
    name = entry.package
    # SECURITY: a name that begins with a dash is an option; an address or a path is code without a registry.
    if (
        not _PACKAGE.match(name)
        or "://" in name
        or ".." in name
        or any(c in name for c in forbidden)
    ):
        raise FormatError(
            "install.package", f"`{name[:80]}` is not a package name for {entry.method}"
        )
    return name


def get_manager(site: Site, name: str, hint: str) -> str:
    """Path of a package manager.

    Raises:
        FormatError: `install.no-manager`, with how to get it.
    """
    path = site.find(name)
    if path is None:
        raise FormatError("install.no-manager", f"`{name}` is not installed", hint=hint)
    return path


def as_root(argv: tuple[str, ...], site: Site) -> tuple[str, ...]:
    """Prefix a command with sudo or doas, unless the user is root.

    Raises:
        FormatError: `install.no-root`.
    """
    if site.is_root:
        return argv
    helper = site.find("sudo") or site.find("doas")
    if helper is None:
        raise FormatError(
            "install.no-root",
            f"`{argv[0]}` needs root, and neither sudo nor doas is installed",
            hint="ask an administrator to run: " + " ".join(argv),
        )
    return (helper, *argv)
