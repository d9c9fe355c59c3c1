"""What we tell of a command is never safer than what we decide about a line of it.

Over every command of the knowledge pack, of the examples and of tools whose help was read and then met the pack: what a
projection calls read-only, not destructive, local or free is so in the judge, for every option it takes, with values
and arguments that are known, dangerous or only known later, alone and in combinations. Effects are compared, not decisions.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from atip.calls.effects.ceiling import Claim, command_claim, function_claim
from atip.calls.effects.conflicts import only_reads
from atip.calls.effects.engine import effects_of
from atip.calls.functions import find_function, functions_of
from atip.calls.offering import offered
from atip.calls.parse import parse
from atip.calls.tables import CommandTable, takes_value
from atip.codecs.climd.claims import ceiling_of, mutations, narrowing_of
from atip.codecs.cmp.write import write_intents
from atip.codecs.providers.tools import compile_tools
from atip.inference.knowledge import merge_knowledge
from atip.knowledge.reading import load, names
from atip.model.effects import Effects
from atip.model.reading.decode import decode_tool
from atip.model.tool import Option, Tool
from atip.search.entries import BITS, entries_of

ROOT = Path(__file__).parents[2]
VALUES = ("x", "\0", "DELETE", "drop table t", "/dev/sda", "1", "http://h/x", "s/a/b/w out")
"""`\\0` is a value that only the shell will know: every rule about it is undecided."""
WORDS = ((), ("\0",), ("\0\0",), ("a", "k=v", "http://h/x"))
PLAIN = ROOT / "conformance" / "claims" / "plainly-read-only.txt"


def curated() -> list[Tool]:
    found = [load(name) for name in names()]
    return [tool for tool in found if tool is not None]


def met() -> list[Tool]:
    """Tools as a scan stores them: a description of their own with options that nobody judged, under our knowledge."""
    made = []
    for tool in curated()[::15]:
        strange = Option(name="zzz-strange", flags=("--zzz-strange",), type="boolean")
        told = tool.replace(
            extra={}, effects=Effects(), options=(strange,), global_options=(strange,)
        )
        made.append(merge_knowledge(told.replace(commands=dict(tool.commands or {})), tool))
    return made


def examples() -> list[Tool]:
    """What the examples say of themselves."""
    made = []
    for program in sorted((ROOT / "examples").glob("*_*.py")):
        if "atip.sdk" in program.read_text():
            command = [sys.executable, str(program), "--agent"]
            done = subprocess.run(command, capture_output=True, check=True, timeout=60)
            made.append(decode_tool(json.loads(done.stdout)))
    assert len(made) == 3
    return made


TOOLS = {"knowledge": curated, "met": met, "examples": examples}


def lines_of(
    tool: Tool, path: tuple[str, ...], options: list[Option], words: tuple[tuple[str, ...], ...]
):
    """Command lines of these options: each alone with several values, then combinations."""
    start = (tool.name, *path)
    dice = random.Random(" ".join(start))
    yield from ((*start, *more) for more in words)
    # flags that nobody says anything about are given together, as many lines as there are spellings of one flag
    plain = [option for option in options if not option.own and not option.takes_value]
    for place in range(max((len(option.flags) for option in plain), default=0)):
        yield (*start, *(option.flags[place % len(option.flags)] for option in plain))
    for option in options:
        if not option.own and not option.takes_value:
            continue
        flag = dice.choice(option.flags)
        if option.takes_value:
            value = dice.choice(VALUES)
            yield (*start, f"{flag}={value}") if flag[:2] == "--" else (*start, flag, value)
            if takes_value(option):
                yield (*start, flag, "\0")
        else:
            yield (*start, flag)
    for _ in range(min(2, len(options))):
        chosen = dice.sample(options, min(len(options), dice.randint(2, 4)))
        given = [part for option in chosen for part in _spelled(option, dice)]
        yield (*start, *given, *dice.choice(words))


def _spelled(option: Option, dice: random.Random) -> list[str]:
    flag = dice.choice(option.flags)
    if not option.takes_value:
        return [flag]
    value = dice.choice(VALUES)
    return (
        [flag, value] if takes_value(option) else [f"{flag}={value}" if flag[:2] == "--" else flag]
    )


def breaks(claimed: dict[str, bool], effects: Effects, base: Effects) -> list[str]:
    """Which of the claims an effect of the judge breaks. Loss must be ruled out wherever the command rules it out."""
    files = effects.filesystem
    sure = base.destructive is not False or (effects.destructive is False and files.delete is False)
    true = {
        "read-only": effects.is_read_only and sure,
        "reads": only_reads(effects) and sure,
        "not destructive": effects.destructive is False,
        "local": effects.network is False,
        "free": effects.cost.billable is False,
        "no writes": files.write is False and files.delete is False,
        "no programs": effects.subprocess is False,
        "repeatable": effects.idempotent is True,
        "no mutation": not (effects.creates or effects.modifies or effects.deletes),
    }
    return [name for name, is_claimed in claimed.items() if is_claimed and not true[name]]


def check(tool: Tool, path, options, claimed, problems, where, words=WORDS) -> None:
    base = command_claim(tool, path).base
    if not any(claimed.values()):
        return
    for line in lines_of(tool, path, options, words):
        call = parse(tool, line)
        if call.path != path or call.unknown_command or call.help:
            continue  # another command, or only help
        broken = breaks(claimed, effects_of(tool, call).effects, base)
        if broken:
            problems.append(f"{where}: {' '.join(line)!r} is not {', '.join(broken)}")


def told(claim: Claim) -> dict[str, bool]:
    ceiling = claim.ceiling
    return {
        "read-only": claim.is_read_only,
        "reads": claim.only_reads,
        "not destructive": ceiling.destructive is False,
        "local": ceiling.network is False,
        "free": ceiling.cost.billable is False,
        "repeatable": ceiling.idempotent is True,
        "no programs": ceiling.subprocess is False,
    }


@pytest.mark.parametrize("source", TOOLS)
def test_no_function_is_called_safer_than_any_of_its_calls(source):
    problems: list[str] = []
    for tool in TOOLS[source]():
        for function in functions_of(tool):
            narrow = offered(function)
            options = [item for item in narrow.parameters.values() if isinstance(item, Option)]
            claimed = told(function_claim(narrow))
            check(tool, function.path, options, claimed, problems, "function")
    assert not problems, f"{len(problems)}: " + "\n".join(problems[:20])


@pytest.mark.parametrize("source", TOOLS)
def test_no_command_is_called_safer_than_any_of_its_lines(source):
    """`show`, `list`, search, skills and the catalogue speak of a command as anybody may type it."""
    problems: list[str] = []
    for tool in TOOLS[source]():
        facts = {path: (true, known) for path, _, _, true, known in entries_of(tool)}
        for path, command in [((), None), *tool.walk()]:
            if command is not None and command.hidden:
                continue
            table = CommandTable(tool)
            for depth in range(len(path)):
                table.descend(tool, tool.find(path[: depth + 1]))
            options = list({id(option): option for option in table.flags.values()}.values())
            claimed = told(command_claim(tool, path))
            true, known = facts[path]
            lacking = {name: bool(known & bit) and not true & bit for name, bit in BITS.items()}
            claimed["not destructive"] |= lacking["destructive"]
            claimed["local"] |= lacking["network"]
            check(tool, path, options, claimed, problems, "command")
    assert not problems, f"{len(problems)}: " + "\n".join(problems[:20])


@pytest.mark.parametrize(
    ("provider", "strict"),
    [("openai", False), ("openai", True), ("anthropic", False), ("gemini", False), ("mcp", False)],
)
def test_no_declaration_says_more_than_the_ceiling(provider, strict):
    for tool in curated():
        compiled = compile_tools([tool], provider, strict=strict)
        for declaration in compiled.declarations:
            inner = declaration.get("function", declaration)
            function = compiled.functions[inner["name"]]
            claim = function_claim(function)
            ceiling = claim.ceiling
            assert ("READ-ONLY" in inner["description"]) == claim.is_read_only, function.line
            hints = declaration.get("annotations", {})
            assert hints.get("readOnlyHint", False) <= claim.only_reads
            calm = ceiling.destructive is False or claim.only_reads
            assert hints.get("destructiveHint", True) or calm
            assert hints.get("openWorldHint", True) or ceiling.network is False
            assert hints.get("idempotentHint", False) <= (ceiling.idempotent is True)


@pytest.mark.parametrize("provider", ["openai", "mcp"])
def test_no_group_says_more_than_all_of_its_actions(provider):
    for tool in curated()[::5]:
        compiled = compile_tools([tool], provider, strategy="action")
        for declaration in compiled.declarations:
            inner = declaration.get("function", declaration)
            group = compiled.groups.get(inner["name"])
            if group is None:
                continue
            ceilings = [function_claim(function).ceiling for function in group.actions.values()]
            said = "READ-ONLY" in inner["description"]
            assert not said or all(ceiling.is_read_only for ceiling in ceilings), inner["name"]
            hints = declaration.get("annotations", {})
            assert hints.get("readOnlyHint", False) <= all(map(only_reads, ceilings))
            assert hints.get("destructiveHint", True) or all(
                e.destructive is False for e in ceilings
            )


def test_no_tool_of_a_bundle_says_more_than_its_template_can_do():
    problems: list[str] = []
    for tool in curated():
        for path, command in tool.walk():
            if command.hidden or command.commands:
                continue
            ceiling = ceiling_of(tool, path, command)
            mutates, risk = mutations(ceiling)
            narrowed = narrowing_of(ceiling)
            claimed = {
                "local": "network" in narrowed,
                "no writes": "fs" in narrowed or not mutates,
                "no programs": "exec" in narrowed,
                "no mutation": risk == 0,
            }
            check(tool, path, list(command.options or ()), claimed, problems, "bundle", ((),))
    assert not problems, f"{len(problems)}: " + "\n".join(problems[:20])


def test_no_intent_says_more_than_its_template_can_do():
    problems: list[str] = []
    for tool in curated():
        leaves = [path for path, command in tool.walk() if not (command.hidden or command.commands)]
        paths = leaves if tool.commands else [()]
        for path, intent in zip(paths, write_intents(tool, tool.name), strict=True):
            known = {
                flag: option
                for option in CommandTable(tool).flags.values()
                for flag in option.flags
            }
            for option in (tool.find(path) or tool).options or ():
                known.update(dict.fromkeys(option.flags, option))
            words = intent["command"].split()[1 + len(path) :]
            options = list(
                {id(known[word]): known[word] for word in words if word in known}.values()
            )
            claimed = {
                "not destructive": intent.get("destructive") is False and not intent.get("confirm"),
                "repeatable": intent.get("idempotent", True),
            }
            check(tool, path, options, claimed, problems, "intent", ((),))
    assert not problems, f"{len(problems)}: " + "\n".join(problems[:20])


def test_what_everybody_takes_for_reading_still_says_so():
    lines = [line.split() for line in PLAIN.read_text().splitlines() if not line.startswith("#")]
    assert len(lines) == 60
    said = []
    for line in lines:
        tool = load(line[0])
        assert tool is not None
        function = offered(find_function(tool, tuple(line[1:])))
        if function_claim(function).is_read_only:
            said.append(line)
    assert len(said) >= 55, [line for line in lines if line not in said]


@pytest.mark.parametrize(
    "line",
    ["git branch", "git tag", "git config", "find", "sed", "tar", "awk", "xargs", "env", "sysctl", "ip", "mount",
     "reboot", "kill", "systemctl restart"],
)  # fmt: skip
def test_what_only_looks_like_reading_does_not(line):
    """Each of these was called read-only once."""
    words = line.split()
    tool = load(words[0])
    assert tool is not None
    assert not function_claim(offered(find_function(tool, tuple(words[1:])))).ceiling.is_read_only
    assert not command_claim(tool, words[1:]).ceiling.is_read_only
