"""Effects of each command of a shell line: `ShellLine` → one `CommandContext` per command, wrappers opened.

    (1) the program: a function of the line, a known program, or unknown
    (2) its effects by knowledge (`calls.effects.engine`), without what it runs
    (3) words that are only known at run time: they may become options
    (4) paths: secrets, and what lies outside of the workspace
    (5) what it runs: judged like any other command
    (6) redirections, assignments, variables, code that the shell itself would run

Every step only raises effects. Pure: reads no files.
"""

from __future__ import annotations

from atip.calls.effects.engine import Reason, effects_of, program_name
from atip.calls.effects.facts import weakened
from atip.calls.invocation import ANY_WORDS, UNKNOWN_TEXT
from atip.calls.parse import parse
from atip.calls.shell.line import ShellWord, TextOrigin, parse_shell
from atip.errors import FormatError
from atip.knowledge.reading import CURATED
from atip.knowledge.words import as_effects, profile, raises
from atip.model.effects import UNKNOWN, Effects, raised_by
from atip.model.value import Value
from atip.policy.command_context import CommandContext, add_marks
from atip.policy.lines.line_context import LineContext
from atip.policy.lines.options import joined_risk, may_be_option
from atip.policy.lines.shell_options import changes_reading
from atip.policy.never import mark_never
from atip.policy.places import habits
from atip.policy.places.paths import Paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from atip.calls.invocation import Inner, Invocation
    from atip.calls.shell.line import ShellLine
    from atip.model.tool import Tool
    from atip.policy.network.remote import NamesOf
    from atip.policy.places.folders import FollowLinks

    Lookup = Callable[[str], Tool | None]

MAX_NESTING = 6
MAX_COMMANDS = 128
"""SECURITY: limit per line, including lines inside it; a longer line is unknown, never skipped."""
_TOO_MANY = f"more than {MAX_COMMANDS} commands in one line"
_SHARED = "uses the settings of a folder that other users can write to"
_LEFT_OUT = "is omitted from the description, which only states what to assume"
_OWN = frozenset(("[[", "((", "for", "case"))
"""Names that the shell reader gives to compounds."""
_SHELL_WORDS = frozenset(
    """. : alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown enable eval exec exit export
    fc fg getopts hash help history jobs let local logout mapfile popd pushd read readarray readonly return set shift shopt source
    suspend times trap type typeset ulimit umask unalias unset wait""".split()  # noqa: SIM905
)


class MachineView(Value):
    """What the judge of a line may know about the machine that would run it."""

    lookup: Lookup
    """Tool by name."""
    cwd: str
    home: str = "~"
    links: FollowLinks | None = None
    """Resolves links in a path; None: paths are judged by their names alone."""
    workspace: NamesOf | None = None
    """Names in the files of the workspace; None: unknown."""


def judge_line(line: ShellLine, view: MachineView) -> tuple[CommandContext, ...]:
    """One subject per command that may run, in order."""
    return _LineJudge(line, view, depth=0, traced=False, left=[MAX_COMMANDS]).judge()


