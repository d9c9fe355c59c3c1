"""Looking through: what the commands of a line will read from the project and run, judged like the line itself.

    `npm run deploy` → `git push`

Bounded, and nothing is executed. What is found never allows: it gives a better reason, a question where what runs inside is a person's
decision, or a denial. What was read is part of the decision (`digest`): a changed script is a new question.
"""

from __future__ import annotations

import os
import sys

from atip.errors import AtipError
from atip.model.value import Value
from atip.policy.command_context import shown_text
from atip.policy.decision import ALLOW, ASK, CONFINE, DENY, Decision, is_stricter
from atip.policy.lines.project_code import runs_project_code
from atip.policy.places.sensitive import is_secret
from atip.policy.settle import needs_person
from atip.policy.through.shell_files import git_hooks, git_programs, git_settings, script_lines
from atip.policy.through.table import code_source_of, source_of
from atip.system.digests import sha256_hex
from atip.system.files import read_bytes
from atip.workflows.judge import LocalJudge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from atip.policy.command_context import CommandContext
    from atip.workflows.host import Host
    from atip.workflows.judge import Explanation

    Explain = Callable[[str], Explanation]

MAX_FILES = 32
MAX_BYTES = 256 * 1024
MAX_DEPTH = 5
MAX_FINDINGS = 64
MAX_LINE = 100_000
_UP = 12
_QUIET_GIT = frozenset(("version",))


class LinkedLine(Value):
    """One line that another one leads to."""

    chain: tuple[str, ...]
    decision: Decision
    person: bool = False
    """Whether it does what is a person's decision: sends, spends, becomes root, changes another machine."""

    vouched: bool = False
    """Whether a person's rule lets these files run outside of the sandbox, whatever they hold; only a denial stands against that."""

    @property
    def text(self) -> str:
        return " → ".join(f"`{_short(each)}`" for each in self.chain)


def explain_for(
    host: Host, line: str, *, cwd: str, preset: str | None = None, once: bool = False
) -> Explanation:
    """What a line will do by the policies and the knowledge of one user, and what it leads to."""
    return explain_through(LocalJudge(host, cwd, preset=preset, once=once), line)


def explain_through(local: LocalJudge, line: str) -> Explanation:
    """Judge a line, and the lines that it leads to."""
    reachable = any(policy.hosts for policy in local.policies)
    return look_through(local.line(line), local.line, cwd=local.cwd, reachable=reachable)


def look_through(
    explained: Explanation, explain: Explain, *, cwd: str, reachable: bool
) -> Explanation:
    """An explanation with what its commands lead to.

    Args:
        explain: judges a line that was found.
        reachable: whether policy grants hosts. Without any, a sandbox settles what is sent: that step fails inside.
    """
    if explained.problem or not os.path.isdir(cwd):
        return explained
    look = _Look(cwd, explain)
    for subject, decision in zip(explained.invocations, explained.decisions, strict=True):
        look.vouched = decision.outcome == ALLOW and runs_project_code(subject)
        look.follow(subject, (subject.text,), 0)
    if not look.findings and not look.digests:
        return explained
    return explained.replace(
        decision=_decision(explained.decision, look.findings),
        unsettled=next((each.text for each in look.findings if each.person and reachable), ""),
        chains=tuple(dict.fromkeys(each.text for each in look.findings))[:MAX_FILES],
        digest=sha256_hex("".join(look.digests).encode()) if look.digests else "",
    )


def _decision(decision: Decision, findings: Sequence[LinkedLine]) -> Decision:
    worst = decision
    for each in findings:
        # SECURITY: what is found only raises: a file can change before it runs
        raises = each.decision.outcome == DENY or (
            each.decision.outcome in (ASK, CONFINE)
            and decision.outcome == ALLOW
            and not each.vouched
        )
        if raises and is_stricter(each.decision.outcome, worst.outcome):
            worst = each.decision.replace(subject=each.text)
    if worst is not decision or decision.outcome != ASK:
        return worst
    chains = tuple(dict.fromkeys(each.text for each in findings))[:3]
    return decision.replace(reasons=(*decision.reasons, *(f"runs {text}" for text in chains)))


