"""Inner: which commands an invocation will run, by the `runs` data of its tool (docs/architecture.md).

This code has no list of wrappers; `sudo`, `find -exec`, `bash -c` and `ssh HOST CMD` differ only in data:
`{from: N, skip, shell, single, default, more, after, in}` or one of the words `shell`, `command`,
`program`, `code`. If the data do not say what runs, the result is `code`: unknown.
"""

from __future__ import annotations

from atip.calls.invocation import ANY_WORDS, UNKNOWN_TEXT, Inner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from atip.calls.invocation import GivenOption

_META = frozenset("|&;<>()$`\\\"'*?[]#~=%{}!\n\r\0")


def simple_argv(line: str) -> tuple[str, ...] | None:
    """Words of a shell line that needs no shell: no operator, expansion or redirection.

    Quotes are allowed; anything else a shell would act on gives None, to be read by the shell parser.
    """
    bare = line
    if "'" in line or '"' in line:
        import shlex  # brings `re` along; most lines have no quotes

        try:
            words = shlex.split(line)
        except ValueError:
            return None
        bare = _outside_quotes(line)
    else:
        words = line.split()
    if any(c in _META - {"=", "%", "~", "{", "}", "'", '"', "#", "!"} for c in bare):
        return None
    if not words or "=" in words[0] or any(w.startswith(("~", "#", "!")) for w in words):
        return None
    return tuple(words)


def _outside_quotes(line: str) -> str:
    """The line without quoted text; `$` and backtick count inside double quotes too."""
    characters: list[str] = []
    quote = ""
    for char in line:
        if quote:
            if char == quote:
                quote = ""
            elif quote == '"' and char in "$`\\!":
                characters.append(char)
        elif char in "'\"":
            quote = char
        else:
            characters.append(char)
    return "".join(characters)


def inner_of_value(runs: object, value: str | None, flag: str) -> Inner:
    """The command that an option's value is."""
    if value is None or UNKNOWN_TEXT in value or runs == "code":
        return Inner(kind="code", text=value or "", via=flag)
    if runs == "command":
        import shlex

        try:
            words = tuple(shlex.split(value))
        except ValueError:
            return Inner(kind="code", text=value, via=flag)
        return Inner(kind="argv", argv=words, via=flag)
    if runs == "program":
        return Inner(kind="program", text=value, via=flag)
    return Inner(kind="shell", text=value, via=flag)


def inner_of_arguments(
    runs: Mapping[str, Any], arguments: Sequence[str], ended: int | None, via: str = ""
) -> Inner | None:
    """The command among the positionals; None if the wrapper was called without one."""
    where, more = str(runs.get("in", "")), runs.get("more") is True
    words = list(arguments)
    if runs.get("after") == "--" and ended is not None:
        words = words[ended:]
    else:
        if "skip" in runs:
            words = _skip(words, str(runs["skip"]))
        words = words[int(runs.get("from", 1)) - 1 :]
    if not words:
        if "default" not in runs:
            return None
        words = str(runs["default"]).split()
    if runs.get("code"):
        return Inner(kind="code", text=words[0], via=via, where=where)
    if runs.get("shell") is True:
        text = words[0] if runs.get("single") is True else " ".join(words)
        if UNKNOWN_TEXT in text:
            return Inner(kind="code", text=text, via=via, where=where)
        return Inner(kind="shell", text=text, via=via, where=where, more=more)
    if words[0].startswith("-") or UNKNOWN_TEXT in words[0]:
        return Inner(kind="code", text=" ".join(words), via=via, where=where)
    argv = (*words, ANY_WORDS) if more else tuple(words)
    return Inner(kind="argv", argv=argv, via=via, where=where, more=more)


def is_reached(runs: Mapping[str, Any], arguments: Sequence[str]) -> bool:
    """Whether the last of these positionals already belongs to the inner command."""
    words = list(arguments)
    if "skip" in runs:
        words = _skip(words, str(runs["skip"]))
    return len(words) >= int(runs.get("from", 1))


def _skip(words: list[str], pattern: str) -> list[str]:
    from atip.calls.effects.rules import text_matches

    while words and text_matches(pattern, words[0]):
        words = words[1:]
    return words[1:] if words[:1] == ["--"] else words


def all_inner(
    table_runs: object, options: Sequence[GivenOption], arguments: Sequence[str], ended: int | None,
    collected: Sequence[Inner],
) -> tuple[tuple[Inner, ...], bool]:  # fmt: skip
    """Every inner command, and whether one replaces the tool's own work."""
    commands = list(collected)
    wraps = False
    for option in options:
        runs = option.option.own.get("runs") if option.option is not None else None
        if isinstance(runs, dict) and "until" not in runs:
            inner = inner_of_arguments(runs, arguments, ended, option.flag)
            commands.append(inner or Inner(kind="code", via=option.flag))
            wraps = True
        elif runs == "bindings":
            from atip.calls.effects.bindings import inner_of_bindings  # one program has them

            commands += inner_of_bindings(option.value or "", option.flag)
        elif runs in ("shell", "program", "code", "command"):
            commands.append(inner_of_value(runs, option.value, option.flag))
    if isinstance(table_runs, dict) and not wraps:
        split = [i for i in commands if i.kind == "argv" and i.via and i not in collected]
        if split and arguments:
            # `env -S 'cmd -x' ARG`: the words of the value come first
            commands.remove(split[-1])
            commands.append(split[-1].replace(argv=(*split[-1].argv, *arguments)))
            return tuple(commands), True
        inner = inner_of_arguments(table_runs, arguments, ended)
        if inner is not None and not split:
            commands.append(inner)
            wraps = True
        wraps = wraps or bool(split)
    return tuple(commands), wraps
