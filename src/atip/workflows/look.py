"""Look through: judge what the commands of a line will read from project files and run, like the line itself.

    `npm run deploy` → `git push`

Bounded, and nothing is executed. A nested line never allows: it gives a better reason, `ask` where it needs confirmation,
or a denial. The files read are part of the decision (`digest`): a changed script needs a new approval.
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
    """One line that another one runs."""

    chain: tuple[str, ...]
    decision: Decision
    person: bool = False
    """Whether it always needs confirmation: sends data, costs money, becomes root, changes another machine."""

    vouched: bool = False
    """Whether a user's rule allows these files outside the sandbox, whatever their content; only a denial overrides that."""

    @property
    def text(self) -> str:
        return " → ".join(f"`{_short(step)}`" for step in self.chain)


def explain_for(
    host: Host, line: str, *, cwd: str, preset: str | None = None, once: bool = False
) -> Explanation:
    """Explain a line and the lines that it runs, by the policies and knowledge of one user."""
    return explain_through(LocalJudge(host, cwd, preset=preset, once=once), line)


def explain_through(local: LocalJudge, line: str) -> Explanation:
    """Judge a line, and the lines that it runs."""
    reachable = any(policy.hosts for policy in local.policies)
    return look_through(local.line(line), local.line, cwd=local.cwd, reachable=reachable)


def look_through(
    explained: Explanation, explain: Explain, *, cwd: str, reachable: bool
) -> Explanation:
    """Add the lines that its commands run to an explanation.

    Args:
        explain: judges a nested line.
        reachable: whether policy grants hosts. Without any, nothing can be sent from the sandbox.
    """
    if explained.problem or not os.path.isdir(cwd):
        return explained
    look = _FileLookup(cwd, explain)
    for subject, decision in zip(explained.invocations, explained.decisions, strict=True):
        look.vouched = decision.outcome == ALLOW and runs_project_code(subject)
        look.follow(subject, (subject.text,), 0)
    if not look.findings and not look.digests:
        return explained
    return explained.replace(
        decision=_decision(explained.decision, look.findings),
        unsettled=next(
            (finding.text for finding in look.findings if finding.person and reachable), ""
        ),
        chains=tuple(dict.fromkeys(finding.text for finding in look.findings))[:MAX_FILES],
        digest=sha256_hex("".join(look.digests).encode()) if look.digests else "",
    )


def _decision(decision: Decision, findings: Sequence[LinkedLine]) -> Decision:
    worst = decision
    for finding in findings:
        # SECURITY: what is found only raises: a file can change before it runs
        raises = finding.decision.outcome == DENY or (
            finding.decision.outcome in (ASK, CONFINE)
            and decision.outcome == ALLOW
            and not finding.vouched
        )
        if raises and is_stricter(finding.decision.outcome, worst.outcome):
            worst = finding.decision.replace(subject=finding.text)
    if worst is not decision or decision.outcome != ASK:
        return worst
    chains = tuple(dict.fromkeys(finding.text for finding in findings))[:3]
    return decision.replace(reasons=(*decision.reasons, *(f"runs {text}" for text in chains)))


class _FileLookup:
    def __init__(self, cwd: str, explain: Explain) -> None:
        self._cwd = os.path.realpath(cwd)
        self._root = _root_of(self._cwd)
        self._explain = explain
        self.vouched = False
        self.findings: list[LinkedLine] = []
        self.digests: list[str] = []

    def follow(self, subject: CommandContext, chain: tuple[str, ...], depth: int) -> None:
        """Read the files that a command runs lines from, and judge those lines."""
        if depth >= MAX_DEPTH or not subject.argv:
            return
        words = tuple(shown_text(word) for word in subject.argv)
        lines = (
            *self._source_lines(words),
            *self._code_lines(words),
            *self._git_lines(words),
            *self._shadows(words),
        )
        for line in lines:
            self._judge(line, chain, depth)

    def _source_lines(self, words: tuple[str, ...]) -> tuple[str, ...]:
        source = source_of(words)
        if source is None:
            return ()
        text = self._read(source.files, up=source.searches_up)
        return () if text is None else source.read(text, words) or ()

    def _code_lines(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """Code of the project that a command loads because of a setting."""
        source = code_source_of(words)
        if source is None:
            return ()
        # a reader of settings takes the paths of code out of them, so that no secret beside these is quoted
        texts = (self._read((name,), up=source.searches_up, secret=True) for name in source.files)
        return tuple(
            line for text in texts if text is not None for line in source.read(text, words) or ()
        )

    def _shadows(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """Files of the workspace that Python would import instead of library modules."""
        from atip.policy.through.python_modules import imported_names, shadowing

        names = imported_names(words)
        if names is None:
            return ()

        def is_package(name: str) -> bool:
            return os.path.isfile(os.path.join(self._cwd, name, "__init__.py"))

        return shadowing(names, os.listdir(self._cwd), is_package, sys.stdlib_module_names)

    def _git_lines(self, words: tuple[str, ...]) -> tuple[str, ...]:
        if words[0].rpartition("/")[2] != "git" or len(words) < 2 or words[1] in _QUIET_GIT:
            return ()
        text = self._repository_text("config")
        programs = () if text is None else git_programs(text, words[1])
        if programs is None:
            return ("./.git/config",)  # an unreadable file may start anything
        return (*(line for _name, line in programs), *self._hook_lines(words[1], text or ""))

    def _repository_text(self, name: str) -> str | None:
        """A file of the repository; that of a linked worktree is elsewhere, where no confined line can write."""
        text = self._read((f".git/{name}",), up=True)
        if text is not None or not os.path.isfile(os.path.join(self._root, ".git")):
            return text
        from atip.workflows.run.hooks import linked_repository

        for place in linked_repository(self._root):
            path = os.path.join(place.removesuffix("/**"), name)
            if os.path.isfile(path):
                return self._text(path, source=os.path.dirname(path))
        return None

    def _hook_lines(self, command: str, config: str) -> tuple[str, ...]:
        """Lines of the hooks that a command starts; a hook that is not a shell script is returned by name."""
        names = git_hooks(command)
        moved = (git_settings(config) or {}).get("core.hookspath", "") if names else ""
        lines: list[str] = []
        for name in names:
            place = f"{moved}/{name}" if moved else f".git/hooks/{name}"
            path = os.path.join(self._root, os.path.expanduser(place))
            if not os.access(path, os.X_OK) or os.path.isdir(path):
                continue
            text = self._text(path)
            hook_lines = script_lines(text) if text is not None else None
            lines += hook_lines if hook_lines is not None else (f"./{name}",)
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
                person=any(needs_person(invocation) for invocation in inner.invocations),
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

    def _text(self, path: str, source: str = "", *, secret: bool = False) -> str | None:
        """Read a file of the workspace or its repository; None: it is a secret, unreadable, or there were too many."""
        real = os.path.realpath(path)
        # SECURITY: reasons quote what was read; nothing secret, and nothing from elsewhere, gets into them
        roots = (self._root, os.path.realpath(source)) if source else (self._root,)
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
