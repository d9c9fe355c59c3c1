"""Options of the shell itself: which of them may be switched without changing how a line is read or what it runs.

`set -k` makes `ls PATH=.` an assignment, `shopt -s nocaseglob` makes `.EN[V]` a secret. Options that are not listed here change
the meaning of what follows, which makes it unknown.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_LETTERS = frozenset("euxvfCETBbhmP")
_NAMES = frozenset(
    """errexit nounset pipefail xtrace verbose noglob noclobber errtrace functrace braceexpand notify hashall monitor
    physical ignoreeof nolog""".split()  # noqa: SIM905
)
_SHOPT = frozenset(
    """nullglob failglob globstar inherit_errexit lastpipe checkwinsize checkjobs cmdhist lithist globasciiranges huponexit
    interactive_comments""".split()  # noqa: SIM905
)


def changes_reading(argv: Sequence[str]) -> bool:
    """Whether `set` or `shopt` switches an option that changes how lines are read."""
    if argv[0] == "shopt":
        return _shopt_changes(argv[1:])
    words = list(argv[1:])
    while words and words[0][:1] in ("-", "+") and words[0] not in ("-", "--", "+"):
        word = words.pop(0)
        if not set(word[1:]) <= _LETTERS | {"o"}:
            return True
        for _ in range(word.count("o")):
            if words and words.pop(0) not in _NAMES:
                return True
    return False


def _shopt_changes(words: Sequence[str]) -> bool:
    letters = "".join(word[1:] for word in words if word[:1] == "-")
    if not set(letters) & {"s", "u"}:
        return False
    harmless = _NAMES if "o" in letters else _SHOPT
    return not all(word in harmless for word in words if word[:1] != "-")


def traces(argv: Sequence[str]) -> bool:
    """Whether the shell prints commands with their variables filled in from here on."""
    if argv[:1] != ("set",) and argv[:1] != ["set"]:
        return False
    return "xtrace" in argv or any(w[:1] == "-" and w[:2] != "--" and "x" in w for w in argv[1:])