class _Look:
    def __init__(self, cwd: str, explain: Explain) -> None:
        self._cwd = os.path.realpath(cwd)
        self._root = _root_of(self._cwd)
        self._explain = explain
        self.vouched = False
        self.findings: list[LinkedLine] = []
        self.digests: list[str] = []

    def follow(self, subject: CommandContext, chain: tuple[str, ...], depth: int) -> None:
        """Read what a command reads its lines from, and judge those."""
        if depth >= MAX_DEPTH or not subject.argv:
            return
        words = tuple(shown_text(word) for word in subject.argv)
        found = (
            *self._source_lines(words),
            *self._code_lines(words),
            *self._git_lines(words),
            *self._shadows(words),
        )
        for line in found:
            self._judge(line, chain, depth)

    def _source_lines(self, words: tuple[str, ...]) -> tuple[str, ...]:
        source = source_of(words)
        if source is None:
            return ()
        text = self._read(source.files, up=source.searches_up)
        return () if text is None else source.read(text, words) or ()

    def _code_lines(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """Code of the project that a command loads because a setting says so."""
        source = code_source_of(words)
        if source is None:
            return ()
        # a reader of settings takes the paths of code out of them, so that no secret beside these is quoted
        texts = (self._read((name,), up=source.searches_up, secret=True) for name in source.files)
        return tuple(
            line for text in texts if text is not None for line in source.read(text, words) or ()
        )

    def _shadows(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """Files beside which a Python that is given code or a module finds them before the library's."""
        from atip.policy.through.python_modules import imported_names, shadowing

        wanted = imported_names(words)
        if wanted is None:
            return ()

        def is_package(name: str) -> bool:
            return os.path.isfile(os.path.join(self._cwd, name, "__init__.py"))

        return shadowing(wanted, os.listdir(self._cwd), is_package, sys.stdlib_module_names)

    def _git_lines(self, words: tuple[str, ...]) -> tuple[str, ...]:
        if words[0].rpartition("/")[2] != "git" or len(words) < 2 or words[1] in _QUIET_GIT:
            return ()
        text = self._repository_text("config")
        found = () if text is None else git_programs(text, words[1])
        if found is None:
            return ("./.git/config",)  # what cannot be read may start anything
        return (*(line for _name, line in found), *self._hook_lines(words[1], text or ""))

    def _repository_text(self, name: str) -> str | None:
        """A file of the repository; that of a linked worktree lies elsewhere, where no confined line can write."""
        text = self._read((f".git/{name}",), up=True)
        if text is not None or not os.path.isfile(os.path.join(self._root, ".git")):
            return text
        from atip.workflows.run.hooks import linked_repository

        for place in linked_repository(self._root):
            path = os.path.join(place.removesuffix("/**"), name)
            if os.path.isfile(path):
                return self._text(path, beside=os.path.dirname(path))
        return None

    def _hook_lines(self, command: str, config: str) -> tuple[str, ...]:
        """Hooks that a command starts, as the shell scripts that they are; others by their names."""
        names = git_hooks(command)
        moved = (git_settings(config) or {}).get("core.hookspath", "") if names else ""
        lines: list[str] = []
        for name in names:
            place = f"{moved}/{name}" if moved else f".git/hooks/{name}"
            path = os.path.join(self._root, os.path.expanduser(place))
            if not os.access(path, os.X_OK) or os.path.isdir(path):
                continue
            text = self._text(path)
            found = script_lines(text) if text is not None else None
            lines += found if found is not None else (f"./{name}",)
        return tuple(lines)

    def _judge(self, line: str, chain: tuple[str, ...], depth: int) -> None:
        if len(line) > MAX_LINE or not line.strip() or len(self.findings) >= MAX_FINDINGS:
            return
        inner = self._explain(line)
        longer = (*chain, line)
        self.findings.append(
            LinkedLine(
                chain=longer,
                decision=inner.decision,
                person=any(needs_person(each) for each in inner.invocations),
                vouched=self.vouched,
            )
        )
        for subject in inner.invocations:
            self.follow(subject, longer, depth + 1)

    def _read(self, names: Sequence[str], *, up: bool, secret: bool = False) -> str | None:
        folder = self._cwd
        for _ in range(_UP if up else 1):
            for name in names:
                path = os.path.join(folder, name)
                if os.path.isfile(path):
                    return self._text(path, secret=secret)
            if folder == self._root:
                break
            folder = os.path.dirname(folder)
        return None

    def _text(self, path: str, beside: str = "", *, secret: bool = False) -> str | None:
        """A file of the workspace, or of the repository that it belongs to; None: it is not shown, or there were too many."""
        real = os.path.realpath(path)
        # SECURITY: reasons quote what was read; nothing secret, and nothing from elsewhere, gets into them
        roots = (self._root, os.path.realpath(beside)) if beside else (self._root,)
        if not any(f"{real}/".startswith(f"{root}/") for root in roots):
            return None
        if is_secret(real) and not secret:
            return None
        if len(self.digests) >= MAX_FILES:
            return None
        try:
            data = read_bytes(path, MAX_BYTES)
        except AtipError:
            return None
        self.digests.append(f"{path}\0{sha256_hex(data)}\0")
        return None if b"\0" in data else data.decode("utf-8", "replace")


def _root_of(folder: str) -> str:
    """The repository that holds a folder, or the folder itself."""
    place = folder
    for _ in range(_UP):
        if os.path.lexists(os.path.join(place, ".git")):
            return place
        place = os.path.dirname(place)
    return folder


def _short(text: str) -> str:
    from atip.execution.redaction.redact import redact_text

    text = redact_text(text[:2000])
    line = " ".join(shown_text(text).split())
    return line if len(line) <= 80 else f"{line[:79]}…"
