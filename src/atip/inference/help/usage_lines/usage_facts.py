"""Facts that usage lines state: flags, positionals, commands. `usage.py` collects them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.inference.help.flags import is_long_behind_one_dash

if TYPE_CHECKING:
    from atip.inference.help.usage_lines.patterns import UsagePattern


class UsageOption:
    """A flag seen in a usage line. `certain` is False where a value might be a positional."""

    __slots__ = ("certain", "flags", "lines", "optional_value", "raw", "required", "value", "word")

    def __init__(self, flags: tuple[str, ...], lines: tuple[int, int]) -> None:
        self.flags = flags
        self.lines = lines
        self.value: str | None = None
        self.raw = ""
        self.optional_value = False
        self.certain = True
        self.required = False
        self.word = ""
        """The literal word its pattern starts with: perhaps a sub-command."""


class UsageArgument:
    """A positional seen in a usage line."""

    __slots__ = ("after", "bare", "handed", "lines", "name", "raw", "required", "variadic")

    def __init__(self, name: str, lines: tuple[int, int]) -> None:
        self.name = name
        self.lines = lines
        self.required = True
        self.variadic = False
        self.bare = False
        """A lower-case word without brackets: perhaps a literal."""
        self.raw = ""
        self.after: str | None = None
        """The flag right before it outside of brackets: perhaps it is that flag's value."""
        self.handed = False
        """Whether `--` stands before it."""


class Usage:
    """Everything the usage lines of one page say."""

    def __init__(self) -> None:
        self.patterns: list[UsagePattern] = []
        self.options: list[UsageOption] = []
        self.arguments: list[list[UsageArgument]] = []
        """Per pattern."""
        self.only_options: list[bool] = []
        """Per pattern, whether it is `TOOL OPTION` and nothing else."""
        self.clusters: list[tuple[str, tuple[int, int]]] = []
        """`-abc`: three flags or one long one; the definitions decide."""
        self.words: list[tuple[str, tuple[int, int]]] = []
        """Literal words right after the program's own: commands, if there are several."""
        self.braces: list[tuple[tuple[str, ...], bool, tuple[int, int]]] = []
        """`{a,b}` as a positional, and whether `...` follows (argparse sub-commands)."""
        self.brace_words: list[tuple[str, tuple[int, int]]] = []
        """Literal words in braces right after the command: further commands, if other lines start with one."""
        self.brace_groups = 0
        """Groups of such words."""
        self.objects: tuple[str, ...] = ()
        """Commands that the text defines for a placeholder: `OBJECT := { link | route }`."""
        self.synopses: dict[str, str] = {}
        """Command that the usage line lists in braces → the text behind it."""
        self.takes_command = False
        self.starts: list[str] = []
        """The literal word each pattern starts with, or nothing."""
        self.exclusive: list[tuple[str, ...]] = []

    @property
    def has_long_names(self) -> bool:
        """Whether names of one dash are words here: `[-in input_file] -dbtype molecule_type`."""
        return any(
            one.value is not None and is_long_behind_one_dash(one.flags[0]) for one in self.options
        )

    def keep_forms(self, count: int) -> None:
        """Drops the forms behind the first `count`: a list of options is not one more form of the call, without positionals."""
        self.arguments = self.arguments[:count]
        self.only_options = self.only_options[:count]
        self.starts = self.starts[:count]

    def take_objects(self, name: str, commands: tuple[str, ...]) -> None:
        """Commands for a placeholder, which is then not a positional."""
        self.objects = commands
        if commands:
            self.arguments = [
                [one for one in arguments if one.name != name] for arguments in self.arguments
            ]
