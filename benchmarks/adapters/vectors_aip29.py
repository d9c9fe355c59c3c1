"""The `aip29` set of vectors.py: schema verdicts, lenient loading, argv expansion.

verdicts.json         path → {"valid", "errors"}: by schema alone
examples/**           every document must load leniently
argv-expansion.json   template + input → argv, or "error": true
"""

from __future__ import annotations

import json
import typing

from atip.calls.templates.argv import expand
from atip.codecs.climd.check import check_fields
from atip.codecs.climd.codec import decode
from atip.codecs.climd.document import kind_of_name, read_document
from atip.errors import FormatError

if typing.TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator

    Case = tuple[str, bool, str]


def cases(folder: pathlib.Path) -> Iterator[Case]:
    """(name, right, why)"""
    yield from _verdicts(folder)
    yield from _lenient(folder / "examples")
    yield from _expansion(folder / "argv-expansion.json")


def _verdicts(folder: pathlib.Path) -> Iterator[Case]:
    path = folder / "verdicts.json"
    for name, expected in json.loads(path.read_text()).items() if path.exists() else ():
        kind = kind_of_name(name) or "CLI"
        try:
            document = read_document((folder / name).read_bytes(), kind)
            problems = check_fields(kind, document.fields, "schema")
        except FormatError as error:
            yield f"verdict {name}", expected["valid"] is False, error.message
            continue
        yield f"verdict {name}", expected["valid"] is (not problems), str(problems[:2])


def _lenient(folder: pathlib.Path) -> Iterator[Case]:
    for path in sorted(folder.rglob("*.md")):
        kind = kind_of_name(path.name)
        if kind is None:
            continue
        try:
            if kind == "CLI":
                decode(path.read_bytes(), origin="")
                wrong = []
            else:
                document = read_document(path.read_bytes(), kind)
                found = check_fields(kind, document.fields, "lenient")
                wrong = [problem for problem in found if problem.severity == "error"]
        except FormatError as error:
            yield f"lenient {path.name}", False, error.message
            continue
        yield f"lenient {path.parent.name}/{path.name}", not wrong, str(wrong[:2])


def _expansion(path: pathlib.Path) -> Iterator[Case]:
    for at, case in enumerate(json.loads(path.read_text()) if path.exists() else ()):
        try:
            made: object = list(expand(case["template"], case["input"]))[1:]
        except FormatError as error:
            made = error.code
        right = made == case["argv"] if "argv" in case else isinstance(made, str)
        yield f"argv {at} {case['template']}", right, str(made)
