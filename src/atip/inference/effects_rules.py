"""Effects by rule, for tools and commands without a knowledge file.

    (1) loss: a verb, a flag, a text argument (SQL) or the description's own lead says it – true;
        softened to unknown where the object is rebuilt from elsewhere or a flag only tells
    (2) harmless: a verb of looking *and* a description that agrees *and* no flag we cannot place – false
    (3) everything else – unknown

A verb alone never yields "safe"; only the command's own description counts, never another's. Every
answer has a reason. Words are in `effects_words.py`.
"""

from __future__ import annotations

from atip.calls.effects.engine import EffectsFinding, Reason
from atip.calls.effects.safe_flags import is_safe_flag
from atip.inference import effects_words as words
from atip.model.effects import Cost, Effects, Filesystem, Interactive
from atip.model.text.regex import LazyRegex
from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.model.tool import Option

_LETTERS = bytes(code if chr(code).isalpha() and code < 128 else 32 for code in range(256))
"""Every byte that is no letter becomes a space. Without a regular expression: `show` starts for every question."""
_SQL_LOSS = LazyRegex(
    r"(?i)\b(?:drop\s+(?:table|database|schema|index|view|user|collection)|delete\s+from|truncate(?:\s+table)?\s|"
    r"flush(?:all|db)|dropdatabase|deletemany|\.drop\(|\.remove\()"
)  # fmt: skip
_METHOD_LOSS = LazyRegex(r"(?i)^(?:-X|--(?:http-)?method|--request)=?delete$")
_DEVICE = LazyRegex(r"^(?:of=)?/dev/(?:sd|hd|vd|nvme|mmcblk|disk|mapper)")


class _Signs(Value):
    """Effects that the words of one command suggest."""

    loss: str = ""
    removes: bool = False
    bills: bool = False
    softened: str = ""
    cleans: bool = False
    ends: bool = False
    reads: str = ""
    writes: bool = False
    runs: bool = False
    network: bool = False
    odd_flags: bool = False


def infer_command_effects(
    tool_name: str,
    path: Sequence[str],
    description: str = "",
    options: Sequence[str | Option] = (),
) -> EffectsFinding:
    """Judge a command of an unknown tool.

    Args:
        path: command words; flags and arguments of a given line may stand among them.
        description: of this very command; empty if there is none.
        options: flags that are *given*, not those that exist.
    """
    flags = [word for word in path if word.startswith("-") and len(word) > 1]
    flags += [o if isinstance(o, str) else (o.flags[0] if o.flags else o.name) for o in options]
    plain = [word for word in path if not word.startswith("-")]
    if _is_name_flag(path):
        flags.remove("-n")
    signs = _signs(tool_name, plain, flags, description)
    return _finding(" ".join((tool_name, *path)), signs, description)


def _is_name_flag(path: Sequence[str]) -> bool:
    """`delete -n web`: behind a verb of certain loss, `-n` with a word after it names something."""
    at = path.index("-n") if "-n" in path else len(path)
    has_value = at + 1 < len(path) and not path[at + 1].startswith("-")
    return has_value and any(
        _is_hard(part) for word in path[:at] if word[0:1] != "-" for part in _parts(word)
    )


def infer_flag(flags: Sequence[str], description: str = "") -> dict[str, object]:
    """Vendor block for a flag that no curated file judges: what it may add, by name and own text.

    `unvetted` makes the effects engine treat the flag as unknown, unless its name is a presentation
    flag; a name or a description that says loss counts as "may become destructive".
    """
    if all(is_safe_flag(flag) or len(flag) == 2 for flag in flags) and any(
        map(is_safe_flag, flags)
    ):
        return {}
    block: dict[str, object] = {"unvetted": True}
    if _danger_flag(set(flags)) or _described_loss(description):
        block["maybe"] = ["destructive", "filesystem.delete", "filesystem.write", "reversible"]
    return block


