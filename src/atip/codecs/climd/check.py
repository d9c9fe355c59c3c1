"""Checks of the front matter of a bundle's documents.

Three modes. `schema`: the public schemas and nothing else. `strict`: every rule of the text, plus what a host cannot
act on (patterns that do not compile, commands that need a shell, sandbox entries without meaning). `lenient`: the
same findings, those that are common in published bundles as warnings. Implements AIP-29 "Frontmatter" to "Output
conventions"; RESOLUTIONS P1, P2, P7, P9, P12, P13, P21.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal

from atip.calls.templates.argv import check_template
from atip.calls.templates.command_line import split_command
from atip.codecs.climd import schema as climd_schema
from atip.codecs.climd.sandbox import absolute_block
from atip.errors import FormatError
from atip.model.permissions.sandbox_block import check_sandbox
from atip.model.problems import Problem, render_path
from atip.model.shapes.json_schema import compile_schema, schema_problems
from atip.model.text.durations import parse_duration
from atip.model.text.regex import compile_regex
from atip.model.text.version_ranges import check_range

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Parts = tuple[str | int, ...]
    Mode = Literal["strict", "lenient", "schema"]

TEXT_FIELDS = ("intents",)
"""Fields of the text that the public schema does not have (P1)."""
DISCOURAGED = ("shell", "env", "cwd")
LENIENT_WARNINGS = frozenset(
    (
        *("format.unknown-field", "format.schema", "climd.placeholder", "climd.missing"),
        # what cannot be granted is not granted, and what cannot be checked cannot be called
        *("host.pattern", "schema.remote-reference"),
    )
)
_STAND_IN = {"method": "vendored", "path": "x"}
_SHA256 = re.compile(r"[0-9a-fA-F]{64}\Z")


def check_fields(kind: str, fields: Mapping[str, Any], mode: Mode = "strict") -> list[Problem]:
    """List all problems of a document's fields."""
    if mode == "schema":
        return list(_schema_problems(kind, fields))
    problems = [
        *_schema_problems(kind, _schema_part(kind, fields)),
        *_check_text_rules(kind, fields),
    ]
    if mode == "strict":
        return problems
    return [
        problem.replace(severity="warning") if problem.code in LENIENT_WARNINGS else problem
        for problem in problems
    ]


def schema_of(kind: str) -> dict[str, Any]:
    """The schema for a kind of document; see `schema.py`."""
    if kind == "CLI":
        return climd_schema.CLI
    if kind == "AGENT-CLI":
        from atip.codecs.climd.schema_agents import AGENT_CLI

        return AGENT_CLI
    from atip.codecs.climd import schema_documents as documents

    schema: dict[str, Any] = getattr(documents, kind)
    return schema


# --- by schema -----------------------------------------------------------------------------------


def _schema_problems(kind: str, fields: Mapping[str, Any]) -> Iterator[Problem]:
    for path, message in schema_problems(compile_schema(schema_of(kind)), dict(fields)):
        yield from _refine_problem(fields, path, message)


def _refine_problem(fields: Mapping[str, Any], path: Parts, message: str) -> Iterator[Problem]:
    """`install/3` and `setup/0` again, by the table of the method or kind they name."""
    if len(path) == 2 and path[0] in ("install", "setup") and isinstance(path[1], int):
        tables, word = (
            (climd_schema.INSTALL, "method")
            if path[0] == "install"
            else (climd_schema.SETUP, "kind")
        )
        entry = fields[path[0]][path[1]]
        choice = entry.get(word) if isinstance(entry, dict) else None
        if choice in tables:
            for inner, text in schema_problems(compile_schema(tables[choice]), entry):
                yield _problem((*path, *inner), "format.schema", text)
            return
        text = f"`{word}` must be one of {', '.join(tables)}"
        yield _problem((*path, word), "format.schema", text)
        return
    code = "format.unknown-field" if "dditional properties" in message else "format.schema"
    yield _problem(path, code, message)


