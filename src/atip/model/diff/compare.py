"""Changes between two versions of a tool: breaking, compatible, effects; and the version step.

Pure; compares two Tools, so the spelling of a document (0.1 string or 0.6 object) makes no
difference. Sees what the public reference sees and what it is blind to: docs/formats/diff.md lists
every kind.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from atip.model.diff.change import BUMPS, Change, breaking, compatible
from atip.model.diff.effects import diff_effects
from atip.model.diff.parameters import diff_arguments, diff_options, diff_status
from atip.model.diff.root import (
    diff_authentication,
    diff_extra,
    diff_identity,
    diff_observed,
    diff_patterns,
    diff_trust,
)
from atip.model.reading.encode import encode
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from atip.model.diff.change import Bump, Category, Parts
    from atip.model.tool import Command, Tool


class Diff(Value):
    """All changes, in the order of the document, and the advice that follows."""

    changes: tuple[Change, ...] = ()
    semver: Bump = "none"

    def of(self, category: Category) -> tuple[Change, ...]:
        """The changes of one category."""
        return tuple(change for change in self.changes if change.category == category)

    @property
    def weaker_claims(self) -> tuple[Change, ...]:
        """Changes after which the document warns of less than before."""
        return tuple(change for change in self.changes if change.is_weaker_claim)

    def to_json(self) -> dict[str, object]:
        summary = {
            "changes": len(self.changes),
            "breaking": len(self.of("breaking")),
            "compatible": len(self.of("compatible")),
            "effects": len(self.of("effects")),
            "weakerClaims": len(self.weaker_claims),
        }
        return {
            "summary": summary,
            "semver": self.semver,
            "changes": [change.to_json() for change in self.changes],
        }


def diff(old: Tool, new: Tool) -> Diff:
    """All differences between two versions of one tool."""
    changes = tuple(_changes(old, new))
    if not changes and _visible(old) != _visible(new):
        # Nothing may differ unseen, however rare the field.
        changes = (compatible("other-changed", (), "a field of minor rank changed", bump="patch"),)
    step = max((BUMPS.index(change.bump) for change in changes), default=0)
    return Diff(changes=changes, semver=BUMPS[step])  # type: ignore[arg-type]


def _visible(tool: Tool) -> str:
    """The document without internal fields and without what a view says of itself, as text:
    Python takes 1 for true, JSON does not."""
    own_words = ("partial", "filter", "totalCommands", "includedCommands", "omitted")
    document = {key: value for key, value in encode(tool).items() if key not in own_words}
    return json.dumps(_without_internal(document), sort_keys=True)


def _without_internal(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _without_internal(item) for key, item in value.items() if key[:1] not in ("_", "$")
        }
    return [_without_internal(item) for item in value] if isinstance(value, list) else value


def _changes(old: Tool, new: Tool) -> Iterator[Change]:
    yield from diff_identity(old, new)
    yield from diff_trust(old.trust, new.trust)
    yield from diff_observed(old, new)
    yield from diff_authentication(old.authentication, new.authentication, ("authentication",))
    yield from _commands(
        old.commands or {}, new.commands or {}, ("commands",), is_part=bool(new.partial)
    )
    yield from diff_options(old.global_options or (), new.global_options or (), ("globalOptions",))
    yield from diff_arguments(old.arguments or (), new.arguments or (), ("arguments",))
    yield from diff_options(old.options or (), new.options or (), ("options",))
    yield from diff_effects(old.effects, new.effects, ("effects",))
    yield from _examples(old, new, ())
    yield from diff_patterns(old, new)


def _commands(
    old: Mapping[str, Command], new: Mapping[str, Command], path: Parts, *, is_part: bool
) -> Iterator[Change]:
    renamed = _find_renames(old, new)
    targets = {target for target in renamed.values() if target not in old}
    for name, command in old.items():
        if name in new or name in renamed:
            continue
        where = (*path, name)
        if is_part:
            text = f"command `{name}` is not in the new document, which is partial"
            yield compatible("command-not-included", where, text, command, bump="patch")
        else:
            yield breaking("command-removed", where, f"command `{name}` was removed", command)
    for name, command in new.items():
        if name not in old and name not in targets:
            text = f"command `{name}` was added"
            yield compatible("command-added", (*path, name), text, new=command)
    for name, command in old.items():
        if name in renamed:
            text = f"command `{name}` is now called `{renamed[name]}`; the old name still works"
            yield compatible("command-renamed", (*path, name), text, name, renamed[name])
        partner = new.get(renamed.get(name, name))
        if partner is not None:
            yield from _command(command, partner, (*path, name), name, is_part)


def _find_renames(old: Mapping[str, Command], new: Mapping[str, Command]) -> dict[str, str]:
    """Commands that live on as an alias of another."""
    by_alias = {alias: name for name, command in new.items() for alias in command.aliases or ()}
    return {name: by_alias[name] for name in old if name not in new and name in by_alias}


def _command(old: Command, new: Command, path: Parts, name: str, is_part: bool) -> Iterator[Change]:
    for field, before, after in (
        ("description", old.description, new.description),
        ("title", old.title, new.title),
        ("usage", old.usage, new.usage),
    ):
        if before != after:
            text = f"{field} of command `{name}` changed"
            yield compatible(f"{field}-changed", (*path, field), text, before, after, bump="patch")
    yield from _aliases(old, new, path, name)
    yield from _commands(
        old.commands or {}, new.commands or {}, (*path, "commands"), is_part=is_part
    )
    yield from diff_arguments(old.arguments or (), new.arguments or (), (*path, "arguments"))
    yield from diff_options(old.options or (), new.options or (), (*path, "options"))
    yield from diff_effects(old.effects, new.effects, (*path, "effects"))
    yield from diff_authentication(
        old.authentication, new.authentication, (*path, "authentication")
    )
    yield from diff_status(old, new, path, f"command `{name}`")
    yield from _examples(old, new, path)
    yield from diff_extra(old.extra, new.extra, path)


def _aliases(old: Command, new: Command, path: Parts, name: str) -> Iterator[Change]:
    before, after = set(old.aliases or ()), set(new.aliases or ())
    for alias in sorted(before - after - {path[-1]}):
        text = f"alias `{alias}` of command `{name}` was removed"
        yield breaking("alias-removed", (*path, "aliases"), text, alias)
    for alias in sorted(after - before - {name}):
        text = f"command `{name}` has a new alias `{alias}`"
        yield compatible("alias-added", (*path, "aliases"), text, new=alias)


def _examples(old: Command | Tool, new: Command | Tool, path: Parts) -> Iterator[Change]:
    if (old.examples or ()) != (new.examples or ()):
        yield compatible(
            "examples-changed",
            (*path, "examples"),
            "examples changed",
            old.examples,
            new.examples,
            bump="patch",
        )