def _signs(tool: str, plain: list[str], flags: list[str], description: str) -> _Signs:
    # a tool that is named like an ordinary object (`clean-css`) still says what it does
    verbs = [part for word in (tool, *plain) for part in _parts(word)]
    names = {flag.partition("=")[0] for flag in flags}
    method = next((flag for flag in flags if _METHOD_LOSS.match(flag)), "")
    loss = _loss(plain, verbs, names, description, method=method)
    return _Signs(
        loss=loss,
        removes=any(_is_hard(v) for v in verbs),
        bills=any(v in words.ORDERS for v in verbs) and any(v in words.BILLED for v in verbs),
        softened=_why_softened(verbs, names, description) if loss and not method else "",
        cleans=any(v in words.CLEANS for v in verbs),
        ends=any(v in words.ENDS for v in verbs),
        reads=next((v for v in verbs if v in words.READS), ""),
        writes=any(v in words.WRITES for v in _without_nouns(verbs))
        or bool(names & words.WRITE_FLAGS),
        runs=any(v in words.RUNS for v in verbs) or bool(names & words.RUN_FLAGS),
        network=any(v in words.NETWORK for v in verbs) or bool(names & words.NETWORK_FLAGS),
        odd_flags=any(not _is_presentation(flag) for flag in names),
    )


def _without_nouns(verbs: list[str]) -> list[str]:
    """`backup get`, `config validate`: before a verb of looking, a word that is also a noun is one."""
    last = max((at for at, verb in enumerate(verbs) if verb in words.READS), default=-1)
    return [v for at, v in enumerate(verbs) if at > last or v not in words.NOUNS_TOO]


def _loss(plain: list[str], verbs: list[str], flags: set[str], text: str, *, method: str) -> str:
    """(1) What says that something is lost; empty if nothing does."""
    for verb in verbs:
        if verb in words.DESTROYS or _is_compound(verb):
            return f"`{verb}`"
    for first, second in words.DESTROY_PAIRS:
        if first in verbs and second in verbs:
            return f"`{first}` with `{second}`"
    for word in plain:
        if _SQL_LOSS.search(word) or _DEVICE.search(word):
            return f"`{word}`"
    danger = _danger_flag(flags)
    if danger:
        return f"`{danger}`"
    if method:
        return f"`{method}`"
    return _described_loss(text) or _why_forced(flags, verbs)


def _danger_flag(flags: set[str]) -> str:
    """A flag whose name says loss; empty if none does."""
    for flag in sorted(flags):
        parts = _parts(flag)
        if flag in words.DANGER_FLAGS:
            return flag
        calm = len(flag) <= 2 or not parts or parts[0] in words.CALM_FLAG_WORDS
        if not calm and any(part in words.DANGER_FLAG_WORDS for part in parts):
            return flag
    return ""


def _is_compound(verb: str) -> bool:
    if verb in words.NOT_DESTROY:
        return False
    if verb.startswith(words.DESTROY_PREFIXES) or verb.endswith(words.DESTROY_SUFFIXES):
        return True
    return len(verb) > 4 and verb.endswith("del")


def _is_hard(verb: str) -> bool:
    """Verbs of loss that are not also used for things that are set again."""
    if verb in words.SOFT_VERBS or verb in words.CLEANS or verb.endswith("remove"):
        return False
    return verb in words.DESTROYS or _is_compound(verb)


def _why_forced(flags: set[str], verbs: list[str]) -> str:
    if flags & {"--force"} and any(v in words.WRITES or v in words.NETWORK for v in verbs):
        return "`--force`"
    if flags & words.FORCE_FLAGS and any(v in words.CLEANS for v in verbs):
        return "force flag on a clean-up"
    return ""


def _described_loss(text: str) -> str:
    lower = text.lower()
    for unreal in words.UNREAL:
        lower = lower.replace(unreal, " ")
    spaced = f" {lower} "
    for phrase in words.LOSS_PHRASES:
        if f" {phrase}" in spaced:  # `close ` is not `lose `
            return f"description: {phrase!r}"
    for index, word in enumerate(_words(lower)):
        if word in words.LOSS_WORDS or (index == 0 and word in words.LOSS_LEADS):
            return f"description: {word!r}"
    return ""


