"""Judge a shell line or an argv: parsed commands, their effects with reasons, and the decision.

Steps: line or argv → commands (`calls`) → subjects (`policy.lines.line`) → decision (`policy.decide`).
Executes nothing, never scans, opens no socket. `guard` needs only this module, so the fast path
imports no more. See docs/architecture.md `Toolbox.explain`.
"""

from __future__ import annotations

from atip.calls.invocation import UNKNOWN_TEXT
from atip.calls.shell.line import parse_shell, read_argv
from atip.errors import FormatError
from atip.model.effects import UNKNOWN, Effects, union_of_steps
from atip.model.value import Value, brief
from atip.policy.command_context import CommandContext, shown_text
from atip.policy.decide import decide
from atip.policy.decision import ASK, CONFINE, DENY, NOTHING_RUNS, Decision, strictest
from atip.policy.lines.line import MachineView, judge_line
from atip.workflows.lookup import Lookup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from atip.calls.shell.line import ShellLine
    from atip.model.tool import Tool
    from atip.policy.policy import Policy
    from atip.system.workspace.worktree import Worktree
    from atip.workflows.host import Host

    Read = Callable[[], ShellLine]
    FindKnown = Callable[[str], Tool | None]
    CommandVerifier = Callable[[CommandContext], CommandContext]


class Explanation(Value):
    """Effects of a shell line, command by command, and the decision of the policy."""

    line: str
    invocations: tuple[CommandContext, ...]
    """Every command that may run, wrappers opened, in the order of the line."""
    effects: Effects
    """Of the whole line: a danger is excluded only if every command excludes it."""
    decision: Decision
    decisions: tuple[Decision, ...] = ()
    """One per invocation."""
    problem: str = ""
    """Why the line could not be parsed; such a line is never allowed."""
    audit: bool = False
    """Policy requires a record of this decision (§4.8 `auditAllCalls`)."""
    chains: tuple[str, ...] = ()
    """Lines of project files that it will run (`workflows.look`)."""
    unsettled: str = ""
    """The first of them that needs confirmation; empty: none does."""
    online: bool = False
    """Policy grants hosts to confined lines."""
    digest: str = ""
    """Digest of the files that were read; empty: none were."""
    ignored: tuple[str, ...] = ()
    """Rules that look like a command of the line, and why each did not apply."""
    once: tuple[str, ...] = ()
    """Names of the rules for single lines that allowed this one."""

    def __repr__(self) -> str:
        decision = self.decision
        because = brief("; ".join(decision.reasons), 80)
        return f"Explanation({brief(self.line)}, {decision.outcome!r}, {because}, rule={brief(decision.rule)})"

    @property
    def in_sandbox(self) -> Decision:
        """The decision if the whole line runs confined: `confine` where the sandbox makes confirmation unnecessary."""
        from atip.policy.settle import settled

        if self.unsettled:
            by_hand = self.decision.outcome == CONFINE
            return self.decision.replace(outcome=ASK) if by_hand else self.decision
        return settled(self.decision, self.invocations, self.decisions, online=self.online)

    def to_json(self) -> dict[str, Any]:
        """The document of `explain --json`."""
        from atip.model.reading.encode import encode_effects

        return {
            "line": self.line,
            "invocations": [
                _invocation(subject, decision)
                for subject, decision in zip(self.invocations, self.decisions, strict=True)
            ],
            "effects": encode_effects(self.effects),
            **self.decision.to_json(),
            "inSandbox": self.in_sandbox.outcome,
            "chains": list(self.chains),
            "ignored": list(self.ignored),
            "problem": self.problem,
        }


def _invocation(subject: CommandContext, decision: Decision) -> dict[str, Any]:
    from atip.model.reading.encode import encode_effects

    return {
        "tool": shown_text(subject.tool),
        "command": list(subject.path),
        "argv": [shown_text(word) for word in subject.argv],
        "text": subject.text,
        "effects": encode_effects(subject.effects),
        "evidence": subject.evidence,
        "reasons": [
            {"subject": r.subject, "says": r.says, "evidence": r.evidence} for r in subject.reasons
        ],
        "paths": [shown_text(path) for path in subject.paths],
        "hosts": list(subject.hosts),
        "decision": decision.outcome,
        "rule": decision.rule,
    }


