"""Normal form: one knowledge file as written → the pack's node tree, with every problem found.

Short forms are spelled out (`list: network -- List things`), keys such as `"compute ssh"` become a
tree, `"* list-*"` and `"** delete"` become glob tables, named matchers become regular expressions.
Pure; reads no files. The format is described in docs/formats/knowledge.md.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from atip.errors import FormatError
from atip.knowledge.audit import find_unaudited
from atip.knowledge.words import WordError, raises, split_line
from atip.model.permissions.sandbox_block import check_sandbox
from atip.model.problems import Problem, render_path
from atip.model.text.regex import compile_regex

if TYPE_CHECKING:
    from collections.abc import Mapping

    Parts = tuple[str | int, ...]

CATEGORIES = (
    "version-control", "containers", "cloud", "packages", "database", "files", "text", "archive",
    "network", "media", "system", "process", "build", "language", "secrets", "editor", "shell",
    "development", "agent", "hosting", "documents", "backup",
)  # fmt: skip
STYLES = ("gnu", "posix", "long", "keys", "bundle", "raw")
NODE_KEYS = {
    "does", "wraps", "summary", "aliases", "values", "flags", "options", "commands", "when",
    "runs", "rest", "operands", "style", "globals", "abbreviate", "output", "join",
}  # fmt: skip
TOOL_KEYS = NODE_KEYS | {
    "tool", "category", "homepage", "intents", "patterns", "authentication", "help", "see", "sandbox",
    "versions", "audited", "text", "language", "starts",
}  # fmt: skip
OPTION_KEYS = {
    "value", "adds", "does", "dry_run", "answers", "always", "runs", "summary", "choices", "join",
}  # fmt: skip
WHEN_KEYS = {
    "argument", "first", "last", "arguments", "with", "all", "without", "option", "value",
    "does", "adds", "every",
}  # fmt: skip
RUNS_KEYS = {"from", "skip", "shell", "single", "default", "more", "after", "in", "until", "code"}
RUNS_WORDS = ("shell", "command", "program", "code", "rest", "bindings")

LANGUAGES = ("sed", "awk", "literals")
"""Readers of programs among the arguments (`calls.languages`)."""

_NESTED = re.compile(r"[*+]\)[*+]|[*+]\)\{\d+,\}")
"""`(a+)+`: the readers on the fast path use the ordinary engine on short texts."""


_VERSIONS = re.compile(r"[A-Za-z][\w+.-]{0,40}\*")


class KnowledgeNormalizer:
    """One pass over one file. `problems` is filled; `tool` returns the normal form."""

    def __init__(self, matchers: Mapping[str, str]) -> None:
        self.matchers = matchers
        self.problems: list[Problem] = []

    def tool(self, document: object, stem: str) -> dict[str, Any]:
        """The normal form of a whole file; `stem` is the file name it must agree with."""
        if not isinstance(document, dict):
            self._bad((), "format.not-an-object", "a knowledge file is a mapping")
            return {}
        self._keys(document, TOOL_KEYS, ())
        if document.get("tool") != stem:
            self._bad(("tool",), "knowledge.name", f"`tool` must be {stem!r}, as the file is named")
        for key in ("summary", "category"):
            if not isinstance(document.get(key), str):
                self._bad((key,), "format.missing-field", f"`{key}` is required")
        if document.get("category") not in CATEGORIES:
            self._bad(("category",), "knowledge.category", f"one of {', '.join(CATEGORIES)}")
        if missing := find_unaudited(document):
            self._bad(("audited",), "knowledge.audited", missing)
        node = self.node(document, ())
        node["name"] = stem
        for key in ("category", "homepage", "intents", "patterns", "authentication"):
            if key in document:
                node[key] = document[key]
        if "text" in document:
            node["text"] = " ".join(self._flags(document["text"], ("text",)))
        if "starts" in document:
            node["starts"] = self._words(document["starts"], ("starts",))
        if "language" in document:
            node["language"] = str(document["language"])
            if node["language"] not in LANGUAGES:
                text = f"one of {', '.join(LANGUAGES)}"
                self._bad(("language",), "knowledge.language", text)
        if "sandbox" in document:
            node["sandbox"] = document["sandbox"]
            self.problems += [
                problem.replace(path=f"$.sandbox{problem.path[1:]}")
                for problem in check_sandbox(document["sandbox"])
            ]
        if "versions" in document:
            node["versions"] = self._words(document["versions"], ("versions",))
            for glob in node["versions"]:
                if not _VERSIONS.fullmatch(glob):
                    text = "a name that ends in the only `*`, which stands for a version number"
                    self._bad(("versions",), "knowledge.versions", text)
        _inherit_join(node)
        self._intents(node)
        node["help"] = self._flags(document.get("help", "--help --version"), ("help",))
        return node

    def node(self, source: object, at: Parts) -> dict[str, Any]:
        """The tool itself or one command."""
        if source is None:
            source = ""
        if isinstance(source, str):
            source = {"does": source}
        if not isinstance(source, dict):
            self._bad(at, "knowledge.command", "a command is a line of words or a mapping")
            return {}
        if at:
            self._keys(source, NODE_KEYS, at)
        node: dict[str, Any] = {}
        self._line(source, node, "does", at)
        self._line(source, node, "wraps", at)
        if "summary" in source:
            node["summary"] = str(source["summary"])
        if "does" not in node and "commands" not in source:
            self._bad(at, "knowledge.does", "`does` is required (write `nothing` if harmless)")
        self._scalars(source, node, at)
        self._options(source, node, at)
        self._commands(source.get("commands") or {}, node, at)
        if "when" in source:
            node["when"] = self._when(source["when"], (*at, "when"))
        if "runs" in source:
            node["runs"] = self._runs(source["runs"], (*at, "runs"), RUNS_KEYS)
        return node

    def _scalars(self, source: dict[str, Any], node: dict[str, Any], at: Parts) -> None:
        if "aliases" in source:
            node["aliases"] = self._words(source["aliases"], (*at, "aliases"))
        if source.get("rest", "harmless") != "harmless":
            self._bad((*at, "rest"), "knowledge.rest", "the only value is `harmless`")
        if source.get("style", "gnu") not in STYLES:
            self._bad((*at, "style"), "knowledge.style", f"one of {', '.join(STYLES)}")
        if source.get("globals", "before") not in ("before", "anywhere"):
            self._bad((*at, "globals"), "knowledge.globals", "`before` or `anywhere`")
        if source.get("join", "space") != "space":
            self._bad((*at, "join"), "knowledge.join", "the only value is `space`")
        for key in ("rest", "style", "globals", "abbreviate", "operands", "output", "join"):
            if key in source:
                node[key] = source[key]

    def _options(self, source: dict[str, Any], node: dict[str, Any], at: Parts) -> None:
        for key in ("values", "flags"):
            if key in source:
                node[key] = " ".join(
                    ",".join(group) for group in self._groups(source[key], (*at, key))
                )
        options = []
        for flags, spec in (source.get("options") or {}).items():
            options.append(self._option(str(flags), spec, (*at, "options", str(flags))))
        if options:
            node["options"] = options
        seen: set[str] = set()
        everything = [f for o in options for f in o.get("flags", ())]
        everything += [
            f for k in ("values", "flags") for f in node.get(k, "").replace(",", " ").split()
        ]
        for flag in everything:
            if flag in seen:
                self._bad(at, "knowledge.twice", f"flag {flag!r} is listed twice here")
            seen.add(flag)

    def _option(self, flags: str, spec: object, at: Parts) -> dict[str, Any]:
        option: dict[str, Any] = {"flags": self._flags(flags, at)}
        if spec is None or isinstance(spec, str):
            spec = {"adds": spec or "nothing"}
        if not isinstance(spec, dict):
            self._bad(at, "knowledge.option", "an option is a line of words or a mapping")
            return option
        self._keys(spec, OPTION_KEYS, at)
        self._line(spec, option, "adds", at)
        self._line(spec, option, "does", at)
        if spec.get("value", True) not in (True, False, "optional", "joined"):
            self._bad((*at, "value"), "knowledge.value", "true, false, `optional` or `joined`")
        if isinstance(spec.get("dry_run"), str):
            self._line(spec, option, "dry_run", at)
        for key in ("value", "dry_run", "answers", "always", "summary", "choices", "join"):
            if key in spec and key not in option:
                option[key] = spec[key]
        if "runs" in spec:
            option["runs"] = self._runs(spec["runs"], (*at, "runs"), RUNS_KEYS)
            if spec["runs"] in ("shell", "command", "program", "code", "bindings"):
                option.setdefault("value", True)
        return option

    def _commands(self, source: object, node: dict[str, Any], at: Parts) -> None:
        if not isinstance(source, dict):
            self._bad((*at, "commands"), "knowledge.commands", "`commands` is a mapping")
            return
        for key, spec in source.items():
            path = str(key).split()
            here = (*at, "commands", str(key))
            child = self.node(spec, here)
            deep = path[0] == "**"
            parent = node
            for name in path[1:-1] if deep else path[:-1]:
                parent = parent.setdefault(_shelf(name), {}).setdefault(name, {})
            shelf = "deep" if deep else _shelf(path[-1])
            place = parent.setdefault(shelf, {})
            if path[-1] in place:
                self._merge(place[path[-1]], child, here)
            else:
                place[path[-1]] = child

    def _merge(self, old: dict[str, Any], new: dict[str, Any], at: Parts) -> None:
        """`"s3"` and `"s3 rm"` may both be written; they must not contradict each other."""
        for key, value in new.items():
            if key in old and key not in ("commands", "globs", "deep"):
                self._bad(at, "knowledge.twice", f"command is described twice ({key})")
            elif key in old:
                old[key].update(value)
            else:
                old[key] = value

    def _when(self, source: object, at: Parts) -> list[dict[str, Any]]:
        rules = []
        if not isinstance(source, list):
            self._bad(at, "knowledge.when", "`when` is a list of rules")
            return []
        for index, rule in enumerate(source):
            here = (*at, index)
            if not isinstance(rule, dict) or not ({"does", "adds"} & set(rule)):
                self._bad(here, "knowledge.when", "a rule is a mapping with `does` or `adds`")
                continue
            self._keys(rule, WHEN_KEYS, here)
            when: dict[str, Any] = {}
            self._line(rule, when, "does", here)
            self._line(rule, when, "adds", here)
            when.pop("summary", None)
            for key in ("argument", "first", "last", "value", "every"):
                if key in rule:
                    when[key] = self._regex(rule[key], (*here, key))
            for key in ("with", "all", "without", "option"):
                if key in rule:
                    when[key] = self._flags(rule[key], (*here, key))
            if "arguments" in rule:
                when["arguments"] = self._count(rule["arguments"], (*here, "arguments"))
            rules.append(when)
        return rules

    def _count(self, source: object, at: Parts) -> list[int]:
        text = str(source)
        low, dash, high = text.partition("-")
        if text.endswith("+") and text[:-1].isdigit():
            return [int(text[:-1]), 1_000_000]
        if low.isdigit() and (not dash or high.isdigit()):
            return [int(low), int(high or low)]
        self._bad(at, "knowledge.count", "a number (`0`), a range (`1-2`) or a minimum (`1+`)")
        return [0, 0]

    def _runs(self, source: object, at: Parts, keys: set[str]) -> object:
        if source in RUNS_WORDS:
            return source
        if not isinstance(source, dict):
            self._bad(at, "knowledge.runs", f"one of {', '.join(RUNS_WORDS)} or a mapping")
            return "code"
        self._keys(source, keys, at)
        runs = dict(source)
        if "skip" in runs:
            runs["skip"] = self._regex(runs["skip"], (*at, "skip"))
        if "until" in runs:
            runs["until"] = str(runs["until"]).split()
        return runs

    def _line(self, source: dict[str, Any], into: dict[str, Any], key: str, at: Parts) -> None:
        if key not in source:
            return
        words, description = split_line(str(source[key] or ""))
        try:
            raises(words)
        except WordError as error:
            self._bad((*at, key), "knowledge.word", str(error))
        if words or key != "does":
            into[key] = words or "nothing"
        elif not description:
            into[key] = "nothing"
        if description:
            into["summary"] = description

    def _regex(self, source: object, at: Parts) -> str:
        text = str(source)
        if text.startswith("$"):
            matcher = self.matchers.get(text[1:])
            if matcher is None:
                self._bad(at, "knowledge.matcher", f"no matcher named {text!r}")
            text = matcher or ""
        try:
            compile_regex(text)
            re.compile(text)  # both engines must take it: short words are matched by this one
        except FormatError as error:
            self._bad(at, "knowledge.regex", error.message)
        except re.error as error:
            self._bad(at, "knowledge.regex", str(error))
        if _NESTED.search(text):
            self._bad(at, "knowledge.regex", "a repetition inside a repetition is not linear")
        return text

    def _groups(self, source: object, at: Parts) -> list[list[str]]:
        return [group.split(",") for group in self._words(source, at) if self._flag(group, at)]

    def _flags(self, source: object, at: Parts) -> list[str]:
        flags = self._words(source, at)
        for flag in flags:
            self._flag(flag, at)
        return flags

    def _flag(self, flag: str, at: Parts) -> bool:
        for part in flag.split(","):
            if not part or not (part[0] in "-+@" or part.endswith("=")):
                self._bad(at, "knowledge.flag", f"{part!r} is not a flag (`-x`, `--long`, `key=`)")
        return True

    def _words(self, source: object, at: Parts) -> list[str]:
        if isinstance(source, list):
            return [str(word) for word in source]
        if isinstance(source, str):
            return source.split()
        self._bad(at, "knowledge.words", "words separated by blanks, or a list")
        return []

    def _intents(self, node: dict[str, Any]) -> None:
        intents = node.get("intents")
        if isinstance(intents, list):
            node["intents"] = {"": [str(i) for i in intents]}
        elif isinstance(intents, dict):
            node["intents"] = {
                str(k): [str(i) for i in (v if isinstance(v, list) else [v])]
                for k, v in intents.items()
            }
        elif intents is not None:
            self._bad(("intents",), "knowledge.intents", "a list, or command path → list")
        for key in intents if isinstance(intents, dict) else ():
            names = (node["name"], *node.get("aliases", ()))
            if str(key)[:1] == "@" and str(key)[1:] not in names:
                self._bad(("intents", str(key)), "knowledge.intents", "`@name` is one of its names")

    def _keys(self, source: Mapping[str, object], allowed: set[str], at: Parts) -> None:
        for key in source:
            if key not in allowed:
                self._bad((*at, str(key)), "knowledge.key", f"unknown key {key!r}")

    def _bad(self, at: Parts, code: str, message: str) -> None:
        self.problems.append(Problem(path=render_path(at), code=code, message=message))


def _inherit_join(node: dict[str, Any]) -> None:
    """Copy `join` to the commands below that have none of their own."""
    if "join" not in node:
        return
    for shelf in ("commands", "globs", "deep"):
        for child in node.get(shelf, {}).values():
            child.setdefault("join", node["join"])
            _inherit_join(child)


def _shelf(name: str) -> str:
    return "globs" if "*" in name else "commands"
