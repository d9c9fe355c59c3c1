"""The shape of a tool manifest: what the crawler tracks and where it gets it (ATIP 0.6 §4.10.2). Closed. Data."""

from __future__ import annotations

from atip.model.shapes.metadata import URL
from atip.model.shapes.shape import ANYTHING, Either, Field, Items, Shape, Table, Text

PLATFORM = Text(pattern=r"^(linux|darwin|windows)-(amd64|arm64|arm|386)$", code="format.platform")
PLATFORMS = Field(Items(PLATFORM), "platforms to crawl; all if absent")
BINARY_PATH = Field(str, "pattern of the executable inside the archive; all programs if absent")


def _source(source: str, summary: str, /, **fields: Field) -> Field:
    return Field(Shape(source, summary, fields, closed=True), summary)


def _package(summary: str) -> Field:
    return Field(str, summary)


SOURCES = Shape(
    "sources",
    "where releases come from; one block for each ecosystem",
    {
        "github": _source(
            "github",
            "releases of a repository",
            repo=Field(Text(pattern=r"^[\w.-]+/[\w.-]+$"), "OWNER/NAME", required=True),
            asset_patterns=Field(
                Table(str, keys=PLATFORM), "platform → pattern of the asset's name", required=True
            ),
            binary_path=BINARY_PATH,
        ),
        "homebrew": _source(
            "homebrew", "bottles", formula=_package("name of the formula"), platforms=PLATFORMS
        ),
        "apt": _source(
            "apt", "Debian archives", package=_package("name of the package"), platforms=PLATFORMS
        ),
        "dnf": _source(
            "dnf", "RPM repositories", package=_package("name of the package"), platforms=PLATFORMS
        ),
        "choco": _source(
            "choco",
            "Chocolatey packages",
            package=_package("name of the package"),
            binary_path=BINARY_PATH,
        ),
        "scoop": _source(
            "scoop",
            "Scoop manifests",
            package=_package("name of the manifest"),
            platforms=PLATFORMS,
        ),
        "url": _source(
            "url",
            "official downloads",
            version=Field(str, "their version", required=True),
            urls=Field(Table(URL, keys=PLATFORM), "platform → address", required=True),
            sha256=Field(
                Table(Text(pattern=r"^[0-9a-f]{64}$"), keys=PLATFORM),
                "platform → digest of the file",
                required=True,
            ),
            binary_path=BINARY_PATH,
        ),
        "pypi": _source("pypi", "Python wheels", package=_package("name of the package")),
        "npm": _source("npm", "npm packages", package=_package("name of the package")),
        "local": _source(
            "local",
            "a program of this machine",
            path=Field(str, "its path"),
            name=Field(str, "its name"),
            version=Field(str, "its version"),
        ),
    },
    closed=True,
)
TOOL_MANIFEST = Shape(
    "tool manifest",
    "a tool that the crawler tracks (§4.10.2)",
    {
        "name": Field(str, "name of the tool", required=True),
        "homepage": Field(URL, "page of the tool"),
        "description": Field(str, "one-line description"),
        "sources": Field(SOURCES, "where releases come from", required=True),
        "template": Field(
            Either({str: Text(), dict: Table(ANYTHING)}),
            "metadata merged over what is learned, as JSON text or as an object",
        ),
        "contributors": Field(Items(str), "who is credited"),
    },
    closed=True,
)