def _schema_part(kind: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields without what the text allows beyond the schema."""
    reduced = {key: value for key, value in fields.items() if not _is_beyond_schema(kind, key)}
    install = reduced.get("install")
    if kind in ("CLI", "AGENT-CLI") and isinstance(install, list):
        usable = [
            entry
            for entry in install
            if not (isinstance(entry, dict) and entry.get("experimental") is True)
            or entry.get("method") in climd_schema.INSTALL
        ]
        # a list of experimental entries only is not empty, though the schema accepts none of them
        only = install and not usable
        reduced["install"] = [_STAND_IN] if only else [_without_hash(entry) for entry in usable]
    return reduced


def _is_beyond_schema(kind: str, key: str) -> bool:
    if kind == "CLI":
        return key in TEXT_FIELDS or key in DISCOURAGED
    return kind == "TOOL" and key in ("runner", "sandbox")  # P3, P19


def _without_hash(entry: Any) -> Any:
    """Drop a placeholder hash: it has its own finding (P2)."""
    if isinstance(entry, dict) and is_placeholder(entry.get("verify_sha256")):
        return {key: value for key, value in entry.items() if key != "verify_sha256"}
    return entry


def is_placeholder(value: object) -> bool:
    """Whether a value is present where a SHA-256 belongs, but is not one."""
    return value is not None and not (isinstance(value, str) and _SHA256.match(value))


# --- beyond the schema ---------------------------------------------------------------------------


def _check_text_rules(kind: str, fields: Mapping[str, Any]) -> Iterator[Problem]:
    if kind in ("CLI", "AGENT-CLI", "DRIVER"):
        yield from _check_install(fields.get("install"))
        yield from _check_version(fields.get("version_check"))
        yield from _check_auth(fields.get("auth"))
        yield from _check_setup(fields.get("setup"))
        if kind != "AGENT-CLI":
            yield from _check_sandbox_block(fields.get("sandbox"), ("sandbox",))
    if kind == "CLI":
        yield from _check_cli(fields)
    if kind == "TOOL":
        yield from _check_tool(fields)
    if kind == "DRIVER":
        yield from _check_driver(fields)


def _check_cli(fields: Mapping[str, Any]) -> Iterator[Problem]:
    for key in DISCOURAGED:
        if key in fields:
            text = f"move `{key}` to the runner or the tool; it does not belong in the bundle"
            yield _problem((key,), "climd.discouraged", text, "warning")
    commands = fields.get("commands")
    if isinstance(commands, dict) and not list(leaves(commands)):
        yield _problem(("commands",), "climd.missing", "`commands` does not refer to any TOOL.md")
    output = fields.get("output")
    if isinstance(output, dict) and output.get("json_flag_args") and not output.get("json_flag"):
        yield _problem(("output",), "climd.output", "`json_flag_args` needs `json_flag`")
    intents = fields.get("intents")
    if intents is not None and not (
        isinstance(intents, list)
        and all(
            isinstance(intent, dict) and isinstance(intent.get("ref"), str) for intent in intents
        )
    ):
        yield _problem(("intents",), "format.schema", "`intents` must be a list of `{ ref: PATH }`")


def _check_install(entries: object) -> Iterator[Problem]:
    for at, entry in enumerate(entries if isinstance(entries, list) else ()):
        if not isinstance(entry, dict):
            continue
        if entry.get("experimental") is True and entry.get("method") not in climd_schema.INSTALL:
            text = f"method `{str(entry.get('method'))[:40]}` is experimental; the entry is skipped"
            yield _problem(("install", at), "climd.experimental", text, "warning")
        if is_placeholder(entry.get("verify_sha256")):
            text = "`verify_sha256` is a placeholder; replace it with the real hash, or this entry is not installed"
            yield _problem(("install", at, "verify_sha256"), "climd.placeholder", text)
        elif entry.get("method") in ("curl", "download") and "verify_sha256" not in entry:
            text = "add `verify_sha256`; without it this entry is not installed"
            yield _problem(("install", at), "climd.no-hash", text, "warning")


def _check_version(block: object) -> Iterator[Problem]:
    if not isinstance(block, dict):
        return
    yield from _check_command(block.get("cmd"), ("version_check", "cmd"))
    yield from _check_parse(block.get("range"), ("version_check", "range"), check_range)
    parse = block.get("parse")
    yield from _check_parse(parse, ("version_check", "parse"), compile_regex)
    if isinstance(parse, str) and not re.search(r"(?<!\\)\((?!\?(?!P?<[^=!]))", parse):
        text = "the pattern needs a group that captures the version"
        yield _problem(("version_check", "parse"), "climd.no-group", text)


def _check_auth(block: object) -> Iterator[Problem]:
    if not isinstance(block, dict):
        return
    for name in ("login", "refresh"):
        part = block.get(name)
        if isinstance(part, dict):
            yield from _check_command(part.get("cmd"), ("auth", name, "cmd"))
            check = part.get("completes_when")
            if isinstance(check, dict):
                yield from _check_command(check.get("cmd"), ("auth", name, "completes_when", "cmd"))
    refresh = block.get("refresh")
    every = refresh.get("every") if isinstance(refresh, dict) else None
    if every is not None and (not isinstance(every, str) or parse_duration(every) is None):
        text = f"`{str(every)[:40]}` is not an ISO 8601 duration such as PT24H"
        yield _problem(("auth", "refresh", "every"), "climd.duration", text)


def _check_setup(steps: object) -> Iterator[Problem]:
    seen: set[object] = set()
    for at, step in enumerate(steps if isinstance(steps, list) else ()):
        if not isinstance(step, dict):
            continue
        identity = step.get("id")
        if identity in seen:
            yield _problem(
                ("setup", at, "id"), "climd.duplicate", f"step id `{identity}` is used twice"
            )
        seen.add(identity)
        yield from _check_command(step.get("cmd"), ("setup", at, "cmd"))
        for name in ("skip_if", "persist", "options"):
            part = step.get(name)
            if isinstance(part, dict):
                yield from _check_command(part.get("cmd"), ("setup", at, name, "cmd"))
        if step.get("type") == "select" and not step.get("options"):
            yield _problem(("setup", at), "climd.options", "`select` needs `options`")


def _check_sandbox_block(block: object, parts: Parts) -> Iterator[Problem]:
    if block is None:
        return
    prefix = render_path(parts)
    for problem in check_sandbox(absolute_block(block)):
        yield problem.replace(path=prefix + problem.path[1:])


def _check_tool(fields: Mapping[str, Any]) -> Iterator[Problem]:
    runner = fields.get("runner")
    argv = runner.get("argv") if isinstance(runner, dict) else None
    if argv is not None:
        yield from _check_argv(argv, ("runner", "argv"))
    for name in ("inputs", "outputs"):
        schema = fields.get(name)
        if isinstance(schema, dict):
            yield from _check_schema(schema, (name,))
    yield from _check_sandbox_block(tool_sandbox(fields), ("sandbox",))


def _check_driver(fields: Mapping[str, Any]) -> Iterator[Problem]:
    entries = fields.get("implements")
    for at, entry in enumerate(entries if isinstance(entries, list) else ()):
        argv = driver_argv(entry)
        if argv is not None:
            yield from _check_argv(argv, ("implements", at, "metadata", "cli", "argv"))


def tool_sandbox(fields: Mapping[str, Any]) -> Any:
    """The block by which a TOOL.md narrows its bundle's sandbox: `sandbox`, or `metadata.sandbox` (P19)."""
    metadata = fields.get("metadata")
    inner = metadata.get("sandbox") if isinstance(metadata, dict) else None
    return fields.get("sandbox", inner)


def driver_argv(entry: object) -> Any:
    """`implements[].metadata.cli.argv` (P3)."""
    value: Any = entry
    for key in ("metadata", "cli", "argv"):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def leaves(
    commands: Mapping[str, Any], path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Subcommand words and reference of every leaf; keys `""` and `.` are the group itself (P18)."""
    for key, value in commands.items():
        words = path if key in ("", ".") else (*path, *key.split())
        if isinstance(value, str):
            yield words, value
        elif isinstance(value, dict):
            yield from leaves(value, words)


def _check_argv(argv: object, parts: Parts) -> Iterator[Problem]:
    prefix = render_path(parts)
    for problem in check_template(argv):
        yield problem.replace(path=prefix + problem.path[1:])


def _check_command(text: object, parts: Parts) -> Iterator[Problem]:
    yield from _check_parse(text, parts, split_command)


def _check_parse(text: object, parts: Parts, check: Callable[[str], object]) -> Iterator[Problem]:
    if isinstance(text, str):
        try:
            check(text)
        except FormatError as error:
            yield _problem(parts, error.code, error.message)


def _check_schema(schema: Mapping[str, Any], parts: Parts) -> Iterator[Problem]:
    try:
        compile_schema(schema)
    except FormatError as error:
        yield _problem(parts, error.code, error.message)


def _problem(parts: Parts, code: str, message: str, severity: Any = "error") -> Problem:
    return Problem(path=render_path(parts), code=code, message=message[:300], severity=severity)