class _LineJudge:
    def __init__(
        self, line: ShellLine, view: MachineView, *, depth: int, traced: bool, left: list[int]
    ) -> None:
        """
        Args:
            traced: the shell prints commands as it runs them (`bash -x`).
            left: how many more commands may be judged, for all lines inside of one.
        """
        self.line, self.view, self.depth, self.left = line, view, depth, left
        self.paths = Paths(line, view.cwd, view.home, view.links)
        self.context = LineContext(line, self.paths, traced=traced)

    def judge(self) -> tuple[CommandContext, ...]:
        contexts: list[CommandContext] = []
        for index, command in enumerate(self.line.commands):
            if self.left[0] <= 0:
                contexts.append(
                    _make_unknown(CommandContext(tool=UNKNOWN_TEXT, flags=None), _TOO_MANY)
                )
                break
            subjects = self._words(command.words, index, command.feed, 0)
            subjects[0] = self.context.judge(subjects[0], command)
            contexts += mark_never(subjects, command, self.line, self.paths)
        return tuple(contexts)

    # --- (1) program --- ------------------------------------------------------------------------------

    def _words(
        self, words: Sequence[ShellWord], index: int, feed: tuple[int, ...] | None, nesting: int
    ) -> list[CommandContext]:
        """The subject of a command and those of the commands it runs."""
        self.left[0] -= 1
        if not words:
            return [CommandContext(effects=_effects("nothing"), evidence="shell")]
        name = words[0].text
        raw_text = " ".join(word.raw or word.text for word in words)
        argv = tuple(word.argument for word in words)
        subject = CommandContext(tool=name, argv=argv, text=raw_text)
        if UNKNOWN_TEXT in name:
            return [_make_unknown(subject, "the program's name is only known when the line runs")]
        if self.line.direct and nesting == 0:
            # SECURITY: knowledge about a shell builtin does not apply to a program of that name
            if name in _OWN | _SHELL_WORDS:
                return [_make_unknown(subject, "is a shell builtin, not a known program")]
            return self._program(subject, words, index, feed, nesting)
        if name in _OWN or name in self.line.functions:
            return [subject.replace(effects=_effects("nothing"), evidence="shell")]
        if name in ("set", "shopt") and changes_reading(argv):
            return [_make_unknown(subject, "changes how the shell reads and runs what follows")]
        quiet = name == "set" or (name == "trap" and argv[1:2] in (("-",), ("",), ("-p",), ("-l",)))
        if quiet and len(words) > 1 and all(word.is_static for word in words):
            return [subject.replace(effects=_effects("nothing"), evidence="shell")]
        if name in ("eval", "trap") and len(words) > 1:
            text = " ".join(argv[1:] if name == "eval" else argv[1:2])
            return [
                subject.replace(effects=_effects("runs"), evidence="shell"),
                *self._shell(text, name, subject),
            ]
        if name in (".", "source"):
            return [_make_unknown(subject, "runs a script whose content was not read")]
        return self._program(subject, words, index, feed, nesting)

    def _program(
        self, subject: CommandContext, words: Sequence[ShellWord], index: int,
        feed: tuple[int, ...] | None, nesting: int,
    ) -> list[CommandContext]:  # fmt: skip
        program = program_name(subject.tool)
        tool = self.view.lookup(program) if program else None
        if tool is None:
            says = "is not a known program" if program else "is a file, not a known program"
            return [_make_unknown(subject, says)]
        return self._call(subject.replace(tool=program), tool, words, index, feed, nesting)

    # --- (2) to (5) ------------------------------------------------------------------------------

    def _call(
        self, subject: CommandContext, tool: Tool, words: Sequence[ShellWord], index: int,
        feed: tuple[int, ...] | None, nesting: int,
    ) -> list[CommandContext]:  # fmt: skip
        call = parse(tool, _operands(tool, subject, words))
        estimate = effects_of(tool, call.replace(inner=()))
        curated = tool.own.get("curated") is CURATED
        effects, reasons = estimate.effects, list(estimate.reasons)
        omitted = _omitted_command(tool, call)
        if omitted:
            from atip.model.view.partial import assumed_effects  # rare, and large

            reasons.append(Reason(subject=subject.text, says=_LEFT_OUT, evidence="claim"))
            effects = raised_by(assumed_effects(tool, omitted), effects)
        if call.help and curated:
            return [_of(subject, tool, call, effects, reasons)]
        if tool.name in habits.IN_REPOSITORY and self.paths.places.may_be_shared():
            reasons.append(Reason(subject=subject.text, says=_SHARED, evidence="shell"))
            effects = weakened(effects)
        word = may_be_option(tool, call, words, self.paths)
        if word:
            reasons.append(Reason(subject=word, says="may become an option", evidence="shell"))
            effects = weakened(effects)
        why = _doubt(tool, call, effects)
        if why:
            reasons.append(Reason(subject=why[0], says=why[1], evidence="shell"))
            effects = weakened(effects)
        if tool.name in habits.PRIVILEGE:
            effects = add_marks(effects, "root")
        if _asks_for_secret(tool, call):
            reasons.append(Reason(subject=subject.text, says="asks for a secret", evidence="shell"))
            effects = add_marks(effects, "secrets")
        effects = self.paths.raise_for(tool, call, words, index, effects, reasons)
        subject = _of(subject, tool, call, effects, reasons)
        subject = subject.replace(
            paths=self.paths.touched(call, words), hosts=tuple(_hosts(subject.argv))
        )
        if curated and effects.network is not False:
            from atip.policy.network.remote import reads_service  # most lines stay on this machine

            subject = subject.replace(reads_service=reads_service(subject, self.view.workspace))
        if not call.inner or (call.wraps and _stands_in(call)):
            return [subject]
        if nesting >= MAX_NESTING:
            return [_make_unknown(subject, "runs commands inside of commands, too deep to follow")]
        inner: list[CommandContext] = []
        for each in call.inner:
            inner += self._inner(each, subject, words, index, feed, nesting)
        return [subject, *inner]

    def _inner(
        self, inner: Inner, outer: CommandContext, words: Sequence[ShellWord], index: int,
        feed: tuple[int, ...] | None, nesting: int,
    ) -> list[CommandContext]:  # fmt: skip
        if inner.where in ("container", "remote"):
            says = f"runs in a {inner.where} system, where these names are other programs"
            return [_make_unknown(outer, says)]
        if inner.kind == "shell" and inner.more:
            return [_make_unknown(outer, "fills words into a line that a shell reads")]
        if inner.kind == "shell" and UNKNOWN_TEXT not in inner.text:
            return self._shell(inner.text, inner.via or outer.tool, outer)
        if inner.kind != "argv":
            what = inner.via or outer.tool
            return [
                _make_unknown(outer.replace(text=inner.text or what), f"`{what}` runs unknown code")
            ]
        words_by_text = {word.argument: word for word in words}
        from_find = outer.tool in habits.LISTERS
        origin = (
            TextOrigin(kind="output", commands=(index,))
            if from_find
            else TextOrigin(kind="input", commands=feed or ())
        )
        filled: list[ShellWord] = []
        place = _place_of_names(outer.argv)
        for text in inner.argv:
            if text == ANY_WORDS and inner.more:
                filled.append(_make_word(UNKNOWN_TEXT, "…", origin, many=True))
            elif place in text:
                filled.append(
                    _make_word(text.replace(place, UNKNOWN_TEXT), text, origin, many=False)
                )
            else:
                filled.append(
                    words_by_text.get(text) or ShellWord(text=text, raw=text, pattern=text)
                )
        return self._words(filled, index, feed, nesting + 1)

    def _shell(self, text: str, via: str, outer: CommandContext) -> list[CommandContext]:
        """A line inside the line."""
        if UNKNOWN_TEXT in text or self.depth + 1 >= MAX_NESTING:
            return [
                _make_unknown(outer, f"`{via}` runs text that is only known when the line runs")
            ]
        try:
            line = parse_shell(text, home=self.view.home, cwd=self.view.cwd, inner=True)
        except FormatError as error:
            return [_make_unknown(outer, error.message)]
        traced = self.context.traced or (
            outer.tool in habits.SHELLS and "-x" in (outer.flags or ())
        )
        inner = _LineJudge(line, self.view, depth=self.depth + 1, traced=traced, left=self.left)
        return list(inner.judge())


