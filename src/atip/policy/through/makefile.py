"""Recipes of a Makefile, as far as they are plain: targets, prerequisites, simple variables. Pure.

Returns None for files that it cannot follow: `include`, `define`, `eval`, double-colon and pattern rules for the goal,
conditionals, targets from variables.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_ASSIGN = re.compile(
    r"(?:export\s+|override\s+)?([A-Za-z_][\w.-]*)\s*(\?=|:=|::=|\+=|!=|=)\s*(.*)\Z"
)
_RULE = re.compile(r"([^:=#\t][^:=#]*?)\s*(::?)(?!=)\s*([^;]*)(?:;(.*))?\Z")
_FOREIGN = re.compile(
    r"-?s?include\b|define\b|ifn?def\b|ifn?eq\b|else\b|endif\b|load\b|vpath\b|\$\(eval|\$\{eval"
)
_VALUE = re.compile(r"\$(?:\(([\w.-]+)\)|\{([\w.-]+)\})")
_VALUED = frozenset(
    ("-C", "-f", "-I", "-j", "-l", "-o", "-W", "--directory", "--file", "--makefile")
)
MAX_TARGETS = 200
MAX_LINES = 20_000
_PASSES = 4


def make_lines(text: str, argv: Sequence[str]) -> tuple[str, ...] | None:
    """The lines that `make …` would run if everything were out of date; None: cannot be determined."""
    goals = _targets(argv)
    parsed = _parse(text)
    if goals is None or parsed is None:
        return None
    rules, variables, shell = parsed
    names = list(goals) or [next((name for name in rules if not name.startswith(".")), "")]
    lines = list(shell)
    seen: set[str] = set()
    while names:
        name = names.pop(0)
        if name in seen or len(seen) > MAX_TARGETS:
            continue
        seen.add(name)
        if name not in rules:
            if name in goals:
                return None  # a pattern rule or a built-in one makes it
            continue  # a file
        needs, recipe = rules[name]
        names += needs
        lines += recipe
    return tuple(_plain(line, variables) for line in lines)


def _targets(argv: Sequence[str]) -> list[str] | None:
    """Goals of the command line; None: an option chooses another folder, file or variable."""
    goals = []
    for word in argv[1:]:
        if word in _VALUED and word not in ("-j", "-l"):
            return None
        if (
            word.startswith(("-f", "-C", "--file", "--directory", "--makefile", "--eval", "-I"))
            or "=" in word
        ):
            return None
        if not word.startswith("-") and not word.isdigit():
            goals.append(word)
    return goals


_Rules = dict[str, tuple[list[str], list[str]]]


def _parse(text: str) -> tuple[_Rules, dict[str, str], list[str]] | None:
    rules: _Rules = {}
    variables: dict[str, str] = {}
    shell: list[str] = []
    current: list[str] = []
    lines = re.sub(r"\\\r?\n", " ", text).splitlines()
    if len(lines) > MAX_LINES:
        return None
    for line in lines:
        if line.startswith("\t"):
            for name in current:
                rules[name][1].append(line[1:].lstrip("@-+ \t"))
            continue
        bare = line.split("#", 1)[0].strip()
        if not bare:
            continue
        if _FOREIGN.match(bare) or "$(eval" in bare:
            return None
        current = []
        if assigned := _ASSIGN.match(bare):
            name, operator, value = assigned.groups()
            if operator == "!=":
                shell.append(value)
            shell += re.findall(r"\$[({]shell\s+([^)}]*)[)}]", value)
            variables[name] = value
            continue
        rule = _RULE.match(bare)
        if rule is None or "$" in rule[1] or "%" in rule[1] or rule[2] == "::":
            if rule is None or "$" in rule[1]:
                return None
            continue  # makes files by pattern; a goal that needs it is not found below
        current = rule[1].split()
        for name in current:
            needs, recipe = rules.setdefault(name, ([], []))
            needs += [word for word in rule[3].split() if word != "|"]
            if rule[4]:
                recipe.append(rule[4].strip())
    return rules, variables, shell


def _plain(line: str, variables: dict[str, str]) -> str:
    """A recipe as the shell gets it; an unknown make variable becomes an unknown shell variable."""
    line = line.replace("$$", "\0")
    for _ in range(_PASSES):
        line = _VALUE.sub(
            lambda match: variables.get(match[1] or match[2], match[0].replace("$", "\1")), line
        )
    line = re.sub(r"\$[@<^+?*%|]", "\1{make_value}", line)
    line = re.sub("[$\1]\\([^)]*\\)", "${make_value}", line)
    return line.replace("\1", "$").replace("\0", "$")
