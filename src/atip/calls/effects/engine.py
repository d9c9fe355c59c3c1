"""Effects of one invocation: tool, command, mode, flags, rules and inner commands put together.

    (1) the command's own effects, or the mode that flags or rules select (curated tools only)
    (2) flags and rules raise them, never lower
    (3) a flag that no table knows makes every denied danger unknown
    (4) inner commands are done too: `union_of_steps`

Lowering happens only by *selection*, and only where the facts come from our own pack (`CURATED`):
a document of a tool cannot declare its `--force` a dry run. See docs/architecture.md.
"""

from __future__ import annotations

from atip.calls.effects.facts import (  # fmt: skip
    answered,
    dry,
    fact_names,
    facts_of,
    maybe_raised,
    named_facts,
    possibly,
    rehearsed,
    weakened,
)
from atip.calls.effects.given_programs import programs_of
from atip.calls.effects.inner import simple_argv
from atip.calls.effects.rules import holds, is_partial
from atip.calls.effects.safe_flags import is_safe_flag
from atip.calls.invocation import ANY_WORDS
from atip.calls.parse import parse
from atip.knowledge.reading import CURATED
from atip.knowledge.words import as_effects, profile, raises
from atip.model.effects import UNKNOWN, Effects, join, raised_by, union_of_steps
from atip.model.root import bare_effects
from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from atip.calls.invocation import GivenOption, Inner, Invocation
    from atip.model.tool import Tool

    Lookup = Callable[[str], "Tool | None"]
    Shell = Callable[[str], "Sequence[Sequence[str]] | None"]

_OFF = ("none", "false", "no", "off", "0", "f")
"""`--dry-run=none`: the flag is present and has no effect."""

MAX_NESTING = 8
"""Wrappers inside wrappers; beyond that effects are unknown."""


class Reason(Value):
    """One reason for the effects: its subject, and the facts."""

    subject: str
    """A command (`git push`), a flag (`--force`), a rule or an inner command."""
    says: str
    """Facts in words, such as `destructive, irreversible`."""
    evidence: str = "knowledge"


class EffectsFinding(Value):
    """Effects of an invocation, and the reasons in the order in which they applied."""

    effects: Effects = UNKNOWN
    reasons: tuple[Reason, ...] = ()


def effects_of(
    tool: Tool,
    call: Invocation,
    *,
    lookup: Lookup | None = None,
    shell: Shell | None = None,
    depth: int = 0,
) -> EffectsFinding:
    """Effects of `call`, according to `tool`.

    Args:
        lookup: finds the tool of an inner command; without it inner commands are unknown.
        shell: splits a shell line into argvs, None if it cannot be known; without it only lines that
            need no shell are read.
    """
    return _Judge(tool, call, lookup, shell, depth).judge()


