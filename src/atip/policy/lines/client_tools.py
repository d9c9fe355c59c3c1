"""Tools of coding agents beyond the shell: files they read and write, pages they fetch, MCP tools – as one `CommandContext` for the judge. Pure.

    (1) what the kind of tool does: reads, writes, fetches, or unknown
    (2) its paths: secrets, what lies outside of the workspace, what runs later, our own settings
    (3) its addresses: hosts, and secrets that would go out with them
    (4) an MCP tool: its name and its annotations may raise effects, never lower them

`opinion` then decides whether the guard answers: a client has rules of its own for its tools, so an ordinary edit gets no answer.
"""

from __future__ import annotations

from atip.calls.effects.engine import Reason
from atip.calls.shell.line import ShellLine, ShellWord
from atip.knowledge.words import as_effects, profile
from atip.model.effects import UNKNOWN, raised_by
from atip.model.value import Value
from atip.policy.command_context import MARKS, CommandContext, add_marks, danger_of
from atip.policy.decision import ALLOW, ASK, DENY, PRESET
from atip.policy.network.web_addresses import address_danger, host_of
from atip.policy.never import own_reason
from atip.policy.places import vital
from atip.policy.places.paths import Paths
from atip.policy.presets import CI

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.model.effects import Effects
    from atip.policy.decision import Decision
    from atip.policy.places.folders import FollowLinks

READ, LIST, SEARCH, WRITE, FETCH, MCP = "read", "list", "search", "write", "fetch", "mcp"
_DOES = {READ: "reads", LIST: "reads", SEARCH: "reads", WRITE: "reads writes", FETCH: "network"}
_LOSES = frozenset("delete remove destroy drop purge truncate erase wipe terminate revoke uninstall reset".split())  # fmt: skip  # noqa: SIM905
_MAX_TEXTS = 200


class ClientTool(Value):
    """One call of a client's tool other than its shell."""

    name: str
    kind: str
    paths: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    """Texts among the arguments of an MCP tool, each of which may be a path or an address."""
    server: str = ""
    annotations: Mapping[str, object] = {}
    pin: str = ""
    """Digest of how the server is started or reached, as the client's settings say; empty: not known."""

    @property
    def text(self) -> str:
        """The call as shown to the user and in the audit."""
        return " ".join((self.name, *self.paths[:3], *self.urls[:3]))


class ToolSubject(Value):
    """The judged call, and what `opinion` needs besides the decision."""

    subject: CommandContext
    inside: bool
    """Whether every path lies in the workspace."""


def subject_of(
    tool: ClientTool, *, cwd: str, home: str, links: FollowLinks | None = None
) -> ToolSubject:
    """The call as a subject. Everything only raises."""
    line = ShellLine(text=tool.text)
    paths = Paths(line, cwd, home, links)
    effects = UNKNOWN if tool.kind == MCP else as_effects(profile(_DOES[tool.kind]))  # (1)
    reasons: list[Reason] = []
    resolved: list[str] = []
    for path in tool.paths:  # (2)
        effects = _path(path, tool.kind, paths, effects, reasons)
        resolved += paths.resolve(_word(path))
    hosts = []
    for url in tool.urls:  # (3)
        hosts.append(host_of(url))
        effects = _address(url, effects, reasons)
    if tool.kind == MCP:  # (4)
        effects = _mcp(tool, paths, effects, reasons, hosts)
    own = tool.kind == WRITE and any(vital.is_own(path, paths.places.home) for path in resolved)
    subject = CommandContext(
        tool=tool.name, text=tool.text, effects=effects, reasons=tuple(reasons),
        also_called=(tool.server,) if tool.server else (),
        evidence="claim" if tool.kind == MCP else "knowledge", paths=tuple(dict.fromkeys(resolved)),
        hosts=tuple(dict.fromkeys(hosts)), never=own_reason() if own else "",
        pin=tool.pin if tool.kind == MCP else None,
    )  # fmt: skip
    inside = bool(resolved) and all(paths.places.holds(path) for path in resolved)
    return ToolSubject(subject=subject, inside=inside)


def _word(path: str) -> ShellWord:
    return ShellWord(text=path, raw=path, pattern=path)


def _path(
    path: str, kind: str, paths: Paths, effects: Effects, reasons: list[Reason]
) -> Effects:  # fmt: skip
    word = _word(path)
    if any(each in path for each in "\n\r\0"):
        # SECURITY: no list of names is compared across lines
        says = "cannot be judged by its name"
        reasons.append(Reason(subject=path[:80], says=says, evidence="shell"))
        return add_marks(effects, "outside")
    if kind == WRITE:
        protected = any(paths.is_protected(each) for each in paths.resolve(word))
        if protected:
            says = "changes what runs later"
            reasons.append(Reason(subject=path, says=says, evidence="shell"))
            effects = add_marks(effects, "protected")
        return effects
    if kind == LIST:
        return effects  # names only
    danger = paths.reading_danger(word, recursive=kind == SEARCH)
    if danger is not None:
        reasons.append(Reason(subject=path, says=danger[1], evidence="shell"))
        effects = add_marks(effects, danger[0])
    return effects


def _address(url: str, effects: Effects, reasons: list[Reason]) -> Effects:
    danger = address_danger(url)
    if danger:
        reasons.append(Reason(subject=url[:80], says=f"sends: {danger}", evidence="shell"))
        effects = add_marks(effects, "sends")
    return effects


def _mcp(
    tool: ClientTool, paths: Paths, effects: Effects, reasons: list[Reason], hosts: list[str]
) -> Effects:  # fmt: skip
    words = tool.name.lower().replace("-", "_").split("_")
    destroys = tool.annotations.get("destructiveHint") is True
    if destroys or _LOSES & set(words):
        says = "destructive by its own annotations" if destroys else "destructive by its name"
        reasons.append(Reason(subject=tool.name, says=says, evidence="claim"))
        effects = raised_by(effects, as_effects({"destructive": True}))
    for text in tool.texts[:_MAX_TEXTS]:
        if "://" in text[:20]:
            hosts.append(host_of(text))
        elif "\n" not in text and len(text) < 4_096 and paths.is_secret_word(_word(text)):
            reasons.append(Reason(subject=text[:80], says="names a secret", evidence="shell"))
            effects = add_marks(effects, "secrets")
    return effects


def opinion(
    tool: ClientTool, call: ToolSubject, decision: Decision, *, client_asks: bool
) -> str | None:
    """The answer to the client; None: no answer, the client applies its own rules.

    Args:
        client_asks: whether the client itself asks the user about this call if it gets no answer.
    """
    by_preset = not decision.rule or decision.rule.startswith(PRESET)
    if decision.outcome == ALLOW:
        return None if by_preset else ALLOW
    unattended = decision.rule == f"{PRESET}{CI}"
    if not by_preset or (decision.outcome == DENY and not unattended):
        return decision.outcome
    if any(danger_of(call.subject, mark) for mark in MARKS):
        return decision.outcome
    if tool.kind == WRITE:
        return None if call.inside else decision.outcome
    return None if client_asks and decision.outcome == ASK else decision.outcome