class LocalJudge:
    """The one judge behind every entry point: guard, explain, run, observe, preview, call, patterns, bundles, API operations.

    Policies, knowledge and verification of one user in one directory; nothing is started, scanned or fetched.
    """

    def __init__(
        self, host: Host, cwd: str, *, preset: str | None = None, once: bool = False
    ) -> None:
        from atip.registry.policies import load_policies
        from atip.system.workspace.links import Links
        from atip.system.workspace.names import WorkspaceNames

        self.places, self.cwd = host.places, cwd
        self.policies = load_policies(host.places, cwd, preset=preset or host.policy, once=once)
        self._lookup = Lookup(host.places, cwd)
        self.links = Links(cwd, host.places.home)
        self._worktree: Worktree | None = None
        self._workspace = WorkspaceNames(cwd)

    @property
    def audit(self) -> bool:
        """Whether every decision is recorded (§4.8 `auditAllCalls`)."""
        return any(policy.audit for policy in self.policies)

    @property
    def digest(self) -> str:
        """Digest of the policies in force; an approval is bound to it."""
        from atip.system.digests import sha256_hex

        return sha256_hex(repr(self.policies).encode())

    def line(self, text: str) -> Explanation:
        """Judge a shell line."""
        return self._explain(lambda: parse_shell(text, home=self.places.home, cwd=self.cwd), text)

    def argv(self, argv: Sequence[str], program: str, digest: str) -> Explanation:
        """Judge a program with arguments, without a shell; `program` and `digest` identify the file that will run."""
        return self._explain(lambda: read_argv(argv), " ".join(argv), (argv[0], program, digest))

    def decide(self, subject: CommandContext) -> Decision:
        """Decide on an API operation, or on a command whose effects a confinement limits."""
        return decide(self.policies, subject)

    def _explain(
        self, read: Read, text: str, program: tuple[str, str, str] | None = None
    ) -> Explanation:
        def verify(subject: CommandContext) -> CommandContext:
            subject = self._with_reversible(subject)
            if not subject.tool or subject.evidence == "shell":
                return subject
            from atip.workflows.verify_command import ProgramFile, verify_command

            program_file = (
                ProgramFile(word=program[0], path=program[1], digest=program[2])
                if program
                else None
            )
            return verify_command(
                subject,
                self.places,
                self.policies,
                self._lookup,
                cwd=self.cwd,
                program=program_file,
            )

        view = MachineView(
            lookup=self._lookup,
            cwd=self.cwd,
            home=self.places.home,
            links=self.links,
            workspace=self._workspace,
        )
        return explain(read, text, self.policies, view, verify)

    def _with_reversible(self, subject: CommandContext) -> CommandContext:
        """Add whether changes are reversible; reads files only where a preset depends on it."""
        writes = subject.effects.filesystem.write is not False
        if not writes or all(policy.preset != "workspace" for policy in self.policies):
            return subject
        from atip.policy.reversible import is_reversible
        from atip.system.workspace.worktree import Worktree

        if self._worktree is None:
            self._worktree = Worktree(self.cwd)
        return subject.replace(reversible=is_reversible(subject, self._worktree.restores))


def explain_line(
    line: str, policies: Sequence[Policy], *, lookup: FindKnown, cwd: str, home: str = "~"
) -> Explanation:
    """Judge a line by the given policies and knowledge, without access to programs (pages)."""
    view = MachineView(lookup=lookup, cwd=cwd, home=home)
    return explain(lambda: parse_shell(line, home=home, cwd=cwd), line, policies, view)


def explain(
    read: Read,
    text: str,
    policies: Sequence[Policy],
    view: MachineView,
    verify: CommandVerifier | None = None,
) -> Explanation:
    """Judge commands; what cannot be parsed gets unknown effects and `ask`, never an error.

    Args:
        read: reads a line or an argv.
        verify: adds the verification of programs; None: no programs available.
    """
    audit = any(policy.audit for policy in policies)
    try:
        parsed = read()
    except FormatError as error:
        unreadable = _unreadable(error, text, view)
        anything = CommandContext(tool=UNKNOWN_TEXT, flags=None, text=text)
        decision = strictest((unreadable, decide(policies, anything)))
        return Explanation(
            line=text, invocations=(), effects=UNKNOWN, decision=decision, problem=error.message,
            audit=audit,
        )  # fmt: skip
    subjects = judge_line(parsed, view)
    if verify is not None:
        subjects = tuple(verify(subject) for subject in subjects)
    decisions = tuple(decide(policies, subject) for subject in subjects)
    return Explanation(
        line=parsed.text,
        invocations=subjects,
        effects=_union(subjects),
        decision=strictest(decisions) if decisions else NOTHING_RUNS,
        decisions=decisions,
        audit=audit,
        online=any(policy.hosts for policy in policies),
        ignored=_ignored_rules(policies, subjects, decisions),
        once=_used_rules(policies, subjects),
    )


def _unreadable(error: FormatError, text: str, view: MachineView) -> Decision:
    """`ask`; but `deny` where the readable part destroys data and no shell would run the line."""
    quote = error.details.get("unclosed")
    if quote:
        try:
            closed = parse_shell(f"{text}{quote}", home=view.home, cwd=view.cwd)
        except FormatError:
            closed = None
        subjects = judge_line(closed, view) if closed else ()
        if any(subject.never or subject.effects.destructive for subject in subjects):
            reason = f"{error.message}, and the readable part destroys data; close the quote"
            return Decision(outcome=DENY, reasons=(reason,), rule="always: unclosed quote")
    return Decision(outcome=ASK, reasons=(error.message,), rule="always: unreadable")


def _ignored_rules(
    policies: Sequence[Policy], subjects: Sequence[CommandContext], decisions: Sequence[Decision]
) -> tuple[str, ...]:
    if not any(policy.ignored or policy.rules for policy in policies):
        return ()
    from atip.policy.ignored import ignored_rules

    return ignored_rules(policies, subjects, decisions)


def _used_rules(policies: Sequence[Policy], subjects: Sequence[CommandContext]) -> tuple[str, ...]:
    rules = [rule for policy in policies for rule in policy.rules if rule.once]
    if not rules:
        return ()
    from atip.policy.matching import matches

    return tuple(rule.name for rule in rules if any(matches(rule, subject) for subject in subjects))


def _union(subjects: Sequence[CommandContext]) -> Effects:
    if not subjects:
        from atip.knowledge.words import as_effects, profile

        return as_effects(profile("nothing"))
    total = subjects[0].effects
    for subject in subjects[1:]:
        total = union_of_steps(total, subject.effects)
    return total