def _fill_number(word: ShellWord) -> str:
    """`sed -n "${n}p"`: where only a number can be filled in, parse the program with any number."""
    numbers = bool(word.origins) and all(origin.kind == "number" for origin in word.origins)
    return word.text.replace(UNKNOWN_TEXT, "1") if numbers else word.argument


def _operands(tool: Tool, subject: CommandContext, words: Sequence[ShellWord]) -> tuple[str, ...]:
    """The argv to parse. Text may contain a command in a subscript; for a builtin that does not
    evaluate subscripts, a quoted word that is filled in later is plain text."""
    name = subject.tool
    if tool.own.get("language"):
        return tuple(_fill_number(word) for word in words)
    if "-v" in subject.argv or name not in habits.PLAIN_TEXT_OPERANDS | habits.DECLARES:
        return subject.argv
    return tuple(_plain(word, name, words) for word in words)


def _plain(word: ShellWord, name: str, words: Sequence[ShellWord]) -> str:
    text = word.argument
    if name in habits.DECLARES:
        variable, equals, value = text.partition("=")
        plain = bool(equals) and variable.isidentifier()
        return f"{variable}={value.replace(UNKNOWN_TEXT, 'x')}" if plain else text
    if name == "printf" and len(words) > 1 and words[1].is_static and words[1].text[:1] != "-":
        return text.replace(UNKNOWN_TEXT, "x")  # behind the format everything is data
    if word.many and not all(origin.kind == "number" for origin in word.origins):
        return text
    return text.replace(UNKNOWN_TEXT, "x")


