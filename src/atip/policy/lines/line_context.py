"""Context of a command in a line: redirections, assignments, variables, code that the shell itself runs."""

from __future__ import annotations

from atip.calls.effects.engine import Reason
from atip.calls.effects.facts import weakened
from atip.calls.invocation import UNKNOWN_TEXT
from atip.calls.shell.line import ShellAssignment, ShellWord, TextOrigin
from atip.knowledge.words import as_effects, raises
from atip.model.effects import UNKNOWN, raised_by
from atip.policy.command_context import add_marks
from atip.policy.lines.shell_options import traces
from atip.policy.lines.word_values import filled_in
from atip.policy.places import habits
from atip.policy.places.sensitive import SECRET_VARIABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from atip.calls.shell.line import ShellCommand, ShellLine, ShellRedirect
    from atip.model.effects import Effects
    from atip.policy.command_context import CommandContext
    from atip.policy.places.paths import Paths

_NULL = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty")
_CONNECTS = ("/dev/tcp", "/dev/udp")
_CHANGES = "changes which program or settings are used"
_SHOWN = ("-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-t", "-o", "-a")
"""Operators whose error message repeats a wrong operand."""
_UNKNOWN_VALUE = ShellWord(text=UNKNOWN_TEXT, origins=(TextOrigin(kind="input"),))


class LineContext:
    """Raise the effects of a line's commands by what surrounds them."""

    def __init__(self, line: ShellLine, paths: Paths, *, traced: bool = False) -> None:
        self.line, self.paths = line, paths
        self.traced = traced or any(traces(command.argv) for command in line.commands)
        """Whether the shell prints every command with its variables filled in."""
        self.recalls = any(
            origin.name in ("_", "BASH_REMATCH")
            for command in line.commands
            for word in (*command.words, *(assignment.value for assignment in command.assignments))
            for origin in word.origins
        )
        """Whether the line reads the arguments of the last command or test."""

    def judge(self, subject: CommandContext, command: ShellCommand) -> CommandContext:
        """The subject with effects, reasons and paths of its redirections, assignments, variables and shell code."""
        reasons = list(subject.reasons)
        effects = subject.effects
        paths = list(subject.paths)
        for redirect in command.redirects:
            effects = self._redirect(redirect, effects, reasons, paths)
        exports = _exports(subject)
        for assignment in (*command.assignments, *self._find_exported(command, exports)):
            tool = "export" if exports else subject.tool
            why = self._assignment(assignment, tool, alone=not command.words)
            if why:
                reasons.append(Reason(subject=assignment.name, says=why, evidence="shell"))
                effects = weakened(effects)
            if self.paths.is_secret_word(assignment.value):
                reasons.append(_secret(assignment.value))
                effects = add_marks(effects, "secrets")
        for name in command.sets:
            if habits.changes_what_runs(name) or not name:
                says = _CHANGES if name else "sets a variable that is only known when the line runs"
                reasons.append(Reason(subject=name or subject.text, says=says, evidence="shell"))
                effects = weakened(effects)
        if not self._only_compares(subject):
            for name in command.variables:
                if SECRET_VARIABLE.search(name):
                    says = "a variable whose name suggests a secret"
                    reasons.append(Reason(subject=f"${name}", says=says, evidence="shell"))
                    effects = add_marks(effects, "secrets")
        for why in command.code:
            reasons.append(Reason(subject=subject.tool or "shell", says=why, evidence="shell"))
            effects = UNKNOWN
        return subject.replace(
            effects=effects, reasons=tuple(reasons), paths=tuple(dict.fromkeys(paths)),
            text=subject.text or command.text,
        )  # fmt: skip

    def _only_compares(self, subject: CommandContext) -> bool:
        """`[ -n "$TOKEN" ]` prints nothing – unless the shell traces, `$_` keeps it, or the error message for a
        non-number shows the text."""
        if subject.tool not in ("test", "[", "[[") or self.traced or self.recalls:
            return False
        return not any(word in _SHOWN for word in subject.argv)

    def _find_exported(self, command: ShellCommand, exports: bool) -> list[ShellAssignment]:
        """`X=1; export X` is `export X=1`."""
        if not exports:
            return []
        exported_names = {word.text for word in command.words[1:]}
        return [
            assignment
            for other in self.line.commands
            if other is not command
            for assignment in (
                *other.assignments,
                *(ShellAssignment(name=name, value=_UNKNOWN_VALUE) for name in other.sets),
            )
            if assignment.name in exported_names
        ]

    def _assignment(self, assignment: ShellAssignment, tool: str, *, alone: bool) -> str:
        """Why setting this variable may change what runs; empty: it does not."""
        name, value = assignment.name, assignment.value.text
        if name in habits.PAGERS and value in ("", "cat", "less"):
            return ""
        if habits.is_harmless(name) or (name == "IFS" and tool == "read"):
            return ""
        if habits.changes_what_runs(name):
            return _CHANGES
        if alone or tool in ("declare", "local", "typeset", "readonly"):
            return ""
        children = self.paths.programs if tool == "export" else {tool}
        return "" if children <= habits.DEAF else "may change what the program does"

    def _redirect(
        self, redirect: ShellRedirect, effects: Effects, reasons: list[Reason], paths: list[str]
    ) -> Effects:
        target = redirect.target
        if redirect.kind in ("copy", "here") or target.text in _NULL:
            return effects
        if target.text.startswith("/dev/fd/") or _is_pipe(target):
            return effects
        if any(text.startswith(_CONNECTS) for text in (target.text, *filled_in(target))):
            reasons.append(Reason(subject=target.raw, says="opens a connection", evidence="shell"))
            return raised_by(effects, _added_effects("sends"))
        resolved = self.paths.resolve(target)
        paths += resolved
        if redirect.kind == "read":
            why = self.paths.reading_danger(target)
            if why:
                reasons.append(Reason(subject=target.raw, says=why[1], evidence="shell"))
                effects = add_marks(effects, why[0])
            return raised_by(effects, _added_effects("reads"))
        reasons.append(Reason(subject=f"> {target.raw}", says="writes a file", evidence="shell"))
        if any(self.paths.is_protected(path) for path in resolved) or not target.is_static:
            effects = add_marks(effects, "protected")
        effects = raised_by(effects, _added_effects("writes"))
        # the line does not show whether the file exists and its content is lost
        return effects if redirect.kind == "append" else effects.replace(
            destructive=effects.destructive or None
        )  # fmt: skip


def _exports(subject: CommandContext) -> bool:
    """Whether a builtin exports variables to the programs that follow."""
    letters = "".join(word for word in subject.argv[1:] if word[:1] == "-")
    return subject.tool == "export" or (subject.tool in habits.DECLARES and "x" in letters)


def _secret(word: ShellWord) -> Reason:
    return Reason(subject=word.raw or word.text, says="names a secret", evidence="shell")


def _is_pipe(word: ShellWord) -> bool:
    return bool(word.origins) and all(origin.kind == "process" for origin in word.origins)


def _added_effects(words: str) -> Effects:
    return as_effects(raises(words)[0])
