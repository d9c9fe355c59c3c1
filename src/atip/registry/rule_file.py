"""Adding a rule to the user's own policy file: one item at the end of its list, everything else left alone."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from atip.errors import FormatError, NotFoundError
from atip.policy.reading import read_policy
from atip.registry.settings import MAX_SETTINGS, refuse_foreign
from atip.system import files

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Append = Callable[[str, tuple[str, ...], object], str]
    """Puts an item at the end of a list in the text of a JSON document."""
    Remove = Callable[[str, tuple[str | int, ...]], str]
    """Takes a value out of the text of a JSON document."""


def add_rule(path: str, rule: Mapping[str, Any], append: Append) -> bool:
    """Add a rule; returns False when it exists already.

    Raises:
        FormatError: the file is not a policy of rules, or would not be one afterwards.
        AtipError: `settings.unsafe-file`, `file.unwritable`.
    """
    text = _load(path)
    document = json.loads(text)
    if not isinstance(document.get("policy"), dict):
        raise FormatError("policy.no-rules", f"`{path}` is not a policy of rules", hint="see `atip schema policy`")  # fmt: skip
    rules = document["policy"].get("rules", [])
    if any({**existing, "name": ""} == {**rule, "name": ""} for existing in rules):
        return False
    after = append(text, ("policy", "rules"), dict(rule))
    expected = {**document, "policy": {**document["policy"], "rules": [*rules, dict(rule)]}}
    if json.loads(after) != expected:
        raise FormatError("policy.no-rules", f"`{path}` cannot be edited without changing other entries", hint="add the rule by hand")  # fmt: skip
    read_policy(after.encode(), layer="user", origin=path)
    files.make_private(os.path.dirname(path))
    files.write_atomic(path, after.encode())
    return True


def add_grants(path: str, entries: Sequence[tuple[str, str]], append: Append, put: Append) -> bool:
    """Whether anything was added to `grants`.

    Raises:
        FormatError: the file is not a policy of rules, or would not be one afterwards.
    """
    text = before = _load(path)
    for field, entry in entries:
        grants = json.loads(text).get("policy", {}).get("grants", {})
        if entry in grants.get(field, []):
            continue
        text = append(text, ("policy", "grants", field), entry)
        if field == "write" and "workspace" not in grants:
            # a list of folders alone would close the workspace
            text = put(text, ("policy", "grants", "workspace"), "write")
    if text == before:
        return False
    read_policy(text.encode(), layer="user", origin=path)
    files.make_private(os.path.dirname(path))
    files.write_atomic(path, text.encode())
    return True


def use_up(path: str, names: Sequence[str], remove: Remove) -> None:
    """Take rules for one line out of the file, before the line is let through.

    Raises:
        NotFoundError: `policy.used-up`: another line used it first.
        AtipError: the file cannot be changed.
    """
    with files.locked(path + ".lock"):
        text = _load(path)
        for name in names:
            rules = json.loads(text)["policy"].get("rules", [])
            at = next((i for i, r in enumerate(rules) if r.get("name") == name and r.get("once")), None)  # fmt: skip
            if at is None:
                raise NotFoundError("policy.used-up", "the one-time rule was already used")
            text = remove(text, ("policy", "rules", at))
        read_policy(text.encode(), layer="user", origin=path)
        files.write_atomic(path, text.encode())


def _load(path: str) -> str:
    try:
        data = files.read_bytes(path, MAX_SETTINGS)
    except NotFoundError:
        return '{\n  "policy": {\n    "version": "1",\n    "rules": []\n  }\n}\n'
    refuse_foreign(path)
    read_policy(data, layer="user", origin=path)
    return data.decode()
