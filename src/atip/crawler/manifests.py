"""Tool manifests: YAML files that say which tools are tracked and where their releases are. ATIP 0.6 §4.10.2."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from atip.crawler.sources.interface import CrawlRequest
from atip.errors import FormatError, NotFoundError
from atip.model.reading.reader import read_json
from atip.model.reading.yaml_reader import read_yaml
from atip.model.shapes.check import check_shape
from atip.model.shapes.crawler import TOOL_MANIFEST
from atip.model.value import Value
from atip.system.files import read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FOLDER = "tools"
"""Folder of manifests inside a registry's source."""
MAX_MANIFEST = 1_000_000
ENDINGS = (".yaml", ".yml")


class ToolManifest(Value):
    """One tracked tool."""

    name: str
    sources: dict[str, dict[str, Any]]
    description: str = ""
    homepage: str = ""
    template: Mapping[str, Any] = {}
    contributors: tuple[str, ...] = ()

    def requests(self) -> Iterator[CrawlRequest]:
        """Yield one request per source."""
        for source, settings in self.sources.items():
            yield CrawlRequest(
                source=source,
                name=self.name,
                settings=settings,
                template=self._template(),
                description=self.description,
                homepage=self.homepage,
            )

    def _template(self) -> Mapping[str, Any]:
        if not self.contributors:
            return self.template
        extension = self.template.get("x-atip")
        credit = {"contributors": list(self.contributors)}
        return {
            **self.template,
            "x-atip": {**extension, **credit} if isinstance(extension, dict) else credit,
        }

    def platforms(self) -> frozenset[str]:
        """Platforms to describe."""
        platforms: set[str] = set()
        for settings in self.sources.values():
            for name in ("asset_patterns", "urls"):
                platforms.update(settings.get(name, ()))
            platforms.update(settings.get("platforms", ()))
        return frozenset(platforms)


def read_manifest(data: bytes, origin: str) -> ToolManifest:
    """One manifest.

    Raises:
        FormatError: with all problems; `crawl.template` when the template is not a JSON object.
    """
    document: Any = read_yaml(data)
    problems = [p for p in check_shape(document, TOOL_MANIFEST, "strict") if p.severity == "error"]
    if problems:
        first = problems[0]
        text = f"`{origin}`: {first.path}: {first.message}"
        raise FormatError(first.code, text, problems=problems, hint=first.hint)
    template = document.get("template", {})
    if isinstance(template, str):
        template = read_json(template.encode())
    if not isinstance(template, dict):
        raise FormatError("crawl.template", f"`{origin}`: the template is not a JSON object")
    return ToolManifest(
        name=document["name"],
        sources=document["sources"],
        description=document.get("description", ""),
        homepage=document.get("homepage", ""),
        template=template,
        contributors=tuple(document.get("contributors", ())),
    )


def load_manifest(path: str) -> ToolManifest:
    """A manifest file.

    Raises:
        NotFoundError: `file.not-found`.
        FormatError: as `read_manifest`.
    """
    return read_manifest(read_bytes(path, MAX_MANIFEST), path)


def load_manifests(folder: str) -> list[ToolManifest]:
    """All manifests of a registry's source, by name."""
    try:
        names = sorted(os.listdir(os.path.join(folder, FOLDER)))
    except FileNotFoundError:
        return []
    paths = [os.path.join(folder, FOLDER, name) for name in names if name.endswith(ENDINGS)]
    return [load_manifest(path) for path in paths]


def parse_requests(word: str, folder: str) -> list[CrawlRequest]:
    """`apt:jq`, a manifest file, or the name of a tracked tool → requests.

    Raises:
        NotFoundError: `crawl.untracked`.
        FormatError: the manifest is wrong.
    """
    if word.endswith(ENDINGS):
        return list(load_manifest(word).requests())
    source, separator, name = word.partition(":")
    if separator:
        return [CrawlRequest(source=source, name=name)]
    for ending in ENDINGS:
        path = os.path.join(folder, FOLDER, word + ending)
        # SECURITY: a name must not leave the folder.
        if "/" not in word and os.path.isfile(path):
            return list(load_manifest(path).requests())
    raise NotFoundError(
        "crawl.untracked",
        f"`{word[:80]}` is not a tracked tool",
        hint=f"write SOURCE:NAME, or put a manifest into {FOLDER}/",
    )
