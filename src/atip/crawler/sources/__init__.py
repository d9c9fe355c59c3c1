"""Sources of packages, one file each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.errors import UsageError

if TYPE_CHECKING:
    from atip.crawler.sources.interface import PackageSource, SourceContext

SOURCES = {
    "apt": ("atip.crawler.sources.apt", "AptSource"),
    "dnf": ("atip.crawler.sources.web.dnf", "DnfSource"),
    "pypi": ("atip.crawler.sources.pypi", "PypiSource"),
    "npm": ("atip.crawler.sources.npm", "NpmSource"),
    "local": ("atip.crawler.sources.local", "LocalSource"),
    "github": ("atip.crawler.sources.web.github", "GithubSource"),
    "homebrew": ("atip.crawler.sources.web.homebrew", "HomebrewSource"),
    "choco": ("atip.crawler.sources.web.choco", "ChocoSource"),
    "scoop": ("atip.crawler.sources.web.scoop", "ScoopSource"),
    "url": ("atip.crawler.sources.web.url", "UrlSource"),
}
"""Name → module and class; imported on use."""


def open_source(name: str, context: SourceContext) -> PackageSource:
    """Open a source by name.

    Raises:
        UsageError: `crawl.source`.
    """
    import importlib

    if name not in SOURCES:
        hint = "sources: " + ", ".join(SOURCES)
        raise UsageError("crawl.source", f"unknown source `{name[:40]}`", hint=hint)
    module, kind = SOURCES[name]
    source: PackageSource = getattr(importlib.import_module(module), kind)(context)
    return source
