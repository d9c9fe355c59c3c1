"""Whether a word that the shell fills in later may become an option that matters.

`sort "$f"` writes a file if `$f` is `-oX`; `head "$f"` has no such option. The name of a variable
does not matter: only the tool's own table counts, and where the text comes from.
"""

from __future__ import annotations

from atip.calls.invocation import ANY_WORDS, UNKNOWN_TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from atip.calls.invocation import Invocation
    from atip.calls.shell.line import ShellWord, TextOrigin
    from atip.model.tool import Option, Tool
    from atip.policy.places.paths import Paths


def may_be_option(tool: Tool, call: Invocation, words: Sequence[ShellWord], paths: Paths) -> str:
    """The word that may become an option which raises effects, as written; empty: none."""
    for used in call.options:
        # `git -C $x log push`: if `$x` is empty, everything moves by one word
        if used.value == ANY_WORDS and not _is_number(words):
            return used.flag
    if tool.own.get("style") == "raw":
        return ""
    before = call.arguments if call.ended is None else call.arguments[: call.ended]
    leading = {text for text in before if text.startswith(UNKNOWN_TEXT)}
    if not leading or not _has_risky_options(tool, call):
        return ""
    for word in words[1:]:
        if word.argument not in leading or _has_ending(word):
            continue
        if not all(_never_dash(origin, paths) for origin in word.origins):
            return word.raw or word.text
    return ""


def joined_risk(tool: Tool, call: Invocation) -> tuple[str, str] | None:
    """(word, flag): an unlisted word with one dash that may be a flag which raises effects, with its value joined to
    it, as compilers accept: `-B./dir`, `-Wp,-MD,x`."""
    words = [word for word in call.unknown if word[:1] == "-" and word[:2] != "--"]
    for word in words:
        for option in _options(tool, call):
            for flag in option.flags if _is_risky(option) else ():
                if word.startswith(flag) and option.type != "boolean":
                    return word, flag
    return None


def _has_ending(word: ShellWord) -> bool:
    """`*.md`: only a file that exists and is called like an option could do harm; it takes a hostile
    name *and* that ending. A bare `*` takes any name."""
    return all(origin.kind == "glob" for origin in word.origins) and "." in word.text.lstrip("\0")


def _is_number(words: Sequence[ShellWord]) -> bool:
    lone = [word for word in words if word.argument == ANY_WORDS]
    return bool(lone) and all(o.kind == "number" for word in lone for o in word.origins)


def _never_dash(origin: TextOrigin, paths: Paths) -> bool:
    if origin.kind in ("number", "process"):
        return True
    if origin.kind == "choice":
        return not any(
            text[:1] in ("-", "\0", "\1", "\2") and "." not in text for text in origin.texts
        )
    if origin.kind in ("output", "input") and origin.commands:
        return all(paths.prints_plain(index) for index in origin.commands)
    return False


def _has_risky_options(tool: Tool, call: Invocation) -> bool:
    blocks = (tool.own, *(node.own for node in call.nodes))
    if not any(block.get("rest") == "harmless" for block in blocks):
        return True
    return any(_is_risky(option) for option in _options(tool, call))


def _options(tool: Tool, call: Invocation) -> Iterator[Option]:
    yield from tool.global_options or ()
    if not call.nodes:
        yield from tool.options or ()
    for node in call.nodes:
        yield from node.options or ()


def _is_risky(option: Option) -> bool:
    own = option.own
    if "runs" in own or "maybe" in own or "profile" in own:
        return True
    effects = own.get("effects")
    if not isinstance(effects, dict):
        return False
    files = effects.get("filesystem", {})
    if set(effects) <= {"filesystem", "interactive", "idempotent"}:
        return any(files.get(key) for key in ("write", "delete"))
    return True
