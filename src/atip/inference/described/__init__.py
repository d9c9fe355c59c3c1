"""Machine-readable self-descriptions: texts in which a program, or its framework, describes itself exactly.

Formats are told by their shape, never by the name of a program. One file per format, each with
`fits(document)` and `read(document, name)`; this table says which are tried, and in which order.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

from atip.errors import FormatError
from atip.model.value import Value

if TYPE_CHECKING:
    from atip.inference.described.facts import Unread
    from atip.model.tool import Command

FORMATS: dict[str, tuple[str, str]] = {
    # name → (syntax, module); the more peculiar shape comes first
    "opencli": ("json", "opencli"),
    "oclif": ("json", "oclif"),
    "calliope": ("json", "calliope"),
    "swift": ("json", "swift_dump"),
    "click": ("json", "click_info"),
    "dotnet": ("json", "dotnet_schema"),
    "fig": ("json", "fig"),
    "clap": ("json", "clap_json"),
    "docker-docs": ("yaml", "docker_docs"),
    "cobra-docs": ("yaml", "cobra_docs"),
    "carapace": ("yaml", "carapace"),
    "usage": ("kdl", "usage.usage_spec"),
}
MAX_TEXT = 8_000_000
_OPENINGS = {
    "yaml": re.compile(r"^(?:name|command): *[\w\"'.-]", re.M),
    "kdl": re.compile(r"^(?:/-|//)?[^\S\n]*(?:name|bin|about|version|usage|min_usage_version|cmd|flag|arg) +[\"r#\w-]", re.M),
}  # fmt: skip


class SelfDescription(Value):
    """A recognized description. `name`, `more` and `unread` are filled by `describe` alone."""

    kind: str
    command: Command
    version: str = ""
    name: str = ""
    more: tuple[tuple[str, str], ...] = ()
    """Fields of the tool beside its tree: homepage, license."""
    unread: tuple[Unread, ...] = ()
    """Parts that are lost in the model."""


def recognize(
    text: str, name: str, *, only: str = "", most: int = MAX_TEXT
) -> SelfDescription | None:
    """The description in a text, or None when it is none that we know.

    Args:
        only: the one format to try.
        most: characters; more than the default only for a file that was installed with its program.
    """
    if len(text) > most:
        return None
    documents: dict[str, Any] = {}
    for kind, (syntax, place) in FORMATS.items():
        if only not in ("", kind):
            continue
        if syntax not in documents:
            documents[syntax] = _parse(syntax, text)
        document = documents[syntax]
        if document is None:
            continue
        module = import_module(f"atip.inference.described.{place}")
        if module.fits(document):
            command, version = module.read(document, name)
            return SelfDescription(kind=kind, command=command, version=version)
    return None


def describe(text: str, kind: str, name: str) -> SelfDescription | None:
    """A whole document of the format `kind` (usage, fig, opencli), with everything that can be kept and every loss."""
    syntax, place = FORMATS[kind]
    document = _parse(syntax, text)
    module = import_module(f"atip.inference.described.{place}")
    if document is None or not module.fits(document):
        return None
    command, version = module.read(document, name, keep=True)
    fields = module.about(document)
    return SelfDescription(
        kind=kind,
        command=command,
        version=version,
        name=fields.pop("name", ""),
        more=tuple((key, value) for key, value in fields.items() if value),
        unread=tuple(module.unread(document)),
    )


def _parse(syntax: str, text: str) -> Any:
    """The document, or None when the text has another syntax."""
    start = text.lstrip("\ufeff \t\r\n")
    if (syntax == "json") != start.startswith(("{", "[")):
        return None
    # A cheap look first: parsing a whole help text as YAML or KDL costs more than reading it as help.
    if syntax in _OPENINGS and not _OPENINGS[syntax].search(start[:4_000]):
        return None
    try:
        if syntax == "json":
            from atip.model.reading.reader import STORE, read_json

            return read_json(start.encode(), STORE)
        if syntax == "yaml":
            from atip.model.reading.yaml_reader import read_yaml

            return read_yaml(start.encode())
        from atip.inference.described.usage.kdl import parse_kdl

        return parse_kdl(start)
    except FormatError:
        return None
