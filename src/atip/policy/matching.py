"""Whether a rule matches a call. Unknown facts match rules that restrict, and do not match rules that allow."""

from __future__ import annotations

from atip.calls.invocation import UNKNOWN_TEXT
from atip.policy.command_context import ASSURANCES, DANGERS, MARKS, danger_of
from atip.policy.decision import ALLOW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from atip.policy.command_context import CommandContext
    from atip.policy.policy import Rule


def matches(rule: Rule, subject: CommandContext) -> bool:
    """Whether all conditions of the rule hold."""
    strict = rule.decision != ALLOW
    return (
        _pin_matches(rule, subject)
        and not (rule.project and rule.decision == ALLOW and danger_of(subject, "network") is True)
        and _tool_matches(rule, subject)
        and _command_matches(rule, subject, strict)
        and _option_matches(rule, subject, strict)
        and all(_fact_holds(subject, name, value, strict) for name, value in rule.effects.items())
        and (rule.within is None or is_within(subject, rule.within))
        and _all_or_any(rule.paths, subject.paths, path_matches, strict)
        and _all_or_any(rule.hosts, subject.hosts, host_matches, strict)
        and (rule.trust is None or trust_level(subject) in rule.trust)
        and (rule.evidence is None or subject.evidence in rule.evidence)
        and (rule.words is None or _words_match(rule.words, subject, strict))
        and (rule.service is None or subject.reads_service is rule.service)
        and (rule.reversible is None or subject.reversible is rule.reversible)
    )


def _pin_matches(rule: Rule, subject: CommandContext) -> bool:
    """SECURITY: an MCP tool is allowed only if the user allowed it for the server that is configured now."""
    if subject.pin is None or rule.decision != ALLOW:
        return True
    return bool(rule.pin) and rule.pin == subject.pin


def _words_match(pattern: tuple[str, ...], subject: CommandContext, strict: bool) -> bool:
    """Whether the call has these words. SECURITY: an allow covers the words only, no redirections (`> ~/.profile`)."""
    if not strict and (_stands_around(subject) or _is_marked(subject)):
        return False
    return is_spelled(pattern, subject, strict=strict)


def is_spelled(pattern: tuple[str, ...], subject: CommandContext, *, strict: bool) -> bool:
    """Whether the call has these words, regardless of redirections and variables."""
    more = pattern[-1:] == ("*",)
    words = pattern[:-1] if more else pattern
    call_words = (subject.tool, *subject.argv[1:])
    if len(call_words) < len(words) or (len(call_words) > len(words) and not more):
        return False
    pairs = zip(words, call_words, strict=False)
    if strict:
        return all(word == each or UNKNOWN_TEXT in each for word, each in pairs)
    # SECURITY: a word that is only known when the line runs is allowed by no spelling
    return not any(UNKNOWN_TEXT in call_word for call_word in call_words) and all(
        w == each for w, each in pairs
    )


def _stands_around(subject: CommandContext) -> bool:
    """Whether the shell line adds something to the call: a redirection, a variable that changes what runs."""
    added = sum(reason.evidence == "shell" for reason in subject.reasons)
    return added > (
        0 if subject.metadata is not None else 1
    )  # one reason states that the program is unknown


def _is_marked(subject: CommandContext) -> bool:
    return any(danger_of(subject, name) is not False for name in MARKS)


def is_within(subject: CommandContext, allowed: tuple[str, ...]) -> bool:
    """Every danger that is not named is known to be absent."""
    return all(danger_of(subject, name) is False for name in DANGERS if name not in allowed)


def trust_level(subject: CommandContext) -> str:
    return subject.verdict.level.value if subject.verdict is not None else "unsigned"


def _fact_holds(subject: CommandContext, name: str, expected: bool, strict: bool) -> bool:
    danger = danger_of(subject, name)
    value = danger if name not in ASSURANCES or danger is None else not danger
    if value is None:
        return strict
    return value is expected


def _tool_matches(rule: Rule, subject: CommandContext) -> bool:
    if rule.tools is None:
        return True
    if UNKNOWN_TEXT in subject.tool:
        # SECURITY: a program whose name is not known may be the one that is denied
        return rule.decision != ALLOW
    names = (subject.tool, *subject.also_called)
    return any(_text_matches(pattern, name) for pattern in rule.tools for name in names)


def _text_matches(pattern: str, text: str) -> bool:
    if pattern.endswith("*"):
        return text.startswith(pattern[:-1])
    return text == pattern


def _command_matches(rule: Rule, subject: CommandContext, strict: bool) -> bool:
    if rule.commands is None:
        return True
    words = (*subject.path, *subject.arguments)
    for command in rule.commands:
        command_words = tuple(command.split())
        if words[: len(command_words)] == command_words:
            return True
        if strict and _may_become(words, command_words):
            return True
    return False


def _may_become(words: tuple[str, ...], command_words: tuple[str, ...]) -> bool:
    """Whether words that are filled in later may spell the command."""
    for have, want in zip(words, command_words, strict=False):
        if UNKNOWN_TEXT in have:
            return True
        if have != want:
            return False
    return False


def _option_matches(rule: Rule, subject: CommandContext, strict: bool) -> bool:
    if rule.options is None:
        return True
    unknown = subject.flags is None or any(UNKNOWN_TEXT in word for word in subject.arguments)
    if strict and unknown:
        return True
    flags = subject.flags or ()
    names = {flag.lstrip("-") for flag in flags}
    return any(option in flags or option in names for option in rule.options)


def _all_or_any(
    patterns: tuple[str, ...] | None,
    values: tuple[str, ...],
    test: Callable[[str, str], bool],
    strict: bool,
) -> bool:
    if patterns is None:
        return True
    results = [any(test(pattern, value) for pattern in patterns) for value in values]
    return any(results) if strict else bool(results) and all(results)


def host_matches(pattern: str, host: str) -> bool:
    """`*.example.com` is every name below, not the name itself."""
    if pattern.startswith("*."):
        return host.endswith(pattern[1:]) and len(host) > len(pattern) - 1
    return host == pattern


def path_matches(pattern: str, path: str) -> bool:
    """A literal path, `dir/**` (the folder and everything below), or a glob by parts.

    SECURITY: a path with a part that is not known yet matches everything below what is known of it.
    """
    if UNKNOWN_TEXT in path:
        known_prefix = path.split(UNKNOWN_TEXT)[0]
        lead = pattern.split("*")[0]
        return known_prefix.startswith(lead) or lead.startswith(known_prefix)
    if pattern.endswith("/**"):
        folder = pattern[:-3]
        return path == folder or path.startswith(folder + "/")
    pattern_parts, parts = pattern.split("/"), path.split("/")
    # `/etc/*` of a policy means what lies below, not one level (0.1 §5.2 uses it so)
    if pattern_parts[-1] == "*" and len(parts) > len(pattern_parts):
        parts = [*parts[: len(pattern_parts) - 1], parts[-1]]
    if len(pattern_parts) != len(parts):
        return False
    return all(_part_matches(want, part) for want, part in zip(pattern_parts, parts, strict=True))


def _part_matches(want: str, part: str) -> bool:
    if "*" not in want:
        return want == part
    from atip.calls.tables import matches_glob

    return matches_glob(want, part)
