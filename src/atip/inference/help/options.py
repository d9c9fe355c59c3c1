"""Options: definitions and usage lines weighed together → `Option` values with evidence.

A definition is believed over a usage line; a usage line adds what no definition says. Where they
disagree the option keeps both findings in `x-atip.conflicts`. Implements ATIP 0.6 §3.5, §3.7.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from atip.inference.help.drafts import OptionDraft
from atip.inference.help.flags import is_long_behind_one_dash, plain_placeholder
from atip.inference.help.guesses import guess_values
from atip.inference.help.layout.sections import OPTIONS
from atip.inference.help.prose import (
    default_of,
    env_of,
    is_deprecated,
    is_repeated,
    is_required,
    type_of,
)
from atip.inference.help.values.choice_lists import listed_behind, listed_columns
from atip.inference.help.values.choices import are_values, choices_of_placeholder, choices_of_prose
from atip.inference.help.values.legends import choices_of_legend
from atip.model.tool import BOOLEAN, MISSING, Option

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from atip.inference.help.flags import FlagSpec
    from atip.inference.help.layout.entries import Definition
    from atip.inference.help.usage_lines.usage_facts import Usage, UsageOption

MAX_OPTIONS = 5_000
_WORDS = frozenset(("version", "help", "verbose", "quiet", "debug", "list", "force", "display"))
_BOOLEANS = ("true", "false")


def draft_options(entries: Iterable[Definition], usage: Usage, stray: Usage) -> list[OptionDraft]:
    """One draft per option, in the order of the text; spellings of one option are merged.

    `stray` are usage lines found outside of the usage block.
    """
    drafts: list[OptionDraft] = []
    by_flag: dict[str, OptionDraft] = {}
    # Definitions under a heading that promises options come before flags shown elsewhere.
    for entry in sorted(entries, key=lambda entry: entry.section.kind != OPTIONS):
        if len(drafts) >= MAX_OPTIONS:
            break
        if entry.spec is not None:
            for spec in entry.spec.members if not entry.parts else ():
                _define(entry, spec, drafts, by_flag)
            if entry.parts or not entry.spec.members:
                _define(entry, entry.spec, drafts, by_flag)
    drafts.sort(key=lambda draft: draft.lines)
    guess_values(drafts)
    defined = len(drafts)
    for option in usage.options:
        if len(drafts) < MAX_OPTIONS:
            _use(option, drafts, by_flag)
    _split_clusters(usage, drafts, by_flag, defined)
    for option in stray.options:
        draft = next((by_flag[flag] for flag in option.flags if flag in by_flag), None)
        if len(drafts) < MAX_OPTIONS and draft is None:
            _use(option, drafts, by_flag)
        elif draft is not None and draft.value is None and option.raw.startswith("<"):
            draft.value, draft.raw = option.value, option.raw  # npm: a synopsis of all options
    return drafts


def _define(
    entry: Definition, spec: FlagSpec, drafts: list[OptionDraft], by_flag: dict[str, OptionDraft]
) -> None:
    fresh = [flag for flag in spec.flags if flag not in by_flag]
    if not fresh:
        _again(entry, spec, by_flag[spec.flags[0]])
        return
    draft = OptionDraft(fresh, (entry.first, entry.last), "definition")
    draft.value, draft.raw = spec.value, spec.raw_value
    draft.optional_value = spec.optional_value
    draft.repeat, draft.negatable = spec.repeat, spec.negatable
    draft.truncated = spec.truncated
    draft.text, draft.paragraphs = entry.text, entry.paragraphs
    draft.group = entry.section.title
    draft.equals = bool(spec.raw_value) and f"={spec.raw_value}" in entry.left
    _read_assigned_default(draft, entry)
    _read_type_note(draft)
    drafts.append(draft)
    for flag in fresh:
        by_flag[flag] = draft


def _again(entry: Definition, spec: FlagSpec, draft: OptionDraft) -> None:
    """A second definition of known flags adds what the first one left out."""
    if draft.value is None and spec.value is not None and not draft.text:
        draft.value, draft.raw = spec.value, spec.raw_value
        draft.optional_value = spec.optional_value
    if not draft.text:
        draft.text, draft.paragraphs = entry.text, entry.paragraphs


def _read_assigned_default(draft: OptionDraft, entry: Definition) -> None:
    """`--all=false:` shows a default, not a placeholder: such a flag is a switch (kubectl)."""
    if (
        draft.value is not None
        and draft.value.lower() in _BOOLEANS
        and f"={draft.raw}" in entry.left
    ):
        if not draft.text.startswith("["):
            draft.text = f"{draft.text} (default: {draft.value})" if draft.text else ""
        draft.value, draft.raw = None, ""
    elif draft.raw.isdigit() and f"={draft.raw}" in entry.left:
        draft.text = f"{draft.text} (default: {draft.raw})".strip()
        draft.value = draft.raw = "int"


_TYPE_NOTE = re.compile(r"\[(boolean|count|string|number|array)\]")


def _read_type_note(draft: OptionDraft) -> None:
    """`<bool>` (typer) and `[boolean]`, `[string]` … at the end of the text (yargs)."""
    if draft.raw.lower() in ("<bool>", "<boolean>"):
        draft.value, draft.raw = None, ""
        return
    note = _TYPE_NOTE.search(draft.text[-400:])
    if note is None:
        return
    if note.group(1) in ("boolean", "count"):
        draft.value, draft.raw = None, ""
    elif draft.value is None:
        draft.value = note.group(1)
        draft.raw = f"<{note.group(1)}>"
        draft.repeat = note.group(1) == "array"


def _use(option: UsageOption, drafts: list[OptionDraft], by_flag: dict[str, OptionDraft]) -> None:
    draft = next((by_flag[flag] for flag in option.flags if flag in by_flag), None)
    if draft is None:
        draft = OptionDraft(option.flags, option.lines, "usage")
        draft.value, draft.raw = option.value, option.raw
        draft.optional_value = option.optional_value
        draft.required = option.required and option.value is not None
        drafts.append(draft)
        for flag in option.flags:
            by_flag[flag] = draft
        return
    for flag in option.flags:
        if flag not in by_flag:
            draft.flags.append(flag)
            by_flag[flag] = draft
    if option.value is not None and draft.guessed and not draft.raw:
        draft.value, draft.raw = option.value, option.raw
    elif option.value is not None and draft.value is None and option.certain:
        if draft.part == "definition":
            draft.conflicts.append(
                f"line {option.lines[0]}: usage gives {option.flags[0]} the value `{option.value}`,"
                f" its definition gives it none"
            )
        draft.value, draft.raw = option.value, option.raw
        draft.optional_value = option.optional_value
    elif option.value is None and draft.value and option.certain and not draft.optional_value:
        draft.conflicts.append(
            f"line {option.lines[0]}: usage shows {option.flags[0]} without a value,"
            f" its definition gives it `{draft.value}`"
        )


def _split_clusters(
    usage: Usage, drafts: list[OptionDraft], by_flag: dict[str, OptionDraft], defined: int
) -> None:
    """`[-abc]` is three flags unless the tool defines long flags with one dash."""
    single = [
        flag for draft in drafts[:defined] for flag in draft.flags
        if not flag.startswith("--") and len(flag) > 2
    ]  # fmt: skip
    for cluster, lines in usage.clusters:
        if cluster in by_flag:
            continue
        members = [f"-{letter}" for letter in cluster[1:]]
        letters = all(letter.isalnum() or letter in "?@#%" for letter in cluster[1:])
        known_all = all(member in by_flag for member in members)
        word = cluster[1:] in _WORDS or (single and not known_all)
        if not letters or len(set(members)) != len(members) or word:
            members = [cluster]
        for flag in members:
            if flag not in by_flag and len(drafts) < MAX_OPTIONS:
                by_flag[flag] = OptionDraft([flag], lines, "usage")
                drafts.append(by_flag[flag])


_HELP_FLAGS = frozenset(("--help", "-h", "-?"))
_FORMAL_HELP = ("show this message and exit", "print help")
_FORMAL_LISTS = ("[possible values:", "(choices:", "[choices:")
_GO_TYPES = frozenset((
    "string", "strings", "stringarray", "stringslice", "int", "ints", "uint", "duration",
    "bool", "float", "bytes", "list",
))  # fmt: skip


def style_of(drafts: Sequence[OptionDraft]) -> str:
    """Style in which a page lists choices: `commander`, `formal` (click, clap), `argparse`, `go`, or empty if unknown.

    Derived from the sentences that frameworks print for their own help option, and from the way
    placeholders are written.
    """
    defined = [draft for draft in drafts if draft.part == "definition"]
    texts = [draft.text.lower() for draft in defined]
    of_help = [draft.text.lower() for draft in defined if _HELP_FLAGS & set(draft.flags)]
    if any(text.startswith(("display help for command", "output usage info")) for text in of_help):
        return "commander"
    if any(text.startswith(_FORMAL_HELP) for text in of_help):
        return "formal"
    if any(_is_optional_name(draft.raw) for draft in defined):
        return "commander"
    if any(phrase in text for text in texts for phrase in _FORMAL_LISTS):
        return "formal"
    if "show this help message and exit" in of_help and not any(draft.equals for draft in defined):
        return "argparse"
    if any(draft.raw.lower() in _GO_TYPES for draft in defined):
        return "go"
    return ""


def _is_optional_name(raw: str) -> bool:
    """`[list]`: a value that may be left out, so that brackets do not enclose choices."""
    return raw.startswith("[") and raw.endswith("]") and raw[1:-1].isalpha() and raw.islower()


def build_option(draft: OptionDraft, *, style: str, name: str) -> Option:
    """The finished option."""
    takes_value = draft.value is not None
    default = default_of(draft.text)
    choices = _choices(draft, style) if takes_value else None
    kind = BOOLEAN
    if takes_value:
        kind = "enum" if choices else type_of(plain_placeholder(draft.raw), draft.text)
    repeated = draft.repeat or draft.raw.rstrip(">]}").endswith("...") or is_repeated(draft.text)
    return Option(
        name=name,
        flags=tuple(draft.flags),
        type=kind,
        description=draft.text,
        required=True if is_required(draft.text) else None,
        default=_convert_default(default, kind) if default is not None and takes_value else MISSING,
        enum=choices,
        env_var=env_of(draft.text),
        variadic=True if repeated and takes_value else None,
        deprecated=True if is_deprecated(draft.text) else None,
        extra={"x-atip": _own(draft)},
    )


def _own(draft: OptionDraft) -> dict[str, object]:
    own: dict[str, object] = {
        "evidence": {"source": "help", "lines": list(draft.lines), "part": draft.part}
    }
    if draft.group:
        own["group"] = draft.group
    if draft.raw:
        own["placeholder"] = plain_placeholder(draft.raw)
    for key, fact in (
        ("optionalValue", draft.optional_value),
        ("negatable", draft.negatable),
        ("repeatable", draft.repeat),
        ("truncated", draft.truncated),
        ("guessed", draft.guessed),
        ("mentioned", draft.part == "prose" or draft.truncated),
    ):
        if fact:
            own[key] = True
    if draft.raw and not draft.equals and all(is_long_behind_one_dash(f) for f in draft.flags):
        own["join"] = "space"  # shown as `-name VALUE`: `-name=VALUE` may mean something else
    if draft.conflicts:
        own["conflicts"] = list(draft.conflicts)
    return own


_COMPOSITE = re.compile(r"[A-Za-z>\]][:=][A-Za-z<\[]|[A-Z]{2} [A-Z]{2}")


def _choices(draft: OptionDraft, style: str) -> tuple[str, ...] | None:
    formal = style in ("formal", "commander")
    placeholder_choices = choices_of_placeholder(
        draft.raw, brackets_are_optional=style == "commander", style=style
    )
    if placeholder_choices is None and _COMPOSITE.search(draft.raw):
        return None  # `PERMISSION:USER`: the words are values of one part
    choices = (
        placeholder_choices
        or choices_of_prose(draft.text, draft.paragraphs, style="formal" if formal else style)
        or (None if formal else choices_of_legend(draft.raw, draft.text))
        or (None if formal else listed_behind(draft.raw, draft.text))
        or listed_columns(draft.flags, f"({draft.raw.strip('<[{}]>')})")
        or (None if formal else listed_columns(draft.flags, draft.text))
    )
    return choices if choices and are_values(choices, draft.flags) else None


def _convert_default(default: str, kind: str) -> object:
    if kind == "integer":
        digits = default.lstrip("+-")
        return (
            int(default) if digits.isascii() and digits.isdigit() and len(digits) < 19 else default
        )
    if kind == "number":
        try:
            return float(default)
        except ValueError:
            return default
    return default


def option_name(flags: Sequence[str], used_names: set[str]) -> str:
    """The longest spelling without dashes, unique within the command."""
    long = [flag for flag in flags if flag.startswith("--")] or list(flags)
    for flag in [*long, *flags]:
        name = flag.lstrip("-").rstrip("\u2026=") or flag
        if name not in used_names:
            used_names.add(name)
            return name
    name = next(
        f"{long[0].lstrip('-')}-{n}"
        for n in range(2, MAX_OPTIONS * 2)
        if f"{long[0].lstrip('-')}-{n}" not in used_names
    )
    used_names.add(name)
    return name