def _effects(words: str) -> Effects:
    return as_effects(profile(words))


def _added_effects(words: str) -> Effects:
    return as_effects(raises(words)[0])


def _of(
    subject: CommandContext, tool: Tool, call: Invocation, effects: Effects, reasons: list[Reason]
) -> CommandContext:
    evidence = "knowledge" if tool.own.get("curated") is CURATED else _kind_of_claim(tool, call)
    return subject.replace(
        path=call.path, effects=effects, reasons=tuple(reasons), metadata=tool, evidence=evidence,
        flags=tuple(flag for used in call.options for flag in used.flags),
        arguments=call.arguments,
    )  # fmt: skip


def _make_unknown(subject: CommandContext, says: str) -> CommandContext:
    reason = Reason(subject=subject.tool or subject.text, says=says, evidence="shell")
    return subject.replace(effects=UNKNOWN, reasons=(*subject.reasons, reason), flags=None)


def _place_of_names(argv: Sequence[str]) -> str:
    """Placeholder for a file name: `{}`, or the argument of `xargs -I`."""
    if program_name(argv[0]) == "xargs":
        for at, word in enumerate(argv[1:], 2):
            if word in ("-I", "--replace") and at < len(argv):
                return argv[at] or "{}"
            for flag in ("-I", "-i", "--replace="):
                if word.startswith(flag) and len(word) > len(flag):
                    return word[len(flag) :]
    return "{}"


def _make_word(text: str, raw: str, origin: TextOrigin, *, many: bool) -> ShellWord:
    return ShellWord(text=text, raw=raw, pattern=text, origins=(origin,), many=many)


def _stands_in(call: Invocation) -> bool:
    """`command -v`, `sudo -l`: a mode instead of running."""
    return any(used.option is not None and "profile" in used.option.own for used in call.options)


def _kind_of_claim(tool: Tool, call: Invocation) -> str:
    """`override` where the user vouches for the command, else a claim."""
    node = call.nodes[-1] if call.nodes else tool
    if "override" not in node.own:
        return "claim"
    from atip.calls.overrides import is_vouched

    return "override" if is_vouched(node) else "claim"


def _omitted_command(tool: Tool, call: Invocation) -> tuple[str, ...]:
    """The command that was called and that a partial description leaves out; empty: none (§3.1.1)."""
    if not tool.partial or not call.arguments:
        return ()
    node = tool.find(call.path) if call.path else tool
    if node is None or (call.path and not node.commands) or not (tool.commands or call.path):
        return ()
    path = (*call.path, call.arguments[0])
    return path if tool.find(path) is None else ()


def _doubt(tool: Tool, call: Invocation, effects: Effects) -> tuple[str, str] | None:
    """A flag that may do more than the metadata says, and the reason; None: there is none.

    A dry run that runs code, or an unlisted flag whose name suggests writing or running."""
    for used in call.options:
        rehearses = used.option is not None and used.option.own.get("dryRun")
        if rehearses and effects.subprocess is not False:
            return used.flag, "is a dry run that may still run programs"
    for flag in call.unknown:
        if habits.is_risky_flag(flag):
            return flag, "is unknown, and its name suggests writing or running"
    joined = joined_risk(tool, call)
    return None if joined is None else (joined[0], f"may be `{joined[1]}` with its value")


def _asks_for_secret(tool: Tool, call: Invocation) -> bool:
    """`aws configure get aws_secret_access_key`: the name of a setting that is a secret."""
    if not call.path or (tool.name == "git" and call.path[0] != "config"):
        return False
    path = () if (tool.name, *call.path) in habits.SHOWS_NAMES else call.path
    return any(habits.names_secret(word) for word in (*path, *call.arguments))


def _hosts(argv: Sequence[str]) -> list[str]:
    hosts = []
    for word in argv[1:]:
        _scheme, slashes, rest = word.partition("://")
        if slashes:
            host = rest.split("/")[0].rpartition("@")[2].partition(":")[0]
            if host and UNKNOWN_TEXT not in host:
                hosts.append(host.lower())
    return hosts
