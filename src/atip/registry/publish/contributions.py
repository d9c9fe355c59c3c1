"""Contributions before they are published: check a file or a whole source folder, and approve one. ATIP 0.6 §4.9, §12.4."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from atip.errors import AtipError, FormatError, NotFoundError
from atip.model.problems import Problem
from atip.registry import tree
from atip.registry.publish.approvals import add_approval
from atip.registry.publish.build import rules_of
from atip.registry.publish.files.delivery import headers_for
from atip.registry.publish.review import review
from atip.registry.publish.settings import FILE, load_publisher_settings
from atip.registry.publish.source import SHIMS, compare, list_source, read_contribution
from atip.system.stores.objects import open_store

if TYPE_CHECKING:
    from collections.abc import Iterable

    from atip.system.stores.objects import ObjectStore

DEFAULT_PLACE = "public"
"""Folder inside the source that is published unless another place is named."""


def check_contributions(
    folder: str, place: str, only: Iterable[str] = ()
) -> tuple[int, list[Problem]]:
    """Check shims of a source folder; returns how many, and all problems that a build would report.

    Args:
        place: where the registry is published; updates are compared with it.
        only: digits of shims; all when empty.

    Raises:
        NotFoundError: `publish.no-settings`.
    """
    rules = rules_of(folder, load_publisher_settings(folder))
    store = open_store(place, headers_for)
    changes = compare(list_source(folder, time.time_ns()), [], [])
    requested = set(only)
    problems = [] if requested else list(changes.problems)
    selected = {d: n for d, n in changes.changed.items() if not requested or d in requested}
    for digits, name in selected.items():
        try:
            contribution = read_contribution(folder, digits, name)
            problems += review(contribution, rules, _find_published(store, digits), None)
        except AtipError as error:
            problems.append(
                Problem(path=name, code=error.code, message=error.message, hint=error.hint)
            )
    return len(selected), problems


def check_file(path: str) -> list[Problem]:
    """All problems of one contributed shim, by the rules of its source folder.

    Raises:
        NotFoundError: `publish.no-settings` when it is not in a source folder.
    """
    folder = find_source(path)
    relative = os.path.relpath(os.path.abspath(path), os.path.join(folder, SHIMS))
    digits = os.path.basename(relative).removesuffix(".json")
    if not tree.is_hex_digest(digits) or relative.startswith(".."):
        message = f"`{os.path.basename(path)}` is not named by the SHA-256 of its binary"
        return [Problem(path=path, code="publish.name", message=message)]
    return check_contributions(folder, os.path.join(folder, DEFAULT_PLACE), [digits])[1]


def find_source(path: str) -> str:
    """The source folder around a file.

    Raises:
        NotFoundError: `publish.no-settings`.
    """
    folder = os.path.dirname(os.path.abspath(path))
    while not os.path.exists(os.path.join(folder, FILE)):
        parent = os.path.dirname(folder)
        if parent == folder:
            raise NotFoundError(
                "publish.no-settings",
                f"`{path}` is not in a source folder",
                hint=f"a source folder has a `{FILE}`",
            )
        folder = parent
    return folder


def approve(folder: str, digits: str, *, by: str, at: str, reason: str = "") -> None:
    """Record that a person looked at a shim and agrees to exactly these bytes.

    Raises:
        NotFoundError: `publish.no-shim`.
    """
    name = compare(list_source(folder, time.time_ns()), [], []).changed.get(digits)
    if name is None:
        raise NotFoundError("publish.no-shim", f"no shim `{digits[:80]}` in `{folder}`")
    contribution = read_contribution(folder, digits, name)
    if not by:
        raise FormatError("publish.approval", "an approval needs the name of the reviewer (`by`)")
    add_approval(folder, digits, contribution.record.content, by=by, at=at, reason=reason)


def _find_published(store: ObjectStore, digits: str) -> bytes | None:
    stored = store.find(tree.shim_path(digits), tree.MAX_SHIM)
    return stored.data if stored is not None else None
