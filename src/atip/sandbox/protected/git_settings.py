"""Settings of a repository that start no program and lead nowhere else; everything else is foreign. Pure.

A list of what is known to be harmless: git grows settings that run programs (`core.fsmonitor`, `filter.*`, `alias.*`, `include.path` …).
"""

from __future__ import annotations

import os

from atip.model.text.regex import late_regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_HARMLESS = {
    "core": "repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf eol "
    "quotepath abbrev safecrlf compression sparsecheckout sparsecheckoutcone untrackedcache longpaths",
    "extensions": "objectformat worktreeconfig partialclone refstorage noop",
    "user": "name email",
    "author": "name email",
    "committer": "name email",
    "remote": "url pushurl fetch push tagopt prune prunetags mirror promisor partialclonefilter skipdefaultupdate gh-resolved",
    "branch": "remote merge rebase pushremote description autosetuprebase vscode-merge-base gh-merge-base",
    "submodule": "url active branch ignore fetchrecursesubmodules recurse",
    "init": "defaultbranch",
    "pull": "rebase ff",
    "push": "default autosetupremote followtags",
    "fetch": "prune prunetags",
    "merge": "ff conflictstyle log renames",
    "rebase": "autostash autosquash updaterefs",
    "commit": "verbose status",
    "status": "short branch showuntrackedfiles",
    "log": "date decorate",
    "gc": "auto autopacklimit",
    "rerere": "enabled autoupdate",
    "lfs": "repositoryformatversion access",
    "index": "version",
    "feature": "manyfiles",
}
_KEYS = {section: frozenset(keys.split()) for section, keys in _HARMLESS.items()}
_SECTION = late_regex(r'\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\\n]|\\.)*)")?\s*\]')
_JOINED = late_regex(r"\\\r?\n")
_SETTING = late_regex(r"([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?\Z")
_UNREADABLE = ("(unreadable)", "")


def foreign_settings(
    before: bytes, now: bytes, *, folder: str = "", roots: Sequence[str] = ()
) -> tuple[str, ...]:
    """Names of new settings that are not known to be harmless.

    Args:
        folder: the repository, for settings that lead to a place.
        roots: places that may be led to.
    """
    old_settings = set(_settings(before))
    new_settings = [setting for setting in _settings(now) if setting not in old_settings]
    return tuple(
        name for name, value in new_settings if not _is_harmless(name, value, folder, roots)
    )


def _is_harmless(name: str, value: str, folder: str, roots: Sequence[str]) -> bool:
    section, key = name.partition(".")[0], name.rpartition(".")[2]
    if name == "core.worktree":
        place = os.path.realpath(os.path.join(folder, value))
        return any(f"{place}/".startswith(f"{root}/") for root in roots)
    if section == "submodule" and key == "update":
        return value in ("checkout", "rebase", "merge", "none")
    return key in _KEYS.get(section, ())


def _settings(data: bytes) -> list[tuple[str, str]]:
    """Every setting as `section.sub.key` and value. What cannot be parsed is an unknown setting."""
    text = data.decode("utf-8", "replace")
    if "\0" in text:
        return [_UNREADABLE]
    settings: list[tuple[str, str]] = []
    section = ""
    for line in _JOINED.sub("", text).splitlines():
        rest = line.strip()
        while header := _SECTION.match(rest):
            section = ".".join(part for part in (header[1].lower(), header[2]) if part)
            rest = rest[header.end() :].strip()
        if not rest or rest[0] in "#;":
            continue
        setting = _SETTING.match(rest)
        if setting is None or not section:
            return [_UNREADABLE]
        settings.append((f"{section}.{setting[1].lower()}", (setting[2] or "").strip().strip('"')))
    return settings