class _Judge:
    """Computes the finding of one invocation."""

    def __init__(
        self, tool: Tool, call: Invocation, lookup: Lookup | None, shell: Shell | None, depth: int
    ) -> None:
        self.tool, self.call = tool, call
        self.lookup, self.shell, self.depth = lookup, shell, depth
        self.curated = tool.own.get("curated") is CURATED
        self.evidence = "knowledge" if self.curated else str(tool.own.get("evidence", "native"))
        self.reasons: list[Reason] = []
        self.node = call.nodes[-1] if call.nodes else tool
        self.own: Mapping[str, Any] = self.node.own
        self.overridden = "override" in tool.own or any(
            "override" in node.own for node in call.nodes
        )
        """Whether an override of the user may apply to this call (`overrides`)."""
        self.subject = " ".join((tool.name, *call.path))
        self.rehearsal = False
        self.runs_inner = True

    def judge(self) -> EffectsFinding:
        call = self.call
        if self.curated and call.help:
            self._say(self.subject, "only prints help or its version")
            return self._finding(as_effects(profile("nothing")))
        if call.unknown_command:
            self._say(call.unknown_command, "is not a known command")
            return self._finding(self._with_inner(UNKNOWN))
        effects = self._start()
        effects = self._flags(effects)
        effects = self._rules(effects)
        effects = self._programs(effects)
        effects = self._unknown(effects)
        if self.overridden:
            from atip.calls.overrides import raised_by_user

            effects = raised_by_user(effects, (self.tool, *self.call.nodes))
        return self._finding(self._with_inner(effects))

    # --- (1) where it starts ---------------------------------------------------------------------

    def _start(self) -> Effects:
        if not self.curated:
            return self._declared_effects()
        if self._has_mode():
            # `command -v git`, `sudo -l rm`: the mode replaces running the inner command
            self.runs_inner = not self.call.wraps
        elif self.call.wraps:
            words = str(self.own.get("wraps", "runs"))
            self._say(self.subject, "runs another command")
            return as_effects(profile(words))
        dry_flag = self._dry_run()
        mode = self._mode()
        if dry_flag is not None:
            self.rehearsal = True
            return self._dry_run_effects(dry_flag, mode if mode is not None else self._base())
        return mode if mode is not None else self._base()

    def _has_mode(self) -> bool:
        return any("profile" in _own(used) for used in self.call.options)

    def _is_negated(self, used: GivenOption) -> bool:
        """SECURITY: `-n --no-dry-run` is not a dry run; a flag may negate another one."""
        backs = [f"--{g.flag[5:]}" for g in self.call.options if g.flag.startswith("--no-")]
        return any(flag.startswith(back) for back in backs for flag in used.flags)

    def _base(self) -> Effects:
        base = self.call.nodes[-1].effects if self.call.nodes else bare_effects(self.tool)
        self._say_base(base)
        return base

    def _declared_effects(self) -> Effects:
        """Effects declared in a document: command joined over tool, danger wins."""
        effects = self.tool.effects if self.call.nodes else bare_effects(self.tool)
        for node in self.call.nodes:
            effects = join(effects, node.effects)
        if self.overridden:
            from atip.calls.overrides import lowered

            effects = lowered(effects, self.node)
        self._say_base(effects)
        return effects

    def _say_base(self, effects: Effects) -> None:
        evidence = ""
        if self.overridden:
            from atip.calls.overrides import user_effects

            evidence = "override" if user_effects(self.node) is not None else ""
        self._say(self.subject, named_facts(effects), evidence)

    def _dry_run(self) -> str | bool | None:
        for used in self.call.options:
            mark = _own(used).get("dryRun")
            off = (used.value or "").lstrip("=").lower() in _OFF
            if mark and not off and not self._is_negated(used):
                self._say(used.flag, "only shows what would be done")
                return mark if isinstance(mark, str) else True
        return None

    def _dry_run_effects(self, mark: str | bool, base: Effects) -> Effects:
        return as_effects(profile(mark)) if isinstance(mark, str) else dry(base)

    def _mode(self) -> Effects | None:
        selected: Effects | None = None
        for used in self.call.options:
            words = _own(used).get("profile")
            if isinstance(words, str):
                mode = as_effects(profile(words))
                if self._is_negated(used):
                    mode = _together(mode, self._base())
                self._say(used.flag, named_facts(mode))
                selected = mode if selected is None else _together(selected, mode)
        if selected is not None:
            return selected
        undecided: list[Effects] = []
        partial: list[Effects] = []
        for rule in self.own.get("when", ()):
            if "does" not in rule:
                continue
            answer = holds(rule, self.call)
            if answer is False:
                continue
            mode = as_effects(profile(rule["does"]))
            if answer is None:
                undecided.append(mode)
                continue
            self._say(self._rule_name(rule), named_facts(mode))
            # SECURITY: the program decides which of two values counts, so another one must not hide the effects of this one.
            if is_partial(rule, self.call):
                partial.append(mode)
                continue
            return possibly(_all_together(mode, partial), undecided)
        if not undecided and not partial:
            return None
        return possibly(_all_together(self._base(), partial), undecided)

    # --- (2) what raises it ----------------------------------------------------------------------

    def _flags(self, effects: Effects) -> Effects:
        for used in self.call.options:
            own = _own(used)
            if "effects" in own or "maybe" in own:
                # a named file is written even in a dry run: `patch --dry-run -o FILE`
                always = own.get("always") is True or used.value is not None
                effects = self._raise(
                    effects, own.get("effects"), own.get("maybe", ()), used.flag, always
                )
            if self.curated and own.get("answers") is True:
                effects = answered(effects)
        return effects

    def _raise(
        self, effects: Effects, facts: object, maybe: Any, subject: str, always: bool
    ) -> Effects:
        added = as_effects(facts) if self.curated and isinstance(facts, dict) else facts_of(facts)
        if self.rehearsal and not always:
            added, maybe = rehearsed(added), [m for m in maybe if not _acts(m)]
        raised = maybe_raised(raised_by(effects, added), maybe)
        if raised != effects:
            self._say(subject, named_facts(added, added=True) or "may do more")
        return raised

    def _rules(self, effects: Effects) -> Effects:
        if not self.curated:
            return effects
        levels = [self.tool.own, *(node.own for node in self.call.nodes)]
        for own in levels:
            for rule in own.get("when", ()):  # type: ignore[attr-defined]
                if "adds" not in rule:
                    continue
                answer = holds(rule, self.call)
                if answer is False:
                    continue
                facts, maybe = raises(rule["adds"])
                if answer is None:
                    maybe, facts = [*maybe, *fact_names(facts)], {}
                effects = self._raise(effects, facts, maybe, self._rule_name(rule), False)
        return effects

    def _programs(self, effects: Effects) -> Effects:
        """Effects added by programs in a small language (`sed 's/a/b/w FILE'`)."""
        for program in programs_of(self.tool, self.call) if self.curated else ():
            words = []
            if program.runs or not program.understood:
                words.append("code" if program.runs else "code?")
            if program.writes or program.writes_any:
                words.append("writes destructive?")
            if program.environment:
                words.append("secrets")
            if words:
                facts, maybe = raises(" ".join(words))
                effects = self._raise(effects, facts, maybe, f"the program of {self.subject}", True)
        return effects

    # --- (3) unknown flags -----------------------------------------------------------------------

    def _unknown(self, effects: Effects) -> Effects:
        own = [self.tool.own, *(node.own for node in self.call.nodes)]
        if any(block.get("rest") == "harmless" for block in own) and self.curated:
            return effects
        unvetted = [g.flag for g in self.call.options if g.option and g.option.own.get("unvetted")]
        for flag in (*self.call.unknown, *unvetted):
            if not is_safe_flag(flag):
                self._say(flag, "is unknown; it may do more")
                return weakened(effects)
        return effects

    # --- (4) what it runs ------------------------------------------------------------------------

    def _with_inner(self, effects: Effects) -> Effects:
        for inner in self.call.inner if self.runs_inner else ():
            effects = raised_by(effects, Effects(subprocess=True))
            effects = union_of_steps(effects, self._inner(inner))
        return effects

    def _inner(self, inner: Inner) -> Effects:
        unknown = Effects(subprocess=True)
        argvs: Sequence[Sequence[str]] | None = None
        if inner.kind == "argv":
            argvs = (inner.argv,)
        elif inner.kind == "shell":
            simple = simple_argv(inner.text)
            if simple and inner.more:
                simple = (*simple, ANY_WORDS)
            argvs = (simple,) if simple else (self.shell(inner.text) if self.shell else None)
        if not argvs or self.lookup is None or self.depth >= MAX_NESTING:
            self._say(inner.via or "inner command", "runs an unknown command")
            return unknown
        total: Effects | None = None
        for argv in argvs:
            step = self._step(argv)
            total = step if total is None else union_of_steps(total, step)
        return total if total is not None else unknown

    def _step(self, argv: Sequence[str]) -> Effects:
        assert self.lookup is not None
        name = program_name(argv[0])
        tool = self.lookup(name) if name else None
        if tool is None:
            self._say(argv[0], "is not a known program")
            return UNKNOWN
        finding = effects_of(
            tool, parse(tool, argv), lookup=self.lookup, shell=self.shell, depth=self.depth + 1
        )
        self.reasons += finding.reasons
        return finding.effects

    # --- words -----------------------------------------------------------------------------------

    def _rule_name(self, rule: Mapping[str, Any]) -> str:
        flags = rule.get("option") or rule.get("with") or rule.get("all")
        return " ".join(flags) if flags else f"arguments of {self.subject}"

    def _say(self, subject: str, says: str, evidence: str = "") -> None:
        if says:
            reason = Reason(subject=subject, says=says, evidence=evidence or self.evidence)
            self.reasons.append(reason)

    def _finding(self, effects: Effects) -> EffectsFinding:
        return EffectsFinding(effects=effects, reasons=tuple(self.reasons))


def _own(used: GivenOption) -> Mapping[str, Any]:
    return used.option.own if used.option is not None else {}


def program_name(word: str) -> str:
    """`/usr/bin/git` is `git`; a relative or temporary path is an unknown program."""
    if "/" not in word:
        return word
    folder, _, name = word.rpartition("/")
    # SECURITY: only system directories; `./git` and `/tmp/ls` can be any file
    system = ("/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin")
    return name if folder in system or folder == "/opt/homebrew/bin" else ""


def _together(left: Effects, right: Effects) -> Effects:
    """Two modes at once: danger wins, and what one leaves open stays open."""
    return union_of_steps(left, right)


def _all_together(first: Effects, others: Sequence[Effects]) -> Effects:
    for other in others:
        first = _together(first, other)
    return first


def _acts(name: str) -> bool:
    return name.split(".")[-1] in (
        "write",
        "delete",
        "destructive",
        "reversible",
        "idempotent",
        "billable",
    )
