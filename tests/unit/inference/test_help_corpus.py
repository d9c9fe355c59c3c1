"""Help texts of our own in every style, against what they say (conformance/help)."""

from __future__ import annotations

import json

import pytest

from atip.inference.help import infer_help
from atip.model.tool import MISSING, Command, Option
from tests.shared import ROOT

CORPUS = ROOT / "conformance" / "help"
CASES = sorted(path.relative_to(CORPUS).with_suffix("") for path in CORPUS.glob("*/*.txt"))
KEYS = {"id", "doc", "spec", "input", "expect"}


def shown(option: Option) -> dict[str, object]:
    found: dict[str, object] = {"flags": list(option.flags), "type": option.type}
    if option.enum:
        found["enum"] = list(option.enum)
    if option.default is not MISSING:
        found["default"] = option.default
    if option.env_var:
        found["env"] = option.env_var
    if option.own.get("mentioned"):
        found["mentioned"] = True
    if option.own.get("conflicts"):
        found["conflicts"] = len(option.own["conflicts"])  # type: ignore[arg-type]
    return found


def summary(command: Command) -> dict[str, object]:
    return {
        "commands": {
            name: list(child.aliases or ()) for name, child in (command.commands or {}).items()
        },
        "arguments": [
            {
                "name": argument.name,
                "required": argument.is_required,
                "variadic": bool(argument.variadic),
            }
            for argument in command.arguments or ()
        ],
        "options": [shown(option) for option in command.options or ()],
    }


@pytest.mark.proves("ATIP6-4.10.4-01", "ATIP6-4.10.4-02")
@pytest.mark.parametrize("case", CASES, ids=str)
def test_text_gives_what_it_says(case) -> None:
    case_file = CORPUS / f"{case}.expect.json"
    vector = json.loads(case_file.read_text("utf-8"))
    assert set(vector) == KEYS
    text = (CORPUS / f"{case}.txt").read_bytes().decode()
    given = vector["input"]
    found = summary(infer_help(text, tool=given["tool"], path=tuple(given["path"])))
    expected = vector["expect"]
    for want, got in zip(expected["options"], found["options"], strict=False):  # type: ignore[call-overload]
        if want["type"] is None:  # the text does not tell
            got["type"] = None
    assert found == expected


def test_every_style_has_a_case() -> None:
    styles = {case.parts[0] for case in CASES}
    assert styles >= {
        "gnu", "bsd", "argparse", "click", "typer", "cobra", "clap", "goflag", "docopt", "picocli",
        "jcommander", "commonscli", "git", "npm", "yargs", "commander", "oclif", "busybox",
        "systemd", "terraform", "perl", "freeform",
    }  # fmt: skip
