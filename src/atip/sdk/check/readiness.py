"""Readiness of a tool for agents: observations → findings in plain words and a score of 0 to 100.

Pure: what was observed comes from `check.py`. Each point of the list below gives a share of its weight;
what costs points is said, with what to do. A small judge for authors; the full validator of ATIP is
`atip validate`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Document = dict[str, Any]

WEIGHTS = {
    # point: how much it counts, of 100
    "answers": 30,
    "identity": 15,
    "effects": 20,
    "descriptions": 10,
    "partial": 10,
    "harmless": 5,
    "help": 5,
    "examples": 5,
}
ADVICE = {
    "answers": "add `atip_sdk.agent(parser, version=…)` before the arguments are parsed",
    "identity": "pass `name` and `version` to `agent()`, and give the parser a description",
    "effects": "put `@effects(…)` on the function of each command, or pass a table to `agent()`",
    "descriptions": "write a help text for it",
    "partial": "let `--agent` accept --commands and --depth; the SDK does",
    "harmless": "do nothing before the arguments are parsed: no files, no network, no prompt",
    "help": "mention `--agent` in `--help`, so that it can be found; the SDK does",
    "examples": 'pass `examples={"command": ["mytool command …"]}` to `agent()`',
}
ESSENTIAL = (("network",), ("filesystem", "write"), ("destructive",))
"""Facts without which an agent has to ask a person before every call."""


class ToolObservations:
    """Observations of one tool; `document` is None when it did not answer."""

    def __init__(self) -> None:
        self.document: Document | None = None
        self.failure = ""
        self.crashed = False
        self.expected_name = ""
        self.help_mentions = False
        self.left_files: list[str] = []
        self.seconds = 0.0
        self.partial_failure = ""


class Finding:
    """One thing that could be better."""

    def __init__(self, point: str, message: str, advice: str = "") -> None:
        self.point = point
        self.message = message
        self.advice = advice or ADVICE[point]

    def to_json(self) -> dict[str, str]:
        return {"point": self.point, "message": self.message, "advice": self.advice}


def judge(seen: ToolObservations) -> tuple[int, list[Finding]]:
    """The score and everything that keeps it from 100, most valuable first."""
    findings: list[Finding] = []
    if seen.document is None:
        crashed = "run it yourself with --agent: it fails before it answers"
        findings.append(Finding("answers", seen.failure, crashed if seen.crashed else ""))
        if not seen.help_mentions:
            findings.append(Finding("help", "`--help` does not name --agent"))
        return (WEIGHTS["help"] if seen.help_mentions else 0), findings
    shares = {
        "answers": 1.0,
        "identity": _identity(seen.document, seen.expected_name, findings),
        "effects": _effects(seen.document, findings),
        "descriptions": _descriptions(seen.document, findings),
        "partial": _partial(seen, findings),
        "harmless": _harmless(seen, findings),
        "help": _help(seen, findings),
        "examples": _examples(seen.document, findings),
    }
    score = sum(WEIGHTS[point] * share for point, share in shares.items())
    findings.sort(key=lambda finding: -WEIGHTS[finding.point])
    return int(score), findings


def leaves(document: Document) -> Iterator[tuple[str, Document, list[Document]]]:
    """Every command that can be run: its path, itself, the effects of all above it. A tool without
    commands is one itself."""
    if not document.get("commands"):
        yield "", document, []
        return
    start: list[Document] = [document.get("effects") or {}]
    stack = [("", document["commands"], start)]
    while stack:
        path, commands, above = stack.pop()
        for name, command in commands.items() if isinstance(commands, dict) else ():
            if not isinstance(command, dict):
                continue
            below = f"{path} {name}".strip()
            if command.get("commands"):
                stack.append((below, command["commands"], [*above, command.get("effects") or {}]))
            else:
                yield below, command, above


def _identity(document: Document, name: str, findings: list[Finding]) -> float:
    wrong = [
        f"`{field}` is missing"
        for field in ("atip", "name", "version", "description")
        if not document.get(field)
    ]
    if document.get("version") == "0":
        wrong.append("the version is unknown")
    if document.get("name") and document["name"] != name:
        wrong.append(f"it calls itself `{document['name']}`, but the command is `{name}`")
    findings += [Finding("identity", each) for each in wrong]
    return max(0.0, 1 - len(wrong) / 4)


def _effects(document: Document, findings: list[Finding]) -> float:
    total = declared = 0
    for path, command, above in leaves(document):
        effects = [*above, command.get("effects") or {}]
        missing = [".".join(fact) for fact in ESSENTIAL if not _is_known(effects, fact)]
        total += len(ESSENTIAL)
        declared += len(ESSENTIAL) - len(missing)
        if missing:
            where = f"`{path}`" if path else "the tool"
            message = f"{where} does not declare: {', '.join(missing)}"
            findings.append(Finding("effects", message))
    return declared / total if total else 1.0


def _is_known(effects: list[Document], fact: tuple[str, ...]) -> bool:
    for each in effects:
        value: Any = each
        for part in fact:
            value = value.get(part) if isinstance(value, dict) else None
        if isinstance(value, bool):
            return True
    return False


def _descriptions(document: Document, findings: list[Finding]) -> float:
    total = good = 0
    for path, command, _above in leaves(document):
        # Positionals are left out: click cannot hold a text for them.
        entries = command.get("options") or ()
        poor = [entry["name"] for entry in entries if _says_nothing(entry)]
        empty = not command.get("description") or command["description"] == path
        total += len(entries) + 1
        good += len(entries) - len(poor) + (not empty)
        where = f"`{path}`" if path else "the tool"
        if empty:
            findings.append(Finding("descriptions", f"{where} has no description"))
        if poor:
            names = ", ".join(poor)
            findings.append(Finding("descriptions", f"{where}: no help text for {names}"))
    return good / total if total else 1.0


def _says_nothing(entry: Document) -> bool:
    """A description that only repeats the name was made up by a describer."""
    text = str(entry.get("description") or "").lower().replace("-", "_").replace(" ", "_")
    return text in ("", str(entry.get("name")).lower())


def _partial(seen: ToolObservations, findings: list[Finding]) -> float:
    if seen.partial_failure:
        findings.append(Finding("partial", seen.partial_failure))
        return 0.0
    return 1.0


def _harmless(seen: ToolObservations, findings: list[Finding]) -> float:
    if seen.left_files:
        files = ", ".join(seen.left_files[:5])
        findings.append(Finding("harmless", f"`--agent` left files behind: {files}"))
    if seen.seconds > 2:
        slow = f"`--agent` took {seen.seconds:.1f} s; agents wait 2 s"
        findings.append(Finding("harmless", slow, "import what is slow only when it is used"))
    return 0.0 if seen.left_files or seen.seconds > 2 else 1.0


def _help(seen: ToolObservations, findings: list[Finding]) -> float:
    if not seen.help_mentions:
        findings.append(Finding("help", "`--help` does not name --agent"))
    return float(seen.help_mentions)


def _examples(document: Document, findings: list[Finding]) -> float:
    if document.get("examples") or any(each.get("examples") for _, each, _ in leaves(document)):
        return 1.0
    findings.append(Finding("examples", "there is no example"))
    return 0.0