def _why_softened(verbs: list[str], flags: set[str], text: str) -> str:
    """Why an alarm is not certain; empty if it is."""
    if flags & words.TELLS_FLAGS:
        return "a flag may make it only tell what it would do"
    lower = text.lower()
    if any(unreal in lower for unreal in words.UNREAL):
        return "the description says what would happen, or what is kept"
    described = set(_words(lower))
    lead = next(iter(_words(lower)), "")
    runs = flags & words.RUN_FLAGS or described & {"run", "runs", "execute", "executes"}
    by_flag = bool(_danger_flag(flags))
    if lead in words.READ_LEADS and not described & words.LOSS_WORDS and not runs and not by_flag:
        return "the description says that it only reads"
    objects, alarms = described | set(verbs), described & (words.LOSS_WORDS - words.SOFT_VERBS)
    hard = [v for v in verbs if _is_hard(v)]
    if objects & words.CACHES:
        return "what is removed is rebuilt when needed"
    forced = "--force" in flags and bool(set(verbs) & words.NETWORK)
    if objects & words.REBUILT and not (hard or alarms or by_flag or forced):
        return "what is removed is usually rebuilt from elsewhere"
    if "format" in verbs and described & {"code", "source", "sources", "style"}:
        return "`format` is about layout here"
    if objects & words.HOLDS_DATA:
        return ""
    if lead == "reset" or ("reset" in verbs and text and not described & words.LOSS_WORDS):
        return "`reset` may only set things back"
    return ""


def _finding(subject: str, signs: _Signs, description: str) -> EffectsFinding:
    if signs.loss:
        return _alarm(subject, signs, description)
    lead = next(iter(_words(description.lower())), "")
    agrees = lead in words.READ_LEADS
    harmless = (
        bool(signs.reads) and agrees and not signs.odd_flags
        and not (signs.cleans or signs.ends or signs.writes or signs.runs)
    )  # fmt: skip
    if harmless:
        says = f"(2) `{signs.reads}` looks, and the description agrees ({lead!r})"
        return _make_finding(subject, says, _read_only_effects(signs, description))
    what = [
        name
        for name, sign in (
            ("writes", signs.writes), ("runs programs", signs.runs), ("network", signs.network),
            ("cleans up", signs.cleans), ("ends something", signs.ends),
        )
        if sign
    ]  # fmt: skip
    says = f"(3) not known; the words suggest: {', '.join(what) or 'nothing'}"
    effects = Effects(
        filesystem=Filesystem(write=True if signs.writes and not signs.network else None),
        network=True if signs.bills else _network(signs, description),
        cost=Cost(billable=True if signs.bills else None),
        subprocess=True if signs.runs else None,
        interactive=Interactive(tty=None),
    )
    return _make_finding(subject, says, effects)


def _alarm(subject: str, signs: _Signs, description: str) -> EffectsFinding:
    if signs.softened:
        says = f"(1) {signs.loss} suggests loss, but {signs.softened}"
        return _make_finding(subject, says, Effects(network=_network(signs, description)))
    says = f"(1) {signs.loss} means loss"
    effects = Effects(
        destructive=True,
        reversible=False,
        network=_network(signs, description),
        cost=Cost(billable=False if signs.removes and not signs.bills else None),
        subprocess=True if signs.runs else None,
    )
    return _make_finding(subject, says, effects)


def _read_only_effects(signs: _Signs, description: str) -> Effects:
    return Effects(
        filesystem=Filesystem(write=False, delete=False),
        network=_network(signs, description),
        destructive=False,
        idempotent=True,
        cost=Cost(billable=False),
    )


def _network(signs: _Signs, description: str) -> bool | None:
    if signs.network or set(_words(description.lower())) & words.NETWORK_WORDS:
        return True
    return None


def _is_presentation(flag: str) -> bool:
    return is_safe_flag(flag) or flag in ("-h", "-v", "-a", "-l", "-1", "-q")


def _parts(word: str) -> list[str]:
    """`trash-empty`, `pg:reset`, `dropDatabase()` → their words; long text is not a verb."""
    if len(word) > 60 or " " in word:
        return []
    return [part.lower() for chunk in _words(word) for part in _camel_parts(chunk)]


def _words(text: str) -> list[str]:
    """Runs of ASCII letters."""
    return text.encode("ascii", "replace").translate(_LETTERS).decode("ascii").split()


def _camel_parts(word: str) -> list[str]:
    if word[1:].islower() or word.isupper():
        return [word]
    cuts = [at for at in range(1, len(word)) if word[at - 1].islower() and word[at].isupper()]
    return [word[start:end] for start, end in zip([0, *cuts], [*cuts, None], strict=True)]


def _make_finding(subject: str, says: str, effects: Effects) -> EffectsFinding:
    return EffectsFinding(
        effects=effects, reasons=(Reason(subject=subject, says=says, evidence="rules"),)
    )
