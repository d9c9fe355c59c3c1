"""Invocation: one parsed command line, as the tool itself would read it.

Holds the words and their meaning according to the tables; effects are computed in `calls/effects/engine.py`. A NUL
inside a word stands for text that is not known before the shell runs (`"$DIR"/x`), since no real
argument can hold one.
"""

from __future__ import annotations

from atip.model.value import Value, brief

TYPE_CHECKING = False
if TYPE_CHECKING:
    from atip.model.tool import Command, Option

UNKNOWN_TEXT = "\0"
ANY_WORDS = "\0\0"
"""Placeholder for any number of words: what `xargs` will append."""


class GivenOption(Value):
    """One option as typed. `value` is None for a flag without value, and where it is missing."""

    name: str
    """Canonical name from the table; the flag itself if no table knows it."""
    flag: str
    value: str | None = None
    option: Option | None = None
    """The table's entry; None: unknown flag."""

    @property
    def flags(self) -> tuple[str, ...]:
        """Every spelling of this option."""
        return (self.flag, *self.option.flags) if self.option is not None else (self.flag,)


class Inner(Value):
    """A command that the invocation will run. `kind`: `argv` (a list of words), `shell` (a line for a
    shell), `program` (a file), `code` (text in another language, or unknown)."""

    kind: str
    argv: tuple[str, ...] = ()
    text: str = ""
    via: str = ""
    """The flag that brings it; empty: a positional."""
    where: str = ""
    """`container`, `remote`, `root`; empty: here."""
    more: bool = False
    """It gets further arguments that are not on the line (xargs)."""


class Invocation(Value):
    """A command line read by a tool's tables."""

    tool: str
    path: tuple[str, ...] = ()
    """Commands by their names in the tree, aliases resolved."""
    options: tuple[GivenOption, ...] = ()
    arguments: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    """Flags that no table knows."""
    unknown_command: str = ""
    """A word where a command was expected and none has that name."""
    inner: tuple[Inner, ...] = ()
    wraps: bool = False
    """The inner command replaces the tool's own work (`sudo CMD`) instead of adding to it (`find -exec`)."""
    ended: int | None = None
    """Number of positionals before `--`; None: no `--`."""
    help: bool = False
    """A flag that only prints help or the version."""
    nodes: tuple[Command, ...] = ()
    """The commands along `path`, outermost first, as far as the tree knows them."""

    def __repr__(self) -> str:
        flags = [option.flag for option in self.options]
        line = " ".join((self.tool, *self.path))
        return (
            f"Invocation({brief(line)}, options={brief(flags)}, arguments={brief(self.arguments)})"
        )

    def given(self, flags: tuple[str, ...] | list[str]) -> bool:
        """Whether the call uses any of these flags, in any spelling; `--` counts as a flag here."""
        if self.ended is not None and "--" in flags:
            return True
        return any(flag in option.flags for option in self.options for flag in flags)

    def values_of(self, flags: tuple[str, ...] | list[str]) -> tuple[str, ...]:
        """Values given to any of these flags, in order."""
        return tuple(
            option.value
            for option in self.options
            if option.value is not None and any(flag in option.flags for flag in flags)
        )
