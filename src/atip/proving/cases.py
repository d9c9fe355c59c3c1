"""Cases: a small language of set-up, invocation and expected effects, read with clear errors.

    format: atip-cases/1
    tool: cp
    setup: {files: {a.txt: "text\\n"}}
    cases:
      - run: cp {flag} a.txt b.txt
        flag: --force
        base: [read, write]
        raised: []

A case with a flag is a pair: it runs without the flag and with it. `base` must be seen in both, `raised` with the flag only.
Every case runs in the folder of samples (`samples`), with its own files beside them. The language is in docs/formats/cases.md.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Any

from atip.errors import FormatError, UsageError
from atip.model.facts import fact_name
from atip.model.problems import Problem
from atip.model.reading.yaml_reader import read_yaml
from atip.model.shapes.shape import closest
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FORMAT = "atip-cases/1"
MAX_CASES = 2_000
MAX_FILE = 100_000
_TOP = ("format", "tool", "setup", "cases")
_SETUP = ("files", "env", "folder", "stdin", "network")
_CASE = ("name", "run", "flag", "base", "raised", *_SETUP)
_PATH = re.compile(r"[^/\0][^\0]*")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FLAG = "{flag}"


class CaseSetup(Value):
    """Initial files and variables of a case."""

    files: Mapping[str, bytes] = {}
    env: Mapping[str, str] = {}
    folder: str = ""
    """Below the samples; empty: the samples themselves. `repo` is a git repository."""
    stdin: str | None = None
    network: Mapping[str, bytes] = {}
    """`host` or `host:port` → what the stand-in answers; others get nothing."""


class Case(Value):
    """One invocation, or a pair with and without a flag."""

    argv: tuple[str, ...]
    """With the flag."""
    without: tuple[str, ...] = ()
    """The same without it; empty: no pair."""
    flag: str = ""
    command: tuple[str, ...] = ()
    """Path of the command under test; empty: the tool itself, or not given."""
    name: str = ""
    setup: CaseSetup = CaseSetup()
    base: tuple[str, ...] | None = None
    """Facts that must be seen; None: as the description claims."""
    raised: tuple[str, ...] = ()
    source: str = "person"
    """`metadata`, `knowledge`, `documentation` or `person`."""

    @property
    def subject(self) -> str:
        return " ".join((self.argv[0], *self.command, *((self.flag,) if self.flag else ())))

    def to_json(self) -> dict[str, Any]:
        """For results; read back by `case_from`."""
        setup = self.setup
        document: dict[str, Any] = {
            "argv": list(self.argv),
            "without": list(self.without),
            "flag": self.flag,
            "command": list(self.command),
            "source": self.source,
            "folder": setup.folder,
            "stdin": setup.stdin,
            "env": dict(setup.env),
        }
        return {key: value for key, value in document.items() if value not in ([], "", None, {})}


def case_from(document: Mapping[str, Any]) -> Case:
    """The reverse of `Case.to_json`."""
    return Case(
        argv=tuple(document["argv"]),
        without=tuple(document.get("without", ())),
        flag=document.get("flag", ""),
        command=tuple(document.get("command", ())),
        source=document.get("source", "metadata"),
        setup=CaseSetup(
            folder=document.get("folder", ""),
            stdin=document.get("stdin"),
            env=document.get("env", {}),
        ),
    )


def read_cases(data: bytes) -> tuple[str, tuple[Case, ...]]:
    """The tool and the cases of a file.

    Raises:
        FormatError: `cases.invalid`, with every problem and its place.
    """
    document = read_yaml(data)
    reader = _Reader()
    tool, cases = reader.document(document)
    if reader.problems:
        raise FormatError(
            "cases.invalid",
            f"{reader.problems[0].path}: {reader.problems[0].message}",
            problems=tuple(reader.problems),
            hint="docs/formats/cases.md shows every field",
        )
    return tool, cases


class _Reader:
    """Collects problems instead of stopping at the first."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def document(self, document: object) -> tuple[str, tuple[Case, ...]]:
        if not isinstance(document, dict):
            self._say("", "must be a mapping with `format`, `tool` and `cases`")
            return "", ()
        self._check_keys("", document, _TOP)
        if document.get("format") != FORMAT:
            self._say("format", f"must be `{FORMAT}`")
        tool = document.get("tool")
        if not isinstance(tool, str) or not tool:
            self._say("tool", "must name the tool")
            tool = ""
        setup = self._setup("setup", document.get("setup", {}), CaseSetup())
        rows = document.get("cases")
        if not isinstance(rows, list) or not rows:
            self._say("cases", "must be a list with at least one case")
            return tool, ()
        if len(rows) > MAX_CASES:
            self._say("cases", f"holds more than {MAX_CASES} cases")
        return tool, tuple(
            case
            for number, row in enumerate(rows[:MAX_CASES])
            for case in self._case(f"cases[{number}]", row, tool, setup)
        )

    def _case(self, place: str, row: object, tool: str, common: CaseSetup) -> Iterator[Case]:
        if not isinstance(row, dict):
            self._say(place, "must be a mapping with `run`")
            return
        self._check_keys(place, row, _CASE)
        words = self._words(f"{place}.run", row.get("run"))
        if not words:
            return
        if words[0] != tool:
            self._say(f"{place}.run", f"must begin with `{tool}`, the tool of this file")
        flag = str(row.get("flag", ""))
        at = words.index(_FLAG) if _FLAG in words else -1
        if bool(flag) != (at >= 0):
            self._say(place, "`flag` and the word `{flag}` in `run` belong together")
            return
        if "raised" in row and not flag:
            self._say(f"{place}.raised", "needs a `flag` that raises it")
        flag_words = tuple(shlex.split(flag)) if flag else ()
        argv = (*words[:at], *flag_words, *words[at + 1 :]) if flag else words
        yield Case(
            argv=argv,
            without=(*words[:at], *words[at + 1 :]) if flag else (),
            flag=flag_words[0] if flag_words else "",
            name=str(row.get("name", "")),
            setup=self._setup(place, {k: v for k, v in row.items() if k in _SETUP}, common),
            base=self._facts(f"{place}.base", row["base"]) if "base" in row else None,
            raised=self._facts(f"{place}.raised", row.get("raised", [])),
        )

    def _words(self, place: str, value: object) -> tuple[str, ...]:
        if isinstance(value, list) and all(isinstance(word, str) for word in value) and value:
            return tuple(value)
        if not isinstance(value, str) or not value.strip():
            self._say(place, "must be a command line, or a list of words")
            return ()
        try:
            return tuple(shlex.split(value))
        except ValueError as error:
            self._say(place, f"cannot be split into words: {error}")
            return ()

    def _facts(self, place: str, value: object) -> tuple[str, ...]:
        if not isinstance(value, list):
            self._say(place, "must be a list of facts, such as [read, write]")
            return ()
        facts = []
        for item in value:
            try:
                facts.append(fact_name(str(item)))
            except UsageError as error:
                self._say(place, f"{error.message}; {error.hint}")
        return tuple(facts)

    def _setup(self, place: str, value: object, common: CaseSetup) -> CaseSetup:
        if not isinstance(value, dict):
            self._say(place, "must be a mapping")
            return common
        if place == "setup":
            self._check_keys(place, value, _SETUP)
        files = self._texts(f"{place}.files", value.get("files", {}))
        for name in files:
            if not _PATH.fullmatch(name) or ".." in name.split("/"):
                self._say(f"{place}.files", f"`{name}` must be a path below the folder of the case")
        env = self._texts(f"{place}.env", value.get("env", {}))
        for name in env:
            if not _VARIABLE.fullmatch(name):
                self._say(f"{place}.env", f"`{name}` cannot name a variable")
        folder, stdin = value.get("folder", common.folder), value.get("stdin", common.stdin)
        if not isinstance(folder, str) or ".." in folder.split("/") or folder.startswith("/"):
            self._say(f"{place}.folder", "must be a folder below the samples")
            folder = ""
        if stdin is not None and not isinstance(stdin, str):
            self._say(f"{place}.stdin", "must be text")
            stdin = None
        network = self._texts(f"{place}.network", value.get("network", {}))
        return CaseSetup(
            files={**common.files, **{name: text.encode() for name, text in files.items()}},
            env={**common.env, **env},
            folder=folder,
            stdin=stdin,
            network={**common.network, **{host: text.encode() for host, text in network.items()}},
        )

    def _texts(self, place: str, document: object) -> dict[str, str]:
        if not isinstance(document, dict):
            self._say(place, "must be a mapping of names to texts")
            return {}
        texts = {}
        for name, value in document.items():
            if not isinstance(name, str) or not isinstance(value, str) or len(value) > MAX_FILE:
                self._say(place, f"`{name}` must have a text of at most {MAX_FILE} characters")
            else:
                texts[name] = value
        return texts

    def _check_keys(self, place: str, row: dict[Any, Any], names: tuple[str, ...]) -> None:
        for key in row:
            if key not in names:
                close = closest(str(key), names)
                more = f"; did you mean `{close}`?" if close else f"; fields: {', '.join(names)}"
                self._say(place, f"no field `{str(key)[:40]}`{more}")

    def _say(self, place: str, what: str) -> None:
        path = f"$.{place}" if place else "$"
        self.problems.append(Problem(path=path, code="cases.invalid", message=what))
